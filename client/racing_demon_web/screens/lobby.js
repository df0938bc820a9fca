// Between hands: who sits at the table, the options, and the tally.

import { button, choice, element, setText } from "../dom.js";
import { withModule } from "../lazy.js";
import { colorOf } from "../table/table_screen.js";
import { clock, inWords, LEVELS, namesOf } from "../words.js";

/** @import { Seat, TableState } from "../rules/state.js" */

const MAX_CHAT_LINES = 30;

export class Lobby {
  #drawn = "";

  /**
   * @param {HTMLElement} root
   * @param {object} given
   * @param {any} given.games
   * @param {(name: string, fields?: any) => void} given.command
   * @param {() => void} given.share shows how others join
   * @param {(seat: number) => void} given.manage shows what a host can do about somebody
   * @param {(title: string, text: string, yes: string, act: () => void) => void} given.ask
   * @param {(list: HTMLElement) => void} given.analyze tells what the hand has come to
   * @param {() => void} given.watchAgain plays the match again
   * @param {() => void} given.leave shows the first screen
   */
  constructor(root, { games, command, share, manage, ask, analyze, watchAgain, leave }) {
    this.root = root;
    this.games = games;
    this.command = command;
    this.manage = manage;
    this.ask = ask;
    this.analyze = analyze;
    this.again = button("Watch the match again", watchAgain);
    this.start = button("To the first screen", leave);
    this.part("after").append(this.again, this.start);
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
      if (isBetweenMatches && game.seats[1] > 1 && this.#isAlone)
        this.ask(
          "Nobody else is here yet",
          "Deal for yourself alone? Undo, named deals and statistics are in the terminal: racing-demon solo.",
          "Deal for me alone",
          deal,
        );
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
    levels.append(...LEVELS.map((level) => choice(level, `${level} bot`, level === "medium")));
  }

  /** @returns {TableState} */
  get table() {
    return this.session.table;
  }

  /** The own seat; null for a spectator. @returns {number | null} */
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
   * Note what somebody has said.
   * @param {string} name
   * @param {string} text
   */
  hear(name, text) {
    this.chat = [...this.chat, { name, text }].slice(-MAX_CHAT_LINES);
  }

  /** @param {any} session */
  draw(session) {
    this.session = session;
    const { table } = this;
    const isHost = this.seat !== null && table.host === this.seat && !session.ended;
    const seconds = session.ended ? 0 : table.secondsToDeal(session.clock());
    setText(
      this.root.querySelector(".next p"),
      seconds > 0 ? `Next deal in ${seconds < 60 ? `${seconds} s` : clock(seconds * 1000)}` : "",
    );
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
    setText(this.part("all-options"), showsAll ? "Fewer options" : "All options");
    const options = this.part("options");
    withModule(
      "options",
      ({ optionRows }) =>
        options.replaceChildren(...optionRows({ table, games, command, mayChange, showsAll })),
      options,
    );
    const own = table.seats.get(this.seat ?? -1);
    const ready = this.part("ready");
    // Nobody has to be waited for: one button is enough.
    const isLone = isHost && table.people.length === 1 && (table.seats.size > 1 || table.results.length > 0);
    const isTally = table.phase === "tally";
    ready.hidden = (isLone && !isTally) || !own || own.left || session.ended !== "";
    this.part("share").hidden = session.ended !== "";
    this.start.hidden = !session.ended;
    ready.setAttribute("aria-pressed", String(own?.ready ?? false));
    setText(ready, own?.ready ? "Ready ✓" : isTally ? "Next hand" : "I am ready");
    const deal = this.part("deal");
    deal.hidden = !isHost || (isLone && isTally);
    deal.classList.toggle("primary", isLone);
    setText(deal, !isLone ? "Deal now" : table.phase === "over" ? "New match" : "Deal");
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
    setText(this.part("watching"), session.watchers > 0 ? `${session.watchers} watching` : "");
  }

  /** @param {boolean} isHost */
  #players(isHost) {
    const { table } = this;
    const seats = table.results.length > 0 ? [] : [...table.seats.values()]; // the tally names them
    const rows = seats
      .sort((a, b) => a.seat - b.seat)
      .map((state) => {
        const row = element("li", "player");
        row.style.setProperty("--seat", colorOf(state.seat));
        row.append(
          element("bdi", "name", state.name),
          element("span", "state", stateOf(table, state, this.seat)),
          ...this.#menuOf(state, isHost),
        );
        return row;
      });
    this.part("players").replaceChildren(...rows);
    const banned = table.banned.map((name) => {
      const row = element("li", "player banned");
      row.append(element("bdi", "name", name), element("span", "state", "removed"));
      if (isHost) row.append(button("Let back in", () => this.command("unban", { name })));
      return row;
    });
    this.part("players").append(...banned);
  }

  /**
   * A button for what a host can do about somebody; none where that is nothing.
   * @param {Seat} state
   * @param {boolean} isHost
   */
  #menuOf({ seat, name, bot, left }, isHost) {
    if (!isHost || seat === this.seat || left) return [];
    if (!bot) return [button("⋯", () => this.manage(seat), `What to do about ${name}`)];
    return this.table.isBetweenMatches
      ? [button("Remove", () => this.command("remove_bot", { seat }), `Remove: ${name}`)]
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
      ({ outcome, tallyRow }) => {
        const rows = table.totals().map(([seat, total], at) => {
          const state = table.seats.get(seat);
          const words = state
            ? [element("small", "state", stateOf(table, state, this.seat)), ...this.#menuOf(state, isHost)]
            : [element("small", "state", "left")];
          const row = tallyRow(table, seat, `${at + 1}`, total, words);
          row.classList.toggle("own", seat === this.seat);
          return row;
        });
        section.querySelector("tbody")?.replaceChildren(...rows);
        setText(caption, outcome(table));
      },
      caption,
    );
    this.analyze(this.part("analysis"));
    setText(this.part("proof"), this.session.proof);
  }
}

/**
 * @param {TableState} table
 * @param {number | null} seat
 */
function headline(table, seat) {
  if (table.phase === "shuffling") return "Shuffling…";
  if (table.phase === "tally") return `Hand ${table.handNumber} of ${table.options.hands}`;
  if (table.phase === "over") {
    const names = namesOf(table, table.winners, seat);
    if (names.length === 0 || table.totals().length === 1) return "The match is over"; // alone nobody is beaten
    return names.length === 1 && names[0] === "You"
      ? "You won the match!"
      : `${inWords(names)} won the match`;
  }
  return "Waiting for players";
}

/**
 * @param {TableState} table
 * @param {Seat} state
 * @param {number | null} own
 */
function stateOf(table, state, own) {
  const words = [];
  if (state.seat === own) words.push("you");
  if (state.seat === table.host) words.push("host");
  if (state.bot) words.push(`${state.bot} bot`);
  else if (state.left) words.push("left");
  else if (!state.connected) words.push(state.standIn ? `${state.standIn} bot plays` : "connection lost");
  else if (state.ready) words.push("ready");
  if (state.muted) words.push("muted");
  return words.join(", ");
}
