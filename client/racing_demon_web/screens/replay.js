// The replay of a match.

import { button, element } from "../dom.js";
import { TableState } from "../rules/state.js";
import { WORDS } from "../words.js";
import { LATER } from "../words_later.js";

const SPEEDS = [1, 2, 4, 8];
const MAX_STEP_MS = 1500;
const SHOWN = ["dealt", "played", "rotated", "stock_shifted", "hand_over"];

export class Replay {
  #timer = 0;
  /** @type {import("../wire/match_log.js").MatchLog | null} */
  #match = null;
  /** @type {any} stands in for the screen's session */
  #session = null;
  #bar;

  /**
   * @param {any} games
   * @param {import("../table/table_screen.js").TableScreen} screen
   * @param {() => void} ended
   */
  constructor(games, screen, ended) {
    this.games = games;
    this.screen = screen;
    this.ended = ended;
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
    const run = button(LATER.pause, () => this.#toggle());
    const speed = button(
      "×4",
      () => {
        this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length];
        speed.textContent = `×${this.speed}`;
        speed.setAttribute("aria-label", LATER.speed(this.speed));
      },
      LATER.speed(this.speed),
    );
    bar.append(
      run,
      slider,
      speed,
      button("✕", () => this.close(), LATER.closeReplay),
    );
    bar.hidden = true;
    document.querySelector("main")?.append(bar);
    return bar;
  }

  get #slider() {
    return /** @type {HTMLInputElement} */ (this.#bar.querySelector("input"));
  }

  /**
   * @param {import("../wire/match_log.js").MatchLog} match all of whose events were seen
   * @param {number | null} seat whose layout is shown
   */
  open(match, seat) {
    this.#match = match;
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
    this.#go(match.firstDeal + 1);
    this.isRunning = false;
    this.#toggle();
  }

  close() {
    clearTimeout(this.#timer);
    this.isOpen = false;
    this.#bar.hidden = true;
    document.body.classList.remove("replaying");
    document.body.dataset.screen = "";
    this.ended();
  }

  #toggle() {
    this.isRunning = !this.isRunning;
    const run = this.#bar.querySelector("button");
    if (run) run.textContent = this.isRunning ? LATER.pause : WORDS.play;
    clearTimeout(this.#timer);
    if (this.isRunning) this.#wait();
  }

  /**
   * Show the table after a number of events.
   * @param {number} count
   */
  #go(count) {
    const match = /** @type {import("../wire/match_log.js").MatchLog} */ (this.#match);
    const session = this.#session;
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
    this.screen.draw();
  }

  /** Show the next visible event, after the time that passed before it. */
  #wait() {
    const { events } = /** @type {import("../wire/match_log.js").MatchLog} */ (this.#match);
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
