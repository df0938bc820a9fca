// The page: which screen is shown, how a table is entered, and what is drawn when.

import { button, byId, element, Frames, setText } from "./dom.js";
import { load, loaded, loadStyle, onLoadError, preload, whenLoaded, withModule, withSound } from "./lazy.js";
import { BASE, codeIn, pageIn, pathOf } from "./links.js";
import { hex, randomBytes } from "./proof/sha256.js";
import { install, isOutdated, reloadWhenOutdated } from "./pwa.js";
import { GAMES, TABLES } from "./rules/games.js";
import { Dialog } from "./screens/dialog.js";
import { LobbyScreen } from "./screens/lobby.js";
import {
  applySettings,
  changeSettings,
  forgetSeat,
  isFramed,
  isSameName,
  keepSeat,
  read,
  seatsOf,
  setAside,
  settings,
  tokenOf,
  unstoredSeat,
} from "./storage.js";
import { makeCard } from "./table/board_view.js";
import { TableScreen } from "./table/table_screen.js";
import { MatchLog } from "./wire/match_log.js";
import { CLOSE, LIMITS, SHORT } from "./wire/protocol.js";
import { Session, webSocketUrl } from "./wire/session.js";
import { CLOSES, namesOf, raceWords, refusalText, WORDS } from "./words.js";

/** @param {string} id */
const field = (id) => /** @type {HTMLInputElement} */ (byId(id));
const typedName = () => field("name").value.trim();
const SETTLE_MS = 600;
const AGAIN_MS = 2000; // before a file that failed to load is requested again
const MAX_LIST_MS = 1000; // how long the first screen waits for the list of open tables
/** Time to read a screen before the page may reload for an upgrade, by phase. @type {Record<string, number>} */
const READING_MS = { lobby: 0, tally: 3000, over: 20_000 };
const SCREENS = ["start", "lobby", "table"];
const SHOWN = ["hand_over", "match_over", "paused"]; // events that the screen itself tells
/** How a table is watched, by what its address ends with, and the style of that. @type {Record<string, string>} */
const VIEWS = { watch: "", tv: "television.css", overlay: "overlay.css" };

/** The table at hand, and how it is watched. */
const page = {
  /** @type {Session | null} */
  session: null,
  view: "", // see VIEWS
  /** The levels of bots that come as soon as the table is open; then it is dealt. @type {string[]} */
  opponents: [],
  /** Whether the first deal comes by itself: until then there is no lobby to see. */
  isDealing: false,
  /** The last lost race of the hand, in words. */
  race: "",
  phaseSince: 0, // when the current phase began
};
const frames = new Frames(render);
const requestRender = () => frames.request();

/** @type {TableScreen} */
let tableScreen;
/** @type {LobbyScreen} */
let lobby;
/** @type {Dialog} */
let dialog;
/**
 * What is made when it is first needed.
 * @type {{menus?: import("./screens/menus.js").Menus, replay?: import("./screens/replay.js").Replay,
 *   overlay?: import("./screens/overlay.js").Overlay, pages?: import("./screens/pages.js").Pages}}
 */
const parts = {};
const match = new MatchLog();

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((over) => setTimeout(over, milliseconds));
const viewInAddress = () => {
  const query = new URLSearchParams(location.search);
  return Object.keys(VIEWS).find((view) => query.has(view)) ?? "";
};

/**
 * Call a function with the table's code in what somebody has typed or pasted, unless that leads elsewhere.
 * @param {(code: string) => void} use
 */
function withCode(use) {
  const typed = field("code").value;
  /** @param {string} code */
  const go = (code) => {
    field("code").value = code;
    use(code);
  };
  if (/^([a-z]{0,8}|\d\w{15})$/i.test(typed)) go(typed.toUpperCase());
  else
    withModule("pasted", ({ readPasted }) => {
      const { code, elsewhere } = readPasted(typed, location.origin + BASE);
      if (elsewhere) location.assign(elsewhere);
      else go(code);
    });
}

