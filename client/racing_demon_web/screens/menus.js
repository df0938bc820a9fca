// What sheets show: the menu, the invitation, help, the points so far, and what a host can do about somebody.

import { asIs, button, element } from "../dom.js";
import { withSound } from "../lazy.js";
import { change, settings } from "../storage.js";
import { COLUMNS, caps } from "../table/keyboard.js";
import { ONLY_HERE, plural, REACTIONS } from "../words.js";
import { drawQr, originForOthers } from "./dialog.js";

/** @import { Session } from "../wire/session.js" */

const HELP = [
  "Tap a card: it goes to a foundation if it fits there, and otherwise to another column. Tap the stock to turn it.",
  "Drag cards, or hold one down and then tap where it goes, to choose the place yourself. Flick a card up to send it to the foundations.",
  "The hand ends when somebody goes out, or when everybody is stuck. Each of your cards on the foundations scores a point; going out adds a bonus.",
];

/**
 * What the keys do, by what is on them; a key that is not known is called as on most keyboards.
 * @param {Map<string, string> | undefined} layout what the browser knows of the keyboard
 */
function keyHelp(layout) {
  /** @param {string} place */
  const cap = (place) =>
    caps.get(place) ?? layout?.get(place)?.toUpperCase() ?? (place === "Semicolon" ? ";" : place.slice(3));
  return `With a keyboard: ${COLUMNS.map(cap).join(" ")} play the columns, the row above sends their cards up, space turns the stock, ${cap("Semicolon")} plays the waste and ${cap("KeyP")} sends it up, ${cap("KeyV")} declares that you are stuck, ${cap("KeyB")} gives a hint, ? shows this.`;
}

export class Menus {
  #session;

  /**
   * @param {object} given
   * @param {() => Session | null} given.session
   * @param {import("./dialog.js").Dialog} given.dialog
   * @param {any} given.games
   * @param {(text: string) => void} given.announce
   * @param {() => void} given.leave
   * @param {() => void} given.redraw
   */
  constructor({ session, dialog, games, announce, leave, redraw }) {
    this.#session = session;
    this.dialog = dialog;
    this.games = games;
    this.announce = announce;
    this.leave = leave;
    this.redraw = redraw;
  }

  get session() {
    return this.#session();
  }

  menu() {
    const { session } = this;
    const items = [];
    const isHost = session !== null && session.seat !== null && session.table.host === session.seat;
    if (session && session.seat !== null) {
      const bar = element("div", "reactions");
      bar.append(
        ...Object.entries(REACTIONS).map(([reaction, text]) =>
          button(text, () => this.send("react", { reaction })),
        ),
      );
      items.push(bar, this.#chatLine());
    }
    if (isHost && !session.table.isBetweenMatches) {
      const { paused } = session.table;
      items.push(
        button(paused ? "Continue the hand" : "Pause the hand", () =>
          this.send("pause", { paused: !paused, seen: session.table.seq }),
        ),
      );
    }
    if (session?.table.results.length) items.push(button("Tally", () => this.#tally()));
    items.push(...this.#toggles());
    if (session)
      items.push(
        button("How to play", () => this.help()),
        button("Invite others", () => this.invite()),
        button("Leave the table", this.leave),
      );
    this.dialog.open("Menu", items);
  }

  /**
   * @param {string} name
   * @param {any} [fields]
   */
  send(name, fields) {
    this.session?.command(name, fields);
    this.dialog.close();
  }

  /**
   * What a host can do about somebody.
   * @param {number} seat
   */
  manage(seat) {
    const { table } = /** @type {Session} */ (this.session);
    const state = table.seats.get(seat);
    if (!state) return;
    const { name, muted, connected } = state;
    /**
     * @param {string} text
     * @param {string} command
     * @param {object} [fields]
     */
    const act = (text, command, fields = {}) =>
      button(text, () => this.send(command, { seat, ...fields }), `${text}: ${name}`);
    const acts = [act(muted ? "Unmute" : "Mute", "mute", { muted: !muted })];
    if (connected) acts.push(act("Make host", "make_host"));
    else if (!table.isBetweenMatches) acts.push(act("Let a bot play", "stand_in"));
    const text = "Nobody with this name can come back before the match is over, unless you let them.";
    acts.push(
      button(
        "Kick",
        () =>
          this.dialog.ask(`Kick ${name} from the table?`, text, "Kick", () => this.send("kick", { seat })),
        `Kick ${name}`,
      ),
    );
    this.dialog.open(name, acts);
  }

  #chatLine() {
    const form = document.createElement("form");
    form.className = "chat";
    const line = document.createElement("input");
    line.maxLength = 200;
    line.placeholder = "Say something";
    line.setAttribute("aria-label", "Say something to the table");
    const say = button("Say", () => undefined);
    say.type = "submit";
    form.append(line, say);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (line.value.trim()) this.send("say", { text: line.value.trim() });
    });
    return form;
  }

  /** The points so far, while a hand is played. */
  #tally() {
    const { table } = /** @type {Session} */ (this.session);
    const list = element("ol", "totals");
    list.append(
      ...table.totals().map(([seat, total]) => {
        const row = element("li");
        row.append(element("bdi", "", table.nameOf(seat)), document.createTextNode(`: ${total}`));
        return row;
      }),
    );
    this.dialog.open(`After ${table.results.length} of ${plural(table.options.hands, "hand")}`, [list]);
  }

