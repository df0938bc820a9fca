// The form for a table's options.

import { choice, element } from "../dom.js";
import { OPTIONS } from "../wire/options.js";
import { DEFAULTS, PRESETS } from "../wire/presets.js";
import { LATER } from "../words_later.js";
import { newHere } from "./guide.js";
import { savedPresets } from "./saved_presets.js";
import { changes, LENGTH, nearestPreset, optionValue } from "./terms.js";

const GAME = "game:"; // before the name of a game, which may be a preset's, too
const FIELDS = "select, input, summary";
const MAX_DEVIATIONS = 2; // of a table that differs more, nobody would say that it plays the preset

/**
 * A refusal with the labels of options in place of their names.
 * @param {string} text
 */
export const withLabels = (text) =>
  text.replace(/'(\w+)'/g, (quoted, name) => (OPTIONS[name] ? `“${OPTIONS[name].label}”` : quoted));

/** The titles of the parts that are open: each change draws all of them anew. @type {Set<string>} */
const opened = new Set();

/**
 * Show all options of a table, to whom may change them with a select for each: the preset, then the others folded in
 * their groups, which say how much in them differs from it.
 * @param {HTMLElement} target
 * @param {object} options
 * @param {import("../rules/state.js").TableState} options.table
 * @param {any} options.games
 * @param {(name: string, fields: any) => void} options.command
 * @param {boolean} options.mayChange
 */
export function showOptions(target, { table: { options }, games, command, mayChange }) {
  const names = Object.keys(OPTIONS).filter((name) => name in options && name !== "game");
  const differ = nearestPreset(options)?.changed ?? [];
  /** @param {any} wanted */
  const apply = (wanted) => command("set_options", { options: wanted });
  /** @param {string} name */
  const rowOf = (name) => {
    const { label, about } = OPTIONS[name];
    const row = element("label", "option");
    /** @param {unknown} next */
    const change = (next) => apply({ [name]: next });
    row.append(
      element("span", "", label),
      mayChange
        ? editor(name, options[name], games, change)
        : element("b", "", optionValue(name, options[name], games)),
      element("small", "", about),
    );
    return row;
  };
  const groups = [...new Set(names.map((name) => OPTIONS[name].group))].map((group) => {
    const own = names.filter((name) => OPTIONS[name].group === group);
    const count = own.filter((name) => differ.includes(name)).length;
    return fold(group, count ? LATER.changed(count) : "", own.map(rowOf));
  });
  const { text = "" } = games[options.game] ?? {};
  const fields = () => [.../** @type {NodeListOf<HTMLElement>} */ (target.querySelectorAll(FIELDS))];
  const focused = fields().indexOf(/** @type {HTMLElement} */ (document.activeElement));
  target.replaceChildren(
    gameRow(options, games, mayChange ? apply : null),
    ...groups,
    ...(text ? [fold(LATER.aboutGame, "", [element("p", "soft", text)])] : []),
  );
  fields()[focused]?.focus();
}

/**
 * A part that opens.
 * @param {string} title
 * @param {string} note
 * @param {HTMLElement[]} rows
 */
function fold(title, note, rows) {
  const node = /** @type {HTMLDetailsElement} */ (element("details"));
  const summary = element("summary", "", title);
  if (note) summary.append(element("small", "soft", note));
  node.append(summary, ...rows);
  node.open = opened.has(title);
  node.addEventListener("toggle", () => (node.open ? opened.add(title) : opened.delete(title)));
  return node;
}

/**
 * How to play what is on the table, folded, for who has never played it.
 * @param {Record<string, any>} options
 * @param {any} games
 */
export const newcomer = (options, games) => newHere(options, toldOf(options, games));

/**
 * What is played at a table, in words: its preset or game, the game's text where the panels of the guide do not
 * say all, and what the host has changed.
 * @param {Record<string, any>} options
 * @param {any} games
 */
export function toldOf(options, games) {
  const near = nearestPreset(options);
  const changed = near?.changed ?? Object.keys(DEFAULTS).filter((name) => options[name] !== DEFAULTS[name]);
  const game = games[options.game];
  const rules = changed
    .filter((name) => name in options && name !== "game" && !LENGTH.includes(name))
    .map((name) => `${OPTIONS[name].label.toLowerCase()}: ${optionValue(name, options[name], games)}`);
  const text = game?.racing === "shared" ? "" : (game?.text ?? "");
  return { title: near?.title ?? game?.title ?? options.game, text, rules };
}

/**
 * The preset that a table belongs to or deviates from, such as "Nerts, cards in the reserve: 10".
 * @param {ReturnType<typeof nearestPreset>} near
 * @param {Record<string, any>} options
 * @param {any} games
 */
function presetText(near, options, games) {
  if (!near || near.changed.length > MAX_DEVIATIONS) return "";
  const changed = near.changed.map(
    (name) => `${OPTIONS[name].label.toLowerCase()}: ${optionValue(name, options[name], games)}`,
  );
  return [near.title, ...changed].join(", ");
}

