// Pages of results: standings, matches, and a match with its replay. The server's are described in the wire's document.

import { asIs, button, byId, choice, colorOf, element, inColorsOf, markTeam } from "../dom.js";
import { BASE, pathOf } from "../links.js";
import { placesOf } from "../rules/places.js";
import { changeSettings, isSameName, read, settings, tokenOf, write } from "../storage.js";
import {
  askAs,
  canRemember,
  forget,
  isLasting,
  keptPeople,
  knownPeople,
  Person,
  personCalled,
  rememberHere,
} from "../wire/person.js";
import { PRESETS } from "../wire/presets.js";
import { LIMITS } from "../wire/protocol.js";
import { fetchRecord, fetchText, optionsOf, recordPath, verifyRecord } from "../wire/records.js";
import { clock, WORDS } from "../words.js";
import { dateAndTime, dateText, LATER, MOMENTS, signed, titleWords } from "../words_later.js";
import { addressForOthers } from "./invitation.js";
import { momentList, placeOf, titleList } from "./moments.js";
import { qrPicture } from "./qr.js";
import { beginOfEvening, matchLine, ownEvenings, ownSummary, resultRows } from "./results.js";
import { openTables } from "./tables.js";

/**
 * @typedef {{link: string, code: string, at: number, game: string, players: string[],
 *   casual?: boolean}} KeptMatch
 * @typedef {{name: string, bot: string, player: string, matches: number, wins: number, hands: number, points: number, races_won?: number, rating: number | null,
 *   provisional: boolean | null, form: number[], met_ms?: number | null}} StandingsRow
 * @typedef {{seat: number, name: string, bot?: string, team?: number | null, left?: boolean,
 *   color?: number | null}} MatchPlayer
 * @typedef {{hand: number, reason: string, out: number | null, elapsed_ms: number, points: Record<string, number>,
 *   races: [number, number, number, number | null][]}} MatchHand
 */

const MAX_MATCHES = 200; // that a device remembers
const TRIES = 20; // for the link of a match: its result is made after its last event
const AGAIN_MS = 1000;
const TONIGHT = "tonight";
const SEASONS = [TONIGHT, "week", "month", "year", ""];
const PICTURE = { width: 1200, height: 630, margin: 70 };

/** @returns {KeptMatch[]} the matches that this device has played, the oldest first */
const keptMatches = () => {
  const kept = read("matches");
  return Array.isArray(kept) ? kept.filter((each) => typeof each?.link === "string") : [];
};

/**
 * Fetch JSON from this server.
 * @param {string} path
 * @param {string | null} [token] of a seat
 * @returns {Promise<any>} null if there is nothing to see
 */
async function ask(path, token = null) {
  try {
    return JSON.parse(await fetchText(path, token));
  } catch {
    return null;
  }
}

/** The token of a player of this device; empty until somebody needs it. */
let playerToken = "";

/**
 * Fetch JSON that perhaps only players may see: as whoever may see it of those whom this device knows.
 * @param {string} path
 */
async function askAsPlayer(path) {
  const found = await ask(path, playerToken || null);
  if (found) return found;
  const people = knownPeople();
  const own = personCalled(settings.name)?.player;
  people.sort((one, other) => Number(other.player === own) - Number(one.player === own));
  for (const { name, player } of people) {
    const { name: kind, fields } = await askAs(new Person(name, undefined, player), null);
    const seen = kind === "identified" ? await ask(path, fields.token) : null;
    if (!seen) continue;
    playerToken = fields.token;
    return seen;
  }
  return null;
}

/**
 * Remember the link of the match that a table has just finished, so that this device finds its page again.
 * @param {string} code
 * @param {string} token
 */
export function keepMatch(code, token) {
  keeping = findMatch(code, token);
}

/** What remembers the newest match: its result is made a moment after its end. */
let keeping = Promise.resolve();

/**
 * @param {string} code
 * @param {string} token
 */
async function findMatch(code, token) {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await ask(`/v1/matches?table=${code}`, token);
    if (!found) return; // this server keeps no results
    const [newest] = found.matches;
    if (newest?.over) {
      const { link, ended_ms: at, game, players, casual } = newest;
      const others = keptMatches().filter((each) => each.link !== link);
      write("matches", [...others, { link, code, at, game, players, casual }].slice(-MAX_MATCHES));
      return;
    }
    await new Promise((over) => setTimeout(over, AGAIN_MS));
  }
}

export class Pages {
  #root = element("section");
  /** @type {() => void} takes a code away that is shown */
  #hideCode = () => undefined;
  #asked = 0; // the number of the newest question: answers to older ones are dropped
  /** What the standings show. */
  #filter = { game: "", preset: "", season: "", people: true, page: 1 };

