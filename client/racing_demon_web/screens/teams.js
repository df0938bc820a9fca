// Who plays for which team: a form.

import { choice, element } from "../dom.js";
import { teamText } from "../words.js";
import { LATER } from "../words_later.js";

/** @import { TableState } from "../rules/state.js" */

/**
 * A choice of the team, for each player: for oneself or, as the host, for everybody.
 * @param {TableState} table
 * @param {number | null} own this player's seat
 * @param {(name: string, fields: any) => void} command
 */
export function teamRows(table, own, command) {
  const isHost = own !== null && table.host === own;
  const rows = [...table.seats.values()]
    .filter(({ seat, left }) => !left && (isHost || seat === own))
    .map(({ seat, name, team: current }) => {
      const node = document.createElement("select");
      node.append(
        ...[...Array(table.options.teams ?? 0).keys()].map((team) =>
          choice(String(team), teamText(team), team === current),
        ),
      );
      node.addEventListener("change", () => command("set_team", { seat, team: Number(node.value) }));
      const row = element("label", "option");
      row.append(element("bdi", "", name), node);
      return row;
    });
  return [element("p", "", isHost ? LATER.teamsText : LATER.teamsOwnText), ...rows];
}
