// The geometry of the board for a given screen size, in pixels.

import { suit, UNKNOWN } from "../rules/layout.js";

/** @import { Layout, Pile } from "../rules/layout.js" */

export const CORNER = 76; // as wide as the name of what is common to all
export const RATIO = 1.4;
const MAX_CARD = 132; // or CARD_OF_HEIGHT, on large screens
const CARD_OF_HEIGHT = 0.15;
const MIN_CARD = 20;
const WIDEST = 4.3; // no fewer cards than that lie side by side
const TALL_PX = 900;
const BUTTON_PX = 62; // the height of the row with the "Stuck" button
const BESIDE_PX = 106; // the width of a button beside the hand
const LINE_PX = 26; // the line between columns and hand that says what happened
const LINE_FROM_PX = 480; // boards that are lower have none
const ALONG = 0.6; // how much of a card shows below another at most, in heights of a card
export const WHOLE_CARD = 64; // foundations of at least this height keep a card's proportions
const MAX_COLUMNS = 10; // up to this many columns stay in one row
const BAR_KINDS = ["stock", "waste", "reserve"];
const TOP_KINDS = ["foundation", "cell"];

/** @typedef {{pile: number, count: number}} Held cards that are picked up */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {Point & {w: number, h: number, hasCorner: boolean}} Area a name has room in its corner, or not */

/**
 * @typedef {object} Rect where a pile lies, and how its cards are spread
 * @property {number} x
 * @property {number} y
 * @property {number} w
 * @property {number} h of one card
 * @property {number} dx between cards that are spread to the side
 * @property {number} down between cards that lie face down
 * @property {number} up between cards that lie face up
 * @property {boolean} isFlat too low for a card: only its index is shown
 * @property {number} [suit] an empty foundation: whose ace comes here next
 */

/**
 * @typedef {object} Scene
 * @property {Map<number, Rect>} rects by pile; piles of others are not among them
 * @property {number} cardWidth
 * @property {number} height
 * @property {number} bottom how much is reserved for the hand, below the line that says what happened
 * @property {Area | null} middle where the shared foundations lie, if there is more on the table
 * @property {Place[] | undefined} rows where those of each suit lie, if each suit has a row
 */

/** Assigns foundations to slots of the grid. A foundation keeps its slot as long as it has cards of its suit. */
export class FoundationSlots {
  constructor() {
    this.deal = "";
    /** @type {Map<number, number>} */
    this.slots = new Map();
  }

  /**
   * The slot of each shared foundation: grouped by suit, in the order in which they were begun.
   * @param {import("../rules/board.js").Board} board
   * @param {Pile[]} piles
   * @param {string} deal identifies the deal; another one starts anew
   */
  of(board, piles, deal) {
    if (deal !== this.deal) {
      this.deal = deal;
      this.slots = new Map();
    }
    const each = piles.length / 4;
    for (const [number, slot] of this.slots) {
      // an optimistic play that lost its race leaves the pile to another suit
      const top = board.top(number);
      if (top === null || Math.floor(slot / each) !== suit(top)) this.slots.delete(number);
    }
    const taken = new Set(this.slots.values());
    for (const { number } of piles) {
      const top = board.top(number);
      if (top === null || top === UNKNOWN || this.slots.has(number)) continue;
      const first = suit(top) * each;
      for (let slot = first; slot < first + each; slot++) {
        if (taken.has(slot)) continue;
        this.slots.set(number, slot);
        taken.add(slot);
        break;
      }
    }
    const free = [...piles.keys()].filter((slot) => !taken.has(slot));
    return piles.map(({ number }) => this.slots.get(number) ?? free.shift() ?? 0);
  }
}

/**
 * The piles of a seat and the table, by area.
 * @typedef {{top: Pile[][], middle: Pile[][], bar: Pile[]}} Blocks
 */

/** @typedef {{w: number, h: number}} CardSize */
/** @typedef {Point & CardSize} Place */

/**
 * The foundations that all build on.
 * @typedef {object} Shared
 * @property {Pile[]} piles
 * @property {number[]} taken the slot of each
 * @property {boolean[]} isEmpty which of them are
 * @property {(options: Shared & Room) => Grid} grid
 */

/**
 * What their grid follows from besides.
 * @typedef {object} Room
 * @property {CardSize} card
 * @property {number} gap
 * @property {{x: number, y: number, width: number, height: number}} area
 * @property {boolean} isAlone whether nothing else is on the table
 */

