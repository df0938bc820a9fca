// The replay of a match.

import { button, element } from "../dom.js";
import { loaded } from "../lazy.js";
import { TableState } from "../rules/state.js";
import { short, WORDS } from "../words.js";
import { LATER } from "../words_later.js";

const SPEEDS = [1, 2, 4, 8];
const MAX_STEP_MS = 1500;
const PAUSE = "❙❙";
const SHOWN = ["dealt", "played", "rotated", "stock_shifted", "hand_over"];

/** @typedef {import("../wire/match_log.js").MatchLog | import("../wire/records.js").MatchRecord} Recorded */

export class Replay {
  #timer = 0;
  /** @type {Recorded | null} */
  #match = null;
  /** After how many events a race was lost. @type {number[]} */
  #races = [];
  /** @type {any} stands in for the screen's session */
  #session = null;
  #race = button("", () => {});
  #run = button("", () => {});
  #sign = element("p", "sign");
  #marked = 0; // after how many events is seen what the sign says
  #bar;

  /**
   * @param {any} games
   * @param {import("../table/table_screen.js").TableScreen} screen
   */
  constructor(games, screen) {
    this.games = games;
    this.screen = screen;
    this.ended = () => {};
    this.isOpen = false;
    this.speed = 4;
    this.isRunning = false;
    this.at = 0;
    this.#bar = this.#controls();
  }

  #controls() {
    const bar = element("div", "replay");
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", LATER.replay);
    const slider = document.createElement("input");
    slider.type = "range";
    slider.setAttribute("aria-label", LATER.placeInMatch);
    slider.addEventListener("input", () => this.#go(Number(slider.value)));
    this.#run = button(PAUSE, () => this.#toggle(), LATER.pause);
    const speed = button(
      "×4",
      () => {
        this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length];
        speed.textContent = `×${this.speed}`;
        speed.setAttribute("aria-label", LATER.speed(this.speed));
      },
      LATER.speed(this.speed),
    );
    this.#race = button(LATER.nextRace, () => this.#toRace());
    const title = element("b", "", LATER.replay);
    title.setAttribute("aria-hidden", "true"); // it is the bar's name
    bar.append(
      this.#sign,
      title,
      button("◂", () => this.#step(-1), LATER.stepBack),
      this.#run,
      button("▸", () => this.#step(1), LATER.stepOn),
      slider,
      this.#race,
      speed,
      button("✕", () => this.close(), LATER.closeReplay),
    );
    bar.hidden = true;
    document.querySelector("main")?.append(bar);
    new ResizeObserver(() => {
      document.body.style.setProperty("--replay", `${bar.offsetHeight}px`); // a sentence may take several lines
      if (this.isOpen) this.screen.draw();
    }).observe(bar);
    return bar;
  }

  get #slider() {
    return /** @type {HTMLInputElement} */ (this.#bar.querySelector("input"));
  }

  /**
   * @param {Recorded} match
   * @param {number | null} seat whose layout is shown
   * @param {number} from the event before which it begins
   * @param {() => void} ended
   * @param {import("./moments.js").Mark} [mark] what is shown where it begins; then it stands still
   */
  open(match, seat, from, ended, mark) {
    this.#match = match;
    this.ended = ended;
    this.#races = "races" in match ? match.races : [];
    this.#race.hidden = this.#races.length === 0;
    this.isOpen = true;
    this.#bar.hidden = false;
    document.body.classList.add("replaying");
    document.body.dataset.screen = "table";
    for (const id of ["start", "lobby"]) document.getElementById(id)?.setAttribute("hidden", "");
    this.screen.root.hidden = false;
    this.#slider.max = String(match.events.length);
    this.#session = {
      seat,
      table: new TableState(this.games),
      plays: [],
      pingMs: 0,
      isHalted: false,
      clock: () => match.events[Math.max(0, this.at - 1)].at,
      command() {},
      play() {},
    };
    this.screen.attach(this.#session);
    this.at = 0;
    this.#marked = mark ? from + 1 : 0;
    this.#go(from + 1);
    this.isRunning = Boolean(mark);
    this.#toggle();
    if (mark) this.#show(mark);
  }

  /** Say what is to be seen, and show the card. @param {import("./moments.js").Mark} mark */
  #show({ card, words }) {
    this.#sign.textContent = words;
    const { boardView, scene, shown } = this.screen;
    const pile = shown?.cards.findIndex((cards) => cards[cards.length - 1] === card) ?? -1;
    boardView.ring(scene?.rects.get(pile), "var(--go-line)", short(card));
  }

  close() {
    if (!this.isOpen) return;
    clearTimeout(this.#timer);
    this.isOpen = false;
    this.#bar.hidden = true;
    document.body.classList.remove("replaying");
    document.body.dataset.screen = "";
    this.ended();
  }

  #toggle() {
    this.isRunning = !this.isRunning;
    this.#run.textContent = this.isRunning ? PAUSE : "▶";
    this.#run.setAttribute("aria-label", this.isRunning ? LATER.pause : WORDS.play);
    clearTimeout(this.#timer);
    if (this.isRunning) this.#wait();
  }

  /** Stop, and go to the next visible event, or back. @param {1 | -1} direction */
  #step(direction) {
    const { events } = /** @type {{events: {name: string}[]}} */ (this.#match);
    if (this.isRunning) this.#toggle();
    let next = this.at + direction;
    while (next > 0 && next < events.length && !SHOWN.includes(events[next - 1].name)) next += direction;
    this.#go(Math.max(1, Math.min(next, events.length)));
  }

  /** Stop right before the next lost race; after the last one, before the first. */
  #toRace() {
    if (this.isRunning) this.#toggle();
    this.#go(Math.max(1, this.#races.find((place) => place > this.at) ?? this.#races[0]));
  }

  /**
   * Show the table after a number of events.
   * @param {number} count
   */
  #go(count) {
    const match = /** @type {Recorded} */ (this.#match);
    const session = this.#session;
    const passed = match.events.slice(this.at, count);
    const isNear = count >= this.at && passed.filter(({ name }) => SHOWN.includes(name)).length <= 1;
    if (!isNear || passed.some(({ name }) => name === "dealt")) {
      loaded.notices?.clear();
      this.screen.ticker.replaceChildren();
    }
    if (count < this.at || session.table.seq === 0) {
      session.table = new TableState(this.games);
      session.table.apply("snapshot", match.begin, 0);
      this.at = 0;
    }
    for (; this.at < count; this.at++) {
      const { name, fields, at } = match.events[this.at];
      session.table.apply(name, fields, at);
      this.screen.onEvent(name, fields, this.at < count - 1);
    }
    this.#slider.value = String(this.at);
    this.#sign.hidden = this.at !== this.#marked;
    this.screen.draw();
  }

  /** Show the next visible event, after the time that passed before it. */
  #wait() {
    const { events } = /** @type {Recorded} */ (this.#match);
    let next = this.at;
    while (next < events.length && !SHOWN.includes(events[next].name)) next += 1;
    if (next >= events.length) {
      this.#toggle();
      return;
    }
    const passed = this.at > 0 ? events[next].at - events[this.at - 1].at : 0;
    this.#timer = setTimeout(
      () => {
        this.#go(next + 1);
        this.#wait();
      },
      Math.min(MAX_STEP_MS, Math.max(0, passed) / this.speed),
    );
  }
}
