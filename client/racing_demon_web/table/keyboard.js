// Keys at the table, the same as in the terminal: what each does, and what is printed on it.

import { FOUNDATIONS } from "../rules/layout.js";
import { REACTIONS } from "../wire/protocol.js";

/** @import { MoveInput } from "./move_input.js" */

/** The keys of the columns; those above send their cards up. */
export const COLUMNS = ["KeyA", "KeyS", "KeyD", "KeyF", "KeyJ", "KeyK", "KeyL"];
const ABOVE = ["KeyQ", "KeyW", "KeyE", "KeyR", "KeyU", "KeyI", "KeyO"];

/** What is printed on the keys pressed so far, by code: keyboards differ. @type {Map<string, string>} */
export const caps = new Map();

/**
 * Learn what is printed on a key.
 * @param {KeyboardEvent} event
 */
export function learnCap({ code, key, shiftKey, ctrlKey, altKey, metaKey }) {
  if (/^Key|^Semicolon/.test(code) && key.length === 1 && !shiftKey && !ctrlKey && !altKey && !metaKey)
    caps.set(code, key.toUpperCase());
}

/**
 * The code of a key. Remote desktops and some on-screen keyboards report none; then the character decides.
 * @param {KeyboardEvent} event
 */
function placeOf({ code, key }) {
  if (/^Numpad\d$/.test(code)) return `Digit${key}`; // without Num Lock these are arrow keys
  if (code && code !== "Unidentified") return code;
  return /^[a-z]$/i.test(key)
    ? `Key${key.toUpperCase()}`
    : ({ " ": "Space", ";": "Semicolon" }[key] ?? (/^\d$/.test(key) ? `Digit${key}` : key));
}

/**
 * The action of a key.
 * @param {KeyboardEvent} event
 * @returns {{name: string, column?: number, number?: number} | null}
 */
export function keyMeaning(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  if (event.key === "?") return { name: "help" };
  const code = placeOf(event);
  if (COLUMNS.includes(code)) return { name: "column", column: COLUMNS.indexOf(code) };
  if (ABOVE.includes(code)) return { name: "up", column: ABOVE.indexOf(code) };
  if (/^Digit[1-6]$/.test(code)) return { name: "react", number: Number(code.slice(5)) - 1 };
  return (
    {
      Space: { name: "turn" },
      KeyP: { name: "waste-up" },
      Semicolon: { name: "waste" },
      KeyV: { name: "stuck" },
      KeyB: { name: "hint" },
      KeyN: { name: "shift" },
      KeyH: { name: "reserve" },
      KeyY: { name: "reserve-up" },
      Escape: { name: "put-down" },
    }[code] ?? null
  );
}

/**
 * Do what a key means.
 * @param {MoveInput} input
 * @param {KeyboardEvent} event
 */
export function press(input, event) {
  const { screen, shown } = input;
  learnCap(event);
  if (event.repeat && event.key === "Enter") event.preventDefault(); // otherwise the button is pressed repeatedly
  if (event.target instanceof Element && /input|textarea|select/i.test(event.target.tagName)) return;
  const meaning = keyMeaning(event);
  const isPlayed = !screen.root.hidden && screen.session && shown;
  if (!meaning || (!isPlayed && meaning.name !== "help") || document.querySelector(".sheet:not([hidden])"))
    return;
  if (meaning.name === "turn" && event.target instanceof HTMLButtonElement) event.target.blur();
  event.preventDefault();
  if (!event.repeat) act(input, meaning); // a held key acts once
}

/**
 * @param {MoveInput} input
 * @param {{name: string, column?: number, number?: number}} meaning
 */
function act(input, { name, column = 0, number = 0 }) {
  const { screen } = input;
  /**
   * @param {string} kind
   * @param {number} [index]
   */
  const own = (kind, index = 0) => input.shown?.layout.own(input.place, kind)[index]?.number;
  /** @param {number | undefined} pile */
  const up = (pile) =>
    pile !== undefined && input.send({ source: pile, count: 1, destination: FOUNDATIONS }, "up");
  /** @param {number | undefined} pile */
  const tap = (pile) => pile !== undefined && input.tap({ pile, count: 1 });
  /** @type {Record<string, () => void>} */
  const acts = {
    turn: () => input.turn(own("stock")),
    column: () => tap(own("tableau", column)),
    up: () => up(own("tableau", column)),
    waste: () => tap(own("waste")),
    "waste-up": () => up(own("waste")),
    reserve: () => tap(own("reserve")),
    "reserve-up": () => up(own("reserve")),
    stuck: () => input.stuck(),
    shift: () => input.shift(),
    hint: () => screen.hint(),
    help: () => screen.openHelp(),
    "put-down": () => input.putDown(),
    react: () => screen.session?.command("react", { reaction: Object.keys(REACTIONS)[number] }),
  };
  acts[name]();
}
