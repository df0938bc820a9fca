// Move input: turns gestures and keys into plays.

import { sound, whenLoaded } from "../lazy.js";
import { FOUNDATIONS } from "../rules/layout.js";
import { settings } from "../storage.js";
import { faceName, REFUSALS, WORDS } from "../words.js";
import { cardAt, indexAt } from "./geometry.js";
import { listen } from "./pointer.js";

/** @import { Held, Point } from "./geometry.js" */

const [MAX_MISSES, MISSES_MS, IGNORE_MS] = [3, 1000, 500];
const NEAR = 16; // a tap this many pixels beside the stock still counts

/** What is picked up, and what a tap, a drag or a key plays. */
export class MoveInput {
  /** The times of the last taps that found no play. @type {number[]} */
  #misses = [];
  #ignoresUntil = 0;

  /**
   * @param {import("./table_screen.js").TableScreen} screen
   * @param {(text: string, isUrgent?: boolean) => void} announce
   */
  constructor(screen, announce) {
    this.screen = screen;
    this.announce = announce;
    /** @type {Held | null} */
    this.held = null;
    listen(screen.boardView, this);
    document.addEventListener("keydown", (event) =>
      whenLoaded("keyboard", ({ press }) => press(this, event)),
    );
  }

  get rules() {
    return this.screen.rules;
  }

  get shown() {
    return this.screen.shown;
  }

  get place() {
    return this.screen.place;
  }

  get mayPlay() {
    const { table, session } = this.screen;
    const isOn = ["playing", "grace"].includes(table.phase) && !table.paused;
    return this.place >= 0 && isOn && !table.waiting.includes(session?.seat ?? -1);
  }

  /** Whether a card is played while the finger is still down. */
  get isFast() {
    return settings.hasFastTaps && this.held === null;
  }

  /** @param {Point} point */
  hit({ x, y }) {
    if (!this.screen.scene || !this.shown) return null;
    const { rects } = this.screen.scene;
    // What is drawn there comes first; then whatever lies less than half a card above, in a column.
    for (const below of [0, 0.5])
      for (const [pile, rect] of rects) {
        const cards = this.shown.cards[pile];
        const last = cards.length > 0 ? cardAt(rect, cards, cards.length - 1) : rect;
        const high = this.#isColumn(pile) && rect.up > 0 ? rect.h * (1 + below) : rect.h + 2;
        if (x < rect.x - 2 || x > rect.x + rect.w + 2 || y < rect.y - 2 || y > last.y + high) continue;
        return { pile, count: cards.length === 0 ? 0 : cards.length - indexAt(rect, cards, y) };
      }
    return this.#nearStock(x, y);
  }

