// By which handicaps the next hand is dealt: "Handicaps" in the wire's document.

/** @import { Game, Handicap } from "./layout.js" */

const AUTO_HEAP = [3, 20];
const AUTO_DELAY_S = [0, 15];

/**
 * How many cards a heap gets, if handicaps can change that; null in games without one, and on identical deals.
 * @param {Game} game
 * @param {any} options
 */
export function heapSize(game, options) {
  const step = game.deals === "identical" ? undefined : game.deal.find(({ option }) => option === "reserve");
  return step ? (options.reserve ?? /** @type {number} */ (step.each)) : null;
}

/**
 * The handicaps by which the next hand of a match is dealt, by place; empty where nobody has any.
 * @param {{options: any, seats: Map<number, import("./state.js").Seat>, results: any[]}} table
 * @param {Game} game
 * @param {number[]} hand its seats
 * @returns {Handicap[]}
 */
export function dealtHandicaps({ options, seats, results }, game, hand) {
  const heap = heapSize(game, options);
  const own = hand.map((seat) => {
    const state = seats.get(seat);
    const given = state?.handicap ?? [0, 0, 0];
    return options.handicap === "auto" && !state?.bot ? after(given, seat, results, heap) : given;
  });
  return own.some((row) => row.some(Boolean)) ? own : [];
}

/**
 * A seat's handicap after some hands, each of which changes it by one at most; a step that was lost at a bound by the
 * handicap of its own hand stays lost.
 * @param {Handicap} given
 * @param {number} seat
 * @param {any[]} results
 * @param {number | null} heap
 * @returns {Handicap}
 */
function after([given, delay, points], seat, results, heap) {
  const [base, [least, most], of] = heap === null ? [0, AUTO_DELAY_S, delay] : [heap, AUTO_HEAP, given];
  const column = heap === null ? 1 : 0;
  let value = base + of;
  for (const result of results) {
    const place = result.seats.indexOf(seat);
    if (place < 0) continue;
    const isBest =
      result.out === null ? result.points[place] === Math.max(...result.points) : result.out === seat;
    const step = Number(isBest) - Number(result.points[place] <= 0);
    const dealt = base + (result.handicaps[place]?.[column] ?? 0);
    if ([dealt, value].every((from) => from + step >= least && from + step <= most)) value += step;
  }
  return heap === null ? [given, value, points] : [value - base, delay, points];
}
