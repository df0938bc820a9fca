// The piles of a hand, by their numbers, as games.json describes them.

export const rank = (card) => (card % 13) + 1;
export const suit = (card) => Math.floor((card % 52) / 13);
export const isRed = (card) => suit(card) % 2 === 1;
export const UNKNOWN = -1;
export const FOUNDATIONS = -1;

/**
 * @typedef {object} Pile
 * @property {number} number
 * @property {string} group
 * @property {string} kind
 * @property {number} place the place of its seat in the hand; -1: the table's
 * @property {number} index its number in its group
 * @property {number | null} under the pile that takes cards from beneath in its stead
 * @property {any} spec its group in games.json
 */

export class Layout {
  /**
   * @param {any} game an entry of games.json
   * @param {number[]} seats those of the hand, in their order
   * @param {any} options the table's
   */
  constructor(game, seats, options) {
    this.game = game;
    this.seats = seats;
    this.options = options;
    /** @type {Pile[]} */
    this.piles = [];
    for (const group of game.groups.filter((each) => each.owner === "table")) {
      this._add(group, -1, this._count(group) * seats.length);
    }
    seats.forEach((_, place) => {
      for (const group of game.groups.filter((each) => each.owner === "player")) {
        this._add(group, place, this._count(group));
      }
    });
    for (const pile of this.piles) {
      const to = pile.spec.under && this.named(pile.spec.under, pile.place)[pile.index];
      pile.under = to ? to.number : null;
    }
  }

  _add(spec, place, count) {
    for (let index = 0; index < count; index++) {
      const number = this.piles.length;
      this.piles.push({ number, group: spec.name, kind: spec.kind, place, index, under: null, spec });
    }
  }

  _count(group) {
    const { columns, columns_by_players: byPlayers } = this.options;
    if (group.kind !== "tableau") return group.piles;
    if (columns !== null && columns !== undefined) return columns;
    if (!byPlayers) return group.piles;
    return this.seats.length <= 2 ? 6 : this.seats.length === 3 ? 5 : 4;
  }

  /** The piles of a group that a place may use: its own, or the table's. */
  named(group, place) {
    return this.piles.filter((pile) => pile.group === group && (pile.place === place || pile.place === -1));
  }

  /** A place's own piles, of a kind or of all kinds. */
  own(place, kind = "") {
    return this.piles.filter((pile) => pile.place === place && (kind === "" || pile.kind === kind));
  }

  /** How many cards at the top of so many in a pile lie face up by themselves. */
  faceUp(pile, size) {
    const { shows, kind } = pile.spec;
    const view = kind === "waste" ? (this.options.waste_view ?? pile.spec.view) : pile.spec.view;
    return { none: 0, kept: 0, last: Math.min(1, size), top: Math.min(view, size), all: size }[shows];
  }

  /** Whether all other players' layouts are private: several play the same deal. */
  get isPrivate() {
    return this.game.deals === "identical" && this.seats.length > 1;
  }
}