/**
 * @typedef {object} Grid
 * @property {number} w of its cards
 * @property {number} h
 * @property {(slot: number) => Point} at where a slot is
 * @property {number} corner where its name begins
 * @property {number} bottom
 * @property {Area} area
 * @property {Place[]} [rows]
 */

/**
 * What all widths of cards are tried with.
 * @typedef {object} Wanted
 * @property {import("../rules/board.js").Board} board
 * @property {number} buttons how many lie one above the other, below the columns
 * @property {number} across how many lie side by side
 * @property {{width: number, height: number}} area
 * @property {boolean} isMirrored for the left hand
 * @property {boolean} isWide whether the bar is beside the layout
 * @property {Blocks} blocks
 * @property {Shared} shared
 * @property {number} line how high the line below the columns is
 */

/**
 * A key for the geometry of a board: boards with the same key are laid out alike.
 * @param {import("../rules/board.js").Board} board
 * @param {number} place
 */
export const shapeOf = ({ layout, cards }, place) =>
  layout.piles
    .filter((pile) => pile.place === place || pile.place === -1)
    .map((pile) => {
      const { up, down } = steps(cards[pile.number]);
      const top = cards[pile.number][cards[pile.number].length - 1];
      return isFanned(pile)
        ? `${up}/${down}`
        : top === undefined
          ? ""
          : pile.kind === "foundation"
            ? suit(top)
            : 1;
    })
    .join();

/**
 * Lay out one seat's piles and the shared ones, with cards as large as fit.
 * @param {object} options
 * @param {import("../rules/layout.js").Layout} options.layout
 * @param {import("../rules/board.js").Board} options.board
 * @param {number} options.place whose layout; -1: nobody's, the table's piles alone
 * @param {string} options.deal names the deal
 * @param {FoundationSlots} options.slots
 * @param {number} options.buttons how many lie one above the other, below the columns
 * @param {number} [options.across] how many lie side by side
 * @param {{width: number, height: number}} options.area
 * @param {boolean} options.isMirrored for the left hand
 * @param {number} [options.line] how high the line below the columns is, where fans can be closer for it
 * @param {Shared["grid"]} [options.grid] where the shared foundations lie, if elsewhere
 * @returns {Scene}
 */
export function arrange({
  layout,
  board,
  place,
  deal,
  slots,
  buttons,
  across = 1,
  area,
  isMirrored,
  line = LINE_PX,
  grid = gridOf,
}) {
  const piles = layout.piles.filter((pile) => pile.place === -1 && pile.kind === "foundation");
  const blocks = blocksOf(layout, place, piles.length >= 4);
  const isWide = area.width > area.height * 1.15;
  const isEmpty = piles.map(({ number }) => !board.cards[number].length);
  const shared = { piles, taken: slots.of(board, piles, deal), isEmpty, grid };
  const options = { board, buttons, across, area, isMirrored, isWide, blocks, shared, line };
  const largest = Math.max(MAX_CARD, Math.floor(area.height * CARD_OF_HEIGHT));
  const [small, large] = isWide || area.height > TALL_PX ? [0.34, 0.34] : [0.26, 0.34]; // of the height
  for (let width = Math.min(largest, Math.floor(area.width / WIDEST)); width >= MIN_CARD; width--) {
    const scene =
      attempt({ ...options, width, share: large, isRoomy: true }) ??
      attempt({ ...options, width, share: small });
    if (scene) return scene;
  }
  return /** @type {Scene} */ (attempt({ ...options, width: MIN_CARD, share: small, isForced: true }));
}

/**
 * Group the piles of a seat and the table by area: top, middle and bar.
 * @param {Layout} layout
 * @param {number} place
 * @param {boolean} isRace
 */
function blocksOf(layout, place, isRace) {
  const own = layout.piles.filter((pile) => pile.place === place || pile.place === -1);
  /** @type {Map<string, Pile[]>} */
  const groups = new Map();
  for (const pile of own) {
    if (isRace && pile.place === -1 && pile.kind === "foundation") continue;
    groups.set(pile.group, [...(groups.get(pile.group) ?? []), pile]);
  }
  /** @type {Blocks} */
  const blocks = { top: [], middle: [], bar: [] };
  for (const piles of groups.values()) {
    const [{ kind }] = piles;
    if (BAR_KINDS.includes(kind) && piles.length === 1) blocks.bar.push(piles[0]);
    else if (TOP_KINDS.includes(kind)) blocks.top.push(piles);
    else blocks.middle.push(piles);
  }
  const columns = blocks.middle.find(([{ kind }]) => kind === "tableau");
  if (columns && layout.options.reserve_up) {
    columns.push(...blocks.bar.filter(({ kind }) => kind === "reserve")); // spread like a column
    blocks.bar = blocks.bar.filter(({ kind }) => kind !== "reserve");
  }
  return blocks;
}

