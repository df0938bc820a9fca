// A session at a table: the WebSocket, reconnecting, and commands until they are acknowledged.

import { load } from "../lazy.js";
import { BASE } from "../links.js";
import { TableState } from "../rules/state.js";
import { WORDS } from "../words.js";
import { decode, encode } from "./codec.js";
import { Contributor, HandTranscript } from "./commit_reveal.js";
import { CLOSE, EXTENSIONS, SUBPROTOCOL, VERSION, WEBSOCKET_PATH } from "./protocol.js";

const SOFTWARE = ["racing-demon-web", "races", "notices", ...EXTENSIONS].join(" ");
const PING_MS = 1500; // ping interval and timeout: a dead connection is noticed within twice this
const LATENCY_FACTOR = 4; // on slow networks, wait this many latencies for a pong
const MAX_WAIT_MS = 8000;
const MAX_REDIRECTS = 2;
const PATIENT_TRIES = 6; // in some fifteen seconds
const HEARTBEAT_MS = 10_000; // generous, because phones sleep for a moment
const WAKE_MS = 700; // timeout of a ping after sleep or a change of network
const ENTRY_MS = 6000;
const SLEPT_MS = 1000; // a smaller difference between the clocks is an adjustment
const WAITS_MS = [0, 500, 1000, 2000, 4000];
// Codes of RFC 6455.
const [PROTOCOL_ERROR, ABNORMAL, TOO_BIG] = [1002, 1006, 1009];
/** Close codes after which reconnecting is pointless. */
const FINAL = [
  CLOSE.good_bye,
  CLOSE.going_away,
  PROTOCOL_ERROR,
  TOO_BIG,
  CLOSE.bad_frame,
  CLOSE.taken_over,
  CLOSE.version,
  CLOSE.kicked,
];

let slept = 0;
let ahead = Date.now() - performance.now();

/** A monotonic clock in milliseconds that counts sleep: on most devices `performance.now` stops meanwhile. */
function now() {
  const own = performance.now();
  const next = Date.now() - own;
  if (next - ahead > SLEPT_MS) slept += next - ahead;
  ahead = next;
  return own + slept;
}

/**
 * @typedef {object} Listener
 * @property {(game: string) => boolean} lacks whether a game has yet to be loaded
 * @property {(name: string, fields: any, isPast: boolean) => void} message called after the table has applied it
 * @property {(state: "connecting" | "open" | "lost" | "closed", reason: string, code?: number) => void} connection
 * @property {(fields: any, play: any) => void} refused
 */

/** The address of this server's WebSocket. */
export const webSocketUrl = () => location.origin.replace("http", "ws") + BASE + WEBSOCKET_PATH;

export class Session {
  #epoch = "";
  #seatedEpoch = "";
  #tries = 0;
  #redirects = 0;
  #isAsked = false; // whether the server is about to learn who this is
  #isOlder = false; // whether it knows older proofs only
  #isOver = false;
  /** @type {WebSocket | null} */
  #socket = null;
  #timer = 0;
  #heardAt = 0;
  /** What has come since the table's game is being loaded. @type {string[] | null} */
  #held = null;
  #connectingSince = 0;
  #latency = 0;

  /**
   * @param {Record<string, any>} games by their names
   * @param {Listener} listener
   * @param {() => number} clock a monotonic clock in milliseconds
   */
  constructor(games, listener, clock = now) {
    this.games = games;
    this.listener = listener;
    this.clock = clock;
    this.table = new TableState(games);
    this.contributor = new Contributor();
    this.transcript = new HandTranscript();
    /** @type {number | null} */
    this.seat = null;
    /** @type {string | null} */
    this.token = null;
    this.isCaughtUp = false;
    this.counter = 0;
    /** @type {Map<number, {name: string, fields: any, then?: () => void}>} */
    this.pending = new Map();
    this.pingMs = 0;
    this.watchers = 0;
    /** Shows a host who watches. @type {(spectators: any[][]) => void} */
    this.showSpectators = () => undefined;
    /** Identifies the player of this device to the server; null for a guest. @type {import("./person.js").Person | null} */
    this.person = null;
    this.isHalted = false;
    this.software = SOFTWARE;
    /** Why the table has ended; empty if it has not. */
    this.ended = "";
    /** The result of verifying the last hand. */
    this.proof = "";
    this.isSound = false; // whether that says that all is well
  }

