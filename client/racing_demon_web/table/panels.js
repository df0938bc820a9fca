// What large screens show besides: the layouts of others as small cards, who leads, cards that fly from their player
// to their pile, and lost races where they happened.

import { asIs, element, isCalm, isNew, seatClass, setClass, setStyle, setText, token } from "../dom.js";
import { loaded, loadStyle } from "../lazy.js";
import { handText, span } from "../words.js";
import { LATER } from "../words_later.js";
import { GOALS } from "./goal_data.js";
import { SmallLayout } from "./small_layout.js";
import { cardsLeft } from "./ticker.js";

export { suitRows } from "./suit_rows.js";

/**
 * @import { Board } from "../rules/board.js"
 * @import { TableState } from "../rules/state.js"
 * @import { Origin } from "./board_view.js"
 * @import { Point, Rect } from "./geometry.js"
 */

const FLIGHT_MS = 420;
const TRAIL_MS = 200; // how long a trail fades after its card has landed
const MARK_MS = 1600; // how long it is seen who played last, or was late
const SWEEP_MS = 600; // so much longer a mark may lie there that has faded: it goes with the next picture
const BRIEF = 10; // characters of a name that has room in each panel
const SENTENCES = ["aim", "left"]; // parts that can be translated
const LEGIBLE = 0.06; // so far apart, as a share of the way, two numbers can be read

loadStyle("panels.css");

/**
 * Show another player's layout as small cards.
 * @param {HTMLElement} root
 * @param {Board} board
 * @param {number} place
 * @param {boolean} isNear whether few cards are left to play
 * @returns whether its piles may lie elsewhere than before
 */
export function drawLayout(root, board, place, isNear) {
  const layout = root.hasChildNodes() ? SmallLayout.of.get(root) : null;
  return (layout ?? new SmallLayout(root)).show(board, place, isNear);
}

/**
 * Where the piles of others lie, from which their cards fly, by pile.
 * @param {Iterable<[number, HTMLElement]>} chips by seat
 * @param {TableState} table
 * @param {DOMRect} box of the board
 */
export function pointsOf(chips, { hand, handSeats }, box) {
  /** @type {Map<number, Origin>} */
  const points = new Map();
  for (const [seat, chip] of chips) {
    const root = /** @type {Element} */ (chip.querySelector(".minis"));
    const places = SmallLayout.of.get(root)?.places() ?? [];
    const piles = hand?.layout.own(handSeats.indexOf(seat)) ?? [];
    for (const [at, { x, y, width }] of places.entries())
      if (piles[at]) points.set(piles[at].number, { x: x - box.left, y: y - box.top, seat, width });
  }
  return points;
}

/**
 * Let another player's card fly to its pile, with a trail in the player's colour; still, the pile is marked alone.
 * @param {HTMLElement} felt
 * @param {HTMLElement} node
 * @param {Origin} from
 * @param {Point} end
 * @param {Rect} rect of the pile
 */
export function fly(felt, node, from, end, rect) {
  const { seat = 0, width = rect.w } = from;
  if (isCalm()) return markPile(felt, rect, seat);
  const [dx, dy] = [from.x - end.x, from.y - end.y];
  const start = `translate(${dx}px, ${dy}px) scale(${width / rect.w})`;
  const tilt = Math.max(-9, Math.min(9, dx / 40));
  const level = node.style.zIndex;
  node.style.zIndex = "1400";
  node.animate(
    [
      { transform: start, transformOrigin: "0 0" },
      {
        transform: `translate(${dx * 0.25}px, ${dy * 0.25}px) rotate(${tilt}deg)`,
        transformOrigin: "0 0",
        offset: 0.7,
      },
      { transform: "none", transformOrigin: "0 0" },
    ],
    { duration: FLIGHT_MS, easing: "cubic-bezier(.2, .8, .2, 1)" },
  ).onfinish = () => {
    if (node.style.zIndex === "1400") node.style.zIndex = level;
    markPile(felt, rect, seat);
  };
  const trail = element("i", `trail ${seatClass(seat)}`);
  const length = Math.hypot(dx, dy);
  Object.assign(trail.style, {
    left: `${end.x + rect.w / 2}px`,
    top: `${end.y + rect.h / 2}px`,
    width: `${length}px`,
    height: `${rect.w * 0.6}px`,
  });
  const turned = `translateY(-50%) rotate(${Math.atan2(dy, dx)}rad)`;
  trail.animate(
    [
      { transform: turned, opacity: 0 },
      { transform: turned, opacity: 0.5, offset: 0.4 },
      { transform: turned, opacity: 0.4, offset: FLIGHT_MS / (FLIGHT_MS + TRAIL_MS) },
      { transform: turned, opacity: 0 },
    ],
    FLIGHT_MS + TRAIL_MS,
  ).onfinish = () => trail.remove();
  felt.append(trail);
}

