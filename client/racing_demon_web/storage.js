// What this device remembers: settings, the player's name, and the tokens of seats.

import { BASE } from "./links.js";

const KEY = `racing-demon${BASE}`;
/** Whether another site shows this page in a frame. Then nothing is read or kept: it has no player and no seat. */
export const isFramed = globalThis.self !== globalThis.top;
const MAX_SEATS = 8; // of one table on one device
const MAX_NUMBERED = 22; // characters of a name that the server keeps when it appends a number
const DEFAULTS = {
  name: "",
  theme: "auto",
  isFourColor: false,
  isLeftHanded: false,
  isLarge: false,
  hasSound: false,
  hasText: false,
  hasFastTaps: false,
};

/** What this browser has refused to store: it lasts until the page is closed. @type {Map<string, any>} */
const unstored = new Map();

/**
 * @returns {any}
 * @param {string} name
 */
export function read(name) {
  if (isFramed) return null;
  if (unstored.has(name)) return unstored.get(name);
  try {
    return JSON.parse(localStorage.getItem(`${KEY}.${name}`) ?? "null");
  } catch {
    return null; // no storage in a private window, or invalid content
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 * @returns {boolean} whether it outlives the page
 */
export function write(name, value) {
  if (isFramed) return false;
  const [key, text] = [`${KEY}.${name}`, value === null ? null : JSON.stringify(value)];
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    if (localStorage.getItem(key) === text) {
      unstored.delete(name);
      return true;
    }
  } catch {
    // no storage, or it is full
  }
  unstored.set(name, value);
  return false;
}

export const settings = { ...DEFAULTS, ...read("settings") };

/** @param {Partial<typeof DEFAULTS>} changes */
export function changeSettings(changes) {
  Object.assign(settings, changes);
  write("settings", settings);
  applySettings();
}

/** Apply the settings to the page. */
export function applySettings() {
  const { classList, dataset } = document.documentElement;
  dataset.theme = settings.theme;
  classList.toggle("four-color", settings.isFourColor);
  classList.toggle("left-handed", settings.isLeftHanded);
  classList.toggle("large-index", settings.isLarge);
  classList.toggle("has-text", settings.hasText);
}

/** @typedef {{name: string, token: string}} KeptSeat */

/**
 * The token of the seat that this device used last at a table, or null.
 * @param {string} code
 * @returns {string | null}
 */
export const tokenOf = (code) => read(`seat.${code}`);

/**
 * The token of a seat that this browser has refused to store. The history has it instead, for a reload.
 * @param {string} code
 * @returns {string | undefined}
 */
export const unstoredSeat = (code) => unstored.get(`seat.${code}`);

/**
 * The seats that this device holds at a table, most recent first; people share tablets.
 * @param {string} code
 * @returns {KeptSeat[]}
 */
export function seatsOf(code) {
  const last = tokenOf(code);
  const stored = read(`seats.${code}`);
  const kept = /** @type {KeptSeat[]} */ (Array.isArray(stored) ? stored.filter((seat) => seat?.token) : []);
  if (!last || kept[0]?.token === last) return kept;
  const known = kept.find((seat) => seat.token === last) ?? { name: settings.name, token: last }; // older versions stored no name
  return [known, ...kept.filter((seat) => seat !== known)];
}

/**
 * Store a seat's token as the most recent one.
 * @param {string} code
 * @param {string} token
 * @param {string} [name] empty to keep the stored one
 */
export function keepSeat(code, token, name = "") {
  const kept = seatsOf(code);
  const known = kept.find((seat) => seat.token === token)?.name ?? settings.name;
  keepSeats(code, [{ name: name || known, token }, ...kept.filter((seat) => seat.token !== token)]);
}

/**
 * Keep the seats of a table for who joins it again, without resuming one.
 * @param {string} code
 */
export const setAside = (code) => write(`seat.${code}`, null);

/**
 * Forget one seat.
 * @param {string} code
 * @param {string | null} token
 */
export const forgetSeat = (code, token) =>
  keepSeats(
    code,
    seatsOf(code).filter((seat) => seat.token !== token),
  );

/**
 * @param {string} code
 * @param {KeptSeat[]} seats
 */
function keepSeats(code, seats) {
  write(`seat.${code}`, seats[0]?.token ?? null);
  write(`seats.${code}`, seats.length > 0 ? seats.slice(0, MAX_SEATS) : null);
}

/**
 * A name as it is compared.
 * @param {string} name
 */
export const folded = (name) => name.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ");

/**
 * Whether a seat's name is the one typed. Servers append a number to names that are taken.
 * @param {string} name
 * @param {string} typed
 */
export function isSameName(name, typed) {
  const [seat, own] = [name, typed].map(folded);
  const start = `${own.slice(0, MAX_NUMBERED)} `;
  return seat === own || (seat.startsWith(start) && /^\d+$/.test(seat.slice(start.length)));
}
