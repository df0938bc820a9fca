// One place at a table: the socket, the way back to the seat after a break, and commands until they are answered.

import { TableState } from "../rules/state.js";
import { Contributor, HandLog } from "./shuffle.js";
import { decode, encode, SUBPROTOCOL, VERSION } from "./wire.js";

const BEAT_MS = 1500; // between pings, and for their answers: silence is noticed within twice as long
const LATENCIES = 4; // on a slow network an answer may take so many times the latency
const LONGEST_MS = 8000;
const MOST_REDIRECTS = 2;
const MOST_TRIES = 6;
const HEARTBEAT_MS = 10_000; // phones sleep for a moment
const WAKE_MS = 700; // after sleep, or on another network, an answer comes so soon or never
const ENTRY_MS = 6000;
const SLEPT_MS = 1000; // so far a clock is not put right while people play
const WAITS_MS = [0, 500, 1000, 2000, 4000];
/** The server speaks no version of the wire that this page speaks. */
export const TOO_OLD = 4002;
/** After these codes the server would only say the same again. */
const FINAL = [1000, 1001, 1002, 1009, 4000, 4001, TOO_OLD, 4007];

let slept = 0;
let ahead = Date.now() - performance.now();

/** Milliseconds that rise, also while the device sleeps: on most devices the page's own clock stands still then. */
function now() {
  const own = performance.now();
  const next = Date.now() - own;
  if (next - ahead > SLEPT_MS) slept += next - ahead;
  ahead = next;
  return own + slept;
}

/**
 * @typedef {object} Listener
 * @property {(name: string, fields: any, isPast: boolean) => void} message after the table has followed it
 * @property {(state: "connecting" | "open" | "lost" | "closed", reason: string, code?: number) => void} connection
 * @property {(fields: any, play: any) => void} refused
 */

export class Session {
  /**
   * @param {any} games games.json
   * @param {Listener} listener
   * @param {() => number} clock milliseconds that rise
   */
  constructor(games, listener, clock = now) {
    this.games = games;
    this.listener = listener;
    this.clock = clock;
    this.table = new TableState(games);
    this.contributor = new Contributor();
    this.log = new HandLog();
    /** @type {number | null} */
    this.seat = null;
    /** @type {string | null} */
    this.token = null;
    this.isCaughtUp = false;
    this.counter = 0;
    /** @type {Map<number, {name: string, fields: any}>} */
    this.pending = new Map();
    this.pingMs = 0;
    this.watchers = 0;
    this.isHalted = false;
    /** Why the table has ended. */
    this.ended = "";
    /** What came of checking the hand that is over. */
    this.proof = "";
    this._epoch = "";
    this._told = "";
    this._tries = 0;
    this._redirects = 0;
    this._isOver = false;
    /** @type {WebSocket | null} */
    this._socket = null;
    this._timer = 0;
    this._heard = 0;
    this._dialled = 0;
    this._latency = 0;
  }

  /**
   * Enter a table, and stay there until `close`.
   * @param {string} url of the server
   * @param {{name: string, fields: any, isNew?: boolean}} entry create, join or watch
   */
  enter(url, entry) {
    this.url = url;
    this.entry = entry;
    if (entry.name === "join" && entry.fields.token) this.token = entry.fields.token;
    this._dial();
  }

  /** The plays that were sent and not answered yet, oldest first. */
  get plays() {
    return [...this.pending.values()].filter(({ name }) => name === "play_cards").map(({ fields }) => fields);
  }

  /**
   * Send a command of the seat; it is sent again after a break, and carried out once.
   * @param {string} name
   * @param {any} [fields]
   */
  command(name, fields = {}) {
    this.counter += 1;
    const command = { name, fields: { counter: this.counter, ...fields } };
    this.pending.set(this.counter, command);
    if (this.isCaughtUp) this._send(command);
  }

