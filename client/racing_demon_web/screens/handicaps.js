// Handicaps: whose game is harder or easier, in words and as a form.

import { choice, element } from "../dom.js";
import { dealtHandicaps, heapSize } from "../rules/handicaps.js";
import { LATER } from "../words_later.js";

/**
 * @import { Handicap } from "../rules/layout.js"
 * @import { TableState } from "../rules/state.js"
 */

const EXTRA_HEAP = 10; // the greatest difference on offer; other values come with the seat
const HEAPS = [1, 30];
const DELAYS_S = [0, 1, 2, 3, 5, 10, 15, 20, 30, 45, 60];
const POINTS = [-20, -10, -5, -3, -2, -1, 0, 1, 2, 3, 5, 10, 20];

/** Whether a change is at least as hard, by the place of a value in its handicap. */
const IS_HARDER = [
  (/** @type {number} */ to, /** @type {number} */ from) => to >= from,
  (/** @type {number} */ to, /** @type {number} */ from) => to >= from,
  (/** @type {number} */ to, /** @type {number} */ from) => to <= from,
];

/** The words of each value, by its place. */
const WORDS_OF = [LATER.heapBy, LATER.startsLater, LATER.pointsAHand];

/**
 * The handicap by which a seat is dealt to next, such as "2 more in the heap, starts 5 s later"; empty without one.
 * @param {TableState} table
 * @param {number} seat
 */
export function handicapText(table, seat) {
  const { options, seats, results, isBetweenMatches } = table;
  const [own] = dealtHandicaps({ options, seats, results: isBetweenMatches ? [] : results }, table.game, [
    seat,
  ]);
  return (own ?? []).flatMap((value, at) => (value ? [WORDS_OF[at](value)] : [])).join(", ");
}

/**
 * The players with what may be changed of their handicaps.
 * @param {TableState} table
 * @param {number | null} own this player's seat
 * @param {(name: string, fields: any) => void} command
 */
export function handicapRows(table, own, command) {
  const isHost = own !== null && table.host === own;
  const rows = [...table.seats.values()]
    .filter(({ seat, left }) => !left && (isHost || seat === own))
    .map(({ seat, name }) => {
      const row = element("fieldset", "handicap");
      const legend = element("legend");
      legend.append(element("bdi", "", name));
      row.append(legend, ...selects(table, seat, isHost, command));
      return row;
    });
  return [element("p", "", isHost ? LATER.handicapsText : LATER.handicapsOwnText), ...rows];
}

/**
 * @param {TableState} table
 * @param {number} seat
 * @param {boolean} isHost
 * @param {(name: string, fields: any) => void} command
 */
function selects(table, seat, isHost, command) {
  const given = () => /** @type {Handicap} */ (table.seats.get(seat)?.handicap ?? [0, 0, 0]);
  const heap = heapSize(table.game, table.options);
  const offered = [
    heap === null
      ? []
      : [...Array(2 * EXTRA_HEAP + 1).keys()]
          .map((at) => at - EXTRA_HEAP)
          .filter((extra) => heap + extra >= HEAPS[0] && heap + extra <= HEAPS[1]),
    DELAYS_S,
    POINTS,
  ];
  return offered.flatMap((values, at) => {
    if (values.length === 0) return [];
    const now = given()[at];
    const known = values.includes(now) ? values : [...values, now].sort((one, other) => one - other);
    const node = document.createElement("select");
    node.append(
      ...known
        .filter((value) => isHost || IS_HARDER[at](value, now))
        .map((value) =>
          choice(String(value), value === 0 ? LATER.asAll : WORDS_OF[at](value), value === now),
        ),
    );
    node.addEventListener("change", () => {
      const handicap = [...given()];
      handicap[at] = Number(node.value);
      command("set_handicap", { seat, handicap });
    });
    const row = element("label", "option");
    row.append(element("span", "", LATER.handicapParts[at]), node);
    return [row];
  });
}
