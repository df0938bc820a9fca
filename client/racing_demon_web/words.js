// Every word that a player reads, except the names of games and the server's own messages.

import { UNKNOWN } from "./rules/layout.js";

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
 * A pile in words, for screen readers: "Column 3: 9 of hearts down to 6 of clubs, 2 hidden".
 * @param {import("./rules/board.js").Board} board
 * @param {number} number
 * @param {(card: number) => string} faceName
 */
export function pileLabel(board, number, faceName) {
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
  const place = table.placeOf(seat);
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