/**
 * Tell screen readers what others see on the screen.
 * @param {string} text
 * @param {boolean} [isUrgent]
 */
function tell(text, isUrgent = false) {
  byId(isUrgent ? "alert" : "live").textContent = text;
}

/**
 * Show a toast and announce it to screen readers.
 * @param {string} text
 * @param {boolean} [isUrgent]
 */
function announce(text, isUrgent = false) {
  tell(text, isUrgent);
  const toast = byId("toast");
  toast.textContent = text;
  toast.classList.add("shown");
  whenLoaded("notices", ({ show }) => show(toast));
  clearTimeout(Number(toast.dataset.timer));
  toast.dataset.timer = String(setTimeout(() => toast.classList.remove("shown"), 3500));
}

// Entering.

/**
 * @param {{name: string, fields: any, isNew?: boolean}} entry isNew: whether the token was created for this entry
 * @param {string} [view] how it is watched
 */
function enter(entry, view = "") {
  setView(view);
  changeSettings({ name: typedName() });
  showProblem("");
  page.session?.close();
  const session = new Session(GAMES, listener);
  page.session = session;
  page.isDealing = page.opponents.length > 0;
  tableScreen.attach(session);
  lobby.chat = [];
  match.clear();
  if (entry.name === "resume") {
    session.table.code = entry.fields.code;
    session.token = entry.fields.token;
  }
  const go = () => page.session === session && session.enter(webSocketUrl(), entry);
  if (entry.name === "watch") go();
  else
    load("person")
      .then(({ Person }) => (session.person = new Person(settings.name, announce)))
      .catch(() => null) // a guest
      .then(go);
}

function join() {
  if (isFramed) showProblem(WORDS.isFramed);
  else withCode(joinTable);
}

/** @param {string} code */
function joinTable(code) {
  const name = typedName();
  if (!name) return showProblem(WORDS.enterName, "name");
  if (!code) return showProblem(WORDS.enterCode, "code");
  const seats = seatsOf(code);
  const own = seats.find((seat) => isSameName(seat.name, name));
  if (own) return takeSeat(code, own.token);
  if (seats.length === 0) return asWhom(() => takeSeat(code, seatsOf(code)[0]?.token)); // none but of a second tap
  withModule("questions", ({ askForSeat }) =>
    askForSeat(dialog, seats, name, (seat) => {
      if (seat) field("name").value = seat.name;
      takeSeat(code, seat?.token);
    }),
  );
}

/**
 * Go on under the name that is typed; a device that knows people asks whether another name is one of theirs.
 * @param {() => void} go
 */
function asWhom(go) {
  if (read("people")?.people?.length)
    withModule("questions", ({ askWho }) => askWho(dialog, field("name"), go));
  else go();
}

/**
 * Resume a seat that this device holds at a table, or take a new one.
 * @param {string} code
 * @param {string} [kept] its token
 */
function takeSeat(code, kept) {
  const [name, token] = [typedName(), kept ?? hex(randomBytes(32))];
  dialog.close();
  keepSeat(code, token, kept ? "" : name); // before it is sent, because the answer may be lost
  enter({ name: "join", fields: { code, name, passphrase: field("passphrase").value, token }, isNew: !kept });
}

/**
 * Ask how a new table is to be played, and open it.
 * @param {string} preset that a link names, or empty
 * @param {boolean} [isTv]
 */
function askPreset(preset, isTv = false) {
  withModule("presets", (part) => part.askPreset(dialog, preset, (options) => create(options, isTv)));
}

/**
 * @param {object} [options] none: they are asked for
 * @param {boolean} [isTv] a big screen takes no seat
 */
function create(options, isTv = false) {
  const name = typedName() || (isTv ? WORDS.bigScreen : "");
  if (isFramed) showProblem(WORDS.isFramed);
  else if (!name) showProblem(WORDS.enterName, "name");
  else if (options && isTv) enter({ name: "create", fields: { name, options, seated: false } }, "tv");
  else if (options) asWhom(() => enter({ name: "create", fields: { name: typedName(), options } }));
  else askPreset("");
}

