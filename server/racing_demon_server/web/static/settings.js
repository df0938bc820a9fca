// What this device remembers: settings, the player's name, the tokens of seats, and results.

/** @import { TableState } from "./rules/state.js" */

const KEY = "racing-demon";
const MOST_KEPT = 100;
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

/**
 * @returns {any}
 * @param {string} name
 */
export function read(name) {
  try {
    return JSON.parse(localStorage.getItem(`${KEY}.${name}`) ?? "null");
  } catch {
    return null; // private windows may have no store; somebody may have written anything
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
export function write(name, value) {
  try {
    if (value === null) localStorage.removeItem(`${KEY}.${name}`);
    else localStorage.setItem(`${KEY}.${name}`, JSON.stringify(value));
  } catch {
    // it holds until the page is closed
  }
}

export const settings = { ...DEFAULTS, ...read("settings") };

/** @param {Partial<typeof DEFAULTS>} changes */
export function change(changes) {
  Object.assign(settings, changes);
  write("settings", settings);
  show();
}

/** Let the page look as the settings say. */
export function show() {
  const { classList, dataset } = document.documentElement;
  dataset.theme = settings.theme;
  classList.toggle("four-color", settings.isFourColor);
  classList.toggle("left-handed", settings.isLeftHanded);
  classList.toggle("large-index", settings.isLarge);
  classList.toggle("has-text", settings.hasText);
}

/**
 * The token of the seat that this device has at a table; null: it has none.
 * @param {string} code
 */
export const tokenOf = (code) => read(`seat.${code}`);
/**
 * @param {string} code
 * @param {string | null} token
 */
export const keepToken = (code, token) => write(`seat.${code}`, token);

/** @returns {any[]} what this device remembers, without what no match has left there */
export function keptResults() {
  const kept = read("results");
  return Array.isArray(kept) ? kept.filter((each) => Array.isArray(each?.totals)) : [];
}

/**
 * Remember how a match ended, on this device alone.
 * @param {TableState} table
 * @param {number | null} seat the own; null: a spectator, who keeps nothing
 */
export function keepResult(table, seat) {
  if (seat === null) return;
  const totals = table.totals().map(([who, total]) => ({ name: table.nameOf(who), total, isOwn: who === seat, hasWon: table.winners.includes(who), isBot: Boolean(table.seats.get(who)?.bot) }));
  write("results", [...keptResults(), { at: Date.now(), game: table.options.game, hands: table.results.length, totals }].slice(-MOST_KEPT));
}
