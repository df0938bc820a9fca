// How a new table is to be played: the presets, two of them large, and those that somebody has saved.

import { asIs, button, element } from "../dom.js";
import { loadStyle } from "../lazy.js";
import { PRESETS } from "../wire/presets.js";
import { WORDS } from "../words.js";
import { LATER } from "../words_later.js";
import { forgetPreset, savedPresets, serverPresets } from "./saved_presets.js";

const LARGE = 2; // the first presets, which most people look for

/**
 * Ask how a new table is to be played.
 * @param {import("./dialog.js").Dialog} dialog
 * @param {string} named see `presetChoices`
 * @param {(options: object) => void} choose
 */
export function askPreset(dialog, named, choose) {
  loadStyle("later.css");
  const rows = presetChoices(named, (options) => {
    dialog.close();
    choose(options);
  });
  dialog.open(WORDS.newTable, rows);
}

/**
 * A button for each preset. Those of the server's own come when it has sent them.
 * @param {string} named the name of the preset in a link, the title of one that somebody has saved, or a match's
 *   options in JSON; or empty
 * @param {(options: object) => void} choose
 */
function presetChoices(named, choose) {
  const saved = savedPresets();
  const isNamed = named in PRESETS || saved.some(({ title }) => title === named);
  const rows = Object.entries(PRESETS).map(([name, { title, text, options }], at) => {
    const isPrimary = name === named || (at === 0 && !isNamed);
    const node = presetButton(title, text, isPrimary, () => choose(options));
    node.classList.toggle("large", at < LARGE);
    return node;
  });
  const own = saved.map(({ title, options }) => {
    const row = element("div", "saved");
    const node = presetButton(title, LATER.savedHere, title === named, () => choose(options));
    asIs(node);
    const forget = () => {
      forgetPreset(title);
      row.remove();
    };
    row.append(node, button("✕", forget, LATER.forgetPreset(title)));
    return row;
  });
  const again = optionsIn(named);
  const same = again ? [presetButton(LATER.sameAgain, LATER.sameAgainText, true, () => choose(again))] : [];
  if (again) rows[0].classList.remove("primary");
  const others = element("div", "presets");
  serverPresets().then((list) => {
    for (const { name, title, text, options } of list) {
      const isPrimary = named !== "" && [name, title].includes(named);
      if (isPrimary) rows[0].classList.remove("primary");
      others.append(presetButton(title, text || LATER.savedAtServer, isPrimary, () => choose(options)));
    }
  });
  const [first, more] = [rows.slice(0, LARGE), rows.slice(LARGE)];
  return [...same, ...first, ...own, others, ...more, element("p", "", LATER.optionsLater)];
}

/**
 * The options that a link holds; null if it holds none. The server checks them.
 * @param {string} text
 * @returns {object | null}
 */
function optionsIn(text) {
  try {
    const options = JSON.parse(text);
    return typeof options?.game === "string" ? options : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} title
 * @param {string} text
 * @param {boolean} isPrimary
 * @param {() => void} press
 */
function presetButton(title, text, isPrimary, press) {
  const node = button("", press);
  node.className = isPrimary ? "preset primary" : "preset";
  node.append(element("b", "", title), element("small", "", text));
  return node;
}
