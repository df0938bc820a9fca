// Every word that a player reads, except the names of games and the server's own messages.

import { rank, suit, UNKNOWN } from "./rules/layout.js";

/** @import { TableState } from "./rules/state.js" */

export const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
/** @type {Record<number, string>} */
export const COURTS = { 1: "ace", 11: "jack", 12: "queen", 13: "king" };
export const SUITS = ["spades", "hearts", "clubs", "diamonds"];

/** @type {Record<string, string>} */
export const REACTIONS = {
  well_played: "Well played!",
  thanks: "Thanks!",
  oh_no: "Oh no!",
  laugh: "Ha ha!",
  hurry: "Hurry up!",
  sorry: "Sorry!",
};

/** @type {Record<string, string>} */
export const REASONS = {
  out: "went out",
  dead: "Nobody can play any more",
  stuck: "Everybody is stuck",
  time_up: "Time is up",
  too_long: "No hand may have more plays",
  abandoned: "Everybody has left the hand",
  closed: "The table was closed",
};

/**
 * What a refusal means to a player; any other is shown in the server's words.
 * @type {Record<string, string>}
 */
export const REFUSALS = {
  illegal: "That card does not go there.",
  not_started: "Wait for the signal.",
  hand_over: "The hand is over.",
  not_your_pile: "That pile belongs to another player.",
  too_fast: "Too many commands. Wait a second.",
  paused: "The table is paused.",
  unknown_table: "No table has this code. Check it, or open a new table.",
  table_full: "All seats are taken. You can watch instead.",
  bad_passphrase: "That is not the table's passphrase.",
  no_spectators: "This table does not allow spectators.",
  banned: "The host has kicked you from this table.",
  muted: "The host has muted you.",
  bad_name: "Enter a name with at least one visible character.",
  bad_token: "Your seat at this table is gone.",
  beaten: "Another player was faster.",
  not_seated: "You are watching. Only players may do that.",
  not_host: "Only the host may do that.",
  not_now: "Not now.",
  bad_option: "This game cannot be played that way.",
  halted: "The server cannot write to its disk. Play resumes automatically.",
  server_full: "The server has no room for more tables. Try again later.",
};

/**
 * Why the server has closed the connection, by the code that it has sent.
 * @type {Record<number, string>}
 */
export const CLOSES = {
  4001: "You are now playing in another tab or on another device. To play here, join again.",
  4002: "This page is too old for the server. Reload it.",
  4004: "This page sent too much, and the server closed the connection. Reload it.",
  4005: "The server is full. Try again later.",
  4007: "The host has kicked you from the table.",
};

export const ONLY_HERE =
  "Other devices cannot reach this table at this page's address. Open the page at the server's address on your network.";

export const LEVELS = ["easy", "medium", "hard", "expert"];

/** @type {Record<string, string>} */
const KINDS = {
  stock: "Stock",
  waste: "Waste",
  reserve: "Reserve",
  tableau: "Column",
  foundation: "Foundation",
  cell: "Cell",
};

/**
 * A card's face in words, such as "7 of hearts".
 * @param {number} card
 */
export function faceName(card) {
  if (card === UNKNOWN) return "a card face down";
  const court = COURTS[rank(card)];
  return `${court ?? rank(card)} of ${SUITS[suit(card)]}`;
}

/**
 * A card's face in two signs.
 * @param {number} card
 */
export function short(card) {
  return card === UNKNOWN ? "▮" : RANKS[rank(card) - 1] + "♠♥♣♦"[suit(card)];
}

/**
 * A pile in words, for screen readers: "Column 3: 9 of hearts down to 6 of clubs, 2 hidden".
 * @param {import("./rules/board.js").Board} board
 * @param {number} number
 */
