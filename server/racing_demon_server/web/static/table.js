// The table as it is played: the felt, the neighbours, the status line, and what a gesture leads to.

import { Felt, element, faceName, miniature, pulse, setText } from "./draw.js";
import { keyMeaning, listen } from "./input.js";
import { FOUNDATIONS, UNKNOWN } from "./layout.js";
import { Rules, ahead } from "./rules.js";
import { settings } from "./settings.js";
import { sound, vibrate } from "./sound.js";
import { lines } from "./transcript.js";
import { Slots, arrange, cardAt, indexAt } from "./view.js";
import { REACTIONS, REFUSALS, clock, span } from "./words.js";

/** @import { Held, Point } from "./view.js" */

const COLOURS = ["#e6b422", "#4fa3ff", "#ff7a59", "#5fd08a", "#d18cff", "#ff6fae", "#6fe0e0", "#c0c0c0"];

/** @param {number} seat */
export const colourOf = (seat) => COLOURS[seat % COLOURS.length];

export class TableScreen {
  /**
   * @param {HTMLElement} root
   * @param {{tables: string[][], announce: (text: string, isUrgent?: boolean) => void, openMenu: () => void}} given
   */
  constructor(root, { tables, announce, openMenu }) {
    this.root = root;
    this.tables = tables;
    this.announce = announce;
    this.felt = new Felt(/** @type {HTMLElement} */ (root.querySelector(".felt")));
    this.status = /** @type {HTMLElement} */ (root.querySelector(".status"));
    this.chips = /** @type {HTMLElement} */ (root.querySelector(".chips"));
    this.ticker = /** @type {HTMLElement} */ (root.querySelector(".ticker"));
    this.slots = new Slots();
    /** @type {Map<number, HTMLElement>} */
    this.neighbours = new Map();
    /** @type {import("./session.js").Session | null} */
    this.session = null;
    /** @type {Rules | null} */
    this.rules = null;
    /** @type {{pile: number, count: number} | null} */
    this.held = null;
    /** @type {Map<number, {x: number, y: number}>} */
    this.origins = new Map();
    this.scene = null;
    this.shown = null;
    listen(this.felt.root, this);
    document.addEventListener("keydown", (event) => this._key(event));
    root.querySelector(".menu")?.addEventListener("click", openMenu);
    root.querySelector(".stuck")?.addEventListener("click", () => this._stuck());
  }

  /** @param {import("./session.js").Session} session */
  attach(session) {
    this.session = session;
    this.rules = null;
    this.held = null;
    this.felt.clear();
  }

  get table() {
    return /** @type {import("./session.js").Session} */ (this.session).table;
  }

  /** The own place in the hand; -1: a spectator, or a seat that is not in it. */
  get place() {
    const seat = this.session?.seat ?? null;
    return seat === null ? -1 : this.table.handSeats.indexOf(seat);
  }

  get _mayPlay() {
    return this.place >= 0 && ["playing", "grace"].includes(this.table.phase) && !this.table.paused;
  }

  /**
   * Note what an event is to look like; the picture follows with the next frame.
   * @param {string} name
   * @param {any} fields
   * @param {boolean} isPast
   */
  follow(name, fields, isPast) {
    if (name === "dealt" || name === "snapshot" || name === "options_set") {
      this.rules = null;
      this.held = null;
      this.origins.clear();
    }
    if (isPast) return;
    if (name === "played") this._played(fields);
    else if (name === "signalled") sound("signal");
    else if (name === "hand_over") sound("out");
    else if (name === "reacted") this._say(fields.seat, REACTIONS[fields.reaction] ?? fields.reaction);
    else if (name === "said") this._say(fields.seat, fields.text);
  }

  /** @param {any} fields */
  _played({ seat, source, destination }) {
    const { board } = this.table;
    if (!board) return;
    const top = board.top(destination);
    if (top !== null && top !== UNKNOWN) this.origins.set(top, this._origin(seat, source));
    const isUp = board.layout.piles[destination].kind === "foundation";
    if (seat === this.session?.seat || !isUp) return;
    pulse(this.neighbours.get(seat), "flash");
  }

  /**
   * Where a card comes from: a pile that is drawn, or its player's chip.
   * @param {number} seat
   * @param {number} source
   */
  _origin(seat, source) {
    const place = this.scene?.places.get(source);
    if (place) return { x: place.x, y: place.y };
    const chip = this.neighbours.get(seat);
    const felt = this.felt.root.getBoundingClientRect();
    const box = (chip ?? this.status).getBoundingClientRect();
    return { x: box.left - felt.left, y: box.top - felt.top };
  }