/** Open a table against bots, and deal. */
function playNow() {
  if (isFramed) return showProblem(WORDS.isFramed);
  asWhom(() => {
    page.opponents = ["adaptive", "easy"];
    const name = typedName() || WORDS.player;
    enter({ name: "create", fields: { name, options: SHORT, listed: false } });
  });
}

/** Learn the game at a table of one's own. */
function learn() {
  withModule("lesson", (lesson) =>
    lesson.learn({ page, listener, screen: tableScreen, match, showStart, playNow, dialog }),
  );
}

/** @param {string} view */
function watch(view) {
  withCode((code) => {
    if (code) enter({ name: "watch", fields: { code, passphrase: field("passphrase").value } }, view);
    else if (view === "tv") askPreset("", true);
    else showProblem(WORDS.enterCode, "code");
  });
}

/** @param {string} view */
function setView(view) {
  page.view = view;
  if (VIEWS[view]) loadStyle(VIEWS[view]);
  for (const each of Object.keys(VIEWS)) document.body.classList.toggle(each, each === view);
  document.documentElement.classList.toggle("tv", view === "tv"); // its sizes follow the height
}

/**
 * @param {string} text
 * @param {string} [focus]
 * @param {boolean} [isNotice] whether nothing is wrong
 */
function showProblem(text, focus = "", isNotice = false) {
  Object.assign(byId("problem"), { textContent: text, className: isNotice ? "notice" : "" });
  if (focus) field(focus).focus();
}

function leave() {
  const { session } = page;
  if (!session || loaded.lesson?.leave()) return;
  const end = () => {
    if (page.session !== session) return; // the table ended while the dialog was open
    if (isKept) setAside(session.table.code);
    else if (session.seat !== null) forgetSeat(session.table.code, session.token);
    session.leave();
    page.session = null;
    setView("");
    dialog.close();
    history.replaceState({}, "", `${BASE}/`);
    showStart();
    if (isKept) showProblem(WORDS.leaveBack, "", true);
  };
  const isKept = session.seat !== null && !session.ended && !session.table.isBetweenMatches;
  if (session.seat === null || session.ended) end();
  else dialog.ask(WORDS.leaveTitle, isKept ? WORDS.leaveBack : WORDS.leaveText, WORDS.leave, end);
}

// Messages of the session.

/**
 * What messages do beyond changing the table and its view.
 * @type {Record<string, (session: Session, fields: any, isPast: boolean) => void>}
 */
const HANDLERS = {
  seated: (_, fields) => seated(fields),
  caught_up(session) {
    const { seat, token, table } = session;
    if (seat !== null && token) keepName(session, table.nameOf(seat), token);
    loadEverything();
    const levels = page.opponents.splice(0);
    if (levels.length) whenLoaded("coach", ({ begin }) => begin(session, levels));
    else page.isDealing = false;
  },
  said: ({ table }, { seat, text }) => lobby.addChat(table.nameOf(seat), text),
  snapshot(session) {
    session.proof = "";
    page.phaseSince = session.clock();
  },
  dealt(session) {
    page.isDealing = false;
    loaded.notices?.clear();
    session.proof = page.race = "";
  },
  server_notice(_, { text }) {
    announce(text, true);
  },
  race_lost({ table }, fields) {
    if (!VIEWS[page.view]) tick(raceWords(table, fields)); // elsewhere the ticker says what matters most
  },
  prepared({ table, transcript, seat }, _, isPast) {
    if (table.phase === "shuffling" && !isPast)
      whenLoaded("words", ({ voidWords }) =>
        announce(voidWords(namesOf(table, transcript.voided, seat)), true),
      );
  },
  signalled({ table, seat }, _, isPast) {
    if (!isPast && !table.waiting.includes(seat ?? -1)) go();
  },
  seat_signalled(session, { seat }, isPast) {
    if (!isPast && seat === session.seat) go();
  },
  hand_over(session, { out, seed }, isPast) {
    page.phaseSince = session.clock();
    checkHand(session, seed);
    if (!isPast && out !== null && out === session.seat)
      whenLoaded("results", ({ celebrate }) => celebrate());
  },
  match_over(session, { winners }, isPast) {
    page.phaseSince = session.clock();
    if (isPast) return;
    whenLoaded("results", ({ celebrate, keepResult }) => {
      keepResult(session.table, session.seat);
      if (winners.includes(session.seat)) celebrate();
    });
    const { token } = session;
    if (token) whenLoaded("pages", ({ keepMatch }) => keepMatch(session.table.code, token));
  },
};

