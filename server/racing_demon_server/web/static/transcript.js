// What happens, in sentences: for screen readers, and for the table as text.

import { faceName } from "./draw.js";
import { UNKNOWN } from "./layout.js";
import { REASONS, pileLabel } from "./words.js";

/** @import { TableState } from "./state.js" */

/**
 * An event as a sentence; empty where there is nothing to say.
 * @param {TableState} table
 * @param {string} name
 * @param {any} fields
 * @param {number | null} own
 */
export function transcript(table, name, fields, own) {
  /** @param {number} seat */
  const who = (seat) => (seat === own ? "You" : table.nameOf(seat));
  /** @type {Record<string, () => string>} */
  const tells = {
    joined: () => `${who(fields.seat)} ${fields.seat === own ? "have" : "has"} joined.`,
    left: () => `${table.nameOf(fields.seat)} has ${fields.kicked ? "been removed" : "left"}.`,
    connected: () => (fields.seat === own ? "" : `${who(fields.seat)} ${fields.connected ? "is back" : "has lost the connection"}.`),
    paused: () => "The hand is paused.",
    continued: () => "The hand goes on.",
    signalled: () => "Go!",
    hand_over: () => (fields.reason === "out" && fields.out !== null ? `${who(fields.out)} went out.` : `${REASONS[fields.reason] ?? "The hand is over"}.`),
    match_over: () => `The match is over. ${fields.winners.map(who).join(" and ")} won.`,
  };
  return tells[name]?.() ?? "";
}

/**
 * The own layout and the foundations, a line each.
 * @param {TableState} table
 * @param {number} place
 */
export function lines(table, place) {
  const { board, layout } = table;
  if (!board || !layout) return [];
  const tops = layout.piles
    .filter((pile) => pile.kind === "foundation" && pile.place === -1)
    .map((pile) => board.top(pile.number))
    .filter(isKnown);
  const shared = tops.length > 0 ? [`Foundations show ${tops.map(faceName).join(", ")}.`] : ["The foundations are empty."];
  const own = layout.own(place).map((pile) => `${pileLabel(board, pile.number, faceName)}.`);
  return [...shared, ...own];
}

/**
 * @param {number | null} card
 * @returns {card is number}
 */
const isKnown = (card) => card !== null && card !== UNKNOWN;
