// What the big screen says of a hand, and how often.

import assert from "node:assert/strict";
import test from "node:test";
import { Board } from "../../client/racing_demon_web/rules/board.js";
import { Layout } from "../../client/racing_demon_web/rules/layout.js";
import { HandView, TableState } from "../../client/racing_demon_web/rules/state.js";
import { handOn, Ticker } from "../../client/racing_demon_web/table/ticker.js";
import { games } from "./games.js";

/** A hand of two in which nothing lies anywhere yet, and a ticker whose clock is set by hand. */
function watched() {
  const options = { game: "classic", seats: 2 };
  const layout = new Layout(games.classic, [0, 1], options);
  const board = new Board(
    layout,
    layout.piles.map(() => []),
  );
  const table = Object.assign(new TableState(games), {
    options,
    phase: "playing",
    hand: new HandView(board, ""),
  });
  for (const [seat, name] of ["Ann", "Ben"].entries()) table.seats.set(seat, { seat, name });
  const [said, waiting] = [[], []];
  let now = 0;
  const ticker = new Ticker(
    (text) => said.push(text),
    () => now,
    (after, ms) => waiting.push([after, now + ms]),
  );
  const pass = (ms) => {
    now += ms;
    for (const [after] of waiting.splice(0)) after();
  };
  /** Put a card on a foundation. */
  const up = (seat, foundation, card) => {
    board.cards[foundation].push(card);
    ticker.follow(table, "played", {
      seat,
      source: layout.own(seat, "waste")[0].number,
      destination: foundation,
    });
  };
  return { table, board, layout, ticker, said, pass, up };
}

test("who is nearly out is told before a race, and a race is told when nothing else is", () => {
  const { table, board, layout, ticker, said, pass, up } = watched();
  const [heap] = layout.own(0, "reserve");
  const race = { by: 1, seat: 0, card: 5, late_us: 30_000 };
  ticker.follow(table, "race_lost", race);
  assert.equal(said.length, 1);
  board.cards[heap.number].push(40, 41);
  ticker.follow(table, "race_lost", race);
  up(0, 0, 0);
  ticker.follow(table, "race_lost", race);
  assert.equal(said.length, 1); // one line in two seconds
  pass(2000);
  assert.deepEqual(said.slice(1), ["Ann needs two cards"]);
  board.cards[heap.number].pop();
  up(0, 0, 1);
  pass(2000);
  assert.equal(said[2], "Ann needs one card");
});

test("the lead is told when it changes hands, and the last of somebody's kings", () => {
  const { said, pass, up } = watched();
  for (let card = 0; card < 6; card++) up(0, 0, card);
  pass(12_000);
  assert.deepEqual(said, []); // the first to lead is no news
  for (let card = 0; card < 7; card++) up(1, 1, 52 + card);
  pass(12_000);
  assert.deepEqual(said, ["Ben takes the lead"]);
  for (const suit of [0, 1, 2, 3]) up(0, 2 + suit, suit * 13 + 12);
  pass(2000);
  assert.ok(said.includes("Ann’s last king is up"));
});

test("a big screen that has opened a table leaves it to whoever is there, or is there again", () => {
  const { table } = watched();
  const sent = [];
  const session = { table, seat: null, token: "5a", command: (name, { seat }) => sent.push([name, seat]) };
  const [ann, ben] = [0, 1].map((seat) => table.seats.get(seat));
  Object.assign(ann, { bot: "hard", connected: true });
  Object.assign(ben, { bot: "", connected: true, left: true });
  handOn(session, "joined"); // a bot
  assert.deepEqual(sent, []);
  ben.left = false;
  for (const name of ["played", "returned", "caught_up"]) handOn(session, name);
  table.host = 1;
  handOn(session, "hosted");
  assert.deepEqual(sent, Array(2).fill(["make_host", 1]));
  table.host = null;
  for (const other of [{ token: null }, { seat: 1 }]) handOn({ ...session, ...other }, "returned");
  assert.equal(sent.length, 2);
});