/** Say what happens, where it is watched. @param {string} text */
function tick(text) {
  page.race = text;
  tableScreen.tick(text);
  requestRender();
}

const go = () => tell(WORDS.go); // the table screen shows it large

/** @type {import("./wire/session.js").Listener} */
const listener = {
  lacks: (game) => !(game in GAMES || loaded.games),
  message(name, fields, isPast) {
    const session = /** @type {Session} */ (page.session);
    if (parts.replay?.isOpen && name === "committed") parts.replay.close(); // the next hand begins
    if (name !== "seated" && !parts.replay?.isOpen) tableScreen.onEvent(name, fields, isPast);
    match.record(name, fields, session.table);
    HANDLERS[name]?.(session, fields, isPast);
    if (VIEWS[page.view] && !isPast) whenLoaded("ticker", (part) => part.follow(session, name, fields, tick));
    if (!isPast && name !== "played")
      whenLoaded("words", ({ eventSentence }) => {
        const sentence = eventSentence(session.table, name, fields, session.seat);
        if (sentence) (SHOWN.includes(name) && !isOnPage() ? tell : announce)(sentence);
      });
    loaded.wakeLock?.keepAwake(page.view === "tv" || session.table.isDealt || parts.replay?.isOpen === true);
    if (name !== "played" || fields.seat === session.seat) requestRender();
    else if (tableScreen.shows(fields)) frames.soon();
  },
  connection(state, reason, code = 0) {
    const text = CLOSES[code] ?? reason;
    const noAnswer = page.session?.isUnanswered ? WORDS.noAnswer : "";
    document.body.dataset.connection = state;
    byId("offline").hidden = state === "open" || page.session === null;
    byId("offline").textContent = {
      open: "",
      connecting: noAnswer || WORDS.connecting,
      lost: noAnswer || WORDS.connectionLost,
      closed: text || WORDS.connectionClosed,
    }[state];
    if (state === "closed" && page.session) closed(text, code);
    if (code === CLOSE.version) isOutdated().then((is) => is && location.reload());
  },
  refused(fields, command) {
    const text = refusalText(fields);
    page.isDealing = false;
    if (fields.counter === 0) entryRefused(fields.reason, text);
    else if (fields.reason === "beaten" && fields.by !== null) {
      match.lose(fields, command, page.session);
      tableScreen.refused(fields, command?.fields);
    } else if (command?.name === "play_cards" || command?.name === "play_best")
      tableScreen.refused(fields, command.fields);
    else if (fields.reason === "bad_option")
      withModule("options", ({ withLabels }) => announce(withLabels(text), true));
    else announce(text, true);
    requestRender();
  },
};

/** After a (re)connect, load what is still missing: lazy modules, texts, and a newer version of the page. */
function loadEverything() {
  loadStyle("later.css");
  preload();
  loadTexts();
  reloadWhenOutdated(isIdle);
}

/** Whether a reload between hands disturbs nobody now. */
function isIdle() {
  const { session } = page;
  return (
    session?.isCaughtUp === true &&
    document.body.dataset.screen === "lobby" &&
    !dialog.isOpen &&
    !parts.replay?.isOpen &&
    !(document.activeElement instanceof HTMLSelectElement) &&
    session.clock() - page.phaseSince >= READING_MS[session.table.phase]
  );
}

