// What a newcomer is told: in somebody's first two hands, one line says the most useful thing.

import { button, element, setClass, setFlag, setStyle, setText } from "../dom.js";
import { loadStyle } from "../lazy.js";
import { Hints, knowsAll } from "../rules/hints.js";
import { rank, suit, UNKNOWN } from "../rules/layout.js";
import { read, write } from "../storage.js";
import "../wire/requests_of_menus.js";
import { short } from "../words.js";
import { COACH, coachWords } from "../words_later.js";
import { cardAt } from "./geometry.js";
import { GOALS } from "./goal_data.js";

/**
 * @import { Session } from "../wire/session.js"
 * @import { TableScreen } from "./table_screen.js"
 */

const [ACE, KING] = [1, 13];
const FACES = [...Array(52).keys()];
const HANDS = 2; // after so many nobody is new
const HEAD_START_S = 15; // that bots give somebody who has never played
const QUIET_MS = 1500; // after a play, before anything is said
const IDLE_MS = 10_000; // before the play is shown on the table, too
const SURE = 8; // plays in a row, each within SURE_MS: who plays like that needs no help for now
const SURE_MS = 5000;
const BUTTONS_PX = 48; // the height of what stands there where there is no stock
const AIM_MS = 7000; // how long it is said what it is about, while others wait
const SAID_MS = 4000; // how long a sentence stays that nothing else replaces
/** A handicap: cards more in the reserve, seconds, points. */
const [NONE, WAITS] = [
  [0, 0, 0],
  [0, HEAD_START_S, 0],
];

/** How many hands this device has played. Devices that have older results are not new. */
const handsPlayed = () => read("hands") ?? (read("results")?.length ? HANDS : 0);

/** Whether somebody is told anything: in their first hands, unless they have sent the line away. */
export const isNewcomer = () => handsPlayed() < HANDS && read("coach") !== "off";

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
export const upward = (rules, board, place) =>
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
function placeOf({ scene, shown, boardView }, { destination }, card) {
  const cards = shown?.cards[destination] ?? [];
  const top = cards[cards.length - 1];
  const there = top === undefined ? undefined : boardView.cards.get(String(top))?.node;
  if (there) return there;
  const isUp = shown?.layout.piles[destination].kind === "foundation";
  const drawn = isUp ? [...(scene?.rects ?? [])].find(([, rect]) => rect.suit === suit(card)) : undefined;
  return boardView.slots.get(drawn?.[0] ?? destination);
}

/**
 * What is drawn of a play: all cards that move, framed as one, and where they go.
 * @param {TableScreen} screen
 * @param {import("../rules/rules.js").Play} play
 */
export function endsOf(screen, play) {
  const { boardView, scene, shown } = screen;
  const cards = shown?.cards[play.source] ?? [];
  const first = cards.length - play.count;
  const drawn = boardView.cards.get(String(cards[first]))?.node;
  const rect = scene?.rects.get(play.source);
  if (drawn && rect) {
    const long = cardAt(rect, cards, cards.length - 1).y - cardAt(rect, cards, first).y;
    setStyle(drawn, "--run", `${long}px`);
  }
  const ends = [drawn ?? boardView.slots.get(play.source), placeOf(screen, play, cards[first])];
  return ends.filter((node) => node !== undefined);
}

/**
 * Mark what is asked for; return it.
 * @param {Element[]} before what is marked already
 * @param {Element[]} nodes
 * @param {boolean} [isPlay] whether a play begins at the first of them
 */
export function light(before, nodes, isPlay = false) {
  if (nodes.length === before.length && nodes.every((node, at) => node === before[at])) return nodes;
  for (const node of before) {
    node.classList.remove("goes", "from");
    node.querySelector(".asked")?.remove();
  }
  for (const node of nodes) node.classList.add("goes");
  if (isPlay && nodes.length > 0) {
    nodes[0].classList.add("from");
    nodes[0].append(element("i", "asked"));
  }
  return nodes;
}

