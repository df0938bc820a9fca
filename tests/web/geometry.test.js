// Where piles lie: on every screen all of them, whole and apart.

import assert from "node:assert/strict";
import test from "node:test";
import { Board } from "../../client/racing_demon_web/rules/board.js";
import { Layout } from "../../client/racing_demon_web/rules/layout.js";
import { arrange, cardAt, FoundationSlots, indexAt } from "../../client/racing_demon_web/table/geometry.js";
import { suitRows } from "../../client/racing_demon_web/table/suit_rows.js";
import { games } from "./games.js";

const AREAS = [
  ["a phone", { width: 390, height: 640 }],
  ["a small phone", { width: 320, height: 430 }],
  ["a phone on its side", { width: 700, height: 300 }],
  ["a laptop", { width: 1280, height: 640 }],
];

/** A hand of a game as it was dealt, with known cards where cards lie open. */
function dealt(name, players) {
  const layout = new Layout(games[name], [...Array(players).keys()], { game: name });
  const board = Board.dealt(layout);
  const open = board.faceUp();
  board.name(
    open,
    open.map((_, at) => at),
  );
  return board;
}

function scene(board, area, { isMirrored = false, slots = new FoundationSlots(), deal = "one", line } = {}) {
  return arrange({ layout: board.layout, board, place: 0, deal, slots, buttons: 1, area, isMirrored, line });
}

/** What a pile covers, with all of its cards. */
function boxOf(rect, cards) {
  const last = cardAt(rect, cards, Math.max(0, cards.length - 1));
  return { left: rect.x, top: rect.y, right: last.x + rect.w, bottom: last.y + rect.h };
}

const overlaps = (a, b) =>
  a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;

for (const name of Object.keys(games)) {
  test(`all piles of ${name} lie apart and within the width`, () => {
    const board = dealt(name, games[name].racing === "no" ? 1 : 2);
    for (const [screen, area] of AREAS) {
      const boxes = [...scene(board, area).rects].map(([pile, rect]) => [
        pile,
        boxOf(rect, board.cards[pile]),
      ]);
      for (const [pile, box] of boxes) {
        assert.ok(box.left >= -1 && box.right <= area.width + 1, `pile ${pile} leaves ${screen}`);
        for (const [other, others] of boxes)
          assert.ok(pile === other || !overlaps(box, others), `piles ${pile} and ${other} on ${screen}`);
      }
    }
  });
}

test("fans are closer where the line below them is high, and cards no smaller", () => {
  const board = dealt("racing-demon", 2);
  const column = board.layout.own(0, "tableau")[6].number;
  board.cards[column] = [...Array(17).keys()];
  const area = { width: 390, height: 640 };
  const [usual, high] = [undefined, 80].map((line) => scene(board, area, { line }));
  const [before, after] = [usual, high].map(({ rects }) => boxOf(rects.get(column), board.cards[column]));
  assert.equal(after.right, before.right);
  assert.ok(after.bottom <= before.bottom - 20, `${before.bottom} became ${after.bottom}`);
});

test("for the left hand the stock lies at the left", () => {
  const board = dealt("racing-demon", 2);
  const [stock] = board.layout.own(0, "stock");
  const [right, left] = [false, true].map(
    (isMirrored) => scene(board, AREAS[0][1], { isMirrored }).rects.get(stock.number).x,
  );
  assert.ok(left < AREAS[0][1].width / 2 && right > AREAS[0][1].width / 2);
});

test("the card that a point hits is the one that is drawn there", () => {
  const rect = { x: 10, y: 20, w: 50, h: 70, dx: 0, down: 4, up: 15, isFlat: false };
  const cards = [-1, -1, 7, 20];
  for (const index of cards.keys())
    assert.equal(indexAt(rect, cards, cardAt(rect, cards, index).y + 1), index);
  assert.equal(indexAt(rect, [], 30), -1);
});

