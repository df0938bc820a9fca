// What Python has played, played again by the page's modules. test_scripts.py writes the vectors.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { deal, prove } from "../../client/racing_demon_web/proof/proof.js";
import { bytesOf } from "../../client/racing_demon_web/proof/sha256.js";
import { Board } from "../../client/racing_demon_web/rules/board.js";
import { helpfulPlay, knowsAll, openedPlay } from "../../client/racing_demon_web/rules/hints.js";
import { Layout } from "../../client/racing_demon_web/rules/layout.js";
import { momentsOf } from "../../client/racing_demon_web/rules/moments.js";
import { Rules } from "../../client/racing_demon_web/rules/rules.js";
import { HandView, TableState } from "../../client/racing_demon_web/rules/state.js";
import { decode } from "../../client/racing_demon_web/wire/codec.js";
import { HandTranscript } from "../../client/racing_demon_web/wire/commit_reveal.js";
import { CHANGES_MOVES } from "../../client/racing_demon_web/wire/protocol.js";
import { proofWords, titleWords } from "../../client/racing_demon_web/words_later.js";
import { games, tables } from "./games.js";

const {
  hands,
  matches,
  positions,
  records,
  moments,
  titles,
  void: redrawn,
  known,
  handicaps,
} = JSON.parse(readFileSync(process.env.VECTORS, "utf8"));

for (const { name, game, seats, options, seed, deck, dealt, moves } of hands) {
  test(`a hand of ${name}`, () => {
    const layout = new Layout(games[game], seats, options);
    assert.deepEqual(deal(layout, bytesOf(seed)), deck);
    const rules = new Rules(layout, tables);
    const board = Board.dealt(layout);
    board.name(board.faceUp(), dealt);
    for (const { place, move, shown, asked, allowed, cards, points, helps, opened } of moves) {
      const judged = asked.map(([source, count, destination]) =>
        rules.allows(board, place, { source, count, destination }),
      );
      const isLeft = CHANGES_MOVES.some((name) => (options[name] ?? null) !== null);
      assert.deepEqual(judged, isLeft ? allowed.map(() => false) : allowed); // else the server judges
      const { play, isSure } = helpfulPlay(rules, board, place);
      if (helps !== null && isSure && knowsAll(rules, place)) assert.equal(play !== null, helps);
      board.name(board.move(...move), shown);
      assert.deepEqual(board.cards, cards);
      const told = [...pointsOf(board).points()];
      if (layout.game.counted !== null) assert.deepEqual(told, points);
      if (helps === null || !knowsAll(rules, place)) continue;
      const other = openedPlay(rules, board, 1 - place, move[2]);
      assert.deepEqual(other && Object.values(other), opened);
    }
  });
}

for (const { game, seats, options, cards, plays, legal } of positions) {
  test(`a position of ${game}`, () => {
    const layout = new Layout(games[game], seats, options);
    const board = new Board(layout, cards);
    const rules = new Rules(layout, tables);
    const judged = plays.map(([place, source, count, destination]) =>
      rules.allows(board, place, { source, count, destination }),
    );
    assert.deepEqual(judged, legal);
  });
}

for (const { name, begin, frames } of matches) {
  test(`a match: ${name}`, () => {
    const table = new TableState(games);
    const log = new HandTranscript();
    let proved = 0;
    const follow = (text) => {
      const message = decode(text);
      if (message.name === "hand_over") log.end(table.points(), message.fields);
      table.apply(message.name, message.fields, 0);
      log.record(message.name, message.fields, table);
      return message;
    };
    follow(begin);
    for (const { text, facts, snapshot } of frames) {
      const message = follow(text);
      if (facts) assert.deepEqual(factsOf(table), facts);
      if (snapshot) {
        const late = new TableState(games);
        const told = decode(snapshot);
        late.apply(told.name, told.fields, 0);
        assert.deepEqual(factsOf(late), factsOf(table));
      }
      if (message.name !== "hand_over") continue;
      assert.ok(prove(log.hand, message.fields.seed).cards > 0);
      proved += 1;
    }
    assert.ok(proved > 0);
  });
}

for (const { name, entries, moments: told } of moments) {
  test(`the moments of a match: ${name}`, () => {
    const [begin, ...events] = entries.map(([text, us]) => ({ ...decode(text), at: us / 1000 }));
    const record = { begin: begin.fields, events: events.filter(({ fields }) => fields.seq !== undefined) };
    const found = [...momentsOf(record, games, tables)].map(([hand, each]) => [
      hand,
      each.map(({ seat, card, points, waited, seq, winner, opened }) => [
        seat,
        card,
        points,
        waited,
        seq,
        winner,
        opened,
      ]),
    ]);
    assert.ok(found.length > 0);
    assert.deepEqual(found, told);
  });
}

