// Everything at a table that everybody may see: a fold over the table's events, as the server's own.

import { Board } from "./board.js";
import { Layout } from "./layout.js";

const DEALT = ["countdown", "playing", "grace", "tally"];
const BETWEEN = ["lobby", "over"];
const MAX_BANNED = 32;

/**
 * @typedef {object} Seat
 * @property {number} seat
 * @property {string} name
 * @property {string} bot the level of a bot; empty for a person
 * @property {boolean} connected
 * @property {boolean} ready
 * @property {boolean} stuck
 * @property {boolean} left
 * @property {string} standIn
 * @property {boolean} muted
 */

export class TableState {
  /** @param {Record<string, any>} games games.json */
  constructor(games) {
    this.games = games;
    this.seq = 0;
    this.code = "";
    /** @type {any} */
    this.options = {};
    /** @type {number | null} */
    this.host = null;
    this.phase = "lobby";
    /** @type {Map<number, Seat>} */
    this.seats = new Map();
    this.hand = 0;
    /** The server's commitment to the hand that is played next, or now. */
    this.commitment = "";
    /** The commitment of the cards on the board: no other deal ever has the same. */
    this.deal = "";
    /** @type {Layout | null} */
    this.layout = null;
    /** @type {Board | null} */
    this.board = null;
    /** @type {any[]} */
    this.results = [];
    /** @type {number[]} */
    this.winners = [];
    /** @type {Map<number, string>} */
    this.departed = new Map();
    /** On identical deals: how far each seat is, and the event that brought it there. @type {Map<number, {reached: number, since: number}>} */
    this.progress = new Map();
    /** @type {string[]} */
    this.banned = [];
    this.paused = false;
    /** @type {number | null} */
    this.called = null;
    this.locked = false;
    this.elapsedMs = 0;
    this.elapsedAt = 0;
    /** Between hands: when the next one is dealt, if nobody is waited for. */
    this.dealAt = 0;
  }

  get game() {
    return this.games[this.options.game];
  }

  get handSeats() {
    return this.layout ? this.layout.seats : [];
  }

  get isDealt() {
    return this.board !== null && DEALT.includes(this.phase);
  }

  get isBetweenMatches() {
    return BETWEEN.includes(this.phase);
  }

  get isPrivate() {
    return this.layout?.isPrivate ?? false;
  }

  /** @param {number} seat */
  nameOf(seat) {
    return this.seats.get(seat)?.name ?? this.departed.get(seat) ?? "?";
  }

  /**
   * Milliseconds since the signal, without pauses; negative before it.
   * @param {number} now
   */
  elapsed(now) {
    const runs = ["countdown", "playing", "grace"].includes(this.phase) && !this.paused;
    return this.elapsedMs + (runs ? now - this.elapsedAt : 0);
  }

  /**
   * How far a seat is in this hand; null where its game counts what is not told here.
   * @param {number} seat
   */
  reached(seat) {
    const place = this.handSeats.indexOf(seat);
    return this.progress.get(seat)?.reached ?? (place < 0 ? null : (this.board?.progress(place) ?? null));
  }

  /**
   * The cards that a seat has left in its heap; null where the game has none.
   * @param {number} seat
   */
  heap(seat) {
    const { board, layout } = this;
    const place = this.handSeats.indexOf(seat);
    const piles = place < 0 || this.isPrivate ? [] : (layout?.own(place, "reserve") ?? []);
    return board && piles.length > 0
      ? piles.reduce((sum, { number }) => sum + board.cards[number].length, 0)
      : null;
  }

  /** The points of the hand as it stands, by seat, and of the last one between hands. @returns {Map<number, number>} */
  points() {
    const { results, phase } = this;
    const last = results[results.length - 1];
    if (last && !["countdown", "playing", "grace"].includes(phase))
      return new Map(
        last.seats.map((/** @type {number} */ seat, /** @type {number} */ at) => [seat, last.points[at]]),
      );
    const each = this.options.reserve_card ?? this.layout?.game.reserve_card ?? 0;
    /** @type {Map<number, number>} */
    const points = new Map();
    for (const seat of this.handSeats) {
      const reached = this.reached(seat);
      if (reached !== null) points.set(seat, reached + each * (this.heap(seat) ?? 0));
    }
    return points;
  }