/**
 * The scene with cards of a given width, or null if they do not fit and are not forced to.
 * @param {Wanted & {width: number, share: number, isRoomy?: boolean, isForced?: boolean}} options
 * @returns {Scene | null}
 */
function attempt({
  board,
  buttons,
  across,
  area,
  isMirrored,
  isWide,
  blocks,
  shared,
  line,
  width,
  share: foundations,
  isRoomy = false,
  isForced = false,
}) {
  const gap = Math.max(2, Math.round(width * 0.07));
  const card = { w: width, h: Math.round(width * RATIO) };
  /** @type {Map<number, Rect>} */
  const rects = new Map();
  const hasBar = blocks.bar.length > 0;
  if (isWide && blocks.bar.length * (card.h + gap * 3) > area.height && !isForced) return null;
  const barWidth = isWide && hasBar ? card.w * 1.25 + gap * 3 : 0;
  const inner = { x: isMirrored ? barWidth : 0, width: area.width - barWidth };
  const hasOwn = blocks.middle.length + blocks.top.length + blocks.bar.length > 0;
  const height = hasOwn ? area.height * foundations : area.height - 2 * gap;
  const sharedArea = { x: inner.x, y: gap, width: inner.width, height };
  const has = shared.piles.length >= 4;
  const grid = has ? shared.grid({ ...shared, card, gap, area: sharedArea, isAlone: !hasOwn }) : null;
  let y = grid ? grid.bottom + gap * 2 : gap;
  const rows = [...blocks.top, ...blocks.middle].flatMap((piles) => rowsOf(piles, inner.width, card.w, gap));
  const needs = rows.map((row) => needOf(row, board, card));
  const most = needs.reduce((sum, need) => sum + need.most + gap, 0);
  // The hand is larger than the columns where these leave room for it, and smaller beside buttons.
  const room = area.height - y - Math.max(most, card.h * 4) - LINE_PX - gap * 4;
  const beside = (area.width - BESIDE_PX * across) / blocks.bar.length - gap * 3;
  const large = Math.max(card.w, Math.min(area.width / WIDEST, room / RATIO));
  const w = isWide ? card.w : Math.floor(Math.max(card.w * 0.7, Math.min(beside, large)));
  const own = { w, h: Math.round(w * RATIO) };
  const hand = isWide || rows.length === 0 ? 0 : Math.max(BUTTON_PX * buttons, hasBar ? own.h + gap * 2 : 0);
  const bottom = hand && area.height > LINE_FROM_PX ? hand + LINE_PX : hand;
  const free = area.height - y - bottom - gap;
  const least = needs.reduce((sum, need) => sum + need.least + gap, 0);
  if (least > free && !isForced) return null;
  if (widest(rows, card.w, gap) > inner.width + 1 && !isForced) return null;
  if (isRoomy && most > free) return null; // foundations are larger only where no fan gets narrower
  if (grid) race(rects, shared, grid);
  const open = free - Math.max(0, line - LINE_PX) - least; // for fans
  const share = most > least ? Math.max(0, Math.min(1, open / (most - least))) : 1;
  rows.forEach((row, at) => {
    const height = needs[at].least + (needs[at].most - needs[at].least) * share;
    lay({ rects, row, board, x: inner.x, y, width: inner.width, height, card, gap });
    y += height + gap;
  });
  if (hasBar) bar({ rects, piles: blocks.bar, area, card: own, gap, isWide, isMirrored });
  const middle = grid && hasOwn ? grid.area : null;
  return {
    rects,
    cardWidth: width,
    height: Math.max(area.height, y),
    bottom: hand,
    middle,
    rows: grid?.rows,
  };
}

/**
 * The grid in which shared foundations lie. It is asked for with each width of cards that is tried.
 * @param {Shared & Room} options
 * @returns {Grid}
 */