  /**
   * @param {number} seat
   * @param {string} text
   */
  _say(seat, text) {
    const chip = this.neighbours.get(seat);
    const words = `${this.table.nameOf(seat)}: ${text}`;
    this._tick(words);
    this.announce(words);
    if (!chip) return;
    const bubble = element("span", "bubble", text);
    chip.append(bubble);
    setTimeout(() => bubble.remove(), 4000);
  }

  /** @param {string} text */
  _tick(text) {
    this.ticker.prepend(element("li", "", text));
    while (this.ticker.childElementCount > 6) this.ticker.lastElementChild?.remove();
  }

  // Drawing.

  draw() {
    const { table } = this;
    this._drawStatus();
    this._drawNeighbours();
    const { board, layout } = table;
    if (!board || !layout) {
      this.felt.clear();
      this.scene = null;
      return;
    }
    if (!this.rules || this.rules.layout !== layout) this.rules = new Rules(layout, this.tables);
    const { board: shown, air } = ahead(this.rules, board, this.place, this.session?.plays ?? []);
    this.shown = shown;
    if (this.held && this.held.count > shown.cards[this.held.pile].length) this.held = null;
    const { clientWidth: width, clientHeight: height } = this.felt.root;
    const hand = `${table.code}/${table.hand}/${layout.seats.join()}/${layout.game.title}`;
    this.scene = arrange({
      ...{ layout, board: shown, place: this.place, hand, slots: this.slots },
      ...{ area: { width, height }, isMirrored: settings.isLeftHanded },
    });
    const fits = new Set(this.held && table.options.hints ? this._targets(this.held) : []);
    /** @param {number} card */
    const origin = (card) => this.origins.get(card) ?? null;
    this.felt.draw({ scene: this.scene, board: shown, hand, air, held: this.held, fits, origin });
    this.origins.clear();
    this._drawText();
  }

  _drawStatus() {
    const { table, session } = this;
    const parts = [table.code, `hand ${table.hand} of ${table.options.hands}`];
    const now = /** @type {any} */ (session).clock();
    if (table.phase === "countdown") parts.push(`starts in ${Math.max(0, Math.ceil(-table.elapsed(now) / 1000))}`);
    else if (table.phase === "shuffling") parts.push("shuffling");
    else parts.push(clock(table.elapsed(now)));
    if (table.paused) parts.push("paused");
    if (session?.isHalted) parts.push("the server waits for its disk");
    if (session && session.pingMs > 0) parts.push(`${session.pingMs} ms`);
    const text = parts.join(" · ");
    if (this.status.textContent !== text) this.status.textContent = text;
    const stuck = /** @type {HTMLButtonElement} */ (this.root.querySelector(".stuck"));
    const own = session?.seat === null ? undefined : table.seats.get(session?.seat ?? -1);
    stuck.hidden = this.place < 0;
    stuck.disabled = !this._mayPlay || (own?.stuck ?? false);
  }

  _drawNeighbours() {
    const { table } = this;
    const own = this.session?.seat ?? null;
    const seats = [...table.seats.keys()].filter((seat) => seat !== own).sort((a, b) => a - b);
    for (const [seat, chip] of this.neighbours) {
      if (seats.includes(seat)) continue;
      chip.remove();
      this.neighbours.delete(seat);
    }
    for (const seat of seats) this._drawNeighbour(seat);
    this.root.classList.toggle("alone", seats.length === 0);
  }

  /** @param {number} seat */
  _drawNeighbour(seat) {
    const { table } = this;
    let chip = this.neighbours.get(seat);
    if (!chip) {
      chip = element("li", "chip");
      chip.append(element("bdi", "name"), element("span", "out"), element("span", "state"), element("div", "minis"));
      chip.style.setProperty("--seat", colourOf(seat));
      chip.addEventListener("click", () => this.chips.classList.toggle("open"));
      this.neighbours.set(seat, chip);
      this.chips.append(chip);
    }
    const state = table.seats.get(seat);
    const place = table.handSeats.indexOf(seat);
    const out = table.isPrivate ? (table.progress.get(seat) ?? 0) : place >= 0 && table.board ? table.board.out(place) : 0;
    const [name, count, mood, minis] = chip.children;
    setText(name, table.nameOf(seat));
    setText(count, `${out}`);
    chip.style.setProperty("--share", String(Math.min(1, out / 52)));
    setText(mood, !state ? "" : state.left ? "left" : !state.connected && !state.standIn ? "away" : state.stuck ? "stuck" : state.bot ? "bot" : "");
    if (place >= 0 && table.board && !table.isPrivate) miniature(minis, table.board, place);
  }

  /** The table in words, for those who would rather read it, or hear it. */
  _drawText() {
    const root = /** @type {HTMLElement} */ (this.root.querySelector(".text"));
    root.hidden = !settings.hasText;
    if (!settings.hasText) return;
    const told = lines(this.table, this.place);
    if (told.join() === root.dataset.told) return;
    root.dataset.told = told.join();
    root.replaceChildren(...told.map((line) => element("p", "", line)));
  }

