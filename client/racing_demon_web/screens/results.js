// Results: the tally, the analysis of a hand, and the matches on this device.

import { asIs, element, markTeam, seatClass, token } from "../dom.js";
import { loaded, sound } from "../lazy.js";
import { UNKNOWN } from "../rules/layout.js";
import { placesOf } from "../rules/places.js";
import { Rules } from "../rules/rules.js";
import { teamsOf, teamTotals } from "../rules/teams.js";
import { read, settings, write } from "../storage.js";
import { makeCard } from "../table/board_view.js";
import { PHRASES } from "../wire/protocol.js";
import { clock, endText, faceName, filled, handText, ordinal, raceWords, teamText, WORDS } from "../words.js";
import { LATER, SPEED, signed } from "../words_later.js";

/**
 * @import { Seat, TableState } from "../rules/state.js"
 * @import { Session } from "../wire/session.js"
 * @import { MatchLog } from "../wire/match_log.js"
 */

const MAX_NAMED = 3;
const MAX_RESULTS = 100;
const RANKS_OF_SUIT = 13;
const MAX_TONIGHT = 50; // matches that a screen without a seat remembers
const MAX_ROWS = 8;
const FIRST_HOUR = 5; // an evening ends in the morning
const MAX_EVENINGS = 7; // that the page about oneself lists

export const celebrate = () => sound("won");

/**
 * When an evening began, in milliseconds since 1970.
 * @param {number} [at] a time of it
 */
export function beginOfEvening(at = Date.now()) {
  const begin = new Date(at - FIRST_HOUR * 3_600_000); // after midnight it is still that of yesterday
  begin.setHours(FIRST_HOUR, 0, 0, 0);
  return begin.getTime();
}

/**
 * Show the end of a match: cards around its winner, and how the evening stands.
 * @param {HTMLElement} cards
 * @param {HTMLElement} after the element that follows the evening
 * @param {TableState} table
 * @param {number | null} seat
 */
export function finish(cards, after, table, seat) {
  arc(cards);
  /** @type {HTMLElement | null | undefined} */
  const told = cards.parentElement?.querySelector(".headline");
  told?.style.setProperty("--letters", String(told.textContent?.length ?? 1)); // many winners are told smaller
  const before = after.previousElementSibling;
  if (before?.classList.contains("tonight")) before.remove();
  const entries = seat === null ? keptEvening(table.code) : keptResults();
  const evening = entries.filter(({ at }) => at >= beginOfEvening());
  if (evening.length > 1) after.before(tonight(evening, table));
}

/**
 * Who has won what since the evening began.
 * @param {any[]} matches as `keepResult` remembers them
 * @param {TableState} table
 */
function tonight(matches, table) {
  /** @type {Map<string, {won: number, points: number, races: number}>} */
  const sums = new Map();
  for (const { name, total, hasWon, races = 0 } of matches.flatMap(({ totals }) => totals)) {
    const { won, points, races: others } = sums.get(name) ?? { won: 0, points: 0, races: 0 };
    sums.set(name, { won: won + Number(hasWon), points: points + total, races: others + races });
  }
  const seats = new Map([...table.seats].map(([seat, { name }]) => [name, seat]));
  const root = element("section", "tonight");
  const list = element("ol");
  const rows = [...sums].sort(([, one], [, other]) => other.won - one.won || other.points - one.points);
  list.append(
    ...rows.slice(0, MAX_ROWS).map(([name, { won, points, races }]) => {
      const row = element("li");
      const seat = seats.get(name);
      if (seat !== undefined) row.append(token(seat, name));
      const facts = [LATER.pointsOf(points), ...(races > 0 ? [LATER.racesWon(races)] : [])];
      row.append(element("bdi", "", name), element("b", "", LATER.matchesWon(won)));
      row.append(element("small", "", facts.join(" · ")));
      return row;
    }),
  );
  root.append(element("h3", "", LATER.tonightAfter(matches.length)), list);
  return root;
}

/**
 * Show cards from ace to king as an arc over the winner; it is as good when it stands still.
 * @param {HTMLElement} root
 */
function arc(root) {
  if (root.childElementCount) return;
  root.append(
    ...[...Array(RANKS_OF_SUIT).keys()].map((at) => {
      const card = makeCard(((at * 3) % 4) * RANKS_OF_SUIT + at);
      card.style.setProperty("--at", String(at - (RANKS_OF_SUIT - 1) / 2));
      return card;
    }),
  );
}