  /**
   * Send a play.
   * @param {{source: number, count: number, destination: number, depth?: number}} play
   * @param {number} seen the last event that the player saw
   */
  play({ source, count, destination, depth = 0 }, seen) {
    this.command(
      "play_cards",
      depth > 0 ? { source, count, destination, seen, depth } : { source, count, destination, seen },
    );
  }

  /** Leave for good: the seat is given up. */
  leave() {
    if (this.seat !== null) this.command("leave");
    this.close();
  }

  /** Close the connection; the seat stays for whoever shows its token. */
  close() {
    this._isOver = true;
    clearTimeout(this._timer);
    this._socket?.close(1000);
  }

  /** Look whether the connection still lives: the page was asleep, or the network has changed. */
  wake() {
    if (this._isOver) return;
    this._tries = 0;
    if (this._socket !== null && this.isCaughtUp) this._ping(WAKE_MS);
    else if (this._socket === null) this._dial();
    else if (this.clock() - this._dialled > WAKE_MS) this._lost(this._socket, 1006, "");
  }

  _dial() {
    clearTimeout(this._timer);
    this.listener.connection("connecting", "");
    this._dialled = this.clock();
    const socket = new WebSocket(/** @type {string} */ (this.url), SUBPROTOCOL);
    this._socket = socket;
    this.isCaughtUp = false;
    this._timer = setTimeout(() => this._lost(socket, 1006, ""), ENTRY_MS);
    socket.onmessage = (event) => this._socket === socket && this._receive(event.data);
    socket.onclose = (event) => this._lost(socket, event.code, event.reason);
  }

  /**
   * @param {WebSocket} socket
   * @param {number} code
   * @param {string} reason
   */
  _lost(socket, code, reason) {
    if (this._socket !== socket) return;
    this._socket = null;
    this.isCaughtUp = false;
    clearTimeout(this._timer);
    socket.onclose = socket.onmessage = null;
    socket.close();
    if (this._isOver || FINAL.includes(code)) {
      this._isOver = true;
      this.listener.connection("closed", reason, code);
      return;
    }
    const wait = WAITS_MS[Math.min(this._tries, WAITS_MS.length - 1)];
    this._tries += 1;
    this.listener.connection("lost", reason);
    this._timer = setTimeout(() => this._dial(), wait * (0.75 + Math.random() / 2));
  }

  /** Ask for the whole table on a new connection. */
  _startAgain() {
    this.table.seq = 0;
    if (this._socket) this._lost(this._socket, 1006, "");
  }

  /**
   * Close the connection for good.
   * @param {string} reason
   * @param {number} [code] that a server would have given
   */
  _giveUp(reason, code = 1000) {
    this.close();
    this.listener.connection("closed", reason, code);
  }

  /** @param {{name: string, fields: any}} message */
  _send({ name, fields }) {
    // What a closing socket can't take waits in `pending`.
    if (this._socket?.readyState === WebSocket.OPEN) this._socket.send(encode(name, fields));
  }

  /**
   * Ask for a sign of life, again and again; without one the connection is lost.
   * @param {number} [wait] until it is looked for
   */
  _ping(wait = Math.min(LONGEST_MS, Math.max(BEAT_MS, LATENCIES * this._latency))) {
    clearTimeout(this._timer);
    const socket = /** @type {WebSocket} */ (this._socket);
    this._send({ name: "ping", fields: { stamp: Math.floor(this.clock()) % 2 ** 31 } });
    const asked = this.clock();
    this._timer = setTimeout(() => {
      if (this._heard >= asked) this._ping();
      else if (this.clock() - asked > wait + WAKE_MS)
        this._ping(WAKE_MS); // this page slept, or was busy
      else this._lost(socket, 1006, "");
    }, wait);
  }

  /** @param {string} text */
  _receive(text) {
    this._heard = this.clock();
    let message = null;
    try {
      message = decode(text);
    } catch {
      this._startAgain(); // it is no message
    }
    if (message === null) return;
    const { name, fields } = message;
    const handle = HANDLERS[name];
    if (handle) handle(this, fields);
    else this._follow(name, fields);
  }

