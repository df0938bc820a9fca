// The fold over a table's events; vectors.js compares whole matches with Python's.

import assert from "node:assert/strict";
import test from "node:test";
import { seatColors } from "../../client/racing_demon_web/rules/colors.js";
import { dealtHandicaps } from "../../client/racing_demon_web/rules/handicaps.js";
import { Layout } from "../../client/racing_demon_web/rules/layout.js";
import { TableState } from "../../client/racing_demon_web/rules/state.js";
import { teamTotals } from "../../client/racing_demon_web/rules/teams.js";
import { HandTranscript } from "../../client/racing_demon_web/wire/commit_reveal.js";
import { games } from "./games.js";

const DEALT = { seats: [0], shown: [], countdown_ms: 3000, left_out: [] };

/** A table with Ann, and with Ben where somebody else is needed. */
function tableOf(...names) {
  const table = new TableState(games);
  table.options = { game: "racing-demon", tally_ms: 20_000 };
  names.forEach((name, seat) => apply(table, "joined", { seat, name, bot: "" }));
  return table;
}

const apply = (table, name, fields = {}, now = 0) =>
  table.apply(name, { seq: table.seq + 1, ...fields }, now);

function deal(table, hand, now) {
  apply(table, "committed", { hand, commitment: `hand ${hand}` });
  const shown = [...Array(7).keys()].flatMap((at) => (table.seats.size > 1 ? [at, at + 52] : [at]));
  apply(table, "dealt", { ...DEALT, seats: [...table.seats.keys()], shown }, now);
}

test("an event that is missing is not passed over", () => {
  const table = tableOf("Ann");
  assert.throws(
    () => table.apply("readied", { seq: table.seq + 2, seat: 0, ready: true }, 0),
    /event 3 after 1/,
  );
});

test("an event of a later server changes nothing but the number", () => {
  const table = tableOf("Ann");
  apply(table, "invented");
  assert.equal(table.seq, 2);
});

test("plays leave the snapshot as it came, for a replay of what follows", () => {
  const dealt = tableOf("Ann");
  deal(dealt, 1, 0);
  const [stock, waste] = ["stock", "waste"].map((kind) => dealt.hand.layout.own(0, kind)[0].number);
  const came = JSON.stringify({
    ...{ code: "BCDF", options: dealt.options, host: 0, phase: "playing", seats: [[0, "Ann"]], hand: 1 },
    ...{ commitment: "", hand_seats: [0], piles: dealt.hand.board.cards, redeals: [0], shifts: [0] },
    ...{ elapsed_ms: 0, called: null, results: [], winners: [], paused: false, locked: false },
    ...{ progress: [], since: [], departed: [], banned: [], shuffle: null, next_shuffle: null },
    ...{
      handicaps: [],
      waiting: [],
      entry_closed: false,
      last_hand: 0,
      sitting_out: [],
      late_start: false,
      starts: [],
      known_deal: null,
      seq: 4,
    },
  });
  const fields = JSON.parse(came);
  const table = new TableState(games);
  table.apply("snapshot", fields, 0);
  apply(table, "played", { seat: 0, source: stock, count: 1, destination: waste, depth: 0, shown: [3] });
  assert.deepEqual(table.hand.board.cards[waste], [3]);
  assert.deepEqual(fields, JSON.parse(came));
});

test("the last board lies there until the next deal", () => {
  const table = tableOf("Ann", "Ben");
  deal(table, 1, 0);
  const { hand } = table;
  apply(table, "hand_over", { reason: "stuck", out: null, elapsed_ms: 5, points: [1, 2] });
  apply(table, "committed", { hand: 2, commitment: "hand 2" });
  assert.equal(table.hand, hand);
  assert.equal(table.hand.deal, "hand 1");
});

test("other options take the last board away, and ask all anew whether they are ready", () => {
  const table = tableOf("Ann", "Ben");
  deal(table, 1, 0);
  apply(table, "hand_over", { reason: "stuck", out: null, elapsed_ms: 5, points: [1, 2] });
  apply(table, "match_over", { winners: [1] });
  apply(table, "readied", { seat: 0, ready: true });
  apply(table, "options_set", { options: { game: "classic" } });
  assert.equal(table.hand, null);
  assert.deepEqual(table.handSeats, []);
  assert.ok([...table.seats.values()].every(({ ready }) => !ready));
});

test("the clock counts down to the signal, and stands still in a pause", () => {
  const table = tableOf("Ann", "Ben");
  deal(table, 1, 1000);
  assert.equal(table.elapsed(2000), -2000);
  apply(table, "signalled", {}, 4000);
  apply(table, "paused", {}, 5000);
  assert.equal(table.elapsed(9000), 1000);
  apply(table, "continued", { elapsed_ms: 1000 }, 9000);
  assert.equal(table.elapsed(9500), 1500);
});

test("who starts later waits as much longer than the first to start", () => {
  const handicaps = [
    [0, 5, 0],
    [0, 20, 0],
  ];
  const layout = new Layout(games["racing-demon"], [0, 2], { seats: 3 }, handicaps);
  assert.deepEqual(
    [0, 1, 2].map((seat) => layout.waitMs(seat)),
    [0, 0, 15_000],
  );
});

