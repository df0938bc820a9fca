// The first hand: a lesson on an ordinary table, by the script that Python has written. The server knows no
// lessons and decides every play: the teacher is a second connection of this device.

import { button, element, setClass, setText } from "../dom.js";
import { loadStyle, preload } from "../lazy.js";
import { hex, randomBytes } from "../proof/sha256.js";
import { GAMES, TABLES } from "../rules/games.js";
import { FOUNDATIONS, isRed } from "../rules/layout.js";
import { Rules } from "../rules/rules.js";
import { read, settings, write } from "../storage.js";
import { MatchLog } from "../wire/match_log.js";
import { Session, webSocketUrl } from "../wire/session.js";
import { faceName, short, WORDS } from "../words.js";
import { LESSON_WORDS } from "../words_later.js";
import { endsOf, light, upward } from "./coach.js";
import { COLUMNS, caps } from "./keyboard.js";
import { COLOURS, DO, LESSONS, TEACHER, TEACHER_MS, WORDS_OF_LESSONS } from "./lesson_data.js";

/**
 * @import { Board } from "../rules/board.js"
 * @import { Play } from "../rules/rules.js"
 * @import { TableScreen } from "./table_screen.js"
 *
 * @typedef {{kind: string, number: number, does: string, text: string, rule: string, why: string,
 *   play: number[] | null, before: number[][]}} Step
 * @typedef {{page: {session: Session | null}, listener: import("../wire/session.js").Listener,
 *   screen: TableScreen, match: MatchLog, showStart: () => void, playNow: () => void,
 *   dialog: import("../screens/dialog.js").Dialog}} Hooks
 */

const [OWN, OTHER] = [0, 1]; // places: who learns has opened the table
const GAME = "racing-demon"; // the lesson of the first screen
const AHEAD_MS = 50; // by which the teacher is first in a race that is lost
const FILLED = /{(\w+)}/g;
/** What the page does not hear of a lesson's table: what would change its address, or say what the lesson says. */
const OWN_MATTERS = ["seated", "caught_up", "joined", "hand_over", "match_over"];
/** Why a table refuses plays that it would carry out otherwise. */
const STANDS_STILL = ["paused", "halted"];

/**
 * @param {number[]} row
 * @returns {Play}
 */
const playOf = ([source, count, destination]) => ({ source, count, destination });

/**
 * @param {Play} one
 * @param {Play} other
 */
const isSame = (one, other) =>
  one.source === other.source && one.count === other.count && one.destination === other.destination;

/**
 * @param {string} text
 * @param {Record<string, string>} words for the names in it
 */
const filled = (text, words) => text.replace(FILLED, (whole, name) => words[name] ?? whole);

/**
 * A seat's plays upon cards in the middle.
 * @param {Rules} rules
 * @param {Board} board
 * @param {number} place
 */
const ontoCards = (rules, board, place) =>
  rules.layout
    .own(place)
    .filter(({ kind }) => kind !== "stock")
    .flatMap(({ number }) => rules.playsFrom(board, place, number, 1))
    .filter(
      ({ destination }) =>
        rules.layout.piles[destination].kind === "foundation" && board.cards[destination].length > 0,
    );

/**
 * The plays of both for the same place, which both could take now.
 * @param {Rules} rules
 * @param {Board} board
 * @returns {Play[][]}
 */
export function races(rules, board) {
  const others = ontoCards(rules, board, OTHER);
  /** @param {Play} play */
  const face = ({ source }) => board.cards[source][board.cards[source].length - 1] % 52;
  return ontoCards(rules, board, OWN).flatMap((own) => {
    const other = others.find((each) => each.destination === own.destination && face(each) === face(own));
    return other ? [[own, other]] : [];
  });
}

/**
 * Whether a legal play of who learns ends a step of a kind.
 * @param {Rules} rules
 * @param {Board} board before it
 * @param {string} kind
 * @param {Play} play
 */
