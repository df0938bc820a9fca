// What a newcomer is told: in somebody's first two hands, one line says the most useful thing.

import { button, element, setStyle, setText } from "../dom.js";
import { loadStyle } from "../lazy.js";
import { Hints } from "../rules/hints.js";
import { suit } from "../rules/layout.js";
import { read, write } from "../storage.js";
import "../wire/requests_of_menus.js";
import { COACH, coachWords } from "../words_later.js";

/**
 * @import { Session } from "../wire/session.js"
 * @import { TableScreen } from "./table_screen.js"
 */

const HANDS = 2; // after so many nobody is new
const HEAD_START_S = 15; // that bots give somebody who has never played
const QUIET_MS = 1500; // after a play, before anything is said
const IDLE_MS = 10_000; // before the play is shown on the table, too
const SURE = 8; // plays in a row, each within SURE_MS: who plays like that needs no help in this hand
const SURE_MS = 5000;
const BUTTONS_PX = 48; // the height of what stands there where there is no stock
const SAID_MS = 4000; // how long a sentence stays that nothing else replaces
/** A handicap: cards more in the reserve, seconds, points. */
const [NONE, WAITS] = [
  [0, 0, 0],
  [0, HEAD_START_S, 0],
];

/** How many hands this device has played. Devices that have older results are not new. */
const handsPlayed = () => read("hands") ?? (read("results")?.length ? HANDS : 0);

/**
 * Deal against bots, which wait a while for somebody who has never played.
 * @param {Session} session
 * @param {string[]} levels of the bots
 */
export function begin(session, levels) {
  for (const level of levels) session.command("add_bot", { level });
  if (handsPlayed() === 0)
    for (let seat = 1; seat <= levels.length; seat++)
      session.command("set_handicap", { seat, handicap: WAITS });
  session.command("start", {});
}

/**
 * A play to the foundations, if there is one: nothing is as useful.
 * @param {import("../rules/rules.js").Rules} rules
 * @param {import("../rules/board.js").Board} board
 * @param {number} place
 */
const upward = (rules, board, place) =>
  board.layout
    .own(place)
    .filter(({ kind }) => kind !== "stock")
    .flatMap(({ number }) => rules.playsFrom(board, place, number, 1))
    .find(({ destination }) => board.layout.piles[destination].kind === "foundation");

/**
 * What is drawn where a play goes. Foundations that belong to all are grouped by suits: an empty one is another than
 * that which gets the card.
 * @param {TableScreen} screen
 * @param {import("../rules/rules.js").Play} play
 * @param {number} card that goes there
 */
export function placeOf({ scene, shown, boardView }, { destination }, card) {
  const cards = shown?.cards[destination] ?? [];
  const top = cards[cards.length - 1];
  const there = top === undefined ? undefined : boardView.cards.get(String(top))?.node;
  if (there) return there;
  const isUp = shown?.layout.piles[destination].kind === "foundation";
  const drawn = isUp ? [...(scene?.rects ?? [])].find(([, rect]) => rect.suit === suit(card)) : undefined;
  return boardView.slots.get(drawn?.[0] ?? destination);
}

/** The line, and what it knows of the hand. */
class Coach {
  #deal = ""; // that of the hand
  #isCounted = false;
  #own = ""; // the player's piles, as they lay
  #all = ""; // these and the foundations
  #since = 0; // when the player has played last
  #quick = 0; // how many plays in a row came quickly
  #waited = false; // whether others waited for this player
  #realAt = 0; // when they began
  /** @type {import("../rules/rules.js").Play | null | undefined} */
  #play = undefined;
  /** @type {Element[]} */
  #lit = [];

  /** @param {TableScreen} screen */
  constructor(screen) {
    this.screen = screen;
    loadStyle("guide.css");
    this.line = element("p", "coach");
    this.line.setAttribute("role", "status");
    this.text = element("span");
    const off = button("✕", () => write("coach", "off"), COACH.off);
    this.learn = button(COACH.learn, () => screen.learn());
    this.line.append(this.text, this.learn, off);
    screen.root.append(this.line);
  }

  /** Say what there is to say now. */
  follow() {
    const { table, place, session } = this.screen;
    const isNew = handsPlayed() < HANDS && read("coach") !== "off";
    if (place >= 0) this.#count();
    const waits = place < 0 && table.seats.has(session?.seat ?? -1);
    this.learn.hidden = !waits;
    const text = isNew && place >= 0 ? this.#words() : "";
    this.line.hidden = text === "" && !(isNew && waits);
    setText(this.text, text);
    if (!this.line.hidden) this.#place();
  }

