// The table as text, and typed commands, for screen readers and those who prefer it.

import { element } from "../dom.js";
import { FOUNDATIONS, UNKNOWN } from "../rules/layout.js";
import { faceName, pileLabel, standing } from "../words.js";
import { AT_TABLE, LATER } from "../words_later.js";

/**
 * @import { TableState } from "../rules/state.js"
 * @import { MoveInput } from "./move_input.js"
 */

/**
 * @param {HTMLElement} root
 * @param {TableState} table
 * @param {number} place
 */
export function drawText(root, table, place) {
  const parts = sections(table, place);
  const whole = JSON.stringify(parts);
  if (whole === root.dataset.drawn) return;
  root.dataset.drawn = whole;
  root.replaceChildren(
    ...parts.flatMap(([title, lines]) => {
      const list = element("ul");
      list.append(...lines.map((line) => element("li", "", line)));
      return [element("h2", "", title), list];
    }),
  );
}

/**
 * The table as text: headings, and lines below each.
 * @param {TableState} table
 * @param {number} place
 * @returns {[string, string[]][]}
 */
function sections(table, place) {
  if (!table.hand) return [];
  const { hand } = table;
  const { board, layout } = hand;
  const tops = layout.piles
    .filter((pile) => pile.kind === "foundation" && pile.place === -1)
    .map((pile) => board.top(pile.number))
    .filter(isKnown)
    .sort((a, b) => (a % 52) - (b % 52));
  const shared = tops.length > 0 ? tops.map(faceName) : [LATER.empty];
  const own = layout.own(place).map((pile) => pileLabel(board, pile.number));
  const points = table.points();
  const scores = [...points].map(([seat, sum], at) => {
    if (at === place) return standing(table, seat);
    const heap = hand.heap(seat);
    const rest = heap === null ? "" : `, ${LATER.inHeap(heap)}`;
    return `${table.nameOf(seat)} ${sum}${rest}`;
  });
  return /** @type {[string, string[]][]} */ ([
    [LATER.foundations, shared],
    [LATER.yourCards, own],
    [LATER.points, scores],
  ]).filter(([, lines]) => lines.length > 0);
}

/**
 * @param {number | null} card
 * @returns {card is number}
 */
const isKnown = (card) => card !== null && card !== UNKNOWN;

/**
 * Execute a typed line: "3" plays column 3, "3 up", "3 5", "w", "w up", "w 4", "r", "t" turns, "v" is stuck, "n" shifts the stock.
 * @param {MoveInput} moveInput
 * @param {string} line
 * @returns {string} an error message; empty if the line was valid
 */
export function obey(moveInput, line) {
  const [first = "", second = ""] = line
    .trim()
    .toLowerCase()
    .split(/[\s,]+/);
  if (!moveInput.shown || moveInput.place < 0) return AT_TABLE.not_seated;
  if (first === "t") moveInput.turn(pileOf(moveInput, "s"));
  else if (first === "v") moveInput.stuck();
  else if (first === "n") moveInput.shift();
  else {
    const [from, to] = [pileOf(moveInput, first), pileOf(moveInput, second)];
    if (from === undefined || (second !== "" && second !== "up" && to === undefined)) return LATER.lineHelp;
    if (second === "up") moveInput.send({ source: from, count: 1, destination: FOUNDATIONS }, "up");
    else if (to !== undefined) moveInput.aim({ pile: from, count: 1 }, to);
    else moveInput.tap({ pile: from, count: 1 });
  }
  return "";
}

/**
 * @param {MoveInput} moveInput
 * @param {string} name of a pile: a column's number, w, r, s or c with a number
 */
function pileOf(moveInput, name) {
  /** @type {Record<string, string>} */
  const kinds = { w: "waste", r: "reserve", s: "stock", c: "cell" };
  const { layout } = /** @type {import("../rules/board.js").Board} */ (moveInput.shown);
  const kind = kinds[name[0]] ?? "tableau";
  const number = Number(name.replace(/^[a-z]/, "") || "1");
  return name === ""
    ? undefined
    : layout.piles.filter((pile) => pile.kind === kind && moveInput.owns(pile.number))[number - 1]?.number;
}
