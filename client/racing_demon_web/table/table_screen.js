// The screen of a hand: board, other players, status line and messages.

import {
  asIs,
  colorOf,
  element,
  markTeam,
  move,
  seatClass,
  setClass,
  setFlag,
  setStyle,
  setText,
  token,
} from "../dom.js";
import { loaded, sound, whenLoaded, withModule } from "../lazy.js";
import { UNKNOWN } from "../rules/layout.js";
import { ahead, Rules } from "../rules/rules.js";
import { settings } from "../storage.js";
import { PHRASES, REACTIONS } from "../wire/protocol.js";
import { chipState, clock, filled, handText, refusalText, span, standing, WORDS } from "../words.js";
import { BoardView } from "./board_view.js";
import { arrange, FoundationSlots, shapeOf } from "./geometry.js";
import { MoveInput } from "./move_input.js";

/** @import { Reaction } from "../wire/protocol.js" */

const FLASH_MS = 400;
const SLOW_MS = 300; // to the server and back
const GO_MS = 1000;
const NEAR = 3; // so few cards left are worth an outline

export class TableScreen {
  /** Records every event where hints are allowed. @type {import("../rules/hints.js").Hints | null} */
  hints = null;
  #shape = ""; // the key of the scene's geometry
  #seen = 0;
  /** How high the line below the columns is at most in this hand, where it is more than usual. */
  #line = 0;
  #isStuck = false; // in this player's view: see #followStuck
  /** @type {DOMRect | undefined} */
  #measured = undefined;

  /**
   * @param {HTMLElement} root
   * @param {object} options
   * @param {string[][]} options.tables of the moves
   * @param {Record<string, any>} options.games
   * @param {(text: string, isUrgent?: boolean) => void} options.announce
   * @param {(text: string, isUrgent?: boolean) => void} options.tell announces what is shown already
   * @param {() => void} options.openMenu
   * @param {() => void} options.openSpeech shows what can be said
   * @param {() => void} options.openHelp
   * @param {() => void} options.learn begins a lesson
   * @param {() => void} options.requestRender requests a render
   */
  constructor(root, { tables, games, announce, tell, openMenu, openSpeech, openHelp, learn, requestRender }) {
    this.root = root;
    this.tables = tables;
    this.games = games;
    this.announce = announce;
    this.tell = tell;
    this.requestRender = requestRender;
    this.openHelp = openHelp;
    this.learn = learn;
    this.boardView = new BoardView(/** @type {HTMLElement} */ (root.querySelector(".felt")), requestRender);
    this.status = /** @type {HTMLElement} */ (root.querySelector(".status"));
    this.chips = /** @type {HTMLElement} */ (root.querySelector(".chips"));
    this.note = /** @type {HTMLElement} */ (root.querySelector("#note"));
    this.late = element("p", "late", WORDS.fromNextDeal);
    this.late.setAttribute("role", "status");
    root.querySelector(".bar")?.append(this.late);
    this.ticker = /** @type {HTMLElement} */ (root.querySelector(".ticker"));
    this.slots = new FoundationSlots();
    /** @type {Map<number, HTMLElement>} */
    this.neighbors = new Map();
    /** @type {import("../wire/session.js").Session | null} */
    this.session = null;
    /** @type {Rules | null} */
    this.rules = null;
    /** @type {Map<number, import("./board_view.js").Origin>} */
    this.origins = new Map();
    /** Players whose chips flash with the next render. @type {Set<number>} */
    this.flashes = new Set();
    /** The positions of the other players' chips. @type {Map<number, {x: number, y: number}>} */
    this.chipPoints = new Map();
    /** Where the piles of others are shown. @type {Map<number, import("./board_view.js").Origin>} */
    this.pilePoints = new Map();
    /** How many cards each seat had left in this hand, at most. @type {Map<number, number>} */
    this.most = new Map();
    /** @type {import("./geometry.js").Scene | null} */
    this.scene = null;
    /** @type {import("../rules/board.js").Board | null} */
    this.shown = null;
    this.hasMinis = false;
    /** Whether renders take long, so that animations are off. */
    this.isSlow = false;
    this.moveInput = new MoveInput(this, announce);
    root.querySelector(".command")?.addEventListener("submit", (event) => {
      event.preventDefault();
      const line = /** @type {HTMLInputElement} */ (root.querySelector(".command input"));
      const typed = line.value;
      line.value = "";
      withModule("text", ({ obey }) => {
        const problem = obey(this.moveInput, typed);
        if (problem) announce(problem, true);
      });
    });
    root.querySelector(".menu")?.addEventListener("click", openMenu);
    root.querySelector(".speech")?.addEventListener("click", openSpeech);
    root.querySelector(".stuck")?.addEventListener("click", () => this.moveInput.stuck());
    root.querySelector(".shift")?.addEventListener("click", () => this.moveInput.shift());
    root.querySelector(".hint")?.addEventListener("click", () => this.hint());
  }

