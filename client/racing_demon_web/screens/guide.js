// How to play, in four panels: the game that is on the table, and the gestures of this device.

import { asIs, element } from "../dom.js";
import { loadStyle } from "../lazy.js";
import { UNKNOWN } from "../rules/layout.js";
import { makeCard } from "../table/board_view.js";
import { COLUMNS, caps } from "../table/keyboard.js";
import { LATER } from "../words_later.js";
import { GESTURES, GUIDES, PANELS } from "./guide_data.js";

/** @typedef {{cards?: number[], fan?: string, label?: string, when?: Record<string, any[]>}} Pile */

/** Codes of keys, by what sentences call them. @type {Record<string, string>} */
const KEYS = {
  waste: "Semicolon",
  "waste-up": "KeyP",
  reserve: "KeyH",
  "reserve-up": "KeyY",
  stuck: "KeyV",
  hint: "KeyB",
};

/**
 * Whether something is said under a table's options: see `guide_text.py`.
 * @param {Record<string, any[]>} when
 * @param {Record<string, any>} options
 */
const isSaid = (when, options) =>
  Object.entries(when).every(
    ([name, values]) =>
      values.includes(options[name.replace("!", "")] ?? OMITTED[name.replace("!", "")] ?? null) !==
      name.startsWith("!"),
  );

/** What options mean that a server older than them does not name. @type {Record<string, any>} */
const OMITTED = { king_bonus: 0, match_score: "points" };

/**
 * The panels of a game, with the sentences and piles that hold under a table's options.
 * @param {Record<string, any>} options
 */
export function panelsOf(options) {
  const { own, panels } = GUIDES[options.game] ?? { own: {}, panels: [] };
  /** @param {string} text */
  const filled = (text) =>
    text.replace(/{(\w+)}/g, (_, name) => String(options[name] ?? own[name]).replace("-", "−"));
  return panels.map((number) => {
    const { name, title, picture, sentences } = PANELS[number];
    return {
      name,
      title,
      /** @type {Pile[]} */
      picture: picture
        .filter((/** @type {Pile} */ { when = {} }) => isSaid(when, options))
        .map((/** @type {Pile} */ pile) => ({ ...pile, label: filled(pile.label ?? "") })),
      /** @type {string[]} */
      sentences: sentences
        .map((/** @type {any} */ said) => (typeof said === "string" ? [said, {}] : said))
        .filter((/** @type {any} */ [, when]) => isSaid(when, options))
        .map((/** @type {any} */ [text]) => filled(text)),
    };
  });
}

/** The names of the gestures of this device: those of a keyboard only where there is one beside a mouse. */
function devices() {
  if (matchMedia("(pointer: fine)").matches) return ["mouse", "keys"];
  return caps.size > 0 ? ["touch", "keys"] : ["touch"];
}

/**
 * How to play, as elements.
 * @param {Record<string, any>} options of the table
 * @param {{title: string, text: string, rules: string[]}} told what is played, in words, and its house rules
 */
export async function guideOf(options, { title, text, rules }) {
  loadStyle("guide.css");
  const layout = await /** @type {any} */ (navigator).keyboard?.getLayoutMap().catch(() => undefined);
  // A key that is not known yet is named as on most keyboards.
  /** @param {string} place */
  const cap = (place) =>
    caps.get(place) ?? layout?.get(place)?.toUpperCase() ?? (place === "Semicolon" ? ";" : place.slice(3));
  /** @param {string} name */
  const key = (name) => (name === "columns" ? COLUMNS.map(cap).join(" ") : cap(KEYS[name]));
  const head = element("p", "played");
  head.append(element("b", "", title), ...rules.map((rule) => element("span", "differs", rule)));
  const grid = element("div", "guide");
  grid.append(
    ...panelsOf(options).map(({ name, title, picture, sentences }) => {
      const panel = element("section");
      panel.append(element("h3", "", title));
      if (picture.length) panel.append(drawn(picture));
      panel.append(...sentences.map((sentence) => element("p", "", sentence)));
      const gestures = devices().map((device) => GESTURES[name][device]);
      const said = gestures.map((gesture) => gesture.replace(/{([\w-]+)}/g, (_, name) => key(name)));
      panel.append(element("p", "gesture", said.join(" ")));
      return panel;
    }),
  );
  // A race around shared foundations is told by the panels alone.
  return [head, ...(text ? [element("p", "", text)] : []), grid];
}

/** @param {Pile[]} picture */
function drawn(picture) {
  const row = asIs(element("div", "picture"));
  row.setAttribute("aria-hidden", "true");
  picture.forEach(({ cards = [], fan = "", label = "" }, at) => {
    if (fan === "arrow") return row.append(element("span", "to", "→"));
    const pile = element("div", `pile ${fan}`);
    pile.append(...(cards.length ? cards.map((card) => makeCard(card)) : [element("div", "place")]));
    const goes = fan === "right" || (picture[at + 1]?.fan === "arrow" && cards[0] !== UNKNOWN);
    if (goes) pile.lastElementChild?.classList.add("goes");
    if (label) pile.append(element("small", "", label));
    row.append(pile);
  });
  return row;
}

/** The elements in the lobby, for whoever waits: the same while the game stays the same. */
const waiting = { told: "", node: /** @type {HTMLElement | null} */ (null) };

/**
 * The same panels behind a line of the lobby.
 * @param {Record<string, any>} options
 * @param {{title: string, text: string, rules: string[]}} told
 */
export function newHere(options, told) {
  const text = JSON.stringify([options, told]);
  if (waiting.node && waiting.told === text) return waiting.node;
  const node = element("details", "new-here");
  node.toggleAttribute("open", waiting.node?.hasAttribute("open") ?? false);
  node.append(element("summary", "", LATER.newToThis));
  guideOf(options, told).then((parts) => node.append(...parts));
  Object.assign(waiting, { told: text, node });
  return node;
}
