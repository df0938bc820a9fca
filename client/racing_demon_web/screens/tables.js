// The list of public tables.

import { asIs, button, element, token } from "../dom.js";
import { load, loadStyle } from "../lazy.js";
import { BASE } from "../links.js";
import { inWords, WORDS } from "../words.js";
import { tableSummary } from "../words_later.js";

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
 * List the server's public tables, with a button to choose each.
 * @param {HTMLElement} target
 * @param {any} games
 * @param {(table: any) => void} choose
 */
export async function listTables(target, games, choose) {
  const tables = await openTables();
  if (tables.length) await load("games").catch(() => undefined); // their titles
  target.replaceChildren(...tables.map((table) => tableRow(table, games, () => choose(table))));
}

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
  // Servers that are older than the page tell no names.
  const names = Array.isArray(table.names) ? table.names : [];
  seats.append(
    ...names.map((/** @type {[number, string]} */ [seat, name]) => token(seat, name)),
    ...[...Array(Math.max(0, table.seats - table.players))].map(() => element("i", "seat-free")),
  );
  seats.setAttribute("aria-hidden", "true"); // told in words
  const present = names.map((/** @type {[number, string]} */ [, name]) => name).filter(Boolean);
  press.append(
    asIs(element("strong", "", table.host ? WORDS.tableOf(table.host) : WORDS.table)),
    element("span", "", tableSummary(table, games)),
    seats,
    asIs(element("span", "unseen", inWords(present))),
    asIs(element("b", "unseen", table.code)),
  );
  row.append(press);
  return row;
}