test("whose own colour somebody else has chosen gets one that is free", () => {
  const seats = new Map([1, null, null].map((color, seat) => [seat, { color }]));
  assert.deepEqual(Object.fromEntries(seatColors(seats)), { 0: 1, 1: 0, 2: 2 });
});

test("automatic handicaps follow who was best, and who had nothing", () => {
  const results = [
    { seats: [0, 1], out: 0, points: [10, 20], handicaps: [] },
    { seats: [0, 1], out: null, points: [3, -1], handicaps: [] },
  ];
  const { seats } = tableOf("Ann", "Ben");
  const options = { handicap: "auto", reserve: null };
  assert.deepEqual(dealtHandicaps({ options, seats, results }, games.classic, [0, 1]), [
    [2, 0, 0],
    [-1, 0, 0],
  ]);
});

test("who is kicked is banned, and no longer when let back in", () => {
  const table = tableOf("Ann", "Ben");
  apply(table, "left", { seat: 1, kicked: true });
  assert.deepEqual(table.banned, ["Ben"]);
  apply(table, "unbanned", { name: "Ben" });
  assert.deepEqual(table.banned, []);
});

test("a table that is locked is unlocked by the next event", () => {
  const table = tableOf("Ann");
  apply(table, "entry_closed", { closed: true });
  assert.equal(table.entryClosed, true);
  apply(table, "entry_closed", { closed: false });
  assert.equal(table.entryClosed, false);
});

test("a match that the host ends with a hand is followed by one that goes on", () => {
  const table = tableOf("Ann", "Ben");
  deal(table, 1);
  apply(table, "last_hand_set", { hand: 1 });
  assert.equal(table.lastHand, 1);
  deal(table, 1);
  assert.equal(table.lastHand, 0);
});

test("whoever comes back to a hand sits it out, and keeps the row", () => {
  const table = tableOf("Ann", "Ben");
  deal(table, 1);
  apply(table, "left", { seat: 1, kicked: false });
  apply(table, "returned", { seat: 1 });
  assert.deepEqual(table.sittingOut, [1]);
  assert.equal(table.seats.get(1)?.left, false);
  apply(table, "hand_over", { reason: "stuck", out: null, elapsed_ms: 5, points: [2, 3] });
  assert.deepEqual(table.sittingOut, []);
  apply(table, "left", { seat: 1, kicked: false });
  apply(table, "returned", { seat: 1 });
  assert.deepEqual(
    [table.sittingOut, table.totals()],
    [
      [],
      [
        [1, 3],
        [0, 2],
      ],
    ],
  );
});

test("whoever is back may shuffle with the others again", () => {
  const table = tableOf("Ann", "Ben");
  const transcript = new HandTranscript();
  for (const name of ["left", "returned"]) transcript.record(name, { seat: 1, kicked: false }, table);
  assert.equal(transcript.away.size, 0);
});

test("one person alone is waited for between hands", () => {
  const table = tableOf("Ann");
  deal(table, 1, 0);
  apply(table, "hand_over", { reason: "out", out: 0, elapsed_ms: 5, points: [62] }, 1000);
  assert.equal(table.secondsToDeal(2000), 0);
});

test("points of a team add up; where hands count, the team with most points wins one", () => {
  const table = tableOf("Ann", "Ben", "Cat");
  table.options.teams = 2;
  for (const [seat, team] of [0, 1, 0].entries()) apply(table, "team_set", { seat, team });
  table.results = [{ seats: [0, 1, 2], points: [4, 6, 3], handicaps: [], teams: [0, 1, 0] }];
  assert.deepEqual(Object.fromEntries(teamTotals(table)), { 0: 7, 1: 6 });
  table.options.match_score = "hands";
  assert.deepEqual(Object.fromEntries(teamTotals(table)), { 0: 1, 1: 0 });
});

test("a step that the hand's own handicap lost at a bound stays lost by another", () => {
  const table = tableOf("Ann", "Ben");
  table.options.handicap = "auto";
  const after = (handicaps) => {
    table.results = [{ seats: [0, 1], points: [0, 10], out: null, handicaps }];
    return dealtHandicaps(table, games["racing-demon"], [0, 1]);
  };
  table.seats.get(0).handicap = [0, 5, 0];
  assert.deepEqual(after([]), [
    [0, 5, 0],
    [0, 1, 0],
  ]);
  const dealt = [
    [0, 5, 0],
    [0, 15, 0],
  ];
  assert.deepEqual(after(dealt), [
    [0, 4, 0],
    [0, 0, 0],
  ]);
});

test("what a seat has left does not change when cards are turned", () => {
  const table = tableOf("Ann");
  deal(table, 1, 0);
  const { hand } = table;
  assert.equal(hand.left(0), 52);
  for (const { number } of hand.layout.own(0, "tableau"))
    hand.board.cards[number] = hand.board.cards[number].map((card) => Math.max(card, 0));
  assert.equal(hand.left(0), 52);
});