/**
 * Verify the shuffle of a finished hand by dealing it again.
 * @param {Session} session
 * @param {string} secret
 */
async function checkHand(session, secret) {
  const { hand } = session.transcript;
  /**
   * @param {string} text
   * @param {boolean} [isSound]
   */
  const report = (text, isSound = false) => {
    if (session.transcript.hand === hand) Object.assign(session, { proof: text, isSound }); // else the next hand has begun
    requestRender();
  };
  if (!hand?.moves) return report(WORDS.uncheckedUnseen);
  const isOwn = session.seat !== null && session.contributor.counted;
  const proof = await load("proof")
    .catch(() => pause(AGAIN_MS).then(() => load("proof")))
    .catch(() => null);
  if (!proof) return report(WORDS.uncheckedMissing);
  const { text, isSound, isWrong } = proof.check(hand, secret, isOwn, (seat) => session.table.nameOf(seat));
  report(text, isSound);
  if (isWrong) announce(text, true);
}

/** @param {{code: string, seat: number | null}} fields */
function seated({ code, seat }) {
  const session = /** @type {Session} */ (page.session);
  field("code").value = code;
  if (seat !== null && session.token) keepSeat(code, session.token);
  if (history.state === null && !isFramed) {
    history.replaceState(null, "", `${BASE}/`);
    updateAddress("pushState"); // so that Back has an entry to go to
  } else updateAddress("replaceState");
}

/**
 * Keep the name that the server has cleaned, which is offered next time, too.
 * @param {Session} session
 * @param {string} name at the table, perhaps with a number
 * @param {string} token
 */
function keepName({ table, entry }, name, token) {
  keepSeat(table.code, token, name);
  if (entry?.fields.name && !isSameName(name, settings.name)) changeSettings({ name });
  field("name").value = settings.name;
}

/**
 * Set the address to what is shown, so that a reload shows it again.
 * @param {"pushState" | "replaceState"} step
 */
function updateAddress(step) {
  const { seat, table } = /** @type {Session} */ (page.session);
  const state = { watches: seat === null, seat: unstoredSeat(table.code) };
  history[step](state, "", pathOf(table.code, page.view && `?${page.view}`));
  markIcon();
}

/**
 * @param {string} reason
 * @param {string} text
 */
function entryRefused(reason, text) {
  const { token, table, entry, seat } = /** @type {Session} */ (page.session);
  const code = table.code || entry?.fields.code;
  if (reason === "bad_token" || (entry?.isNew && seat === null)) forgetSeat(code, token);
  byId("passphrase-row").hidden = reason !== "bad_passphrase" && byId("passphrase-row").hidden;
  page.session = null;
  page.opponents = [];
  // An icon on a home screen may outlive its table: then everything else is offered.
  if (reason === "unknown_table" && !location.search) history.replaceState({}, "", `${BASE}/`);
  showStart();
  if (reason === "bad_option") withModule("options", ({ withLabels }) => showProblem(withLabels(text)));
  else
    showProblem(text, reason === "bad_name" ? "name" : reason === "bad_passphrase" ? "passphrase" : "code");
}

/**
 * @param {string} text
 * @param {number} code
 */
function closed(text, code) {
  const { session } = page;
  if (session && code === CLOSE.going_away && session.table.results.length) {
    // keep showing the standings
    session.ended = text;
    return requestRender();
  }
  page.session = null;
  byId("offline").hidden = true; // the first screen shows the reason
  showStart();
  showProblem(text || WORDS.connectionClosed, "", code === CLOSE.going_away || code === CLOSE.taken_over);
}

// Rendering.