/**
 * The player's place and points, first on a phone; nothing for spectators.
 * @param {TableState} table
 * @param {number | null} seat
 */
export function ownPlace(table, seat) {
  const totals = table.totals();
  const at = totals.findIndex(([who]) => who === seat);
  if (seat === null || at < 0 || totals.length < 2) return [];
  const [, total] = totals[at];
  const [text, ending] = ordinal(placesOf(totals, ([, one], [, other]) => one === other)[at]);
  const left = element("p", "place");
  const rank = element("b", "", text);
  rank.append(element("sup", "", ending));
  left.append(element("small", "", LATER.youAre), rank);
  const right = element("p", "points");
  const points = element("span");
  const unit = table.countsHands ? LATER.handsWon : LATER.pointsWon;
  points.append(element("b", "", String(total)), ` ${unit(total)}`);
  const last = table.results[table.results.length - 1];
  const own = last.points[last.seats.indexOf(seat)];
  const { target } = table.options;
  const facts = [
    ...(own === undefined || table.countsHands ? [] : [LATER.thisHand(own)]),
    ...(target === null || table.phase === "over" || total >= target ? [] : [LATER.toGo(target - total)]),
  ];
  right.append(points, element("small", "", facts.join(" · ")));
  return [left, right];
}

/**
 * Whether the shuffle was checked, in a word or two.
 * @param {Session} session
 */
export const proofSummary = ({ proof, isSound }) => (!proof ? "" : isSound ? LATER.checked : LATER.unchecked);

/**
 * Which hand this was, and when it ended.
 * @param {TableState} table
 */
export function outcome(table) {
  const { reason, elapsedMs } = table.results[table.results.length - 1];
  const isEarly = reason === "time_up" && elapsedMs < table.timeLimitMs;
  const hand = LATER.handAfter(handText(table.handNumber, table.options, table.lastHand), clock(elapsedMs));
  const known = table.knownDeal ? [PHRASES.known] : [];
  const { points } = table.results[table.results.length - 1];
  const each = table.hand?.reserveCard ?? 0;
  const cost =
    points.some((/** @type {number} */ own) => own < 0) && each < 0 ? [filled(PHRASES.reserve, each)] : [];
  return [isEarly ? `${endText("too_long")}. ${hand}` : hand, ...cost, ...known].join(" · ");
}

/**
 * The rows of the tally, the best first; where there are teams, each team above its players.
 * @param {TableState} table
 * @param {number | null} own this player's seat
 * @param {(state: Seat) => HTMLElement[]} wordsOf what stands beside the name of whoever is still there
 */
export function tallyRows(table, own, wordsOf) {
  const teams = teamsOf(table);
  /** @type {(seat: number, total: number, rank: string) => HTMLElement} */
  const rowOf = (seat, total, rank) => {
    const state = table.seats.get(seat);
    const words = state ? wordsOf(state) : [element("small", "state", WORDS.left)];
    const row = tallyRow(table, seat, rank, total, words);
    row.classList.add(seatClass(seat));
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
    element("td"),
    element("td", "total", String(total)),
    element("td", "now", points.length === 0 ? "–" : signed(sum)),
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
    token(seat, table.nameOf(seat)),
    markTeam(element("bdi", "", table.nameOf(seat)), teamsOf(table).get(seat)),
    ...(last.out === seat ? [element("span", "badge", LATER.out)] : []),
    ...words,
  );
  who.append(named);
  const row = element("tr");
  const points = place < 0 ? null : last.points[place];
  const extra = last.handicaps[place]?.[2];
  const bar = element("td", "bars");
  bar.append(way(table, total, table.countsHands ? 0 : (points ?? 0) + (extra ?? 0)));
  row.append(
    element("td", "", rank),
    who,
    bar,
    element("td", "total", String(total)),
    element("td", "now", points === null ? "–" : [points, ...(extra ? [extra] : [])].map(signed).join(" ")),
  );
  return row;
}

/**
 * The way to the goal: what was there before the last hand, what that added or cost, and what is left.
 * @param {TableState} table
 * @param {number} total
 * @param {number} change of the last hand
 */
