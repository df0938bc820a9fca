// Addresses of the page, and whatever people type and paste.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { codeIn, pathOf } from "../../client/racing_demon_web/links.js";
import { readPasted } from "../../client/racing_demon_web/pasted_link.js";

const ADDRESSES = JSON.parse(readFileSync(new URL("../client/addresses.json", import.meta.url), "utf8"));
const OWN = "http://cards.example:5252";
const WORD = "7BCDFGHJKLMNPQ23";
const SEAT = `seat=${"0f".repeat(32)}`;

for (const [typed, url, code] of ADDRESSES)
  test(`as the terminal reads it: ${typed}`, () => {
    const read = readPasted(typed);
    const socket = read.server && `${read.server.replace(/^http/, "ws")}/v1`;
    assert.deepEqual([socket, read.code], [url, code.toUpperCase()]);
  });

for (const typed of [" bcdf ", "BC DF", "bc-df"])
  test(`a code alone: ${typed}`, () =>
    assert.deepEqual(readPasted(typed), { code: "BCDF", server: "", elsewhere: "" }));

for (const typed of ["/BCDF", "/bcdf.", "/BCDF/", "/BCDF?tv", "/v1#BCDF", "/#BCDF", ""])
  test(`this server: ${typed}`, () => {
    const { code, elsewhere } = readPasted(`Cards.Example:5252${typed}`, OWN);
    assert.deepEqual([code, elsewhere], [typed && "BCDF", ""]);
  });

test("this server below a path", () => {
  const own = "https://cards.example/games/cards";
  for (const [behind, code] of [
    ["", ""],
    ["/", ""],
    ["/BCDF", "BCDF"],
    ["/BCDF/", "BCDF"],
    [`/#${WORD}`, WORD],
  ])
    assert.deepEqual(readPasted(own + behind, own), {
      code,
      server: "https://cards.example:443/games/cards",
      elsewhere: "",
    });
});

for (const [typed, elsewhere] of [
  ["192.168.1.5/BCDF", "http://192.168.1.5:5252/BCDF"],
  ["wss://club.example/v1#BCDF", "https://club.example:443/BCDF"],
  ["http://club.example/games/cards/", "http://club.example:80/games/cards/"],
  ["http://club.example/games/cards", "http://club.example:80/games/cards"],
  [`https://club.example/?tv#${WORD}`, `https://club.example:443/#${WORD}`],
  [`https://club.example/BCDF#${SEAT}`, `https://club.example:443/BCDF#${SEAT}`],
  [`${OWN}/#${WORD},${SEAT}`, `${OWN}/#${WORD},${SEAT}`],
  [`${OWN}/you#BCDFGH,Ann`, `${OWN}/you#BCDFGH,Ann`],
  ["https://club.example/cards/match/aB_-9?from=3", "https://club.example:443/cards/match/aB_-9?from=3"],
])
  test(`it leads elsewhere: ${typed}`, () => assert.equal(readPasted(typed, OWN).elsewhere, elsewhere));

for (const typed of ["", "ftp://club.example/BCDF", "http://", "http://my host/"])
  test(`no code: ${typed}`, () => assert.equal(readPasted(typed, OWN).code, ""));

test("an invitation over the internet stands behind #", () => {
  assert.equal(readPasted(` ${WORD.toLowerCase()} `).code, WORD);
  assert.equal(codeIn(new URL(`https://name.example/?tv#${WORD}`)), WORD);
  assert.equal(codeIn(new URL(`https://name.example/#${WORD},${SEAT}`)), WORD);
  assert.equal(codeIn(new URL("http://192.168.1.5:5252/BCDF#seat=00")), "BCDF");
  assert.deepEqual([pathOf(WORD, "?tv"), pathOf("BCDF", "?tv")], [`/?tv#${WORD}`, "/BCDF?tv"]);
});