  /** @param {import("../wire/session.js").Session} session */
  attach(session) {
    this.session = session;
    this.rules = null;
    this.moveInput.held = null;
    this.hints = null;
    this.boardView.clear();
    this.ticker.replaceChildren();
  }

  /** Whether hints are allowed: by the table's option, or because nobody else plays. */
  get hasHints() {
    return this.place >= 0 && (this.table.options.hints || this.table.handSeats.length === 1);
  }

  /** Whether this player may move the stock's top card to its bottom, now or at other times. */
  get hasShifts() {
    return this.place >= 0 && Boolean(this.table.options.stock_shift);
  }

  /** Highlight a play that helps. */
  hint() {
    if (!this.hasHints) return this.announce(WORDS.noHints, true);
    withModule("hints", ({ Hints, hintWords }) => {
      const { rules, shown, place } = this;
      if (!rules || !shown || !this.moveInput.mayPlay) return;
      const play = (this.hints ??= new Hints()).play(rules, shown, place);
      const shifts = play === null && rules.mayShift(shown, place);
      const words = shifts ? WORDS.shiftHelps : hintWords(play, shown);
      if (play) this.boardView.ring(this.scene?.rects.get(play.source), "var(--go-line)");
      this.announce(words);
    });
  }

  /**
   * Record an event for hints, which depend on how the stock is turned.
   * @param {string} name
   * @param {any} fields
   */
  #followHints(name, fields) {
    const { table, place } = this;
    const layout = table.hand?.layout;
    if (!layout || !this.hasHints) return;
    const rules = this.rules ?? new Rules(layout, this.tables);
    whenLoaded("hints", ({ Hints }) =>
      (this.hints ??= new Hints()).record(name, fields, table, rules, place),
    );
  }

  get table() {
    return /** @type {import("../wire/session.js").Session} */ (this.session).table;
  }

  /** The player's place in the hand; -1 for spectators and seats that are not in it. */
  get place() {
    const seat = this.session?.seat ?? null;
    const isOut = seat === null || this.table.sittingOut.includes(seat);
    return isOut ? -1 : this.table.handSeats.indexOf(seat);
  }

  /**
   * Prepare what an event looks and sounds like; the next render shows it.
   * @param {string} name
   * @param {any} fields
   * @param {boolean} isPast
   */
  onEvent(name, fields, isPast) {
    if (name === "dealt" || name === "snapshot" || name === "options_set") {
      this.rules = null;
      this.moveInput.held = null;
      this.origins.clear();
      this.most.clear();
      this.#measured = undefined;
      this.#line = 0;
    }
    this.#followHints(name, fields);
    if (isPast) return;
    this.#followStuck(name, fields);
    TableScreen.#HANDLERS[name]?.(this, fields);
  }

  /** Handlers of live events. @type {Record<string, (screen: TableScreen, fields: any) => void>} */
  static #HANDLERS = {
    played: (screen, fields) => screen.#played(fields),
    signalled: (screen) => screen.#waits(screen.session?.seat) || sound("signal"),
    seat_signalled: (screen, { seat }) => seat === screen.session?.seat && sound("signal"),
    hand_over: () => sound("out"),
    stock_shifted: (screen, { seat }) => {
      if (seat === screen.session?.seat) screen.announce(WORDS.shifted);
    },
    race_lost: (screen, fields) => screen.#flashRace(fields),
    reacted: (screen, { seat, reaction }) =>
      screen.#say(seat, REACTIONS[/** @type {Reaction} */ (reaction)] ?? reaction),
    said: (screen, { seat, text }) => screen.#say(seat, text),
  };

  /**
   * Announce which play ended that this player is stuck. After any other, the server says "stuck" again.
   * @param {string} name
   * @param {any} fields
   */
  #followStuck(name, { seat, destination }) {
    const { table } = this;
    const own = this.session?.seat;
    const isStuck = table.seats.get(own ?? -1)?.stuck ?? false;
    const wasStuck = this.#isStuck;
    const isOthers = name === "played" && seat !== own;
    this.#isStuck = isStuck || (isOthers && wasStuck);
    if (!this.#isStuck) return;
    whenLoaded("hints", ({ tellOpened }) => {
      if (!isStuck && tellOpened(this, seat, destination)) this.#isStuck = false;
    });
  }

  /** @param {any} fields */
  #played({ seat, source, destination }) {
    const board = this.table.hand?.board;
    if (!board) return;
    const top = board.top(destination);
    const isOther = seat !== this.session?.seat;
    if (top !== null && top !== UNKNOWN) this.origins.set(top, this.#origin(seat, source));
    const isUp = board.layout.piles[destination].kind === "foundation";
    if (isOther && isUp && !this.isSlow) this.flashes.add(seat);
  }

  /**
   * Where a card flies from: a visible pile, or its player's chip.
   * @param {number} seat
   * @param {number} source
   */
  #origin(seat, source) {
    const rect = this.scene?.rects.get(source);
    if (rect) return { x: rect.x, y: rect.y };
    return this.pilePoints.get(source) ?? this.chipPoints.get(seat) ?? { x: 0, y: -40 };
  }

  /**
   * Show where somebody else has lost a race.
   * @param {any} fields
   */
  #flashRace(fields) {
    loaded.panels?.flash(this.boardView.root, this.scene?.rects.get(fields.pile), this.table, fields);
  }

  /**
   * @param {number} seat
   * @param {string} text
   */
  #say(seat, text) {
    this.news(`${this.table.nameOf(seat)}: ${text}`);
    this.flashes.add(seat);
  }

  /** @param {string} text */
  tick(text) {
    const line = element("li", "", text);
    this.ticker.prepend(line);
    while (this.ticker.childElementCount > 6) this.ticker.lastElementChild?.remove();
    return line;
  }

  /**
   * Say what has happened in the line for that, and in a toast where this is not seen, or cut.
   * @param {string} text
   * @param {boolean} [isUrgent]
   */
  news(text, isUrgent = false) {
    const line = this.tick(text);
    const isSeen =
      line.checkVisibility?.({ visibilityProperty: true }) && line.scrollWidth <= line.clientWidth;
    (isSeen ? this.tell : this.announce)(text, isUrgent);
    return line;
  }

  // Rendering.

  /**
   * Whether another player's play changes anything visible.
   * @param {{source: number, destination: number}} play
   */
  shows({ source, destination }) {
    const { rects } = this.scene ?? {};
    const layout = this.table.hand?.layout;
    return (
      !rects ||
      this.hasMinis ||
      settings.hasText ||
      [source, destination].some((pile) => rects.has(pile) || layout?.piles[pile].kind === "foundation")
    );
  }

  /** The last event that is visible: a copy of the board with optimistic plays is from the last render. */
  get seen() {
    return this.shown === this.table.hand?.board ? this.table.seq : this.#seen;
  }

  draw() {
    const { table } = this;
    const { box } = this.boardView; // measured before anything is written
    if (box !== this.#measured) this.#measure(box);
    setClass(this.root, "still", this.isSlow);
    this.#drawStatus();
    this.#drawNeighbors();
    if (table.hand) this.#drawBoard(table.hand, box);
    else {
      this.boardView.clear();
      this.scene = null;
    }
    if (this.hasMinis || loaded.panels) whenLoaded("panels", ({ drawRace }) => drawRace(this));
    loaded.coach?.follow(this); // they mark cards, which are drawn now
    loaded.lesson?.follow();
    for (const seat of this.flashes)
      move(this.neighbors.get(seat)?.children[0], { opacity: [0.8, 0] }, FLASH_MS);
    this.flashes.clear();
  }

  /**
   * @param {NonNullable<import("../rules/state.js").TableState["hand"]>} hand
   * @param {DOMRect} box of the board
   */
  #drawBoard({ board, layout, deal }, box) {
    const { table } = this;
    if (!this.rules || this.rules.layout !== layout) this.rules = new Rules(layout, this.tables);
    const isOver = table.phase === "tally" || table.phase === "over"; // plays in flight no longer land
    const { board: shown, air } = ahead(
      this.rules,
      board,
      this.place,
      isOver ? [] : (this.session?.plays ?? []),
    );
    this.shown = shown;
    this.#seen = table.seq;
    const { moveInput } = this;
    if (moveInput.held && moveInput.held.count > shown.cards[moveInput.held.pile].length)
      moveInput.held = null;
    const { width, height } = box;
    const { isLeftHanded: isMirrored } = settings;
    const buttons = 1 + Number(this.hasHints) + Number(this.hasShifts);
    // There is no room for two buttons beside three piles, nor beside two on a folded phone.
    const isTall = buttons > 1 && (width < 300 || layout.own(this.place, "reserve").length > 0);
    setClass(this.root, "tall-bar", isTall);
    setStyle(this.root, "--hand", `${this.scene?.bottom ?? 66}px`);
    const grid = this.hasMinis ? loaded.panels?.suitRows : undefined;
    const shape = `${!grid} ${deal} ${width} ${height} ${isMirrored} ${this.place} ${this.#line} ${shapeOf(shown, this.place)}`;
    if (shape !== this.#shape || !this.scene) {
      this.#shape = shape;
      this.scene = arrange({
        layout,
        board: shown,
        place: this.place,
        deal,
        slots: this.slots,
        buttons: isTall ? buttons : 1,
        across: isTall ? 1 : buttons,
        area: { width, height },
        isMirrored,
        line: this.#line,
        grid,
      });
    }
    const fits = new Set(moveInput.held && table.options.hints ? moveInput.targets(moveInput.held) : []);
    /** @param {number} card */
    const origin = (card) => this.origins.get(card) ?? null;
    this.boardView.draw({
      scene: this.scene,
      board: shown,
      deal,
      air,
      held: moveInput.held,
      fits,
      origin,
      isStill: this.isSlow,
    });
    this.origins.clear();
    this.#drawText();
  }

  /** Keep cards off the line below the columns, if they can be closer. @param {number} height of it */
  keepOff(height) {
    if (height <= this.#line) return;
    this.#line = height;
    this.requestRender();
  }

  /**
   * Measure the chips, from which cards fly.
   * @param {DOMRect} box of the board
   */
  #measure(box) {
    this.#measured = box;
    for (const [seat, chip] of this.neighbors) {
      const { left, top } = chip.getBoundingClientRect();
      this.chipPoints.set(seat, { x: left - box.left, y: top - box.top });
    }
    const [chip] = this.neighbors.values();
    this.hasMinis =
      chip !== undefined &&
      getComputedStyle(/** @type {Element} */ (chip.querySelector(".minis"))).display === "flex";
    if (this.hasMinis && loaded.panels)
      this.pilePoints = loaded.panels.pointsOf(this.neighbors, this.table, box);
    else this.pilePoints.clear();
  }

  #drawStatus() {
    const { table, session, place } = this;
    const seat = session?.seat ?? -1;
    const now = /** @type {any} */ (session).clock();
    const elapsed = table.elapsed(now);
    const wait = table.hand?.layout.waitMs(seat) ?? 0;
    const left = Math.max(0, Math.ceil((wait - elapsed) / 1000));
    const isCountdown = table.phase === "countdown" || this.#waits(seat);
    let note = "";
    if (!table.hand) note = WORDS.isDealing;
    else if (table.paused) note = WORDS.paused;
    else if (isCountdown) note = `${left}`;
    else if (table.phase === "playing" && elapsed - wait < GO_MS) note = WORDS.go;
    setText(this.note, note);
    let time = clock(elapsed);
    if (isCountdown) time = WORDS.startsIn(left);
    else if (!table.hand || table.phase === "shuffling") time = WORDS.isShuffling;
    const isSlow = place >= 0 && (session?.pingMs ?? 0) > SLOW_MS;
    let said = isSlow ? WORDS.slow : ""; // in place of the rest: both would wrap a narrow heading
    if (session?.isHalted) said = WORDS.diskWaits;
    if (table.paused) said = WORDS.isPaused;
    if (!said && !/\b(tv|learning)\b/.test(document.body.className)) {
      // A big screen says the rest elsewhere, and so does the menu of a phone.
      const each = table.hand?.reserveCard ?? 0;
      const isBelow = each < 0 && (table.points().get(seat) ?? 0) < 0; // it is said why
      said = isBelow
        ? filled(PHRASES.reserve, each)
        : handText(table.handNumber, table.options, table.lastHand);
      if (table.knownDeal) said += ` · ${PHRASES.known}`;
    }
    setText(this.status, said ? `${time} · ${said}` : time);
    setText(this.root.querySelector(".standing"), place < 0 ? "" : standing(table, seat));
    setFlag(this.late, "hidden", place >= 0 || !table.hand || !table.seats.has(seat));
    this.#drawButtons();
  }

  #drawButtons() {
    const { table, session, shown, place } = this;
    const { mayPlay } = this.moveInput;
    const isStuck = table.seats.get(session?.seat ?? -1)?.stuck;
    /**
     * @param {string} name
     * @param {boolean} isThere
     * @param {boolean} isUsable
     */
    const show = (name, isThere, isUsable) => {
      const node = /** @type {HTMLButtonElement} */ (this.root.querySelector(name));
      setFlag(node, "hidden", !isThere);
      setFlag(node, "disabled", !(isUsable && mayPlay));
    };
    show(".stuck", place >= 0, !isStuck);
    show(".shift", this.hasShifts, Boolean(shown && this.rules?.mayShift(shown, place)));
    show(".hint", this.hasHints, true);
  }

  /** @param {number | null | undefined} seat whether it has no signal yet while others play */
  #waits(seat) {
    return this.table.waiting.includes(seat ?? -1);
  }

  #drawNeighbors() {
    const { table } = this;
    const own = this.session?.seat ?? null;
    const seats = [...table.seats.keys()].filter((seat) => seat !== own).sort((a, b) => a - b);
    for (const [seat, chip] of this.neighbors) {
      if (seats.includes(seat) && chip.matches(`.${seatClass(seat)}`)) continue;
      chip.remove();
      this.neighbors.delete(seat);
    }
    const points = table.points();
    const across = seats.length > 5 ? Math.ceil(seats.length / 2) : seats.length;
    setStyle(this.chips, "--across", `${across}`);
    for (const seat of seats) this.#drawNeighbor(seat, points);
    setClass(this.root, "alone", seats.length === 0);
    setClass(this.root, "watching", this.place < 0);
  }

  /**
   * @param {number} seat
   * @param {Map<number, number>} points
   */
  #drawNeighbor(seat, points) {
    const { table } = this;
    let chip = this.neighbors.get(seat);
    if (!chip) {
      chip = element("li", `chip ${seatClass(seat)}`);
      chip.append(
        element("i", "flash"),
        token(seat, ""),
        element("bdi", "name"),
        asIs(element("span", "out")),
        element("span", "state"),
        asIs(element("span", "heap")),
        asIs(element("div", "minis")),
      );
      chip.addEventListener("click", () => {
        this.chips.classList.toggle("open");
        this.#measured = undefined;
        this.requestRender();
      });
      this.neighbors.set(seat, chip);
      this.chips.append(chip);
      this.#measured = undefined;
      this.requestRender();
    }
    const state = table.seats.get(seat);
    const place = table.handSeats.indexOf(seat);
    const [, mark, name, count, mood, heap, minis] = chip.children;
    setText(mark, [...table.nameOf(seat)][0]?.toUpperCase());
    setText(markTeam(name, state?.team), table.nameOf(seat));
    setText(count, `${points.get(seat) ?? ""}`);
    setText(heap, `${table.hand?.heap(seat) ?? ""}`);
    const left = table.hand?.left(seat) ?? 0;
    const most = Math.max(left, this.most.get(seat) ?? 1);
    this.most.set(seat, most);
    setStyle(/** @type {HTMLElement} */ (heap), "--left", `${(left / most) * 100}%`);
    const isNear = left > 0 && left <= NEAR && heap.textContent !== "";
    setClass(chip, "near", isNear);
    const word = this.#waits(seat) ? WORDS.waits : state ? chipState(state) : "";
    setText(mood, word);
    setClass(mood, "bot", word === "bot");
    setClass(chip, "has-state", word !== "" && word !== "bot");
    if (place < 0 || !table.hand || table.hand.isPrivate)
      minis.replaceChildren(); // the last hand's
    else if (this.hasMinis) this.#drawLayout(minis, table.hand.board, place, isNear);
  }

  /**
   * @param {Element} minis
   * @param {import("../rules/board.js").Board} board
   * @param {number} place
   * @param {boolean} isNear
   */
  #drawLayout(minis, board, place, isNear) {
    whenLoaded("panels", ({ drawLayout }) => {
      if (!drawLayout(/** @type {HTMLElement} */ (minis), board, place, isNear)) return;
      this.#measured = undefined;
      this.requestRender();
    });
  }

  /** Render the table as text, if the setting is on. */
  #drawText() {
    const root = /** @type {HTMLElement} */ (this.root.querySelector(".text"));
    if (root.hidden === settings.hasText) root.hidden = !root.hidden;
    if (root.hidden) return;
    const lines = /** @type {HTMLElement} */ (root.querySelector(".lines"));
    withModule("text", ({ drawText }) => drawText(lines, this.table, this.place), lines);
  }

  /**
   * Show why a play was refused.
   * @param {any} fields
   * @param {any} play
   */
  refused({ reason, by, late_us: lateUs, pile, text }, play) {
    if (reason === "beaten" && by !== null) {
      const words = WORDS.faster(this.table.nameOf(by), lateUs);
      this.boardView.ring(
        this.scene?.rects.get(pile),
        colorOf(by),
        `${this.table.nameOf(by)}, ${span(lateUs)}`,
      );
      sound("beaten");
      navigator.vibrate?.([20, 40, 20]);
      this.news(words, true);
    } else {
      if (play && this.shown?.layout.piles[play.source]) this.moveInput.shake(play.source);
      this.announce(refusalText({ reason, text }), true);
    }
  }
}