  // Gestures.

  /** @param {Point} point */
  hit({ x, y }) {
    if (!this.scene || !this.shown) return null;
    for (const [pile, place] of this.scene.places) {
      const cards = this.shown.cards[pile];
      const last = cards.length > 0 ? cardAt(place, cards, cards.length - 1) : place;
      const end = this._isColumn(pile) && place.up > 0 ? last.y + place.h * 1.5 : last.y + place.h + 2;
      if (x < place.x - 2 || x > place.x + place.w + 2 || y < place.y - 2 || y > end) continue;
      return { pile, count: cards.length === 0 ? 0 : cards.length - indexAt(place, cards, y) };
    }
    return null;
  }

  /** @param {number} pile */
  isStock(pile) {
    return this.shown?.layout.piles[pile].kind === "stock" && this.shown.layout.piles[pile].place === this.place;
  }

  turn(pile = -1) {
    if (!this.rules || !this.shown || this.place < 0) return;
    const play = this.rules.turn(this.shown, this.place);
    if (play === null) {
      if (pile >= 0) this.felt.shake(this.shown, pile);
      return;
    }
    this._send(play, "turn");
  }

  /**
   * One tap plays; a tap on a pile while cards are picked up puts them there.
   * @param {Held | null} hit
   */
  tap(hit) {
    if (!hit) {
      this.putDown();
      return;
    }
    if (this.held) {
      this._putOn(hit.pile);
      return;
    }
    const { rules, shown } = this;
    if (!rules || !shown || this.place < 0) return;
    const count = Math.max(1, hit.count);
    const best = this._own(hit.pile) ? rules.bestPlay(shown, this.place, hit.pile, count) : null;
    if (best) this._send(rules.toSend(best), shown.layout.piles[best.destination].kind === "foundation" ? "up" : "play");
    else if (this._own(hit.pile) && shown.cards[hit.pile].length > 0 && !this._isSettled(hit.pile)) this.pickUp({ pile: hit.pile, count });
    else this._refuse(hit.pile);
  }

  /**
   * Whether the tables say all about the plays from a pile, so that none is left to ask the server for.
   * @param {number} pile
   */
  _isSettled(pile) {
    const { layout } = /** @type {Rules} */ (this.rules);
    const from = layout.piles[pile].group;
    return layout.game.moves.some((move) => move.from === from && move.opens !== undefined);
  }

  /** @param {number} pile */
  _own(pile) {
    const { place } = /** @type {any} */ (this.shown).layout.piles[pile];
    return place === this.place || (place === -1 && this.table.handSeats.length === 1);
  }

  /** @param {Held} hit */
  pickUp(hit) {
    if (!this._own(hit.pile) || !this.shown || this.shown.cards[hit.pile].length === 0) return;
    const face = this.shown.cards[hit.pile][this.shown.cards[hit.pile].length - Math.max(1, hit.count)];
    this.held = { pile: hit.pile, count: Math.max(1, hit.count) };
    this.announce(`Picked up ${faceName(face)}. Choose where it goes, or press Escape.`);
    vibrate([10]);
    this.draw();
  }

  putDown() {
    if (!this.held) return;
    this.held = null;
    this.draw();
  }

  /** @param {number} pile */
  _putOn(pile) {
    const { held } = this;
    this.held = null;
    if (held && held.pile !== pile) this._aim(held, pile);
    this.draw();
  }

  /**
   * Play cards onto a pile: as many as fit there, or those that were taken.
   * @param {Held} hit
   * @param {number} destination
   */
  _aim({ pile, count }, destination) {
    const { rules, shown } = this;
    if (!rules || !shown) return;
    const to = shown.layout.piles[destination];
    const counts = rules.playsFrom(shown, this.place, pile).filter((play) => play.destination === destination).map((play) => play.count);
    const fitting = counts.includes(count) || counts.length === 0 ? count : Math.max(...counts);
    if (to.kind === "foundation" && to.place === -1 && shown.layout.seats.length > 1) this._send({ source: pile, count: 1, destination: FOUNDATIONS }, "up");
    else this._send({ source: pile, count: fitting, destination }, "play");
  }

  /**
   * @param {Held} hit
   * @param {number} dx
   * @param {number} dy
   */
  drag(hit, dx, dy) {
    if (!this._own(hit.pile) || !this.scene || !this.shown) return;
    this.held = { pile: hit.pile, count: Math.max(1, hit.count) };
    const cards = this.shown.cards[hit.pile];
    const place = this.scene.places.get(hit.pile);
    if (!place) return;
    for (let index = cards.length - this.held.count; index < cards.length; index++) {
      const made = this.felt.cards.get(String(cards[index]));
      if (!made) continue;
      const { x, y } = cardAt(place, cards, index);
      made.classList.add("drag");
      made.style.transform = `translate(${x + dx}px, ${y + dy}px)`;
      made.style.zIndex = String(900 + index);
    }
  }

