// Who uses this device at this server: "Players" in the wire's document. What it keeps is by origin, as all that the page keeps.

import { bytesOf, hex, randomBytes, sha256 } from "../proof/sha256.js";
import { changeSettings, folded, isSameName, read, settings, write } from "../storage.js";
import { LATER } from "../words_later.js";
import { decode, encode } from "./codec.js";
import { SUBPROTOCOL, VERSION } from "./protocol.js";
import { webSocketUrl } from "./session.js";
import "./requests_of_players.js";

/** @typedef {{server: string, player: string, device: number, name: string, secret: string, said?: string, dropped?: number}} KeptPerson
 * name: what the server calls this person: it cleans names, and they are changed elsewhere, too; said: the name that
 * somebody here says for the same person, where it is another one; dropped: when the server did not know this person any more, in milliseconds since 1970 */

const HASHED = "racing-demon player 1\n";
const SIGNED = "racing-demon player 2\n";
const BLOCK = 64; // bytes of a block of SHA-256, as HMAC needs them
const ANSWER_MS = 8000;
const MAX_PEOPLE = 100; // of all servers at this address
const DROPPED_MS = 30 * 86_400_000; // so long those are kept whom a server does not know any more
const SOFTWARE = "racing-demon-web players proves";

/**
 * HMAC-SHA256. `crypto.subtle` has it, but not over http.
 * @param {Uint8Array} key of 32 bytes
 * @param {string} text
 */
function hmac(key, text) {
  const padded = new Uint8Array(BLOCK);
  padded.set(key);
  const inner = sha256(
    padded.map((byte) => byte ^ 0x36),
    text,
  );
  return sha256(
    padded.map((byte) => byte ^ 0x5c),
    inner,
  );
}

/**
 * What this device keeps. At home an address may be now one server's, now another's: those of the others stay.
 * @returns {{server: string, isOn: boolean | null, people: KeptPerson[]}} server: the one that asked last; isOn: null
 * where nobody has chosen; people: of all servers
 */
export function keptPeople() {
  const kept = read("people");
  return kept && Array.isArray(kept.people) ? kept : { server: "", isOn: null, people: [] };
}

/** Those whom the server knows that asked last. */
export function knownPeople() {
  const { server, people } = keptPeople();
  return people.filter((each) => each.server === server && !each.dropped);
}

/**
 * How a name names somebody, best first: as the server does, as somebody here does, and as a server of an earlier
 * version did, which put a number behind a name. @type {((person: KeptPerson, name: string) => boolean)[]}
 */
const LIKENESSES = [
  (person, name) => folded(person.name) === folded(name),
  ({ said }, name) => folded(said ?? "") === folded(name),
  (person, name) => isSameName(person.name, name),
];

/**
 * The person of this device whom a name means; of several the one who was chosen last.
 * @param {string} name
 * @param {KeptPerson[]} [people]
 */
export function personCalled(name, people = knownPeople()) {
  if (!name.trim()) return undefined;
  for (const isLike of LIKENESSES) {
    const found = people.filter((each) => isLike(each, name)).pop();
    if (found) return found;
  }
  return undefined;
}

/**
 * @param {Partial<ReturnType<typeof keptPeople>>} changes
 * @returns {boolean} whether that outlives the page
 */
const keepPeople = (changes) => write("people", { ...keptPeople(), ...changes });

/** Whether this browser stores what makes somebody known again: in some private windows and apps it does not. */
export const canRemember = () => keepPeople({});

/**
 * Choose whether this device is remembered here. A browser may delete what it stores unless it agrees to keep it.
 * @param {boolean} isOn
 */
export function rememberHere(isOn) {
  if (isOn)
    storage()
      ?.persist()
      .catch(() => false);
  return keepPeople({ isOn });
}

/** Whether the browser has agreed to delete nothing by itself. Over http it is never asked. */
export async function isLasting() {
  try {
    return (await storage()?.persisted()) ?? false;
  } catch {
    return false;
  }
}

