// The screen between hands: players, options and tally.

import { asIs, button, choice, colors, element, markTeam, seatClass, setText, token } from "../dom.js";
import { loaded, whenLoaded, withModule } from "../lazy.js";
import { BOT_LEVELS, FROM_CLIENT, LIMITS } from "../wire/protocol.js";
import { headline, isReady, seatState, WORDS } from "../words.js";

/** @import { Seat, TableState } from "../rules/state.js" */

const MAX_CHAT_LINES = 30;
const GROW_MS = 1500; // longer than bars take to grow
const MAX_CARDS = 8; // a longer code is written as a word

export class LobbyScreen {
  #drawn = "";
  #told = ""; // the options that the line for newcomers is about
  #grown = 0; // how many hands the tally has shown

  /**
   * @param {HTMLElement} root
   * @param {object} options
   * @param {any} options.games
   * @param {(name: string, fields?: any) => void} options.command
   * @param {() => void} options.share shows how others join
   * @param {(seat: number) => void} options.manage shows what a host can do about somebody
   * @param {() => void} options.teams shows who plays for which team
   * @param {(deal: () => void) => void} options.dealAlone asks before somebody plays alone
   * @param {(list: HTMLElement) => void} options.analyze tells what the hand has come to
   * @param {() => void} options.watchAgain plays the match again
   * @param {() => void} options.results shows the matches of this device
   * @param {() => void} options.leave shows the first screen
   */
  constructor(
    root,
    { games, command, share, manage, teams, dealAlone, analyze, watchAgain, results, leave },
  ) {
    this.root = root;
    this.games = games;
    this.command = command;
    this.manage = manage;
    this.teams = teams;
    this.dealAlone = dealAlone;
    this.analyze = analyze;
    this.again = button(WORDS.watchAgain, watchAgain);
    this.start = button(WORDS.toStart, leave);
    this.part("after").append(this.again, button(WORDS.results, results), this.start);
    /** @type {{name: string, text: string}[]} */
    this.chat = [];
    /** @type {any} */
    this.session = null;
    this.showsAll = false;
    this.part("share").addEventListener("click", share);
    this.part("ready").addEventListener("click", () => {
      const own = this.table.seats.get(this.seat ?? -1);
      this.command("ready", { ready: !(own?.ready ?? false), seen: this.table.seq });
    });
    this.part("deal").addEventListener("click", () => {
      const deal = () => this.command("start", { seen: this.table.seq });
      const { isBetweenMatches, game } = this.table;
      if (isBetweenMatches && game.seats[1] > 1 && this.#isAlone) this.dealAlone(deal);
      else deal();
    });
    const line = /** @type {HTMLInputElement} */ (this.root.querySelector(".say input"));
    line.maxLength = LIMITS.chat;
    this.part("say").addEventListener("submit", (event) => {
      event.preventDefault();
      const text = line.value.trim();
      line.value = "";
      if (text) this.command("say", { text });
    });
    this.part("add-bot").addEventListener("click", () => {
      const level = /** @type {HTMLSelectElement} */ (this.part("level")).value;
      this.command("add_bot", { level });
    });
    this.part("all-options").addEventListener("click", () => {
      this.showsAll = !this.showsAll;
      this.#drawn = "";
      this.draw(this.session);
      scrollTo(0, 0);
      this.part("all-options").focus(); // it has another place now
    });
    const levels = /** @type {HTMLSelectElement} */ (this.part("level"));
    levels.append(
      ...BOT_LEVELS.map((level) =>
        choice(level, WORDS.bot(level), level === FROM_CLIENT.add_bot.defaults?.level),
      ),
    );
  }

  /** @returns {TableState} */
  get table() {
    return this.session.table;
  }

  /** The player's seat; null for a spectator. @returns {number | null} */
  get seat() {
    return this.session.seat;
  }

  /** Whether nobody else, not even a bot, has a seat yet. */
  get #isAlone() {
    const isBotComing = [...this.session.pending.values()].some(({ name }) => name === "add_bot");
    return (
      !isBotComing && [...this.table.seats.values()].every(({ seat, left }) => left || seat === this.seat)
    );
  }

  /** @param {string} name */
  part(name) {
    return /** @type {HTMLElement} */ (this.root.querySelector(`.${name}`));
  }

  /**
   * Add a line of chat.
   * @param {string} name
   * @param {string} text
   */
  addChat(name, text) {
    this.chat = [...this.chat, { name, text }].slice(-MAX_CHAT_LINES);
  }

