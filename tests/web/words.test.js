// What players read.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { placesOf } from "../../client/racing_demon_web/rules/places.js";
import { placeOf } from "../../client/racing_demon_web/screens/moments.js";
import { withLabels } from "../../client/racing_demon_web/screens/options.js";
import { OPTIONS, VALUES } from "../../client/racing_demon_web/wire/options.js";
import * as words from "../../client/racing_demon_web/words.js";
import * as later from "../../client/racing_demon_web/words_later.js";

const { WORDS } = words;
const table = { nameOf: (seat) => ["Ann", "Ben", "Cat"][seat], results: [] };

test("a player's team is told until there are points of teams", () => {
  const [seat, own] = [{ seat: 1, team: 0, connected: true }, 0];
  assert.equal(words.seatState({ host: 0, results: [] }, seat, own), "team A");
  assert.equal(words.seatState({ host: 0, results: [{}] }, seat, own), "");
});

test("spans, clocks and names", () => {
  assert.equal(words.span(12_345), "12 ms");
  assert.equal(words.span(400), "less than 1 ms");
  assert.equal(words.span(312_000), "0.3 s");
  assert.equal(words.clock(102_900), "1:42");
  assert.equal(words.clock(-1), "0:00");
  assert.equal(words.inWords(["Ann", "Ben", "Cat"]), "Ann, Ben and Cat");
  assert.equal(words.inWords([]), "");
  assert.deepEqual(words.namesOf(table, [0, 1], 1), ["You", "Ann"]);
  assert.equal(later.plural(1, "hand"), "1 hand");
  assert.equal(later.plural(0, "hand"), "0 hands");
  assert.equal(later.signed(3), "+3");
  assert.equal(later.signed(-3), "-3");
});

test("who has as much shares a place", () => {
  const same = (one, other) => one === other;
  assert.deepEqual(placesOf([9, 7, 7, 3], same), [1, 2, 2, 4]);
  assert.deepEqual(placesOf([5, 5, 5], same, 50), [51, 51, 51]);
  assert.deepEqual(placesOf([], same), []);
});

test("a lost race has a name and a span", () => {
  assert.equal(WORDS.faster("Ben", 41_900), "Ben was 42 ms faster");
});

test("the player's points and rank", () => {
  const points = new Map([
    [0, 12],
    [1, 3],
    [2, 15],
  ]);
  const hand = { points: () => points, rankOf: (seat) => [2, 3, 1][seat], handSeats: [0, 1, 2] };
  assert.equal(words.standing(hand, 0), "you 12, 2nd of 3");
  assert.equal(words.standing(hand, 1), "you 3, 3rd of 3");
  assert.equal(words.standing(hand, 7), "");
  points.forEach((_, seat) => points.set(seat, 3));
  assert.equal(words.standing(hand, 0), "you 3");
});

test("cards have names for eyes and ears", () => {
  assert.equal(words.short(11), "Q♠");
  assert.equal(words.faceName(52 + 13), "ace of hearts");
  assert.equal(words.faceName(-1), "a card face down");
});

test("events are sentences; who reads them is you", () => {
  const say = (name, fields, own = null) => later.eventSentence(table, name, fields, own);
  assert.equal(say("joined", { seat: 0 }, 0), "You have joined.");
  assert.equal(say("joined", { seat: 0 }, 1), "Ann has joined.");
  assert.equal(say("hosted", { seat: 1 }, 0), "Ben is the host now.");
  assert.match(say("hosted", { seat: 0, absent_host: null }, 0), /^You are the host now: you deal/);
  assert.match(say("hosted", { seat: 0, absent_host: 1 }, 0), /^You are the host now, until Ben is back: /);
  assert.match(
    say("hosted", { seat: 0, absent_host: null, absent_watcher: true }, 0),
    /, until whoever opened the table is back: /,
  );
  assert.equal(say("hosted", { seat: null, absent_host: null }, 0), "");
  assert.equal(say("connected", { seat: 0, connected: false }, 0), "");
  assert.equal(say("hand_over", { reason: "out", out: 1 }), "Ben went out.");
  assert.equal(say("hand_over", { reason: "stuck", out: null }), "Everybody is stuck.");
  assert.equal(say("match_over", { winners: [2, 0] }, 0), "The match is over. You and Cat won.");
  assert.equal(say("match_over", { winners: [] }), "The match is over. Nobody won.");
  const teams = { ...table, results: [{ seats: [0, 1, 2], teams: [1, 0, 1] }] };
  assert.equal(
    later.eventSentence(teams, "match_over", { winners: [2, 0] }, 0),
    "The match is over. Team B won.",
  );
  assert.equal(say("invented", {}), "");
});

test("a refusal that the page has no words for is told in the server's", () => {
  assert.equal(words.refusalText({ reason: "invented", text: "No." }), "No.");
  assert.equal(words.refusalText({ reason: "paused", text: "" }), "The table is paused.");
});

test("a shuffle that nobody took part in is not said to be fair", () => {
  const told = later.proofWords({ contributions: 0, cards: 56, drawn: [], free: [] }, false, table.nameOf);
  assert.match(
    told,
    /^No player took part in this shuffle\. Your browser has dealt the hand again: all 56 cards match/,
  );
});