  /**
   * @param {string} name
   * @param {any} fields
   */
  _follow(name, fields) {
    try {
      if (name === "hand_over") this.log.end(this.table.points(), fields);
      this.table.follow(name, fields, this.clock());
    } catch {
      this._startAgain();
      return;
    }
    this._epoch = this._told;
    if (name === "played" && fields.seat === this.seat) this.pending.delete(fields.counter);
    this.log.follow(name, fields, this.table.layout);
    this.listener.message(name, fields, !this.isCaughtUp);
    const answer = this.contributor.follow(name, fields, this.seat);
    if (answer) this.command(answer.name, answer.fields);
  }

  /** What to ask for after the server's versions. */
  _entry() {
    const { code, seq } = this.table;
    if (this.token && code)
      return { name: "resume", fields: { code, token: this.token, seq, epoch: this._epoch } };
    if (code && this.entry?.name !== "join") {
      return { name: "watch", fields: { code, passphrase: this.entry?.fields.passphrase ?? "" } };
    }
    return this.entry;
  }
}

/** @type {Record<string, (session: Session, fields: any) => void>} */
const HANDLERS = {
  versions(session, { oldest, newest }) {
    if (VERSION < oldest || VERSION > newest) {
      const text = "Reload the page: this server speaks another version.";
      // While servers are upgraded one after the other, another of them may still go on with this table.
      if (!session.table.code || session._tries > MOST_TRIES) return session._giveUp(text, TOO_OLD);
      return session._lost(/** @type {WebSocket} */ (session._socket), 1006, text);
    }
    session._send({
      name: "hello",
      fields: { version: VERSION, software: "racing-demon-web races", heartbeat_ms: HEARTBEAT_MS },
    });
    const entry = session._entry();
    if (entry) session._send(entry);
  },
  seated(session, { code, seat, token, counter, epoch }) {
    session.table.code = code;
    session.seat = seat;
    if (token) session.token = token;
    session._told = epoch;
    session.counter = Math.max(session.counter, counter);
    for (const old of session.pending.keys()) if (old < counter) session.pending.delete(old);
    session.listener.message("seated", { code, seat }, true);
  },
  caught_up(session) {
    session.isCaughtUp = true;
    session._tries = 0;
    session._redirects = 0;
    session._latency = (session.clock() - session._dialled) / LATENCIES; // connecting took so many round trips
    for (const command of session.pending.values()) session._send(command);
    session._ping();
    session.listener.connection("open", "");
    session.listener.message("caught_up", {}, false);
  },
  accepted(session, { counter }) {
    session.pending.delete(counter);
  },
  refused(session, fields) {
    const command = session.pending.get(fields.counter);
    session.pending.delete(fields.counter);
    if (fields.counter === 0 && !session.isCaughtUp) {
      session._isOver = true;
      session._socket?.close(1000);
    }
    if (command && ["contribute", "reveal"].includes(command.name)) return;
    session.listener.refused(fields, command);
  },
  elsewhere(session, { port }) {
    session._redirects += 1;
    if (session._redirects > MOST_REDIRECTS)
      return session._giveUp("The server does not find this table. Try again later.");
    const url = new URL(/** @type {string} */ (session.url));
    url.port = String(port);
    session.url = url.href;
    const socket = session._socket;
    if (socket) session._lost(socket, 1006, "");
  },
  moved(session) {
    session._giveUp("Another server has this table. Ask the host for its address.");
  },
  pong(session, { stamp }) {
    session._latency = session.pingMs = Math.max(0, (Math.floor(session.clock()) % 2 ** 31) - stamp);
    session.listener.message("pong", {}, true);
  },
  watchers(session, { count }) {
    session.watchers = count;
    session.listener.message("watchers", { count }, true);
  },
  race_lost(session, fields) {
    session.listener.message("race_lost", fields, false);
  },
  halted(session, { halted }) {
    session.isHalted = halted;
    session.listener.message("halted", { halted }, true);
  },
};