  /** Put the line above the row of the stock or the buttons, where that is below the columns. */
  #place() {
    const { scene, shown, place, boardView } = this.screen;
    const stock = shown?.layout.own(place, "stock")[0]?.number ?? -1;
    const { height, width } = boardView.box;
    const below = height > width ? height - (scene?.rects.get(stock)?.y ?? height - BUTTONS_PX) : 0;
    setStyle(this.line, "--row", `${Math.round(below)}px`);
  }

  /** Count a hand that has ended; then the bots no longer wait. */
  #count() {
    const { table, session } = this.screen;
    const { deal } = table.hand ?? { deal: this.#deal };
    if (deal !== this.#deal) {
      this.#deal = deal;
      this.#isCounted = this.#waited = false;
      this.#since = this.#quick = this.#realAt = 0;
    }
    if (this.#isCounted || (table.phase !== "tally" && table.phase !== "over")) return;
    this.#isCounted = true;
    write("hands", handsPlayed() + 1);
    for (const { seat, bot, handicap } of table.seats.values())
      if (bot && handicap[1] === HEAD_START_S && table.host === session?.seat)
        session?.command("set_handicap", { seat, handicap: NONE });
  }

  /** What to say, or nothing. */
  #words() {
    const { screen } = this;
    const { table, rules, shown, place, moveInput } = screen;
    if (!moveInput.mayPlay || !rules || !shown) {
      this.#dim();
      return "";
    }
    const now = performance.now();
    if (!this.#since) this.#since = now - QUIET_MS;
    if (!screen.hasHints) return now - this.#since < IDLE_MS ? COACH.noHints : "";
    const isWaitedFor = table.waiting.length > 0;
    if (this.#waited && !isWaitedFor) this.#realAt ||= now;
    this.#waited ||= isWaitedFor;
    this.#look(now);
    if (this.#realAt && now - this.#realAt < SAID_MS) return COACH.forReal;
    const idle = now - this.#since;
    if (this.#quick >= SURE || idle < QUIET_MS) return "";
    if (this.#play === undefined)
      this.#play = upward(rules, shown, place) ?? (screen.hints ??= new Hints()).play(rules, shown, place);
    if (isWaitedFor || idle > IDLE_MS) this.#light();
    return coachWords(this.#play, shown, rules.mayShift(shown, place));
  }

  /**
   * See what has changed on the board.
   * @param {number} now
   */
  #look(now) {
    const { shown, place } = this.screen;
    const { layout, cards } = /** @type {import("../rules/board.js").Board} */ (shown);
    /** @param {number} whose */
    const laid = (whose) =>
      layout.piles.map(({ number, place: at }) => (at === whose ? cards[number].join() : "")).join(";");
    const own = laid(place);
    const all = own + laid(-1);
    if (all === this.#all) return;
    this.#dim();
    this.#play = undefined;
    this.#all = all;
    if (own === this.#own) return;
    this.#own = own;
    this.#quick = now - this.#since < SURE_MS ? this.#quick + 1 : 0;
    this.#since = now;
  }

  /** Show the play on the table. */
  #light() {
    const { boardView, shown, root } = this.screen;
    const play = this.#play;
    if (this.#lit.length > 0 || play === undefined || !shown) return;
    if (play === null) this.#lit = [...root.querySelectorAll(".stuck")];
    else {
      const { cards } = shown;
      const card = cards[play.source][cards[play.source].length - play.count];
      const from = boardView.cards.get(String(card))?.node ?? boardView.slots.get(play.source);
      const to = placeOf(this.screen, play, card);
      this.#lit = [from, to].filter((node) => node !== undefined);
    }
    for (const node of this.#lit) node.classList.add("goes");
  }

  #dim() {
    for (const node of this.#lit) node.classList.remove("goes");
    this.#lit = [];
  }
}

/** @type {Coach | null} */
let coach = null;

/**
 * Keep the line up to date: with every frame of a table.
 * @param {TableScreen} screen
 */
export function follow(screen) {
  const { classList } = document.body;
  if (classList.contains("replaying") || classList.contains("learning")) return;
  coach ??= new Coach(screen);
  coach.follow();
}
