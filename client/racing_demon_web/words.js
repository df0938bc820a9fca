// The page's texts until the first card, except those of games and options, and the server's own messages.

import { rank, suit, UNKNOWN } from "./rules/layout.js";
import { CLOSE, MAX_HANDS, PHRASES, TEAM_LETTERS } from "./wire/protocol.js";

/**
 * @import { Seat, TableState } from "./rules/state.js"
 * @import { EndReason, Reason } from "./wire/protocol.js"
 */

export const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
/** @type {Record<number, string>} */
export const COURTS = { 1: "ace", 11: "jack", 12: "queen", 13: "king" };
export const SUITS = ["spades", "hearts", "clubs", "diamonds"];

/** Why a hand ended. @satisfies {Record<EndReason | "too_long", string>} */
const REASONS = {
  out: "went out",
  dead: "Nobody can play any more",
  stuck: "Everybody is stuck",
  time_up: "Time is up",
  too_long: "No hand may have more plays",
  abandoned: "Everybody has left the hand",
  closed: "The match was ended",
};

/** @param {string} reason */
export const endText = (reason) => /** @type {Record<string, string>} */ (REASONS)[reason] ?? reason;

/**
 * Refusals of an entry as players read them, and by `words_later` all others; else the server's text is shown.
 * @satisfies {Partial<Record<Reason, string>>}
 */
export const REFUSALS = {
  not_started: "Wait for the signal.",
  hand_over: "The hand is over.",
  paused: "The table is paused.",
  unknown_table: "No table has this code. Check it, or open a new table.",
  table_full: "All seats are taken. You can watch instead.",
  bad_passphrase: "That is not the table's passphrase.",
  no_spectators: "This table does not allow spectators.",
  banned: "The host has kicked you from this table.",
  bad_name: "Enter a name with at least one visible character.",
  bad_token: "Your seat at this table is gone.",
  beaten: "Another player was faster.",
  server_full: "The server has no room for more tables. Try again later.",
};

/**
 * The text of a refusal.
 * @param {{reason: string, text: string}} refused
 */
export const refusalText = ({ reason, text }) =>
  /** @type {Record<string, string>} */ (REFUSALS)[reason] ?? text;

/** Why the server closed the connection, by close code. @type {Record<number, string>} */
export const CLOSES = {
  [CLOSE.taken_over]: "You are now playing in another tab or on another device. To play here, join again.",
  [CLOSE.version]: "This page is too old for the server. Reload it.",
  [CLOSE.flood]: "This page sent too much, and the server closed the connection. Reload it.",
  [CLOSE.full]: "The server is full. Try again later.",
};

