// Piles and deals, from games.json and the sections "Cards and piles" and "The deal" of the document.

import { createHash } from "node:crypto";

const shake = (size, ...parts) => {
  const hash = createHash("shake256", { outputLength: size });
  for (const part of parts) hash.update(part);
  return hash.digest();
};

export const rank = (card) => (card % 13) + 1;
export const suit = (card) => Math.floor((card % 52) / 13);
export const isRed = (card) => suit(card) % 2 === 1;

export class Layout {
  // All piles of a hand by their numbers: { number, group, kind, place, index, … }; place -1 is the table's.
  constructor(game, seats, options) {
    this.game = game;
    this.seats = seats;
    this.options = options;
    this.piles = [];
    for (const group of game.groups.filter((each) => each.owner === "table")) {
      this.#add(group, -1, this.#count(group) * seats.length);
    }
    seats.forEach((_, place) => {
      for (const group of game.groups.filter((each) => each.owner === "player")) {
        this.#add(group, place, this.#count(group));
      }
    });
    for (const pile of this.piles) {
      const to = pile.spec.under && this.named(pile.spec.under, pile.place)[pile.index];
      pile.under = to ? to.number : null;
    }
  }

  #add(spec, place, count) {
    for (let index = 0; index < count; index++) {
      const view = spec.kind === "waste" ? (this.options.waste_view ?? spec.view) : spec.view;
      const { name: group, kind, shows } = spec;
      this.piles.push({ number: this.piles.length, group, kind, shows, view, place, index, spec });
    }
  }

  #count(group) {
    if (group.kind !== "tableau") return group.piles;
    if (this.options.columns != null) return this.options.columns;
    if (!this.options.columns_by_players) return group.piles;
    return this.seats.length <= 2 ? 6 : this.seats.length === 3 ? 5 : 4;
  }

  // The piles of a group that a place may use: its own, or the table's.
  named(group, place) {
    return this.piles.filter((pile) => pile.group === group && (pile.place === place || pile.place === -1));
  }

  own(place, kind) {
    return this.piles.filter((pile) => pile.place === place && pile.kind === kind);
  }

  // How many cards at the top of so many in a pile lie face up by themselves.
  static faceUp({ shows, view }, size) {
    return { none: 0, kept: 0, last: Math.min(1, size), top: Math.min(view, size), all: size }[shows];
  }
}

function shuffled(seed, game, place) {
  const first = place * game.packs;
  const cards = [];
  for (let card = first * 52; card < (first + game.packs) * 52; card++) {
    if (game.ranks.includes(rank(card))) cards.push(card);
  }
  const key = shake(32, seed, `/pack/${first}`);
  let block = 0;
  let stream = [];
  const draw = () => {
    if (stream.length === 0) {
      const number = Buffer.alloc(4);
      number.writeUInt32BE(block++);
      stream = [...shake(128, key, number)];
    }
    return stream.shift();
  };
  for (let at = cards.length - 1; at >= 1; at--) {
    let byte = draw();
    while (byte >= 256 - (256 % (at + 1))) byte = draw();
    const other = byte % (at + 1);
    [cards[at], cards[other]] = [cards[other], cards[at]];
  }
  return cards;
}

function arranged(cards, arrange) {
  if (arrange === null) return cards;
  const pack = (card) => Math.floor(card / 52);
  if (arrange.rule === "packs") return [...cards].sort((a, b) => pack(a) - pack(b));
  return arrange.faces.map((face) => cards.find((card) => card % 52 === face));
}

// Return the cards of all piles after the deal, each bottom first.
export function deal(layout, seed) {
  const { game, options } = layout;
  const board = layout.piles.map(() => []);
  layout.seats.forEach((_, place) => {
    let cards = shuffled(seed, game, game.deals === "identical" ? 0 : place);
    if (game.deals === "identical") cards = cards.map((card) => card + place * game.packs * 52);
    cards = arranged(cards, game.arrange);
    const take = (fits) => cards.splice(cards.findIndex(fits), 1)[0];
    const sought = game.deal.map((step) => [
      ...(step.faces ?? []).map((face) => take((card) => card % 52 === face)),
      ...(step.ranks ?? []).map((wanted) => take((card) => rank(card) === wanted)),
    ]);
    game.deal.forEach((step, number) => {
      if (step.once && place !== 0) return;
      const to = layout.named(step.to, place).map((pile) => board[pile.number]);
      if (step.faces || step.ranks) sought[number].forEach((card, at) => to[at].push(card));
      else lay(step, to, cards, options);
    });
    if (cards.length > 0) board[layout.own(place, "stock")[0].number].push(...cards.reverse());
  });
  return board;
}

function lay(step, to, cards, options) {
  const each = (step.option && options[step.option]) ?? step.each;
  const counts = step.cards ?? to.map((_, at) => (step.first === undefined ? each : at === 0 ? step.first : 0));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const taken = cards.splice(0, total);
  if (step.by_rank) taken.sort((a, b) => rank(a) - rank(b));
  if (step.rows) {
    for (let row = 0; taken.length > 0; row++) {
      to.forEach((pile, at) => row < counts[at] && pile.push(taken.shift()));
    }
  } else {
    to.forEach((pile, at) => pile.push(...taken.splice(0, counts[at])));
  }
}

// Return the cards of a stock in the order that they have when it is made up anew for the n-th time.
export function reshuffled(layout, seed, place, times, cards) {
  const copies = new Map();
  const who = layout.game.deals === "identical" ? 0 : place;
  const keyed = [...cards]
    .sort((a, b) => a - b)
    .map((card) => {
      const face = card % 52;
      const copy = (copies.get(face) ?? 0) + 1;
      copies.set(face, copy);
      return [shake(32, seed, `/redeal/${who}/${times}/${face}/${copy}`), card];
    });
  return keyed.sort(([a], [b]) => Buffer.compare(a, b)).map(([, card]) => card);
}
