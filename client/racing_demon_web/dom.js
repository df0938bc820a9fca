// Helpers for elements. Setters write to the DOM only if something has changed.

import { TEAM_LETTERS } from "./wire/protocol.js";

/** @param {string} id */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @type {MediaQueryList | undefined} */
let reducedMotion;
/** Whether the device asks for reduced motion. */
export const isCalm = () => (reducedMotion ??= matchMedia("(prefers-reduced-motion: reduce)")).matches;

/**
 * @returns {HTMLElement}
 * @param {string} tag
 * @param {string} [className]
 * @param {string} [text]
 */
export function element(tag, className = "", text = "") {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return tag === "bdi" ? asIs(node) : node;
}

/** The colours of the table's seats, where they are not those of their numbers. @type {Record<number, number>} */
export const colors = {};

/** @param {number} seat */
const colorNumber = (seat) => ((colors[seat] ?? seat) % 8) + 1;

/**
 * Draw something in the colours of another match than the table's.
 * @template T
 * @param {{seat: number, color?: number | null}[]} players
 * @param {() => T} draw
 */
export function inColorsOf(players, draw) {
  const own = { ...colors };
  for (const { seat, color } of players) colors[seat] = color ?? seat;
  const drawn = draw();
  for (const { seat } of players) delete colors[seat];
  Object.assign(colors, own);
  return drawn;
}

/** The colour of a seat. @param {number} seat */
export const colorOf = (seat) => `var(--seat-${colorNumber(seat)})`;

/** The class by which a seat's colours are known to what is inside. @param {number} seat */
export const seatClass = (seat) => `p${colorNumber(seat)}`;

/**
 * A seat's mark: its colour, its shape and the player's initial at once.
 * @param {number} seat
 * @param {string} name
 */
export function token(seat, name) {
  const node = asIs(element("i", `token ${seatClass(seat)}`, [...name][0]?.toUpperCase()));
  node.setAttribute("aria-hidden", "true");
  return node;
}

/**
 * Exclude an element from translation: names, codes and symbols.
 * @param {HTMLElement} node
 */
export function asIs(node) {
  node.setAttribute("translate", "no");
  return node;
}

/**
 * Show the letter of a player's team before the name; nothing where there are no teams.
 * @template {Element} T
 * @param {T} name
 * @param {number | null | undefined} team
 */
export function markTeam(name, team) {
  const letter = TEAM_LETTERS[team ?? -1] ?? "";
  if ((name.getAttribute("data-team") ?? "") !== letter) name.setAttribute("data-team", letter);
  return name;
}

/**
 * @param {string} text
 * @param {() => unknown} press
 * @param {string} [label]
 */
export function button(text, press, label = "") {
  const node = /** @type {HTMLButtonElement} */ (element("button", "", text));
  node.type = "button";
  if (label) node.setAttribute("aria-label", label);
  node.addEventListener("click", press);
  return node;
}

/**
 * An option of a `select`.
 * @param {string} value
 * @param {string} text
 * @param {boolean} isChosen
 */
export function choice(value, text, isChosen) {
  const node = document.createElement("option");
  node.value = value;
  node.textContent = text;
  node.selected = isChosen;
  return node;
}

/** The last written state of each element. @type {WeakMap<Element, Map<string, unknown>>} */
const looks = new WeakMap();

/**
 * Record a state of an element; return whether it has changed.
 * @param {Element} node
 * @param {string} name
 * @param {unknown} value
 */
export function isNew(node, name, value) {
  let look = looks.get(node);
  if (!look) looks.set(node, (look = new Map()));
  if (look.get(name) === value) return false;
  look.set(name, value);
  return true;
}

/**
 * Set the text of an element, if it has changed. Text nodes that a page translator has replaced do not count.
 * @param {Element | null} node
 * @param {string} text
 */
export function setText(node, text) {
  if (!node || !isNew(node, "text", text)) return;
  const first = node.firstChild; // writing a text node is cheaper than creating one
  if (first instanceof Text && !first.nextSibling) first.data = text;
  else if (first || text) node.textContent = text;
}

/**
 * @param {HTMLElement} node
 * @param {string} name
 * @param {string} value
 */
export function setStyle(node, name, value) {
  if (isNew(node, name, value)) node.style.setProperty(name, value);
}

/**
 * @param {Element} node
 * @param {string} name
 * @param {boolean} has
 */
export function setClass(node, name, has) {
  if (isNew(node, `.${name}`, has)) node.classList.toggle(name, has);
}

/**
 * Hide or disable an element. What is written again, though it is so already, is styled again.
 * @param {HTMLElement & {disabled?: boolean}} node
 * @param {"hidden" | "disabled"} name
 * @param {boolean} is
 */
export function setFlag(node, name, is) {
  if (node[name] !== is) node[name] = is;
}

/** The last animation of each element. @type {WeakMap<Element, Animation>} */
const moves = new WeakMap();

/**
 * Play a short animation, unless the device asks for reduced motion. It ends the one before: where two overlap, the
 * page's thread has to draw every frame of both.
 * @param {Element | undefined} node
 * @param {PropertyIndexedKeyframes} frames
 * @param {number} duration milliseconds
 */
export function move(node, frames, duration) {
  if (!node || isCalm()) return;
  moves.get(node)?.cancel();
  moves.set(node, node.animate(frames, { duration, easing: "ease-out" }));
}

// Above this time for a frame, animations are off, until it takes half of it: a page that stands still is quicker.
const SLOW_MS = 12;
const THROTTLE_FACTOR = 2; // other players' moves wait this many frames
const MAX_THROTTLE_MS = 150;

/** When the page is drawn: all changes since the last frame at once, and others' moves less often on slow devices. */
export class Frames {
  isRequested = false;
  timer = 0; // of a frame that is put off
  averageMs = 0; // moving average of the time for a frame
  isSlow = false;
  nextAt = 0; // no frame for other players' moves before this

  /** @param {() => void} draw */
  constructor(draw) {
    this.draw = draw;
  }

  request() {
    if (this.isRequested || document.hidden) return;
    this.isRequested = true;
    requestAnimationFrame((began) => {
      this.isRequested = false;
      clearTimeout(this.timer);
      this.timer = 0;
      this.draw();
      setTimeout(() => {
        // after the browser has painted
        const now = performance.now();
        this.averageMs += (now - began - this.averageMs) / 4;
        this.isSlow = this.averageMs > (this.isSlow ? SLOW_MS / 2 : SLOW_MS);
        this.nextAt = now + Math.min(MAX_THROTTLE_MS, THROTTLE_FACTOR * (now - began));
      });
    });
  }

  /** Ask for a frame that may wait, so that taps stay responsive. */
  soon() {
    if (!this.timer) this.timer = setTimeout(() => this.request(), this.nextAt - performance.now());
  }
}