/** Texts of the page and its dialogs. `index.html` refers to the static ones. */
export const WORDS = {
  title: "Racing Demon",

  // The first screen.
  lead: "Patience for two to eight, all at once. The fastest card counts.",
  yourName: "Your name",
  table: "Table",
  passphrase: "Passphrase",
  byCode: "Join with a code",
  join: "Sit down",
  watch: "Watch",
  bigScreen: "Big screen",
  learn: "New here? One‑minute lesson",
  playNow: "Play now against bots",
  newTable: "Open a table",
  howToPlay: "How to play",
  results: "Results",
  openTables: "Tables that want players",
  enterName: "Enter your name first.",
  enterCode: "Enter the table's code. The host sees it in the lobby.",
  isFramed: "You can only watch here. Open the table in a tab of its own to play.",

  // Connections and files.
  connecting: "Connecting…",
  connectionLost: "Connection lost. Trying again…",
  noAnswer: "No answer yet. Trying again… The host may have ended the table, or have a new link for you.",
  connectionClosed: "The connection was closed.",
  otherVersion: "Reload the page: this server speaks another version.",
  notFound: "The server does not find this table. Try again later.",
  moved: "Another server has this table. Ask the host for its address.",
  tryAgain: "Try again",
  notLoaded: "Not loaded",
  partMissing: "This could not be loaded: the server or the network did not answer.",
  pageMissing: "The table could not be loaded: the server or the network did not answer as it should.",

  // Between hands.
  tableOf: (/** @type {string} */ name) => `${name}’s table`,
  scan: "Scan to play",
  free: (/** @type {number} */ count) => `${count} ${count === 1 ? "seat" : "seats"} free`,
  isFree: "free",
  notYet: "not yet",
  isReadyNow: "ready",
  say: "Say",
  sayToTable: "Say something to the table",
  invite: "Invite somebody",
  players: "Players",
  chat: "Chat",
  botLevel: "Level of the bot",
  bot: (/** @type {string} */ level) => `${level} bot`,
  addBot: "Add a bot",
  changeRules: "Change the rules",
  allRules: "All rules",
  hideRules: "Done",
  ready: "I’m ready",
  isReady: "Ready ✓",
  nextHand: "Next hand",
  deal: "Deal",
  dealNow: "Deal anyway",
  rematch: "Rematch",
  nextDeal(/** @type {number} */ seconds) {
    const left = seconds < 60 ? `${seconds} s` : clock(seconds * 1000);
    return `Next deal in ${left}`;
  },
  locked: "Locked: nobody new can take a seat",
  watching: (/** @type {number} */ count) => `${count} watching`,
  left: "left",
  removed: "removed",
  teams: "Teams",
  unban: "Let back in",
  manage: (/** @type {string} */ name) => `What to do about ${name}`,
  rank: "#",
  player: "Player",
  hand: "This hand",
  total: "Total",
  handsWon: "Hands",
  yourHand: "Your hand",
  watchAgain: "Watch the match again",
  toStart: "To the first screen",

  // The table.
  otherPlayers: "Other players",
  happened: "What happened",
  middle: "The middle",
  stuck: "I’m stuck",
  shift: "Shift",
  shifted: "The stock's top card is at its bottom now.",
  shiftHelps: "Nothing else helps: Shift puts the stock's top card to its bottom.",
  hint: "Hint",
  play: "Play",
  command: "Command, such as 3 up, w 4, or t",
  go: "Go!",
  paused: "Paused",
  isPaused: "paused",
  isShuffling: "shuffling",
  isDealing: "Dealing…",
  diskWaits: "the server waits for its disk",
  slow: "slow connection",
  startsIn: (/** @type {number} */ seconds) => `starts in ${seconds}`,
  waits: "waits",
  fromNextDeal: "You play from the next deal.",
  noHints: "This table plays without hints. The host can allow them in the options.",
  faster: (/** @type {string} */ name, /** @type {number} */ microseconds) =>
    `${name} was ${span(microseconds)} faster`,
  pickedUp: (/** @type {string} */ card) => `Picked up ${card}. Choose where it goes, or press Escape.`,
  pointsLater: "points at the end",

  // The menu, and what it leads to.
  menu: "Menu",
  close: "Close",
  cancel: "Cancel",
  leave: "Leave the table",
  leaveTitle: "Leave the table?",
  leaveText: "You give up your seat for good.",
  leaveBack: "Until the match ends you can come back.",

  // Results.
  uncheckedUnseen: "The shuffle was not checked: this page did not see the whole hand.",
  uncheckedMissing: "The shuffle was not checked: a part of this page could not be loaded.",
};

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
 * The name of a card, such as "7 of hearts".
 * @param {number} card
 */
export function faceName(card) {
  if (card === UNKNOWN) return "a card face down";
  const court = COURTS[rank(card)];
  return `${court ?? rank(card)} of ${SUITS[suit(card)]}`;
}

/**
 * The short name of a card, such as "7♥".
 * @param {number} card
 */
export function short(card) {
  return card === UNKNOWN ? "▮" : RANKS[rank(card) - 1] + "♠♥♣♦"[suit(card)];
}

/**
 * The label of a pile for screen readers: "Column 3: 9 of hearts down to 6 of clubs, 2 hidden".
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
 * A time span, such as "12 ms" or "0.3 s"; never zero.
 * @param {number} microseconds
 */