test("who could choose between deals is told", () => {
  const told = later.proofWords({ contributions: 2, cards: 9, drawn: [1], free: [2] }, true, table.nameOf);
  assert.match(told, /^You and 1 other took part/);
  assert.match(told, /without Ben and Cat.*could choose between 3 deals\./);
  assert.match(told, /Whether each play was allowed is for racing-demon verify to check\.$/);
});

test("the page names no words that are not there, and there are none that it does not name", () => {
  const page = readFileSync(new URL("../../client/racing_demon_web/index.html", import.meta.url), "utf8");
  const named = [...page.matchAll(/data-(?:word|label)="(\w+)"/g)].map(([, name]) => name);
  assert.deepEqual(
    named.filter((name) => typeof WORDS[name] !== "string"),
    [],
  );
});

test("each option offers something, in words", () => {
  for (const [name, { label, about, values, unset }] of Object.entries(OPTIONS)) {
    assert.ok(label && about, name);
    assert.ok(name === "game" || values.length > 1, name);
    for (const value of values)
      assert.ok(value === null ? unset : typeof value !== "string" || VALUES[value], name);
  }
});

test("a refusal calls options as the form does", () => {
  assert.equal(withLabels("the option 'spaces' and 'Ann'"), `the option “${OPTIONS.spaces.label}” and 'Ann'`);
});

test("a host reads why something cannot be", () => {
  for (const reason of ["not_now", "bad_option"]) {
    assert.equal(words.refusalText({ reason, text: "All are in one team." }), "All are in one team.");
  }
});

test("what cost most in a hand is a sentence, as in the terminal", () => {
  const [three, ace] = [2, 13];
  const moment = { seat: 0, card: three, points: 1, waited: 9_340_000, seq: 7, winner: 1, opened: null };
  const told = (changes) => later.MOMENTS.sentence({ ...moment, ...changes }, table.nameOf, 0);
  assert.equal(told({}), "Your 3♠ could go up for 9.3 seconds; Ben’s went instead. That cost 1 point.");
  assert.equal(
    told({ card: ace, points: 3, waited: 21_000_000, winner: null, opened: three }),
    "Your A♥ could go up for 21 seconds, and never did. That cost 3 points. Beneath it lay the 3♠.",
  );
  assert.equal(
    told({ seat: 1, points: 0, waited: 1_000_000, winner: null }),
    "Ben’s 3♠ could go up for 1 second before it did.",
  );
  assert.equal(
    told({ seat: 1, waited: 0, winner: 0 }),
    "Ben’s 3♠ could go up; yours went instead. That cost 1 point.",
  );
  const record = { events: [5, 6, 7].map((seq) => ({ name: "played", fields: { seq } })) };
  assert.equal(placeOf(record, moment), 1, "before the card that took the place");
  assert.equal(placeOf(record, { ...moment, winner: null }), 2, "after the one that made it ready");
});

test("an evening past midnight has the days of its matches", () => {
  const [late, night] = [new Date(2026, 10, 30, 23, 50), new Date(2026, 11, 1, 0, 20)].map(Number);
  const [before, after] = [late, night].map(later.dateText);
  assert.equal(later.LATER.evening(night, night, 1, 0, 3), `${after} · 1 match, 0 won · 3 points`);
  assert.equal(
    later.LATER.evening(late, night, 2, 1, 3),
    `${before} – ${after} · 2 matches, 1 won · 3 points`,
  );
});

test("few who are not ready are named", () => {
  const state = (seat, name, ready) => ({ seat, name, ready, bot: null });
  const here = [state(0, "Ann", false), state(1, "Ben", false), state(2, "Cat", true)];
  assert.equal(later.readyWords({ phase: "tally" }, here, 1), "1 of 3 ready · waiting for Ann and you");
  assert.equal(
    later.readyWords({ phase: "over" }, here.slice(1), null),
    "Rematch? 1 of 2 ready · waiting for Ben",
  );
  assert.equal(later.readyWords({ phase: "lobby" }, here, 1), "1 of 3 ready");
  assert.equal(later.readyWords({ phase: "lobby" }, here.slice(0, 1), 0), "");
});

test("speed is told with what it would have brought, and that others would have answered", () => {
  const within = [
    { us: 100_000, races: 2, cards: 0 },
    { us: 200_000, races: 5, cards: 2 },
  ];
  assert.deepEqual(later.SPEED.lines({ within, distance: 1, pingMs: 38 }), [
    "5 races were lost by 0.2 s or less; 2 of their cards never went up.",
    "Being faster would have brought 0 cards by 0.1 s and 2 cards by 0.2 s, had nobody answered. Others would have.",
    "1 race was lost by less than your way to the server and back takes (38 ms): that is distance, not speed.",
  ]);
  assert.deepEqual(later.SPEED.lines({ within: [within[0]], distance: 0, pingMs: 38 }), [
    "2 races were lost by 0.1 s or less; their cards went up later.",
  ]);
});
