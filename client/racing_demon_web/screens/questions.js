// Questions that few people are asked before their first card.

import { button, element } from "../dom.js";
import { LATER } from "../words_later.js";

/**
 * @param {import("./dialog.js").Dialog} dialog
 * @param {{name: string, token: string}[]} seats that the device holds at the table
 * @param {string} name under which somebody wants to join
 * @param {(seat?: {name: string, token: string}) => void} take goes on with a seat, or takes a new one
 */
export function askForSeat(dialog, seats, name, take) {
  dialog.open(LATER.goOnOrJoin(seats[0].name, name), [
    element("p", "", LATER.hasSeat),
    ...seats.map((seat) => button(LATER.goOnAs(seat.name), () => take(seat))),
    button(LATER.joinAs(name), () => take()),
  ]);
}

/**
 * Ask whether somebody wants to play alone; a terminal is better for that.
 * @param {import("./dialog.js").Dialog} dialog
 * @param {() => void} deal
 */
export const askToDealAlone = (dialog, deal) =>
  dialog.ask(LATER.aloneTitle, LATER.aloneText, LATER.dealAlone, deal);