export function endsStep(rules, board, kind, play) {
  if (kind === "won" || kind === "lost") return races(rules, board).some(([own]) => isSame(own, play));
  const [from, to] = [rules.layout.piles[play.source].kind, rules.layout.piles[play.destination].kind];
  const there = board.cards[play.destination].length;
  const wanders = from === "tableau" && board.cards[play.source].length === play.count;
  return {
    ace: to === "foundation" && there === 0,
    build: to === "foundation" && there > 0,
    column: to === "tableau" && there > 0 && play.count === 1,
    run: to === "tableau" && there > 0 && play.count > 1,
    empty: to === "tableau" && there === 0 && !wanders,
    turn: from === "stock" && to === "waste",
  }[kind];
}

/**
 * The plays that end a step now.
 * @param {Rules} rules
 * @param {Board} board
 * @param {string} kind
 * @returns {Play[]}
 */
export function endingPlays(rules, board, kind) {
  const turn = rules.turn(board, OWN);
  const plays = rules.layout.own(OWN).flatMap(({ number }) => rules.playsFrom(board, OWN, number));
  return [...plays, ...(turn ? [turn] : [])].filter((play) => endsStep(rules, board, kind, play));
}

/** One lesson, from its table to the end. */
export class Lesson {
  /** What is played by itself now, one after the other. @type {{place: number, play: Play, isSent?: boolean}[]} */
  #script = [];
  /** Whether the script brings the lesson back to its step. */
  #isFast = false;
  /** The board before the next play. @type {Board | null} */
  #before = null;
  /** @type {"opening" | "playing" | "again" | "over"} */
  #state = "opening";
  #timer = 0;
  #note = ""; // what has just happened
  /** Whether that is told, until it has been read. */
  #isTold = false;
  /** Why the last play was refused. */
  #wrong = "";
  #device = "touch";
  #measured = ""; // for what there is room
  /** @type {Play | null} */
  #target = null;
  /** @type {Element[]} */
  #lit = [];

  /**
   * @param {Hooks} hooks
   * @param {string} game
   */
  constructor(hooks, game) {
    this.hooks = hooks;
    this.game = game;
    this.lesson = LESSONS[game];
    const kept = read("lesson");
    this.at = kept?.game === game ? Math.min(kept.at, this.lesson.steps.length - 1) : 0;
    /** The session of the table where the player waits for the next deal. @type {Session | null} */
    this.waiting = hooks.page.session;
    /** @type {Session | null} */
    this.teacher = null;
    this.session = new Session(GAMES, {
      ...hooks.listener,
      message: (name, fields, isPast) => this.#heard(name, fields, isPast),
      refused: (fields, command) => {
        hooks.listener.refused(fields, command);
        this.#refused(OWN, fields, command);
      },
      connection: (state, reason, code) => {
        if (state === "closed") this.end();
        if (state !== "closed" || !this.waiting) hooks.listener.connection(state, reason, code);
      },
    });
    this.root = element("div", "lesson");
    this.says = element("p", "says");
    this.rule = element("small");
    this.steps = element("div", "marks");
    this.steps.setAttribute("role", "img");
    const count = Math.max(...this.lesson.steps.map((/** @type {Step} */ { number }) => number));
    for (let number = 0; number < count; number++) this.steps.append(element("i"));
    const head = element("div", "steps");
    head.append(
      this.steps,
      button(this.waiting ? WORDS_OF_LESSONS.back : WORDS_OF_LESSONS.leave, () => this.end()),
    );
    this.box = element("div", "say-box");
    this.box.setAttribute("role", "status");
    this.box.setAttribute("aria-atomic", "true");
    this.goOn = button(WORDS_OF_LESSONS.goOn, () => this.#goOn());
    this.goOn.className = "primary";
    this.box.append(this.says, this.rule, this.goOn);
    this.room = element("div", "room");
    this.room.append(this.box);
    this.root.append(head, this.room);
  }

  get #step() {
    return /** @type {Step} */ (this.lesson.steps[this.at]);
  }