  /**
   * @param {object} options
   * @param {any} options.games
   * @param {(text: string) => void} options.announce
   * @param {(path: string) => void} options.go shows another page
   * @param {() => void} options.close leaves the pages
   * @param {(match: any, seat: number | null, from: number, mark?: import("./moments.js").Mark) => void} options.replay
   *   plays a match again
   */
  constructor({ games, announce, go, close, replay }) {
    this.games = games;
    this.announce = announce;
    this.go = go;
    this.close = () => {
      this.#hideCode();
      close();
    };
    this.replay = replay;
    this.#root.id = "page";
    document.querySelector("main")?.append(this.#root);
  }

  /**
   * Show a page.
   * @param {string} path such as `/scores`
   */
  async show(path) {
    this.#hideCode();
    this.#asked += 1;
    const [, kind, name = ""] = path.split("/");
    if (kind === "matches") await this.#matches();
    else if (kind === "you") await this.#you();
    else if (kind === "match") await this.#match(name);
    else if (kind === "player") await this.#player(name);
    else await this.#scores();
  }

  /**
   * @param {string} title
   * @param {HTMLElement[]} items
   */
  #draw(title, items) {
    const header = element("header");
    const heading = element("h1", "", title);
    heading.tabIndex = -1;
    header.append(
      heading,
      button("✕", () => this.close(), LATER.closePage),
    );
    const bar = element("nav", "row");
    bar.append(
      ...[
        ["/scores", LATER.standings],
        ["/matches", LATER.matches],
        ["/you", LATER.you],
      ].map(([path, text]) => this.#linkTo(path, text)),
    );
    this.#root.replaceChildren(header, bar, ...items);
    if (document.body.dataset.screen === "page") heading.focus({ preventScroll: true });
  }

  /**
   * @param {string} path
   * @param {string} text
   */
  #linkTo(path, text) {
    const link = /** @type {HTMLAnchorElement} */ (element("a", "", text));
    link.href = BASE + path;
    if (location.pathname === link.pathname) link.setAttribute("aria-current", "page");
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a tab of its own
      event.preventDefault();
      this.go(path);
    });
    return link;
  }

  // Standings.

  async #scores() {
    const own = this.#asked;
    this.#draw(WORDS.results, [element("p", "", LATER.loading)]);
    const { game, preset, season, people, page } = this.#filter;
    const query = new URLSearchParams({ page: String(page), people: people ? "1" : "0" });
    if (game) query.set("game", game);
    if (preset) query.set("preset", preset);
    if (season) query.set("since_ms", String(beginOf(season)));
    const [found, ownId] = await Promise.all([askAsPlayer(`/v1/standings?${query}`), ownPlayer()]);
    if (own !== this.#asked) return;
    const here = resultRows(this.games, found && people);
    const hereItems = here.length > 0 ? [element("h2", "", LATER.onThisDevice), ...here] : [];
    if (!found)
      return this.#draw(WORDS.results, [
        element("p", "", knownPeople().length ? LATER.noStandings : LATER.noStandingsForGuests),
        ...hereItems,
      ]);
    const count = LATER.matchesCount(found);
    this.#draw(WORDS.results, [
      this.#filters(found),
      element("p", "", count),
      ...(people && found.rows.length > 0 ? [element("p", "soft", LATER.amongPeople)] : []),
      ...(found.rows.length > 0
        ? standingsTable(
            found.rows,
            (page - 1) * 50,
            (id, text) => this.#linkTo(`/player/${id}`, text),
            ownId,
            season === TONIGHT,
          )
        : []),
      ...(found.pages > 1 ? [this.#pageButtons(found.pages)] : []),
      ...(found.teams.length > 0 ? [element("h2", "", LATER.teams), teamsTable(found.teams)] : []),
      ...(found.corrections.length > 0
        ? [element("h2", "", LATER.corrections), correctionList(found.corrections)]
        : []),
      ...hereItems,
    ]);
  }

  /**
   * What can be chosen: what was played. Servers that are older than the page do not tell it.
   * @param {{games?: string[], presets?: string[]}} found
   */
  #filters({ games = Object.keys(this.games), presets: named = Object.keys(PRESETS) }) {
    const filter = this.#filter;
    /** @param {Partial<typeof filter>} changes */
    const change = (changes) => {
      Object.assign(filter, { page: 1 }, changes);
      this.show("/scores");
    };
    const groups = {
      [LATER.anyRules]: games.map((name) => [`game ${name}`, this.games[name]?.title ?? name]),
      [LATER.presetRules]: named.map((name) => [`preset ${name}`, PRESETS[name]?.title ?? name]),
    };
    const chosen = filter.preset ? `preset ${filter.preset}` : filter.game && `game ${filter.game}`;
    const row = element("div", "filters");
    const choices = element("div", "row segments");
    choices.setAttribute("role", "group");
    choices.setAttribute("aria-label", LATER.season);
    for (const [at, season] of SEASONS.entries()) {
      const press = button(LATER.seasons[at], () => change({ season }));
      press.setAttribute("aria-pressed", String(filter.season === season));
      choices.append(press);
    }
    row.append(choices);
    const people = /** @type {HTMLInputElement} */ (element("input"));
    people.type = "checkbox";
    people.checked = filter.people;
    people.addEventListener("change", () => change({ people: people.checked }));
    const label = element("label");
    label.append(people, LATER.peopleOnly);
    row.append(
      gameFilter(groups, chosen, (value) => {
        const [kind, name] = value.split(" ");
        change({ game: "", preset: "", [kind || "game"]: name ?? "" });
      }),
      label,
    );
    return row;
  }

  /** @param {number} pages */
  #pageButtons(pages) {
    const { page } = this.#filter;
    /** @type {(to: number, text: string) => HTMLButtonElement} */
    const step = (to, text) => {
      const node = button(text, () => {
        this.#filter.page = to;
        this.show("/scores");
      });
      node.disabled = to < 1 || to > pages;
      return node;
    };
    const row = element("div", "row");
    row.append(
      step(page - 1, LATER.before),
      element("span", "", LATER.pageOf(page, pages)),
      step(page + 1, LATER.after),
    );
    return row;
  }

  /** @param {string} id */
  async #player(id) {
    const own = this.#asked;
    this.#draw(LATER.player, [element("p", "", LATER.loading)]);
    const found = await askAsPlayer(`/v1/players/${id}`);
    if (own !== this.#asked) return;
    if (!found) return this.#draw(LATER.player, [element("p", "", LATER.noSuchPlayer)]);
    const { row, ratings, rivals, moments, matches } = found;
    const list = element("ul", "matches");
    list.append(
      ...matches.map((/** @type {any} */ match) => {
        const game = this.games[match.game]?.title ?? match.game;
        const when = dateText(match.ended_ms);
        return element("li", "", LATER.playedMatch(when, game, match));
      }),
    );
    this.#draw(row.name, [
      ...standingsTable([row], 0, null),
      ...(ratings.length > 1 ? [ratingChart(ratings)] : []),
      ...(rivals.length > 0
        ? [
            element("h2", "", LATER.rivals),
            table(
              LATER.rivalColumns,
              rivals.map((/** @type {any} */ { name, bot, player, won, lost, won_by_us, lost_by_us }) => [
                player ? this.#linkTo(`/player/${player}`, name) : nameOf(name, bot),
                LATER.racesBy(won, won_by_us),
                LATER.racesBy(lost, lost_by_us),
              ]),
            ),
          ]
        : []),
      ...(moments.length > 0 ? [element("h2", "", LATER.bestMoments), this.#moments(moments)] : []),
      element("h2", "", LATER.newestMatches),
      list,
    ]);
  }

  /** @param {any[]} moments the best, each with its match */
  #moments(moments) {
    const list = element("ul", "matches");
    for (const { moment, value, game, ended_ms: at, against } of moments) {
      const when = dateText(at);
      const title = this.games[game]?.title ?? game;
      const what = LATER.moment[moment]?.(value);
      if (what) list.append(element("li", "", LATER.momentOf(what, when, title, against)));
    }
    return list;
  }

  // Matches.

  async #matches() {
    const own = this.#asked;
    const open = await openTables();
    if (own !== this.#asked) return;
    const running = open.filter((table) => table.running);
    const rows = running.map((table) => {
      const row = element("li");
      const title = this.games[table.game]?.title ?? table.game;
      const link = /** @type {HTMLAnchorElement} */ (element("a", "", LATER.watchTable(table.host, title)));
      link.href = pathOf(table.code, "?watch");
      row.append(link);
      return row;
    });
    const kept = keptMatches().reverse();
    const played = kept.map(({ link, at, game, players, casual }) => {
      const row = element("li");
      const title = this.games[game]?.title ?? game;
      const when = at ? dateAndTime(at) : "";
      row.append(this.#linkTo(`/match/${link}`, matchLine([when, title, players.join(", ")], casual)));
      return row;
    });
    /** @param {HTMLElement[]} items */
    const list = (items) => {
      const node = element("ul", "matches");
      node.append(...items);
      return node;
    };
    this.#draw(LATER.matches, [
      ...(rows.length > 0 ? [element("h2", "", LATER.running), list(rows)] : []),
      element("h2", "", LATER.yourMatches),
      played.length > 0 ? list(played) : element("p", "", LATER.noMatches),
      ...(canRemember() ? [] : [element("p", "soft", LATER.lastsUntilClosed("this list is"))]),
    ]);
    await keeping;
    if (own === this.#asked && keptMatches().pop()?.link !== kept[0]?.link) await this.#matches();
  }

  /** @param {string} link */
  async #match(link) {
    const own = this.#asked;
    const { code = "" } = keptMatches().find((each) => each.link === link) ?? {};
    const token = code ? tokenOf(code) : null;
    this.#draw(LATER.match, [element("p", "", LATER.loading)]);
    const found = await ask(`/v1/matches/${link}`, token);
    if (own !== this.#asked) return;
    if (!found) return this.#draw(LATER.match, [element("p", "", LATER.noSuchMatch)]);
    const { summary, over } = found;
    const title = this.games[summary.game]?.title ?? summary.game;
    const when = dateAndTime(summary.ended_ms ?? summary.started_ms);
    const status = element("p", "proof");
    status.setAttribute("role", "status");
    /** Open the replay at a hand. @param {number | null} seat @param {number} [hand] */
    const watch = async (seat, hand = 1) => {
      status.textContent = LATER.loading;
      const record = await fetchRecord(link, token);
      status.textContent = record ? "" : LATER.recordGone;
      if (record) this.replay(record, seat, record.deals[hand - 1] ?? record.firstDeal);
    };
    const verify = async () => {
      status.textContent = LATER.verifying;
      const record = await fetchRecord(link, token);
      status.textContent = record ? await verifyRecord(record, this.games) : LATER.recordGone;
    };
    const save = async () => {
      const record = await fetchText(recordPath(link), token);
      status.textContent = record ? "" : LATER.recordGone;
      if (record) saveFile(`match-${link.slice(0, 8)}.jsonl`, URL.createObjectURL(new Blob([record])));
    };
    const rematch = async () => {
      const record = await fetchRecord(link, token);
      status.textContent = record ? "" : LATER.recordGone;
      const options = record ? JSON.stringify(optionsOf(record)) : "";
      if (options) location.assign(`${BASE}/new?preset=${encodeURIComponent(options)}`);
    };
    /** Open the board of a moment. @type {Parameters<typeof momentList>[2]} */
    const look = async (moment, words) => {
      status.textContent = LATER.loading;
      const record = await fetchRecord(link, token);
      status.textContent = record ? "" : LATER.recordGone;
      if (record) this.replay(record, moment.seat, placeOf(record, moment), { card: moment.card, words });
    };
    const told = element("div");
    const text = matchText(found, title, when);
    const actions = element("div", "what-next");
    if (over) {
      actions.append(
        button(LATER.watchReplay, () => watch(null)),
        sides(found, watch),
        button(LATER.rematch, rematch),
        button(LATER.shareResult, () => this.#share(text, `${location.origin}${BASE}/match/${link}`)),
        more(
          explained(
            button(LATER.savePicture, () => savePicture(found, title, when)),
            LATER.pictureText,
          ),
          explained(button(LATER.verify, verify), LATER.verifyText),
          explained(button(LATER.saveRecord, save), LATER.recordText),
        ),
      );
      actions.querySelector("button")?.classList.add("primary");
    }
    this.#draw(LATER.match, [
      element("p", "", matchLine([title, when, ...(over ? [] : [LATER.isPlaying])], summary.casual)),
      inColorsOf(summary.players, () => matchTable(found)),
      actions,
      status,
      element("h2", "", LATER.hands),
      handList(summary, over ? (hand) => watch(null, hand) : null),
      told,
      ...(summary.corrections?.length
        ? [element("h2", "", LATER.corrections), correctionList(summary.corrections)]
        : []),
    ]);
    const { hands = [], titles = [] } = (await ask(`/v1/matches/${link}/moments`, token)) ?? {};
    if (own !== this.#asked) return;
    found.titles = titles; // for the picture
    const names = new Map(summary.players.map((/** @type {MatchPlayer} */ { seat, name }) => [seat, name]));
    inColorsOf(summary.players, () => {
      if (titles.length > 0) told.append(element("h2", "", MOMENTS.titles), titleList(titles, names));
      if (hands.some((/** @type {any} */ { moments }) => moments.length > 0))
        told.append(element("h2", "", MOMENTS.ofMatch), momentList(hands, names, look));
    });
  }

  // Who uses this device.

  async #you() {
    const own = this.#asked;
    const brought = codeOfLink(); // before anything else: it stands in the address
    this.#draw(LATER.you, [element("p", "", LATER.loading)]);
    const found = await ask("/v1/you");
    const { signed_in: isSignedIn = false, player = "", name: ownName = "" } = found ?? {};
    const hasPage = isSignedIn && player && (await ask(`/v1/players/${player}`)) !== null;
    if (own !== this.#asked) return;
    if (isSignedIn) return this.#signedIn(ownName, hasPage ? `/player/${player}` : "");
    const isStored = canRemember();
    const { isOn } = keptPeople();
    const people = knownPeople();
    const label = element("label", "choice");
    const box = /** @type {HTMLInputElement} */ (element("input"));
    box.type = "checkbox";
    box.checked = isStored && (isOn ?? people.length > 0);
    box.disabled = !isStored;
    const note = element("p", "soft");
    const showNote = async () => {
      note.textContent = box.checked && !(await isLasting()) ? LATER.mayForget(isSecureContext) : "";
    };
    const status = element("p", "proof");
    status.setAttribute("role", "status");
    const form = this.#codeForm(status, brought?.table ?? "");
    const introduction = this.#introduction(status);
    const place = element("div");
    const showIntroduction = () =>
      place.replaceChildren(...(box.checked && people.length === 0 ? [introduction] : []));
    box.addEventListener("change", () => {
      if (!rememberHere(box.checked)) return this.show("/you");
      showNote();
      showIntroduction();
      if (!introduction.isConnected) return;
      const [name, forCode] = [introduction, form].map(
        (each) => /** @type {HTMLInputElement} */ (each.elements[0]),
      );
      // Whoever has typed a name for a table, or for a code, need not type it again.
      name.value ||= forCode.value.trim() || field("name").value.trim();
      if (name.value) introduction.requestSubmit();
      else name.focus();
    });
    await showNote();
    showIntroduction();
    label.append(box, LATER.rememberHere);
    const known = element("section");
    known.append(
      label,
      place,
      element("p", "soft", isStored ? LATER.rememberText : LATER.storesNothing),
      note,
      ...people.map((kept) => this.#person(kept, status)),
      status,
      ...(isStored ? [element("h2", "", LATER.haveCode), form] : []), // a code is valid once
    );
    const evenings = element("section");
    evenings.append(...ownEvenings());
    const beside = element("div", "beside-each-other");
    beside.append(known, evenings);
    this.#draw(LATER.you, [...ownSummary(), beside]);
    if (!brought || !isStored) return;
    const [name, code] = form.elements;
    /** @type {HTMLInputElement} */ (name).value = brought.name;
    /** @type {HTMLInputElement} */ (code).value = brought.code;
    if (!brought.name) return /** @type {HTMLElement} */ (name).focus();
    const isKnown = people.some((each) => isSameName(each.name, brought.name));
    if (!(isKnown && (await this.#skipLink(brought, form, status)))) form.requestSubmit();
  }

  /**
   * Somebody who has signed in before the server was reached: no device is theirs to add, remove or forget.
   * @param {string} name empty before the first table
   * @param {string} page of the player; empty if there is none to see
   */
  #signedIn(name, page) {
    const status = element("p", "proof");
    status.setAttribute("role", "status");
    const field = nameField(name);
    const rename = async () => {
      status.textContent = LATER.loading;
      const answer = await askAs(null, { name: "rename", fields: { name: field.value.trim() } });
      status.textContent = answer.fields.text || LATER.noAnswer;
      if (answer.name === "identified") this.#renamed(answer.fields.name);
    };
    const row = element("div", "row");
    row.append(field, button(LATER.rename, rename));
    this.#draw(LATER.you, [
      element("p", "", name ? LATER.signedInAs(name) : LATER.signedIn),
      element("p", "soft", LATER.signedInText),
      ...(name ? [row] : []),
      status,
      ...(page ? [this.#linkTo(page, LATER.playerPage)] : []),
      ...ownEvenings(),
    ]);
  }

  /**
   * Show the page for people anew, and that the server calls somebody otherwise now.
   * @param {string} name
   */
  async #renamed(name) {
    await this.show("/you");
    this.announce(LATER.renamed(name));
  }

  /**
   * Go on to the table of a link if the server knows its person on this device: another device would be one too many.
   * @param {{name: string, table: string}} brought
   * @param {HTMLFormElement} form
   * @param {HTMLElement} status
   * @returns {Promise<boolean>} whether the server does
   */
  async #skipLink({ name, table }, form, status) {
    const answer = await askAs(new Person(name), null);
    if (answer.name !== "identified") return false;
    if (table) location.assign(`${BASE}/${table}`);
    form.reset();
    status.textContent = LATER.knownAlready(name);
    return true;
  }

  /**
   * Somebody whom this device remembers.
   * @param {import("../wire/person.js").KeptPerson} kept
   * @param {HTMLElement} status
   */
  #person(kept, status) {
    /**
     * @param {{name: string, fields: any}} request
     * @param {(() => void) | null} [ended]
     */
    const ask = async (request, ended = null) => {
      this.#hideCode();
      status.textContent = LATER.loading;
      const person = new Person(kept.name, undefined, kept.player);
      const answer = await askAs(person, request, ended);
      status.textContent = answer.name === "refused" ? answer.fields.text || LATER.noAnswer : "";
      return answer;
    };
    const section = element("section", "person");
    const picture = element("div", "device-code");
    const devices = element("ul");
    const name = nameField(kept.name);
    const showDevices = async (withCode = false, change = "", device = 0) => {
      const request = change
        ? { name: change, fields: { device } }
        : { name: "list_devices", fields: withCode ? { with_code: true, held: true } : {} };
      const stop = new AbortController();
      const over = () => {
        if (stop.signal.aborted) return;
        stop.abort();
        picture.replaceChildren();
        status.textContent = LATER.codeOver;
      };
      const used = () => {
        over();
        if (section.isConnected) showDevices();
      };
      const { name: kind, fields, leave } = await ask(request, used);
      if (kind !== "devices") return;
      if (!section.isConnected) return leave?.();
      if (fields.code) {
        this.#hideCode = () => {
          leave?.();
          over();
        };
        whileLookedAt(this.#hideCode, stop.signal);
        const { name } = knownPeople().find((each) => each.player === kept.player) ?? kept; // renamed elsewhere
        const { origin } = await addressForOthers();
        const drawn = origin && qrPicture(linkOfCode(origin, fields.code, name), LATER.qrOfCode);
        if (drawn) picture.append(drawn);
        picture.append(button(LATER.hideCode, this.#hideCode));
        status.textContent = LATER.codeText(name, fields.code, Boolean(drawn));
      }
      devices.replaceChildren(
        ...fields.devices.map((/** @type {[number, string, number, number, boolean]} */ each) => {
          const [number, text, added, , isNew] = each;
          const row = element("li", "", `${text || "?"}, ${dateText(added)} `);
          const change = (/** @type {string} */ what) => () => showDevices(false, what, number);
          if (number === kept.device) row.append(LATER.thisDevice);
          else row.append(button(LATER.remove, change("remove_device"), LATER.removeDevice(text)));
          if (isNew && number === kept.device) row.append(LATER.onTrial);
          else if (isNew) row.append(button(LATER.trust, change("trust_device"), LATER.trustDevice(text)));
          return row;
        }),
      );
    };
    const rename = async () => {
      const { fields } = await ask({ name: "rename", fields: { name: name.value.trim() } });
      if (status.textContent) return;
      field("name").value = settings.name;
      this.#renamed(fields.name);
    };
    const buttons = element("div", "row");
    buttons.append(
      button(LATER.rename, rename),
      button(LATER.anotherDevice, () => showDevices(true)),
      button(LATER.devices, () => showDevices()),
      button(LATER.forgetMe, () => {
        forget(kept.player);
        this.show("/you");
      }),
    );
    const eraser = element("div", "row");
    const erase = async () => {
      const { name: kind } = await ask({ name: "forget_me", fields: {} });
      if (kind !== "devices") return;
      forget(kept.player);
      this.announce(LATER.erased);
      this.show("/you");
    };
    /**
     * Ask before the server forgets somebody, twice: nothing brings that back.
     * @param {string} question @param {string} yes @param {() => void} next
     */
    const question = (question, yes, next) => {
      const no = button(LATER.keepMe, () => eraser.replaceChildren());
      eraser.replaceChildren(element("p", "", question), button(yes, next), no);
      no.focus();
    };
    buttons.append(
      button(LATER.eraseMe, () =>
        question(LATER.erasing(kept.name), LATER.goOn, () =>
          question(LATER.reallyErase, LATER.eraseForGood(kept.name), erase),
        ),
      ),
    );
    section.append(name, buttons, eraser, picture, devices);
    return section;
  }

  /**
   * Let somebody say who is to be remembered here, before the first table.
   * @param {HTMLElement} status
   */
  #introduction(status) {
    const form = /** @type {HTMLFormElement} */ (element("form", "row"));
    const name = labelledField(LATER.yourName);
    name.maxLength = LIMITS.name;
    const send = button(LATER.rememberMe, () => undefined);
    send.type = "submit";
    form.append(name, send);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const typed = name.value.trim();
      if (!typed) return name.focus();
      field("name").value = typed; // whatever becomes of it, it is there for the first table
      status.textContent = LATER.loading;
      const { name: kind, fields } = await askAs(new Person(typed), null);
      if (kind !== "identified") {
        status.textContent = fields.text || LATER.rememberedLater;
        return;
      }
      changeSettings({ name: fields.name });
      field("name").value = fields.name;
      this.show("/you");
    });
    return form;
  }

  /**
   * @param {HTMLElement} status
   * @param {string} table to which it leads on; empty for none
   */
  #codeForm(status, table) {
    const form = /** @type {HTMLFormElement} */ (element("form", "row"));
    const [name, code] = [LATER.yourName, LATER.code].map(labelledField);
    code.autocapitalize = "characters";
    const link = button(LATER.linkDevice, () => undefined);
    link.type = "submit";
    form.append(name, code, link);
    const become = async () => {
      const person = new Person(name.value.trim());
      const answer = await askAs(person, person.link(code.value.trim()));
      if (answer.name === "identified") {
        rememberHere(true);
        changeSettings({ name: answer.fields.name });
        if (table) location.assign(`${BASE}/${table}`);
        else this.show("/you");
      } else status.textContent = answer.fields.text || LATER.noAnswer;
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      status.textContent = "";
      if (name.value.trim() && code.value.trim()) askWhether(form, name.value.trim(), become);
    });
    return form;
  }

  /**
   * @param {string} text
   * @param {string} url
   */
  #share(text, url) {
    if (typeof navigator.share === "function") {
      navigator.share({ text, url }).catch(() => undefined);
      return;
    }
    const line = document.createElement("textarea");
    line.value = `${text}\n${url}`;
    byId("page").append(line);
    line.select();
    this.announce(document.execCommand("copy") ? LATER.resultCopied : text); // navigator.clipboard needs https
    line.remove();
  }
}

