// The table as its events tell it, and the proof of each hand when its seed is known.

import { Board } from "./board.js";
import { deal, Layout } from "./dealer.js";
import { Fairness } from "./fairness.js";
import { points } from "./rules.js";

export class Table {
  constructor(games, wire) {
    this.games = games;
    this.wire = wire;
    this.seq = 0;
    this.fairness = new Fairness();
    this.proved = { hands: 0, contributions: 0, moves: 0, cards: 0 };
  }

  // Follow a message by its name, with its fields by their names.
  follow(name, fields) {
    if (name === "snapshot") return this.#snapshot(fields);
    const isWhispered = name === "played" && this.isPrivate;
    if (fields.seq !== this.seq + (isWhispered ? 0 : 1)) throw new Error(`${fields.seq} after ${this.seq}`);
    this.seq = fields.seq;
    return this[`_${name}`]?.(fields);
  }

  get isPrivate() {
    return this.layout !== undefined && this.layout.game.deals === "identical" && this.layout.seats.length > 1;
  }

  #lay(seats) {
    this.layout = new Layout(this.games[this.options.game], seats, this.options);
  }

  #snapshot(fields) {
    this.seq = fields.seq;
    Object.assign(this, { options: fields.options, phase: fields.phase, paused: fields.paused });
    this.seats = new Map(fields.seats.map(([seat, name, bot = ""]) => [seat, { name, bot }]));
    this.left = new Set(fields.seats.filter((row) => row[6]).map(([seat]) => seat));
    this.results = fields.results.map(([, seats, given]) => ({ seats, points: given }));
    this.starts = new Map(fields.starts);
    Object.assign(this, { startsLowest: fields.late_start, lastHand: fields.last_hand });
    this.sittingOut = new Set(fields.sitting_out);
    this.stuck = new Set(fields.seats.filter((row) => row[5]).map(([seat]) => seat));
    this.moves = null; // what was played before is not known: such a hand is not proved
    if (fields.hand_seats.length === 0) return;
    this.#lay(fields.hand_seats);
    this.board = new Board(this.layout, fields.piles);
    this.board.redeals = fields.redeals;
  }

  _joined({ seat, name, bot, start }) {
    const own = this.startsLowest && this.isMatch ? Math.min(...this.totals().values()) : 0;
    if (start !== own) throw new Error(`${name} starts at ${start}, and not at ${own}`);
    if (start !== 0) this.starts.set(seat, start);
    this.seats.set(seat, { name, bot });
  }

  _left({ seat }) {
    this.sittingOut.delete(seat);
    if (this.isMatch) this.left.add(seat);
    else this.seats.delete(seat);
  }

  _returned({ seat }) {
    if (!this.left.delete(seat)) throw new Error(`seat ${seat} was not left`);
    this.stuck.delete(seat);
    if (this.phase !== "tally") this.sittingOut.add(seat);
  }

  _late_start_set({ lowest }) {
    this.startsLowest = lowest;
  }

  _last_hand_set({ hand }) {
    this.lastHand = hand;
  }

  _committed({ hand }) {
    this.phase = "shuffling";
    if (hand > 1) return;
    Object.assign(this, { results: [], starts: new Map(), lastHand: 0 });
    for (const seat of this.left) this.seats.delete(seat);
    this.left.clear();
  }

  // Whether a match is being played: seats that are left stay then.
  get isMatch() {
    return !["lobby", "over"].includes(this.phase);
  }

  // Return the total of each seat, by seat.
  totals() {
    const added = new Map([...this.seats.keys()].map((seat) => [seat, this.starts.get(seat) ?? 0]));
    for (const { seats, points: given } of this.results) {
      seats.forEach((seat, place) => {
        added.set(seat, (added.get(seat) ?? 0) + given[place]);
      });
    }
    return added;
  }

  _options_set({ options }) {
    this.options = options;
  }

  _dealt(fields) {
    this.#lay(fields.seats);
    this.board = Board.dealt(this.layout);
    this.board.name(this.board.faceUp(), fields.shown);
    this.moves = [["dealt", fields]];
    this.leftOut = fields.left_out ?? [];
    this.stuck.clear();
    this.phase = "countdown";
  }

  _signalled() {
    this.phase = "playing";
  }

  _played(fields) {
    if (!this.isPrivate && this.stuck.size > 0 && this.#isProgress(fields)) this.stuck.clear();
    const { source, count, destination, depth } = fields;
    this.board.name(this.board.move(source, count, destination, depth), fields.shown);
    this.moves?.push(["played", fields]);
  }

  #isProgress({ source, count, destination }) {
    const [from, to] = [this.layout.piles[source], this.layout.piles[destination]];
    if (["stock", "waste"].includes(to.kind) || from.kind === "foundation") return false;
    if (from.kind !== "tableau" || to.kind !== "tableau") return true;
    const cards = this.board.cards[source];
    if (cards.length > count) return cards.at(-count - 1) === -1;
    return this.board.cards[destination].length > 0;
  }

  _progressed({ seat }) {
    this.stuck.delete(seat);
  }

  _stuck_said({ seat }) {
    this.stuck.add(seat);
  }

  _rotated(fields) {
    this.board.rotate();
    this.moves?.push(["rotated", fields]);
    this.stuck.clear();
  }

  _paused() {
    this.paused = true;
  }

  _continued() {
    this.paused = false;
  }

  _called() {
    this.phase = "grace";
  }

  _match_over({ winners, closed }) {
    const ends = [this.options.hands, ...(this.lastHand ? [this.lastHand] : [])];
    const isDue = this.options.target !== null || this.results.length >= Math.min(...ends);
    if (!isDue && !closed) throw new Error(`the match ends after ${this.results.length} hands, and not ${ends}`);
    const played = new Set(this.results.flatMap(({ seats }) => seats));
    const totals = [...this.totals()].filter(([seat]) => played.has(seat) && !this.left.has(seat));
    const best = Math.max(...totals.map(([, total]) => total));
    const own = totals.filter(([, total]) => total === best).map(([seat]) => seat);
    if (String(own.sort()) !== String([...winners].sort())) throw new Error(`${winners} have won, and not ${own}`);
    this.phase = "over";
  }

  _hand_over(fields) {
    Object.assign(this, { phase: "tally", paused: false });
    this.results.push({ seats: this.layout.seats, points: fields.points });
    this.sittingOut.clear();
    this.stuck.clear();
    this.#prove(fields);
  }

  // Deal the hand again from its secret, make all moves with open cards, and compare whatever was shown.
  #prove({ seed: secret, out, points: told, reason }) {
    if (this.moves === null) return;
    const { seed, contributions } = this.fairness.seed(secret, this.leftOut);
    const open = new Board(this.layout, deal(this.layout, seed), seed);
    const mirror = Board.dealt(this.layout);
    const compare = (places, shown) => {
      const cards = places.map(([pile, at]) => open.cards[pile][at]);
      if (String(cards) !== String(shown)) throw new Error(`shown were ${shown}, and not ${cards}`);
      mirror.name(places, shown);
      this.proved.cards += shown.length;
    };
    for (const [what, fields] of this.moves) {
      if (what === "dealt") compare(mirror.faceUp(), fields.shown);
      else if (what === "rotated") [open, mirror].forEach((board) => board.rotate());
      else {
        const { source, count, destination, depth } = fields;
        const places = mirror.move(source, count, destination, depth);
        open.move(source, count, destination, depth);
        compare(places, fields.shown);
      }
      this.proved.moves++;
    }
    if (["racing-demon", "classic"].includes(this.options.game)) {
      const own = points(open, out, this.options);
      if (String(own) !== String(told)) throw new Error(`the points were ${told}, and not ${own} (${reason})`);
    }
    this.proved.hands++;
    this.proved.contributions += contributions;
  }
}