  /**
   * The place of a seat in this hand, from 1 on. On identical deals who was there first is ahead.
   * @param {number} seat
   */
  placeOf(seat) {
    const points = this.points();
    const own = points.get(seat) ?? 0;
    const since = this.progress.get(seat)?.since ?? 0;
    return (
      1 +
      [...points].filter(
        ([other, sum]) => sum > own || (sum === own && (this.progress.get(other)?.since ?? 0) < since),
      ).length
    );
  }

  /** The people at the table; bots and those who have left are none. */
  get people() {
    return [...this.seats.values()].filter(({ bot, left }) => !bot && !left);
  }

  /**
   * The seconds until the next hand is dealt; 0: somebody is waited for. One person alone always is.
   * @param {number} now
   */
  secondsToDeal(now) {
    return this.phase === "tally" && this.people.length !== 1
      ? Math.max(0, Math.ceil((this.dealAt - now) / 1000))
      : 0;
  }

  /** The totals of the match, by seat, the highest first. */
  totals() {
    /** @type {Map<number, number>} */
    const totals = new Map([...this.seats.keys()].map((seat) => [seat, 0]));
    for (const { seats, points } of this.results) {
      seats.forEach((/** @type {number} */ seat, /** @type {number} */ at) =>
        totals.set(seat, (totals.get(seat) ?? 0) + points[at]),
      );
    }
    return [...totals].sort(([, a], [, b]) => b - a);
  }

  /**
   * Follow an event or a snapshot.
   * @param {string} name
   * @param {any} fields
   * @param {number} now milliseconds of a clock that rises
   * @throws {Error} it is not the next one, or does not fit: the table is to be asked for anew
   */
  apply(name, fields, now) {
    if (name === "snapshot") return this._snapshot(fields, now);
    const isWhispered = name === "played" && this.isPrivate;
    if (fields.seq !== this.seq + (isWhispered ? 0 : 1))
      throw new Error(`event ${fields.seq} after ${this.seq}`);
    const reduce = REDUCERS[name];
    if (reduce) reduce(this, fields, now);
    this.seq = fields.seq;
  }

  /**
   * @param {any} fields
   * @param {number} now
   */
  _snapshot(fields, now) {
    this.seq = fields.seq;
    this.code = fields.code;
    this.options = fields.options;
    this.host = fields.host;
    this.phase = fields.phase;
    this.seats = new Map(fields.seats.map((/** @type {any[]} */ row) => [row[0], seatOf(row)]));
    this.hand = fields.hand;
    this.commitment = fields.commitment ?? "";
    this.deal = fields.phase === "shuffling" ? "" : this.commitment;
    this.results = fields.results.map(resultOf);
    this.winners = fields.winners;
    this.departed = new Map(fields.departed);
    this.banned = fields.banned;
    this.paused = fields.paused;
    this.called = fields.called;
    this.locked = fields.locked;
    this._clock(fields.elapsed_ms, now);
    this.dealAt =
      now -
      fields.elapsed_ms +
      (this.results[this.results.length - 1]?.elapsedMs ?? 0) +
      this.options.tally_ms;
    this.layout = null;
    this.board = null;
    this.progress = new Map();
    if (fields.hand_seats.length === 0 || fields.piles.length === 0) return;
    this.layout = new Layout(this.game, fields.hand_seats, this.options);
    this.board = new Board(this.layout, fields.piles, fields.redeals);
    if (this.isPrivate)
      fields.hand_seats.forEach((/** @type {number} */ seat, /** @type {number} */ at) =>
        this.progress.set(seat, { reached: fields.progress[at] ?? 0, since: fields.since[at] ?? 0 }),
      );
  }

  /**
   * @param {number} elapsedMs
   * @param {number} now
   */
  _clock(elapsedMs, now) {
    this.elapsedMs = elapsedMs;
    this.elapsedAt = now;
  }

  /**
   * @param {number} seat
   * @param {Partial<Seat>} changes
   */
  _update(seat, changes) {
    const state = this.seats.get(seat);
    if (!state) throw new Error(`nobody has seat ${seat}`);
    this.seats.set(seat, { ...state, ...changes });
  }

  _takeStuckBack() {
    for (const [seat, state] of this.seats) if (state.stuck) this._update(seat, { stuck: false });
  }
}