/** What few people look for, folded. @param {HTMLElement[]} rows */
function more(...rows) {
  const folded = element("details", "more");
  folded.append(element("summary", "", LATER.more), ...rows);
  return folded;
}

/**
 * A button, and what it does.
 * @param {HTMLButtonElement} press
 * @param {string} text
 */
function explained(press, text) {
  const row = element("p", "explained");
  row.append(press, element("small", "", text));
  return row;
}

/** @param {string} id */
const field = (id) => /** @type {HTMLInputElement} */ (byId(id));

/**
 * @param {string} text what is to be typed
 * @returns {HTMLInputElement}
 */
function labelledField(text) {
  const field = /** @type {HTMLInputElement} */ (element("input"));
  field.setAttribute("aria-label", text);
  field.placeholder = text;
  field.autocomplete = "off";
  return field;
}

/**
 * @param {string} name of somebody
 * @returns {HTMLInputElement} where it can be changed
 */
function nameField(name) {
  const field = /** @type {HTMLInputElement} */ (element("input"));
  field.value = name;
  field.maxLength = LIMITS.name;
  field.setAttribute("aria-label", LATER.nameOf(name));
  return field;
}

/**
 * Take a code away as soon as nobody looks at it any more: whoever finds it would be its person.
 * @param {() => void} hide
 * @param {AbortSignal} signal when it is away
 */