  /**
   * The player's stock, if a thumb has just missed it.
   * @param {number} x
   * @param {number} y
   */
  #nearStock(x, y) {
    for (const [pile, rect] of this.screen.scene?.rects ?? []) {
      if (!this.isStock(pile)) continue;
      if (
        Math.abs(x - rect.x - rect.w / 2) < rect.w / 2 + NEAR &&
        Math.abs(y - rect.y - rect.h / 2) < rect.h / 2 + NEAR
      )
        return { pile, count: 1 };
    }
    return null;
  }

  /** @param {number} pile */
  isStock(pile) {
    return (
      this.shown?.layout.piles[pile].kind === "stock" && this.shown.layout.piles[pile].place === this.place
    );
  }

  turn(pile = -1) {
    if (!this.rules || !this.shown || this.place < 0) return;
    const play = this.rules.turn(this.shown, this.place);
    if (play === null) {
      if (pile >= 0 && this.shown.cards[pile].length > 0) this.#ask(pile, 1);
      else if (pile >= 0) this.screen.boardView.shake(this.shown, pile);
      return;
    }
    this.send(play, "turn");
  }

  /**
   * Play from a pile, or put down there what is picked up.
   * @param {Held | null} hit
   */
  tap(hit) {
    if (!hit) {
      this.putDown();
      return;
    }
    if (this.held) {
      this.#putOn(hit.pile);
      return;
    }
    const { rules, shown } = this;
    if (!rules || !shown || this.place < 0) return;
    const count = Math.max(1, hit.count);
    if (!this.owns(hit.pile) || shown.cards[hit.pile].length === 0) {
      this.shake(hit.pile);
      return;
    }
    const now = performance.now();
    if (now < this.#ignoresUntil && shown.layout.seats.length > 1) return;
    const best = rules.bestPlay(shown, this.place, hit.pile, count);
    if (!best) this.#missed(now);
    if (best)
      this.send(
        rules.toSend(best),
        shown.layout.piles[best.destination].kind === "foundation" ? "up" : "play",
      );
    else if (!this.#isSettled(hit.pile)) this.#ask(hit.pile, count);
    else this.shake(hit.pile);
  }

  /**
   * Count a tap that found no play. After several, ignore taps for a moment, so that mashing does not pay.
   * @param {number} now
   */
  #missed(now) {
    this.#misses = [...this.#misses.slice(1 - MAX_MISSES), now];
    if (this.#misses.length < MAX_MISSES || now - this.#misses[0] >= MISSES_MS) return;
    this.#ignoresUntil = now + IGNORE_MS;
    this.#misses = [];
  }

  /**
   * Let the server choose the play: the tables do not cover all plays of this game.
   * @param {number} source
   * @param {number} count
   */
  #ask(source, count) {
    if (!this.mayPlay) {
      this.#announceWhyNot();
      return;
    }
    sound("play");
    this.screen.session?.command("play_best", { source, count, seen: this.screen.seen });
  }

  /**
   * Whether the tables cover all plays from a pile, so that the server need not be asked.
   * @param {number} pile
   */
  #isSettled(pile) {
    const { layout } = /** @type {import("../rules/rules.js").Rules} */ (this.rules);
    const from = layout.piles[pile].group;
    return layout.game.moves.some(
      (/** @type {any} */ move) => move.from === from && move.opens !== undefined,
    );
  }

  /** @param {number} pile */
  owns(pile) {
    const { place } = /** @type {any} */ (this.shown).layout.piles[pile];
    return place === this.place || (place === -1 && this.screen.table.handSeats.length === 1);
  }

  /** @param {Held} hit */
  pickUp(hit) {
    if (!this.owns(hit.pile) || !this.shown || this.shown.cards[hit.pile].length === 0) return;
    const face = this.shown.cards[hit.pile][this.shown.cards[hit.pile].length - Math.max(1, hit.count)];
    this.held = { pile: hit.pile, count: Math.max(1, hit.count) };
    this.announce(WORDS.pickedUp(faceName(face)));
    navigator.vibrate?.([10]);
    this.screen.requestRender();
  }

  putDown() {
    if (!this.held) return;
    this.held = null;
    this.screen.requestRender();
  }

  /** @param {number} pile */
  #putOn(pile) {
    const { held } = this;
    this.held = null;
    if (held && held.pile !== pile) this.aim(held, pile);
    this.screen.requestRender();
  }

  /**
   * Play cards onto a pile: the given number if it fits, otherwise as many as fit.
   * @param {Held} hit
   * @param {number} destination
   */
  aim({ pile, count }, destination) {
    const { rules, shown } = this;
    if (!rules || !shown) return;
    const to = shown.layout.piles[destination];
    const counts = rules
      .playsFrom(shown, this.place, pile)
      .filter((play) => play.destination === destination)
      .map((play) => play.count);
    const fitting = counts.includes(count) || counts.length === 0 ? count : Math.max(...counts);
    if (to.kind === "foundation" && to.place === -1 && shown.layout.seats.length > 1)
      this.send({ source: pile, count: 1, destination: FOUNDATIONS }, "up");
    else this.send({ source: pile, count: fitting, destination }, "play");
  }

  /**
   * @param {Held} hit
   * @param {number} dx
   * @param {number} dy
   */
  drag(hit, dx, dy) {
    if (!this.owns(hit.pile) || !this.screen.scene || !this.shown) return;
    this.held = { pile: hit.pile, count: Math.max(1, hit.count) };
    const cards = this.shown.cards[hit.pile];
    const rect = this.screen.scene.rects.get(hit.pile);
    if (!rect) return;
    for (let index = cards.length - this.held.count; index < cards.length; index++) {
      const { x, y } = cardAt(rect, cards, index);
      this.screen.boardView.lift(cards[index], { x: x + dx, y: y + dy }, 900 + index);
    }
  }

  /**
   * @param {Held} hit
   * @param {Point | null} point
   */
  drop(hit, point) {
    this.screen.boardView.drop();
    this.held = null;
    const target = point ? this.#zone(point) : null;
    if (target !== null && target !== hit.pile && this.owns(hit.pile))
      this.aim({ ...hit, count: Math.max(1, hit.count) }, target);
    this.screen.requestRender();
  }

  /**
   * The pile that a card is dropped on: the nearest one, with columns as high as the board.
   * @param {Point} point
   */
  #zone({ x, y }) {
    let best = null;
    let nearest = Infinity;
    for (const [pile, rect] of /** @type {any} */ (this.screen.scene).rects) {
      const far =
        Math.abs(x - rect.x - rect.w / 2) +
        (this.#isColumn(pile) && y > rect.y ? 0 : Math.abs(y - rect.y - rect.h / 2));
      if (far < nearest && far < rect.w * 1.6) [best, nearest] = [pile, far];
    }
    return best;
  }

  /** @param {number} pile */
  #isColumn(pile) {
    return this.shown?.layout.piles[pile].kind === "tableau";
  }

  /** @param {Held} hit */
  flick(hit) {
    this.drop(hit, null);
    if (this.owns(hit.pile)) this.send({ source: hit.pile, count: 1, destination: FOUNDATIONS }, "up");
  }

  /** @param {Held} hit */
  targets({ pile, count }) {
    if (!this.rules || !this.shown) return [];
    return this.rules
      .playsFrom(this.shown, this.place, pile)
      .filter((play) => play.count === count)
      .map((play) => play.destination);
  }

  /**
   * @param {import("../rules/rules.js").Play} play
   * @param {"play" | "up" | "turn"} noise
   */
  send(play, noise) {
    if (!this.mayPlay) {
      this.#announceWhyNot();
      return;
    }
    sound(noise);
    this.screen.session?.play(play, this.screen.seen);
    this.screen.requestRender();
  }

  #announceWhyNot() {
    const { paused, phase, waiting } = this.screen.table;
    const isEarly = phase === "countdown" || waiting.includes(this.screen.session?.seat ?? -1);
    this.announce(paused ? REFUSALS.paused : isEarly ? REFUSALS.not_started : REFUSALS.hand_over);
  }

  stuck() {
    if (this.mayPlay) this.screen.session?.command("stuck", { seen: this.screen.table.seq });
  }

  shift() {
    if (this.mayPlay) this.screen.session?.command("shift_stock", { seen: this.screen.table.seq });
  }

  /** @param {number} pile */
  shake(pile) {
    if (this.shown) this.screen.boardView.shake(this.shown, pile);
  }
}
