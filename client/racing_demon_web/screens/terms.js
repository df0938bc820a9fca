// What is played at a table, in a sentence, and its house rules. The phrases are Python's.

import { CHIPS, COUNTS, OPTIONS, SAID, VALUES } from "../wire/options.js";
import { DEFAULTS, PRESETS } from "../wire/presets.js";
import { PHRASES } from "../wire/protocol.js";
import { filled, lengthText } from "../words.js";
import { LATER } from "../words_later.js";

export const LENGTH = ["hands", "target", "win_lead"]; // the options that say how long a match is

/**
 * The value of an option in words, such as "1 s", "yes" or "the game's own".
 * @param {string} name
 * @param {any} value
 * @param {any} games
 */
export function optionValue(name, value, games) {
  if (name === "game") return games[value]?.title ?? value;
  if (value === null) return OPTIONS[name].unset;
  if (typeof value === "boolean") return value ? LATER.yes : LATER.no;
  if (name.endsWith("_ms")) return LATER.time(value);
  return VALUES[value] ?? String(value);
}

/** What a game is compared with that has no preset. @type {{options: any, usual: Record<string, string>}} */
const GAMES_OWN = { options: DEFAULTS, usual: {} };

/**
 * The preset nearest to a table's options, and the options that differ from it; the length of a match counts less.
 * @param {Record<string, any>} options
 */
export function nearestPreset(options) {
  const near = Object.values(PRESETS)
    .filter((preset) => preset.options.game === options.game)
    .map((preset) => ({ ...preset, changed: changed(options, preset.options) }));
  /** @param {{changed: string[]}} each */
  const rules = (each) => each.changed.filter((name) => !LENGTH.includes(name)).length;
  near.sort((one, other) => rules(one) - rules(other) || one.changed.length - other.changed.length);
  return near[0];
}

/**
 * The names of the options that differ. Servers that are older than the page do not know all of them.
 * @param {Record<string, any>} options
 * @param {Record<string, any>} usual
 */
const changed = (options, usual) =>
  Object.keys(usual).filter((name) => name in options && usual[name] !== options[name]);

/**
 * What people call a table's game: its preset's title, or the game's own.
 * @param {Record<string, any>} options
 * @param {any} games
 */
export const nameText = (options, games) =>
  nearestPreset(options)?.title ?? games[options.game]?.title ?? options.game;

/**
 * What is played, and for how long: "Nerts, first to 100".
 * @param {Record<string, any>} options
 * @param {any} games
 */
export const titleText = (options, games) => `${nameText(options, games)}, ${lengthText(options)}`;

/**
 * What else to know before the first card: "three cards at a time", "hints on".
 * @param {Record<string, any>} options
 * @param {any} games
 * @param {number} players
 * @param {string | null} [knownDeal]
 */
export function terms(options, games, players, knownDeal) {
  const { groups = [], rounds = [] } = games[options.game] ?? {};
  const turns =
    rounds.length === 0 &&
    ["stock", "waste"].every((kind) => groups.some((/** @type {any} */ each) => each.kind === kind));
  const own = options.turn_by_players && players <= 2 ? 1 : games[options.game]?.options.turn;
  const turn = turns ? (options.turn ?? own) : 0;
  const each = options.reserve_card ?? games[options.game]?.reserve_card ?? 0;
  const isChange = changes(options, games).some(({ name }) => name === "reserve_card");
  return [
    ...(turn ? [turn === 1 ? PHRASES.turn_one : filled(PHRASES.turn, COUNTS[turn])] : []),
    ...(each < 0 && !isChange ? [filled(PHRASES.reserve, each)] : []),
    ...(options.hints ? [PHRASES.hints] : []),
    ...(options.casual ? [PHRASES.casual] : []),
    ...(knownDeal ? [PHRASES.known] : []),
  ];
}

/**
 * The house rules of a table: each with what it replaces, which is empty if that goes without saying.
 * @param {Record<string, any>} options
 * @param {any} games
 * @returns {{name: string, text: string, usual: string}[]}
 */
export function changes(options, games) {
  const { options: usual, usual: words } = nearestPreset(options) ?? GAMES_OWN;
  return Object.keys(OPTIONS)
    .filter((name) => changed(options, usual).includes(name) && name !== "game" && !SAID.includes(name))
    .map((name) => ({ name, text: changeText(name, options[name], games), usual: words[name] ?? "" }));
}

/**
 * A house rule in a few words: "reserve of 10", "reserve face up".
 * @param {string} name
 * @param {any} value
 * @param {any} games
 */
function changeText(name, value, games) {
  const label = OPTIONS[name].label.charAt(0).toLowerCase() + OPTIONS[name].label.slice(1);
  if (value === true) return label;
  const words = optionValue(name, value, games);
  return CHIPS[name] && value !== null ? filled(CHIPS[name], words) : `${label}: ${words}`;
}
