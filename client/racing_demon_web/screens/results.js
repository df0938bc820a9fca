// Results: the tally, the analysis of a hand, and the matches on this device.

import { element, isCalm, markTeam } from "../dom.js";
import { sound } from "../lazy.js";
import { UNKNOWN } from "../rules/layout.js";
import { placesOf } from "../rules/places.js";
import { Rules } from "../rules/rules.js";
import { teamsOf, teamTotals } from "../rules/teams.js";
import { read, write } from "../storage.js";
import { colorOf } from "../table/table_screen.js";
import { clock, endText, faceName, teamText, WORDS } from "../words.js";
import { LATER, signed } from "../words_later.js";

/**
 * @import { Seat, TableState } from "../rules/state.js"
 * @import { Session } from "../wire/session.js"
 * @import { MatchLog } from "../wire/match_log.js"
 */

const MAX_NAMED = 3;
const MAX_RESULTS = 100;

/** Show confetti. */
export function celebrate() {
  sound("won");
  if (isCalm()) return;
  for (let number = 0; number < 60; number++) {
    const piece = element("i", "confetti");
    piece.style.left = `${(number * 61) % 100}vw`;
    piece.style.backgroundColor = colorOf(number);
    piece.style.animationDelay = `${(number % 12) * 60}ms`;
    piece.addEventListener("animationend", () => piece.remove());
    document.body.append(piece);
  }
}

/**
 * How the last hand ended.
 * @param {TableState} table
 */
export function outcome(table) {
  const { reason, out, elapsedMs } = table.results[table.results.length - 1];
  const isEarly = reason === "time_up" && elapsedMs < table.timeLimitMs;
  const what =
    reason === "out" && out !== null
      ? LATER.wentOut(table.nameOf(out))
      : endText(isEarly ? "too_long" : reason);
  return `${what}, after ${clock(elapsedMs)}`;
}

/**
 * The rows of the tally, the best first; where there are teams, each team above its players.
 * @param {TableState} table
 * @param {number | null} own the own seat
 * @param {(state: Seat) => HTMLElement[]} wordsOf what stands beside the name of whoever is still there
 */
export function tallyRows(table, own, wordsOf) {
  const teams = teamsOf(table);
  /** @type {(seat: number, total: number, rank: string) => HTMLElement} */
  const rowOf = (seat, total, rank) => {
    const state = table.seats.get(seat);
    const words = state ? wordsOf(state) : [element("small", "state", WORDS.left)];
    const row = tallyRow(table, seat, rank, total, words);
    row.classList.toggle("own", seat === own);
    return row;
  };
  const totals = table.totals();
  const sides = teams.size === 0 ? totals : teamTotals(table);
  const places = placesOf(sides, ([, one], [, other]) => one === other).map(String);
  if (teams.size === 0) return totals.map(([seat, total], at) => rowOf(seat, total, places[at]));
  return sides.flatMap(([team, total], at) => [
    teamRow(table, team, places[at], total),
    ...totals.filter(([seat]) => teams.get(seat) === team).map(([seat, points]) => rowOf(seat, points, "")),
  ]);
}

/**
 * A team's row of the tally.
 * @param {TableState} table
 * @param {number} team
 * @param {string} rank
 * @param {number} total
 */
function teamRow({ results }, team, rank, total) {
  const last = results[results.length - 1];
  const points = last.points.filter(
    (/** @type {number} */ _, /** @type {number} */ at) => last.teams[at] === team,
  );
  const sum = points.reduce((/** @type {number} */ one, /** @type {number} */ other) => one + other, 0);
  const row = element("tr", "team");
  row.append(
    element("td", "", rank),
    element("td", "who", teamText(team)),
    element("td", "", points.length === 0 ? "–" : signed(sum)),
    element("td", "total", String(total)),
  );
  return row;
}

/**
 * A player's row of the tally.
 * @param {TableState} table
 * @param {number} seat
 * @param {string} rank
 * @param {number} total
 * @param {HTMLElement[]} words what stands beside the name
 */
function tallyRow(table, seat, rank, total, words) {
  const last = table.results[table.results.length - 1];
  const place = last.seats.indexOf(seat);
  const who = element("td", "who");
  const named = element("div");
  named.append(
    markTeam(element("bdi", "", table.nameOf(seat)), teamsOf(table).get(seat)),
    ...(last.out === seat ? [element("span", "badge", LATER.out)] : []),
    ...words,
  );
  who.append(named);
  const row = element("tr");
  row.append(
    element("td", "", rank),
    who,
    element(
      "td",
      "",
      place < 0
        ? "–"
        : [last.points[place], last.handicaps[place]?.[2]]
            .filter((points, at) => at === 0 || points)
            .map(signed)
            .join(" "),
    ),
    element("td", "total", String(total)),
  );
  return row;
}

/**
 * The analysis of a hand for one seat, in a few lines.
 * @param {Session} session
 * @param {MatchLog} match
 * @param {string[][]} tables of the moves
 */
