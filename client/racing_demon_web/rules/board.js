// Where the cards lie that everybody sees, and how they move: "How cards move" in the wire's document.

import { Layout, rank, UNKNOWN } from "./layout.js";

/** @import { Pile, Step } from "./layout.js" */

const SUIT_SIZE = 13; // the cards of a complete foundation around which people race

const outside = (/** @type {Pile} */ pile, /** @type {number[]} */ cards) =>
  pile.kind === "out" ? cards.length : 0;

/**
 * How many cards of a pile are progress, by what the game counts.
 * @type {Record<string, (pile: Pile, cards: number[]) => number>}
 */
const COUNTS = {
  out: outside,
  stacked: (pile, cards) => (pile.kind === "tableau" ? Math.max(0, cards.length - 1) : 0),
  home: (pile, cards) =>
    pile.group === "packet"
      ? cards.filter((card) => card !== UNKNOWN && rank(card) === pile.index + 1).length
      : outside(pile, cards),
};

export class Board {
  /**
   * @param {Layout} layout
   * @param {number[][]} cards by pile, each bottom first
   * @param {number[]} redeals by place
   * @param {number[]} shifts by place: how often its stock's top card went to the bottom since the last redeal
   */
  constructor(layout, cards, redeals = layout.seats.map(() => 0), shifts = layout.seats.map(() => 0)) {
    this.layout = layout;
    this.cards = cards;
    this.redeals = redeals;
    this.shifts = shifts;
  }

  /**
   * The board after the deal, before any card is named.
   * @param {Layout} layout
   */
  static dealt(layout) {
    return new Board(
      layout,
      sizes(layout).map((size) => new Array(size).fill(UNKNOWN)),
    );
  }

  copy() {
    return new Board(
      this.layout,
      this.cards.map((pile) => pile.slice()),
      this.redeals.slice(),
      this.shifts.slice(),
    );
  }

  /** @param {number} pile */
  top(pile) {
    const cards = this.cards[pile];
    return cards.length > 0 ? cards[cards.length - 1] : null;
  }