function render() {
  const { session } = page;
  tableScreen.isSlow = frames.isSlow;
  if (parts.replay?.isOpen || isOnPage() || !session?.table.code || !session.table.options.game) return;
  whenLoaded("colors", ({ useColors }) => useColors(session.table));
  if (page.view === "overlay") return drawOverlay(session);
  const isShown = page.isDealing || document.body.matches(".learning");
  const isPlayed = isShown || (session.table.isPlaying && session.table.hand !== null);
  if (isPlayed) showScreen("table");
  if (document.body.dataset.screen === "table") tableScreen.draw(); // including the card that ended the hand
  if (!isPlayed) {
    showScreen("lobby");
    lobby.draw(session);
  }
  if (!isPlayed || page.view === "tv")
    withModule(
      "invitation",
      ({ showInvitation }) => showInvitation(session, requestRender),
      /** @type {HTMLElement} */ (byId(isPlayed ? "table" : "lobby").querySelector(".address")),
    );
}

/** @param {Session} session */
function drawOverlay(session) {
  withModule("overlay", ({ Overlay }) => {
    parts.overlay ??= new Overlay(requestRender);
    showScreen("overlay");
    parts.overlay.draw(session, page.race);
  });
}

/**
 * @param {"menu" | "speech" | "invite" | "help" | "manage" | "teams"} name
 * @param {number} [seat] whom it is about
 */
function openMenu(name, seat = -1) {
  withModule("menus", ({ Menus }) => {
    parts.menus ??= new Menus({
      session: () => page.session,
      dialog,
      games: GAMES,
      announce,
      leave,
      redraw: requestRender,
      go: openPage,
    });
    parts.menus[name](seat);
  });
}

/**
 * Show a page of results, over a table that goes on.
 * @param {string} path
 * @param {boolean} [isNew] whether Back leads to what is shown now
 */
function openPage(path, isNew = true) {
  if (isNew) history.pushState({}, "", BASE + path);
  loadStyle("later.css");
  const show = (/** @type {typeof import("./screens/pages.js")} */ { Pages }) => {
    parts.pages ??= new Pages({
      games: GAMES,
      announce,
      go: openPage,
      close: closePage,
      replay(record, seat, from, mark) {
        history.pushState({}, "", location.pathname);
        openReplay(record, seat, () => showScreen("page"), from, mark);
      },
    });
    parts.replay?.close();
    showScreen("page");
    parts.pages.show(path);
  };
  withModule("games", () => withModule("pages", show));
}

const isOnPage = () => document.body.dataset.screen === "page";

/** Go back from pages to the table, or to the first screen. */
function closePage() {
  document.body.dataset.screen = "";
  if (page.session) {
    updateAddress("replaceState");
    return requestRender();
  }
  history.replaceState({}, "", `${BASE}/`);
  return showStart();
}

/**
 * @param {any} record see `Replay`
 * @param {number | null} seat
 * @param {() => void} ended
 * @param {number} [from] the event before which it begins
 * @param {import("./screens/moments.js").Mark} [mark]
 */
function openReplay(record, seat, ended, from = record.firstDeal, mark) {
  withModule("replay", ({ Replay }) => {
    parts.replay ??= new Replay(GAMES, tableScreen);
    const close = () => {
      if (page.session) tableScreen.attach(page.session);
      ended();
    };
    parts.replay.open(record, seat, from, close, mark);
  });
}

/** Back closes the replay or dialog first, and leaves the table only after confirmation. */
function back() {
  const shown = pageIn(location);
  if (shown) return openPage(shown, false);
  if (isOnPage()) return closePage();
  if (!page.session && (history.state !== null || location.hash)) return openAddress();
  if (!page.session) return history.back(); // already on the first screen
  updateAddress("pushState");
  if (parts.replay?.isOpen) parts.replay.close();
  else if (dialog.isOpen) dialog.close();
  else leave();
}

/** @param {string} name */
function showScreen(name) {
  const { dataset, classList } = document.body;
  if (dataset.screen === name) return;
  if (dataset.screen === "table") {
    classList.add("settles"); // ignore taps that were meant for the cards
    setTimeout(() => classList.remove("settles"), SETTLE_MS);
  }
  dataset.screen = name;
  for (const screen of SCREENS) byId(screen).hidden = screen !== name;
  if (name !== "table" && !isFramed) byId(name).querySelector("h1")?.focus({ preventScroll: true });
  scrollTo(0, 0); // the screen before may have been scrolled
}

