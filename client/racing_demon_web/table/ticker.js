// What the big screen and the overlay say of a hand while it is played: what matters most, and not too often.

import { rank } from "../rules/layout.js";
import { raceWords } from "../words.js";
import { TICKER } from "../words_later.js";

/** @import { TableState } from "../rules/state.js" */
/** @import { Session } from "../wire/session.js" */

const PACE_MS = 2000; // one line in that time, at most
const STALE_MS = 4000; // nobody is told later what was news then
const LEAD_MS = 10_000; // the lead is told again only after that: it may change with every card
const NEARLY = 3; // so many cards are nearly none
const LEAST_LEAD = 5; // points: before that, everybody leads at times
const CLOSE_US = 100_000;
const KING = 13;

/** @typedef {{text: string, priority: number}} Line */

/**
 * What an event may be worth saying. Each rule sees the table after it.
 * @type {((told: Told, table: TableState, name: string, fields: any, now: number) => Line | null)[]}
 */
const RULES = [
  (told, table, name, { seat }) => {
    const left = name === "played" ? cardsLeft(table, seat) : null;
    const before = told.left.get(seat) ?? Infinity;
    if (left === null) return null;
    told.left.set(seat, left);
    return left > 0 && left <= NEARLY && left < before
      ? { text: TICKER.needs(table.nameOf(seat), left), priority: 5 }
      : null;
  },
  (told, table, name, { destination }) => {
    const { board, layout } = /** @type {import("../rules/state.js").HandView} */ (table.hand);
    const card = name === "played" && isUp(table, destination) ? (board.top(destination) ?? -1) : -1;
    if (card < 0 || rank(card) !== KING) return null;
    const place = Math.floor(card / (52 * layout.game.packs));
    const kings = (told.kings.get(place) ?? 0) + 1;
    told.kings.set(place, kings);
    return kings === 4 * layout.game.packs
      ? { text: TICKER.lastKing(table.nameOf(layout.seats[place])), priority: 4 }
      : null;
  },
  (told, table, name, { destination }, now) => {
    if (name !== "played" || !isUp(table, destination)) return null;
    const [[leader, most], [, second]] = [...table.points(), [-1, -Infinity]].sort(([, a], [, b]) => b - a);
    if (leader === told.leader || most === second || most < LEAST_LEAD) return null;
    const isFirst = told.leader < 0;
    told.leader = leader;
    if (isFirst || now - told.leadAt < LEAD_MS) return null;
    told.leadAt = now;
    return { text: TICKER.leads(table.nameOf(leader)), priority: 3 };
  },
  (_, table, name, fields) =>
    name === "race_lost"
      ? { text: raceWords(table, fields), priority: fields.late_us < CLOSE_US ? 2 : 1 }
      : null,
];

/**
 * @param {TableState} table
 * @param {number} destination
 */
const isUp = ({ hand }, destination) => hand?.layout.piles[destination]?.kind === "foundation";

/**
 * How many cards somebody has still to play; null where that is not told.
 * @param {TableState} table
 * @param {number} seat
 */
export function cardsLeft({ hand }, seat) {
  const place = hand?.seats.indexOf(seat) ?? -1;
  if (!hand || hand.isPrivate || place < 0) return null;
  const heap = hand.heap(seat);
  if (heap !== null) return heap;
  const { game } = hand.layout;
  return game.counted === undefined
    ? game.packs * 4 * game.ranks.length - hand.board.onFoundations(place)
    : null;
}

/** What was told of a hand. */
class Told {
  /** @type {Map<number, number>} */
  left = new Map();
  /** @type {Map<number, number>} */
  kings = new Map();
  leader = -1;
  leadAt = -Infinity;
}

/** Says what matters most of what happens, one line at a time. */
export class Ticker {
  #told = new Told();
  #saidAt = -Infinity;
  /** @type {(Line & {at: number}) | null} */
  #next = null;
  #timer = 0;

  /**
   * @param {(text: string) => void} say
   * @param {() => number} [clock] milliseconds
   * @param {(after: () => void, ms: number) => number} [later]
   */
  constructor(say, clock = () => performance.now(), later = (after, ms) => Number(setTimeout(after, ms))) {
    this.say = say;
    this.clock = clock;
    this.later = later;
  }

  /**
   * Follow an event.
   * @param {TableState} table after it
   * @param {string} name
   * @param {any} fields
   */
  follow(table, name, fields) {
    if (name === "dealt" || name === "snapshot" || name === "hand_over") {
      this.#told = new Told();
      this.#next = null;
    }
    if (!table.hand || !table.isPlaying) return;
    const now = this.clock();
    for (const rule of RULES) {
      const line = rule(this.#told, table, name, fields, now);
      if (line && line.priority >= (this.#next?.priority ?? 0)) this.#next = { ...line, at: now };
    }
    this.#tell();
  }

  /** Say what is next, as soon as it may be said. */
  #tell() {
    if (!this.#next || this.#timer) return;
    const now = this.clock();
    const wait = this.#saidAt + PACE_MS - now;
    if (wait > 0) {
      this.#timer = this.later(() => {
        this.#timer = 0;
        this.#tell();
      }, wait);
      return;
    }
    const { text, at } = this.#next;
    this.#next = null;
    if (now - at > STALE_MS) return;
    this.#saidAt = now;
    this.say(text);
  }
}

const CHANGES_HOSTS = ["joined", "returned", "hosted", "caught_up"];

/**
 * Leave a table that a big screen has opened to whoever is there, as nobody deals there otherwise.
 * @param {Pick<Session, "seat" | "token" | "table" | "command">} session
 * @param {string} name of what has happened
 */
export function handOn(session, name) {
  const { seat, token, table } = session;
  if (!token || seat !== null || table.host !== null || !CHANGES_HOSTS.includes(name)) return;
  const heir = [...table.seats.values()].find(({ bot, left, connected }) => !bot && !left && connected);
  if (heir) session.command("make_host", { seat: heir.seat });
}

/** @type {Ticker | null} */
let ticker = null;

/**
 * Follow an event of the table that is watched.
 * @param {Session} session
 * @param {string} name
 * @param {any} fields
 * @param {(text: string) => void} say
 */
export function follow(session, name, fields, say) {
  handOn(session, name);
  ticker ??= new Ticker(say);
  ticker.follow(session.table, name, fields);
}
