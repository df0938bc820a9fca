// The public state of a table: a fold over its events, as on the server.

import { IDENTICAL_LIMIT_MS, LATER_OPTIONS, LIMITS } from "../wire/protocol.js";
import { Board } from "./board.js";
import { Layout } from "./layout.js";

const PLAYING = ["countdown", "playing", "grace"];
const BETWEEN = ["lobby", "over"];

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
 * @property {import("./layout.js").Handicap} handicap what the seat was given
 * @property {number | null} team
 * @property {boolean} program whether no person plays
 * @property {number | null} color the chosen one: see `colors.js`
 */

/**
 * The cards of a hand as everybody sees them, from its deal to the next one, or until the options change.
 * Those of the last hand lie there between hands.
 */
export class HandView {
  /**
   * @param {Board} board
   * @param {string} deal the commitment of these cards: no other deal ever has the same
   * @param {Map<number, {reached: number, since: number}>} [progress] on identical deals: how far each seat is, and
   * the event that brought it there
   */
  constructor(board, deal, progress = new Map()) {
    this.board = board;
    this.deal = deal;
    this.progress = progress;
  }

  get layout() {
    return this.board.layout;
  }

  get seats() {
    return this.layout.seats;
  }

  /** Whether all other players' layouts are private: several play the same deal. */
  get isPrivate() {
    return this.layout.isPrivate;
  }

  /**
   * A seat's progress; null if its game counts something that the page does not know.
   * @param {number} seat
   */
  reached(seat) {
    const place = this.seats.indexOf(seat);
    return this.progress.get(seat)?.reached ?? (place < 0 ? null : this.board.progress(place));
  }

  /**
   * The number of cards in a seat's heap, or null.
   * @param {number} seat
   */
  heap(seat) {
    const place = this.seats.indexOf(seat);
    const piles = place < 0 || this.isPrivate ? [] : this.layout.own(place, "reserve");
    return piles.length > 0
      ? piles.reduce((sum, { number }) => sum + this.board.cards[number].length, 0)
      : null;
  }

  /**
   * How many cards a seat has left before it is out: those of its reserve, or those that are not up yet.
   * @param {number} seat
   */
  left(seat) {
    if (!this.seats.includes(seat)) return 0;
    return this.heap(seat) ?? Math.max(0, 52 - (this.reached(seat) ?? 0));
  }

  /** What each card left in the reserve counts. */
  get reserveCard() {
    return this.layout.options.reserve_card ?? this.layout.game.reserve_card ?? 0;
  }

  /** The points of the hand as it stands, by seat. */
  points() {
    const { king_bonus: bonus = 0 } = this.layout.options;
    const each = this.reserveCard;
    /** @type {Map<number, number>} */
    const points = new Map();
    for (const seat of this.seats) {
      const reached = this.reached(seat);
      const kings = bonus > 0 ? bonus * this.board.completed(this.seats.indexOf(seat)) : 0;
      if (reached !== null) points.set(seat, reached + kings + each * (this.heap(seat) ?? 0));
    }
    return points;
  }
}

