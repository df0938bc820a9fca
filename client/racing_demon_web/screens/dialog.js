// The dialog over the page.

import { button, byId, element } from "../dom.js";
import { WORDS } from "../words.js";

export class Dialog {
  /** @type {Element | null} */
  #focusBefore = null;

  constructor() {
    byId("sheet-close").addEventListener("click", () => this.close());
    byId("sheet").addEventListener("click", (event) => event.target === byId("sheet") && this.close());
    byId("sheet").addEventListener("keydown", (event) => this.#key(event));
  }

  get isOpen() {
    return !byId("sheet").hidden;
  }

  /**
   * @param {string} title
   * @param {HTMLElement[]} items
   */
  open(title, items) {
    if (!this.isOpen) this.#focusBefore = document.activeElement;
    byId("sheet").hidden = false;
    byId("sheet-title").textContent = title;
    byId("sheet-items").replaceChildren(...items);
    byId("sheet-close").focus();
  }

  /**
   * Ask for confirmation. Not by `confirm`, which browsers may suppress.
   * @param {string} title
   * @param {string} text what it means
   * @param {string} yes
   * @param {() => void} act
   */
  ask(title, text, yes, act) {
    const agree = button(yes, () => {
      this.close();
      act();
    });
    this.open(title, [element("p", "", text), agree, button(WORDS.cancel, () => this.close())]);
  }

  close() {
    byId("sheet").hidden = true;
    if (this.#focusBefore instanceof HTMLElement) this.#focusBefore.focus();
  }

  /**
   * Close on Escape, and keep the focus inside.
   * @param {KeyboardEvent} event
   */
  #key(event) {
    if (event.key === "Escape") this.close();
    if (event.key !== "Tab") return;
    const inside = [...byId("sheet").querySelectorAll("button, input, select")].filter(
      (each) => each instanceof HTMLElement,
    );
    const [first, last] = [inside[0], inside[inside.length - 1]];
    const target =
      event.shiftKey && document.activeElement === first
        ? last
        : !event.shiftKey && document.activeElement === last
          ? first
          : null;
    if (!target) return;
    event.preventDefault();
    target.focus();
  }
}
