// The dialog over the page, and the address of a table for others.

import { button, byId, element } from "../dom.js";
import { WORDS } from "../words.js";

const AGAIN_MS = 3000; // before a QR code that failed to load is requested again

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

/**
 * The origin at which other devices reach the server, which localhost is not; null if there is none. And
 * whether it has a tunnel, too.
 * @returns {Promise<{origin: string | null, tunnel?: boolean}>}
 */
export async function addressForOthers() {
  const answer = await fetch("/origin.json").catch(() => null);
  return answer?.ok ? answer.json().catch(() => location) : location;
}

/**
 * Show the address of a table as a QR code. The server draws it, so there is none of an invitation's secret.
 * @param {HTMLImageElement} picture
 * @param {string | null} origin null: there is none
 * @param {string} code
 */
export function showQr(picture, origin, code) {
  const source = `/qr/${code}.svg?${origin}`; // so that a changed address loads another image
  picture.hidden = origin === null || code < "A"; // a word begins with a digit
  if (picture.hidden || picture.getAttribute("src") === source) return;
  picture.src = source;
  picture.onerror = () =>
    setTimeout(() => picture.getAttribute("src") === source && (picture.src = source), AGAIN_MS);
  picture.alt = WORDS.qrCode(`${origin}/${code}`);
  picture.className = "qr";
}
