// Questions that few people are asked before their first card.

import { button, element } from "../dom.js";
import { settings } from "../storage.js";
import { askAs, keptPeople, knownPeople, Person, personCalled } from "../wire/person.js";
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

/**
 * Ask whose a name is that nobody here has: of whoever was chosen last, under another name, or of somebody new.
 * @param {import("./dialog.js").Dialog} dialog
 * @param {HTMLInputElement} field where the name was typed; it gets what the server has made of it
 * @param {() => void} go goes on under the name; it is not called if the dialog is closed
 */
export function askWho(dialog, field, go) {
  const name = field.value.trim();
  const last = personCalled(settings.name) ?? knownPeople().pop();
  if (!name || !last || keptPeople().isOn === false || personCalled(name)) return go();
  const goOn = () => {
    dialog.close();
    go();
  };
  const status = element("p", "", LATER.renameOrNewText(name));
  status.setAttribute("role", "status");
  const rename = async () => {
    status.textContent = LATER.loading;
    const person = new Person(last.name, undefined, last.player);
    const answer = await askAs(person, { name: "rename", fields: { name } });
    if (answer.name !== "identified") status.textContent = answer.fields.text || LATER.noAnswer;
    else if (dialog.isOpen) {
      field.value = answer.fields.name;
      goOn();
    }
  };
  dialog.open(LATER.renameOrNew(last.name), [
    status,
    button(LATER.renameTo(last.name, name), rename),
    button(LATER.somebodyNew(name), goOn),
  ]);
}
