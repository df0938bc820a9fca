// What happens, in sentences.

import { short } from "./elements.js";
import { REASONS, inWords, span } from "../words.js";

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
    match_over: () => `The match is over. ${inWords(fields.winners.map(who)) || "Nobody"} won.`,
  };
  return tells[name]?.() ?? "";
}

/**
 * A lost race, such as "6♠: Ann beat Ben by 0.2 s".
 * @param {TableState} table
 * @param {any} fields
 */
export const raceWords = (table, { card, by, seat, late_us: lateUs }) => `${short(card)}: ${table.nameOf(by)} beat ${table.nameOf(seat)} by ${span(lateUs)}`;
