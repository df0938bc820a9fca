// This player's part in each shuffle: "Fair deals" in the wire's document.

import { bytesOf, hex, randomBytes, sha256 } from "./sha256.js";

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
   * @returns {{name: string, fields: Record<string, unknown>} | null}
   */
  follow(name, fields, seat) {
    if (seat === null) return null;
    if (name === "prepared") return this._contribute(fields.hand_id, fields.commitment, seat);
    if (name === "snapshot" && fields.next_shuffle) {
      const [handId, commitment] = fields.next_shuffle;
      return this._contribute(handId, commitment, seat);
    }
    if (name === "contributed" && fields.seat === seat && this.next) this.next.told = fields.commitment;
    if (name === "committed") return this._reveal(fields);
    if (name === "revealed" && fields.seat === seat) this.revealed = true;
    if (name === "dealt") this.counted = this.revealed && !(fields.left_out ?? []).includes(seat);
    return null;
  }

  _contribute(handId, commitment, seat) {
    const isNew = !this.next || this.next.handId !== handId || this.next.commitment !== commitment || this.next.seat !== seat;
    if (!isNew) return null;
    const value = randomBytes(32);
    const own = hex(sha256("racing-demon contribution 1\n", bytesOf(commitment), Uint8Array.of(seat), value, handId));
    this.next = { handId, commitment, seat, value, own, told: null };
    return { name: "contribute", fields: { commitment: own } };
  }

  /** Reveal the bytes, but only under the commitment for which they were drawn. */
  _reveal({ hand_id: handId, commitment }) {
    const next = this.next;
    this.next = null;
    this.revealed = false;
    if (!next || next.handId !== handId || next.commitment !== commitment || next.told !== next.own) return null;
    return { name: "reveal", fields: { value: hex(next.value) } };
  }
}
