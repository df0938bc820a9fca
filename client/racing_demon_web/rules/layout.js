// The piles of a hand, by their numbers, as its game describes them.

/** @param {number} card */
export const rank = (card) => (card % 13) + 1;
/** @param {number} card */
export const suit = (card) => Math.floor((card % 52) / 13);
/** @param {number} card */
export const isRed = (card) => suit(card) % 2 === 1;
export const UNKNOWN = -1;
export const FOUNDATIONS = -1;

/**
 * @typedef {object} Group
 * @property {string} name
 * @property {string} kind
 * @property {string} owner player or table
 * @property {number} piles
 * @property {"none" | "kept" | "last" | "top" | "all"} shows
 * @property {number} view
 * @property {number} gathers
 * @property {boolean} shuffles
 * @property {string | null} under
 * @property {string} geometry
 * @property {number[]} rows
 */

/**
 * @typedef {object} Step a step of the deal
 * @property {string} to
 * @property {number[]} [cards]
 * @property {number} [each]
 * @property {string} [option]
 * @property {number} [first]
 * @property {boolean} [once]
 * @property {number[]} [faces]
 * @property {number[]} [ranks]
 * @property {boolean} [by_rank]
 * @property {boolean} [rows]
 */

/** @typedef {{rule: string, faces: number[]}} Arrange */

/** @typedef {[heap: number, delayS: number, points: number]} Handicap a row of the wire */

/**
 * @typedef {object} Move plays from one group to another
 * @property {string} from
 * @property {string} to
 * @property {string} [opens]
 * @property {(number | null)[]} [takes]
 * @property {number | null} [run]
 * @property {number} [turn]
 */

/**
 * @typedef {object} Game an entry of games.js or games_later.js
 * @property {string} title
 * @property {string} racing
 * @property {string} deals
 * @property {number} packs
 * @property {number[]} ranks
 * @property {any} options
 * @property {Arrange | null} arrange
 * @property {Step[]} deal
 * @property {Group[]} groups
 * @property {Move[]} moves
 * @property {number} [reserve_card] points for each card left in the heap; 0 if it is not told
 * @property {number} [out_bonus] points for going out, if not the usual ones
 * @property {"out" | "stacked" | "home" | null} [counted] what is a seat's progress; not told: its own cards on the
 *   foundations; null: what cannot be told here
 */

/**
 * @typedef {object} Pile
 * @property {number} number
 * @property {string} group
 * @property {string} kind
 * @property {number} place the place of its seat in the hand; -1: the table's
 * @property {number} index its number in its group
 * @property {number | null} under the pile that takes cards from beneath in its stead
 * @property {Group} spec
 */

export class Layout {
  /**
   * @param {Game} game
   * @param {number[]} seats those of the hand, in their order
   * @param {any} options the table's
   * @param {Handicap[]} [handicaps] by which the hand is dealt, by place; none: nobody has any
   */
  constructor(game, seats, options, handicaps = []) {
    this.game = game;
    this.seats = seats;
    this.options = options;
    this.handicaps = handicaps;
    /** @type {Pile[]} */
    this.piles = [];
    /** @type {Group[]} */
    const groups = game.groups.map((group) =>
      group.kind === "reserve" && options.reserve_up ? { ...group, shows: "all" } : group,
    );
    for (const group of groups.filter((each) => each.owner === "table")) {
      this.#add(group, -1, this.#count(group) * seats.length);
    }
    seats.forEach((_, place) => {
      for (const group of groups.filter((each) => each.owner === "player")) {
        this.#add(group, place, this.#count(group));
      }
    });
    for (const pile of this.piles) {
      const to = pile.spec.under && this.named(pile.spec.under, pile.place)[pile.index];
      pile.under = to ? to.number : null;
    }
  }

  /**
   * @param {Group} spec
   * @param {number} place
   * @param {number} count
   */
  #add(spec, place, count) {
    for (let index = 0; index < count; index++) {
      const number = this.piles.length;
      this.piles.push({ number, group: spec.name, kind: spec.kind, place, index, under: null, spec });
    }
  }

  /** @param {Group} group */
  #count(group) {
    const { columns, columns_by_players: byPlayers } = this.options;
    if (group.kind !== "tableau") return group.piles;
    if (columns !== null && columns !== undefined) return columns;
    if (!byPlayers) return group.piles;
    return this.seats.length <= 2 ? 6 : this.seats.length === 3 ? 5 : 4;
  }

  /**
   * The piles of a group that a place may use: its own, or the table's.
   * @param {string} group
   * @param {number} place
   */
  named(group, place) {
    return this.piles.filter((pile) => pile.group === group && (pile.place === place || pile.place === -1));
  }

  /**
   * A place's own piles, of a kind or of all kinds.
   * @param {number} place
   * @param {string} [kind]
   */
  own(place, kind = "") {
    return this.piles.filter((pile) => pile.place === place && (kind === "" || pile.kind === kind));
  }

  /**
   * How many cards a step deals to each of a place's piles; undefined if it says that otherwise.
   * @param {Step} step
   * @param {number} place
   */
  each({ option, each }, place) {
    const extra = option === "reserve" ? (this.handicaps[place]?.[0] ?? 0) : 0;
    return each === undefined ? each : ((option && this.options[option]) ?? each) + extra;
  }

  /**
   * How many milliseconds after the first signal a seat gets its own.
   * @param {number} seat
   */
  waitMs(seat) {
    const delays = this.handicaps.map(([, delay]) => delay);
    const own = delays[this.seats.indexOf(seat)];
    return own === undefined ? 0 : (own - Math.min(...delays)) * 1000;
  }

  /**
   * How many of the top cards of a pile of this size lie face up by themselves.
   * @param {Pile} pile
   * @param {number} size
   */
  faceUp(pile, size) {
    const { shows, kind } = pile.spec;
    const view = kind === "waste" ? (this.options.waste_view ?? pile.spec.view) : pile.spec.view;
    return { none: 0, kept: 0, last: Math.min(1, size), top: Math.min(view, size), all: size }[shows];
  }

  /**
   * How many cards are turned at a time.
   * @param {number} usual in this game
   */
  turnSize(usual) {
    const { turn, turn_by_players: byPlayers } = this.options;
    return turn ?? (byPlayers && this.seats.length <= 2 ? 1 : usual);
  }

  /** Whether all other players' layouts are private: several play the same deal. */
  get isPrivate() {
    return this.game.deals === "identical" && this.seats.length > 1;
  }
}
