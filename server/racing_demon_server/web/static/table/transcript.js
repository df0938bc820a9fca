// What happens, in sentences: for screen readers, and for the table as text.

import { faceName, short } from "./elements.js";
import { UNKNOWN } from "../rules/layout.js";
import { REASONS, inWords, pileLabel, span } from "../words.js";

/** @import { TableState } from "../rules/state.js" */

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
    hand_over: () => (fields.reason === "out" && fields.out !== null ? `${who(fields.out)} went out.` : `${REASONS[fields.reason] ?? "The hand is over"}.`),
    match_over: () => `The match is over. ${inWords(fields.winners.map(who))} won.`,
  };
  return tells[name]?.() ?? "";
}

/**
 * A lost race, such as "6♠: Ann beat Ben by 0.2 s".
 * @param {TableState} table
 * @param {any} fields
 */
export const raceWords = (table, { card, by, seat, late_us: lateUs }) => `${short(card)}: ${table.nameOf(by)} beat ${table.nameOf(seat)} by ${span(lateUs)}`;

/**
 * The table as text: headings, and lines below each.
 * @param {TableState} table
 * @param {number} place
 * @returns {[string, string[]][]}
 */
export function sections(table, place) {
  const { board, layout } = table;
  if (!board || !layout) return [];
  const tops = layout.piles
    .filter((pile) => pile.kind === "foundation" && pile.place === -1)
    .map((pile) => board.top(pile.number))
    .filter(isKnown)
    .sort((a, b) => (a % 52) - (b % 52));
  const shared = tops.length > 0 ? tops.map(faceName) : ["empty"];
  const own = layout.own(place).map((pile) => pileLabel(board, pile.number, faceName));
  const others = table.handSeats
    .filter((_, at) => at !== place)
    .map((seat) => {
      const out = table.isPrivate ? (table.progress.get(seat) ?? 0) : board.out(table.handSeats.indexOf(seat));
      return `${table.nameOf(seat)}: ${out} ${out === 1 ? "card" : "cards"} out`;
    });
  return /** @type {[string, string[]][]} */ ([["Foundations", shared], ["Your cards", own], ["Others", others]]).filter(([, lines]) => lines.length > 0);
}

/**
 * @param {number | null} card
 * @returns {card is number}
 */
const isKnown = (card) => card !== null && card !== UNKNOWN;
