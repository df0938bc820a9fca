// The moments that decided a hand, as "The moments of a hand" in the document of records tells.

import { deal, Mismatch, seedOf } from "../proof/proof.js";
import { HandTranscript } from "../wire/commit_reveal.js";
import { knowsAll } from "./hints.js";
import { UNKNOWN } from "./layout.js";
import { Rules } from "./rules.js";
import { TableState } from "./state.js";

/**
 * @import { Board } from "./board.js"
 *
 * @typedef {object} Moment
 * @property {number} seat
 * @property {number} card
 * @property {number} points what the seat would have more with the card on a foundation
 * @property {number} waited for how many microseconds it could have gone up
 * @property {number} seq the event that shows it
 * @property {number | null} winner whose card went instead
 * @property {number | null} opened the card beneath it
 *
 * @typedef {object} Wait what became of a card
 * @property {number} seat
 * @property {number} card
 * @property {number} waited
 * @property {number} longest
 * @property {number} seq
 * @property {[number, number] | null} beneath the place of a card that lay face down beneath it
 * @property {boolean} completes
 * @property {boolean} isUp
 * @property {number | null} winner
 * @property {number} lostSeq
 *
 * @typedef {{since: number, seq: number, beneath: [number, number] | null, completes: boolean}} Ready
 */

const MOST = 3;
const SEEN_US = 1_000_000; // so long it takes to see that a card can go up
const FACES = 52;
const SUIT_SIZE = 13;
const SOURCES = ["waste", "reserve", "tableau"];

/** Which cards of a hand can go up, and for how long each of them could. */
class WaitTracker {
  /** @type {Map<number, Wait>} */
  cards = new Map();
  /** @type {Map<number, Ready>} */
  #ready = new Map();
  /** What a foundation accepts, by foundation: by group and face of a card. @type {Map<number, Map<string, boolean>>} */
  #accepts = new Map();

  /**
   * @param {Rules} rules
   * @param {Board} board
   */
  constructor(rules, board) {
    this.rules = rules;
    this.board = board;
    const { piles } = rules.layout;
    this.foundations = piles.filter(({ kind }) => kind === "foundation");
    this.sources = piles.filter(({ kind, place }) => place >= 0 && SOURCES.includes(kind));
  }

