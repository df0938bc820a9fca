// What may be played: the plays that two piles alone decide, from the game's `moves`.
// What they do not allow is not refused here: the server judges it.

import { CHANGES_MOVES } from "../wire/protocol.js";
import { FOUNDATIONS, UNKNOWN } from "./layout.js";

/**
 * @import { Board } from "./board.js"
 * @import { Layout, Move } from "./layout.js"
 */

const FACES = 52;

/**
 * @typedef {object} Play
 * @property {number} source
 * @property {number} count
 * @property {number} destination
 */

/** The plays of one hand, judged by tables. */
export class Rules {
  /**
   * @param {import("./layout.js").Layout} layout
   * @param {string[][]} tables rows of 52 bits in hexadecimal: for each face, the faces that fit upon it
   */
  constructor(layout, tables) {
    this.layout = layout;
    const { game, options } = layout;
    const own = game.options;
    const changed = CHANGES_MOVES.some((name) => (options[name] ?? own[name]) !== own[name]);
    /** @type {Map<string, any>} */
    this.moveTables = new Map(
      changed ? [] : game.moves.map((move) => [`${move.from}>${move.to}`, moveTableOf(move, tables, layout)]),
    );
  }

  /**
   * Whether a play is legal beyond doubt. Foundations are named by their piles.
   * @param {Board} board
   * @param {number} place
   * @param {Play} play
   */
  allows(board, place, { source, count, destination }) {
    const table = this.#moveTable(place, source, destination);
    if (!table || count < 1) return false;
    const [cards, there] = [board.cards[source], board.cards[destination]];
    if (table.turn > 0) return count === Math.min(table.turn, cards.length);
    if (count > cards.length) return false;
    const moved = cards.slice(-count);
    if (moved.includes(UNKNOWN) || (count > 1 && !isRun(table.run, moved))) return false;
    const face = moved[0] % FACES;
    if (there.length === 0) return has(table.opens, face);
    const top = there[there.length - 1];
    const takes = table.takes[Math.min(there.length, table.takes.length) - 1];
    return top !== UNKNOWN && takes !== null && has(takes[top % FACES], face);
  }

  /**
   * @param {number} place
   * @param {number} source
   * @param {number} destination
   */
  #moveTable(place, source, destination) {
    const [from, to] = [this.layout.piles[source], this.layout.piles[destination]];
    if (!from || !to || source === destination || from.place !== place) return undefined;
    if (to.place !== place && to.place !== -1) return undefined;
    return this.moveTables.get(`${from.group}>${to.group}`);
  }

  /**
   * The known plays from a pile, those of one card up to `most`; foundations among them by their piles.
   * @param {Board} board
   * @param {number} place
   * @param {number} source
   * @param {number} [most]
   */
  playsFrom(board, place, source, most = board.cards[source].length) {
    const plays = [];
    for (const { number } of this.layout.piles) {
      for (let count = 1; count <= most; count++) {
        const play = { source, count, destination: number };
        if (this.allows(board, place, play)) plays.push(play);
      }
    }
    return plays;
  }

  /**
   * How the stock is turned, or redealt from the waste; null where neither is possible, or where it
   * leads is not known.
   * @param {Board} board
   * @param {number} place
   */
  turn(board, place) {
    const stock = this.layout.own(place, "stock")[0];
    const waste = this.layout.own(place, "waste")[0];
    if (!stock) return null;
    const left = board.cards[stock.number].length;
    if (left > 0 && waste) {
      const known = this.layout.game.moves.find(
        ({ from, to, turn }) => turn !== undefined && from === stock.group && to === waste.group,
      );
      return known
        ? {
            source: stock.number,
            count: Math.min(this.layout.turnSize(known.turn ?? 1), left),
            destination: waste.number,
          }
        : null;
    }
    if (
      left === 0 &&
      stock.spec.kind === "stock" &&
      this.layout.own(place).some((pile) => pile.spec.gathers !== 0)
    ) {
      return { source: stock.number, count: 1, destination: stock.number };
    }
    const turned = waste ? board.cards[waste.number].length : 0;
    return turned > 0 ? { source: waste.number, count: turned, destination: stock.number } : null;
  }

  /**
   * Whether the top card of a place's stock may go to its bottom now.
   * @param {Board} board
   * @param {number} place
   */
  mayShift(board, place) {
    const { stock_shift: shift } = this.layout.options;
    const stock = this.layout.own(place, "stock")[0];
    if (!shift || !stock || (shift === "once_a_pass" && board.shifts[place] > 0)) return false;
    return board.cards[stock.number].length > 1;
  }

  /**
   * The best known play of the run of `count` cards at a pile's top: up, then that run, then whatever
   * brings the hand on, then any that moves; null where the tables know none.
   * @param {Board} board
   * @param {number} place
   * @param {number} source
   * @param {number} count
   */
  bestPlay(board, place, source, count) {
    const plays = this.playsFrom(board, place, source).filter((play) => !this.#wanders(board, play));
    if (plays.length === 0) return null;
    /** @param {Play} play */
    const worth = (play) =>
      [
        this.#isUp(play) && count === 1,
        play.count === count && !this.#isUp(play),
        this.#isUp(play),
        board.isProgress(play),
        board.cards[play.destination].length > 0,
        play.count,
      ].map(Number);
    return plays.reduce((best, play) => (compare(worth(play), worth(best)) > 0 ? play : best));
  }

  /** @param {Play} play */
  #isUp(play) {
    return this.layout.piles[play.destination].kind === "foundation";
  }

  /**
   * Whether a play moves a whole column into an empty one.
   * @param {Board} board
   * @param {Play} play
   */
  #wanders(board, { source, count, destination }) {
    const kinds = [this.layout.piles[source].kind, this.layout.piles[destination].kind];
    if (kinds.includes("stock")) return true;
    const isColumns = kinds.every((kind) => kind === "tableau");
    return isColumns && board.cards[destination].length === 0 && board.cards[source].length === count;
  }

  /**
   * The play as it is sent: the server picks the foundation, so that nobody is refused a twin.
   * @param {Play} play
   */
  toSend(play) {
    return this.#isUp(play) ? { ...play, destination: FOUNDATIONS } : play;
  }
}

