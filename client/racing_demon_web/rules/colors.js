// In which colours the players of a table are shown: `table/appearance.py` in JavaScript.

import { colors } from "../dom.js";
import { LIMITS } from "../wire/protocol.js";

/**
 * The number of each seat's colour: the chosen one, otherwise the seat's own, or one that is free.
 * @param {Map<number, {color: number | null}>} seats
 * @returns {Map<number, number>}
 */
export function seatColors(seats) {
  /** @type {Map<number, number>} */
  const found = new Map();
  for (const [seat, { color }] of seats) if (color !== null) found.set(seat, color);
  const chosen = [...found.values()];
  for (const seat of seats.keys()) if (!found.has(seat) && !chosen.includes(seat)) found.set(seat, seat);
  for (const seat of [...seats.keys()].filter((each) => !found.has(each)).sort((one, other) => one - other)) {
    const taken = [...found.values()];
    found.set(seat, [...Array(LIMITS.seats).keys()].find((color) => !taken.includes(color)) ?? seat);
  }
  return found;
}

/** Draw a table's seats in their colours. @param {import("./state.js").TableState} table */
export function useColors({ seats }) {
  Object.assign(colors, Object.fromEntries(seatColors(seats)));
}