  /**
   * @param {import("./layout.js").Pile} source
   * @param {import("./layout.js").Pile} foundation
   */
  #fits(source, foundation) {
    const memo = this.#accepts.get(foundation.number) ?? new Map();
    this.#accepts.set(foundation.number, memo);
    const card = /** @type {number} */ (this.board.top(source.number));
    const key = `${source.group}/${source.place}/${card % FACES}`;
    let fits = memo.get(key);
    if (fits === undefined) {
      const play = { source: source.number, count: 1, destination: foundation.number };
      fits = this.rules.allows(this.board, source.place, play);
      memo.set(key, fits);
    }
    return fits;
  }

  /** The cards that can go up, each with its pile. */
  #chances() {
    /** @type {Map<number, import("./layout.js").Pile>} */
    const found = new Map();
    for (const source of this.sources) {
      const card = this.board.top(source.number);
      if (card === null || card === UNKNOWN) continue;
      if (this.foundations.some((foundation) => this.#fits(source, foundation))) found.set(card, source);
    }
    return found;
  }

  /**
   * Follow an event.
   * @param {number} at
   * @param {number} seq
   * @param {number[]} waiting the seats whose signal is still to come
   * @param {{seat: number, source: number, destination: number} | null} [play]
   */
  follow(at, seq, waiting, play = null) {
    const { piles, seats } = this.rules.layout;
    for (const pile of play ? [play.source, play.destination] : [])
      if (piles[pile].kind === "foundation") this.#accepts.delete(pile);
    const isUp = play !== null && piles[play.destination].kind === "foundation";
    const top = isUp ? this.board.top(play.destination) : null;
    const touches = isUp || (play !== null && piles[play.source].kind === "foundation");
    const now = this.#chances();
    for (const card of [...this.#ready.keys()]) {
      const source = now.get(card);
      if (source && !waiting.includes(seats[source.place])) continue;
      const wait = /** @type {Wait} */ (this.cards.get(card));
      const isLost = touches && wait.seat !== play?.seat;
      this.#end(card, at, isUp && card === top, isLost ? (play?.seat ?? null) : null, seq);
    }
    for (const [card, source] of now) {
      const seat = seats[source.place];
      if (this.#ready.has(card) || waiting.includes(seat)) continue;
      const ready = { since: at, seq, beneath: this.#beneath(source), completes: this.#completes(source) };
      this.#ready.set(card, ready);
      if (!this.cards.has(card))
        this.cards.set(card, {
          ...{ seat, card, waited: 0, longest: -1, seq: 0, beneath: null, completes: false },
          ...{ isUp: false, winner: null, lostSeq: 0 },
        });
    }
  }

  /** @param {number} at */
  end(at) {
    for (const card of [...this.#ready.keys()]) this.#end(card, at, false, null, 0);
  }

  /**
   * @param {number} card
   * @param {number} at
   * @param {boolean} isUp
   * @param {number | null} winner
   * @param {number} seq
   */
  #end(card, at, isUp, winner, seq) {
    const [ready, wait] = [
      /** @type {Ready} */ (this.#ready.get(card)),
      /** @type {Wait} */ (this.cards.get(card)),
    ];
    this.#ready.delete(card);
    const waited = Math.max(0, at - ready.since);
    wait.waited += waited;
    wait.isUp ||= isUp;
    if (waited > wait.longest) {
      const { seq: since, beneath, completes } = ready;
      Object.assign(wait, { longest: waited, seq: since, beneath, completes });
    }
    Object.assign(wait, { winner, lostSeq: winner === null ? 0 : seq });
  }

  /**
   * @param {import("./layout.js").Pile} pile
   * @returns {[number, number] | null}
   */
  #beneath({ number, kind }) {
    const cards = this.board.cards[number];
    const isDealt = kind !== "waste" && cards.length > 1 && cards[cards.length - 2] === UNKNOWN;
    return isDealt ? [number, cards.length - 2] : null;
  }

  /** @param {import("./layout.js").Pile} source */
  #completes(source) {
    return this.foundations.some(
      (foundation) =>
        this.board.cards[foundation.number].length === SUIT_SIZE - 1 && this.#fits(source, foundation),
    );
  }
}

/**
 * The moments of the hands of a record, by hand; none of those of which not all was seen, or whose rules the page
 * does not know enough of.
 * @param {{begin: any, events: {name: string, fields: any, at: number}[]}} record
 * @param {any} games
 * @param {string[][]} tables of the moves
 * @param {number} [only] the number of the hand that is wanted; 0 for all
 */
export function momentsOf({ begin, events }, games, tables, only = 0) {
  const table = new TableState(games);
  const transcript = new HandTranscript();
  table.apply("snapshot", begin, 0);
  transcript.record("snapshot", begin, table);
  /** @type {Map<number, Moment[]>} */
  const found = new Map();
  /** @type {WaitTracker | null} */
  let waits = null;
  let signal = 0;
  for (const { name, fields, at: ms } of events) {
    table.apply(name, fields, ms);
    transcript.record(name, fields, table);
    const us = Math.round(ms * 1000);
    if (name === "snapshot" || name === "dealt") waits = null;
    else if (name === "signalled") {
      signal = us;
      found.delete(table.handNumber); // of an earlier match
      waits = only && table.handNumber !== only ? null : trackerOf(table, tables);
    } else if (name === "continued") signal = us - fields.elapsed_ms * 1000;
    if (!waits || !table.hand) continue;
    const at = Math.max(0, us - signal);
    if (name === "hand_over") {
      waits.end(at);
      found.set(table.handNumber, ranked(waits, table.hand.board, seedAfter(transcript, fields.seed)));
      waits = null;
    } else if (["signalled", "seat_signalled", "rotated"].includes(name))
      waits.follow(at, fields.seq, table.waiting);
    else if (name === "played") waits.follow(at, fields.seq, table.waiting, fields);
  }
  return found;
}

/**
 * The seed of a hand that is over; null if its beginning was not seen, or is not what was promised.
 * @param {HandTranscript} transcript
 * @param {string} secret
 */
function seedAfter({ hand }, secret) {
  try {
    return hand?.moves ? seedOf(hand, secret).bytes : null;
  } catch (error) {
    if (error instanceof Mismatch) return null;
    throw error;
  }
}

/**
 * @param {TableState} table at the signal
 * @param {string[][]} tables
 */
function trackerOf({ hand }, tables) {
  if (!hand || hand.isPrivate || hand.layout.game.counted !== undefined) return null;
  const rules = new Rules(hand.layout, tables);
  return knowsAll(rules, 0) ? new WaitTracker(rules, hand.board) : null;
}

/**
 * @param {WaitTracker} waits
 * @param {Board} board
 * @param {Uint8Array | null} seed
 * @returns {Moment[]} seat by seat, the one that cost most first
 */
function ranked({ cards }, board, seed) {
  const { layout } = board;
  const dealt = seed ? deal(layout, seed) : null;
  const { reserve_card: own, king_bonus: bonus = 0 } = layout.options;
  const left = own ?? layout.game.reserve_card ?? 0;
  const moments = [...cards.values()].map((wait) => {
    const { seat, card, waited, isUp, beneath, completes } = wait;
    const isLeft = layout
      .own(layout.seats.indexOf(seat), "reserve")
      .some(({ number }) => board.cards[number].includes(card));
    const isLost = !isUp && wait.winner !== null;
    return {
      ...{ seat, card, waited },
      points: isUp ? 0 : 1 - (isLeft ? left : 0) + (completes ? bonus : 0),
      seq: isLost ? wait.lostSeq : wait.seq,
      winner: isLost ? wait.winner : null,
      opened: (dealt && beneath && dealt[beneath[0]][beneath[1]]) ?? null,
    };
  });
  const costly = moments.filter(({ points, waited }) => points || waited >= SEEN_US).sort(compare);
  return layout.seats.flatMap((seat) => costly.filter((moment) => moment.seat === seat).slice(0, MOST));
}

/** @type {(one: Moment, other: Moment) => number} */
const compare = (one, other) =>
  other.points - one.points || other.waited - one.waited || one.seq - other.seq || one.card - other.card;