/** How many races each seat has won in this match, as far as this screen has seen. @type {Map<number, number>} */
export const racesWon = new Map();

/** The mark of each pile. @type {WeakMap<Rect, HTMLElement>} */
const marks = new WeakMap();

/** Where each pile lies that was laid out elsewhere before. @type {WeakMap<Rect, Rect>} */
const moved = new WeakMap();

/**
 * Let marks stay at their piles, which are laid out anew.
 * @param {Map<number, Rect>} before
 * @param {Map<number, Rect>} after
 */
export function moveMarks(before, after) {
  for (const [pile, rect] of before) {
    const [mark, place] = [marks.get(rect), after.get(pile)];
    if (place === rect) continue;
    if (place) {
      moved.delete(place); // now it is the last
      moved.set(rect, place);
    }
    if (mark && place) putMark(mark, place);
    else mark?.remove();
  }
}

/**
 * @param {HTMLElement} mark
 * @param {Rect} rect
 */
function putMark(mark, rect) {
  marks.set(rect, mark);
  const { x, y, w, h } = rect;
  Object.assign(mark.style, { left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` });
  setStyle(mark, "--card", `${w}px`);
}

/** When each mark has faded, the first first. @type {Map<HTMLElement, number>} */
const fading = new Map();

/**
 * Outline a pile for a moment.
 * @param {HTMLElement} felt
 * @param {Rect} rect
 * @param {HTMLElement} mark
 */
function outline(felt, rect, mark) {
  let place = rect; // a card lands where its pile lies by then
  for (let next = moved.get(place); next; next = moved.get(place)) place = next;
  marks.get(place)?.remove();
  putMark(mark, place);
  felt.append(mark);
  fading.set(mark, performance.now() + MARK_MS);
  setTimeout(sweep, MARK_MS + SWEEP_MS);
}

/** Remove the marks whose time is over. Each by itself would have the page drawn for nothing else. */
function sweep() {
  for (const [mark, end] of fading) {
    if (end > performance.now()) return;
    mark.remove();
    fading.delete(mark);
  }
}

/**
 * Show for a moment who has played to a pile.
 * @param {HTMLElement} felt
 * @param {Rect} rect
 * @param {number} seat
 */
export function markPile(felt, rect, seat) {
  const mark = asIs(element("i", `fresh ${seatClass(seat)}`));
  mark.append(token(seat, names.get(seat) ?? ""));
  outline(felt, rect, mark);
}

/** The players' names, for their marks. @type {Map<number, string>} */
let names = new Map();

/**
 * Show a lost race at its pile: both colours, and by how much one was late.
 * @param {HTMLElement} felt
 * @param {Rect | undefined} rect
 * @param {TableState} table
 * @param {{by: number, seat: number, late_us: number}} lost
 */
export function flash(felt, rect, table, { by, seat, late_us: late }) {
  racesWon.set(by, (racesWon.get(by) ?? 0) + 1);
  if (!rect) return;
  const mark = asIs(element("i", "clash"));
  mark.style.setProperty("--one", `var(--seat-${(by % 8) + 1})`);
  mark.style.setProperty("--other", `var(--seat-${(seat % 8) + 1})`);
  const pill = element("b");
  pill.append(token(by, table.nameOf(by)), span(late), token(seat, table.nameOf(seat)));
  mark.append(pill);
  outline(felt, rect, mark);
}

/** The rows of suits. */
const rows = Array.from({ length: 4 }, () => element("i", "suit-row"));

/**
 * @param {HTMLElement} felt
 * @param {import("./geometry.js").Scene | null} scene
 */
function drawRows(felt, scene) {
  const places = (felt.childElementCount > 0 && scene?.rows) || [];
  for (const [suit, row] of rows.entries()) {
    const place = places[suit];
    if (!place) row.remove();
    else {
      if (isNew(row, "place", place)) {
        const { x, y, w, h } = place;
        Object.assign(row.style, { left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` });
      }
      if (row.parentElement !== felt) felt.prepend(row);
    }
  }
}