export function analysis({ table, seat }, match, tables) {
  const place = seat === null ? -1 : table.handSeats.indexOf(seat);
  if (!table.hand || place < 0 || table.results.length === 0) return [];
  const { board, layout } = table.hand;
  const played = board.onFoundations(place);
  const lines = [];
  if (layout.piles.some(({ kind }) => kind === "foundation")) lines.push(LATER.cardsUp(played));
  if (match.lost.length > 0) {
    const closest = [...match.lost].sort((a, b) => a.late - b.late).slice(0, MAX_NAMED);
    const named = closest.map(({ by, late }) => LATER.lostTo(table.nameOf(by), late));
    lines.push(LATER.racesLost(match.lost.length, named));
  }
  const rules = new Rules(layout, tables);
  const ready = layout
    .own(place)
    .filter((pile) =>
      rules
        .playsFrom(board, place, pile.number, 1)
        .some((play) => layout.piles[play.destination].kind === "foundation"),
    );
  if (ready.length > 0) {
    const named = ready.slice(0, MAX_NAMED).map((pile) => faceName(board.top(pile.number) ?? UNKNOWN));
    lines.push(LATER.couldGoUp(named));
  }
  const cards = layout.own(place).map((pile) => ({ kind: pile.kind, cards: board.cards[pile.number] }));
  /** @param {(pile: {kind: string, cards: number[]}) => number} counted */
  const sum = (counted) => cards.reduce((all, pile) => all + counted(pile), 0);
  const left = [
    [sum((pile) => (/stock|waste/.test(pile.kind) ? pile.cards.length : 0)), LATER.inStock],
    [sum((pile) => (pile.kind === "reserve" ? pile.cards.length : 0)), LATER.inReserve],
    [
      sum((pile) => (pile.kind === "tableau" ? pile.cards.filter((card) => card === UNKNOWN).length : 0)),
      LATER.faceDown,
    ],
  ].filter(([count]) => count);
  if (left.length > 0) lines.push(LATER.cardsLeft(left.map(([count, where]) => `${count} ${where}`)));
  return lines;
}

/**
 * What a line says of a match, with a mark if it counts in no standings.
 * @param {string[]} facts
 * @param {boolean} [casual]
 */
export const matchLine = (facts, casual) => [...facts, ...(casual ? [LATER.casual] : [])].join(" · ");

/**
 * The results on this device: standings, and the newest matches.
 * @param {any} games
 */
export function resultRows(games) {
  const kept = keptResults();
  if (kept.length === 0) return [];
  /** @type {Map<string, {matches: number, won: number, points: number}>} */
  const players = new Map();
  for (const { totals } of kept.filter(({ casual }) => !casual)) {
    for (const { name, total, hasWon, isOwn } of totals) {
      const key = isOwn ? LATER.you : name;
      const sum = players.get(key) ?? { matches: 0, won: 0, points: 0 };
      players.set(key, {
        matches: sum.matches + 1,
        won: sum.won + Number(hasWon),
        points: sum.points + total,
      });
    }
  }
  const standings = element("table", "tally standings");
  const head = element("tr");
  head.append(...LATER.standingsHead.map((text) => element("th", "", text)));
  const rows = [...players]
    .sort(([, a], [, b]) => b.won / b.matches - a.won / a.matches || b.points - a.points)
    .map(([name, { matches, won, points }]) => {
      const row = element("tr");
      const who = element("td");
      who.append(element("bdi", "", name));
      row.append(who, ...[matches, won, points].map((number) => element("td", "", String(number))));
      return row;
    });
  standings.append(head, ...rows);
  const list = element("ul", "matches");
  list.append(
    ...kept
      .slice(-10)
      .reverse()
      .map(({ at, game, totals, casual }) => {
        const own = totals.find((/** @type {any} */ each) => each.isOwn);
        const rank = placesOf(totals, isTie)[totals.indexOf(own)];
        const title = games[game]?.title ?? game;
        const match = LATER.pastMatch(new Date(at), title, rank, totals.length, own?.total ?? 0);
        return element("li", "", matchLine([match], casual));
      }),
  );
  return [...(rows.length > 0 ? [standings] : []), element("h2", "", LATER.newestMatches), list];
}

/** @type {(one: {total: number}, other: {total: number}) => boolean} */
const isTie = (one, other) => one.total === other.total;

/** @returns {any[]} the stored results, without entries of an unknown form */
export function keptResults() {
  const kept = read("results");
  return Array.isArray(kept) ? kept.filter((each) => Array.isArray(each?.totals)) : [];
}

/**
 * Store the result of a match on this device.
 * @param {TableState} table
 * @param {number | null} seat the player's own; null for a spectator, whose device stores nothing
 */
export function keepResult(table, seat) {
  if (seat === null) return;
  const totals = table.totals().map(([who, total]) => ({
    name: table.nameOf(who),
    total,
    isOwn: who === seat,
    hasWon: table.winners.includes(who),
    isBot: Boolean(table.seats.get(who)?.bot),
  }));
  const { game, casual } = table.options;
  const result = { at: Date.now(), game, hands: table.results.length, totals, casual };
  write("results", [...keptResults(), result].slice(-MAX_RESULTS));
}