function whileLookedAt(hide, signal) {
  const hidden = () => document.hidden && hide();
  document.addEventListener("visibilitychange", hidden, { signal });
  addEventListener("popstate", hide, { signal });
  addEventListener("keydown", ({ key }) => key === "Escape" && hide(), { signal });
}

/**
 * Ask whether somebody is who the code would make them, in place of the form: whoever scans a code may not know what it does.
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {() => Promise<void>} become
 */
function askWhether(form, name, become) {
  const question = element("section", "row");
  const text = element("p", "", LATER.areYou(name));
  text.tabIndex = -1;
  const back = () => question.replaceWith(form);
  const yes = button(LATER.iAm(name), () => become().then(back));
  yes.classList.add("primary");
  const no = button(LATER.iAmNot, () => {
    form.reset();
    back();
  });
  question.append(text, yes, no);
  form.replaceWith(question);
  text.focus();
}

const MAX_QR_BYTES = 106; // of a link: a larger code is hard to scan

/**
 * The link by which a device becomes another one of a person. What is behind `#` is sent to no server. A name that
 * would make its QR code too large is left out.
 * @param {string} origin
 * @param {string} code
 * @param {string} name
 */
function linkOfCode(origin, code, name) {
  const link = `${origin}${BASE}/you#${code}`;
  const whole = `${link},${encodeURIComponent(name)}`;
  return whole.length > MAX_QR_BYTES ? link : whole;
}