/** Let an icon on the home screen open the table that is shown now, under this player's name. */
function markIcon() {
  const { name } = settings;
  const code = codeIn({ pathname: location.pathname, hash: "" }); // no invitation's word
  const at = code + (name && `#${new URLSearchParams({ name })}`);
  const link = /** @type {HTMLLinkElement} */ (document.querySelector("link[rel=manifest]"));
  link.href = `${BASE}/manifest.webmanifest${at && `?${new URLSearchParams({ at })}`}`;
}

/** Offer whoever follows a link nothing but its table. */
const markInvitation = () => byId("start").classList.toggle("invites", codeIn(location) !== "");

/** Show the first screen, with up-to-date results and open tables. */
async function showStart() {
  loaded.wakeLock?.keepAwake(false);
  markInvitation();
  markIcon();
  showScreen("start");
  const isKnown = isFramed || Boolean(read("learned") || read("hands") || settings.name);
  byId("learn").hidden = isKnown;
  byId("play-now").classList.toggle("primary", isKnown);
  const target = byId("tables");
  const code = codeIn(location);
  await (code ? whenLoaded : withModule)(
    "tables",
    ({ listTables }) => listTables(target, GAMES, choose, code),
    target,
  );
}

// Start-up.

function addListeners() {
  const wake = () => page.session?.wake();
  byId("join-form").addEventListener("submit", (event) => {
    event.preventDefault();
    join();
  });
  byId("learn").addEventListener("click", learn);
  byId("play-now").addEventListener("click", playNow);
  byId("how").addEventListener("click", () => openMenu("help"));
  byId("create").addEventListener("click", () => create());
  byId("watch").addEventListener("click", () => watch(viewInAddress()));
  byId("tv").addEventListener("click", () => watch("tv"));
  byId("lobby-menu").addEventListener("click", () => openMenu("menu"));
  byId("standings").addEventListener("click", () => openPage("/scores"));
  window.addEventListener("popstate", back);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    wake();
    requestRender();
  });
  for (const name of ["pageshow", "online", "focus"]) window.addEventListener(name, wake);
  /** @type {any} */ (navigator).connection?.addEventListener("change", wake); // another network
  window.addEventListener("resize", requestRender);
  for (const name of ["pointerup", "keydown"]) {
    window.addEventListener(name, () => withSound((part) => part.unlock()));
  }
  setInterval(() => page.session && document.body.dataset.screen !== "start" && requestRender(), 500);
}

const fetchTexts = async () => (await fetch(new URL("texts.json", import.meta.url))).json();

/** Load the games' descriptions, unless they are loaded. */
async function loadTexts() {
  if (Object.values(GAMES).some((game) => game.text)) return;
  try {
    const [texts] = await Promise.all([fetchTexts(), load("games")]);
    for (const name of Object.keys(texts)) GAMES[name].text = texts[name];
  } catch {
    // they are asked for again at the next connection
  }
}

/** Choose an open table. @param {{code: string, locked: boolean}} table */
function choose({ code, locked }) {
  field("code").value = code;
  byId("passphrase-row").hidden = !locked;
  if (locked) field("passphrase").focus();
  else join(); // which asks for a name, if there is none
}

/** Fill in the static words and limits that `index.html` refers to. */
function fillIn() {
  const words = /** @type {Record<string, any>} */ (WORDS);
  for (const node of document.querySelectorAll("[data-word]"))
    node.textContent = words[node.getAttribute("data-word") ?? ""];
  for (const node of document.querySelectorAll("[data-label]"))
    node.setAttribute("aria-label", words[node.getAttribute("data-label") ?? ""]);
  field("name").maxLength = LIMITS.name;
  field("passphrase").maxLength = LIMITS.passphrase;
}