/** How somebody plays: for how long they have hesitated, and whether they need to be told anything. */
export class Pace {
  #quick = 0; // how many plays in a row came quickly

  /** @param {number} since when the last play was made, or the stock was turned because nothing fitted */
  constructor(since) {
    this.since = since;
  }

  /** @param {number} now when a play was made that is no turn of the stock */
  played(now) {
    this.#quick = this.idle(now) < SURE_MS ? this.#quick + 1 : 0;
    this.since = now;
  }

  /**
   * @param {number} now when the stock was turned
   * @param {boolean} isPast whether a card fitted: who turns past it has not seen it
   */
  turned(now, isPast) {
    if (isPast) this.#quick = 0;
    else this.since = now;
  }

  /** @param {number} now */
  idle(now) {
    return now - this.since;
  }

  /** @param {number} now */
  isSure(now) {
    return this.#quick >= SURE && this.idle(now) < IDLE_MS;
  }
}

/**
 * Whether all others in a hand are stuck, and wait for this seat.
 * @param {Pick<import("../rules/state.js").TableState, "handSeats" | "seats">} table
 * @param {number} own
 */
export const isLeftAlone = ({ handSeats, seats }, own) =>
  handSeats.length > 1 && handSeats.every((seat) => seat === own || seats.get(seat)?.stuck);

/**
 * Where a card may go now, or what it waits for, for somebody whose play was refused; empty where the tables do
 * not tell.
 * @param {import("../rules/rules.js").Rules} rules
 * @param {import("../rules/board.js").Board} board
 * @param {number} place
 * @param {number} source
 * @param {number} count how many cards move with it
 */
export function reasonFor(rules, board, place, source, count) {
  const card = board.cards[source][board.cards[source].length - count] ?? UNKNOWN;
  if (card === UNKNOWN || !knowsAll(rules, place)) return "";
  const play = rules.bestPlay(board, place, source, count);
  if (play) return coachWords(play, board, false);
  /** @param {string} kind */
  const fits = (kind) => {
    const to = board.layout.piles.find(
      (pile) => pile.kind === kind && pile.number !== source && [place, -1].includes(pile.place),
    );
    if (!to) return { cards: [], isOpen: false };
    const trial = board.copy();
    /** @param {number[]} cards */
    const takes = (cards) => {
      trial.cards[to.number] = cards;
      return rules.allows(trial, place, { source, count, destination: to.number });
    };
    return { cards: FACES.filter((face) => takes([face])).map(short), isOpen: takes([]) };
  };
  return COACH.waitsFor(short(card), fits("tableau"), fits("foundation"));
}

/**
 * Whether no card of a pile is ever laid on another: not on the stock, nor on the waste.
 * @param {import("../rules/rules.js").Rules} rules
 * @param {number} place
 * @param {number} source
 * @param {number} onto
 */
export function takesNothing(rules, place, source, onto) {
  const { piles } = rules.layout;
  if (!["stock", "waste"].includes(piles[onto]?.kind) || !knowsAll(rules, place)) return false;
  return !rules.moveTables.has(`${piles[source].group}>${piles[onto].group}`);
}

/**
 * Whether an empty pile takes cards of one rank alone.
 * @param {import("../rules/rules.js").Rules} rules
 * @param {import("../rules/board.js").Board} board
 * @param {number} place
 * @param {number} pile
 * @param {number} wanted the rank
 */
export function wantsOnly(rules, board, place, pile, wanted) {
  const source = board.layout.own(place, "waste")[0]?.number;
  if (source === undefined) return false;
  const trial = board.copy();
  const fitting = FACES.filter((face) => {
    trial.cards[source] = [face];
    return rules.allows(trial, place, { source, count: 1, destination: pile });
  });
  return fitting.length > 0 && fitting.every((face) => rank(face) === wanted);
}