/** What such a link has brought, removed from the address at once. */
function codeOfLink() {
  const [, code, name = "", table = ""] =
    /^#([A-Z]{6})(?:,([^,]*)(?:,([A-Z]{4,16}))?)?$/.exec(location.hash) ?? [];
  if (!code) return null;
  history.replaceState(history.state, "", location.pathname); // no copy of the address has it
  try {
    return { code, name: decodeURIComponent(name).slice(0, LIMITS.name), table };
  } catch {
    return { code, name: "", table };
  }
}

/**
 * When a season began, in milliseconds since 1970.
 * @param {string} season
 */
function beginOf(season) {
  if (season === TONIGHT) return beginOfEvening();
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  if (season === "week") day.setDate(day.getDate() - ((day.getDay() + 6) % 7));
  else day.setDate(1);
  if (season === "year") day.setMonth(0);
  return day.getTime();
}

/**
 * One choice of a game, whatever its rules, or of a preset: most presets are called like their game.
 * @param {Record<string, string[][]>} groups each value with its text
 * @param {string} chosen
 * @param {(value: string) => void} change
 */
function gameFilter(groups, chosen, change) {
  const node = /** @type {HTMLSelectElement} */ (element("select"));
  node.setAttribute("aria-label", LATER.game);
  node.append(choice("", LATER.allGames, !chosen));
  for (const [title, values] of Object.entries(groups)) {
    const group = element("optgroup");
    group.setAttribute("label", title);
    group.append(...values.map(([value, text]) => choice(value, text, value === chosen)));
    node.append(group);
  }
  node.addEventListener("change", () => change(node.value));
  return node;
}

