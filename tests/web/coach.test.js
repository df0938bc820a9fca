// What a newcomer is told in the first two hands.

import assert from "node:assert/strict";
import test from "node:test";
import { Board } from "../../client/racing_demon_web/rules/board.js";
import { Layout } from "../../client/racing_demon_web/rules/layout.js";
import { ahead, Rules } from "../../client/racing_demon_web/rules/rules.js";
import { write } from "../../client/racing_demon_web/storage.js";
import {
  isLeftAlone,
  isNewcomer,
  Pace,
  reasonFor,
  takesNothing,
  wantsOnly,
} from "../../client/racing_demon_web/table/coach.js";
import { games, tables } from "./games.js";

const [ACE_OF_HEARTS, EIGHT_OF_HEARTS, KING_OF_SPADES] = [13, 20, 12];
const BLACK_NINES = [8, 34];

test("newcomers are told something in two hands, or until they send the line away", () => {
  const told = [0, 1, 2, 3].map((hands) => write("hands", hands) || isNewcomer());
  assert.deepEqual(told, [true, true, false, false]);
  write("hands", 0);
  write("coach", "off");
  assert.ok(!isNewcomer());
  write("coach", null);
  write("hands", null);
  assert.ok(isNewcomer());
  write("results", [{}]);
  assert.ok(!isNewcomer(), "a device with results has played before hands were counted");
});

test("who plays quickly is told nothing, until they hesitate or turn past a card that fits", () => {
  const pace = new Pace(0);
  for (let turn = 1; turn <= 20; turn++) pace.turned(turn * 1000, false);
  assert.ok(!pace.isSure(20_000), "turns of the stock are no plays");
  for (let play = 1; play <= 8; play++) pace.played(20_000 + play * 1000);
  assert.ok(pace.isSure(28_500));
  assert.ok(!pace.isSure(38_500), "ten seconds are long");
  assert.ok(pace.isSure(28_500));
  pace.turned(29_000, true);
  assert.ok(!pace.isSure(29_000));
});

test("who turns past a card that fits is as idle as before", () => {
  const pace = new Pace(0);
  for (let turn = 1; turn <= 12; turn++) pace.turned(turn * 1000, true);
  assert.equal(pace.idle(12_000), 12_000);
  pace.turned(13_000, false);
  assert.equal(pace.idle(13_000), 0);
});

test("somebody is left alone when all others are stuck", () => {
  const seats = new Map([0, 1, 2].map((seat) => [seat, { seat, stuck: seat === 1 }]));
  const table = { handSeats: [0, 1, 2], seats };
  assert.ok(!isLeftAlone(table, 0));
  seats.get(2).stuck = true;
  assert.ok(isLeftAlone(table, 0));
  assert.ok(!isLeftAlone({ handSeats: [0], seats }, 0), "alone from the beginning");
});

/** A hand of two in which nothing lies anywhere. */
function bare(game) {
  const layout = new Layout(games[game], [0, 1], { seats: 2 });
  const board = new Board(
    layout,
    layout.piles.map(() => []),
  );
  return { board, rules: new Rules(layout, tables), column: layout.own(0, "tableau")[0].number };
}

/** What is said of a card that lies there alone, in the first column. */
function reason(game, card) {
  const { board, rules, column } = bare(game);
  board.cards[column] = [card];
  return reasonFor(rules, board, 0, column, 1);
}

test("an empty column that takes kings alone says so, and an empty place that takes aces alone", () => {
  const [foundation, ace, king] = [0, 1, 13];
  const wants = (game) => {
    const { board, rules, column } = bare(game);
    const asked = [
      [column, king],
      [column, ace],
      [foundation, ace],
    ];
    return asked.map(([pile, rank]) => wantsOnly(rules, board, 0, pile, rank));
  };
  assert.deepEqual(wants("racing-demon"), [true, false, true]);
  assert.deepEqual(wants("classic"), [false, false, true]);
});

test("nothing is laid on the stock or the waste, and a card put there stays where it was", () => {
  const { board, rules, column } = bare("racing-demon");
  board.cards[column] = [EIGHT_OF_HEARTS];
  const { layout } = rules;
  const [next] = layout.own(0, "tableau").slice(1);
  for (const { number } of [layout.own(0, "stock")[0], layout.own(0, "waste")[0]]) {
    assert.ok(takesNothing(rules, 0, column, number));
    const play = { source: column, count: 1, destination: number };
    assert.equal(ahead(rules, board, 0, [play]).board, board);
  }
  assert.ok(!takesNothing(rules, 0, column, next.number));
});

test("of two places that are as good a card goes to the first", () => {
  const { board, rules, column } = bare("racing-demon");
  for (const at of [1, 2]) board.cards[column + at] = [BLACK_NINES[at - 1]];
  board.cards[column] = [EIGHT_OF_HEARTS];
  assert.equal(rules.bestPlay(board, 0, column, 1)?.destination, column + 1);
});

test("a refused card is told where it may go, by the rules of its game", () => {
  assert.equal(reason("racing-demon", EIGHT_OF_HEARTS), "Your 8♥ waits for 9♠ or 9♣, or 7♥ in the middle.");
  assert.equal(
    reason("racing-demon", KING_OF_SPADES),
    "Your K♠ waits for an empty column, or Q♠ in the middle.",
  );
  assert.equal(
    reason("classic", EIGHT_OF_HEARTS),
    "Your 8♥ waits for 9♠, 9♣ or an empty column, or 7♥ in the middle.",
  );
  assert.match(reason("racing-demon", ACE_OF_HEARTS), /^Your A♥ can go to the middle: tap it\.$/);
});

test("where the tables do not tell all, nothing is told", () => {
  const columns = Object.keys(games).filter((game) =>
    games[game].groups.some(({ kind, owner }) => kind === "tableau" && owner === "player"),
  );
  const told = columns.map((game) => reason(game, EIGHT_OF_HEARTS));
  for (const text of told)
    assert.ok(text === "" || /^Your 8♥ (waits for|can go) .{4,70}\.$/.test(text), text);
});
