// The options of a table in words: what each is called, what it means, and what a host can choose.

import { choice, element } from "../dom.js";

const S = 1000;
const SHORT = ["game", "hands", "target", "time_limit_ms", "turn"];

/** @type {Record<string, {label: string, about: string, choices: any[]}>} */
const OPTIONS = {
  game: { label: "Game", about: "Which game is played.", choices: [] },
  hands: { label: "Hands", about: "How many hands make a match.", choices: [1, 2, 3, 5, 7, 10] },
  target: {
    label: "Points that end the match",
    about: "The first player to reach this total ends the match.",
    choices: [null, 50, 100, 150, 200],
  },
  tie_break: {
    label: "Equal totals",
    about: "What happens when two players share the lead.",
    choices: ["joint", "hand"],
  },
  call_out: {
    label: "Going out",
    about: "Whether a player who is out must call it.",
    choices: ["auto", "shout"],
  },
  grace_ms: {
    label: "Grace after a call",
    about: "How long cards may still land after a call.",
    choices: [0, S, 2 * S, 3 * S],
  },
  stall_rule: {
    label: "When nobody can play",
    about: "Whether the hand ends, or the top card of each stock goes to its bottom.",
    choices: ["none", "rotate"],
  },
  auto_first_turn: {
    label: "Automatic first turn",
    about: "Whether the first cards are turned for everybody at the signal.",
    choices: [false, true],
  },
  on_leave: {
    label: "When a player leaves",
    about: "Whether a player who leaves keeps the points of the hand.",
    choices: ["freeze", "forfeit"],
  },
  late_join: {
    label: "Joining between hands",
    about: "Whether players may join after the first hand.",
    choices: [true, false],
  },
  seats: { label: "Seats", about: "How many players the table takes.", choices: [2, 3, 4, 5, 6, 7, 8] },
  spectators: {
    label: "Spectators",
    about: "Whether people may watch without a seat.",
    choices: [true, false],
  },
  watch_delay_ms: {
    label: "Spectators' delay",
    about: "How much later spectators see everything.",
    choices: [0, 5 * S, 15 * S, 60 * S],
  },
  pause_after_ms: {
    label: "Pause without players",
    about: "The hand pauses when fewer than two people have been connected for this long.",
    choices: [null, 5 * S, 10 * S, 30 * S],
  },
  time_limit_ms: {
    label: "Time limit",
    about: "The hand ends after this time.",
    choices: [null, 120 * S, 180 * S, 300 * S, 600 * S],
  },
  hints: { label: "Hints", about: "Whether players are shown where cards fit.", choices: [false, true] },
  countdown_ms: {
    label: "Countdown",
    about: "The time between the deal and the signal.",
    choices: [0, S, 3 * S, 5 * S, 10 * S],
  },
  tally_ms: {
    label: "Tally",
    about: "How long the tally stays before the next hand.",
    choices: [5 * S, 10 * S, 20 * S, 60 * S],
  },
  turn: {
    label: "Cards turned at a time",
    about: "How many cards of the stock are turned at a time.",
    choices: [null, 1, 2, 3],
  },
  redeals: {
    label: "Redeals",
    about: "How often the stock may be dealt again.",
    choices: [null, 0, 1, 2, 3],
  },
  shuffle: {
    label: "Shuffle at redeals",
    about: "Whether the stock is shuffled at each redeal.",
    choices: [null, false, true],
  },
  tail_rule: {
    label: "The stock's last cards",
    about: "Whether either of the last two may be used.",
    choices: [null, "top", "either2"],
  },
  waste_view: {
    label: "Visible waste cards",
    about: "How many cards of the waste lie face up.",
    choices: [null, 1, 2, 3],
  },
  take_back: {
    label: "Taking cards back",
    about: "Whether cards may leave the foundations again.",
    choices: [null, "never", "free", "to_space"],
  },
  forced_bases: {
    label: "First cards must go up",
    about: "Whether a card that starts a foundation must be played first.",
    choices: [null, false, true],
  },
  columns: { label: "Columns", about: "How many columns each player has.", choices: [null, 3, 4, 5, 6, 7] },
  columns_by_players: {
    label: "Fewer columns for many",
    about: "Six columns for one or two players, five for three, four for more.",
    choices: [false, true],
  },
  reserve: {
    label: "Cards in the reserve",
    about: "How many cards each reserve gets.",
    choices: [null, 7, 10, 13, 16],
  },
  reserve_card: {
    label: "Points per reserve card",
    about: "The points for each card that is left in the reserve.",
    choices: [null, -3, -2, -1, 0],
  },
  out_bonus: {
    label: "Points for going out",
    about: "The bonus for going out.",
    choices: [null, 0, 5, 10, 20],
  },
};

/** @type {Record<string, string>} */
const WORDS = {
  auto: "automatic",
  shout: "when the player calls",
  none: "the hand ends",
  rotate: "stocks move on by a card",
  joint: "joint winners",
  hand: "another hand",
  freeze: "points so far count",
  forfeit: "the hand scores nothing",
  top: "the top one",
  either2: "either of the last two",
  never: "never",
  free: "yes",
  to_space: "only into a space",
};

/** @type {Record<string, string>} */
const NONE = { target: "none", pause_after_ms: "never", time_limit_ms: "none" };

/**
 * The value of an option in words, such as "1 s", "yes" or "the game's own".
 * @param {string} name
 * @param {any} value
 * @param {any} games
 */
function optionValue(name, value, games) {
  if (name === "game") return games[value]?.title ?? value;
  if (value === null) return NONE[name] ?? "the game's own";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (name.endsWith("_ms"))
    return value > 0 && value % 60000 === 0 ? `${value / 60000} min` : `${value / 1000} s`;
  return WORDS[value] ?? String(value);
}

/**
 * The options of a table, a row each; where they may be changed, with a list of choices.
 * @param {object} given
 * @param {import("../rules/state.js").TableState} given.table
 * @param {any} given.games
 * @param {(name: string, fields: any) => void} given.command
 * @param {boolean} given.mayChange
 * @param {boolean} given.showsAll with the rarely used ones, and what each means
 */
export function optionRows({ table, games, command, mayChange, showsAll }) {
  const names = Object.keys(OPTIONS).filter(
    (name) => name in table.options && (showsAll || SHORT.includes(name)),
  );
  return names.map((name) => {
    const { label, about } = OPTIONS[name];
    const value = table.options[name];
    const row = element("label", "option");
    row.title = about;
    row.append(element("span", "", label));
    /** @param {unknown} next */
    const change = (next) => command("set_options", { options: { [name]: next } });
    row.append(
      mayChange ? editor(name, value, games, change) : element("b", "", optionValue(name, value, games)),
    );
    if (showsAll) row.append(element("small", "", about));
    return row;
  });
}

/**
 * @param {string} name
 * @param {any} value
 * @param {any} games
 * @param {(value: unknown) => void} change
 */
function editor(name, value, games, change) {
  const { choices } = OPTIONS[name];
  if (name === "game") {
    return select(
      Object.entries(games).map(([key, game]) => choice(key, game.title, key === value)),
      change,
    );
  }
  const known = choices.some((each) => each === value) ? choices : [value, ...choices];
  const list = known.map((each, at) => choice(String(at), optionValue(name, each, games), each === value));
  return select(list, (at) => change(known[Number(at)]));
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