export class TableState {
  /** @param {Record<string, any>} games by their names */
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
    /** @type {HandView | null} */
    this.hand = null;
    this.handNumber = 0;
    /** The server's commitment to the hand that is played next, or now. */
    this.commitment = "";
    /** @type {any[]} */
    this.results = [];
    /** @type {number[]} */
    this.winners = [];
    /** @type {Map<number, string>} */
    this.departed = new Map();
    /** @type {string[]} */
    this.banned = [];
    this.paused = false;
    /** The seats whose signal is still to come, while others play. @type {number[]} */
    this.waiting = [];
    /** @type {number | null} */
    this.called = null;
    this.locked = false;
    /** The seed of all hands, where the deal is given. @type {string | null} */
    this.knownDeal = null;
    this.entryClosed = false;
    this.lastHand = 0;
    /** The seats whose players left this hand and are back. @type {number[]} */
    this.sittingOut = [];
    this.lateStart = false;
    /** The totals at which late players started, by seat. @type {Map<number, number>} */
    this.starts = new Map();
    /** What the hand's clock showed, and when. */
    this.elapsedMs = 0;
    this.elapsedAt = 0;
    /** Between hands: when the next one is dealt, if nobody is waited for. */
    this.dealAt = 0;
  }

  get game() {
    return this.games[this.options.game];
  }

  /** How many seats there are. */
  get places() {
    return Math.min(this.options.seats, this.game?.seats[1] ?? this.options.seats);
  }

  /** The seats of the current or last hand. */
  get handSeats() {
    return this.hand?.seats ?? [];
  }

  /** Whether a hand is in play. */
  get isPlaying() {
    return PLAYING.includes(this.phase);
  }

  /** Whether the cards of a hand lie on the table that is in play, or has just been. */
  get isDealt() {
    return this.hand !== null && (this.isPlaying || this.phase === "tally");
  }

  get isBetweenMatches() {
    return BETWEEN.includes(this.phase);
  }

  /** The time limit of the hand, in milliseconds. */
  get timeLimitMs() {
    return this.options.time_limit_ms ?? (this.hand?.isPrivate ? IDENTICAL_LIMIT_MS : Infinity);
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
    return this.elapsedMs + (this.isPlaying && !this.paused ? now - this.elapsedAt : 0);
  }

  /**
   * The points of the hand as it stands, by seat, and of the last one between hands; none where no cards lie.
   * @returns {Map<number, number>}
   */
  points() {
    const last = this.results[this.results.length - 1];
    if (!last || !this.hand || this.isPlaying) return this.hand?.points() ?? new Map();
    return new Map(
      last.seats.map((/** @type {number} */ seat, /** @type {number} */ at) => [seat, last.points[at]]),
    );
  }

  /**
   * A seat's rank in this hand, from 1. On identical deals, of two with equal points the earlier is ahead.
   * @param {number} seat
   * @param {Map<number, number>} points
   */
  rankOf(seat, points) {
    const own = points.get(seat) ?? 0;
    const since = (/** @type {number} */ who) => this.hand?.progress.get(who)?.since ?? 0;
    return (
      1 +
      [...points].filter(([other, sum]) => sum > own || (sum === own && since(other) < since(seat))).length
    );
  }

  /** Whether a match is decided by the hands that players win, and not by their points. */
  get countsHands() {
    return this.options.match_score === "hands";
  }

  /** The seats of people at the table, without bots and those who have left. */
  get people() {
    return [...this.seats.values()].filter(({ bot, left }) => !bot && !left);
  }

  /**
   * The seconds until the next deal; 0 if the table waits for somebody, as it does for a single person.
   * @param {number} now
   */
  secondsToDeal(now) {
    return this.phase === "tally" && this.people.length !== 1
      ? Math.max(0, Math.ceil((this.dealAt - now) / 1000))
      : 0;
  }

  /** The totals of the match, points or hands won, by seat, the highest first. */
  totals() {
    return this.totalsOf([...this.seats.keys()], (seat) => seat);
  }

  /**
   * The totals of seats or of teams, the highest first. Where hands count, each is won by the side with most points.
   * @param {number[]} sides seats or teams
   * @param {(seat: number) => number | undefined} sideOf
   */
  totalsOf(sides, sideOf) {
    const totals = new Map(sides.map((side) => [side, this.starts.get(side) ?? 0])); // there are none with teams
    for (const { seats, points, handicaps } of this.results) {
      /** @type {Map<number, number>} */
      const added = new Map();
      seats.forEach((/** @type {number} */ seat, /** @type {number} */ at) => {
        const side = sideOf(seat);
        if (side !== undefined)
          added.set(side, (added.get(side) ?? 0) + points[at] + (handicaps[at]?.[2] ?? 0));
      });
      const most = Math.max(...added.values());
      for (const [side, own] of added)
        totals.set(side, (totals.get(side) ?? 0) + (this.countsHands ? Number(own === most) : own));
    }
    return [...totals].sort(([, a], [, b]) => b - a);
  }

  /**
   * Apply the next event, or a snapshot.
   * @param {string} name
   * @param {any} fields
   * @param {number} now of a monotonic clock, in milliseconds
   * @throws {Error} it is not the next one, or does not fit; request a snapshot then
   */
  apply(name, fields, now) {
    const isWhispered = name === "played" && this.hand?.isPrivate;
    if (name !== "snapshot" && fields.seq !== this.seq + (isWhispered ? 0 : 1))
      throw new Error(`event ${fields.seq} after ${this.seq}`);
    REDUCERS[name]?.(this, fields, now);
    this.seq = fields.seq;
  }
}

/**
 * @param {TableState} table
 * @param {number} elapsedMs
 * @param {number} now
 */
function setClock(table, elapsedMs, now) {
  table.elapsedMs = elapsedMs;
  table.elapsedAt = now;
}

/**
 * @param {TableState} table
 * @param {number} seat
 * @param {Partial<Seat>} changes
 */
function updateSeat(table, seat, changes) {
  const state = table.seats.get(seat);
  if (!state) throw new Error(`nobody has seat ${seat}`);
  table.seats.set(seat, { ...state, ...changes });
}

/** @param {TableState} table */
function clearReady(table) {
  for (const [seat, state] of table.seats) if (state.bot === "") updateSeat(table, seat, { ready: false });
}

/**
 * @param {TableState} table
 * @param {number} seat
 */
function stopWaiting(table, seat) {
  table.waiting = table.waiting.filter((other) => other !== seat);
}

