// The page: which screen is shown, how a table is entered, and what is drawn when.

import { element } from "./draw.js";
import { Lobby, button } from "./lobby.js";
import { Session } from "./session.js";
import { change, keepToken, settings, show, tokenOf } from "./settings.js";
import { hex, randomBytes } from "./sha256.js";
import { unlock } from "./sound.js";
import { TableScreen } from "./table.js";
import { transcript } from "./transcript.js";
import { HELP, REACTIONS, REFUSALS, proofWords, tableWords } from "./words.js";

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @param {string} id */
const field = (id) => /** @type {HTMLInputElement} */ (byId(id));
const SCREENS = ["start", "lobby", "table"];

const page = {
  /** @type {Session | null} */
  session: null,
  isTv: new URLSearchParams(location.search).has("tv"),
  isDue: false,
};

/** @type {TableScreen} */
let tableScreen;
/** @type {Lobby} */
let lobby;
/** @type {any} */
let games;

const socketUrl = () => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/v1`;
const codeOfPath = () => decodeURIComponent(location.pathname.split("/").pop() ?? "").toUpperCase();

/**
 * Tell something: in words at the foot of the page, and to screen readers.
 * @param {string} text
 * @param {boolean} [isUrgent]
 */
function announce(text, isUrgent = false) {
  const live = byId(isUrgent ? "alert" : "live");
  live.textContent = text;
  const toast = byId("toast");
  toast.textContent = text;
  toast.classList.add("shown");
  clearTimeout(Number(toast.dataset.timer));
  toast.dataset.timer = String(setTimeout(() => toast.classList.remove("shown"), 3500));
}

// Entering.

/**
 * @param {{name: string, fields: any}} entry
 */
function enter(entry) {
  change({ name: field("name").value.trim() });
  tell("");
  page.session?.close();
  const session = new Session(games, listener);
  page.session = session;
  tableScreen.attach(session);
  if (entry.name === "resume") {
    session.table.code = entry.fields.code;
    session.token = entry.fields.token;
  }
  session.enter(socketUrl(), entry);
}

function join() {
  const code = field("code").value.trim().toUpperCase();
  const name = field("name").value.trim();
  if (!name) return tell("Enter your name first.", "name");
  if (!code) return tell("Enter the table's code. The host sees it in the lobby.", "code");
  const token = hex(randomBytes(32));
  enter({ name: "join", fields: { code, name, passphrase: field("passphrase").value, token } });
}

function create() {
  const name = field("name").value.trim();
  if (!name) return tell("Enter your name first.", "name");
  enter({ name: "create", fields: { name, options: {}, seated: true } });
}

/** @param {boolean} isTv */
function watch(isTv) {
  const code = field("code").value.trim().toUpperCase();
  if (!code) return tell("Enter the table's code. The host sees it in the lobby.", "code");
  setTv(isTv);
  enter({ name: "watch", fields: { code, passphrase: field("passphrase").value } });
}

/** @param {boolean} isTv */
function setTv(isTv) {
  page.isTv = isTv;
  document.body.classList.toggle("tv", isTv);
}

/**
 * @param {string} text
 * @param {string} [focus]
 */
function tell(text, focus = "") {
  byId("problem").textContent = text;
  if (focus) field(focus).focus();
}

function leave() {
  const { session } = page;
  if (!session) return;
  const code = session.table.code;
  if (session.seat !== null && !confirm("Leave the table? Your seat is given up for good.")) return;
  keepToken(code, null);
  session.leave();
  page.session = null;
  closeSheet();
  history.replaceState(null, "", "/");
  showScreen("start");
}

// What the session tells.

/** @type {import("./session.js").Listener} */
const listener = {
  message(name, fields, isPast) {
    const session = /** @type {Session} */ (page.session);
    if (name === "seated") seated(fields);
    else tableScreen.follow(name, fields, isPast);
    if (name === "dealt" || name === "snapshot") session.proof = "";
    if (name === "hand_over") checkHand(session, fields.seed);
    if (!isPast && ["joined", "left", "connected", "paused", "continued", "hand_over", "match_over", "signalled"].includes(name)) {
      const text = transcript(session.table, name, fields, session.seat);
      if (text) announce(text);
    }
    due();
  },
  connection(state, text) {
    document.body.dataset.connection = state;
    byId("offline").hidden = state === "open" || page.session === null;
    byId("offline").textContent = { open: "", connecting: "Connecting…", lost: "Connection lost. Trying again…", closed: text || "The connection was closed." }[state];
    if (state === "closed" && page.session) closed(text);
  },
  refused(fields, command) {
    const text = REFUSALS[fields.reason] ?? fields.text;
    if (fields.counter === 0) entryRefused(fields.reason, text);
    else if (command?.name === "play_cards") tableScreen.refused(fields, command.fields);
    else announce(text, true);
    due();
  },
};

/**
 * Deal the hand again that is over, and say whether all was as it was promised.
 * @param {Session} session
 * @param {string} secret
 */
async function checkHand(session, secret) {
  const { hand } = session.log;
  if (!hand?.moves) return;
  try {
    const { prove } = await import("./proof.js");
    session.proof = proofWords(prove(hand, secret), session.seat !== null && session.contributor.counted);
  } catch (error) {
    session.proof = `Not right: ${/** @type {Error} */ (error).message}.`;
    announce(session.proof, true);
  }
  due();
}

/** @param {{code: string, seat: number | null}} fields */
function seated({ code, seat }) {
  const session = /** @type {Session} */ (page.session);
  if (seat !== null && session.token) keepToken(code, session.token);
  if (codeOfPath() !== code) history.replaceState(null, "", `/${code}${page.isTv ? "?tv" : ""}`);
}

/**
 * @param {string} reason
 * @param {string} text
 */
function entryRefused(reason, text) {
  const code = field("code").value;
  if (reason === "bad_token") keepToken(code, null);
  byId("passphrase-row").hidden = reason !== "bad_passphrase" && byId("passphrase-row").hidden;
  page.session = null;
  showScreen("start");
  tell(text, reason === "bad_name" ? "name" : reason === "bad_passphrase" ? "passphrase" : "code");
}

/** @param {string} text */
function closed(text) {
  page.session = null;
  showScreen("start");
  tell(text || "The connection was closed.");
}

// Drawing: everything that came since the last picture at once.

function due() {
  if (page.isDue || document.hidden) return;
  page.isDue = true;
  requestAnimationFrame(() => {
    page.isDue = false;
    draw();
  });
}

function draw() {
  const { session } = page;
  if (!session || session.table.code === "" || session.table.seats.size + session.table.seq === 0) return;
  const { table } = session;
  const isPlayed = ["shuffling", "countdown", "playing", "grace"].includes(table.phase) && table.board !== null;
  showScreen(isPlayed || (page.isTv && table.board !== null) ? "table" : "lobby");
  if (isPlayed || page.isTv) tableScreen.draw();
  if (!isPlayed) lobby.draw(session);
  byId("pause-note").hidden = !table.paused;
}

/** @param {string} name */
function showScreen(name) {
  if (document.body.dataset.screen === name) return;
  document.body.dataset.screen = name;
  for (const screen of SCREENS) byId(screen).hidden = screen !== name;
  if (name !== "table") byId(name).querySelector("h1")?.focus();
}

// The menu.

function openMenu() {
  const { session } = page;
  const items = [];
  const isHost = session !== null && session.seat !== null && session.table.host === session.seat;
  const isPlayed = session !== null && !session.table.isBetweenMatches;
  if (session && session.seat !== null) {
    const bar = element("div", "reactions");
    bar.append(...Object.entries(REACTIONS).map(([reaction, text]) => button(text, () => send("react", { reaction }))));
    items.push(bar, chatLine());
  }
  if (isHost && isPlayed) {
    const { paused } = session.table;
    items.push(button(paused ? "Continue the hand" : "Pause the hand", () => send("pause", { paused: !paused, seen: session.table.seq })));
  }
  items.push(...toggles());
  if (session) items.push(button("How to play", help));
  if (session) items.push(button("Show the table as text", () => change({ hasText: !settings.hasText })), button("Invite others", share), button("Leave the table", leave));
  openSheet("Menu", items);
}

/**
 * @param {string} name
 * @param {any} [fields]
 */
function send(name, fields) {
  page.session?.command(name, fields);
  closeSheet();
}

function chatLine() {
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
    if (line.value.trim()) send("say", { text: line.value.trim() });
  });
  return form;
}

function toggles() {
  /**
   * @param {"isFourColour" | "isLarge" | "isLeftHanded" | "hasSound"} name
   * @param {string} text
   */
  const toggle = (name, text) => {
    const made = button(text, () => {
      change({ [name]: !settings[name] });
      made.setAttribute("aria-pressed", String(settings[name]));
      if (name === "hasSound" && settings.hasSound) unlock();
      due();
    });
    made.className = "toggle";
    made.setAttribute("aria-pressed", String(settings[name]));
    return made;
  };
  const themes = ["auto", "dark", "light", "contrast"];
  const theme = button(`Colours: ${settings.theme}`, () => {
    change({ theme: themes[(themes.indexOf(settings.theme) + 1) % themes.length] });
    theme.textContent = `Colours: ${settings.theme}`;
  });
  return [theme, toggle("isFourColour", "Four colours"), toggle("isLarge", "Large figures"), toggle("isLeftHanded", "Left-handed"), toggle("hasSound", "Sounds")];
}

function help() {
  const { session } = page;
  const { text } = session ? games[session.table.options.game] : { text: "" };
  openSheet("How to play", [element("p", "", text), ...HELP.map((line) => element("p", "", line))]);
}

function share() {
  const { session } = page;
  const code = session?.table.code ?? "";
  const address = `${location.origin}/${code}`;
  const line = element("p", "address", address);
  const picture = document.createElement("img");
  picture.src = `/qr/${code}.svg`;
  picture.alt = `QR code of ${address}`;
  picture.className = "qr";
  openSheet("Join this table", [line, picture, button("Copy the link", () => copy(address))]);
}

/** @param {string} text */
function copy(text) {
  const line = document.createElement("textarea");
  line.value = text;
  document.body.append(line);
  line.select();
  const isCopied = document.execCommand("copy"); // the clipboard's own interface needs https
  line.remove();
  announce(isCopied ? "Copied." : text);
}

/** @type {Element | null} */
let focusBefore = null;

/**
 * @param {string} title
 * @param {HTMLElement[]} items
 */
function openSheet(title, items) {
  if (byId("sheet").hidden) focusBefore = document.activeElement;
  byId("sheet").hidden = false;
  byId("sheet-title").textContent = title;
  byId("sheet-items").replaceChildren(...items);
  byId("sheet-close").focus();
}

function closeSheet() {
  byId("sheet").hidden = true;
  if (focusBefore instanceof HTMLElement) focusBefore.focus();
}

// The beginning.

function wire() {
  byId("join-form").addEventListener("submit", (event) => {
    event.preventDefault();
    join();
  });
  byId("create").addEventListener("click", create);
  byId("watch").addEventListener("click", () => watch(false));
  byId("tv").addEventListener("click", () => watch(true));
  byId("sheet-close").addEventListener("click", closeSheet);
  byId("lobby-menu").addEventListener("click", openMenu);
  byId("sheet").addEventListener("keydown", (event) => event.key === "Escape" && closeSheet());
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    page.session?.wake();
    due();
  });
  for (const name of ["pageshow", "online", "focus"]) window.addEventListener(name, () => page.session?.wake());
  window.addEventListener("resize", due);
  for (const name of ["pointerup", "keydown"]) {
    window.addEventListener(name, () => settings.hasSound && unlock());
  }
  setInterval(() => page.session && document.body.dataset.screen === "table" && due(), 500);
}

/**
 * A file of data that lies beside this module.
 * @param {string} name
 */
const load = async (name) => (await fetch(new URL(name, import.meta.url))).json();

/** Show the tables that this server tells everybody, a button each. */
async function listTables() {
  const answer = await fetch("/tables.json").catch(() => null);
  if (!answer || !answer.ok) return;
  const rows = (await answer.json()).map((/** @type {any} */ table) => {
    const row = element("li");
    const press = button("", () => {
      field("code").value = table.code;
      byId("passphrase-row").hidden = !table.locked;
      (settings.name || field("name").value ? byId("join") : field("name")).focus();
    });
    press.append(element("b", "", table.code), element("bdi", "", table.host), element("span", "", tableWords(table, games)));
    row.append(press);
    return row;
  });
  byId("tables").replaceChildren(...rows);
  if (rows.length === 1 && !field("code").value) field("code").value = rows[0].querySelector("b")?.textContent ?? "";
}

async function begin() {
  show();
  setTv(page.isTv);
  const told = await load("games.json");
  games = told.games;
  tableScreen = new TableScreen(byId("table"), { tables: told.tables, announce, openMenu });
  lobby = new Lobby(byId("lobby"), { games, command: send, share, open: openSheet });
  wire();
  field("name").value = settings.name;
  const code = codeOfPath();
  field("code").value = code;
  showScreen("start");
  if (!code) await listTables();
  byId("start").classList.add("is-ready");
  const token = code ? tokenOf(code) : null;
  load("texts.json").then((texts) => Object.keys(texts).forEach((name) => (games[name].text = texts[name])), () => undefined);
  if (code && page.isTv) watch(true);
  else if (token) enter({ name: "resume", fields: { code, token } });
  else (settings.name || !code ? field("code") : field("name")).focus();
}

begin().catch((error) => {
  byId("problem").textContent = `The table could not be loaded. Reload the page to try again. (${error.message})`;
});
