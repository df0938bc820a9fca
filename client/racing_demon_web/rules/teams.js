// Teams: who is in which, and their totals, as on the server.

/** @import { TableState } from "./state.js" */

/**
 * The team of each seat of the match, or of the last one; empty where there are no teams.
 * @param {TableState} table
 */
export function teamsOf({ seats, results }) {
  /** @type {Map<number, number>} */
  const teams = new Map();
  if (results.length > 0 && results.every((result) => result.teams.length === 0)) return teams;
  for (const { seat, team } of seats.values()) if (team !== null) teams.set(seat, team);
  for (const result of results)
    result.teams.forEach((/** @type {number} */ team, /** @type {number} */ at) =>
      teams.set(result.seats[at], team),
    );
  return teams;
}

/**
 * The totals of the teams, by team, the highest first; empty where there are none.
 * @param {TableState} table
 */
export function teamTotals(table) {
  const teams = teamsOf(table);
  return table.totalsOf([...new Set(teams.values())], (seat) => teams.get(seat));
}