/**
 * Show who leads and how far the others are: sums in the panels, and everybody on the way to the goal.
 * @param {import("./table_screen.js").TableScreen} screen
 */
export function drawRace({ root, table, neighbors: chips, games, boardView, scene, hasMinis }) {
  sweep();
  drawRows(boardView.root, scene);
  if (!hasMinis) return;
  const points = table.points();
  const isHands = table.countsHands;
  const totals = new Map(table.totals());
  const isRunning = table.isPlaying && !isHands; // the points of the hand are not in the totals yet
  /** @type {[number, number][]} */
  const sums = [...totals].map(([seat, total]) => [seat, total + (isRunning ? (points.get(seat) ?? 0) : 0)]);
  const most = Math.max(...sums.map(([, sum]) => sum));
  names = new Map([...table.seats].map(([seat, { name }]) => [seat, name]));
  const leads = (/** @type {number} */ sum) => sum === most && sums.some(([, other]) => other < most);
  for (const [seat, sum] of sums) {
    const chip = chips.get(seat);
    if (!chip) continue;
    const isSummed = table.results.length > 0;
    setText(part(chip, "sum"), isSummed ? String(sum) : "");
    setClass(chip, "summed", isSummed);
    setClass(chip, "minus", (points.get(seat) ?? 0) < 0);
    drawLeft(part(chip, "left"), table, seat);
    setClass(chip, "bare", !chip.querySelector(".minis")?.childElementCount);
    setClass(chip, "leads", leads(sum));
    setClass(chip, "brief", [...(names.get(seat) ?? "")].length <= BRIEF);
  }
  drawTrack(root, table, sums, leads);
  drawHead(root, table, games);
}

/**
 * How near somebody is to the end, which a television says in large digits.
 * @param {HTMLElement} node
 * @param {TableState} table
 * @param {number} seat
 */
function drawLeft(node, table, seat) {
  const left = cardsLeft(table, seat);
  if (!isNew(node, "left", left)) return;
  const label = table.hand?.heap(seat) === null ? LATER.stillLeft : LATER.reserveLeft;
  node.replaceChildren(
    ...(left === null ? [] : [element("small", "", label), asIs(element("b", "", String(left)))]),
  );
}

/**
 * @param {HTMLElement} root
 * @param {string} name
 */
function part(root, name) {
  const found = [...root.children].find(({ className }) => className === name);
  if (found) return /** @type {HTMLElement} */ (found);
  const made = element("span", name);
  root.append(SENTENCES.includes(name) ? made : asIs(made));
  return made;
}

/**
 * The way to the goal, or to the most that anybody has.
 * @param {HTMLElement} root
 * @param {TableState} table
 * @param {[number, number][]} sums
 * @param {(sum: number) => boolean} leads
 */
function drawTrack(root, table, sums, leads) {
  const header = /** @type {HTMLElement} */ (root.querySelector("header"));
  let track = /** @type {HTMLElement | null} */ (header.querySelector(".track"));
  if (!track) {
    track = element("div", "track");
    track.setAttribute("aria-hidden", "true"); // panels say it in words
    header.querySelector(".status")?.after(track);
    widths.observe(track);
  }
  const { target } = table.options;
  const values = sums.map(([, sum]) => sum);
  const low = Math.floor(Math.min(0, ...values) / 10) * 10;
  const high = target ?? Math.max(20, Math.ceil(Math.max(...values) / 10) * 10);
  const at = (/** @type {number} */ value) => Math.min(1, (value - low) / (high - low));
  if (isNew(track, "scale", `${low} ${high} ${target}`)) drawScale(track, low, high, at);
  setClass(track, "has-goal", target !== null);
  again = () => drawTrack(root, table, sums, leads);
  if (wide === 0) return; // not measured yet, or not shown
  for (const [seat, run] of runs) {
    if (sums.some(([other]) => other === seat)) continue;
    run.remove();
    runs.delete(seat);
  }
  const ordered = [...sums].sort(([, one], [, other]) => one - other);
  const places = apart(
    ordered.map(([, sum]) => at(sum)),
    gap,
  );
  for (const [index, [seat, sum]] of ordered.entries()) {
    const run = runs.get(seat) ?? element("span", "run");
    runs.set(seat, run);
    const name = names.get(seat) ?? "";
    if (isNew(run, "name", name)) run.replaceChildren(token(seat, name));
    // A share of a box as wide as the way would say it, too, and move a layer of that size.
    setStyle(run, "translate", `${places[index] * wide}px 0`);
    setStyle(run, "z-index", leads(sum) ? "2" : "1");
    setClass(run, "leads", leads(sum));
    if (!run.parentElement) {
      track.append(run);
      widths.unobserve(track); // a token is measured, too
      widths.observe(track);
    }
  }
}

