// What keys mean, on keyboards as they are.

import assert from "node:assert/strict";
import test from "node:test";
import { caps, keyMeaning, learnCap } from "../../client/racing_demon_web/table/keyboard.js";

const key = (code, key, more = {}) => ({
  code,
  key,
  shiftKey: false,
  ctrlKey: false,
  altKey: false,
  metaKey: false,
  ...more,
});

const MEANINGS = [
  ["the place counts, whatever is on it", key("KeyA", "q"), { name: "column", column: 0 }],
  ["the row above sends up", key("KeyW", "z"), { name: "up", column: 1 }],
  ["a letter without a place", key("", "a"), { name: "column", column: 0 }],
  ["a capital without a place", key("Unidentified", "V"), { name: "stuck" }],
  ["a blank without a place", key("", " "), { name: "turn" }],
  ["a semicolon without a place", key("", ";"), { name: "waste" }],
  ["a digit without a place", key("", "3"), { name: "react", number: 2 }],
  ["a digit of the numpad", key("Numpad3", "3"), { name: "react", number: 2 }],
  ["a numpad that moves about", key("Numpad3", "PageDown"), null],
  ["a question mark, wherever it is", key("KeyM", "?", { shiftKey: true }), { name: "help" }],
  ["a shortcut of the browser", key("KeyA", "a", { ctrlKey: true }), null],
  ["a letter of another script without a place", key("", "ф"), null],
];

for (const [what, event, meaning] of MEANINGS) test(what, () => assert.deepEqual(keyMeaning(event), meaning));

test("what is printed on keys is learned as they are pressed, but not from shifted ones", () => {
  learnCap(key("KeyQ", "a"));
  learnCap(key("KeyW", "Z", { shiftKey: true }));
  assert.deepEqual([...caps], [["KeyQ", "A"]]);
});