/** @param {TableState} table */
function clearStuck(table) {
  for (const [seat, state] of table.seats) if (state.stuck) updateSeat(table, seat, { stuck: false });
}

/**
 * The reducer of each event. Events without one change nothing that is shown.
 * @type {Record<string, (table: TableState, fields: any, now: number) => void>}
 */
const REDUCERS = {
  snapshot(table, fields, now) {
    table.code = fields.code;
    table.options = { ...LATER_OPTIONS, ...fields.options };
    table.host = fields.host;
    table.phase = fields.phase;
    table.seats = new Map(fields.seats.map((/** @type {any[]} */ row) => [row[0], seatOf(row)]));
    table.handNumber = fields.hand;
    table.commitment = fields.commitment ?? "";
    table.results = fields.results.map(resultOf);
    table.winners = fields.winners;
    table.departed = new Map(fields.departed);
    table.banned = fields.banned;
    table.paused = fields.paused;
    table.called = fields.called;
    table.locked = fields.locked;
    table.knownDeal = fields.known_deal;
    table.entryClosed = fields.entry_closed;
    table.lastHand = fields.last_hand;
    table.waiting = fields.waiting;
    table.sittingOut = fields.sitting_out;
    table.lateStart = fields.late_start;
    table.starts = new Map(fields.starts);
    setClock(table, fields.elapsed_ms, now);
    const handMs = table.results[table.results.length - 1]?.elapsedMs ?? 0;
    table.dealAt = now - fields.elapsed_ms + handMs + table.options.tally_ms;
    table.hand = handOf(table, fields);
  },
  played(table, { source, count, destination, depth, shown }) {
    if (!table.hand) throw new Error("no cards are dealt");
    const { board, isPrivate } = table.hand;
    if (!isPrivate && board.isProgress({ source, count, destination })) clearStuck(table);
    board.name(board.move(source, count, destination, depth), shown);
  },
  progressed(table, { seq, seat, progress }) {
    table.hand?.progress.set(seat, { reached: progress, since: seq });
    updateSeat(table, seat, { stuck: false });
  },
  joined(table, { seat, name, bot, program, start }) {
    if (start) table.starts.set(seat, start);
    const before = table.seats.get(seat);
    if (before && !table.departed.has(seat)) table.departed.set(seat, before.name);
    table.seats.set(seat, { ...seatOf([seat, name, bot, true, bot !== ""]), program });
  },
  appearance_set(table, { seat, name, color }) {
    updateSeat(table, seat, { name, color });
  },
  left(table, { seat, kicked }) {
    const leaver = table.seats.get(seat);
    table.sittingOut = table.sittingOut.filter((other) => other !== seat);
    if (!leaver) throw new Error(`nobody has seat ${seat}`);
    stopWaiting(table, seat);
    if (kicked && leaver.bot === "") {
      table.banned = [...table.banned.filter((name) => name !== leaver.name), leaver.name].slice(
        -LIMITS.banned,
      );
    }
    if (table.isBetweenMatches) {
      table.seats.delete(seat);
      const hands = [table.handSeats, ...table.results.map(({ seats }) => seats)];
      if (hands.some((seats) => seats.includes(seat)) && !table.departed.has(seat))
        table.departed.set(seat, leaver.name);
    } else {
      updateSeat(table, seat, { left: true, connected: false, ready: false, standIn: "" });
    }
  },
  returned(table, { seat }) {
    updateSeat(table, seat, { left: false, connected: true, stuck: false });
    if (!table.isBetweenMatches && table.phase !== "tally")
      table.sittingOut = [...table.sittingOut, seat].sort((a, b) => a - b);
  },
  connected(table, { seat, connected }) {
    updateSeat(table, seat, connected ? { connected, standIn: "" } : { connected });
  },
  readied(table, { seat, ready }) {
    updateSeat(table, seat, { ready });
  },
  hosted(table, { seat }) {
    table.host = seat;
  },
  options_set(table, { options }) {
    const before = table.options.teams;
    table.options = { ...LATER_OPTIONS, ...options };
    if (table.options.teams !== before)
      for (const seat of table.seats.keys()) updateSeat(table, seat, { team: null });
    table.hand = null;
    clearReady(table);
  },
  handicap_set(table, { seat, handicap }) {
    updateSeat(table, seat, { handicap });
    clearReady(table);
  },
  committed(table, { hand, commitment, known_deal: knownDeal }) {
    if (hand === 1) {
      table.results = [];
      table.departed = new Map();
      table.winners = [];
      table.lastHand = 0;
      table.starts = new Map();
      table.seats = new Map([...table.seats].filter(([, state]) => !state.left));
    }
    table.handNumber = hand;
    table.commitment = commitment;
    table.knownDeal = knownDeal;
    table.phase = "shuffling";
  },
  dealt(table, { seq, seats, shown, countdown_ms: countdownMs, handicaps }, now) {
    const layout = new Layout(table.game, seats, table.options, handicaps);
    const board = Board.dealt(layout);
    board.name(board.faceUp(), shown);
    const reached = seats.map((/** @type {number} */ seat, /** @type {number} */ place) => [
      seat,
      { reached: board.progress(place) ?? 0, since: seq },
    ]);
    table.hand = new HandView(board, table.commitment, new Map(layout.isPrivate ? reached : []));
    table.called = null;
    table.phase = "countdown";
    setClock(table, -countdownMs, now);
    clearStuck(table);
  },
  signalled(table, _, now) {
    table.phase = "playing";
    const { hand } = table;
    table.waiting = table.handSeats.filter(
      (seat) => hand?.layout.waitMs(seat) && !table.seats.get(seat)?.left && !table.sittingOut.includes(seat),
    );
    setClock(table, 0, now);
  },
  seat_signalled(table, { seat }) {
    stopWaiting(table, seat);
  },
  stuck_said(table, { seat }) {
    updateSeat(table, seat, { stuck: true });
  },
  rotated(table) {
    table.hand?.board.rotate();
    clearStuck(table);
  },
  stock_shifted(table, { seat }) {
    table.hand?.board.shift(table.hand.seats.indexOf(seat));
    updateSeat(table, seat, { stuck: false });
  },
  called(table, { seat }) {
    table.called = seat;
    table.phase = "grace";
  },
  hand_over(table, { reason, out, elapsed_ms: elapsedMs, points }, now) {
    table.phase = "tally";
    table.paused = false;
    table.waiting = table.sittingOut = [];
    setClock(table, elapsedMs, now);
    table.dealAt = now + table.options.tally_ms;
    const seats = table.handSeats.slice();
    const teams = table.options.teams === null ? [] : seats.map((seat) => table.seats.get(seat)?.team);
    table.results = [
      ...table.results,
      {
        hand: table.handNumber,
        seats,
        points,
        reason,
        out,
        elapsedMs,
        handicaps: table.hand?.layout.handicaps ?? [],
        teams,
      },
    ];
    for (const [seat, state] of table.seats)
      updateSeat(table, seat, { ready: state.bot !== "", stuck: false });
  },
  match_over(table, { winners }) {
    table.phase = "over";
    table.banned = [];
    table.sittingOut = [];
    table.winners = winners;
  },
  paused(table, _, now) {
    setClock(table, table.elapsed(now), now);
    table.paused = true;
  },
  continued(table, { elapsed_ms: elapsedMs }, now) {
    table.paused = false;
    setClock(table, elapsedMs, now);
  },
  stood_in(table, { seat, bot }) {
    updateSeat(table, seat, { standIn: bot });
  },
  muted(table, { seat, muted }) {
    updateSeat(table, seat, { muted });
  },
  team_set(table, { seat, team }) {
    updateSeat(table, seat, { team });
  },
  entry_closed(table, { closed }) {
    table.entryClosed = closed;
  },
  late_start_set(table, { lowest }) {
    table.lateStart = lowest;
  },
  last_hand_set(table, { hand }) {
    table.lastHand = hand;
  },
  unbanned(table, { name }) {
    table.banned = table.banned.filter((other) => other !== name);
  },
};

