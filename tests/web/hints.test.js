// What is told of a play that another player's card has opened.

import assert from "node:assert/strict";
import test from "node:test";
import { Board } from "../../client/racing_demon_web/rules/board.js";
import { tellOpened } from "../../client/racing_demon_web/rules/hints.js";
import { Layout } from "../../client/racing_demon_web/rules/layout.js";
import { Rules } from "../../client/racing_demon_web/rules/rules.js";
import { games, tables } from "./games.js";

const [ACE, TWO, THREE] = [39, 40, 41];

/** A table at which Ada has just put the two of diamonds up, where this player has the three. */
function opened() {
  const layout = new Layout(games.classic, [0, 1], { seats: 2 });
  const board = new Board(
    layout,
    layout.piles.map(() => []),
  );
  const [middle, column] = [0, layout.own(0, "tableau")[0].number];
  board.cards[middle] = [ACE, TWO];
  board.cards[column] = [THREE];
  const shown = [];
  const screen = {
    table: { hand: { board }, nameOf: () => "Ada" },
    rules: new Rules(layout, tables),
    place: 0,
    news(text) {
      shown.push(text);
      return { remove: () => shown.splice(0) };
    },
  };
  const isTold = tellOpened(screen, 1, middle);
  return { screen, board, shown, isTold, middle, column };
}

test("a play that was opened is told as long as it is there", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { board, shown, isTold, middle } = opened();
  assert.ok(isTold);
  assert.deepEqual(shown, ["Ada played 2♦: your 3♦ can go up."]);
  context.mock.timers.tick(1000);
  assert.equal(shown.length, 1);
  board.cards[middle].push(THREE);
  context.mock.timers.tick(1000);
  assert.deepEqual(shown, [], "somebody else was faster");
});

test("a play that was opened is no news for long, nor in another hand", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const first = opened();
  for (let looks = 0; looks < 40; looks++) context.mock.timers.tick(250);
  assert.deepEqual(first.shown, []);
  const second = opened();
  second.screen.table.hand = null;
  context.mock.timers.tick(250);
  assert.deepEqual(second.shown, []);
});
