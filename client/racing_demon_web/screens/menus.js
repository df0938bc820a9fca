// What dialogs show: menu, invitation, help, tally, and a host's commands for a player.

import { asIs, button, byId, element, markTeam } from "../dom.js";
import { withSound } from "../lazy.js";
import { BASE, pathOf } from "../links.js";
import { seatColors } from "../rules/colors.js";
import { teamsOf, teamTotals } from "../rules/teams.js";
import { changeSettings, keepSeat, settings } from "../storage.js";
import { DEFAULTS } from "../wire/presets.js";
import { LIMITS, REACTIONS, SHORT } from "../wire/protocol.js";
import "../wire/requests_of_menus.js";
import { teamText, WORDS } from "../words.js";
import { COLORS, LATER, THEMES } from "../words_later.js";
import { guideOf } from "./guide.js";
import { handicapRows } from "./handicaps.js";
import { addressForOthers, showQr } from "./invitation.js";
import { toldOf } from "./options.js";
import { MAX_TITLE, savePreset } from "./saved_presets.js";
import { openTables } from "./tables.js";
import { teamRows } from "./teams.js";

/** @import { Session } from "../wire/session.js" */

/**
 * The link that takes a seat along. Its token is in the fragment, too.
 * @param {string} link to the table
 * @param {string} token
 */
const seatLink = (link, token) => `${link}${link.includes("#") ? "," : "#"}seat=${token}`;

/**
 * The invitation to a table over the internet, from a server that has a tunnel, if this page is in the room; or null.
 * @param {string} code
 * @returns {Promise<{link: string | null, trouble: string, counts_as_one: boolean} | null>}
 */
async function internetInvitation(code) {
  const answer = code < "A" ? null : await fetch(`${BASE}/internet/${code}.json`).catch(() => null);
  return answer?.ok ? answer.json().catch(() => null) : null;
}

/**
 * A form with one line of text, and a button.
 * @param {{hint: string, label: string, action: string}} words
 * @param {number} limit of the text's length
 * @param {(text: string, line: HTMLInputElement) => void} submit
 */
function lineForm({ hint, label, action }, limit, submit) {
  const form = document.createElement("form");
  form.className = "chat";
  const line = document.createElement("input");
  line.maxLength = limit;
  line.placeholder = hint;
  line.setAttribute("aria-label", label);
  const press = button(action, () => undefined);
  press.type = "submit";
  form.append(line, press);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(line.value.trim(), line);
  });
  return form;
}

/**
 * A button that opens another page, and shows it.
 * @param {string} text
 * @param {() => void} press
 */
function opener(text, press) {
  const node = button(text, press);
  node.className = "opens";
  return node;
}

/** Whether somebody is the table's host; a big screen has no seat. @param {Session} session */
const isHostOf = ({ table, seat, token }) => token !== null && table.host === seat;

/**
 * Buttons below a heading; nothing without any.
 * @param {string} title
 * @param {HTMLElement[]} items
 */
function menuGroup(title, items) {
  if (items.length === 0) return [];
  const rows = element("div", "group");
  rows.append(...items);
  return [element("h3", "", title), rows];
}

export class Menus {
  #session;

  /**
   * @param {object} options
   * @param {() => Session | null} options.session
   * @param {import("./dialog.js").Dialog} options.dialog
   * @param {any} options.games
   * @param {(text: string) => void} options.announce
   * @param {() => void} options.leave
   * @param {() => void} options.redraw
   * @param {(path: string) => void} options.go shows a page
   */
  constructor({ session, dialog, games, announce, leave, redraw, go }) {
    this.#session = session;
    this.dialog = dialog;
    this.games = games;
    this.announce = announce;
    this.leave = leave;
    this.redraw = redraw;
    this.go = go;
  }

  get session() {
    return this.#session();
  }