/**
 * What differs in other options. Servers that are older than the page do not know all of them.
 * @param {Record<string, any>} wanted
 * @param {Record<string, any>} options
 */
function differing(wanted, options) {
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => value !== options[name]));
}

/**
 * What is played: a preset, or a game by itself.
 * @param {Record<string, any>} options
 * @param {any} games
 * @param {((options: object) => void) | null} apply null: they cannot be changed now
 */
function gameRow(options, games, apply) {
  const row = element("label", "option");
  const text = presetText(nearestPreset(options), options, games) || titleOf(options, games);
  row.append(
    element("span", "", LATER.preset),
    apply ? presetEditor(options, games, apply, true) : element("b", "", text),
    element("small", "", LATER.presetAbout),
  );
  return row;
}

/** @type {(options: Record<string, any>, games: any) => string} */
const titleOf = ({ game }, games) => games[game]?.title ?? game;

/**
 * @param {string} label
 * @param {HTMLElement[]} choices
 */
function choiceGroup(label, choices) {
  const node = element("optgroup");
  node.setAttribute("label", label);
  node.append(...choices);
  return node;
}

/**
 * @param {Record<string, any>} options
 * @param {any} games
 * @param {(options: object) => void} apply
 * @param {boolean} [hasGames] whether the games that no preset is called like stand below the presets
 */
function presetEditor(options, games, apply, hasGames = false) {
  const near = nearestPreset(options);
  const text = presetText(near, options, games);
  const isExact = near?.changed.length === 0;
  const choices = Object.entries(PRESETS).map(([name, { title, text: about }]) =>
    choice(name, hasGames ? title : `${title}: ${about}`, isExact && title === text),
  );
  const saved = savedPresets();
  choices.push(...saved.map(({ title }, at) => choice(String(at), title, false)));
  const current = isExact ? [] : [choice("", text || titleOf(options, games), true)];
  /** @param {string} name */
  const wanted = (name) =>
    name.startsWith(GAME)
      ? { game: name.slice(GAME.length) }
      : (PRESETS[name] ?? saved[Number(name)]).options;
  const named = Object.values(PRESETS).map(({ title }) => title);
  const others = Object.entries(games)
    .filter(([, { title }]) => !named.includes(title))
    .map(([name, { title }]) => choice(`${GAME}${name}`, title, false));
  const groups = hasGames && [choiceGroup(LATER.presets, choices), choiceGroup(LATER.otherGames, others)];
  return select(
    [...current, ...(groups || choices)],
    (name) => name && apply(differing(wanted(name), options)),
  );
}

/**
 * A mark for each house rule. To whoever may change them, each is the list of its values, and one more offers
 * the presets.
 * @param {object} options
 * @param {import("../rules/state.js").TableState} options.table
 * @param {any} options.games
 * @param {(name: string, fields: any) => void} options.command
 * @param {boolean} options.mayChange
 */
export function changeChips({ table: { options }, games, command, mayChange }) {
  /** @param {any} wanted */
  const apply = (wanted) => command("set_options", { options: wanted });
  const chips = changes(options, games).map(({ name, text, usual }) => {
    const chip = element(mayChange ? "label" : "span", "rule", text);
    if (usual) chip.append(" ", element("s", "", usual));
    if (mayChange) chip.append(picker(name, options[name], games, (next) => apply({ [name]: next })));
    return chip;
  });
  if (!mayChange) return chips;
  const presets = element("label", "others", LATER.preset);
  presets.append(presetEditor(options, games, apply));
  return [presets, ...chips];
}

/**
 * @param {string} name
 * @param {any} value
 * @param {any} games
 * @param {(value: unknown) => void} change
 */
const editor = (name, value, games, change) =>
  OPTIONS[name].values.includes(null) || typeof value !== "boolean"
    ? picker(name, value, games, change)
    : toggle(value, change);

/**
 * @param {string} name
 * @param {any} value
 * @param {any} games
 * @param {(value: unknown) => void} change
 */
function picker(name, value, games, change) {
  const choices = OPTIONS[name].values;
  const known = choices.some((each) => each === value) ? choices : [value, ...choices];
  const list = known.map((each, at) => choice(String(at), optionValue(name, each, games), each === value));
  return select(list, (at) => change(known[Number(at)]));
}

/**
 * @param {boolean} isOn
 * @param {(value: boolean) => void} change
 */
function toggle(isOn, change) {
  const node = document.createElement("input");
  node.type = "checkbox";
  node.setAttribute("role", "switch");
  node.checked = isOn;
  node.addEventListener("change", () => change(node.checked));
  return node;
}

/**
 * @param {HTMLElement[]} list
 * @param {(value: string) => void} change
 */
function select(list, change) {
  const node = document.createElement("select");
  node.append(...list);
  node.addEventListener("change", () => change(node.value));
  return node;
}