  /** All places that lie face up while their cards are not known: [pile, index] of each. */
  faceUp() {
    return this.layout.piles.flatMap((pile) => this.#unknown(pile.number));
  }

  /**
   * Move cards; return the places that lie face up now while their cards are not known, in their order.
   * @param {number} source
   * @param {number} count
   * @param {number} destination
   * @param {number} [depth]
   * @throws {Error} the cards are not there
   */
  move(source, count, destination, depth = 0) {
    if (source === destination) return this.#gather(source);
    const origin = this.layout.piles[source];
    const target = this.layout.piles[destination];
    const from = this.cards[source];
    if (!target || !from || count === 0 || Math.abs(count) + depth > from.length) {
      throw new Error("cards that are not there");
    }
    const taken = from.splice(count > 0 ? from.length - depth - count : depth, Math.abs(count));
    if (target.kind === "stock" || (origin.kind === "stock" && count > 0)) taken.reverse();
    const isMadeUp = target.kind === "stock" && this.cards[destination].length === 0;
    const under = origin.kind === "stock" ? null : target.under;
    const to = under ?? destination;
    if (under !== null) this.cards[to].unshift(...taken);
    else this.cards[to].push(...taken);
    if (isMadeUp) this.onRedeal(destination);
    this.cover(to);
    return to === source ? [] : [...this.#unknown(source), ...this.#unknown(to)];
  }

  /**
   * Put the top card of a place's stock to its bottom.
   * @param {number} place
   */
  shift(place) {
    const cards = this.cards[this.layout.own(place, "stock")[0].number];
    cards.unshift(/** @type {number} */ (cards.pop()));
    this.shifts[place] += 1;
  }

  /** Turn all wastes over, and put each stock's top card to its bottom. */
  rotate() {
    this.shifts.fill(0);
    for (const stock of this.layout.piles.filter((pile) => pile.kind === "stock")) {
      const cards = this.cards[stock.number];
      for (const waste of this.layout.own(stock.place, "waste")) {
        cards.push(...this.cards[waste.number].splice(0).reverse());
      }
      if (cards.length > 0) cards.unshift(/** @type {number} */ (cards.pop()));
      this.cover(stock.number);
    }
  }

  /**
   * @throws {Error} there are more or fewer places than cards
   * @param {number[][]} places
   * @param {number[]} shown
   */
  name(places, shown) {
    if (places.length !== shown.length) throw new Error(`${shown.length} cards for ${places.length} places`);
    places.forEach(([pile, at], number) => {
      this.cards[pile][at] = shown[number];
    });
  }

  /**
   * Whether a play brings the hand nearer to its end, which takes every "stuck" back.
   * @param {import("./rules.js").Play} play
   */
  isProgress({ source, count, destination }) {
    const [from, to] = [this.layout.piles[source], this.layout.piles[destination]];
    if (to.kind === "stock" || to.kind === "waste" || from.kind === "foundation") return false;
    if (from.kind !== "tableau" || to.kind !== "tableau") return true;
    const cards = this.cards[source];
    if (cards.length > count) return cards[cards.length - count - 1] === UNKNOWN;
    return this.cards[destination].length > 0;
  }

  /**
   * How many cards of a place lie on foundations.
   * @param {number} place
   */
  onFoundations(place) {
    const size = 52 * this.layout.game.packs;
    return this.layout.piles
      .filter((pile) => pile.kind === "foundation")
      .reduce(
        (sum, pile) =>
          sum + this.cards[pile.number].filter((card) => Math.floor(card / size) === place).length,
        0,
      );
  }

  /**
   * How many foundations a place has completed with a card of its own.
   * @param {number} place
   */
  completed(place) {
    const size = 52 * this.layout.game.packs;
    return this.layout.piles.filter(({ kind, number }) => {
      const cards = this.cards[number];
      return (
        kind === "foundation" &&
        cards.length === SUIT_SIZE &&
        Math.floor(cards[SUIT_SIZE - 1] / size) === place
      );
    }).length;
  }

  /**
   * How far a place is; null where its game counts what is not told here.
   * @param {number} place
   */
  progress(place) {
    const { counted } = this.layout.game;
    if (counted === undefined) return this.onFoundations(place);
    if (counted === null) return null;
    const piles = this.layout.piles.filter((pile) => pile.place === place || pile.place === -1);
    return piles.reduce((sum, pile) => sum + COUNTS[counted](pile, this.cards[pile.number]), 0);
  }

  /** @param {number} stock */
  #gather(stock) {
    const { place } = this.layout.piles[stock];
    const row = [];
    for (const { number, spec } of this.layout.own(place)) {
      if (spec.gathers === 0) continue;
      const cards = this.cards[number].splice(0);
      row.push(...(spec.gathers === 1 ? cards : cards.reverse()));
    }
    this.cards[stock].unshift(...row.reverse());
    this.onRedeal(stock);
    this.cover(stock);
    return [];
  }

  /**
   * Count a redeal.
   * @param {number} number
   */
  onRedeal(number) {
    const { place } = this.layout.piles[number];
    this.redeals[place] += 1;
    this.shifts[place] = 0;
  }

  /** @param {number} number */
  cover(number) {
    const pile = this.layout.piles[number];
    if (pile.spec.shows !== "none" && pile.spec.shows !== "top") return;
    const cards = this.cards[number];
    cards.fill(UNKNOWN, 0, cards.length - this.layout.faceUp(pile, cards.length));
  }

  /** @param {number} number */
  #unknown(number) {
    const cards = this.cards[number];
    const from = cards.length - this.layout.faceUp(this.layout.piles[number], cards.length);
    const places = [];
    for (let at = from; at < cards.length; at++) if (cards[at] === UNKNOWN) places.push([number, at]);
    return places;
  }
}

/**
 * How many cards lie on each pile after the deal.
 * @param {Layout} layout
 */
function sizes(layout) {
  const { game } = layout;
  const counts = layout.piles.map(() => 0);
  layout.seats.forEach((_, place) => {
    let left = game.packs * 4 * game.ranks.length;
    for (const step of game.deal) {
      if (step.once && place !== 0) continue;
      const to = layout.named(step.to, place);
      dealt(step, to, layout.each(step, place)).forEach((count, at) => {
        const taken = Math.min(count, left);
        counts[to[at].number] += taken;
        left -= taken;
      });
    }
    if (left > 0) counts[layout.own(place, "stock")[0].number] += left;
  });
  return counts;
}

/**
 * @param {Step} step
 * @param {Pile[]} to
 * @param {any} each how many cards for each
 */
function dealt(step, to, each) {
  const sought = (step.faces ?? []).length + (step.ranks ?? []).length;
  if (sought > 0) return to.map((_, at) => (at < sought ? 1 : 0));
  return step.cards ?? to.map((_, at) => (step.first === undefined ? each : at === 0 ? step.first : 0));
}