function gridOf({ taken, card, gap, area, isAlone }) {
  const count = taken.length;
  const seats = count / 4;
  const columns = [4 * seats, 2 * seats, seats].reduce((best, each) =>
    sizeOf(each, area, count) > sizeOf(best, area, count) ? each : best,
  );
  const rows = count / columns;
  const widest = Math.min(card.w, (area.width - gap) / columns - gap);
  const h = Math.min(widest * RATIO, (area.height - gap) / rows - gap);
  const w = h > WHOLE_CARD ? Math.min(widest, h / RATIO) : widest;
  const top = isAlone ? area.y + (area.height - rows * (h + gap)) / 2 : area.y;
  const left = area.x + (area.width - columns * (w + gap) + gap) / 2;
  const bottom = top + rows * (h + gap);
  const whole = { x: area.x + gap / 2, y: top - gap / 2, w: area.width - gap, h: bottom - top };
  /** @param {number} slot */
  const at = (slot) => ({
    x: left + columnOf(slot, seats, columns) * (w + gap),
    y: top + Math.floor(slot / columns) * (h + gap),
  });
  return { w, h, at, bottom, corner: area.x, area: { ...whole, hasCorner: rows > 1 } };
}

/**
 * Lay out shared foundations in their grid by suits.
 * @param {Map<number, Rect>} rects
 * @param {Shared} shared
 * @param {Grid} grid
 */
function race(rects, { piles, taken, isEmpty }, { w, h, at, corner, area }) {
  const seats = taken.length / 4;
  taken.forEach((slot, each) => {
    const first = slot - (slot % seats); // of its suit
    const isNext =
      isEmpty[each] && taken.every((other, index) => other < first || other >= slot || !isEmpty[index]);
    const { x, y } = at(slot);
    const rect = { x, y, w, h, dx: 0, down: 0, up: 0, isFlat: h < w * 1.2 };
    const isBelow = y < area.y + h && x + w > corner && x < corner + CORNER;
    if (isBelow && (isNext || !isEmpty[each])) area.hasCorner = false;
    rects.set(piles[each].number, isNext ? { ...rect, suit: first / seats } : rect);
  });
}

/**
 * The column of a slot: a suit's first pile is near the middle, and the others go outward.
 * @param {number} slot
 * @param {number} seats how many piles a suit has
 * @param {number} columns
 */
function columnOf(slot, seats, columns) {
  const at = slot % seats;
  const column = slot % columns;
  if (columns === seats) return ((seats - 1) >> 1) + (at % 2 ? 1 : -1) * Math.ceil(at / 2);
  return columns === 2 * seats && column < seats ? seats - 1 - at : column;
}

/**
 * A score for the legibility of cards with a number of columns: whole cards if large enough, otherwise flat ones.
 * @param {number} columns
 * @param {{width: number, height: number}} area
 * @param {number} count
 */
export function sizeOf(columns, area, count) {
  const [w, h] = [area.width / columns, area.height / Math.ceil(count / columns)];
  const whole = Math.min(w, h / RATIO);
  return whole * RATIO > WHOLE_CARD ? WHOLE_CARD + whole : Math.min(w, h * 1.6);
}

/**
 * Split a group's piles into rows, by the game's row counts if it has any.
 * @param {Pile[]} piles
 * @param {number} width
 * @param {number} cardWidth
 * @param {number} gap
 */
function rowsOf(piles, width, cardWidth, gap) {
  const { rows: counts, geometry } = piles[0].spec;
  const fitting = Math.max(1, Math.floor((width - gap) / (cardWidth + gap)));
  const most = piles[0].kind === "tableau" && piles.length <= MAX_COLUMNS ? piles.length : fitting;
  const isGiven = ["grid", "fans"].includes(geometry) && counts.length > 0;
  const rows = [];
  let at = 0;
  const each = isGiven ? counts : [];
  while (at < piles.length) {
    const wanted =
      each[rows.length] ??
      (isGiven ? piles.length : Math.ceil(piles.length / Math.ceil(piles.length / most)));
    const count = Math.max(1, Math.min(isGiven ? wanted : Math.min(wanted, most), piles.length - at));
    rows.push(piles.slice(at, at + count));
    at += count;
  }
  return rows;
}

/**
 * @param {Pile[][]} rows
 * @param {number} cardWidth
 * @param {number} gap
 */
function widest(rows, cardWidth, gap) {
  return Math.max(0, ...rows.map((row) => row.length * (cardWidth + gap) + gap));
}

/** @param {Pile} pile */
const isFanned = (pile) =>
  ["tableau", "reserve", "packet"].includes(pile.kind) &&
  pile.spec.shows !== "top" &&
  pile.spec.shows !== "none";

