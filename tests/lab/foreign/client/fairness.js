// Contributions to the seeds of hands, by the section "Fair deals".

import { createHash, randomBytes } from "node:crypto";

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const bytes = (hex) => Buffer.from(hex, "hex");

const bound = ({ handId, commitment }, seat, value) =>
  sha256("racing-demon contribution 1\n", bytes(commitment), Buffer.from([seat]), value, handId).toString("hex");

// How the seeds of the hands of one table come about, and what this player adds to them.
export class Fairness {
  #next = null; // the hand that is prepared: { handId, commitment, promised, value }
  #hand = null; // the hand that is played, with what was revealed: { handId, commitment, promised, revealed }

  // Follow a message, and return the command that this player answers it with: { name, fields }, or null.
  follow(name, fields, seat) {
    const { hand_id: handId, commitment } = fields;
    if (name === "prepared") return this.#contribute({ handId, commitment, promised: new Map() }, seat);
    if (name === "snapshot" && fields.next_shuffle) {
      const [nextId, promise, contributions = []] = fields.next_shuffle;
      const promised = new Map(contributions.map(([who, hash]) => [who, hash]));
      return this.#contribute({ handId: nextId, commitment: promise, promised }, seat);
    }
    if (name === "contributed") this.#next.promised.set(fields.seat, commitment);
    if (name === "left") this.#next?.promised.delete(fields.seat);
    if (name === "revealed") this.#reveal(fields.seat, bytes(fields.value));
    return name === "committed" ? this.#begin({ handId, commitment }, seat) : null;
  }

  #contribute(next, seat) {
    const value = randomBytes(32);
    this.#next = { ...next, value };
    return { name: "contribute", fields: { commitment: bound(next, seat, value) } };
  }

  // A hand begins: reveal what was contributed, if all is as it was promised.
  #begin({ handId, commitment }, seat) {
    const next = this.#next;
    const isPromised = next?.handId === handId && next.commitment === commitment;
    this.#hand = { handId, commitment, promised: isPromised ? next.promised : new Map(), revealed: new Map() };
    this.#next = null;
    if (!isPromised || next.promised.get(seat) !== bound(next, seat, next.value)) return null;
    return { name: "reveal", fields: { value: next.value.toString("hex") } };
  }

  #reveal(seat, value) {
    const { promised, revealed, handId } = this.#hand;
    if (promised.get(seat) !== bound(this.#hand, seat, value)) throw new Error(`${handId}: not what ${seat} promised`);
    revealed.set(seat, value);
  }

  // Return the seed of the hand that is over, whose secret has been told, and how many have contributed to it.
  seed(secret, leftOut) {
    const { handId, commitment, revealed } = this.#hand;
    if (sha256(bytes(secret), handId).toString("hex") !== commitment) throw new Error(`${handId}: another secret`);
    const seats = [...revealed.keys()].sort((a, b) => a - b);
    if (seats.some((seat) => leftOut.includes(seat))) throw new Error(`${handId}: left out, and revealed`);
    if (seats.length === 0) return { seed: bytes(secret), contributions: 0 };
    const parts = seats.flatMap((seat) => [Buffer.from([seat]), revealed.get(seat)]);
    const number = Buffer.from([seats.length]);
    const seed = sha256("racing-demon deal 1\n", bytes(secret), number, ...parts, handId);
    return { seed, contributions: seats.length };
  }
}