async function begin() {
  if (codeIn(location) && viewInAddress() === "overlay") setView("overlay"); // nothing else is ever seen over somebody's picture
  applySettings();
  fillIn();
  if (!getComputedStyle(document.documentElement).getPropertyValue("--ground")) throw new Error("style.css");
  dialog = new Dialog();
  onLoadError((again, target) => {
    const items = [
      element("p", "", WORDS.partMissing),
      button(WORDS.tryAgain, () => {
        if (!target) dialog.close();
        again();
      }),
    ];
    if (target) target.replaceChildren(...items);
    else dialog.open(WORDS.notLoaded, items);
    reloadWhenOutdated(isIdle);
  });
  tableScreen = new TableScreen(byId("table"), {
    tables: TABLES,
    games: GAMES,
    announce,
    tell,
    openMenu: () => openMenu("menu"),
    openSpeech: () => openMenu("speech"),
    openHelp: () => openMenu("help"),
    learn,
    requestRender,
  });
  lobby = new LobbyScreen(byId("lobby"), {
    analyze: (list) =>
      withModule(
        "results",
        ({ analyze }) => {
          const { session } = page;
          if (session)
            analyze(list, session, match, TABLES, GAMES, (from, mark) =>
              openReplay(match, session.seat, requestRender, from, mark),
            );
        },
        list,
      ),
    games: GAMES,
    command: (name, fields) => page.session?.command(name, fields),
    share: () => openMenu("invite"),
    manage: (seat) => openMenu("manage", seat),
    teams: () => openMenu("teams"),
    dealAlone: (deal) => withModule("questions", ({ askToDealAlone }) => askToDealAlone(dialog, deal)),
    leave,
    watchAgain: () => openReplay(match, page.session?.seat ?? null, requestRender),
    results: () => openPage("/matches"),
  });
  addListeners();
  field("name").value = settings.name;
  byId("start")
    .querySelector(".fan")
    ?.append(
      ...[12, 24, 36, 39]
        .map((card) => makeCard(card))
        .map((card, at) => {
          card.style.setProperty("--at", String(at));
          return card;
        }),
    );
  install();
  await Promise.race([showStart(), pause(MAX_LIST_MS)]);
  byId("start").classList.add("is-ready");
  byId("loading").remove();
  loadTexts();
  openAddress();
}

/**
 * Keep the seat that a link brings from another device or address, unless this one holds a seat at the table; and
 * offer the name that an icon on the home screen brings, which may have a storage of its own.
 * @param {string} code
 */
function readLink(code) {
  const token = /seat=([0-9a-f]{64})$/.exec(location.hash)?.[1];
  const name = new URLSearchParams(location.hash.slice(1)).get("name");
  if (!token && !name) return;
  history.replaceState(history.state, "", pathOf(code, location.search)); // no copy of the address has it
  if (name) field("name").value ||= name.slice(0, LIMITS.name);
  if (token && code && !tokenOf(code)) keepSeat(code, token);
}

/** Go where the address points: to a table or the first screen. */
function openAddress() {
  const shown = pageIn(location);
  if (shown) return openPage(shown, false);
  const code = codeIn(location);
  field("code").value = code;
  markInvitation();
  readLink(code);
  const token = code ? (history.state?.seat ?? tokenOf(code)) : null;
  const view = viewInAddress();
  if (code && (view || isFramed || history.state?.watches)) watch(view);
  else if (token) enter({ name: "resume", fields: { code, token } });
  else (settings.name ? field("code") : field("name")).focus();
  if (location.pathname === `${BASE}/new`)
    askPreset(new URLSearchParams(location.search).get("preset") ?? "");
}

begin().catch((error) => {
  /** @type {HTMLElement} */ (document.querySelector("main")).hidden = true;
  byId("loading").className = "failed";
  setText(byId("loading").firstElementChild, WORDS.pageMissing);
  console.error(error);
});