/**
 * The minimum and maximum useful height of a row of piles.
 * @param {Pile[]} row
 * @param {import("../rules/board.js").Board} board
 * @param {{w: number, h: number}} card
 */
function needOf(row, board, card) {
  if (!row.some(isFanned)) return { least: card.h, most: card.h };
  let least = card.h;
  let most = card.h;
  for (const pile of row.filter(isFanned)) {
    const { up, down } = steps(board.cards[pile.number]);
    least = Math.max(least, card.h + down * 3 + up * Math.max(11, card.w * 0.26));
    most = Math.max(most, card.h + down * card.w * 0.22 + up * card.h * ALONG);
  }
  const room = row[0].kind === "tableau" ? card.h * 2.4 : most;
  return { least, most: Math.max(most, room) };
}

/** @param {number[]} cards */
function steps(cards) {
  const down = cards.filter((card) => card === UNKNOWN).length;
  const up = Math.max(0, cards.length - down - 1);
  return { up, down: down === cards.length ? Math.max(0, down - 1) : down };
}

/**
 * Lay out a row of piles.
 * @param {object} options
 * @param {Map<number, Rect>} options.rects
 * @param {Pile[]} options.row
 * @param {import("../rules/board.js").Board} options.board
 * @param {number} options.x
 * @param {number} options.y
 * @param {number} options.width
 * @param {number} options.height
 * @param {CardSize} options.card
 * @param {number} options.gap
 */
function lay({ rects, row, board, x, y, width, height, card, gap }) {
  const pitch = Math.min(card.w + gap * 3, (width - gap) / row.length);
  const left = x + (width - pitch * row.length) / 2 + (pitch - card.w) / 2;
  row.forEach((pile, at) => {
    const { up, down } = steps(board.cards[pile.number]);
    const free = height - card.h;
    const perDown = down > 0 ? Math.min(card.w * 0.22, (free * 0.35) / down) : 0;
    const perUp = up > 0 ? Math.min(card.h * ALONG, (free - perDown * down) / up) : 0;
    const fanned = isFanned(pile);
    rects.set(pile.number, {
      x: left + at * pitch,
      y,
      w: card.w,
      h: card.h,
      dx: 0,
      down: fanned ? perDown : 0,
      up: fanned ? perUp : 0,
      isFlat: false,
    });
  });
}

/**
 * Lay out stock, waste and reserve within reach of the thumb: below the layout, or beside it.
 * @param {object} options
 * @param {Map<number, Rect>} options.rects
 * @param {Pile[]} options.piles
 * @param {{width: number, height: number}} options.area
 * @param {CardSize} options.card
 * @param {number} options.gap
 * @param {boolean} options.isWide
 * @param {boolean} options.isMirrored
 */
function bar({ rects, piles, area, card, gap, isWide, isMirrored }) {
  /** @type {Record<string, number>} */
  const order = { stock: 0, waste: 1, reserve: 2 };
  const sorted = [...piles].sort((a, b) => order[a.kind] - order[b.kind]);
  sorted.forEach((pile, at) => {
    const from = isWide ? area.height : area.width;
    const size = isWide ? card.h : card.w;
    const along = from - (at + 1) * (size + gap * 3);
    const rect = { w: card.w, h: card.h, dx: 0, down: 0, up: 0, isFlat: false };
    if (isWide) {
      const x = isMirrored ? gap * 2 : area.width - card.w - gap * 2;
      rects.set(pile.number, { ...rect, x, y: along });
    } else {
      const x = isMirrored ? area.width - along - card.w : along;
      rects.set(pile.number, { ...rect, x, y: area.height - card.h - gap });
    }
  });
}

/**
 * The position of the card at an index of a pile.
 * @param {Rect} rect
 * @param {number[]} cards
 * @param {number} index
 */
export function cardAt(rect, cards, index) {
  let y = rect.y;
  for (let at = 0; at < index; at++) y += cards[at] === UNKNOWN ? rect.down : rect.up;
  return { x: rect.x + rect.dx * index, y };
}

/**
 * The index of the card at a height of a pile; -1 if the pile is empty.
 * @param {Rect} rect
 * @param {number[]} cards
 * @param {number} y
 */
export function indexAt(rect, cards, y) {
  for (let index = cards.length - 1; index >= 0; index--) {
    if (y >= cardAt(rect, cards, index).y) return index;
  }
  return rect.up > 0 ? Math.min(0, cards.length - 1) : cards.length - 1; // just above the pile
}