function way(table, total, change) {
  const goal = Math.max(1, table.options.target ?? 0, ...table.totals().map(([, each]) => each));
  const share = (/** @type {number} */ points) => (Math.max(0, points) / goal) * 100;
  const [before, now] = [share(total - change), share(total)];
  const bar = element("div", "bar-way");
  bar.setAttribute("aria-hidden", "true");
  for (const [name, from, to] of /** @type {[string, number, number][]} */ ([
    ["old", 0, Math.min(before, now)],
    [now < before ? "lost-points" : "new", Math.min(before, now), Math.max(before, now)],
  ])) {
    const part = element("i", name);
    part.style.left = `${from}%`;
    part.style.width = `${to - from}%`;
    bar.append(part);
  }
  return bar;
}

/**
 * Tell what the last hand has come to: its moments, and below them the analysis, a line each.
 * @param {HTMLElement} list
 * @param {Session} session
 * @param {MatchLog} match
 * @param {string[][]} tables of the moves
 * @param {any} games
 * @param {import("./moments.js").OpenBoard} open
 */
export function analyze(list, session, match, tables, games, open) {
  list.replaceChildren(...analysis(session, match, tables).map((line) => element("li", "", line)));
  const folded = list.closest("details");
  if (folded) showClosest(folded, session.table, match.closest);
  const { moments } = loaded; // where it is missing, the match's page has them
  if (!folded || !moments) return;
  moments.showTitles(folded, session);
  moments.showMoments(folded, session, match, games, tables, open);
}

/**
 * Show the closest race of the last hand before an element, whoever ran it.
 * @param {HTMLElement} before
 * @param {TableState} table
 * @param {any} race
 */
function showClosest(before, table, race) {
  before.parentElement?.querySelector(".closest")?.remove();
  if (!race || table.results.length === 0) return;
  const node = element("section", "closest moment");
  const card = makeCard(race.card);
  card.classList.add("taken", seatClass(race.by));
  const picture = element("span", "picture");
  picture.setAttribute("aria-hidden", "true");
  picture.append(card);
  const words = element("div");
  words.append(element("h2", "", LATER.closestRace), asIs(element("span", "", raceWords(table, race))));
  node.append(picture, words);
  before.before(node);
}

/**
 * The analysis of a hand for one seat, in a few lines.
 * @param {Session} session
 * @param {MatchLog} match
 * @param {string[][]} tables of the moves
 */
