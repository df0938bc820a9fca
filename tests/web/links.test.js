// Codes in whatever people type and paste.

import assert from "node:assert/strict";
import test from "node:test";
import { codeIn, pathOf, readCode } from "../../client/racing_demon_web/links.js";

const ALONE = ["BCDF", " bcdf ", "BC DF", "bc-df", "#BCDF", '"BCDF"', "BCDF.", "ＢＣＤＦ", "BCDF\u200b"];
const LINKS = [
  "http://cards.example:5252/BCDF",
  "http://cards.example:5252/BCDF.",
  "http://cards.example:5252/BCDF?tv",
  "cards.example:5252/BCDF",
  "ws://cards.example:5252/v1#BCDF",
  "Come: http://cards.example:5252/bcdf!",
  "racing-demon join http://cards.example:5252/BCDF",
  "HTTP://Cards.Example:5252/bcdf",
];

for (const typed of ALONE)
  test(`a code alone: ${typed}`, () =>
    assert.deepEqual(readCode(typed), { code: "BCDF", server: "", scheme: "http" }));

for (const typed of LINKS)
  test(`a code in a link: ${typed}`, () =>
    assert.deepEqual(readCode(typed), { code: "BCDF", server: "cards.example:5252", scheme: "http" }));

for (const scheme of ["https", "wss", "HTTPS"])
  test(`a safe server: ${scheme}`, () =>
    assert.equal(readCode(`${scheme}://cards.example/BCDF`).scheme, "https"));

for (const behind of [
  "/BCDF",
  "/BCDF?tv",
  "/BCDF#seat=00",
  "/#7BCDFGHJKLMNPQ23",
  "/?tv#7BCDFGHJKLMNPQ23",
  "/v1#BCDF",
])
  test(`a server below a path: ${behind}`, () =>
    assert.equal(readCode(`https://Cards.example/Games/cards${behind}`).server, "cards.example/Games/cards"));

test("nothing typed is no code", () => assert.equal(readCode("").code, ""));

const WORD = "7BCDFGHJKLMNPQ23";

test("an invitation over the internet stands behind #, as a link or a line", () => {
  for (const typed of [
    `https://four-quiet-word-names.trycloudflare.com/#${WORD}`,
    `racing-demon join https://four-quiet-word-names.trycloudflare.com/#${WORD.toLowerCase()}`,
  ]) {
    const server = "four-quiet-word-names.trycloudflare.com";
    assert.deepEqual(readCode(typed), { code: WORD, server, scheme: "https" });
  }
  assert.equal(readCode(` ${WORD.toLowerCase()} `).code, WORD);
  assert.equal(codeIn(new URL(`https://name.example/?tv#${WORD}`)), WORD);
  assert.equal(codeIn(new URL(`https://name.example/#${WORD},seat=${"0f".repeat(32)}`)), WORD);
  assert.equal(codeIn(new URL("http://192.168.1.5:5252/BCDF#seat=00")), "BCDF");
  assert.deepEqual([pathOf(WORD, "?tv"), pathOf("BCDF", "?tv")], [`/?tv#${WORD}`, "/BCDF?tv"]);
});
