// This player's part in each shuffle: "Fair deals" in the wire's document.

import { bytesOf, hex, randomBytes, sha256 } from "../proof/sha256.js";

export class Contributor {
  constructor() {
    /** @type {any} */
    this.next = null;
    /** Whether the contribution to the last dealt hand counted. */
    this.counted = false;
    this.revealed = false;
  }

  /**
   * Return the command that answers a message, or null.
   * @param {number | null} seat this player's; null for a spectator
   * @param {string} name
   * @param {any} fields
   * @returns {{name: string, fields: Record<string, unknown>} | null}
   */
  answer(name, fields, seat) {
    return seat === null ? null : (Contributor.#HANDLERS[name]?.(this, fields, seat) ?? null);
  }

  /** @type {Record<string, (own: Contributor, fields: any, seat: number) => {name: string, fields: Record<string, unknown>} | null | void>} */
  static #HANDLERS = {
    prepared: (own, { hand_id: handId, commitment }, seat) => own.#contribute(handId, commitment, seat),
    snapshot(own, { next_shuffle: next }, seat) {
      return next ? own.#contribute(next[0], next[1], seat) : null;
    },
    contributed(own, fields, seat) {
      if (fields.seat === seat && own.next) own.next.accepted = fields.commitment;
    },
    handicap_set(own, _, seat) {
      const { handId, commitment } = own.next ?? {};
      own.next = null; // the deal is another one, and the contribution to the former void
      return handId ? own.#contribute(handId, commitment, seat) : null;
    },
    committed: (own, fields) => own.#reveal(fields),
    revealed(own, fields, seat) {
      if (fields.seat === seat) own.revealed = true;
    },
    dealt(own, { left_out: leftOut }, seat) {
      own.counted = own.revealed && !(leftOut ?? []).includes(seat);
    },
  };

  /**
   * @param {string} handId
   * @param {string} commitment
   * @param {number} seat
   */
  #contribute(handId, commitment, seat) {
    const isNew =
      !this.next ||
      this.next.handId !== handId ||
      this.next.commitment !== commitment ||
      this.next.seat !== seat;
    if (!isNew) return null;
    const value = randomBytes(32);
    const own = hex(
      sha256("racing-demon contribution 1\n", bytesOf(commitment), Uint8Array.of(seat), value, handId),
    );
    this.next = { handId, commitment, seat, value, own, accepted: null };
    return { name: "contribute", fields: { commitment: own } };
  }

  /**
   * Reveal the contribution, but only for the commitment it was drawn for.
   * @param {{hand_id: string, commitment: string}} fields
   */
  #reveal({ hand_id: handId, commitment }) {
    const next = this.next;
    this.next = null;
    this.revealed = false;
    if (!next || next.handId !== handId || next.commitment !== commitment || next.accepted !== next.own)
      return null;
    return { name: "reveal", fields: { value: hex(next.value) } };
  }
}

/** The public messages of a hand from its commitment on, as its proof needs them. */
export class HandTranscript {
  constructor() {
    /** The current hand; null if its beginning was not seen. @type {any} */
    this.hand = null;
    /** Commitments to contributions for the next hand, by seat. @type {Map<number, string>} */
    this.promised = new Map();
    /** The seats that sit the hand out, because their contributions were missing in a void draw. @type {number[]} */
    this.voided = [];
    /** The seats that are disconnected. @type {Set<number>} */
    this.away = new Set();
    this.seq = -1;
  }

  /**
   * Record the end of the hand.
   * @param {Map<number, number>} points those of the cards that lie there, by seat
   * @param {{points: number[], out: number | null}} over
   */
  end(points, over) {
    if (this.hand) Object.assign(this.hand, { points, over });
  }

  /**
   * Record a message.
   * @param {import("../rules/state.js").TableState} table after it has applied the message
   * @param {string} name
   * @param {any} fields
   */
  record(name, fields, table) {
    const { hand } = this;
    // After another draw the snapshot comes again. With private layouts it may lack plays.
    const isKnown =
      name === "snapshot" &&
      fields.seq === this.seq &&
      hand?.moves &&
      (!hand.layout.isPrivate || hand.moves.length === 1);
    this.seq = fields.seq ?? this.seq;
    if (!isKnown) HandTranscript.#HANDLERS[name]?.(this, fields, table);
  }

  /** @type {Record<string, (own: HandTranscript, fields: any, table: import("../rules/state.js").TableState) => void>} */
  static #HANDLERS = {
    snapshot(own, { next_shuffle: next, seats }) {
      const away = seats.filter((/** @type {any[]} */ row) => row[3] === false);
      own.hand = null;
      own.voided = [];
      own.promised = new Map(next?.[2] ?? []);
      own.away = new Set(away.map((/** @type {any[]} */ row) => row[0]));
    },
    connected(own, { seat, connected }) {
      own.away[connected ? "delete" : "add"](seat);
    },
    prepared(own) {
      if (own.hand && !own.hand.moves) own.voided.push(...missing(own.hand)); // the draw is void
      own.promised = new Map();
    },
    contributed(own, { seat, commitment }) {
      own.promised.set(seat, commitment);
    },
    handicap_set(own) {
      own.promised = new Map();
    },
    left(own, { seat }) {
      own.promised.delete(seat);
      own.away.add(seat);
    },
    joined(own, { seat }) {
      own.promised.delete(seat);
      own.away.delete(seat);
    },
    returned(own, { seat }) {
      own.away.delete(seat);
    },
    committed(
      own,
      { hand, hand_id: handId, commitment, known_deal: knownDeal },
      { options, seats, results },
    ) {
      const { promised, voided } = own;
      own.hand = {
        handId,
        number: hand,
        commitment,
        knownDeal,
        promised,
        values: new Map(),
        moves: null,
        voided,
        away: new Set(own.away),
        given: { options, seats: new Map(seats), results }, // what players reveal their parts for
      };
      own.promised = new Map();
    },
    revealed(own, { seat, value }) {
      own.hand?.values.set(seat, value);
    },
    dealt(own, fields, { hand }) {
      if (!own.hand) return;
      Object.assign(own.hand, { layout: hand?.layout, moves: [["dealt", fields]], leftOut: fields.left_out });
      own.voided = [];
    },
    played(own, fields) {
      own.hand?.moves?.push(["played", fields]);
    },
    rotated(own, fields) {
      own.hand?.moves?.push(["rotated", fields]);
    },
    stock_shifted(own, fields) {
      own.hand?.moves?.push(["stock_shifted", fields]);
    },
  };
}

/**
 * The seats that committed to a contribution and did not reveal it.
 * @param {any} hand
 * @returns {number[]}
 */
export const missing = ({ promised, values }) =>
  [...promised.keys()].filter((seat) => !values.has(seat)).sort((a, b) => a - b);
