// Places in a tally, a match or the standings.

/**
 * The places of rows that stand in their order, the best first: equal ones share a place, and as many are left
 * out behind it (1, 2, 2, 4).
 * @template Row
 * @param {readonly Row[]} rows
 * @param {(one: Row, other: Row) => boolean} areEqual
 * @param {number} [before] how many rows come before these
 * @returns {number[]}
 */
export function placesOf(rows, areEqual, before = 0) {
  /** @type {number[]} */
  const places = [];
  for (const [at, row] of rows.entries())
    places.push(at > 0 && areEqual(row, rows[at - 1]) ? places[at - 1] : before + at + 1);
  return places;
}
