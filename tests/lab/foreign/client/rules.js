// The rules of `racing-demon` and `classic`, by the section "The races around shared foundations".

import { HIDDEN } from "./board.js";
import { isRed, rank, suit } from "./dealer.js";

const follows = (below, above) => rank(above) === rank(below) - 1 && isRed(above) !== isRed(below);

// Yield a place's legal plays { source, count, destination, progress }, the best ones first.
export function* plays(board, place, options) {
  const { layout } = board;
  const columns = layout.own(place, "tableau").map((pile) => pile.number);
  const sources = [
    ...layout.own(place, "reserve").map((pile) => pile.number),
    ...columns,
    ...layout.own(place, "waste").map((pile) => pile.number),
  ].filter((pile) => board.cards[pile].length > 0 && board.top(pile) !== HIDDEN);
  for (const source of sources) {
    if (founds(board, board.top(source))) yield { source, count: 1, destination: -1, progress: true };
  }
  const neutral = [];
  for (const source of sources) {
    const cards = board.cards[source];
    const isColumn = columns.includes(source);
    for (const count of isColumn ? runs(cards) : [1]) {
      for (const destination of columns.filter((column) => column !== source)) {
        if (!lands(board, cards.at(-count), destination, options)) continue;
        const play = { source, count, destination, progress: !isColumn };
        if (isColumn) {
          const left = cards.length - count;
          play.progress = left > 0 ? cards[left - 1] === HIDDEN : board.cards[destination].length > 0;
        }
        if (play.progress) yield play;
        else neutral.push(play);
      }
    }
  }
  yield* turns(board, place, options);
  yield* neutral;
}

function founds(board, card) {
  return board.layout.piles.some((pile) => {
    if (pile.kind !== "foundation") return false;
    const top = board.top(pile.number);
    if (top === undefined) return rank(card) === 1;
    return suit(top) === suit(card) && rank(card) === rank(top) + 1;
  });
}

function* runs(cards) {
  for (let count = 1; count <= cards.length; count++) {
    const card = cards.at(-count);
    if (card === HIDDEN || (count > 1 && !follows(card, cards.at(1 - count)))) return;
    yield count;
  }
}

function lands(board, card, column, options) {
  const top = board.top(column);
  if (top !== undefined) return top !== HIDDEN && follows(top, card);
  return options.game === "classic" || rank(card) === 13;
}

function* turns(board, place, options) {
  const [stock] = board.layout.own(place, "stock").map((pile) => pile.number);
  const [waste] = board.layout.own(place, "waste").map((pile) => pile.number);
  const left = board.cards[stock].length;
  const turned = board.cards[waste].length;
  const turn = options.turn ?? board.layout.game.options.turn;
  if (left > 0) yield { source: stock, count: Math.min(turn, left), destination: waste, progress: false };
  else if (turned > 0) yield { source: waste, count: turned, destination: stock, progress: false };
}

// Return each place's points, by the game's `scoring`.
export function points(board, out, options) {
  const { layout } = board;
  const { scoring, packs } = layout.game;
  return layout.seats.map((seat, place) => {
    const isOwn = (card) => Math.floor(card / (52 * packs)) === place;
    const count = (piles) => piles.reduce((sum, pile) => sum + board.cards[pile.number].length, 0);
    const up = layout.piles
      .filter((pile) => pile.kind === "foundation")
      .reduce((sum, pile) => sum + board.cards[pile.number].filter(isOwn).length, 0);
    return (
      up * scoring.foundation_card +
      count(layout.own(place, "reserve")) * (options.reserve_card ?? scoring.reserve_card) +
      (seat === out ? (options.out_bonus ?? scoring.out_bonus) : 0)
    );
  });
}