export function span(microseconds) {
  const ms = Math.round(microseconds / 1000);
  return ms < 1 ? "less than 1 ms" : ms < 100 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/**
 * An enumeration, such as "Ann, Ben and Cat".
 * @param {string[]} names
 */
export const inWords = (names) =>
  [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ");

/**
 * The names of seats, to begin a sentence. The reader comes first, as "You".
 * @param {import("./rules/state.js").TableState} table
 * @param {number[]} seats
 * @param {number | null} own
 */
export const namesOf = (table, seats, own) => [
  ...seats.filter((seat) => seat === own).map(() => "You"),
  ...seats.filter((seat) => seat !== own).map((seat) => table.nameOf(seat)),
];

/** @param {number} team */
export const teamText = (team) => `Team ${TEAM_LETTERS[team]}`;

/**
 * Who has won: teams, or players by their names.
 * @param {import("./rules/state.js").TableState} table
 * @param {number[]} winners
 * @param {number | null} own
 */
export function sidesOf(table, winners, own) {
  const last = table.results[table.results.length - 1];
  const teams = winners.map((seat) => last?.teams[last.seats.indexOf(seat)]);
  const sides = [...new Set(teams)].filter((team) => team !== undefined);
  return sides.length > 0 ? sides.map(teamText) : namesOf(table, winners, own);
}

/**
 * A place and its ending: "3", "rd".
 * @param {number} place
 */
export const ordinal = (place) => [`${place}`, { 1: "st", 2: "nd", 3: "rd" }[place] ?? "th"];

/**
 * The player's points in this hand, and the rank unless all have as many: "you 12, 3rd of 6".
 * @param {import("./rules/state.js").TableState} table
 * @param {number} seat
 */
export function standing(table, seat) {
  const points = table.points();
  const own = points.get(seat);
  if (own === undefined) return table.handSeats.includes(seat) && table.isPlaying ? WORDS.pointsLater : "";
  const place = table.rankOf(seat, points);
  const isOpen = table.hand?.isPrivate || new Set(points.values()).size > 1; // else nobody leads
  const rank = isOpen ? `, ${ordinal(place).join("")} of ${points.size}` : "";
  return `you ${own}${rank}`;
}

/**
 * Minutes and seconds, such as "1:42".
 * @param {number} milliseconds
 */
export function clock(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * A phrase with its gaps filled.
 * @param {string} phrase
 * @param {(string | number)[]} values
 */
export const filled = (phrase, ...values) => phrase.replace(/\{\}/g, () => String(values.shift()));

/**
 * How long a match is: "first to 100", "one hand" or "5 hands".
 * @param {Record<string, any>} options
 */
export function lengthText({ target, hands, match_score: score }) {
  if (target === null) return hands === 1 ? PHRASES.one : filled(PHRASES.hands, hands);
  const goal = filled(score === "hands" ? PHRASES.won : PHRASES.points, target);
  return hands === MAX_HANDS ? goal : filled(PHRASES.within, goal, hands);
}

/**
 * Which hand of a match this is: "hand 3 · first to 100", "hand 3 of 5" or "one hand".
 * @param {number} hand
 * @param {Record<string, any>} options
 * @param {number} [last] the number of the hand that the host has made the last
 */
export const handText = (hand, options, last = 0) =>
  last && last <= hand
    ? `${filled(PHRASES.hand, hand)} · ${PHRASES.last}`
    : options.target !== null && options.hands === MAX_HANDS
      ? `${filled(PHRASES.hand, hand)} · ${lengthText(options)}`
      : options.hands === 1
        ? PHRASES.one
        : filled(PHRASES.of, hand, options.hands);

/**
 * A lost race, such as "6♠: Ann beat Ben by 0.2 s".
 * @param {import("./rules/state.js").TableState} table
 * @param {any} fields
 */
export const raceWords = (table, { card, by, seat, late_us: lateUs }) =>
  `${short(card)}: ${table.nameOf(by)} beat ${table.nameOf(seat)} by ${span(lateUs)}`;

/**
 * The headline between hands: who went out, or won.
 * @param {TableState} table
 * @param {number | null} seat
 */
export function headline(table, seat) {
  if (table.phase === "shuffling") return "Shuffling…";
  if (table.phase === "tally") {
    const { reason, out } = table.results[table.results.length - 1];
    if (reason === "out" && out !== null) return `${out === seat ? "You" : table.nameOf(out)} went out!`;
    return `${endText(reason)}.`;
  }
  if (table.phase === "over") {
    const names = sidesOf(table, table.winners, seat);
    if (names.length === 0 || table.totals().length === 1) return "The match is over"; // alone nobody is beaten
    return names.length === 1 && names[0] === "You"
      ? "You won the match!"
      : `${inWords(names)} won the match`;
  }
  return "Waiting for players";
}

/**
 * Whether somebody waits for nothing but the deal; a bot always does.
 * @param {Seat} state
 */
export const isReady = ({ bot, ready }) => Boolean(bot) || ready;

/**
 * The state of a player, such as "host, ready".
 * @param {TableState} table
 * @param {Seat} state
 * @param {number | null} own
 */
export function seatState(table, state, own) {
  const words = [];
  if (state.seat === own) words.push("you");
  if (state.seat === table.host) words.push("host");
  if (state.program) words.push("program");
  if (state.bot) words.push(`${state.bot} bot`);
  else if (state.left) words.push("left");
  else if (!state.connected) words.push(state.standIn ? `${state.standIn} bot plays` : "connection lost");
  if (state.muted) words.push("muted");
  if (state.team !== null && table.results.length === 0) words.push(`team ${TEAM_LETTERS[state.team]}`);
  return words.join(", ");
}

/**
 * A seat's state in a word, for its chip.
 * @param {import("./rules/state.js").Seat} state
 */
export function chipState({ left, connected, standIn, stuck, bot }) {
  if (left) return "left";
  if (!connected && !standIn) return "away";
  if (stuck) return "stuck";
  return bot ? "bot" : "";
}