  /** Everything that is not on the table itself, in groups: the table with its end, oneself, the host, looks. */
  menu() {
    const { session } = this;
    this.dialog.open(WORDS.menu, [
      ...(document.body.dataset.screen === "table" ? [] : this.#speech()), // at the table it has a button
      ...(session ? menuGroup(WORDS.table, this.#aboutTable(session)) : []),
      ...(session ? menuGroup(LATER.you, this.#aboutSelf(session)) : []),
      ...(session && isHostOf(session) ? menuGroup(LATER.asHost, this.#forHost(session)) : []),
      ...menuGroup(LATER.looks, this.#toggles()),
    ]);
  }

  /** What can be said while cards are played, by itself. */
  speech() {
    this.dialog.open(WORDS.sayToTable, this.#speech());
  }

  #speech() {
    if (this.session?.seat == null) return [];
    const bar = element("div", "reactions");
    bar.append(
      ...Object.entries(REACTIONS).map(([reaction, text]) =>
        button(text, () => this.send("react", { reaction })),
      ),
    );
    return [bar, this.#chatLine()];
  }

  /**
   * What anybody may want in the middle of a hand, first; a host's pause stands above all.
   * @param {Session} session
   */
  #aboutTable(session) {
    const { table } = session;
    const items = [opener(LATER.invite, () => this.invite()), opener(WORDS.howToPlay, () => this.help())];
    if (isHostOf(session) && (table.isPlaying || table.paused)) {
      const { paused } = table;
      items.unshift(
        button(paused ? LATER.continueHand : LATER.pauseHand, () =>
          this.send("pause", { paused: !paused, seen: table.seq }),
        ),
      );
    }
    if (table.results.length) items.push(opener(LATER.tally, () => this.#tally()));
    if (table.isBetweenMatches) items.push(opener(LATER.savePreset, () => this.#savePreset(table.options)));
    items.push(
      opener(LATER.report, () => this.#report(session)),
      button(WORDS.leave, this.leave),
    );
    return items;
  }

  /**
   * What a host alone decides: who comes in, who watches, and when the match ends.
   * @param {Session} session
   */
  #forHost(session) {
    const { code, entryClosed, isBetweenMatches, lastHand, lateStart, options, seq: seen } = session.table;
    const items = [
      button(entryClosed ? LATER.unlockTable : LATER.lockTable, () =>
        this.send("close_entry", { closed: !entryClosed }),
      ),
      this.#listButton(code),
    ];
    if (options.teams === null)
      items.push(
        button(lateStart ? LATER.lateZero : LATER.lateLowest, () =>
          this.send("set_late_start", { lowest: !lateStart }),
        ),
      );
    if (options.spectators) items.push(opener(LATER.spectators, () => this.#askForSpectators(session)));
    if (isBetweenMatches) return items;
    return [
      ...items,
      button(lastHand ? LATER.noLastHand : LATER.lastHand, () =>
        this.send("set_last_hand", { last: !lastHand, seen }),
      ),
      button(LATER.endMatch, () =>
        this.dialog.ask(LATER.endMatch, LATER.endMatchText, LATER.endIt, () =>
          this.send("end_match", { seen }),
        ),
      ),
    ];
  }

  /**
   * What a player sets for their own seat.
   * @param {Session} session
   */
  #aboutSelf({ table, seat }) {
    if (seat === null) return [];
    const items = [
      opener(LATER.nameAndColor, () => this.#appearance()),
      opener(LATER.ownDevices, () => this.#visit("/you")),
    ];
    if (!table.isPlaying && table.phase !== "shuffling")
      items.push(opener(LATER.handicaps, () => this.#handicaps()));
    if (table.options.teams && table.isBetweenMatches) items.push(opener(WORDS.teams, () => this.teams()));
    return items;
  }

  /**
   * @param {string} name
   * @param {any} [fields]
   */
  send(name, fields) {
    this.session?.command(name, fields);
    this.dialog.close();
  }

  /** Show a page; the table goes on below it. @param {string} path */
  #visit(path) {
    this.dialog.close();
    this.go(path);
  }

  /**
   * Show the host's commands for a player.
   * @param {number} seat
   */
  manage(seat) {
    const { table } = /** @type {Session} */ (this.session);
    const state = table.seats.get(seat);
    if (!state) return;
    const { name, bot, muted, connected } = state;
    /**
     * @param {string} text
     * @param {string} command
     * @param {object} [fields]
     */
    const act = (text, command, fields = {}) =>
      button(text, () => this.send(command, { seat, ...fields }), LATER.aboutWhom(text, name));
    if (bot) return this.dialog.open(name, [act(LATER.removeBot, "remove_bot")]);
    const acts = [act(muted ? LATER.unmute : LATER.mute, "mute", { muted: !muted })];
    if (connected) acts.push(act(LATER.makeHost, "make_host"));
    else if (!table.isBetweenMatches) acts.push(act(LATER.standIn, "stand_in"));
    acts.push(
      button(
        LATER.kick,
        () =>
          this.dialog.ask(LATER.kickTitle(name), LATER.kickText, LATER.kick, () =>
            this.send("kick", { seat }),
          ),
        LATER.kickWhom(name),
      ),
    );
    this.dialog.open(name, acts);
  }

  /**
   * Ask what there is to report to whoever runs the server, and about whom.
   * @param {Session} session
   */
  #report(session) {
    const whom = document.createElement("select");
    whom.setAttribute("aria-label", LATER.reportWhom);
    whom.append(new Option(LATER.theTable, ""));
    for (const [seat, { name, bot, left }] of session.table.seats)
      if (!bot && !left && seat !== session.seat) whom.append(new Option(name, String(seat)));
    const words = { hint: LATER.whatHappened, label: LATER.whatHappened, action: LATER.sendReport };
    const form = lineForm(words, LIMITS.report, (text, line) => {
      if (!text) return line.focus();
      this.send("report", { text, seat: whom.value === "" ? null : Number(whom.value) });
      this.announce(LATER.reported);
    });
    this.dialog.open(LATER.report, [element("p", "", LATER.reportText), whom, form]);
  }

  /**
   * The button that puts a table into the lists; hidden if it is there.
   * @param {string} code
   */
  #listButton(code) {
    const node = button(LATER.listTable, () => {
      // Said once the server has done it: it may refuse.
      this.session?.command("list_table", {}, () => this.announce(LATER.listed));
      this.dialog.close();
    });
    node.hidden = true;
    openTables().then((tables) => {
      node.hidden = tables.some((each) => each.code === code);
    });
    return node;
  }

  /**
   * Show who watches, once the server has said it, and let them be removed.
   * @param {Session} session
   */
  #askForSpectators(session) {
    session.showSpectators = (spectators) => {
      const rows = spectators.map(([spectator, seconds, people = 1]) => {
        const text = LATER.spectator(spectator, seconds, people);
        const remove = () => session.command("remove_spectator", { spectator });
        const row = element("p", "", `${text} `);
        row.append(button(LATER.removeIt, remove, LATER.aboutWhom(LATER.removeIt, text)));
        return row;
      });
      const note = element("p", "", rows.length ? LATER.removedFor : LATER.nobodyWatches);
      this.dialog.open(LATER.spectators, [...rows, note]);
    };
    session.command("list_spectators", {});
  }

  /**
   * Save a table's options on this device, under a title.
   * @param {Record<string, any>} options
   */
  #savePreset(options) {
    const words = { hint: LATER.presetTitle, label: LATER.presetTitle, action: LATER.save };
    const form = lineForm(words, MAX_TITLE, (title, line) => {
      if (!title) return line.focus();
      const isStored = savePreset(title, options);
      this.dialog.close();
      this.announce(isStored ? LATER.presetSaved(title) : LATER.lastsUntilClosed(`${title} is`));
      this.redraw();
    });
    this.dialog.open(LATER.savePreset, [element("p", "", LATER.saveText), form]);
  }

  #chatLine() {
    const words = { hint: LATER.saySomething, label: WORDS.sayToTable, action: WORDS.say };
    return lineForm(words, LIMITS.chat, (text) => {
      if (text) this.send("say", { text });
    });
  }

  /** Let a player choose another name and another colour. */
  #appearance() {
    const { table, seat, token } = /** @type {Session} */ (this.session);
    const own = table.seats.get(seat ?? -1);
    if (!own) return;
    const colors = seatColors(table.seats);
    const owners = new Map([...colors].map(([who, color]) => [color, table.nameOf(who)]));
    const form = element("form", "appearance");
    const label = element("label", "", WORDS.yourName);
    const name = document.createElement("input");
    name.maxLength = LIMITS.name;
    name.value = own.name;
    label.append(name);
    const choices = element("div", "colors");
    choices.setAttribute("role", "radiogroup");
    choices.setAttribute("aria-label", LATER.yourColor);
    choices.append(
      ...COLORS.map((title, color) => {
        const choice = element("label", `p${color + 1}`);
        const radio = document.createElement("input");
        Object.assign(radio, { type: "radio", name: "color", value: String(color) });
        radio.checked = colors.get(own.seat) === color;
        radio.disabled = owners.has(color) && !radio.checked;
        radio.setAttribute("aria-label", radio.disabled ? `${title}: ${owners.get(color)}` : title);
        choice.append(
          radio,
          asIs(element("i", "token", [...(owners.get(color) ?? own.name)][0]?.toUpperCase())),
        );
        choice.lastElementChild?.classList.add(`p${color + 1}`);
        return choice;
      }),
    );
    const save = button(LATER.save, () => undefined);
    Object.assign(save, { type: "submit", className: "primary", disabled: !table.isBetweenMatches });
    form.append(label, choices, save);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const chosen = /** @type {HTMLInputElement | null} */ (choices.querySelector(":checked"));
      const wanted = { name: name.value.trim(), color: Number(chosen?.value ?? colors.get(own.seat)) };
      if (!wanted.name) return name.focus();
      this.session?.command("set_appearance", wanted, () => {
        const said = table.nameOf(own.seat); // as the server has cleaned it
        if (token) keepSeat(table.code, token, said);
        changeSettings({ name: said });
      });
      this.dialog.close();
    });
    const note = table.isBetweenMatches ? [] : [element("p", "soft", LATER.betweenMatches)];
    this.dialog.open(LATER.nameAndColor, [...note, form]);
  }

  /** Show who plays for which team, and let that be changed. */
  teams() {
    const { table, seat } = /** @type {Session} */ (this.session);
    const command = (/** @type {string} */ name, /** @type {any} */ fields) =>
      this.session?.command(name, fields);
    this.dialog.open(WORDS.teams, teamRows(table, seat, command));
  }

  #handicaps() {
    const { table, seat } = /** @type {Session} */ (this.session);
    const command = (/** @type {string} */ name, /** @type {any} */ fields) =>
      this.session?.command(name, fields);
    this.dialog.open(LATER.handicaps, handicapRows(table, seat, command));
  }

  /** Show the totals so far. */
  #tally() {
    const { table } = /** @type {Session} */ (this.session);
    const list = element("ol", "totals");
    const teams = teamsOf(table);
    list.append(
      ...teamTotals(table).map(([team, total]) => element("li", "", `${teamText(team)}: ${total}`)),
      ...table.totals().map(([seat, total]) => {
        const row = element("li");
        const name = markTeam(element("bdi", "", table.nameOf(seat)), teams.get(seat));
        row.append(name, document.createTextNode(`: ${total}`));
        return row;
      }),
    );
    this.dialog.open(LATER.afterHands(table.results.length), [list]);
  }

  #toggles() {
    /**
     * @param {"isFourColor" | "isLarge" | "isLeftHanded" | "hasSound" | "hasFastTaps" | "hasText"} name
     * @param {string} text
     */
    const toggle = (name, text) => {
      const node = button(text, () => {
        changeSettings({ [name]: !settings[name] });
        node.setAttribute("aria-pressed", String(settings[name]));
        if (name === "hasSound") withSound((part) => part.unlock());
        this.redraw();
      });
      node.className = "toggle";
      node.setAttribute("aria-pressed", String(settings[name]));
      return node;
    };
    const themes = Object.keys(THEMES);
    const words = () => LATER.colors(THEMES[settings.theme]);
    const theme = button(words(), () => {
      changeSettings({ theme: themes[(themes.indexOf(settings.theme) + 1) % themes.length] });
      theme.textContent = words();
    });
    return [
      theme,
      toggle("isFourColor", LATER.fourColors),
      toggle("isLarge", LATER.largeNumbers),
      toggle("isLeftHanded", LATER.leftHanded),
      toggle("hasFastTaps", LATER.fastTaps),
      toggle("hasSound", LATER.sounds),
      toggle("hasText", LATER.asText),
    ];
  }

  /** Show how to play what is on the table, or what Play now would deal. */
  async help() {
    const { session } = this;
    const options = session?.table.options ?? { ...DEFAULTS, ...SHORT };
    const parts = await guideOf(options, toldOf(options, this.games));
    if (session?.table.handSeats.length === 1)
      parts.push(element("p", "", LATER.soloHelp(session.table.options.game)));
    this.dialog.open(WORDS.howToPlay, parts);
  }

  async invite() {
    const code = this.session?.table.code ?? "";
    const { origin, tunnel } = await addressForOthers();
    const invitation = tunnel ? await internetInvitation(code) : null;
    this.dialog.open(LATER.joinThis, [
      ...(invitation ? [element("h3", "", LATER.inThisRoom)] : []),
      ...this.#inRoom(origin, code),
      ...(invitation ? this.#overInternet(invitation, code) : []),
    ]);
  }

  /**
   * @param {string | null} origin at which others reach the server; null: none
   * @param {string} code
   */
  #inRoom(origin, code) {
    if (origin === null) return [element("p", "", LATER.onlyHere)];
    const picture = document.createElement("img");
    showQr(picture, origin, code);
    return this.#invitation(`${origin}${pathOf(code)}`, picture);
  }

  /**
   * A link to the table, its picture, and what can be done with it.
   * @param {string} address
   * @param {HTMLImageElement} picture
   */
  #invitation(address, picture) {
    return [
      asIs(element("p", "address", address)),
      picture,
      button(LATER.copyLink, () => this.#copy(address)),
      ...this.#shareButton(address),
      ...(this.session?.token ? [button(LATER.goOnElsewhere, () => this.#handOver(address))] : []),
    ];
  }

  /**
   * @param {{link: string | null, trouble: string, counts_as_one: boolean}} invitation
   * @param {string} code
   */
  #overInternet({ link, trouble, counts_as_one }, code) {
    const title = element("h3", "", LATER.overInternet);
    if (link === null) return [title, element("p", "", trouble)];
    const picture = document.createElement("img");
    picture.src = `${BASE}/internet/${code}.svg?${link.split("#")[0]}`; // so that a new address loads another image
    picture.alt = LATER.internetCode;
    picture.className = "qr";
    const note = counts_as_one ? [element("p", "", LATER.countsAsOne)] : [];
    return [title, ...this.#invitation(link, picture), ...note];
  }

  /**
   * Offer a link that takes the player's seat along.
   * @param {string} address of the table
   */
  #handOver(address) {
    const link = seatLink(address, this.session?.token ?? "");
    this.dialog.open(LATER.goOnElsewhere, [
      element("p", "", LATER.seatLink),
      button(LATER.copyLink, () => this.#copy(link)),
      ...this.#shareButton(link),
    ]);
  }

  /**
   * The button that shares a link. Browsers allow that over https only.
   * @param {string} url
   */
  #shareButton(url) {
    if (typeof navigator.share !== "function") return [];
    const share = () => navigator.share({ title: WORDS.title, url }).catch(() => undefined);
    return [button(LATER.shareLink, share)];
  }

  /** @param {string} text */
  #copy(text) {
    const line = document.createElement("textarea");
    line.value = text;
    byId("sheet").append(line);
    line.select();
    const isCopied = document.execCommand("copy"); // navigator.clipboard needs https
    line.remove();
    this.announce(isCopied ? LATER.linkCopied : text);
  }
}