/**
 * @param {string[]} head
 * @param {(string | HTMLElement)[][]} rows
 */
function table(head, rows) {
  const node = element("table", "tally standings");
  const headRow = element("tr");
  headRow.append(
    ...head.map((text) => {
      const cell = element("th", "", text);
      cell.setAttribute("scope", "col");
      return cell;
    }),
  );
  node.append(
    headRow,
    ...rows.map((cells) => {
      const row = element("tr");
      for (const content of cells) {
        const cell = element("td");
        cell.append(content);
        row.append(cell);
      }
      return row;
    }),
  );
  const frame = element("div", "wide");
  frame.append(node);
  return frame;
}

/**
 * @param {string} name
 * @param {string} [bot] its level
 */
function nameOf(name, bot = "") {
  const node = element("bdi", "", name);
  if (!bot) return node;
  const both = element("span");
  both.append(node, ` ${LATER.botOf(bot)}`);
  return both;
}

/**
 * @param {StandingsRow[]} rows
 * @param {number} first how many come before them
 * @param {((id: string, name: string) => HTMLElement) | null} linkTo links to the page of a player; null on that page
 * @param {string} [own] the player whose row is marked
 * @param {boolean} [isTonight] whether they are of one evening, which has no ratings
 */
function standingsTable(rows, first, linkTo, own = "", isTonight = false) {
  const aHand = (/** @type {StandingsRow} */ { points, hands }) => points / (hands || 1);
  // As the server sorts them.
  const areEqual = (/** @type {StandingsRow} */ one, /** @type {StandingsRow} */ other) =>
    one.wins === other.wins && aHand(one) === aHand(other);
  const places = placesOf(rows, areEqual, first);
  const isRanked = first + rows.length > 1; // alone nobody is first
  const columns = isTonight ? LATER.tonightColumns : LATER.standingsColumns;
  const legend = element("p", "soft legend");
  for (const column of columns) legend.append(element("span", "", LATER.columnTexts[column]), " ");
  const list = table(
    columns,
    rows.map((row, at) => {
      const who = element("span");
      const name = linkTo && row.player ? linkTo(row.player, row.name) : nameOf(row.name, row.bot);
      who.append(...(linkTo && isRanked ? [`${places[at]}. `] : []), name);
      const isOwn = own && row.player === own;
      if (isOwn) who.append(element("span", "unseen", ` ${LATER.ownRow}`));
      if (isOwn) who.className = "mine";
      const won = LATER.wonOf(row.wins, row.matches);
      if (isTonight) return [who, won, `${row.points}`, `${row.races_won ?? 0}`];
      if (row.met_ms) who.append(" ", element("small", "soft", LATER.firstMet(dateText(row.met_ms))));
      const form = element("span", "form", row.form.map((won) => (won ? "●" : "○")).join(""));
      form.setAttribute("role", "img");
      form.setAttribute("aria-label", LATER.form(row.form.filter(Boolean).length, row.form.length));
      const rating = element("span", "", row.rating === null ? "–" : decimal(row.rating));
      if (row.provisional) rating.append(" ", element("small", "soft", LATER.isNew));
      return [who, won, row.hands ? decimal(aHand(row)) : "–", rating, form];
    }),
  );
  return [list, legend];
}

