// The moments of a hand, as sentences and as boards: after the tally, and on a match's page.

import { button, element, seatClass, token } from "../dom.js";
import { momentsOf } from "../rules/moments.js";
import { makeCard } from "../table/board_view.js";
import { fetchText } from "../wire/records.js";
import { MOMENTS, titleWords } from "../words_later.js";

/**
 * @import { Session } from "../wire/session.js"
 * @import { MatchLog } from "../wire/match_log.js"
 * @import { Moment } from "../rules/moments.js"
 *
 * @typedef {{events: {name: string, fields: any}[]}} Recorded
 * @typedef {{card: number, words: string}} Mark what a replay shows where it begins
 * @typedef {(from: number, mark: Mark) => void} OpenBoard
 */

/**
 * The event before which a replay shows a moment: after what made the card ready, or before what took its place.
 * @param {Recorded} record
 * @param {Moment} moment
 */
export function placeOf({ events }, { seq, winner }) {
  const at = events.findIndex(({ fields }) => fields.seq === seq);
  return winner === null ? at : at - 1;
}

/**
 * A moment: its card and its sentence; pressing it opens the board.
 * @param {Moment} moment
 * @param {(seat: number) => string} nameOf
 * @param {number | null} own this player's seat
 * @param {() => void} open
 */
export function momentItem(moment, nameOf, own, open) {
  const item = button("", open);
  item.className = "moment";
  const picture = element("span", "picture");
  picture.setAttribute("aria-hidden", "true");
  const card = makeCard(moment.card);
  if (moment.winner !== null) card.classList.add("taken", seatClass(moment.winner));
  picture.append(card);
  const words = element("span", "", MOMENTS.sentence(moment, nameOf, own));
  item.append(picture, words);
  return item;
}

/** What is shown of a hand, by its deal and the number of hands. @type {{deal: string, node: HTMLElement | null}} */
const shown = { deal: "", node: null };

/**
 * Show this player's moments of the last hand before an element: one, and the others one press away.
 * @param {HTMLElement} before
 * @param {Session} session
 * @param {MatchLog} match
 * @param {any} games
 * @param {string[][]} tables of the moves
 * @param {OpenBoard} open
 */
export function showMoments(before, { table, seat }, match, games, tables, open) {
  const deal = `${table.hand?.deal} ${table.results.length}`;
  if (shown.deal === deal) return;
  shown.deal = deal;
  shown.node?.remove();
  shown.node = null;
  if (seat === null || match.begin === null || !table.handSeats.includes(seat)) return;
  const last = momentsOf(match, games, tables, table.results.length).get(table.results.length) ?? [];
  const own = last.filter((moment) => moment.seat === seat);
  if (own.length === 0) return;
  const node = element("section", "moments");
  node.setAttribute("aria-label", MOMENTS.title);
  const items = own.map((moment) => {
    const words = MOMENTS.sentence(moment, (who) => table.nameOf(who), seat);
    const show = () => open(placeOf(match, moment), { card: moment.card, words });
    return momentItem(moment, (who) => table.nameOf(who), seat, show);
  });
  node.append(element("h2", "", MOMENTS.title), items[0]);
  if (items.length > 1) {
    const more = element("details");
    more.append(element("summary", "", MOMENTS.more(items.length - 1)), ...items.slice(1));
    node.append(more);
  }
  before.before(node);
  shown.node = node;
}

/**
 * The moments that the server has of a match: hand by hand, seat by seat.
 * @param {{hand: number, moments: (number | null)[][]}[]} hands
 * @param {Map<number, string>} names
 * @param {(moment: Moment, words: string) => void} open
 */
export function momentList(hands, names, open) {
  const list = element("div", "moments");
  const nameOf = (/** @type {number} */ seat) => names.get(seat) ?? "";
  for (const { hand, moments } of hands.filter((each) => each.moments.length > 0)) {
    const each = element("details");
    each.append(element("summary", "", MOMENTS.ofHand(hand)));
    for (const row of moments) {
      const moment = momentOfRow(row);
      const words = MOMENTS.sentence(moment, nameOf, null);
      each.append(momentItem(moment, nameOf, null, () => open(moment, words)));
    }
    list.append(each);
  }
  return list;
}

const TRIES = 20; // for the titles: they are made after the match's last event
const AGAIN_MS = 1000;
/** The titles that are shown, by the match's last deal. @type {{deal: string, node: HTMLElement | null}} */
const titled = { deal: "", node: null };

/**
 * Show the titles of the evening before an element, as soon as the server has them.
 * @param {HTMLElement} before
 * @param {Session} session
 */
export async function showTitles(before, session) {
  const { table, token } = session;
  const deal = table.phase === "over" ? (table.hand?.deal ?? "") : "";
  if (titled.deal === deal) return;
  titled.deal = deal;
  titled.node?.remove();
  titled.node = null;
  for (let tries = 0; deal && titled.deal === deal && tries < TRIES; tries += 1) {
    const text = await fetchText(`/v1/titles?table=${table.code}&hand=${deal}`, token);
    if (!text) return; // this server keeps no results, or they are not ours to see
    const { hands, points, titles } = JSON.parse(text);
    const last = table.results[table.results.length - 1];
    const isOurs =
      hands === table.results.length &&
      last.seats.every(
        (/** @type {number} */ seat, /** @type {number} */ at) => points[seat] === last.points[at],
      );
    if (isOurs && titled.deal === deal) {
      if (titles.length === 0) return;
      const node = element("section", "evening");
      const names = new Map(last.seats.map((/** @type {number} */ seat) => [seat, table.nameOf(seat)]));
      node.append(element("h2", "", MOMENTS.titles), titleList(titles, names));
      before.before(node);
      titled.node = node;
      return;
    }
    await new Promise((over) => setTimeout(over, AGAIN_MS));
  }
}

/**
 * The titles of an evening: who, what for, and how much of it.
 * @param {{seat: number, title: string, value: number}[]} titles
 * @param {Map<number, string>} names
 */
export function titleList(titles, names) {
  const list = element("ul", "titles");
  for (const { seat, title, value } of titles) {
    const [what, how] = titleWords(title, value);
    if (!what) continue; // of a newer server
    const row = element("li", seatClass(seat));
    const who = element("span");
    who.append(element("b", "what", what), element("small", "", how));
    row.append(token(seat, names.get(seat) ?? ""), element("bdi", "name", names.get(seat) ?? ""), who);
    list.append(row);
  }
  return list;
}

/**
 * @param {(number | null)[]} row of the server
 * @returns {Moment}
 */
function momentOfRow([seat, card, points, waited, seq, winner, opened]) {
  const [who, which, cost, us, event] = /** @type {number[]} */ ([seat, card, points, waited, seq]);
  return { seat: who, card: which, points: cost, waited: us, seq: event, winner, opened };
}
