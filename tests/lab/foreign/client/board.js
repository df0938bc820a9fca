// How cards move, by the section of that name: on the board that everybody sees, and among the hidden cards.

import { deal, Layout, reshuffled } from "./dealer.js";

export const HIDDEN = -1;

export class Board {
  // With a seed it is the cards as they really lie: nothing is covered, and stocks are shuffled again.
  constructor(layout, cards, seed = null) {
    this.layout = layout;
    this.cards = cards;
    this.seed = seed;
    this.redeals = layout.seats.map(() => 0);
  }

  // The public board after the deal, before any card is named.
  static dealt(layout) {
    const cards = deal(layout, Buffer.alloc(32)); // how many lie where does not depend on the seed
    return new Board(layout, cards.map((pile) => pile.map(() => HIDDEN)));
  }

  // The places of all piles that lie face up with their cards not known.
  faceUp() {
    return this.layout.piles.flatMap((pile) => this.#unknown(pile.number));
  }

  // Move cards; return the places that lie face up now with their cards not known, in their order.
  move(source, count, destination, depth = 0) {
    if (source === destination) return this.#gather(source);
    const target = this.layout.piles[destination];
    const from = this.cards[source];
    const origin = this.layout.piles[source];
    if (Math.abs(count) + depth > from.length || count === 0) throw new Error("cards that are not there");
    const taken = from.splice(count > 0 ? from.length - depth - count : depth, Math.abs(count));
    if (target.kind === "stock" || (origin.kind === "stock" && count > 0)) taken.reverse();
    const isMadeUp = target.kind === "stock" && this.cards[destination].length === 0;
    const isUnder = target.under !== null && origin.kind !== "stock";
    const to = isUnder ? target.under : destination;
    if (isUnder) this.cards[to].unshift(...taken);
    else this.cards[to].push(...taken);
    if (isMadeUp) this.#madeUp(target);
    this.#cover(to);
    return to === source ? [] : [...this.#unknown(source), ...this.#unknown(to)];
  }

  rotate() {
    for (const stock of this.layout.piles.filter((pile) => pile.kind === "stock")) {
      const cards = this.cards[stock.number];
      for (const waste of this.layout.own(stock.place, "waste")) {
        cards.push(...this.cards[waste.number].splice(0).reverse());
      }
      if (cards.length > 0) cards.unshift(cards.pop());
      this.#cover(stock.number);
    }
  }

  name(places, shown) {
    if (places.length !== shown.length) throw new Error(`${shown.length} cards for ${places.length} places`);
    places.forEach(([pile, at], number) => (this.cards[pile][at] = shown[number]));
  }

  top(pile) {
    return this.cards[pile].at(-1);
  }

  #gather(stock) {
    const { place } = this.layout.piles[stock];
    const row = [];
    for (const { number, spec } of this.layout.piles.filter((pile) => pile.place === place)) {
      if (spec.gathers === 0) continue;
      const cards = this.cards[number].splice(0);
      row.push(...(spec.gathers === 1 ? cards : cards.reverse()));
    }
    this.cards[stock].unshift(...row.reverse());
    this.#madeUp(this.layout.piles[stock]);
    this.#cover(stock);
    return [];
  }

  #madeUp({ number, place, spec }) {
    const times = ++this.redeals[place];
    const shuffles = this.layout.options.shuffle ?? spec.shuffles;
    if (this.seed === null || !shuffles) return;
    this.cards[number] = reshuffled(this.layout, this.seed, place, times, this.cards[number]);
  }

  #cover(number) {
    const pile = this.layout.piles[number];
    if (this.seed !== null || (pile.shows !== "none" && pile.shows !== "top")) return;
    const cards = this.cards[number];
    cards.fill(HIDDEN, 0, cards.length - Layout.faceUp(pile, cards.length));
  }

  #unknown(number) {
    const cards = this.cards[number];
    const from = cards.length - Layout.faceUp(this.layout.piles[number], cards.length);
    const places = cards.map((card, at) => [number, at, card]);
    return places.slice(from).filter(([, , card]) => card === HIDDEN);
  }
}