/** A number to a tenth. @param {number} value */
const decimal = (value) => String(Math.round(value * 10) / 10).replace("-", "−");

/** @returns {Promise<string>} the id of whoever looks at results on this device; empty for a guest */
async function ownPlayer() {
  const known = personCalled(settings.name) ?? knownPeople().pop();
  return known?.player ?? (await ask("/v1/you"))?.player ?? "";
}

/**
 * A line of ratings, the oldest first.
 * @param {[number, number][]} ratings each with its time
 */
function ratingChart(ratings) {
  const values = ratings.map(([, value]) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const space = "http://www.w3.org/2000/svg";
  const chart = document.createElementNS(space, "svg");
  chart.setAttribute("viewBox", "0 0 300 80");
  chart.setAttribute("role", "img");
  chart.setAttribute("class", "chart");
  chart.setAttribute("aria-label", LATER.ratingChart(values[0], values[values.length - 1]));
  const line = document.createElementNS(space, "polyline");
  const points = values.map((value, at) => {
    const [x, y] = [(at / (values.length - 1)) * 290 + 5, 75 - ((value - low) / (high - low || 1)) * 70];
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  line.setAttribute("points", points.join(" "));
  chart.append(line);
  return /** @type {HTMLElement} */ (/** @type {unknown} */ (chart));
}

/** @param {{players: string[], matches: number, wins: number, hands: number, points: number}[]} rows */
const teamsTable = (rows) =>
  table(
    LATER.teamColumns,
    rows.map(({ players, matches, wins, hands, points }) => [
      nameOf(players.join(" & ")),
      LATER.wonOf(wins, matches),
      hands ? decimal(points / hands) : "–",
    ]),
  );

/** @param {{what?: string, why: string, by: string}[]} corrections */
function correctionList(corrections) {
  const list = element("ul");
  list.append(
    ...corrections.map(({ what, why, by }) => element("li", "", [what, why, by].filter(Boolean).join(" · "))),
  );
  return list;
}

/**
 * The players of a match, the best first.
 * @param {any} found
 * @returns {{player: MatchPlayer, points: number, hasWon: boolean}[]}
 */
const ranking = ({ summary, points, winners }) =>
  summary.players
    .map((/** @type {MatchPlayer} */ player) => ({
      player,
      points: points[player.seat] ?? 0,
      hasWon: winners.includes(player.seat),
    }))
    .sort(
      (/** @type {any} */ one, /** @type {any} */ other) =>
        other.hasWon - one.hasWon || other.points - one.points,
    );

/**
 * The places of the players of a match, in the order of their ranking.
 * @param {ReturnType<typeof ranking>} rows
 */
const placesInMatch = (rows) =>
  placesOf(rows, (one, other) => one.hasWon === other.hasWon && one.points === other.points);

/**
 * The tally of a match, with each player's races.
 * @param {any} found
 */
function matchTable(found) {
  const { summary } = found;
  /** @type {MatchHand["races"]} */
  const races = summary.hands.flatMap((/** @type {MatchHand} */ hand) => hand.races ?? []);
  return table(
    LATER.matchColumns,
    ranking(found).map(({ player, points, hasWon }) => {
      const { seat, name, bot, team } = player;
      const who = element("span", "who");
      const mark = element("span", "seat");
      mark.style.setProperty("--seat", colorOf(seat));
      who.append(mark, markTeam(nameOf(name, bot), team), hasWon ? ` ★ ${LATER.won}` : "");
      const won = races.filter(([winner]) => winner === seat).length;
      const lost = races.filter(([, loser]) => loser === seat).length;
      const raced = element("span", "", LATER.wonCount(won));
      raced.append(" ", element("small", "soft", LATER.lostCount(lost)));
      return [who, String(points), raced];
    }),
  );
}

/**
 * Buttons that show the replay from a player's side.
 * @param {any} found
 * @param {(seat: number) => void} watch
 */
function sides(found, watch) {
  const row = element("p", "sides");
  row.append(
    element("span", "soft", LATER.watchFrom),
    ...ranking(found).map(({ player: { seat, name } }) =>
      asIs(button(name, () => watch(seat), LATER.watchAs(name))),
    ),
  );
  return row;
}

/**
 * The hands of a match.
 * @param {{hands: MatchHand[], players: MatchPlayer[]}} summary
 * @param {((hand: number) => void) | null} watch shows the replay of a hand
 */
function handList({ hands, players }, watch) {
  const names = new Map(players.map(({ seat, name }) => [seat, name]));
  const list = element("ol", "hands");
  list.append(
    ...hands.map(({ hand, reason, out, elapsed_ms: elapsed, points }) => {
      const row = element("li");
      const end = out === null ? LATER.handEnded(reason) : LATER.wentOut(names.get(out) ?? "");
      const tally = Object.entries(points).map(
        ([seat, each]) => `${names.get(Number(seat))} ${signed(each)}`,
      );
      row.append(
        element("span", "", `${end}, ${clock(elapsed)}`),
        element("small", "", tally.join(" · ")),
        ...(watch ? [button(LATER.watch, () => watch(hand), LATER.watchHand(hand))] : []),
      );
      return row;
    }),
  );
  return list;
}

/**
 * The result in a few lines, to be shared.
 * @param {any} found
 * @param {string} title
 * @param {string} when
 */
function matchText(found, title, when) {
  const rows = ranking(found);
  const places = placesInMatch(rows);
  return [
    `Racing Demon: ${title}, ${when}`,
    ...rows.map(
      ({ player, points, hasWon }, at) => `${places[at]}. ${player.name} ${points}${hasWon ? " ★" : ""}`,
    ),
    LATER.handsPlayed(found.summary.hands.length),
  ].join("\n");
}

/**
 * Draw the result as a picture, and save it.
 * @param {any} found
 * @param {string} title
 * @param {string} when
 */
function savePicture(found, title, when) {
  const { width, height, margin } = PICTURE;
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.fillStyle = "#123c2b";
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = "#f4efe0";
  pen.font = "bold 56px system-ui, sans-serif";
  pen.fillText("Racing Demon", margin, margin + 40);
  pen.font = "30px system-ui, sans-serif";
  pen.fillText(`${title} · ${when}`, margin, margin + 90, width - 2 * margin);
  const rows = ranking(found);
  const places = placesInMatch(rows);
  const step = Math.min(70, (height - margin - 190) / rows.length);
  pen.font = `bold ${Math.round(step * 0.62)}px system-ui, sans-serif`;
  rows.forEach(({ player, points, hasWon }, at) => {
    const y = 220 + (at + 0.6) * step;
    pen.textAlign = "left";
    const given = found.titles?.find((/** @type {{seat: number}} */ { seat }) => seat === player.seat);
    const [earned] = given ? titleWords(given.title, given.value) : [""];
    const name = `${places[at]}. ${player.name}${hasWon ? " ★" : ""}`;
    pen.fillText(earned ? `${name} · ${earned}` : name, margin, y, width - 320);
    pen.textAlign = "right";
    pen.fillText(String(points), width - margin, y);
  });
  saveFile("racing-demon.png", canvas.toDataURL("image/png"));
}

/**
 * @param {string} name
 * @param {string} url of what is saved
 */
function saveFile(name, url) {
  const link = /** @type {HTMLAnchorElement} */ (element("a"));
  link.download = name;
  link.href = url;
  link.click();
}