  /**
   * Enter a table, and reconnect until `close`.
   * @param {string} url of the server
   * @param {{name: string, fields: any, isNew?: boolean}} entry create, join or watch
   */
  enter(url, entry) {
    this.url = url;
    this.entry = entry;
    if (entry.name === "join" && entry.fields.token) this.token = entry.fields.token;
    this.#connect();
  }

  /** The unacknowledged plays, oldest first. */
  get plays() {
    return [...this.pending.values()].filter(({ name }) => name === "play_cards").map(({ fields }) => fields);
  }

  /**
   * Send a command. It is sent again after a reconnect, and carried out once.
   * @param {string} name
   * @param {any} [fields]
   * @param {() => void} [then] called once the server has done it
   */
  command(name, fields = {}, then) {
    this.counter += 1;
    const command = { name, fields: { counter: this.counter, ...fields }, then };
    this.pending.set(this.counter, command);
    if (this.isCaughtUp) this.#send(command);
  }

  /**
   * Send a play.
   * @param {{source: number, count: number, destination: number}} play
   * @param {number} seen the last event that the player saw
   */
  play({ source, count, destination }, seen) {
    this.command("play_cards", { source, count, destination, seen });
  }

  /** Give up the seat and close. */
  leave() {
    if (this.seat !== null) this.command("leave");
    this.close();
  }

  /** Whether the server may be gone: it has not answered for long. */
  get isUnanswered() {
    return this.#tries > PATIENT_TRIES;
  }

  /** Close the connection; the token resumes the seat. */
  close() {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#socket?.close(CLOSE.good_bye);
  }

