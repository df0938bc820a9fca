// Renders a scene with one element for each card. Only piles that have changed are written; cards fly by
// Web Animations, which do not occupy the main thread.

import { element, isCalm, isNew, move, setClass, setStyle, setText } from "../dom.js";
import { loaded } from "../lazy.js";
import { rank, suit, UNKNOWN } from "../rules/layout.js";
import { pileLabel, RANKS, WORDS } from "../words.js";
import { cardAt } from "./geometry.js";

/**
 * @import { Board } from "../rules/board.js"
 * @import { Rect } from "./geometry.js"
 */

/**
 * Where a card comes from; with its seat if somebody else's panel is there.
 * @typedef {import("./geometry.js").Point & {seat?: number, width?: number}} Origin
 */

const SVG = "http://www.w3.org/2000/svg";
const MAX_FLIGHTS = 16;
const FLIGHT_MS = 160;
const SHAKE_MS = 240;
const NAMED_PX = 52; // narrower piles have no room for their name

/**
 * @typedef {object} Card a card on the board
 * @property {HTMLElement} node
 * @property {string} face what it looks like, but for its rank
 * @property {number} pile
 * @property {import("./geometry.js").Point | null} at where it was seen last
 */

/** Renders the board: the player's own layout and the shared piles. */
export class BoardView {
  /** What each pile looked like in the last frame. @type {Map<number, string>} */
  #drawn = new Map();
  /** @type {import("./geometry.js").Scene | null} */
  #scene = null;
  /** @type {DOMRect | null} */
  #box = null;

  /**
   * @param {HTMLElement} root
   * @param {() => void} requestRender requests a render
   */
  constructor(root, requestRender) {
    this.root = root;
    /** @type {Map<string, Card>} */
    this.cards = new Map();
    /** @type {Map<number, HTMLElement>} */
    this.slots = new Map();
    this.deal = "";
    this.isStill = false;
    new ResizeObserver(() => {
      this.#box = null;
      requestRender();
    }).observe(root);
  }

