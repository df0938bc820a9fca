// The screen between hands: players, options and tally.

import { button, choice, element, markTeam, setText } from "../dom.js";
import { withModule } from "../lazy.js";
import { colorOf } from "../table/table_screen.js";
import { BOT_LEVELS, FROM_CLIENT } from "../wire/protocol.js";
import { headline, seatState, WORDS } from "../words.js";

/** @import { Seat, TableState } from "../rules/state.js" */

const MAX_CHAT_LINES = 30;

export class LobbyScreen {
  #drawn = "";

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
    this.part("add-bot").addEventListener("click", () => {
      const level = /** @type {HTMLSelectElement} */ (this.part("level")).value;
      this.command("add_bot", { level });
    });
    this.part("all-options").addEventListener("click", () => {
      this.showsAll = !this.showsAll;
      this.#drawn = "";
      this.draw(this.session);
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
    ];
    const drawn = JSON.stringify(facts);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    setText(this.part("code"), table.code);
    setText(this.part("headline"), headline(table, this.seat));
    this.#players(isHost);
    this.#tally(isHost);
    const { games, command, showsAll } = this;
    const mayChange = isHost && table.isBetweenMatches;
    setText(this.part("about"), games[table.options.game]?.text ?? "");
    setText(this.part("all-options"), showsAll ? WORDS.fewerOptions : WORDS.allOptions);
    const options = this.part("options");
    const show = (/** @type {typeof import("./options.js")} */ { optionRows }) =>
      options.replaceChildren(...optionRows({ table, games, command, mayChange, showsAll }));
    withModule("games", () => withModule("options", show, options), options);
    const own = table.seats.get(this.seat ?? -1);
    const ready = this.part("ready");
    // With nobody to wait for, one button is enough.
    const isLone = isHost && table.people.length === 1 && (table.seats.size > 1 || table.results.length > 0);
    const isTally = table.phase === "tally";
    ready.hidden = (isLone && !isTally) || !own || own.left || session.ended !== "";
    this.part("share").hidden = session.ended !== "";
    this.start.hidden = !session.ended;
    ready.setAttribute("aria-pressed", String(own?.ready ?? false));
    setText(ready, own?.ready ? WORDS.isReady : isTally ? WORDS.nextHand : WORDS.ready);
    const deal = this.part("deal");
    deal.hidden = !isHost || (isLone && isTally);
    deal.classList.toggle("primary", isLone);
    setText(deal, !isLone ? WORDS.dealNow : table.phase === "over" ? WORDS.newMatch : WORDS.deal);
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

  /** @param {boolean} isHost */
  #players(isHost) {
    const { table } = this;
    const seats = table.results.length > 0 ? [] : [...table.seats.values()]; // the tally lists them
    const rows = seats
      .sort((a, b) => a.seat - b.seat)
      .map((state) => {
        const row = element("li", "player");
        row.style.setProperty("--seat", colorOf(state.seat));
        row.append(
          markTeam(element("bdi", "name", state.name), state.team),
          this.#stateOf("span", state),
          ...this.#menuOf(state, isHost),
        );
        return row;
      });
    this.part("players").replaceChildren(...rows);
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
    if (!isHost || seat === this.seat || left) return [];
    if (!bot) return [button("⋯", () => this.manage(seat), WORDS.manage(name))];
    return this.table.isBetweenMatches
      ? [
          button(
            WORDS.remove,
            () => this.command("remove_bot", { seat }),
            WORDS.aboutWhom(WORDS.remove, name),
          ),
        ]
      : [];
  }

  /** @param {boolean} isHost */
  #tally(isHost) {
    const { table } = this;
    const section = this.part("tally");
    section.hidden = table.results.length === 0;
    this.root.classList.toggle("tallied", !section.hidden);
    this.part("after").hidden = table.phase !== "over" || table.results.length === 0;
    if (section.hidden) {
      this.part("analysis").replaceChildren();
      setText(this.part("proof"), "");
      return;
    }
    const caption = /** @type {HTMLElement} */ (section.querySelector("caption"));
    withModule(
      "results",
      ({ outcome, tallyRows }) => {
        const rows = tallyRows(table, this.seat, (state) => [
          this.#stateOf("small", state),
          ...this.#menuOf(state, isHost),
        ]);
        section.querySelector("tbody")?.replaceChildren(...rows);
        setText(section.querySelector("th:last-child"), table.countsHands ? WORDS.handsWon : WORDS.total);
        setText(caption, outcome(table));
      },
      caption,
    );
    this.analyze(this.part("analysis"));
    setText(this.part("proof"), this.session.proof);
  }
}