export function pileLabel(board, number) {
  const pile = board.layout.piles[number];
  const cards = board.cards[number];
  const twins = board.layout.piles.filter(
    (other) => other.group === pile.group && other.place === pile.place,
  );
  const kind = KINDS[pile.kind] ?? "Pile";
  const name = twins.length > 1 ? `${kind} ${pile.index + 1}` : kind;
  if (cards.length === 0) return `${name}: empty`;
  const open = cards.filter((card) => card !== UNKNOWN);
  const hidden = cards.length - open.length;
  const covered = hidden > 0 ? `, ${hidden} hidden` : "";
  if (open.length === 0) return `${name}: ${cards.length} face down`;
  const top = faceName(cards[cards.length - 1]);
  if (pile.kind === "tableau" && open.length > 1)
    return `${name}: ${faceName(open[0])} down to ${top}${covered}`;
  return `${name}: ${top}${pile.kind === "foundation" ? "" : covered}`;
}

/**
 * A time span, such as "12 ms" or "0.3 s".
 * @param {number} microseconds
 */
export function span(microseconds) {
  const ms = Math.round(microseconds / 1000);
  return ms < 100 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/**
 * Names in a row, such as "Ann, Ben and Cat".
 * @param {string[]} names
 */
export const inWords = (names) =>
  [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ");

/**
 * The names of seats, for the beginning of a sentence: who reads it comes first, as "You".
 * @param {import("./rules/state.js").TableState} table
 * @param {number[]} seats
 * @param {number | null} own
 */
export const namesOf = (table, seats, own) => [
  ...seats.filter((seat) => seat === own).map(() => "You"),
  ...seats.filter((seat) => seat !== own).map((seat) => table.nameOf(seat)),
];

/**
 * A number of things, such as "1 card" or "3 cards".
 * @param {number} count
 * @param {string} thing
 */
export const plural = (count, thing) => `${count} ${thing}${count === 1 ? "" : "s"}`;

/**
 * The own points in this hand, and the place: "you 12, 3rd of 6".
 * @param {import("./rules/state.js").TableState} table
 * @param {number} seat
 */
export function standing(table, seat) {
  const points = table.points();
  const own = points.get(seat);
  if (own === undefined) return "";
  const place = table.rankOf(seat);
  const ordinal = { 1: "1st", 2: "2nd", 3: "3rd" }[place] ?? `${place}th`;
  return `you ${own}${points.size > 1 ? `, ${ordinal} of ${points.size}` : ""}`;
}

/** @param {number} points */
export const signed = (points) => (points > 0 ? `+${points}` : String(points));

/**
 * Minutes and seconds, such as "1:42".
 * @param {number} milliseconds
 */
export function clock(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * The events that are announced, as sentences. Where one is empty there is nothing to say.
 * @type {Record<string, (fields: any, told: {table: TableState, own: number | null, who: (seat: number) => string}) => string>}
 */
const SENTENCES = {
  joined: ({ seat }, { who, own }) => `${who(seat)} ${seat === own ? "have" : "has"} joined.`,
  left: ({ seat, kicked }, { table }) => `${table.nameOf(seat)} has ${kicked ? "been removed" : "left"}.`,
  connected: ({ seat, connected }, { who, own }) =>
    seat === own ? "" : `${who(seat)} ${connected ? "is back" : "has lost the connection"}.`,
  paused: () => "The hand is paused.",
  continued: () => "The hand goes on.",
  hand_over: ({ reason, out }, { who }) =>
    reason === "out" && out !== null ? `${who(out)} went out.` : `${REASONS[reason] ?? "The hand is over"}.`,
  match_over: ({ winners }, { table, own }) =>
    `The match is over. ${inWords(namesOf(table, winners, own)) || "Nobody"} won.`,
};

/**
 * An event as a sentence; empty where there is nothing to say.
 * @param {TableState} table
 * @param {string} name
 * @param {any} fields
 * @param {number | null} own
 */
export function eventSentence(table, name, fields, own) {
  const who = (/** @type {number} */ seat) => (seat === own ? "You" : table.nameOf(seat));
  return SENTENCES[name]?.(fields, { table, own, who }) ?? "";
}

/**
 * A lost race, such as "6♠: Ann beat Ben by 0.2 s".
 * @param {import("./rules/state.js").TableState} table
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
 * @param {import("./rules/rules.js").Play | null | undefined} play null: none helps; undefined: nobody knows
 * @param {import("./rules/board.js").Board} board
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