  #toggles() {
    /**
     * @param {"isFourColor" | "isLarge" | "isLeftHanded" | "hasSound" | "hasFastTaps" | "hasText"} name
     * @param {string} text
     */
    const toggle = (name, text) => {
      const node = button(text, () => {
        change({ [name]: !settings[name] });
        node.setAttribute("aria-pressed", String(settings[name]));
        if (name === "hasSound") withSound((part) => part.unlock());
        this.redraw();
      });
      node.className = "toggle";
      node.setAttribute("aria-pressed", String(settings[name]));
      return node;
    };
    const themes = ["auto", "dark", "light", "contrast"];
    const names = ["as the device", "dark", "light", "high contrast"];
    const words = () => `Colors: ${names[themes.indexOf(settings.theme)]}`;
    const theme = button(words(), () => {
      change({ theme: themes[(themes.indexOf(settings.theme) + 1) % themes.length] });
      theme.textContent = words();
    });
    return [
      theme,
      toggle("isFourColor", "Four suit colors"),
      toggle("isLarge", "Large numbers on cards"),
      toggle("isLeftHanded", "Left-handed"),
      toggle("hasFastTaps", "Fast taps: play as soon as you touch a card"),
      toggle("hasSound", "Sounds"),
      toggle("hasText", "Show the table as text"),
    ];
  }

  async help() {
    const { session } = this;
    const { text } = session ? this.games[session.table.options.game] : { text: "" };
    const layout = await /** @type {any} */ (navigator).keyboard?.getLayoutMap().catch(() => undefined);
    const lines = [text, HELP[0], HELP[1], keyHelp(layout), HELP[2]].filter(Boolean);
    if (session?.table.handSeats.length === 1)
      lines.push(
        `Alone you may ask for hints. Undo, named deals and statistics are in the terminal: racing-demon solo ${session.table.options.game}`,
      );
    this.dialog.open(
      "How to play",
      lines.map((line) => element("p", "", line)),
    );
  }

  async invite() {
    const code = this.session?.table.code ?? "";
    const origin = await originForOthers();
    if (origin === null) return this.dialog.open("Join this table", [element("p", "", ONLY_HERE)]);
    const address = `${origin}/${code}`;
    const picture = document.createElement("img");
    drawQr(picture, origin, code);
    const items = [
      asIs(element("p", "address", address)),
      picture,
      button("Copy the link", () => this.#copy(address)),
    ];
    // Only pages that came over https may hand a link to other programs.
    if (typeof navigator.share === "function") {
      items.push(
        button("Share the link", () =>
          navigator.share({ title: "Racing Demon", url: address }).catch(() => undefined),
        ),
      );
    }
    this.dialog.open("Join this table", items);
  }

  /** @param {string} text */
  #copy(text) {
    const line = document.createElement("textarea");
    line.value = text;
    /** @type {HTMLElement} */ (document.getElementById("sheet")).append(line);
    line.select();
    const isCopied = document.execCommand("copy"); // the clipboard's own interface needs https
    line.remove();
    this.announce(isCopied ? "Link copied." : text);
  }
}