function analysis({ table, seat, pingMs }, match, tables) {
  const place = seat === null ? -1 : table.handSeats.indexOf(seat);
  if (!table.hand || place < 0 || table.results.length === 0) return [];
  const { board, layout } = table.hand;
  const played = board.onFoundations(place);
  const lines = [];
  if (layout.piles.some(({ kind }) => kind === "foundation")) lines.push(LATER.cardsUp(played));
  if (match.lost.length > 0) {
    const closest = [...match.lost].sort((a, b) => a.late - b.late).slice(0, MAX_NAMED);
    const named = closest.map(({ by, late }) => LATER.lostTo(table.nameOf(by), late));
    lines.push(LATER.racesLost(match.lost.length, named), ...SPEED.lines(speedOf(match, board, pingMs)));
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

const SPEEDS_US = [100_000, 200_000, 500_000];

/**
 * What being faster would have been worth: how many of the lost races were that close, and how many of their cards
 * never went up; and how many were lost by less than the way to the server and back.
 * @param {MatchLog} match
 * @param {import("../rules/board.js").Board} board at the hand's end
 * @param {number} pingMs
 */
function speedOf({ lost }, board, pingMs) {
  const { piles } = board.layout;
  const isUp = (/** @type {number} */ card) =>
    piles.some(({ kind, number }) => kind === "foundation" && board.cards[number].includes(card));
  const within = SPEEDS_US.map((us) => {
    const races = lost.filter(({ late }) => late <= us);
    const cards = new Set(races.map(({ card }) => card).filter((card) => card !== null && !isUp(card)));
    return { us, races: races.length, cards: cards.size };
  });
  return { within, distance: lost.filter(({ late }) => late < pingMs * 1000).length, pingMs };
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
 * @param {boolean} onlyPeople
 */
export function resultRows(games, onlyPeople) {
  const kept = keptResults();
  if (kept.length === 0) return [];
  /** @type {Map<string, {matches: number, won: number, points: number}>} */
  const players = new Map();
  for (const { totals } of kept.filter(({ casual }) => !casual)) {
    for (const { name, total, hasWon, isOwn, isBot } of totals) {
      if (onlyPeople && isBot) continue;
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
  const frame = element("div", "wide");
  frame.append(standings);
  const list = element("ul", "matches");
  list.append(
    ...kept
      .slice(-10)
      .reverse()
      .map(({ at, game, totals, casual }) => {
        const own = totals.find((/** @type {any} */ each) => each.isOwn);
        const rank = placesOf(totals, isTie)[totals.indexOf(own)];
        const title = games[game]?.title ?? game;
        const match = LATER.pastMatch(at, title, rank, totals.length, own?.total ?? 0);
        return element("li", "", matchLine([match], casual));
      }),
  );
  return [...(rows.length > 0 ? [frame] : []), element("h2", "", LATER.newestMatches), list];
}

/** Who plays on this device, and how often that was; nothing before the first time. */
export function ownSummary() {
  const own = ownTotals();
  const name = settings.name || own[own.length - 1]?.name;
  if (!name) return [];
  const root = element("div", "self");
  const look = /^p[1-8]$/.exec(own[own.length - 1]?.look) ?? "p1";
  const mark = asIs(element("i", `token ${look}`, [...name][0].toUpperCase()));
  mark.setAttribute("aria-hidden", "true");
  const won = own.filter(({ hasWon }) => hasWon).length;
  root.append(
    mark,
    asIs(element("b", "", name)),
    element("small", "soft", LATER.playedHere(own.length, won)),
  );
  return [root];
}

/** The last evenings on this device, a line each; nothing before the first match. */
export function ownEvenings() {
  /** @type {Map<number, any[]>} */
  const evenings = new Map();
  for (const each of ownTotals()) {
    const begin = beginOfEvening(each.at);
    evenings.set(begin, [...(evenings.get(begin) ?? []), each]);
  }
  if (evenings.size === 0) return [];
  const list = element("ul", "matches");
  list.append(
    ...[...evenings]
      .slice(-MAX_EVENINGS)
      .reverse()
      .map(([, matches]) => {
        const won = matches.filter(({ hasWon }) => hasWon).length;
        const points = matches.reduce((sum, { total }) => sum + total, 0);
        const [first, last] = [matches[0].at, matches[matches.length - 1].at];
        return element("li", "", LATER.evening(first, last, matches.length, won, points));
      }),
  );
  return [element("h2", "", LATER.lastEvenings), list];
}

/** What this device's player has come to in each match, the oldest first. @returns {any[]} */
const ownTotals = () =>
  keptResults().flatMap(({ at, totals }) =>
    totals.filter((/** @type {any} */ { isOwn }) => isOwn).map((/** @type {any} */ own) => ({ ...own, at })),
  );

/** @type {(one: {total: number}, other: {total: number}) => boolean} */
const isTie = (one, other) => one.total === other.total;

/**
 * The matches of a table that this screen has watched.
 * @param {string} code
 * @returns {any[]}
 */
function keptEvening(code) {
  const kept = read("evening");
  return kept?.code === code && Array.isArray(kept.matches) ? kept.matches : [];
}

/** @returns {any[]} the stored results, without entries of an unknown form */
export function keptResults() {
  const kept = read("results");
  return Array.isArray(kept) ? kept.filter((each) => Array.isArray(each?.totals)) : [];
}

/**
 * Store the result of a match on this device.
 * @param {TableState} table
 * @param {number | null} seat the player's own; null for a spectator, whose device remembers the evening alone
 */
export function keepResult(table, seat) {
  const { racesWon } = loaded.panels ?? {};
  const totals = table.totals().map(([who, total]) => ({
    name: table.nameOf(who),
    total,
    isOwn: who === seat,
    hasWon: table.winners.includes(who),
    isBot: Boolean(table.seats.get(who)?.bot),
    ...(who === seat ? { look: seatClass(who) } : {}),
    ...(racesWon ? { races: racesWon.get(who) ?? 0 } : {}),
  }));
  racesWon?.clear();
  const { game, casual } = table.options;
  const result = { at: Date.now(), game, hands: table.results.length, totals, casual };
  if (seat === null) {
    const { code } = table;
    write("evening", { code, matches: [...keptEvening(code), result].slice(-MAX_TONIGHT) });
    return;
  }
  write("results", [...keptResults(), result].slice(-MAX_RESULTS));
}
