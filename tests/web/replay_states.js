// What the page's replay shows of a record after every event, one line of JSON for each.

import { readFileSync } from "node:fs";
import { TableState } from "../../client/racing_demon_web/rules/state.js";
import { teamTotals } from "../../client/racing_demon_web/rules/teams.js";
import { optionsOf, readRecord } from "../../client/racing_demon_web/wire/records.js";
import { games } from "./games.js";

const record = readRecord(readFileSync(process.argv[2], "utf8"));
const sorted = (/** @type {Iterable<any[]>} */ rows) => [...rows].sort(([a], [b]) => a - b);
const handicapOf = (/** @type {number[]} */ [heap, delay, points] = [0, 0, 0]) => [heap, delay, points];

/**
 * @param {TableState} table
 * @param {number} at the time of its last event
 */
function shown(table, at) {
  const { hand } = table;
  return {
    seq: table.seq,
    code: table.code,
    options: table.options,
    host: table.host,
    phase: table.phase,
    seats: sorted(
      [...table.seats.values()].map((each) => [
        each.seat,
        each.name,
        each.bot,
        each.connected,
        each.ready,
        each.stuck,
        each.left,
        each.standIn,
        each.muted,
        handicapOf(each.handicap),
        each.team,
        each.program,
        each.color,
      ]),
    ),
    departed: sorted(table.departed),
    banned: table.banned,
    hand: table.handNumber,
    commitment: table.commitment,
    paused: table.paused,
    waiting: table.waiting,
    called: table.called,
    locked: table.locked,
    entry_closed: table.entryClosed,
    last_hand: table.lastHand,
    sitting_out: table.sittingOut,
    late_start: table.lateStart,
    starts: [...table.starts],
    results: table.results.map((each) => [
      each.hand,
      each.seats,
      each.points,
      each.reason,
      each.out,
      each.elapsedMs,
      each.handicaps.map(handicapOf),
      each.teams,
    ]),
    winners: table.winners,
    hand_seats: table.handSeats,
    piles: hand?.board.cards ?? [],
    redeals: hand?.board.redeals ?? [],
    shifts: hand?.board.shifts ?? [],
    progress: sorted([...(hand?.progress ?? [])].map(([seat, { reached, since }]) => [seat, reached, since])),
    points: sorted(table.points()),
    totals: sorted(table.totals()),
    team_totals: table.options.teams === null ? [] : sorted(teamTotals(table)),
    elapsed_ms: table.isPlaying && !table.paused ? Math.round(table.elapsed(at)) : null,
  };
}

const table = new TableState(games);
table.apply("snapshot", record.begin, 0);
for (const { name, fields, at } of record.events) {
  table.apply(name, fields, at);
  process.stdout.write(`${JSON.stringify(shown(table, at))}\n`);
}
const { deals, races } = record;
process.stdout.write(`${JSON.stringify({ deals, races, options: optionsOf(record) })}\n`);
