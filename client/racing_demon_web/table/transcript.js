// What happens, in sentences.

import { inWords, namesOf, plural, REASONS, span } from "../words.js";
import { short } from "./elements.js";

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
    connected: () =>
      fields.seat === own
        ? ""
        : `${who(fields.seat)} ${fields.connected ? "is back" : "has lost the connection"}.`,
    paused: () => "The hand is paused.",
    continued: () => "The hand goes on.",
    hand_over: () =>
      fields.reason === "out" && fields.out !== null
        ? `${who(fields.out)} went out.`
        : `${REASONS[fields.reason] ?? "The hand is over"}.`,
    match_over: () => `The match is over. ${inWords(namesOf(table, fields.winners, own)) || "Nobody"} won.`,
  };
  return tells[name]?.() ?? "";
}

/**
 * A lost race, such as "6♠: Ann beat Ben by 0.2 s".
 * @param {TableState} table
 * @param {any} fields
 */
export const raceWords = (table, { card, by, seat, late_us: lateUs }) =>
  `${short(card)}: ${table.nameOf(by)} beat ${table.nameOf(seat)} by ${span(lateUs)}`;

/** @param {string[]} names those who did not reveal their part */
export const voidWords = (names) =>
  `A part of the shuffle is missing. ${inWords(names)} ${names.length === 1 && names[0] !== "You" ? "sits" : "sit"} this hand out, and it is drawn anew.`;

/**
 * The result of checking a hand.
 * @param {{contributions: number, cards: number, drawn: number[], free: number[]}} proved
 * @param {boolean} isOwn
 * @param {(seat: number) => string} nameOf
 */
export function proofWords({ contributions, cards, drawn, free }, isOwn, nameOf) {
  const others =
    contributions === 1 ? "Of all players only you" : `You and ${plural(contributions - 1, "other")}`;
  const who =
    contributions === 0
      ? "No player took part in this shuffle"
      : `${isOwn ? others : plural(contributions, "player")} took part in this shuffle`;
  const without = [...new Set([...drawn, ...free])].map(nameOf);
  const what =
    drawn.length > 0
      ? `The hand was drawn anew without ${inWords(without)}, whose part did not come`
      : `The part of ${inWords(without)} did not come`;
  const choice =
    without.length > 0
      ? ` ${what}: whoever works with them and the server could choose between ${drawn.length + 2 ** free.length} deals.`
      : "";
  return `${who}. Your browser has dealt the hand again: all ${cards} cards match the shuffle.${choice}`;
}

/**
 * A hint, such as "Q♣ up".
 * @param {import("../rules/rules.js").Play | null | undefined} play null: none helps; undefined: nobody knows
 * @param {import("../rules/board.js").Board} board
 */
export function hintWords(play, { cards, layout }) {
  if (play === undefined) return "This page finds no hints in this game.";
  if (play === null) return "Nothing helps: you are stuck.";
  const [from, to] = [layout.piles[play.source], layout.piles[play.destination]];
  if (from.kind === "stock" || to?.kind === "stock") return "Turn the stock.";
  const source = cards[play.source];
  const target = cards[play.destination] ?? [];
  const card = short(source[source.length - play.count]);
  if (!to || to.kind === "foundation") return `${card} up`;
  return target.length > 0 ? `${card} to ${short(target[target.length - 1])}` : `${card} to the empty place`;
}