/** Whether a play turns the stock, or the waste over. */
const isTurn = (
  /** @type {import("../rules/rules.js").Play} */ { source, destination },
  /** @type {import("../rules/layout.js").Layout} */ { piles },
) => piles[source].kind === "stock" || piles[destination]?.kind === "stock";

/** The line, and what it knows of the hand. */
class Coach {
  #deal = ""; // that of the hand
  #isCounted = false;
  #own = ""; // how many cards lay in the player's piles, those of stock and waste together
  #stock = ""; // the player's stock and waste, as they lay
  #all = ""; // all that lay there, and what the hints knew
  /** @type {Pace | null} */
  #pace = null;
  #said = "";
  #measured = ""; // the text whose height the table knows
  /** What was tapped last. @type {import("./geometry.js").Held | null} */
  #tapped = null;
  #waited = false; // whether others waited for this player
  #realAt = 0; // when they began
  /** What helps on this board, once it was asked for. @type {import("../rules/rules.js").Play | null | undefined} */
  #play = undefined;
  #isKnown = false;
  #hasBegun = false; // whether the player has played a card or turned the stock
  #hasTurned = false; // whether that was the last thing they did
  /** Why something was refused, and when. */
  #refusal = { text: "", at: -Infinity };
  /** @type {Element[]} */
  #lit = [];
  #buttons = 0; // how high they are, higher than the stock on narrow phones

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
    // Measuring them with each frame would lay out the page.
    new ResizeObserver(([{ target }]) => {
      this.#buttons = target.clientHeight;
      screen.requestRender();
    }).observe(/** @type {Element} */ (screen.root.querySelector(".bar")));
    this.#answerTaps();
  }

  /** Answer what is refused by the reason. */
  #answerTaps() {
    const { screen } = this;
    const { moveInput } = screen;
    const [tap, shake, turn, refused] = [moveInput.tap, moveInput.shake, moveInput.turn, screen.refused];
    moveInput.turn = (pile) => {
      turn.call(moveInput, pile);
      if (isNewcomer() && !isElsewhere()) this.#best(); // whether they turn past a card
    };
    moveInput.tap = (hit) => {
      this.#tapped = hit;
      tap.call(moveInput, hit);
    };
    moveInput.shake = (pile) => {
      shake.call(moveInput, pile);
      const count = this.#tapped?.pile === pile ? this.#tapped.count : 1;
      const why = this.#reason(pile, Math.max(1, count));
      if (why) this.#refuse(why);
    };
    screen.refused = (fields, play) => {
      const why =
        fields.reason === "illegal" && play ? this.#reason(play.source, play.count, play.destination) : "";
      if (!why) return refused.call(screen, fields, play);
      shake.call(moveInput, play.source);
      this.#refuse(why);
    };
  }

  /** Say why something is refused in place of what helps: two notices at once contradict each other. */
  #refuse(/** @type {string} */ text) {
    this.#refusal = { text, at: performance.now() };
    this.screen.requestRender();
  }

  /**
   * Why a play from a pile, or a tap on it, is refused; empty for who is not new.
   * @param {number} pile
   * @param {number} count
   * @param {number} [onto] where it was to go; not given for a tap
   */
  #reason(pile, count, onto) {
    const { rules, shown, place, moveInput } = this.screen;
    if (!isNewcomer() || isElsewhere() || !rules || !shown || !moveInput.mayPlay) return "";
    const { piles } = shown.layout;
    const play = this.line.hidden ? undefined : this.#best();
    /** @param {number} number */
    const isMiddle = (number) => piles[number].kind === "foundation";
    if (onto === undefined && play && !isTurn(play, shown.layout)) {
      const isGoal =
        pile === play.destination || (isMiddle(pile) && isMiddle(play.destination) && !moveInput.owns(pile));
      const source = shown.cards[play.source];
      if (isGoal) return COACH.tapThat(short(source[source.length - play.count]));
    }
    if (shown.cards[pile].length === 0 && isMiddle(pile) && wantsOnly(rules, shown, place, pile, ACE))
      return COACH.forAce;
    if (shown.cards[pile].length === 0)
      return isMiddle(pile) || piles[pile].kind === "tableau" ? COACH.tapOwn : "";
    if (!moveInput.owns(pile)) return COACH.tapOwn;
    const goes = reasonFor(rules, shown, place, pile, count);
    if (onto !== undefined && takesNothing(rules, place, pile, onto))
      return [COACH.takesNothing, goes].filter(Boolean).join(" ");
    if (
      onto !== undefined &&
      piles[onto]?.kind === "tableau" &&
      shown.cards[onto].length === 0 &&
      wantsOnly(rules, shown, place, onto, KING)
    )
      return COACH.onlyKings;
    return goes;
  }

  /** Say what there is to say now. */
  follow() {
    const { table, place, session } = this.screen;
    const isNew = isNewcomer();
    if (place >= 0) this.#count();
    const waits = place < 0 && table.hand !== null && table.seats.has(session?.seat ?? -1);
    setFlag(this.learn, "hidden", !waits);
    const text = isNew && place >= 0 ? this.#words() : "";
    setFlag(this.line, "hidden", text === "" && !(isNew && waits));
    setClass(this.screen.root, "coached", !this.line.hidden);
    setText(this.text, text);
    if (!this.line.hidden) this.#place();
  }

  /** Put the line above the row of the stock or the buttons, where that is below the columns. */
  #place() {
    const { scene, shown, place, boardView } = this.screen;
    const stock = shown?.layout.own(place, "stock")[0]?.number ?? -1;
    const { height, width } = boardView.box;
    const hand = height - (scene?.rects.get(stock)?.y ?? height - BUTTONS_PX);
    const below = height > width ? Math.max(hand, this.#buttons + 6) : 0;
    setStyle(this.line, "--row", `${Math.round(below)}px`);
    const measured = `${this.text.textContent} ${width} ${this.#deal}`;
    if (below === 0 || measured === this.#measured) return;
    this.#measured = measured;
    this.screen.keepOff(this.line.offsetHeight);
  }

  /** Count a hand that has ended; then the bots no longer wait. */
  #count() {
    const { table, session } = this.screen;
    const { deal } = table.hand ?? { deal: this.#deal };
    if (deal !== this.#deal) {
      this.#deal = deal;
      this.#isCounted = this.#waited = this.#hasBegun = this.#hasTurned = false;
      this.#all = this.#refusal.text = "";
      this.#pace = null;
      this.#realAt = 0;
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
    const { table, rules, shown, place, moveInput, session } = screen;
    if (!moveInput.mayPlay || !rules || !shown) {
      this.#dim();
      return "";
    }
    const now = performance.now();
    this.#pace ??= new Pace(now - QUIET_MS);
    const refusal = now - this.#refusal.at < SAID_MS ? this.#refusal.text : "";
    if (!screen.hasHints) return refusal || (GOALS[table.options.game] ?? COACH.noHints);
    const isWaitedFor = table.waiting.length > 0;
    if (this.#waited && !isWaitedFor) this.#realAt ||= now;
    this.#waited ||= isWaitedFor;
    this.#look(now, this.#pace);
    if (refusal && this.#refusal.text) return refusal;
    if (this.#realAt && now - this.#realAt < SAID_MS) return COACH.forReal;
    const own = session?.seat ?? -1;
    const isStuck = table.seats.get(own)?.stuck ?? false;
    if (!isStuck && this.#pace.isSure(now) && !isLeftAlone(table, own)) return "";
    const idle = this.#pace.idle(now);
    if (isWaitedFor && !this.#hasBegun && idle < AIM_MS) return read("learned") ? COACH.waited : COACH.aim;
    if (idle < QUIET_MS && !this.#hasTurned && !isStuck) return "";
    const play = this.#best();
    if (play === null && isStuck) return COACH.saidStuck;
    const words = coachWords(play, shown, rules.mayShift(shown, place));
    if (!isStuck && idle < QUIET_MS && words !== this.#said) return "";
    if (isWaitedFor || isStuck || idle > IDLE_MS) this.#light();
    this.#said = words;
    if (!isStuck || !play) return words;
    return isTurn(play, shown.layout) ? COACH.stockMayHelp : COACH.stuckTooSoon(words);
  }

  /**
   * See what has changed on the board, and what helps now.
   * @param {number} now
   * @param {Pace} pace
   */
  #look(now, pace) {
    const { screen } = this;
    const { shown, place, rules } = screen;
    if (!shown || !rules) return;
    const { layout, cards } = shown;
    const hints = (screen.hints ??= new Hints());
    /** @param {string[]} kinds @param {number} whose */
    const laid = (whose, ...kinds) =>
      layout
        .own(whose)
        .filter(({ kind }) => kinds.includes(kind) || kinds.length === 0)
        .map(({ number }) => cards[number].join())
        .join(";");
    const all = `${laid(place)}|${laid(-1)}|${hints.isFruitless}`;
    if (all === this.#all) return;
    const isFirst = this.#all === "";
    this.#dim();
    const stock = laid(place, "stock", "waste");
    const own = layout
      .own(place)
      .map(({ kind, number }) => (kind === "stock" || kind === "waste" ? "" : cards[number].length))
      .join();
    this.#all = all;
    const hasPlayed = own !== this.#own;
    const hasTurned = !hasPlayed && !isFirst && stock !== this.#stock;
    if (hasPlayed) pace.played(now);
    else if (hasTurned)
      pace.turned(now, this.#play === null || Boolean(this.#play && !isTurn(this.#play, layout)));
    if (hasPlayed || hasTurned) this.#hasTurned = hasTurned;
    if (hasPlayed || hasTurned) this.#refusal.text = "";
    this.#hasBegun ||= !isFirst && (hasPlayed || hasTurned);
    [this.#own, this.#stock] = [own, stock];
    this.#play = undefined;
    this.#isKnown = false;
  }

  /** What helps now. It takes a search, so it is asked for only where it is told or judged. */
  #best() {
    const { shown, place, rules, hints, hasHints } = this.screen;
    if (this.#isKnown || !shown || !rules || !hints || !hasHints) return this.#play;
    this.#isKnown = true;
    this.#play = upward(rules, shown, place) ?? hints.play(rules, shown, place);
    return this.#play;
  }

  /** Show the play on the table. */
  #light() {
    const { shown, root } = this.screen;
    const play = this.#play;
    if (this.#lit.length > 0 || play === undefined || !shown) return;
    const nodes = play ? this.#ends(play, shown) : [...root.querySelectorAll(".stuck")];
    this.#lit = light([], nodes, play !== null);
  }

  /**
   * @param {import("../rules/rules.js").Play} play
   * @param {import("../rules/board.js").Board} shown
   */
  #ends(play, { layout }) {
    const { boardView, place } = this.screen;
    if (!isTurn(play, layout)) return endsOf(this.screen, play);
    const stock = boardView.slots.get(layout.own(place, "stock")[0].number);
    return stock ? [stock] : []; // there is the tap, and nothing to drag
  }

  #dim() {
    this.#lit = light(this.#lit, []);
  }
}

/** @type {Coach | null} */
let coach = null;

/** Whether a replay or a lesson is shown. */
const isElsewhere = () => ["replaying", "learning"].some((name) => document.body.classList.contains(name));

/**
 * Keep the line up to date: with every frame of a table.
 * @param {TableScreen} screen
 */
export function follow(screen) {
  if (isElsewhere()) return;
  coach ??= new Coach(screen);
  coach.follow();
}