/** @type {Record<string, (table: TableState, fields: any, now: number) => void>} */
const REDUCERS = {
  played(table, { source, count, destination, depth, shown }) {
    if (!table.board) throw new Error("no cards are dealt");
    if (!table.isPrivate && table.board.isProgress({ source, count, destination })) table._takeStuckBack();
    table.board.name(table.board.move(source, count, destination, depth), shown);
  },
  progressed(table, { seq, seat, progress }) {
    table.progress.set(seat, { reached: progress, since: seq });
    table._update(seat, { stuck: false });
  },
  joined(table, { seat, name, bot }) {
    const before = table.seats.get(seat);
    if (before && !table.departed.has(seat)) table.departed.set(seat, before.name);
    const row = [seat, name, bot, true, bot !== "", false, false, "", false];
    table.seats.set(seat, seatOf(row));
  },
  left(table, { seat, kicked }) {
    const leaver = table.seats.get(seat);
    if (!leaver) throw new Error(`nobody has seat ${seat}`);
    if (kicked && leaver.bot === "") {
      table.banned = [...table.banned.filter((name) => name !== leaver.name), leaver.name].slice(-MAX_BANNED);
    }
    if (table.isBetweenMatches) {
      table.seats.delete(seat);
      if (table.handSeats.includes(seat) && !table.departed.has(seat)) table.departed.set(seat, leaver.name);
    } else {
      table._update(seat, { left: true, connected: false, ready: false, standIn: "" });
    }
  },
  connected(table, { seat, connected }) {
    table._update(seat, connected ? { connected, standIn: "" } : { connected });
  },
  readied(table, { seat, ready }) {
    table._update(seat, { ready });
  },
  hosted(table, { seat }) {
    table.host = seat;
  },
  options_set(table, { options }) {
    table.options = options;
    table.layout = null;
    table.board = null;
    table.progress = new Map();
    for (const [seat, state] of table.seats) if (state.bot === "") table._update(seat, { ready: false });
  },
  committed(table, { hand, commitment }) {
    if (hand === 1) {
      table.results = [];
      table.departed = new Map();
      table.winners = [];
      table.seats = new Map([...table.seats].filter(([, state]) => !state.left));
    }
    table.hand = hand;
    table.commitment = commitment;
    table.phase = "shuffling";
  },
  dealt(table, { seats, shown, countdown_ms: countdownMs }, now) {
    table.deal = table.commitment;
    table.layout = new Layout(table.game, seats, table.options);
    table.board = Board.dealt(table.layout);
    table.board.name(table.board.faceUp(), shown);
    table.progress = new Map(
      table.isPrivate
        ? seats.map((/** @type {number} */ seat, /** @type {number} */ place) => [
            seat,
            { reached: table.board?.progress(place) ?? 0, since: 0 },
          ])
        : [],
    );
    table.called = null;
    table.phase = "countdown";
    table._clock(-countdownMs, now);
    table._takeStuckBack();
  },
  signalled(table, _, now) {
    table.phase = "playing";
    table._clock(0, now);
  },
  stuck_said(table, { seat }) {
    table._update(seat, { stuck: true });
  },
  rotated(table) {
    table.board?.rotate();
    table._takeStuckBack();
  },
  called(table, { seat }) {
    table.called = seat;
    table.phase = "grace";
  },
  hand_over(table, { reason, out, elapsed_ms: elapsedMs, points }, now) {
    table.phase = "tally";
    table.paused = false;
    table._clock(elapsedMs, now);
    table.dealAt = now + table.options.tally_ms;
    table.results = [
      ...table.results,
      { hand: table.hand, seats: table.handSeats.slice(), points, reason, out, elapsedMs },
    ];
    for (const [seat, state] of table.seats) table._update(seat, { ready: state.bot !== "", stuck: false });
  },
  match_over(table, { winners }) {
    table.phase = "over";
    table.banned = [];
    table.winners = winners;
  },
  paused(table, _, now) {
    table._clock(table.elapsed(now), now);
    table.paused = true;
  },
  continued(table, { elapsed_ms: elapsedMs }, now) {
    table.paused = false;
    table._clock(elapsedMs, now);
  },
  stood_in(table, { seat, bot }) {
    table._update(seat, { standIn: bot });
  },
  muted(table, { seat, muted }) {
    table._update(seat, { muted });
  },
  unbanned(table, { name }) {
    table.banned = table.banned.filter((other) => other !== name);
  },
};

/** @param {any[]} row */
function seatOf([
  seat,
  name,
  bot = "",
  connected = true,
  ready = false,
  stuck = false,
  left = false,
  standIn = "",
  muted = false,
]) {
  return { seat, name, bot, connected, ready, stuck, left, standIn, muted };
}

/** @param {any[]} row */
function resultOf([hand, seats, points, reason, out, elapsedMs]) {
  return { hand, seats, points, reason, out, elapsedMs };
}
