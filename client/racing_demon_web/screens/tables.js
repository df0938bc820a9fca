// The list of public tables.

import { asIs, button, element } from "../dom.js";
import { BASE } from "../links.js";
import { tableSummary } from "../words_later.js";

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
 * A table's row, with a button that chooses it.
 * @param {any} table
 * @param {any} games
 * @param {() => void} choose
 */
export function tableRow(table, games, choose) {
  const row = element("li");
  const press = button("", choose);
  press.append(
    asIs(element("b", "", table.code)),
    element("bdi", "", table.host),
    element("span", "", tableSummary(table, games)),
  );
  row.append(press);
  return row;
}
