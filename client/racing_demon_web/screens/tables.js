// The list of public tables.

import { asIs, button, byId, element, setText, token } from "../dom.js";
import { load, loadStyle } from "../lazy.js";
import { BASE } from "../links.js";
import { DEFAULTS } from "../wire/presets.js";
import { inWords, WORDS } from "../words.js";
import { presentWords, tableSummary } from "../words_later.js";
import { terms, titleText } from "./terms.js";

loadStyle("later.css");

/** @returns {Promise<any[]>} the open tables; none where the server does not list them, or cannot be reached */
export async function openTables() {
  try {
    const tables = await (await fetch(`${BASE}/tables.json`)).json();
    return Array.isArray(tables) ? tables : [];
  } catch {
    return [];
  }
}

/**
 * What the server tells of a table before somebody sits down; nothing if it does not know the code.
 * @param {string} code
 */
const tableOf = async (code) => {
  const isWord = code < "A"; // of a tunnel, which tells nothing before
  const answer = isWord ? null : await fetch(`${BASE}/tables/${code}.json`).catch(() => null);
  return answer?.ok ? answer.json().catch(() => null) : null;
};

/**
 * List the server's public tables, with a button to choose each; or tell of the one to which somebody is invited.
 * @param {HTMLElement} target
 * @param {any} games
 * @param {(table: any) => void} choose
 * @param {string} code of the invitation, or empty
 */
export async function listTables(target, games, choose, code) {
  const tables = code ? [] : await openTables();
  const invited = code ? await tableOf(code) : null;
  if (tables.length || invited) await load("games").catch(() => undefined); // their titles
  invite(invited, games);
  target.replaceChildren(...tables.map((table) => tableRow(table, games, () => choose(table))));
}

/**
 * What is played at a table. Servers that are older than the page tell no options.
 * @param {any} table
 */
const optionsOf = ({ game, options }) => ({ ...DEFAULTS, game, ...options });

/**
 * Whose table it is to which somebody is invited, what is played there, and who is there; the code is in the link.
 * @param {any} table or nothing
 * @param {any} games
 */
function invite(table, games) {
  byId("start").classList.toggle("told", Boolean(table));
  const lead = /** @type {HTMLElement} */ (document.querySelector(".lead"));
  setText(byId("start-title"), table?.host ? WORDS.tableOf(table.host) : WORDS.title);
  setText(lead, WORDS.lead);
  if (!table) return;
  const options = optionsOf(table);
  const names = namesOf(table);
  const tokens = element("span", "seats");
  tokens.append(...names.map(([seat, name]) => token(seat, name)), ...freeSeats(table));
  tokens.setAttribute("aria-hidden", "true"); // told in words
  lead.replaceChildren(
    element("span", "", [titleText(options, games), ...terms(options, games, table.players)].join(" · ")),
    tokens,
    asIs(element("span", "", presentWords(table, names.map(([, name]) => name).filter(Boolean)))),
  );
}

/** An outline for each free seat. @param {{seats: number, players: number}} table */
const freeSeats = ({ seats, players }) =>
  [...Array(Math.max(0, seats - players))].map(() => element("i", "seat-free"));

/**
 * Who sits at a table. Servers that are older than the page tell no names.
 * @param {any} table
 * @returns {[number, string][]}
 */
const namesOf = ({ names }) => (Array.isArray(names) ? names : []);

/**
 * A table as a card: whose it is, what is played there, who has sat down, and how many seats are free.
 * @param {any} table
 * @param {any} games
 * @param {() => void} choose
 */
function tableRow(table, games, choose) {
  const row = element("li");
  const press = button("", choose);
  const seats = element("span", "seats");
  const names = namesOf(table);
  seats.append(...names.map(([seat, name]) => token(seat, name)), ...freeSeats(table));
  seats.setAttribute("aria-hidden", "true"); // told in words
  const present = names.map(([, name]) => name).filter(Boolean);
  const title = table.options ? titleText(optionsOf(table), games) : (games[table.game]?.title ?? table.game);
  press.append(
    asIs(element("strong", "", table.host ? WORDS.tableOf(table.host) : WORDS.table)),
    element("span", "", tableSummary(table, title)),
    seats,
    asIs(element("span", "unseen", inWords(present))),
    element("span", "go", WORDS.join),
    asIs(element("b", "unseen", table.code)),
  );
  row.append(press);
  return row;
}