  /** @param {any} session */
  draw(session) {
    this.session = session;
    const { table } = this;
    const isHost = this.seat !== null && table.host === this.seat && !session.ended;
    const seconds = session.ended ? 0 : table.secondsToDeal(session.clock());
    setText(this.root.querySelector(".next p"), seconds > 0 ? WORDS.nextDeal(seconds) : "");
    const facts = [
      table.code,
      table.seq,
      this.seat,
      session.watchers,
      session.isCaughtUp,
      session.ended,
      session.proof,
      this.showsAll,
      this.chat.length,
      colors, // which come later than the table, as do words
      Boolean(loaded.words),
    ];
    const drawn = JSON.stringify(facts);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#head();
    this.#players(isHost);
    this.#tally(isHost);
    this.#rules(isHost && table.isBetweenMatches);
    const own = table.seats.get(this.seat ?? -1);
    const ready = this.part("ready");
    // With nobody to wait for, one button is enough.
    const isLone = isHost && table.people.length === 1 && (table.seats.size > 1 || table.results.length > 0);
    const isTally = table.phase === "tally";
    ready.hidden = (isLone && !isTally) || !own || own.left || session.ended !== "";
    this.part("share").hidden = session.ended !== "";
    this.start.hidden = !session.ended;
    ready.setAttribute("aria-pressed", String(own?.ready ?? false));
    const ask = isTally ? WORDS.nextHand : table.phase === "over" ? WORDS.rematch : WORDS.ready;
    setText(ready, own?.ready ? WORDS.isReady : ask);
    this.part("say").hidden = !own || session.ended !== "";
    const deal = this.part("deal");
    deal.hidden = !isHost || (isLone && isTally);
    deal.classList.toggle("primary", isLone);
    const place = this.part(isLone ? "actions" : "top"); // one large button on a screen
    if (deal.parentElement !== place) place.append(deal);
    setText(deal, !isLone ? WORDS.dealNow : table.phase === "over" ? WORDS.rematch : WORDS.deal);
    this.part("bots").hidden = !isHost || !table.isBetweenMatches;
    this.part("chatlog").replaceChildren(
      ...this.chat.map(({ name, text }) => {
        const line = element("li");
        const said = element("bdi", "", text);
        said.removeAttribute("translate");
        line.append(element("bdi", "", name), document.createTextNode(": "), said);
        return line;
      }),
    );
    const notes = table.entryClosed ? [WORDS.locked] : [];
    if (session.watchers > 0) notes.push(WORDS.watching(session.watchers));
    setText(this.part("watching"), notes.join(" · "));
  }