  /** The board's rectangle on the page, measured again only after a resize. */
  get box() {
    return (this.#box ??= this.root.getBoundingClientRect());
  }

  /** Remove all elements, for another hand or table. */
  clear() {
    this.root.replaceChildren();
    this.cards = new Map();
    this.slots = new Map();
    this.#drawn.clear();
    this.#box = null;
  }

  /**
   * @param {object} options
   * @param {import("./geometry.js").Scene} options.scene
   * @param {import("../rules/board.js").Board} options.board
   * @param {string} options.deal identifies the deal; for another one the board is cleared first
   * @param {Map<number, number>} options.air how many cards in the air top each pile
   * @param {{pile: number, count: number} | null} options.held the cards that are picked up
   * @param {Set<number>} options.fits piles that take what is held
   * @param {(card: number) => (Origin | null)} options.origin where a new card flies from
   * @param {boolean} options.isStill whether no card flies
   */
  draw({ scene, board, deal, air, held, fits, origin, isStill }) {
    this.isStill = isStill;
    if (deal !== this.deal) this.clear();
    if (scene !== this.#scene) {
      this.#drawn.clear();
      if (this.#scene) loaded.panels?.moveMarks(this.#scene.rects, scene.rects);
      this.#nameMiddle(scene.middle);
    }
    this.deal = deal;
    this.#scene = scene;
    setStyle(this.root, "--card", `${scene.cardWidth}px`);
    const wanted = new Map();
    const same = new Set();
    for (const [number, rect] of scene.rects) {
      const [inAir, isHeld] = [air.get(number) ?? 0, held?.pile === number];
      const look = [...board.cards[number], inAir, isHeld && held?.count, fits.has(number)].join();
      if (this.#drawn.get(number) === look) {
        same.add(number);
        continue;
      }
      this.#drawn.set(number, look);
      this.#slot(board, number, rect, isHeld, fits);
      this.#pile(wanted, board.cards[number], number, rect, inAir, held);
    }
    const spare = this.#spare(wanted, same);
    let flights = 0;
    for (const [key, { card, x, y, z, pile, rect, isAir, isHeld }] of wanted) {
      const drawn = this.cards.get(key) ?? this.#card(card, rect.isFlat, spare);
      const { node } = drawn;
      const end = { x: half(x), y: half(isHeld ? y - 8 : y) };
      /** @type {Origin | null} */
      const from = drawn.at ?? (card === UNKNOWN ? null : origin(card));
      this.cards.set(key, { ...drawn, pile, at: end });
      laid(node, rect, end);
      setStyle(node, "z-index", String(z + (isHeld ? 500 : 0)));
      setStyle(node, "transform", "none");
      setClass(node, "flat", rect.isFlat);
      setClass(node, "air", isAir);
      setClass(node, "held", isHeld);
      if (!from || (from.x === end.x && from.y === end.y) || flights++ >= MAX_FLIGHTS) continue;
      if (from.seat === undefined || !loaded.panels) {
        if (!isStill) move(node, { transform: [at(from, end), "none"] }, FLIGHT_MS);
      } else if (isStill) loaded.panels.markPile(this.root, rect, from.seat);
      else loaded.panels.fly(this.root, node, from, end, rect);
    }
    for (const { node } of [...spare.values()].flat()) node.remove();
  }

  /**
   * A card's element: one that is no longer used and looks alike, or a new one.
   * @param {number} card
   * @param {boolean} isFlat
   * @param {Map<string, Card[]>} spare
   * @returns {Card}
   */
  #card(card, isFlat, spare) {
    const face = faceOf(card, isFlat);
    const used = spare.get(face)?.pop();
    const node = used?.node ?? makeCard(card, isFlat);
    if (!used) this.root.append(node);
    else if (card !== UNKNOWN) setRank(node, card);
    return { node, face, pile: -1, at: null };
  }

  /**
   * Outline the foundations of all, and say what they are called.
   * @param {import("./geometry.js").Area | null} area
   */
  #nameMiddle(area) {
    const node = this.root.querySelector(".middle") ?? element("p", "middle");
    if (!area) return node.remove();
    setText(node, area.hasCorner ? WORDS.middle : "");
    laid(/** @type {HTMLElement} */ (node), area, area);
    if (!node.parentNode) this.root.append(node); // before the first pile
  }

  /**
   * Lift a card above all others, to follow a finger.
   * @param {number} card
   * @param {{x: number, y: number}} point
   * @param {number} z
   */
  lift(card, point, z) {
    const drawn = this.cards.get(String(card));
    const rect = drawn && this.#scene?.rects.get(drawn.pile);
    if (!drawn || !rect) return;
    const { style } = drawn.node;
    setClass(drawn.node, "drag", true);
    setStyle(drawn.node, "transform", at(point, { x: parseFloat(style.left), y: parseFloat(style.top) }));
    setStyle(drawn.node, "z-index", String(z));
    drawn.at = point;
    this.#drawn.delete(drawn.pile);
  }

  /** Return lifted cards to their piles with the next render. */
  drop() {
    for (const { node } of this.cards.values()) setClass(node, "drag", false);
  }

