// The presets that this device has saved, and those of the server's own.

import { BASE } from "../links.js";
import { read, write } from "../storage.js";

const MAX_SAVED = 32;
export const MAX_TITLE = 40;

/** @typedef {{name: string, title: string, text: string, options: Record<string, any>}} Preset */

/** @param {unknown} value */
const word = (value) => (typeof value === "string" ? value : "");

/**
 * The entries of a list that are presets; a device or a server may hold anything.
 * @param {unknown} list
 * @returns {Preset[]}
 */
function valid(list) {
  if (!Array.isArray(list)) return [];
  return list
    .filter((each) => typeof each?.title === "string" && typeof each.options?.game === "string")
    .map(({ name, title, text, options }) => ({ name: word(name), title, text: word(text), options }))
    .slice(0, MAX_SAVED);
}

/** @returns {Preset[]} the presets that this device has saved, the newest first */
export const savedPresets = () => valid(read("presets"));

/**
 * Save options under a title, in place of what was saved under it.
 * @param {string} title
 * @param {Record<string, any>} options
 * @returns {boolean} whether they outlive the page
 */
export function savePreset(title, options) {
  const others = savedPresets().filter((each) => each.title !== title);
  return write("presets", [{ title, options }, ...others].slice(0, MAX_SAVED));
}

/** @param {string} title */
export function forgetPreset(title) {
  write(
    "presets",
    savedPresets().filter((each) => each.title !== title),
  );
}

/** @returns {Promise<Preset[]>} the presets of the server's own; none where it cannot be reached */
export async function serverPresets() {
  try {
    return valid(await (await fetch(`${BASE}/presets.json`)).json());
  } catch {
    return [];
  }
}
