// How a new table is to be played: the presets, two of them large.

import { button, element } from "../dom.js";
import { PRESETS } from "../wire/presets.js";
import { LATER } from "../words_later.js";

const LARGE = 2; // the first presets, which most people look for

/**
 * A button for each preset.
 * @param {string} named the preset that a link names, or empty
 * @param {(options: object) => void} choose
 */
export function presetChoices(named, choose) {
  const choices = Object.entries(PRESETS).map(([name, { title, text, options }], at) => {
    const node = button("", () => choose(options));
    node.className = name === named || (at === 0 && !PRESETS[named]) ? "preset primary" : "preset";
    node.classList.toggle("large", at < LARGE);
    node.append(element("b", "", title), element("small", "", text));
    return node;
  });
  return [...choices, element("p", "", LATER.optionsLater)];
}
