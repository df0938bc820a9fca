// Hints: which play helps, when none does, and which play another player's card has opened.

import { short } from "../words.js";
import { openedWords } from "../words_later.js";
import { UNKNOWN } from "./layout.js";

export { hintWords } from "../words_later.js";

/**
 * @import { Board } from "./board.js"
 * @import { Play, Rules } from "./rules.js"
 * @import { TableState } from "./state.js"
 */

const MAX_POSITIONS = 200;
const NEWS_MS = 8000; // how long it is news that a play was opened
const LOOKS_MS = 250; // how often it is looked whether it is still there

/** Finds plays for one player. Every event must be recorded, because hints depend on how the stock is turned. */
export class Hints {
  #isWhole = false;

  constructor() {
    /** Whether the whole stock was turned, and nothing helped. */
    this.isFruitless = false;
  }

  /**
   * Record an event, after the table has applied it.
   * @param {string} name
   * @param {any} fields
   * @param {TableState} table
   * @param {Rules} rules
   * @param {number} place
   */
  record(name, { seat, source, destination }, table, rules, place) {
    const board = table.hand?.board;
    if (!board || place < 0) return;
    if (name !== "played") {
      const isShifted = name === "stock_shifted" && table.handSeats.indexOf(seat) === place;
      if (isShifted || ["snapshot", "dealt", "rotated"].includes(name)) this.#begin(board, place);
      return;
    }
    const kinds = [source, destination].map((pile) => board.layout.piles[pile].kind);
    const isOwn = table.handSeats.indexOf(seat) === place;
    if (isOwn && kinds.includes("stock") && kinds.includes("waste")) this.#turned(rules, board, place);
    else if (isOwn || kinds.includes("foundation")) this.#begin(board, place);
  }

  /**
   * A play that helps, or that turns the stock; null: nothing helps; undefined: this page does not know.
   * @param {Rules} rules
   * @param {Board} board
   * @param {number} place
   * @returns {Play | null | undefined}
   */
  play(rules, board, place) {
    const { play, isSure } = helpfulPlay(rules, board, place);
    const turn = rules.turn(board, place);
    if (play !== null) return play;
    if (turn !== null && !this.isFruitless) return turn;
    return isSure && knowsAll(rules, place) ? null : (turn ?? undefined);
  }

  /**
   * @param {Board} board
   * @param {number} place
   */
  #begin(board, place) {
    const [waste] = board.layout.own(place, "waste");
    this.#isWhole = waste !== undefined && board.cards[waste.number].length === 0;
    this.isFruitless = false;
  }

  /**
   * @param {Rules} rules
   * @param {Board} board
   * @param {number} place
   */
  #turned(rules, board, place) {
    const [[stock], [waste]] = [board.layout.own(place, "stock"), board.layout.own(place, "waste")];
    const { options } = board.layout;
    const { play, isSure } = helpfulPlay(rules, board, place);
    const showsAll =
      !stock.spec.shuffles && options.shuffle !== true && (options.tail_rule ?? "top") === "top";
    if (play !== null || !isSure || !showsAll) this.#begin(board, place);
    else if (board.cards[stock.number].length === 0) this.isFruitless ||= this.#isWhole;
    else if (board.cards[waste.number].length === 0) this.#isWhole = true;
  }
}

/**
 * A play that brings the hand nearer to its end, or a neutral move that leads to one; and whether all such
 * moves were looked through.
 * @param {Rules} rules
 * @param {Board} board
 * @param {number} place
 * @returns {{play: Play | null, isSure: boolean}}
 */
export function helpfulPlay(rules, board, place) {
  const sources = board.layout.own(place).filter(({ kind }) => kind !== "stock");
  /** @type {{at: Board, first: Play | null}[]} */
  const waiting = [{ at: board, first: null }];
  const seen = new Set([laid(board)]);
  for (const { at, first } of waiting) {
    const plays = sources.flatMap(({ number }) => rules.playsFrom(at, place, number));
    const useful = plays.find((play) => at.isProgress(play));
    if (useful) return { play: first ?? useful, isSure: true };
    for (const play of plays) {
      const isNeutral = [play.source, play.destination].every(
        (pile) => at.layout.piles[pile].kind === "tableau",
      );
      if (!isNeutral || seen.size === MAX_POSITIONS) continue;
      const moved = at.copy();
      moved.move(play.source, play.count, play.destination);
      if (seen.has(laid(moved))) continue;
      seen.add(laid(moved));
      waiting.push({ at: moved, first: first ?? play });
    }
  }
  return { play: null, isSure: seen.size < MAX_POSITIONS };
}

/**
 * A play that another player's card on a foundation has just made possible, or null.
 * @param {Rules} rules
 * @param {Board} board
 * @param {number} place
 * @param {number} grown the foundation
 * @returns {Play | null}
 */
export function openedPlay(rules, board, place, grown) {
  if (board.layout.piles[grown].kind !== "foundation") return null;
  const before = board.copy();
  before.cards[grown].pop();
  const foundations = board.layout.piles.filter(({ kind }) => kind === "foundation");
  for (const { number, kind } of board.layout.own(place)) {
    if (kind === "stock" || board.top(number) === null || board.top(number) === UNKNOWN) continue;
    const play = { source: number, count: 1, destination: grown };
    if (!rules.allows(board, place, play)) continue;
    if (!foundations.some((pile) => rules.allows(before, place, { ...play, destination: pile.number })))
      return play;
  }
  return null;
}

/**
 * Tell which play another player's card on a foundation has just made possible, while it is there and news.
 * @param {import("../table/table_screen.js").TableScreen} screen
 * @param {number} seat the other player
 * @param {number} grown the foundation
 * @returns {boolean} whether it has
 */
export function tellOpened(screen, seat, grown) {
  const { table, rules, place } = screen;
  const board = table.hand?.board;
  const play = rules && board ? openedPlay(rules, board, place, grown) : null;
  if (!rules || !board || !play) return false;
  const card = board.top(play.source);
  const words = openedWords(table.nameOf(seat), short(board.top(grown) ?? UNKNOWN), short(card ?? UNKNOWN));
  const line = screen.news(words, true);
  const look = (left = NEWS_MS) => {
    const isThere =
      table.hand?.board === board && board.top(play.source) === card && rules.allows(board, place, play);
    if (left > 0 && isThere) setTimeout(() => look(left - LOOKS_MS), LOOKS_MS);
    else line.remove();
  };
  look();
  return true;
}

/** @param {Board} board */
const laid = (board) => board.cards.map((pile) => pile.join()).join(";");

/**
 * Whether the tables know all plays from a player's piles: of each to foundations, and of runs between columns.
 * @param {Rules} rules
 * @param {number} place
 */
export function knowsAll({ layout, moveTables }, place) {
  const foundations = new Set(
    layout.piles.filter(({ kind }) => kind === "foundation").map(({ group }) => group),
  );
  return layout.own(place).every(({ group, kind }) => {
    if (kind === "stock") return true;
    if (kind === "tableau" && !moveTables.get(`${group}>${group}`)?.run) return false;
    return [...foundations].some((to) => moveTables.has(`${group}>${to}`));
  });
}
