// One seat at a table: it enters, plays, answers breaks of its line, and proves each hand that is over.

import { Table } from "./table.js";
import { WebSocket } from "./websocket.js";

export class Player {
  #counter = 0;
  #pending = new Map(); // commands that no answer was heard to, by their counters
  #told = ""; // the epoch of this connection, that of the newest event is `epoch`

  constructor(url, wire, games) {
    Object.assign(this, { url, wire, epoch: "", refused: {}, cuts: 0, isCaughtUp: false });
    this.table = new Table(games, wire);
  }

  // Open a table and sit down at it.
  async create(options) {
    await this.#enter("create", { name: "Stranger", options });
  }

  // Sit down at a table, or come back to the seat whose token this is.
  async join(code, name, token = "") {
    await this.#enter("join", { code, name, token });
  }

  // See a table without a seat.
  async watch(code) {
    await this.#enter("watch", { code });
  }

  get isWaiting() {
    return this.#pending.size > 0;
  }

  // Send a command; while the past is still coming it waits for `caught_up`.
  command(name, fields = {}) {
    const counter = ++this.#counter;
    const text = this.wire.encode(name, { counter, ...fields });
    this.#pending.set(counter, text);
    if (this.isCaughtUp) this.ws.send(text);
  }

  play({ source, count, destination }) {
    this.command("play_cards", { source, count, destination, seen: this.table.seq });
  }

  // Break the line without a word, whatever is on its way.
  cut() {
    this.cuts++;
    this.isCaughtUp = false;
    this.ws.cut();
  }

  close() {
    this.ws.close();
  }

  async #enter(name, fields) {
    this.ws = await WebSocket.open(this.url, this.wire.subprotocol);
    const { fields: versions } = this.wire.decode(await this.ws.read());
    const version = this.wire.schema.version;
    if (version < versions.oldest || version > versions.newest) throw new Error("no common version");
    this.ws.send(this.wire.encode("hello", { version, software: "a-stranger returns" }));
    this.ws.send(this.wire.encode(name, fields));
    while (!this.isCaughtUp) await this.next();
  }

  // Take the next message, and return it when everything has followed it; where the line breaks, come back.
  async next() {
    let text = await this.ws.read();
    while (text === null) {
      if (this.ws.ending.code !== 1006) throw new Error(`closed: ${JSON.stringify(this.ws.ending)}`);
      const { code, token, epoch } = this;
      await this.#enter("resume", { code, token, seq: this.table.seq, epoch });
      text = await this.ws.read();
    }
    const message = this.wire.decode(text);
    const { name, fields } = message;
    if (name === "seated") this.#seated(fields);
    else if (name === "caught_up") this.#caughtUp(fields);
    else if (name === "accepted") this.#pending.delete(fields.counter);
    else if (name === "refused") this.#refused(fields);
    else if (name === "snapshot" || fields.seq !== undefined) {
      this.table.follow(name, fields);
      this.epoch = this.#told;
      if (name === "played" && fields.seat === this.seat) this.#pending.delete(fields.counter);
      const answer = this.table.fairness.follow(name, fields, this.seat);
      if (answer !== null && this.seat !== null) this.command(answer.name, answer.fields);
    }
    return message;
  }

  #seated({ code, seat, token, counter, epoch }) {
    Object.assign(this, { code, seat, token });
    this.#told = epoch;
    this.#counter = Math.max(this.#counter, counter);
    for (const old of this.#pending.keys()) if (old < counter) this.#pending.delete(old);
  }

  #caughtUp({ seq }) {
    if (seq !== this.table.seq) throw new Error(`caught up with ${seq}, and not with ${this.table.seq}`);
    this.isCaughtUp = true;
    for (const text of this.#pending.values()) this.ws.send(text);
  }

  #refused({ counter, reason, text }) {
    if (counter === 0 && !this.isCaughtUp) throw new Error(`${reason}: ${text}`);
    this.#pending.delete(counter);
    this.refused[reason] = (this.refused[reason] ?? 0) + 1;
  }
}
