// Modules that nobody needs before the first card. They are loaded on demand.

/**
 * @typedef {object} Modules
 * @property {typeof import("./wire/person.js")} person
 * @property {typeof import("./proof/proof.js")} proof
 * @property {typeof import("./table/coach.js")} coach
 * @property {typeof import("./rules/colors.js")} colors
 * @property {typeof import("./rules/games_later.js")} games
 * @property {typeof import("./screens/handicaps.js")} handicaps
 * @property {typeof import("./rules/hints.js")} hints
 * @property {typeof import("./screens/invitation.js")} invitation
 * @property {typeof import("./table/keyboard.js")} keyboard
 * @property {typeof import("./table/lesson.js")} lesson
 * @property {typeof import("./screens/options.js")} options
 * @property {typeof import("./screens/overlay.js")} overlay
 * @property {typeof import("./screens/pages.js")} pages
 * @property {typeof import("./table/panels.js")} panels
 * @property {typeof import("./pasted_link.js")} pasted
 * @property {typeof import("./screens/presets.js")} presets
 * @property {typeof import("./screens/questions.js")} questions
 * @property {typeof import("./screens/replay.js")} replay
 * @property {typeof import("./screens/results.js")} results
 * @property {typeof import("./screens/menus.js")} menus
 * @property {typeof import("./screens/moments.js")} moments
 * @property {typeof import("./screens/notices.js")} notices
 * @property {typeof import("./table/sound.js")} sound
 * @property {typeof import("./screens/tables.js")} tables
 * @property {typeof import("./screens/terms.js")} terms
 * @property {typeof import("./table/text.js")} text
 * @property {typeof import("./table/ticker.js")} ticker
 * @property {typeof import("./wake_lock.js")} wakeLock
 * @property {typeof import("./words_later.js")} words
 */

import { settings } from "./storage.js";

const MAX_LOAD_MS = 8000; // timeout of a load

/** @type {Record<keyof Modules, string>} */
const FILES = {
  results: "./screens/results.js", // first: the players whom a reload between hands shows
  coach: "./table/coach.js",
  colors: "./rules/colors.js",
  games: "./rules/games_later.js",
  handicaps: "./screens/handicaps.js",
  hints: "./rules/hints.js",
  keyboard: "./table/keyboard.js",
  lesson: "./table/lesson.js",
  person: "./wire/person.js",
  proof: "./proof/proof.js",
  invitation: "./screens/invitation.js",
  options: "./screens/options.js",
  overlay: "./screens/overlay.js",
  pages: "./screens/pages.js",
  panels: "./table/panels.js",
  pasted: "./pasted_link.js",
  presets: "./screens/presets.js",
  questions: "./screens/questions.js",
  replay: "./screens/replay.js",
  menus: "./screens/menus.js",
  moments: "./screens/moments.js",
  notices: "./screens/notices.js",
  sound: "./table/sound.js",
  tables: "./screens/tables.js",
  terms: "./screens/terms.js",
  text: "./table/text.js",
  ticker: "./table/ticker.js",
  wakeLock: "./wake_lock.js",
  words: "./words_later.js",
};

const STYLE_AGAIN_MS = 5000;

/** The modules that have been loaded. @type {Partial<Modules>} */
export const loaded = {};
let tries = 0; // Browsers cache a failed import by its URL, so every retry needs another URL.

/** Modules that failed to load while rendering; they are retried only on request. @type {Set<keyof Modules>} */
const missing = new Set();

/** Reports a failed load and offers a retry. @type {(again: () => void, target?: HTMLElement) => void} */
let showLoadError = () => undefined;

/** @param {(again: () => void, target?: HTMLElement) => void} show reports a failed load */
export function onLoadError(show) {
  showLoadError = show;
}

/**
 * Call a function with a module that somebody asked for: synchronously if it is loaded, otherwise once it is.
 * A failed load is told, with a button to try again.
 * @template {keyof Modules} Name
 * @param {Name} name
 * @param {(part: Modules[Name]) => void} use
 * @param {HTMLElement} [target] the element that the module fills, if it is rendered repeatedly
 */
export async function withModule(name, use, target) {
  if (target?.hasChildNodes() && missing.has(name)) return; // it still says so
  let part = loaded[name];
  try {
    part ??= await load(name);
  } catch {
    missing.add(name);
    showLoadError(() => {
      missing.delete(name);
      withModule(name, use, target);
    }, target);
    return;
  }
  use(/** @type {Modules[Name]} */ (part));
}

/**
 * Call a function with a module that nobody asked for: synchronously if it is loaded, otherwise once it is.
 * A failed load is not told, as it would cover what somebody reads.
 * @template {keyof Modules} Name
 * @param {Name} name
 * @param {(part: Modules[Name]) => void} use
 */
export function whenLoaded(name, use) {
  const part = loaded[name];
  if (part) use(/** @type {Modules[Name]} */ (part));
  else load(name).then(use, () => undefined);
}

/** Preload all modules, so that they are there when the network or the server is not. */
export function preload() {
  for (const name of Object.keys(FILES)) load(/** @type {keyof Modules} */ (name)).catch(() => undefined); // reported when it is needed
}

/**
 * Load a module.
 * @template {keyof Modules} Name
 * @param {Name} name
 * @returns {Promise<Modules[Name]>}
 * @throws {Error} it could not be loaded
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
 * Reject after a timeout.
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
 * Use the sound module if sounds are on: synchronously if loaded, because browsers allow audio only within a gesture.
 * @param {(part: Modules["sound"]) => void} use
 */
export function withSound(use) {
  if (settings.hasSound) whenLoaded("sound", use);
}

/** @param {Parameters<Modules["sound"]["sound"]>[0]} name */
export const sound = (name) => withSound((part) => part.sound(name));

/**
 * Add a style sheet. One that fails to load is asked for again by itself: without it all can be used.
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
    setTimeout(() => loadStyle(file), STYLE_AGAIN_MS);
  };
  document.body.append(link); // after style.css, so that of equal rules the later one holds
}