  /** What is asked for now: first what still fits, then to say Stuck. */
  get #asked() {
    const step = this.#step;
    if (step.kind !== "stuck" || !this.#target) return step;
    return { ...step, text: WORDS_OF_LESSONS.not_stuck, why: WORDS_OF_LESSONS.not_stuck, does: "up" };
  }

  get #board() {
    return /** @type {Board} */ (this.session.table.hand?.board);
  }

  get #rules() {
    return new Rules(this.#board.layout, TABLES);
  }

  /** Open the table. */
  begin() {
    const { page, screen } = this.hooks;
    loadStyle("later.css");
    loadStyle("guide.css");
    loadStyle("lesson.css");
    preload();
    this.#device = matchMedia("(pointer: fine)").matches ? "mouse" : "touch";
    document.addEventListener("pointerdown", this.#touched, true);
    document.addEventListener("keydown", this.#typed, true);
    document.body.classList.add("learning");
    const { moveInput } = screen;
    this.shake = moveInput.shake;
    this.refused = screen.refused;
    moveInput.shake = (pile) => {
      this.shake?.call(moveInput, pile);
      this.#correct();
    };
    const { news } = screen;
    screen.refused = (fields, play) => {
      if (fields.reason === "illegal" && play) return moveInput.shake(play.source);
      if (fields.reason === "beaten") screen.news = () => element("li"); // the lesson itself tells it
      this.refused?.call(screen, fields, play);
      screen.news = news;
    };
    if (this.waiting) this.#keepSeat(this.waiting);
    page.session = this.session;
    screen.attach(this.session);
    screen.root.querySelector(".felt")?.before(this.root);
    this.#letTeacherWin();
    this.session.enter(webSocketUrl(), {
      name: "create",
      fields: {
        name: settings.name || WORDS.player,
        options: this.lesson.options,
        listed: false,
        known_deal: this.lesson.deal,
      },
    });
  }

  /** In the race that is lost, the teacher's card goes just before the player's: there is all time to read. */
  #letTeacherWin() {
    const play = this.session.play.bind(this.session);
    this.session.play = (each, seen) => {
      const wins = this.#state === "playing" && !this.#script.length && this.#step.kind === "lost";
      const race = wins
        ? races(this.#rules, this.#board).find(
            ([{ source, destination }]) =>
              source === each.source && [destination, FOUNDATIONS].includes(each.destination),
          )
        : undefined;
      if (!race) return play(each, seen);
      this.teacher?.play(race[1], this.session.table.seq);
      setTimeout(() => play(each, seen), AHEAD_MS);
    };
  }

  /** @param {PointerEvent} event */
  #touched = ({ pointerType }) => {
    this.#device = pointerType === "mouse" ? "mouse" : "touch";
  };

  /** @param {KeyboardEvent} event */
  #typed = ({ key }) => {
    if (key.length === 1) this.#device = "keys";
  };

  /**
   * Keep the seat at a table where others play on: count as ready, and be back before the next deal.
   * @param {Session} session
   */
  #keepSeat(session) {
    const { listener, match } = this.hooks;
    const { announce } = this.hooks.screen;
    this.log = Object.assign(new MatchLog(), match);
    session.listener = {
      ...listener,
      message: (name, fields) => {
        const { table, seat } = session;
        if (name !== "committed") this.log?.record(name, fields, table);
        const isDue = name === "committed" || name === "dealt" || table.handSeats.includes(seat ?? -1);
        if (isDue && table.phase !== "tally" && table.phase !== "over") {
          this.end();
          announce(WORDS_OF_LESSONS.due, true);
        } else if (name !== "readied" && table.seats.get(seat ?? -1)?.ready === false && !table.isPlaying)
          session.command("ready", { ready: true, seen: table.seq });
      },
      connection: (state, reason, code) => {
        if (state !== "closed") return;
        this.end();
        listener.connection(state, reason, code);
      },
      refused: () => undefined,
    };
  }

  /** Leave the lesson: go back to the other table, or to the first screen. */
  end() {
    if (this.#state === "over") return;
    this.#state = "over";
    const { page, screen, match, listener, dialog, showStart } = this.hooks;
    dialog.close();
    if (this.log) Object.assign(match, this.log);
    clearTimeout(this.#timer);
    document.removeEventListener("pointerdown", this.#touched, true);
    document.removeEventListener("keydown", this.#typed, true);
    document.body.classList.remove("learning");
    this.#lit = light(this.#lit, []);
    this.root.remove();
    if (this.shake) screen.moveInput.shake = this.shake;
    if (this.refused) screen.refused = this.refused;
    this.teacher?.leave();
    this.session.leave();
    lesson = null;
    page.session = this.waiting;
    if (this.waiting) {
      this.waiting.listener = listener;
      screen.attach(this.waiting);
      document.body.dataset.connection = "open";
      screen.requestRender();
    } else showStart();
  }

  /**
   * What a message does to the lesson; the page hears of it, too, but for what would change its address.
   * @param {string} name
   * @param {any} fields
   * @param {boolean} isPast
   */
  #heard(name, fields, isPast) {
    if (this.#state === "over") return;
    if (!OWN_MATTERS.includes(name)) this.hooks.listener.message(name, fields, isPast);
    if (name === "caught_up") this.#arrived();
    else if (name === "snapshot") this.#before = this.session.table.hand?.board.copy() ?? null;
    else if (name === "signalled") this.#dealt();
    else if (name === "played") this.#played(fields);
    else if (name === "hand_over" && this.#state === "playing") this.#finish();
    else if (name === "match_over" && this.#state === "again") this.session.command("start");
  }

  /** At the table, for the first time or again after a lost connection. */
  #arrived() {
    if (this.teacher) return this.#pump();
    const { table } = this.session;
    const teacher = new Session(GAMES, {
      ...this.hooks.listener,
      message: (name) => {
        if (name === "caught_up" && table.phase === "lobby") this.session.command("start");
      },
      connection: () => undefined,
      refused: (fields, command) => this.#refused(OTHER, fields, command),
    });
    this.teacher = teacher;
    teacher.software += " program";
    const token = hex(randomBytes(32));
    teacher.enter(webSocketUrl(), {
      name: "join",
      fields: { code: table.code, name: TEACHER, passphrase: "", token },
    });
  }

  /** The cards lie there: play what brings the lesson to its step. */
  #dealt() {
    this.#state = "playing";
    this.#before = this.#board.copy();
    this.#isFast = this.at > 0;
    this.#script = [];
    this.#isTold = false;
    for (const { before, play } of /** @type {Step[]} */ (this.lesson.steps.slice(0, this.at))) {
      this.#script.push(...before.map((row) => ({ place: OTHER, play: playOf(row) })));
      if (play) this.#script.push({ place: OWN, play: playOf(play) });
    }
    this.#queue();
  }

  /** Let the teacher play what this step begins with. */
  #queue() {
    this.#script.push(...this.#step.before.map((row) => ({ place: OTHER, play: playOf(row) })));
    this.#pump();
  }

  /** Play on by the script; at its end, see whether the step is possible. */
  #pump() {
    clearTimeout(this.#timer);
    const [next] = this.#script;
    if (this.#state !== "playing" || this.#isTold || next?.isSent) return;
    if (!next) {
      this.#isFast = false;
      this.#settle();
      return;
    }
    const wait = this.#isFast || next.place === OWN ? 0 : TEACHER_MS;
    this.#timer = setTimeout(() => {
      next.isSent = true;
      const session = next.place === OWN ? this.session : this.teacher;
      session?.play(next.play, this.session.table.seq);
    }, wait);
  }

  /**
   * Go on after a play of the script that the server has refused: a lost race is what was meant to happen, and while
   * the table stands still it is tried again.
   * @param {number} place
   * @param {{reason: string}} fields
   * @param {{name: string} | undefined} command
   */
  #refused(place, { reason }, command) {
    const [next] = this.#script;
    if (command?.name !== "play_cards" || !next?.isSent || next.place !== place) return;
    if (STANDS_STILL.includes(reason)) {
      next.isSent = false;
      this.#timer = setTimeout(() => this.#pump(), TEACHER_MS);
      return;
    }
    this.#script.shift();
    this.#pump();
  }

  /** @param {{seat: number, source: number, count: number, destination: number, counter: number}} fields */
  #played(fields) {
    const was = this.#before;
    const rules = this.#rules;
    this.#before = this.#board.copy();
    if (this.#state === "again") return this.#endHand();
    const play = { source: fields.source, count: fields.count, destination: fields.destination };
    const place = this.#board.layout.seats.indexOf(fields.seat);
    const [next] = this.#script;
    if (next?.isSent && next.place === place && isSame(next.play, play)) {
      this.#script.shift();
      this.#pump();
      return;
    }
    if (this.#isFast || this.#isTold || !was) return;
    if (place === OWN) this.#wrong = "";
    const { kind } = this.#step;
    const race = kind === "won" || kind === "lost" ? races(rules, was) : [];
    const own = race.find(([mine]) => place === OWN && isSame(mine, play));
    const lost = race.find(([, other]) => kind === "lost" && place === OTHER && isSame(other, play));
    if (own || lost) {
      if (own && kind === "won") this.teacher?.play(own[1], this.session.table.seq); // too late
      const card = this.#name((own ?? lost ?? [])[0], was);
      this.#next(this.#fill(own ? WORDS_OF_LESSONS.won : WORDS_OF_LESSONS.lost, card));
    } else if (place === OWN && endsStep(rules, was, kind, play)) this.#next("");
    else this.#pump();
  }

  /** @param {string} note what has just happened: the next step begins when that has been read */
  #next(note) {
    this.#note = note;
    this.#wrong = "";
    this.#target = null;
    this.at += 1;
    write("lesson", { game: this.game, at: this.at });
    this.#lit = light(this.#lit, []);
    if (note === "") return this.#queue();
    this.#isTold = true;
    this.draw();
    if (this.#device !== "keys") return;
    this.focused = document.activeElement;
    this.goOn.focus();
  }

  #goOn() {
    if (!this.#isTold) return;
    this.#isTold = false;
    this.#note = "";
    if (this.focused instanceof HTMLElement) this.focused.focus();
    this.#queue();
    this.hooks.screen.requestRender();
  }

  /** See whether the step can be done, and what is pointed at. */
  #settle() {
    clearTimeout(this.#timer);
    const { kind, play } = this.#step;
    const { table } = this.session;
    if (!table.hand || !["playing", "grace"].includes(table.phase)) return;
    if (kind === "stuck") {
      this.#target = upward(this.#rules, this.#board, OWN) ?? null;
      if (this.#target) return;
      const seat = this.#board.layout.seats[OTHER];
      if (!table.seats.get(seat)?.stuck) this.teacher?.command("stuck", { seen: 0 });
      return;
    }
    const plays = endingPlays(this.#rules, this.#board, kind);
    if (plays.length === 0) return this.#again();
    this.#target = plays.find((each) => play && isSame(each, playOf(play))) ?? plays[0];
  }

  /** Deal again, because the step has become impossible. */
  #again() {
    this.#state = "again";
    this.#note = WORDS_OF_LESSONS.again;
    this.#endHand();
  }

  #endHand() {
    const { seats, hand } = this.session.table;
    for (const [place, session] of [this.session, this.teacher].entries())
      if (!seats.get(hand?.seats[place] ?? -1)?.stuck) session?.command("stuck", { seen: 0 });
  }

  /** The end: what the hand scores. */
  #finish() {
    const { dialog, playNow } = this.hooks;
    const { waiting, session } = this;
    const points = session.table.points().get(session.seat ?? 0) ?? 0;
    write("lesson", null);
    if (!waiting) write("learned", true);
    this.end();
    const items = [
      ...this.lesson.score.map((/** @type {string} */ text) => element("p", "", text)),
      element("p", "", LESSON_WORDS.bar),
      element("p", "", this.#fill(WORDS_OF_LESSONS.points, "").replace("{points}", String(points))),
    ];
    if (!waiting)
      items.push(
        button(LESSON_WORDS.playNow, () => {
          dialog.close();
          playNow();
        }),
      );
    dialog.open(WORDS_OF_LESSONS.done, items);
  }

  /** Say why that was not it. */
  #correct() {
    if (this.#state === "playing" && !this.#isTold)
      this.#wrong = this.#fill(this.#asked.why, this.#name(this.#target, this.#board));
    this.hooks.screen.requestRender();
  }

  /**
   * @param {Play | null | undefined} play
   * @param {Board} board
   */
  #name(play, board) {
    if (!play) return "";
    const cards = board.cards[play.source];
    return (settings.hasText ? faceName : short)(cards[cards.length - play.count]);
  }

  /**
   * @param {string} text
   * @param {string} card
   */
  #fill(text, card) {
    const words = { card, teacher: TEACHER, key: this.#key(), line: this.#line(), ...this.#ground() };
    return filled(text, words);
  }

  /** On what the card goes that is pointed at, and how their colours lie. */
  #ground() {
    if (!this.#target) return { on: "", colours: "" };
    const { source, count, destination } = this.#target;
    const [cards, there] = [this.#board.cards[source], this.#board.cards[destination]];
    const name = settings.hasText ? faceName : short;
    return {
      on: there.length > 0 ? name(there[there.length - 1]) : "",
      colours: COLOURS[Number(isRed(cards[cards.length - count]))],
    };
  }

  /** What is printed on the key of the pile that is pointed at. */
  #key() {
    const { layout } = this.#board;
    if (!this.#target) return caps.get("KeyV") ?? "V";
    const { number, kind } = layout.piles[this.#target.source];
    const column = layout.own(OWN, "tableau").findIndex((pile) => pile.number === number);
    const code = kind === "reserve" ? "KeyH" : kind === "waste" ? "Semicolon" : (COLUMNS[column] ?? "");
    return caps.get(code) ?? (code === "Semicolon" ? ";" : code.replace("Key", ""));
  }

  /** What is typed where the table is text. */
  #line() {
    if (!this.#target) return "v";
    const { piles } = this.#board.layout;
    const [from, to] = [piles[this.#target.source], piles[this.#target.destination]];
    /** @param {import("../rules/layout.js").Pile} pile */
    const name = ({ kind, index }) => (kind === "tableau" ? index + 1 : kind[0]);
    return from.kind === "stock" ? "t" : `${name(from)} ${to.kind === "foundation" ? "up" : name(to)}`;
  }

  /** Draw the step, and light up what it is about. */
  draw() {
    const { screen } = this.hooks;
    const isBusy = this.#state !== "playing" || this.#isFast || !this.session.table.hand;
    const step = this.#isTold ? /** @type {Step} */ (this.lesson.steps[this.at - 1]) : this.#step;
    [...this.steps.children].forEach((node, at) => {
      node.className = at + 1 < step.number ? "on" : at + 1 === step.number ? "now" : "";
    });
    this.steps.setAttribute("aria-label", LESSON_WORDS.stepOf(step.number, this.steps.childElementCount));
    this.#keepRoom();
    this.goOn.hidden = !this.#isTold;
    this.box.classList.toggle("told", this.#isTold);
    if (this.#isTold) {
      setText(this.says, this.#note);
      setText(this.rule, this.#fill(step.rule, ""));
      return;
    }
    if (isBusy) {
      setText(this.says, this.#state === "again" ? this.#note : WORDS_OF_LESSONS.opening);
      setText(this.rule, "");
      return;
    }
    const isPaused = this.session.table.paused; // as while the teacher comes back after a crash
    const isAsked = !isPaused && (this.#target !== null || this.#step.kind === "stuck");
    const { text, does } = this.#asked;
    const waits = text.includes("{") ? WORDS_OF_LESSONS.wait : `${text} ${WORDS_OF_LESSONS.wait}`;
    const device = settings.hasText ? "text" : this.#device;
    const said = isAsked ? `${text} ${DO[does][device]}` : waits;
    setText(this.says, this.#fill(said, this.#name(this.#target, this.#board)));
    setText(this.rule, this.#wrong || this.#note || this.#fill(this.#step.rule, ""));
    setClass(this.rule, "wrong", this.#wrong !== "");
    this.#lit = light(this.#lit, isPaused ? [] : this.#ends(screen), this.#target !== null);
  }

  /** Keep room for the longest texts of the lesson: cards stay where they are from step to step. */
  #keepRoom() {
    const device = settings.hasText ? "text" : this.#device;
    if (device === this.#measured) return;
    this.#measured = device;
    const [card, on] = settings.hasText ? ["10 of diamonds", "queen of spades"] : ["10♦", "10♠"];
    const words = { card, on, colours: COLOURS[0], teacher: TEACHER, key: "W", line: "w up" };
    const { not_stuck: notStuck, won, lost, wait } = WORDS_OF_LESSONS;
    /** @type {Step[]} */
    const steps = this.lesson.steps;
    /** @param {string} kind */
    const ruleOf = (kind) => steps.find((step) => step.kind === kind)?.rule ?? "";
    const rooms = steps.flatMap(({ text, does, rule, why }) => [
      { text: `${text} ${DO[does][device]}`, rule },
      { text: `${text} ${wait}`, rule: why },
    ]);
    rooms.push({ text: `${notStuck} ${DO.up[device]}`, rule: ruleOf("stuck") });
    for (const each of this.room.querySelectorAll(".kept")) each.remove();
    for (const { text, rule } of rooms) this.#keep(filled(text, words), filled(rule, words), false);
    for (const told of [won, lost]) this.#keep(filled(told, words), ruleOf("lost"), true);
  }

  /**
   * @param {string} text
   * @param {string} rule
   * @param {boolean} isTold whether it waits until it has been read
   */
  #keep(text, rule, isTold) {
    const kept = element("div", `say-box kept${isTold ? " told" : ""}`);
    kept.setAttribute("aria-hidden", "true");
    kept.append(element("p", "", text), element("small", "", rule));
    if (isTold) kept.append(element("span", "primary button", WORDS_OF_LESSONS.goOn));
    this.room.append(kept);
  }

  /** What the step is about. @param {TableScreen} screen */
  #ends(screen) {
    if (this.#step.kind === "stuck" && !this.#target) return [...screen.root.querySelectorAll(".stuck")];
    const isThere = screen.shown?.layout === this.#board.layout && this.#script.length === 0;
    return this.#target && isThere ? endsOf(screen, this.#target) : [];
  }
}

/** @type {Lesson | null} */
let lesson = null;

/**
 * Begin a lesson: that of the game for which somebody waits, or else of the usual one.
 * @param {Hooks} hooks
 */
export function learn(hooks) {
  if (lesson) return;
  const game = hooks.page.session?.table.options.game;
  lesson = new Lesson(hooks, game in LESSONS ? game : GAME);
  lesson.begin();
}

/** Leave the lesson; returns whether there was one. */
export function leave() {
  const isLearning = lesson !== null;
  lesson?.end();
  return isLearning;
}

/** Keep the lesson up to date, with every frame of a table. */
export const follow = () => lesson?.draw();