  /**
   * @param {Held} hit
   * @param {Point | null} point
   */
  drop(hit, point) {
    for (const made of this.felt.cards.values()) made.classList.remove("drag");
    this.held = null;
    const target = point ? this._zone(point) : null;
    if (target !== null && target !== hit.pile && this._own(hit.pile)) this._aim({ ...hit, count: Math.max(1, hit.count) }, target);
    this.draw();
  }

  /**
   * The pile whose zone a point lies in: all the height of a column, and the foundations as one.
   * @param {Point} point
   */
  _zone({ x, y }) {
    let best = null;
    let least = Infinity;
    for (const [pile, place] of /** @type {any} */ (this.scene).places) {
      const far = Math.abs(x - place.x - place.w / 2) + (this._isColumn(pile) && y > place.y ? 0 : Math.abs(y - place.y - place.h / 2));
      if (far < least && far < place.w * 1.6) [best, least] = [pile, far];
    }
    return best;
  }

  /** @param {number} pile */
  _isColumn(pile) {
    return this.shown?.layout.piles[pile].kind === "tableau";
  }

  /** @param {Held} hit */
  flick(hit) {
    this.drop(hit, null);
    if (this._own(hit.pile)) this._send({ source: hit.pile, count: 1, destination: FOUNDATIONS }, "up");
  }

  /** @param {Held} hit */
  _targets({ pile, count }) {
    if (!this.rules || !this.shown) return [];
    return this.rules.playsFrom(this.shown, this.place, pile).filter((play) => play.count === count).map((play) => play.destination);
  }

  /**
   * @param {import("./rules.js").Play} play
   * @param {"play" | "up" | "turn"} noise
   */
  _send(play, noise) {
    if (!this._mayPlay) {
      this.announce(this.table.paused ? REFUSALS.paused : this.table.phase === "countdown" ? REFUSALS.not_started : REFUSALS.hand_over);
      return;
    }
    sound(noise);
    this.session?.play(play);
    this.draw();
  }

  _stuck() {
    if (this._mayPlay) this.session?.command("stuck", { seen: this.table.seq });
  }

  /** @param {number} pile */
  _refuse(pile) {
    if (this.shown) this.felt.shake(this.shown, pile);
  }

  /**
   * Tell why a play was refused, where it was aimed at.
   * @param {any} fields
   * @param {any} play
   */
  refused({ reason, by, late_us: lateUs, pile, text }, play) {
    if (reason === "beaten" && by !== null) {
      const words = `${this.table.nameOf(by)} was ${span(lateUs)} faster`;
      this.felt.ring(pile, colourOf(by));
      sound("beaten");
      vibrate([20, 40, 20]);
      this._tick(words);
      this.announce(words, true);
    } else {
      if (play && this.shown?.layout.piles[play.source]) this._refuse(play.source);
      this.announce(REFUSALS[reason] ?? text, true);
    }
  }

  // Keys.

  /** @param {KeyboardEvent} event */
  _key(event) {
    if (this.root.hidden || !this.session || !this.shown) return;
    if (event.target instanceof Element && /input|textarea|select/i.test(event.target.tagName)) return;
    const meaning = keyMeaning(event);
    if (!meaning || document.querySelector(".sheet:not([hidden])")) return;
    if (event.code === "Space" && event.target instanceof HTMLButtonElement) event.target.blur();
    event.preventDefault();
    this._act(meaning);
  }

  /** @param {{name: string, column?: number, number?: number}} meaning */
  _act({ name, column = -1, number = -1 }) {
    /** @param {string} kind */
    const own = (kind) => this.shown?.layout.own(this.place, kind).map((pile) => pile.number) ?? [];
    const columns = own("tableau");
    /** @param {number | undefined} pile */
    const up = (pile) => pile !== undefined && this._send({ source: pile, count: 1, destination: FOUNDATIONS }, "up");
    /** @param {number | undefined} pile */
    const tap = (pile) => pile !== undefined && this.tap({ pile, count: 1 });
    if (name === "turn") this.turn(own("stock")[0]);
    else if (name === "column") tap(columns[column]);
    else if (name === "up") up(columns[column]);
    else if (name === "waste") tap(own("waste")[0]);
    else if (name === "waste-up") up(own("waste")[0]);
    else if (name === "reserve") tap(own("reserve")[0]);
    else if (name === "reserve-up") up(own("reserve")[0]);
    else if (name === "stuck") this._stuck();
    else if (name === "put-down") this.putDown();
    else if (name === "react") this.session?.command("react", { reaction: Object.keys(REACTIONS)[number] });
  }
}
