// Modules of the page that nobody needs before the first card: they are loaded when they are asked for.

/**
 * @typedef {object} Modules
 * @property {typeof import("./proof/proof.js")} proof
 * @property {typeof import("./rules/hints.js")} hints
 * @property {typeof import("./screens/options.js")} options
 * @property {typeof import("./screens/replay.js")} replay
 * @property {typeof import("./screens/results.js")} results
 * @property {typeof import("./screens/menus.js")} menus
 * @property {typeof import("./table/sound.js")} sound
 * @property {typeof import("./screens/tables.js")} tables
 * @property {typeof import("./table/text.js")} text
 */

import { settings } from "./storage.js";

const MAX_LOAD_MS = 8000; // until an answer is no longer waited for

/** @type {Record<keyof Modules, string>} */
const FILES = {
  hints: "./rules/hints.js",
  proof: "./proof/proof.js",
  options: "./screens/options.js",
  replay: "./screens/replay.js",
  results: "./screens/results.js",
  menus: "./screens/menus.js",
  sound: "./table/sound.js",
  tables: "./screens/tables.js",
  text: "./table/text.js",
};

/** @type {Partial<Modules>} */
const loaded = {};
let tries = 0; // Browsers keep the failure of an address, so that the next try asks for another one.

/** Modules that drawing waits for in vain: they are sought again only when somebody asks. @type {Set<keyof Modules>} */
const missing = new Set();

/** Tells that something could not be loaded, and offers to try again. @type {(again: () => void, place?: HTMLElement) => void} */
let complain = () => undefined;

/** @param {(again: () => void, place?: HTMLElement) => void} tell what is told where a file could not be loaded */
export function onLoadError(tell) {
  complain = tell;
}

/**
 * Use a part of the page: at once if it is here, or else as soon as it is.
 * @template {keyof Modules} Name
 * @param {Name} name
 * @param {(part: Modules[Name]) => void} use
 * @param {HTMLElement} [place] what the part fills, where it is drawn again and again
 */
export async function withModule(name, use, place) {
  if (place && missing.has(name)) return;
  let part = loaded[name];
  try {
    part ??= await load(name);
  } catch {
    missing.add(name);
    complain(() => {
      missing.delete(name);
      withModule(name, use, place);
    }, place);
    return;
  }
  use(/** @type {Modules[Name]} */ (part));
}

/** Load all parts in advance, so that they are there when the network or the server is not. */
export function preload() {
  for (const name of Object.keys(FILES)) load(/** @type {keyof Modules} */ (name)).catch(() => undefined); // until it is asked for
}

/**
 * Load a part of the page.
 * @template {keyof Modules} Name
 * @param {Name} name
 * @returns {Promise<Modules[Name]>}
 * @throws {Error} it did not come
 */
export async function load(name) {
  try {
    loaded[name] ??= await inTime(import(addressOf(FILES[name])));
  } catch (error) {
    tries += 1;
    throw error;
  }
  return /** @type {Modules[Name]} */ (loaded[name]);
}

/**
 * Wait for an answer, but not for ever.
 * @template T
 * @param {Promise<T>} asked
 * @returns {Promise<T>}
 */
const inTime = (asked) =>
  Promise.race([
    asked,
    new Promise((_, fail) => setTimeout(() => fail(new Error("no answer")), MAX_LOAD_MS)),
  ]);

/** @param {string} file */
const addressOf = (file) => (tries === 0 ? file : `${file}?try=${tries}`);

/**
 * Use the sounds, where somebody has asked for them: at once if they are here, since browsers want that within a press.
 * @param {(part: Modules["sound"]) => void} use
 */
export function withSound(use) {
  if (!settings.hasSound) return;
  if (loaded.sound) use(loaded.sound);
  else
    load("sound")
      .then(use)
      .catch(() => undefined); // play goes on in silence
}

/** @param {Parameters<Modules["sound"]["sound"]>[0]} name */
export const sound = (name) => withSound((part) => part.sound(name));

/**
 * Let a style sheet of its own count, once it is here.
 * @param {string} file
 */
export function loadStyle(file) {
  if (document.querySelector(`link[href*="/${file}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL(addressOf(file), import.meta.url).href;
  link.onerror = () => {
    tries += 1;
    link.remove();
    complain(() => loadStyle(file));
  };
  document.head.append(link);
}