  /** Check the connection after sleep or a change of network. */
  wake() {
    if (this.#isOver || !this.url) return; // over, or not entered yet
    this.#tries = 0;
    if (this.#socket !== null && this.isCaughtUp) this.#ping(WAKE_MS);
    else if (this.#socket === null) this.#connect();
    else if (this.clock() - this.#connectingSince > WAKE_MS) this.#reconnect(this.#socket, ABNORMAL, "");
  }

  #connect() {
    clearTimeout(this.#timer);
    this.listener.connection("connecting", "");
    this.#connectingSince = this.clock();
    const socket = new WebSocket(/** @type {string} */ (this.url), SUBPROTOCOL);
    this.#socket = socket;
    this.#held = null;
    this.isCaughtUp = false;
    this.#timer = setTimeout(() => this.#reconnect(socket, ABNORMAL, ""), ENTRY_MS);
    socket.onmessage = (event) => this.#socket === socket && this.#receive(event.data);
    socket.onclose = (event) => this.#reconnect(socket, event.code, event.reason);
  }

  /**
   * @param {WebSocket} socket
   * @param {number} code
   * @param {string} reason
   */
  #reconnect(socket, code, reason) {
    if (this.#socket !== socket) return;
    this.#socket = null;
    this.isCaughtUp = false;
    clearTimeout(this.#timer);
    socket.onclose = socket.onmessage = null;
    socket.close();
    if (this.#isOver || FINAL.includes(code)) {
      this.#isOver = true;
      this.listener.connection("closed", reason, code);
      return;
    }
    const wait = WAITS_MS[Math.min(this.#tries, WAITS_MS.length - 1)];
    this.#tries += 1;
    this.listener.connection("lost", reason);
    this.#timer = setTimeout(() => this.#connect(), wait * (0.75 + Math.random() / 2));
  }

  /** Reconnect and request a snapshot. */
  #resync() {
    this.table.seq = 0;
    if (this.#socket) this.#reconnect(this.#socket, ABNORMAL, "");
  }

  /**
   * Close the connection, and do not reconnect.
   * @param {string} reason
   * @param {number} [code] that a server would have options
   */
  #giveUp(reason, code = CLOSE.good_bye) {
    this.close();
    this.listener.connection("closed", reason, code);
  }

  /** @param {{name: string, fields: any}} message */
  #send({ name, fields }) {
    // A command that a closing socket cannot send stays in `pending`.
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(encode(name, fields));
  }

  /**
   * Ping repeatedly; reconnect if nothing is received in time.
   * @param {number} [wait] timeout
   */
  #ping(wait = Math.min(MAX_WAIT_MS, Math.max(PING_MS, LATENCY_FACTOR * this.#latency))) {
    clearTimeout(this.#timer);
    const socket = /** @type {WebSocket} */ (this.#socket);
    this.#send({ name: "ping", fields: { stamp: Math.floor(this.clock()) % 2 ** 31 } });
    const asked = this.clock();
    this.#timer = setTimeout(() => {
      if (this.#heardAt >= asked) this.#ping();
      else if (this.clock() - asked > wait + WAKE_MS)
        this.#ping(WAKE_MS); // the page slept or was busy; give it a chance
      else this.#reconnect(socket, ABNORMAL, "");
    }, wait);
  }

  /** @param {string} text */
  #receive(text) {
    this.#heardAt = this.clock();
    if (this.#held) this.#held.push(text);
    else this.#read(text);
  }

  /** @param {string} text */
  #read(text) {
    let message = null;
    try {
      message = decode(text);
    } catch {
      this.#resync(); // not a valid message
    }
    if (message === null) return;
    const { name, fields } = message;
    if (fields.options && this.listener.lacks(fields.options.game)) return this.#hold(text);
    const handle = Session.#HANDLERS[name];
    if (handle) handle(this, fields);
    else this.#apply(name, fields);
  }

  /**
   * Keep what comes, in its order, until the table's game has been loaded.
   * @param {string} text
   */
  async #hold(text) {
    const socket = /** @type {WebSocket} */ (this.#socket);
    const held = [text];
    this.#held = held;
    const isLoaded = await load("games").then(
      () => true,
      () => false,
    );
    if (this.#held !== held) return; // the connection was lost meanwhile
    this.#held = null;
    if (!isLoaded) return this.#reconnect(socket, ABNORMAL, "");
    for (const each of held) if (this.#socket === socket && !this.#isOver) this.#read(each);
  }

  /**
   * @param {string} name
   * @param {any} fields
   */
  #apply(name, fields) {
    try {
      if (name === "hand_over") this.transcript.end(this.table.points(), fields);
      const { code } = this.table; // by which it returns: over the internet, the invitation's word
      this.table.apply(name, fields, this.clock());
      this.table.code = code;
    } catch {
      this.#resync();
      return;
    }
    this.#epoch = this.#seatedEpoch;
    if (name === "played" && fields.seat === this.seat) this.pending.delete(fields.counter);
    this.transcript.record(name, fields, this.table);
    this.listener.message(name, fields, !this.isCaughtUp);
    const answer = this.contributor.answer(name, fields, this.seat);
    if (answer) this.command(answer.name, answer.fields);
  }

  /** Send the first request of a connection, once the server knows who this is. */
  #proceed() {
    this.#isAsked = false;
    const entry = this.#entry();
    if (entry) this.#send(entry);
  }

  /** The first request of a connection. */
  #entry() {
    const { code, seq } = this.table;
    if (this.token && code)
      return { name: "resume", fields: { code, token: this.token, seq, epoch: this.#epoch } };
    if (code && this.entry?.name !== "join") {
      return { name: "watch", fields: { code, passphrase: this.entry?.fields.passphrase ?? "" } };
    }
    return this.entry;
  }

  /** Handlers of messages that are not events of the table. @type {Record<string, (session: Session, fields: any) => void>} */
  static #HANDLERS = {
    versions(session, { oldest, newest, software }) {
      if (VERSION < oldest || VERSION > newest) {
        const text = WORDS.otherVersion;
        // During a rolling upgrade, another server may still speak this version.
        if (!session.table.code || session.#tries > PATIENT_TRIES)
          return session.#giveUp(text, CLOSE.version);
        return session.#reconnect(/** @type {WebSocket} */ (session.#socket), ABNORMAL, text);
      }
      session.#isAsked = session.person !== null && /\bplayers\b/.test(software);
      session.#isOlder = !/\bproves\b/.test(software);
      session.#send({
        name: "hello",
        fields: {
          version: VERSION,
          software: session.software + (session.#isAsked ? " players forgets proves" : ""),
          heartbeat_ms: HEARTBEAT_MS,
        },
      });
      if (!session.#isAsked) session.#proceed();
    },
    challenge(session, fields) {
      const answer = session.person?.answer(fields, session.#isOlder);
      if (answer) session.#send(answer);
      else session.#proceed();
    },
    identified(session, fields) {
      session.person?.identified(fields);
      if (session.entry?.fields.name) session.entry.fields.name = fields.name; // cleaned, or changed elsewhere
      if (session.#isAsked) session.#proceed();
    },
    devices: (session, { devices }) => session.person?.showDevices(devices),
    seated(session, { code, seat, token, counter, epoch }) {
      session.table.code = code;
      session.seat = seat;
      if (token) session.token = token;
      session.#seatedEpoch = epoch;
      session.counter = Math.max(session.counter, counter);
      for (const old of session.pending.keys()) if (old < counter) session.pending.delete(old);
      session.listener.message("seated", { code, seat }, true);
    },
    caught_up(session) {
      session.isCaughtUp = true;
      session.#tries = 0;
      session.#redirects = 0;
      session.#latency = (session.clock() - session.#connectingSince) / LATENCY_FACTOR; // connecting takes this many round trips
      for (const command of session.pending.values()) session.#send(command);
      session.#ping();
      session.listener.connection("open", "");
      session.listener.message("caught_up", {}, false);
    },
    accepted(session, { counter }) {
      session.pending.get(counter)?.then?.();
      session.pending.delete(counter);
    },
    refused(session, fields) {
      if (session.#isAsked) {
        session.person?.refused(fields); // it goes on as a guest
        return session.#proceed();
      }
      const command = session.pending.get(fields.counter);
      session.pending.delete(fields.counter);
      if (fields.counter === 0 && !session.isCaughtUp) {
        session.#isOver = true;
        session.#socket?.close(CLOSE.good_bye);
      }
      if (command && ["contribute", "reveal"].includes(command.name)) return;
      session.listener.refused(fields, command);
    },
    elsewhere(session, { port }) {
      session.#redirects += 1;
      if (session.#redirects > MAX_REDIRECTS) return session.#giveUp(WORDS.notFound);
      const url = new URL(/** @type {string} */ (session.url));
      url.port = String(port);
      session.url = url.href;
      const socket = session.#socket;
      if (socket) session.#reconnect(socket, ABNORMAL, "");
    },
    moved(session) {
      session.#giveUp(WORDS.moved);
    },
    pong(session, { stamp }) {
      session.#latency = session.pingMs = Math.max(0, (Math.floor(session.clock()) % 2 ** 31) - stamp);
      session.listener.message("pong", {}, true);
    },
    watchers(session, { count }) {
      session.watchers = count;
      session.listener.message("watchers", { count }, true);
    },
    spectator_list(session, { spectators }) {
      session.showSpectators(spectators);
    },
    race_lost(session, fields) {
      session.listener.message("race_lost", fields, false);
    },
    server_notice(session, fields) {
      session.listener.message("server_notice", fields, false);
    },
    halted(session, { halted }) {
      session.isHalted = halted;
      session.listener.message("halted", { halted }, true);
    },
  };
}