/** @returns {StorageManager | undefined} only over https, and in no old browser */
const storage = () => (typeof navigator.storage?.persist === "function" ? navigator.storage : undefined);

/** The devices of which the user was told. */
const announced = new Set();

/** Answers a server that asks who uses this device. */
export class Person {
  /** The secret that was sent and is not confirmed yet. */
  #secret = "";
  #isWarned = false; // that nothing is stored
  /** @type {KeptPerson | null} */
  known = null;

  /**
   * @param {string} name by which somebody sits down: it finds whom the server knows here, or is somebody new's
   * @param {(text: string, isUrgent: boolean) => void} announce
   * @param {string} player whom it is, whatever the name; empty where the name finds somebody
   */
  constructor(name, announce = () => undefined, player = "") {
    this.name = name;
    this.announce = announce;
    this.player = player;
  }

  /**
   * Say that another device was added, which nobody has trusted yet; once for each, however often this one reconnects.
   * @param {[number, string, number, number, boolean?][]} devices
   */
  showDevices(devices) {
    for (const [number, label, , , isNew] of devices) {
      if (!isNew || number === this.known?.device || announced.has(number)) continue;
      announced.add(number);
      this.announce(LATER.newDevice(label), true);
    }
  }

  /**
   * @param {{server: string, nonce: string, suggested: boolean}} challenge
   * @param {boolean} isOlder whether the server is of a version that knows older proofs only
   * @returns {{name: string, fields: any} | null} null: a guest
   */
  answer({ server, nonce, suggested }, isOlder) {
    const isStored = keepPeople({ server });
    if (!(keptPeople().isOn ?? suggested)) return null;
    const player = this.known?.player ?? this.player; // a reconnection goes on as whoever began
    const own = knownPeople().find((each) => each.player === player) ?? personCalled(this.name);
    if (own) {
      this.known = own;
      const { player, device, secret } = own;
      const address = isOlder ? location.host : location.origin.replace("http", "ws");
      const said = [server, nonce, address.toLowerCase(), player, String(device)].join("\n");
      const hidden = bytesOf(secret);
      const signature = hmac(sha256(HASHED, hidden), (isOlder ? HASHED : SIGNED) + said);
      // The secret, hidden by what the server can make, too (RFC 5802).
      const proof = hex(isOlder ? signature : hidden.map((byte, at) => byte ^ signature[at]));
      return { name: "identify", fields: { player, device, proof } };
    }
    if (!this.name) return null;
    if (!isStored) return this.#warn(); // else every visit would be another player's
    this.#secret = hex(randomBytes(32));
    return { name: "enroll", fields: { name: this.name, secret: this.#secret, device: deviceName() } };
  }

  /** Say, once, that nobody can be remembered. */
  #warn() {
    if (!this.#isWarned) this.announce(LATER.guestHere, false);
    this.#isWarned = true;
    return null;
  }

  /**
   * The request by which this device becomes another one of somebody who is known already.
   * @param {string} code
   */
  link(code) {
    this.#secret = hex(randomBytes(32));
    return { name: "link", fields: { name: this.name, code, secret: this.#secret, device: deviceName() } };
  }

  /** @param {{player: string, device: number, name: string}} fields */
  identified({ player, device, name }) {
    const before = this.known;
    const secret = this.#secret || (before?.secret ?? "");
    this.#secret = "";
    const { server } = keptPeople();
    const typed = before ? before.said || before.name : this.name;
    const said = folded(typed) === folded(name) ? "" : typed;
    this.known = { server, player, device, name, secret, said };
    const { people } = keptPeople();
    const isHere = (/** @type {KeptPerson} */ each) => each.server === server && each.secret === secret;
    const at = people.findIndex(isHere);
    const kept = others(player).filter((each) => !isHere(each)); // perhaps merged since
    // The last one is who was chosen last: whose results are looked at stays where they are.
    const isChosen = personCalled(settings.name, before ? [before, this.known] : [this.known]) !== undefined;
    kept.splice(isChosen || at < 0 ? kept.length : at, 0, this.known);
    if (!keepPeople({ people: kept.slice(-MAX_PEOPLE) })) this.#warn();
    if (isChosen) changeSettings({ name });
  }

  /**
   * Drop whom the server does not know any more; whatever else it refuses may work again later.
   * @param {{reason: string}} refusal
   */
  refused({ reason }) {
    const { known } = this;
    if (known && reason === "unknown_player") drop(known.player);
    this.known = null;
  }
}

/**
 * Whom this device keeps without one player of the server that asked last. Another server's may have the same id.
 * @param {string} player
 */
function others(player) {
  const { server, people } = keptPeople();
  return people.filter((each) => each.server !== server || each.player !== player);
}

/**
 * Forget somebody on this device.
 * @param {string} player
 */
export const forget = (player) => keepPeople({ people: others(player) });

/**
 * Drop somebody whom the server does not know: a secret has no other copy, and is kept for a while.
 * @param {string} player
 */
function drop(player) {
  const now = Date.now();
  const dropped = knownPeople().filter((each) => each.player === player);
  const kept = [...others(player), ...dropped.map((each) => ({ ...each, dropped: now }))];
  keepPeople({ people: kept.filter((each) => !each.dropped || each.dropped > now - DROPPED_MS) });
}

/** What this device is called in its player's list. */
function deviceName() {
  const agent = navigator.userAgent;
  return /(iPhone|iPad|Android|Windows|Macintosh|Linux)/.exec(agent)?.[1] ?? "browser";
}

/**
 * Ask the server something as somebody, on a connection without a table.
 * @param {Person | null} person null: whoever has signed in before the server was reached, which asks nothing then
 * @param {{name: string, fields: any} | null} request null: only who it is; `link` comes in place of the answer
 * @param {(() => void) | null} [ended] if the answer has a code, the connection stays, as long as the code is valid:
 * called when it is lost, or when somebody has used the code
 * @returns {Promise<{name: string, fields: any, leave?: () => void}>} the answer; leave: ends a connection that stays
 */
export function askAs(person, request, ended = null) {
  return new Promise((found) => {
    const socket = new WebSocket(webSocketUrl(), SUBPROTOCOL);
    /** @param {{name: string, fields: any}} answer */
    const end = (answer) => {
      clearTimeout(timer);
      socket.onclose = socket.onmessage = null;
      const leave = () => {
        socket.onclose = socket.onmessage = null;
        socket.close();
      };
      if (!(ended && answer.fields.code)) leave();
      else
        socket.onclose = socket.onmessage = () => {
          leave();
          ended();
        };
      found({ ...answer, leave });
    };
    const failed = { name: "refused", fields: { reason: "", text: "" } };
    const timer = setTimeout(() => end(failed), ANSWER_MS);
    let isKnown = false;
    let isOlder = false;
    socket.onclose = () => end(failed);
    socket.onmessage = ({ data }) => {
      const message = decode(data);
      /** @param {{name: string, fields: any}} each */
      const send = ({ name, fields }) => socket.send(encode(name, fields));
      if (message?.name === "versions") {
        const words = message.fields.software.split(" ");
        const isUnknown = request?.name === "forget_me" && !words.includes("erases"); // an older server
        if (!words.includes("players") || isUnknown) return end(failed);
        isOlder = !words.includes("proves");
        send({ name: "hello", fields: { version: VERSION, software: SOFTWARE } });
        if (!person && request) send(request);
      } else if (message?.name === "challenge") {
        keepPeople({ server: message.fields.server });
        const answer = request?.name === "link" ? request : person?.answer(message.fields, isOlder);
        if (answer) send(answer);
        else end(failed);
      } else if (message?.name === "identified") {
        person?.identified(message.fields);
        if (!person || isKnown || !request || request.name === "link") return end(message);
        isKnown = true;
        send(request);
      } else if (message?.name === "refused" || message?.name === "devices") end(message);
    };
  });
}