test("foundations stay where they were begun, in their suit's part", () => {
  const board = dealt("racing-demon", 2);
  const shared = board.layout.piles.filter(({ kind, place }) => kind === "foundation" && place === -1);
  const slots = new FoundationSlots();
  board.cards[shared[3].number] = [13]; // the ace of hearts
  const first = slots.of(board, shared, "one")[3];
  assert.equal(Math.floor(first / 2), 1);
  board.cards[shared[0].number] = [13 + 52];
  board.cards[shared[3].number] = [13, 14];
  assert.equal(slots.of(board, shared, "one")[3], first);
});

test("another deal has its own order of foundations", () => {
  const board = dealt("racing-demon", 2);
  const shared = board.layout.piles.filter(({ kind, place }) => kind === "foundation" && place === -1);
  const slots = new FoundationSlots();
  board.cards[shared[0].number] = [13];
  slots.of(board, shared, "one");
  board.cards[shared[0].number] = [26]; // the ace of clubs
  assert.equal(Math.floor(slots.of(board, shared, "two")[0] / 2), 2);
});

test("a play that loses its race leaves the foundation to another suit", () => {
  const board = dealt("racing-demon", 2);
  const shared = board.layout.piles.filter(({ kind, place }) => kind === "foundation" && place === -1);
  const slots = new FoundationSlots();
  board.cards[shared[0].number] = [13];
  slots.of(board, shared, "one");
  board.cards[shared[0].number] = [39];
  assert.equal(Math.floor(slots.of(board, shared, "one")[0] / 2), 3);
});

test("on a phone each suit grows from the middle of what is named so", () => {
  const board = dealt("racing-demon", 5);
  const { rects, middle } = scene(board, { width: 390, height: 640 });
  const first = [...rects.values()].filter((rect) => rect.suit !== undefined);
  assert.deepEqual(
    first.map(({ x, w }) => Math.round(x + w / 2)),
    Array(4).fill(195),
  );
  assert.ok(middle.hasCorner);
  for (const { x, y, w, h } of first) {
    assert.ok(x > middle.x && x + w < middle.x + middle.w);
    assert.ok(y > middle.y && y + h < middle.y + middle.h);
  }
  const shared = board.layout.piles.filter((pile) => pile.place === -1);
  shared.forEach(({ number }, at) => {
    board.cards[number] = [13 * (at % 4)];
  });
  assert.ok(!scene(board, { width: 390, height: 640 }).middle.hasCorner, "a name is not below cards");
});

test("on large screens each suit has a row, in which no pile moves while there is room for one more", () => {
  const area = { width: 680, height: 720 }; // between the panels of a television
  for (const players of [2, 3, 5, 8]) {
    const board = dealt("racing-demon", players);
    const shared = board.layout.piles.filter(({ kind, place }) => kind === "foundation" && place === -1);
    const slots = new FoundationSlots();
    const drawn = () =>
      arrange({ layout: board.layout, board, place: -1, deal: "", slots, buttons: 0, area, grid: suitRows });
    let { rows } = drawn();
    assert.ok(Math.abs(rows[0].x + rows[3].x + rows[3].w - area.width) < 1, "they lie in the center");
    const begun = [[], [], [], []];
    let sizes = 1;
    for (const [at, { number }] of shared.entries()) {
      const suit = Math.floor(at / players) ^ 1;
      board.cards[number] = [13 * suit];
      begun[suit].push(number);
      const { rects, rows: now } = drawn();
      if (now[0].w !== rows[0].w || now[0].x !== rows[0].x) sizes += 1;
      rows = now;
      for (const [each, piles] of begun.entries()) {
        const places = piles.map((pile) => rects.get(pile));
        const next = [...rects.values()].find((rect) => rect.suit === each);
        for (const [index, { x, y, w }] of [...places, ...(next ? [next] : [])].entries()) {
          assert.ok(
            y === rows[each].y && x + w <= rows[each].x + rows[each].w + 1,
            `suit ${each} in its row`,
          );
          assert.ok(index === 0 ? x === rows[each].x : x >= places[index - 1].x + w, "in their order");
        }
      }
    }
    assert.ok(sizes <= Math.max(1, players - 4), `${sizes} sizes with ${players} players`);
  }
});