  /** Whose table it is, its code, who went out, and how many are ready. */
  #head() {
    const { table } = this;
    const host = table.seats.get(table.host ?? -1);
    setText(this.part("whose"), host ? WORDS.tableOf(host.name) : WORDS.table);
    for (const code of /** @type {NodeListOf<HTMLElement>} */ (this.root.querySelectorAll(".code"))) {
      if (code.textContent === table.code) continue;
      const isShort = table.code.length <= MAX_CARDS;
      code.replaceChildren(
        ...(isShort ? [...table.code].map((each) => element("i", "", each)) : [table.code]),
      );
    }
    const here = [...table.seats.values()].filter(({ left }) => !left);
    const readyOf = loaded.words?.readyWords(table, here, this.seat) ?? "";
    const isLobby = table.phase === "lobby";
    const head = this.part("headline");
    setText(head, (isLobby && readyOf) || headline(table, this.seat));
    head.className = `headline ${table.phase === "over" ? seatClass(table.winners[0] ?? 0) : ""}`;
    const { out } = table.phase === "tally" ? table.results[table.results.length - 1] : { out: null };
    this.part("whom").replaceChildren(...(out === null ? [] : [token(out, table.nameOf(out))]));
    const free = table.places - here.length;
    setText(this.part("beside"), !isLobby ? readyOf : free > 0 ? WORDS.free(free) : "");
  }

  /**
   * What is played, in a sentence, and what differs; all of it on request.
   * @param {boolean} mayChange
   */
  #rules(mayChange) {
    const { table, games, command, showsAll } = this;
    const said = this.part("terms");
    const press = this.part("all-options");
    setText(press, showsAll ? WORDS.hideRules : mayChange ? WORDS.changeRules : WORDS.allRules);
    press.setAttribute("aria-expanded", String(showsAll));
    press.classList.toggle("primary", showsAll);
    this.root.classList.toggle("editing", showsAll);
    const place = this.part(showsAll ? "actions" : "rules");
    if (press.parentElement !== place) place.append(press);
    const tell = (/** @type {typeof import("./terms.js")} */ { terms, titleText }) => {
      setText(this.part("game"), titleText(table.options, games).replace(/ (\w+)$/, "\u00a0$1")); // "5 hands" in one line
      setText(said, terms(table.options, games, table.seats.size, table.knownDeal).join(" · "));
    };
    withModule("games", () => withModule("terms", tell, said), said);
    const options = this.part("options");
    const facts = { table, games, command, mayChange };
    const tellChanges = (/** @type {typeof import("./options.js")} */ { changeChips, newcomer }) => {
      this.part("changes").replaceChildren(...changeChips(facts));
      const told = table.phase === "lobby" ? JSON.stringify(table.options) : "";
      if (told !== this.#told)
        this.part("newcomer").replaceChildren(...(told ? [newcomer(table.options, games)] : []));
      this.#told = told;
    };
    whenLoaded("games", () => whenLoaded("options", tellChanges));
    const list = (/** @type {typeof import("./options.js")} */ { showOptions }) => {
      if (this.showsAll) showOptions(options, facts);
    };
    if (showsAll) withModule("games", () => withModule("options", list, options), options);
    else options.replaceChildren();
  }

  /** @param {boolean} isHost */
  #players(isHost) {
    const { table } = this;
    const seats = table.results.length > 0 ? [] : [...table.seats.values()]; // the tally lists them
    const rows = seats
      .sort((a, b) => a.seat - b.seat)
      .map((state) => {
        const row = element("li", `player ${seatClass(state.seat)}${state.seat === this.seat ? " me" : ""}`);
        const who = element("span", "who");
        who.append(markTeam(element("bdi", "name", state.name), state.team), this.#stateOf("span", state));
        const word = isReady(state) ? WORDS.isReadyNow : WORDS.notYet;
        if (!state.left) who.append(element("span", isReady(state) ? "tick" : "wait", word));
        row.append(token(state.seat, state.name), who, ...this.#menuOf(state, isHost));
        return row;
      });
    const free = seats.length ? Math.max(0, table.places - seats.filter(({ left }) => !left).length) : 0;
    const outlines = [...Array(free)].map(() => asIs(element("li", "free", WORDS.isFree)));
    for (const each of outlines) each.setAttribute("aria-hidden", "true"); // their number is told
    this.part("players").replaceChildren(...rows, ...outlines);
    const banned = table.banned.map((name) => {
      const row = element("li", "player banned");
      row.append(element("bdi", "name", name), element("span", "state", WORDS.removed));
      if (isHost) row.append(button(WORDS.unban, () => this.command("unban", { name })));
      return row;
    });
    this.part("players").append(...banned);
  }

  /**
   * The state of a player, with the handicap of the next deal.
   * @param {string} tag
   * @param {Seat} state
   */
  #stateOf(tag, state) {
    const { table } = this;
    const words = seatState(table, state, this.seat);
    const node = element(tag, "state", words);
    if (!state.left && (state.handicap.some(Boolean) || table.options.handicap === "auto")) {
      withModule(
        "handicaps",
        ({ handicapText }) =>
          setText(node, [words, handicapText(table, state.seat)].filter(Boolean).join(", ")),
        node,
      );
    }
    return node;
  }

  /**
   * What may be done about a player, oneself or as the host: a button.
   * @param {Seat} state
   * @param {boolean} isHost
   */
  #menuOf({ seat, name, bot, left, team }, isHost) {
    if (seat === this.seat && team !== null && this.table.isBetweenMatches)
      return [button(WORDS.teams, this.teams)];
    if (!isHost || seat === this.seat || left || (bot && !this.table.isBetweenMatches)) return [];
    return [button("⋯", () => this.manage(seat), WORDS.manage(name))];
  }

  /** @param {boolean} isHost */
  #tally(isHost) {
    const { table } = this;
    const section = this.part("tally");
    section.hidden = table.results.length === 0;
    for (const node of [this.root, this.part("main")]) node.classList.toggle("tallied", !section.hidden);
    const isOver = table.phase === "over" && !section.hidden;
    this.root.classList.toggle("over", isOver);
    for (const name of ["analyzed", "checked", "own"]) this.part(name).hidden = section.hidden;
    this.part("arc").hidden = !isOver;
    this.root.querySelector(".tonight")?.toggleAttribute("hidden", !isOver);
    this.part("after").hidden = table.phase !== "over" || table.results.length === 0;
    if (section.hidden) {
      this.part("analysis").replaceChildren();
      setText(this.part("proof"), "");
      return;
    }
    const caption = /** @type {HTMLElement} */ (section.querySelector("caption"));
    withModule(
      "results",
      ({ finish, outcome, ownPlace, proofSummary, tallyRows }) => {
        const rows = tallyRows(table, this.seat, (state) => [
          this.#stateOf("small", state),
          ...this.#menuOf(state, isHost),
        ]);
        section.querySelector("tbody")?.replaceChildren(...rows);
        const head = section.querySelector("th:nth-last-child(2)");
        setText(head, table.countsHands ? WORDS.handsWon : WORDS.total);
        setText(this.part("goal"), table.options.target === null ? "" : String(table.options.target));
        setText(caption, outcome(table));
        this.part("own").replaceChildren(...ownPlace(table, this.seat));
        if (isOver) finish(this.part("arc"), this.part("after"), table, this.seat);
        setText(this.root.querySelector(".checked summary"), proofSummary(this.session));
        if (this.#grown === table.results.length) return;
        this.#grown = table.results.length;
        section.classList.add("grows");
        setTimeout(() => section.classList.remove("grows"), GROW_MS);
      },
      caption,
    );
    this.analyze(this.part("analysis"));
    const { proof, isSound } = this.session;
    const checked = /** @type {HTMLDetailsElement} */ (this.part("checked"));
    checked.hidden = !proof;
    checked.open ||= Boolean(proof) && !isSound;
    setText(this.part("proof"), proof);
  }
}
