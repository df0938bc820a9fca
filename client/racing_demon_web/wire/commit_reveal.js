// This player's part in each shuffle: "Fair deals" in the wire's document.

import { bytesOf, hex, randomBytes, sha256 } from "../proof/sha256.js";

export class Contributor {
  constructor() {
    /** @type {any} */
    this.next = null;
    /** What became of the contribution to the hand that was dealt last. */
    this.counted = false;
    this.revealed = false;
  }

  /**
   * Follow a message; return the command that answers it, or null.
   * @param {number | null} seat the own seat; null for a spectator
   * @param {string} name
   * @param {any} fields
   * @returns {{name: string, fields: Record<string, unknown>} | null}
   */
  answer(name, fields, seat) {
    if (seat === null) return null;
    if (name === "prepared") return this.#contribute(fields.hand_id, fields.commitment, seat);
    if (name === "snapshot" && fields.next_shuffle) {
      const [handId, commitment] = fields.next_shuffle;
      return this.#contribute(handId, commitment, seat);
    }
    if (name === "contributed" && fields.seat === seat && this.next) this.next.told = fields.commitment;
    if (name === "committed") return this.#reveal(fields);
    if (name === "revealed" && fields.seat === seat) this.revealed = true;
    if (name === "dealt") this.counted = this.revealed && !(fields.left_out ?? []).includes(seat);
    return null;
  }

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
    this.next = { handId, commitment, seat, value, own, told: null };
    return { name: "contribute", fields: { commitment: own } };
  }

  /**
   * Reveal the bytes, but only under the commitment for which they were drawn.
   * @param {{hand_id: string, commitment: string}} fields
   */
  #reveal({ hand_id: handId, commitment }) {
    const next = this.next;
    this.next = null;
    this.revealed = false;
    if (!next || next.handId !== handId || next.commitment !== commitment || next.told !== next.own)
      return null;
    return { name: "reveal", fields: { value: hex(next.value) } };
  }
}

/** What is told of a hand from its commitment on: what its proof needs. */
export class HandTranscript {
  constructor() {
    /** The hand that is played; null where it was not seen from its beginning. @type {any} */
    this.hand = null;
    /** What players have promised to contribute to the next hand, by their seats. @type {Map<number, string>} */
    this.promised = new Map();
    /** Whose contributions were missing in void draws of the hand, so that they sit it out. @type {number[]} */
    this.voided = [];
    /** Who is not connected, by seats. @type {Set<number>} */
    this.away = new Set();
    this.seq = -1;
  }

  /**
   * Keep what the server tells of a hand's end.
   * @param {Map<number, number>} points those of the cards that lie there, by seat
   * @param {{points: number[], out: number | null}} over
   */
  end(points, over) {
    if (this.hand) Object.assign(this.hand, { points, over });
  }

  /**
   * Follow a message.
   * @param {import("../rules/layout.js").Layout | null} layout the table's, which has followed it already
   * @param {string} name
   * @param {any} fields
   */
  record(name, fields, layout) {
    const { promised, hand } = this;
    // After a further draw the table comes once more. Where plays have no numbers, some may be missing in it.
    const isKnown =
      name === "snapshot" &&
      fields.seq === this.seq &&
      hand?.moves &&
      (!hand.layout.isPrivate || hand.moves.length === 1);
    this.seq = fields.seq ?? this.seq;
    if (isKnown) return;
    if (name === "snapshot") {
      this.hand = null;
      this.voided = [];
      this.promised = new Map(fields.next_shuffle?.[2] ?? []);
      this.away = new Set(
        fields.seats
          .filter((/** @type {any[]} */ row) => row[3] === false)
          .map((/** @type {any[]} */ row) => row[0]),
      );
    } else if (name === "connected") {
      this.away[fields.connected ? "delete" : "add"](fields.seat);
    } else if (name === "prepared") {
      if (hand && !hand.moves) this.voided.push(...missing(hand)); // the draw is void
      this.promised = new Map();
    } else if (name === "contributed") {
      promised.set(fields.seat, fields.commitment);
    } else if (name === "left" || name === "joined") {
      promised.delete(fields.seat);
      this.away[name === "left" ? "add" : "delete"](fields.seat);
    } else if (name === "committed") {
      this.hand = {
        handId: fields.hand_id,
        commitment: fields.commitment,
        promised,
        values: new Map(),
        moves: null,
        voided: this.voided,
        away: new Set(this.away),
      };
      this.promised = new Map();
    } else if (hand && name === "revealed") {
      hand.values.set(fields.seat, fields.value);
    } else if (hand && name === "dealt") {
      Object.assign(hand, { layout, moves: [[name, fields]], leftOut: fields.left_out });
      this.voided = [];
    } else if (name === "played" || name === "rotated") {
      hand?.moves?.push([name, fields]);
    }
  }
}

/**
 * The seats that have promised a contribution and did not reveal it.
 * @param {any} hand
 * @returns {number[]}
 */
export const missing = ({ promised, values }) =>
  [...promised.keys()].filter((seat) => !values.has(seat)).sort((a, b) => a - b);