/**
 * The board on which plays in the air have landed, and how many cards in the air top each pile.
 * @param {Rules} rules
 * @param {Board} board
 * @param {number} place
 * @param {Play[]} plays
 */
export function ahead(rules, board, place, plays) {
  const air = new Map();
  let shown = board;
  for (const play of plays) {
    const landing = landingOf(rules, shown, place, play);
    if (landing === null) continue;
    if (shown === board) shown = board.copy();
    shown.move(landing.source, landing.count, landing.destination);
    air.set(landing.source, Math.max(0, (air.get(landing.source) ?? 0) - landing.count));
    air.set(landing.destination, (air.get(landing.destination) ?? 0) + landing.count);
  }
  return { board: shown, air };
}

/**
 * @param {Rules} rules
 * @param {Board} board
 * @param {number} place
 * @param {Play} play
 */
function landingOf(rules, board, place, play) {
  if (play.destination !== FOUNDATIONS) {
    const [from, to] = [play.source, play.destination].map((pile) => rules.layout.piles[pile]?.kind);
    if (from === "stock" || (from === "waste" && to === "stock"))
      return play.source !== play.destination && play.count <= board.cards[play.source].length ? play : null;
    return rules.allows(board, place, play) ? play : null;
  }
  const up = rules.layout.piles.find(
    (pile) => pile.kind === "foundation" && rules.allows(board, place, { ...play, destination: pile.number }),
  );
  return up ? { ...play, destination: up.number } : null;
}

/**
 * @param {Move} move
 * @param {string[][]} tables
 * @param {Layout} layout
 */
function moveTableOf(move, tables, layout) {
  const { from, turn, opens, takes, run } = move;
  if (turn !== undefined) return { turn: layout.turnSize(turn) };
  /** @param {number | null | undefined} number */
  const table = (number) => (number === null || number === undefined ? null : tables[number]);
  const isClosed =
    layout.options.spaces === "reserve" && !isOf(layout, from, "reserve") && isOf(layout, move.to, "tableau");
  return { turn: 0, opens: isClosed ? "" : opens, takes: (takes ?? []).map(table), run: table(run) };
}

/**
 * @param {Layout} layout
 * @param {string} group
 * @param {string} kind
 */
const isOf = ({ game }, group, kind) => game.groups.some((each) => each.name === group && each.kind === kind);

/**
 * @param {string[] | null} run
 * @param {number[]} cards
 */
function isRun(run, cards) {
  return run !== null && cards.every((card, at) => at === 0 || has(run[cards[at - 1] % FACES], card % FACES));
}

/**
 * Whether bit `face` of a row is set; its first hexadecimal digit holds faces 0 to 3, lowest bit first.
 * @param {string} row
 * @param {number} face
 */
function has(row, face) {
  return ((parseInt(row[face >> 2] ?? "0", 16) >> (face & 3)) & 1) === 1;
}

/**
 * @param {number[]} a
 * @param {number[]} b
 */
function compare(a, b) {
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return a[at] - b[at];
  return 0;
}