test("titles are called as in terminals", () => {
  for (const [title, value, words] of titles) assert.deepEqual(titleWords(title, value), words, title);
});

/** Follow all that was told of a hand; forge changes a message before it is followed. */
function logOf(texts, forge = () => {}, table = new TableState(games)) {
  const log = new HandTranscript();
  let over = null;
  for (const text of texts) {
    const { name, fields } = decode(text);
    forge(name, fields);
    if (name === "hand_over") log.end(table.points(), fields);
    table.apply(name, fields, 0);
    log.record(name, fields, table);
    if (name === "hand_over") over = prove(log.hand, fields.seed);
  }
  return over;
}

for (const { game, hands: whole } of records) {
  test(`cards that move in every way: ${game}`, () => {
    for (const texts of whole) assert.ok(logOf(texts).cards > 0);
  });
}

/** Change the first event of a kind. */
function first(kind, change) {
  let isDone = false;
  return (name, fields) => {
    if (isDone || name !== kind) return;
    isDone = true;
    change(fields);
  };
}

const someoneWentOut = (texts) =>
  texts.some((text) => {
    const { name, fields } = decode(text);
    return name === "hand_over" && fields.out !== null;
  });

test("a known deal follows from its seed, and is played for no standings", () => {
  assert.equal(logOf(known).known, true);
  assert.match(proofWords(logOf(known), true, String), /^A known deal: everybody could know its cards/);
  const forged = [
    first("committed", (fields) => (fields.known_deal = flipped(fields.known_deal))),
    first("snapshot", (fields) => (fields.options.casual = false)),
  ];
  for (const forge of forged) assert.throws(() => logOf(known, forge), /known deal/);
});

const flipped = (digits) => (parseInt(digits[0], 16) ^ 8).toString(16) + digits.slice(1);
const played = records.find(({ game }) => game === "racing-demon").hands[0];
const forgeries = {
  "another secret": [played, first("hand_over", (fields) => (fields.seed = flipped(fields.seed)))],
  "another commitment": [
    played,
    first("committed", (fields) => (fields.commitment = flipped(fields.commitment))),
  ],
  "another card in the deal": [played, first("dealt", (fields) => fields.shown.reverse())],
  "another card turned up": [
    played,
    first("played", (fields) => fields.shown.splice(0, 1, (fields.shown[0] + 1) % 52)),
  ],
  "another's cards": [played, first("played", (fields) => (fields.seat = 1 - fields.seat))],
  "other points": [played, first("hand_over", (fields) => (fields.points = [700, -700]))],
  "another bonus for going out": [
    matches.map(({ begin, frames }) => [begin, ...frames.map(({ text }) => text)]).find(someoneWentOut),
    (name, fields) => name === "hand_over" && fields.out !== null && (fields.points[fields.out] += 5),
  ],
  "another contribution": [
    redrawn,
    (name, fields) => name === "revealed" && fields.seq > 14 && (fields.value = flipped(fields.value)),
  ],
  "handicaps that nobody has": [
    handicaps[1].texts,
    first("dealt", (fields) => fields.handicaps.splice(0, 1, [0, 9, 0])),
  ],
  "a contribution that is left out": [redrawn, first("dealt", (fields) => (fields.left_out = [0]))],
};
for (const [name, [texts, forge]] of Object.entries(forgeries)) {
  test(`a forged hand: ${name}`, () => assert.throws(() => logOf(texts, forge)));
}

test("a hand that was drawn anew", () => {
  const { cards, ...others } = logOf(redrawn);
  assert.ok(cards > 0);
  assert.deepEqual(others, { contributions: 2, drawn: [1], free: [], known: false });
});

for (const [number, { texts, facts }] of handicaps.entries()) {
  test(`hands by handicaps ${number}`, () => {
    const table = new TableState(games);
    assert.ok(logOf(texts, () => {}, table).cards > 0);
    assert.deepEqual(factsOf(table), facts);
  });
}

function factsOf(table) {
  return {
    cards: table.hand?.board.cards ?? [],
    phase: table.phase,
    hand: table.handNumber,
    totals: table.totals().sort(([a], [b]) => a - b),
    seats: [...table.seats.values()]
      .sort((a, b) => a.seat - b.seat)
      .map(({ seat, name, ready, stuck, left }) => [seat, name, ready, stuck, left]),
    winners: table.winners,
    points: [...table.points()].sort(([a], [b]) => a - b),
  };
}

/** A table on which a board lies, in the midst of a hand. */
function pointsOf(board) {
  return Object.assign(new TableState(games), {
    hand: new HandView(board, ""),
    phase: "playing",
    options: board.layout.options,
  });
}