/**
 * The hand of a snapshot; null where no cards lie there.
 * @param {TableState} table
 * @param {any} fields
 */
function handOf(table, fields) {
  const { hand_seats: seats, piles, redeals, shifts, progress, since, phase, handicaps } = fields;
  if (seats.length === 0 || piles.length === 0) return null;
  const layout = new Layout(table.game, seats, table.options, handicaps);
  const reached = seats.map((/** @type {number} */ seat, /** @type {number} */ at) => [
    seat,
    { reached: progress[at] ?? 0, since: since[at] ?? 0 },
  ]);
  // During the shuffle the commitment is the next hand's, but the cards are still the last one's.
  const deal = phase === "shuffling" ? "" : table.commitment;
  const shifted = seats.map((/** @type {number} */ _, /** @type {number} */ place) => shifts[place] ?? 0);
  return new HandView(
    new Board(layout, piles, redeals, shifted).copy(), // replays begin with the snapshot
    deal,
    new Map(layout.isPrivate ? reached : []),
  );
}

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
  handicap = [0, 0, 0],
  team = null,
  program = false,
  color = null,
]) {
  return { seat, name, bot, connected, ready, stuck, left, standIn, muted, handicap, team, program, color };
}

/** @param {any[]} row */
function resultOf([hand, seats, points, reason, out, elapsedMs, handicaps = [], teams = []]) {
  return { hand, seats, points, reason, out, elapsedMs, handicaps, teams };
}