  /**
   * @param {Map<string, any>} wanted
   * @param {number[]} cards
   * @param {number} pile
   * @param {Rect} rect
   * @param {number} air
   * @param {import("./geometry.js").Held | null} held
   */
  #pile(wanted, cards, pile, rect, air, held) {
    const isStack = rect.up === 0 && rect.down === 0 && rect.dx === 0;
    const from = isStack ? Math.max(0, cards.length - 2) : 0;
    for (let index = from; index < cards.length; index++) {
      const card = cards[index];
      const { x, y } = cardAt(rect, cards, index);
      const isHeld = held !== null && held.pile === pile && index >= cards.length - held.count;
      wanted.set(keyOf(card, pile, index), {
        card,
        x,
        y,
        z: index + 1,
        pile,
        rect,
        isAir: index >= cards.length - air,
        isHeld,
      });
    }
  }

  /**
   * @param {Board} board
   * @param {number} number
   * @param {Rect} rect
   * @param {boolean} isHeld
   * @param {Set<number>} fits
   */
  #slot(board, number, rect, isHeld, fits) {
    const pile = board.layout.piles[number];
    let slot = this.slots.get(number);
    if (!slot) {
      slot = element("button", `slot ${pile.kind}`);
      slot.dataset.pile = String(number);
      const counter = element("span", "count");
      counter.dataset.kind = pile.kind;
      slot.append(counter);
      this.slots.set(number, slot);
      this.root.append(slot);
    }
    const cards = board.cards[number];
    const last = cards.length > 0 ? cardAt(rect, cards, cards.length - 1) : rect;
    laid(slot, { ...rect, h: Math.max(rect.h, last.y - rect.y + rect.h) }, rect);
    setClass(slot, "fits", fits.has(number));
    setClass(
      slot,
      "full",
      pile.kind === "foundation" && cards.length >= 13 * board.layout.game.packs && cards.length > 0,
    );
    setClass(slot, "flat", rect.isFlat);
    setClass(slot, "narrow", rect.w < NAMED_PX);
    setClass(slot, "awaits", rect.suit !== undefined);
    if (isNew(slot, "suit", rect.suit) && rect.suit !== undefined) {
      slot.querySelector("svg")?.remove();
      slot.append(picture(`suit-${rect.suit}`));
    }
    if (isNew(slot, "pressed", isHeld)) slot.setAttribute("aria-pressed", String(isHeld));
    if (!isNew(slot, "cards", cards.join())) return;
    slot.setAttribute("aria-label", pileLabel(board, number));
    setClass(slot, "empty", cards.length === 0);
    const count =
      ["stock", "reserve", "waste"].includes(pile.kind) && cards.length > 0
        ? String(cards.length)
        : pile.kind === "stock"
          ? "↻"
          : "";
    setText(slot.firstElementChild, count);
  }

  /**
   * Remove the cards that are no longer visible; return them by face, for reuse.
   * @param {Map<string, any>} wanted
   * @param {Set<number>} same the piles that have not changed
   */
  #spare(wanted, same) {
    /** @type {Map<string, Card[]>} */
    const spare = new Map();
    for (const [key, card] of this.cards) {
      if (same.has(card.pile)) continue;
      const want = wanted.get(key);
      if (want && (want.rect.isFlat || card.face === faceOf(want.card, false))) continue;
      this.cards.delete(key);
      spare.set(card.face, [...(spare.get(card.face) ?? []), card]);
    }
    return spare;
  }

  /**
   * Shake a pile's top card, because nothing can be played from there. On slow devices and with reduced
   * motion, mark it instead.
   * @param {Board} board
   * @param {number} number
   */
  shake(board, number) {
    const cards = board.cards[number];
    const top = this.cards.get(keyOf(cards[cards.length - 1], number, cards.length - 1));
    const node = top?.node ?? this.slots.get(number);
    if (!this.isStill && !isCalm())
      requestAnimationFrame(() =>
        move(node, { translate: ["0", "-4px", "4px", "-4px", "4px", "0"] }, SHAKE_MS),
      );
    else if (node) {
      setClass(node, "no", true);
      setTimeout(() => setClass(node, "no", false), SHAKE_MS / 2);
    }
  }

  /**
   * Highlight a pile for a moment.
   * @param {Rect | undefined} rect where it lies
   * @param {string} color
   * @param {string} [words] who was faster, and by how much
   */
  ring(rect, color, words = "") {
    if (!rect) return;
    const ring = element("i", "ring");
    this.#showBriefly(ring, color);
    laid(ring, rect, rect);
    if (!words) return;
    const note = element("p", "lost", words);
    this.#showBriefly(note, color);
    const most = this.box.width - note.offsetWidth - 4;
    note.style.left = `${Math.max(4, Math.min(most, rect.x))}px`;
    note.style.top = `${rect.y + rect.h * 0.4}px`;
  }

  /**
   * @param {HTMLElement} node
   * @param {string} color
   */
  #showBriefly(node, color) {
    node.style.setProperty("--ring", color);
    this.root.append(node);
    setTimeout(() => node.remove(), 1600);
  }
}