let wide = 0; // the way, in pixels
let again = () => {}; // draws the way as it was drawn last
let gap = 0; // how far tokens are apart at least, as a share of the way

/** Follows how wide the way is: measuring it with each play would lay out the page. */
const widths = new ResizeObserver(([{ target, contentRect }]) => {
  const drawn = target.querySelector(".token")?.getBoundingClientRect().width ?? 0;
  const before = `${wide} ${gap}`;
  wide = contentRect.width;
  gap = wide > 0 ? (1.2 * drawn) / wide : 0; // so that each token is seen by itself
  if (before !== `${wide} ${gap}`) again();
});

/**
 * Move places on a way apart until each can be read, in their order, as little as that takes: those that would
 * overlap lie side by side around the middle of theirs.
 * @param {number[]} places from 0 to 1, the lowest first
 * @param {number} least between two
 */
export function apart(places, least) {
  const step = Math.min(least, 1 / Math.max(1, places.length - 1));
  const start = ({ sum = 0, size = 1 }) => Math.max(0, Math.min(1 - (size - 1) * step, sum / size));
  /** @type {{sum: number, size: number}[]} where those side by side would begin, added up, and how many they are */
  const groups = [];
  for (const place of places) {
    let group = { sum: place, size: 1 };
    for (let before = groups.pop(); before; before = groups.pop()) {
      if (start(before) + before.size * step <= start(group)) {
        groups.push(before);
        break;
      }
      const size = before.size + group.size;
      group = { sum: before.sum + group.sum - group.size * before.size * step, size };
    }
    groups.push(group);
  }
  return groups.flatMap((group) => Array.from({ length: group.size }, (_, at) => start(group) + at * step));
}

/** The players on the way, by seat. @type {Map<number, HTMLElement>} */
const runs = new Map();

/**
 * @param {HTMLElement} track
 * @param {number} low
 * @param {number} high
 * @param {(value: number) => number} at where a value is
 */
function drawScale(track, low, high, at) {
  for (const each of track.querySelectorAll(".mark")) each.remove();
  const marks = [0, 1, 2, 3].map((quarter) => (high / 4) * quarter).filter(Number.isInteger);
  for (const mark of at(0) > LEGIBLE ? [low, ...marks] : marks) {
    const node = asIs(element("span", "mark", String(mark)));
    node.style.left = `${at(mark) * 100}%`;
    track.append(node);
  }
  track.append(asIs(element("span", "mark goal", String(high))));
}

/**
 * What is played, and what it is about, beside the clock of a television.
 * @param {HTMLElement} root
 * @param {TableState} table
 * @param {Record<string, any>} games
 */
function drawHead(root, table, games) {
  const header = /** @type {HTMLElement} */ (root.querySelector("header"));
  const { options, handNumber, lastHand, seats } = table;
  if (!loaded.terms) return;
  const isOther = isNew(header, "options", options);
  if (!isNew(header, "hand", `${handNumber} ${lastHand} ${seats.size}`) && !isOther) return;
  const { nameText, terms } = loaded.terms;
  setText(part(header, "played"), `${nameText(options, games)} · ${handText(handNumber, options, lastHand)}`);
  setText(part(header, "aim"), GOALS[options.game] ?? "");
  setText(part(header, "told"), terms(options, games, seats.size).join(" · "));
}