/**
 * The key of a card's element.
 * @param {number} card
 * @param {number} pile
 * @param {number} index
 */
const keyOf = (card, pile, index) => (card === UNKNOWN ? `${pile}:${index}` : String(card));

/**
 * @param {HTMLElement} node
 * @param {{w: number, h: number}} size
 * @param {import("./geometry.js").Point} point
 */
function laid(node, { w, h }, { x, y }) {
  setStyle(node, "left", `${half(x)}px`);
  setStyle(node, "top", `${half(y)}px`);
  setStyle(node, "width", `${w}px`);
  setStyle(node, "height", `${h}px`);
  setStyle(node, "--card", `${w}px`);
}

/** @param {number} length */
const half = (length) => Math.round(length * 2) / 2;

/**
 * The transform that shows an element at another point.
 * @param {import("./geometry.js").Point} point
 * @param {import("./geometry.js").Point} origin
 */
const at = (point, origin) => `translate(${half(point.x - origin.x)}px, ${half(point.y - origin.y)}px)`;

/**
 * A symbol of the page's SVG sprite. Copying its path is cheaper than `<use>`.
 * @param {string} name
 * @param {string} [className]
 */
function picture(name, className = "") {
  const symbol = /** @type {Element} */ (document.getElementById(name));
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", symbol.getAttribute("viewBox") ?? "");
  svg.setAttribute("aria-hidden", "true");
  if (className) svg.setAttribute("class", className);
  svg.append(...[...symbol.children].map((path) => path.cloneNode()));
  return svg;
}

/** Faces to clone. @type {Map<string, HTMLElement>} */
const faces = new Map();

/**
 * Create a card, face up or down.
 * @param {number} card
 * @param {boolean} [isFlat] only its index is shown
 * @returns {HTMLElement}
 */
export function makeCard(card, isFlat = false) {
  if (card === UNKNOWN) return element("div", "card back");
  const name = faceOf(card, isFlat);
  let face = faces.get(name);
  if (!face) faces.set(name, (face = drawFace(card, isFlat)));
  const node = /** @type {HTMLElement} */ (face.cloneNode(true));
  setRank(node, card);
  return node;
}

/**
 * A card's appearance, apart from the rank in its corner.
 * @param {number} card
 * @param {boolean} isFlat
 */
export const faceOf = (card, isFlat) =>
  card === UNKNOWN ? "" : `${suit(card)} ${isFlat} ${rank(card) === 1 || rank(card) > 10 ? rank(card) : ""}`;

/**
 * @param {HTMLElement} node
 * @param {number} card
 */
export function setRank(node, card) {
  /** @type {ChildNode} */ (node.firstChild?.firstChild).nodeValue = RANKS[rank(card) - 1];
}

/**
 * @param {number} card
 * @param {boolean} isFlat
 */
function drawFace(card, isFlat) {
  const rich = rank(card) === 1 ? " ace" : rank(card) > 10 ? " royal" : "";
  const node = element("div", `card face s${suit(card)}${rich}${isFlat ? " plain" : ""}`);
  const index = element("b", "index", " ");
  index.append(picture(`suit-${suit(card)}`));
  node.append(index);
  if (isFlat) return node;
  node.append(picture(`suit-${suit(card)}`, "pip"));
  if (rank(card) > 10) node.append(picture(`court-${rank(card)}`, "court"));
  return node;
}
