// Elements of the page, written only where something is new, and the faces of cards.

import { rank, suit, UNKNOWN } from "../rules/layout.js";
import { COURTS, RANKS, SUITS } from "../words.js";

const SVG = "http://www.w3.org/2000/svg";
export const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * @returns {HTMLElement}
 * @param {string} tag
 * @param {string} [className]
 * @param {string} [text]
 */
export function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return tag === "bdi" ? asIs(made) : made;
}

/**
 * Keep the text of an element where the page is translated: names, codes and signs.
 * @param {HTMLElement} made
 */
export function asIs(made) {
  made.setAttribute("translate", "no");
  return made;
}

/**
 * @param {string} text
 * @param {() => unknown} press
 * @param {string} [label]
 */
export function button(text, press, label = "") {
  const made = /** @type {HTMLButtonElement} */ (element("button", "", text));
  made.type = "button";
  if (label) made.setAttribute("aria-label", label);
  made.addEventListener("click", press);
  return made;
}

/**
 * One of the options of a `select`.
 * @param {string} value
 * @param {string} text
 * @param {boolean} isChosen
 */
export function choice(value, text, isChosen) {
  const made = document.createElement("option");
  made.value = value;
  made.textContent = text;
  made.selected = isChosen;
  return made;
}

/** What each element looks like now, so that only changes are written. @type {WeakMap<Element, Map<string, unknown>>} */
const looks = new WeakMap();

/**
 * Note what an element is to look like; tell whether that is new.
 * @param {Element} made
 * @param {string} name
 * @param {unknown} value
 */
export function isNew(made, name, value) {
  let look = looks.get(made);
  if (!look) looks.set(made, (look = new Map()));
  if (look.get(name) === value) return false;
  look.set(name, value);
  return true;
}

/**
 * Set the text of an element, if it is another one. What a translator has made of the last one counts for nothing.
 * @param {Element | null} made
 * @param {string} text
 */
export function setText(made, text) {
  if (!made || !isNew(made, "text", text)) return;
  const node = made.firstChild; // to write a text costs less than to make one
  if (node instanceof Text && !node.nextSibling) node.data = text;
  else if (node || text) made.textContent = text;
}

/**
 * @param {HTMLElement} made
 * @param {string} name
 * @param {string} value
 */
export function setStyle(made, name, value) {
  if (isNew(made, name, value)) made.style.setProperty(name, value);
}

/**
 * @param {Element} made
 * @param {string} name
 * @param {boolean} has
 */
export function setClass(made, name, has) {
  if (isNew(made, `.${name}`, has)) made.classList.toggle(name, has);
}

/**
 * Play a short animation, where motion is wanted.
 * @param {Element | undefined} made
 * @param {PropertyIndexedKeyframes} frames
 * @param {number} duration milliseconds
 * @param {string} [pseudoElement]
 */
export function move(made, frames, duration, pseudoElement) {
  if (!isCalm.matches) made?.animate(frames, { duration, easing: "ease-out", pseudoElement });
}

/**
 * A picture from the page's sprite: a copy of its path, which costs less than a reference to it.
 * @param {string} name
 * @param {string} [className]
 */
function picture(name, className = "") {
  const symbol = /** @type {Element} */ (document.getElementById(name));
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", symbol.getAttribute("viewBox") ?? "");
  svg.setAttribute("aria-hidden", "true");
  if (className) svg.setAttribute("class", className);
  svg.append(...[...symbol.children].map((path) => path.cloneNode()));
  return svg;
}

/**
 * A card's face in words, such as "7 of hearts".
 * @param {number} card
 */
export function faceName(card) {
  if (card === UNKNOWN) return "a card face down";
  const court = COURTS[rank(card)];
  return `${court ?? rank(card)} of ${SUITS[suit(card)]}`;
}

/**
 * A card's face in two signs.
 * @param {number} card
 */
export function short(card) {
  return card === UNKNOWN ? "▮" : RANKS[rank(card) - 1] + "♠♥♣♦"[suit(card)];
}

/** The faces that were drawn already: the next one is a copy. @type {Map<string, HTMLElement>} */
const faces = new Map();

/**
 * A card of its own, face up or down.
 * @param {number} card
 * @param {boolean} [isFlat] only its index is shown
 * @returns {HTMLElement}
 */
export function makeCard(card, isFlat = false) {
  if (card === UNKNOWN) return element("div", "card back");
  const name = faceOf(card, isFlat);
  let face = faces.get(name);
  if (!face) faces.set(name, (face = drawFace(card, isFlat)));
  const made = /** @type {HTMLElement} */ (face.cloneNode(true));
  setRank(made, card);
  return made;
}

/**
 * What a card looks like, but for the rank in its corner.
 * @param {number} card
 * @param {boolean} isFlat
 */
export const faceOf = (card, isFlat) =>
  card === UNKNOWN ? "" : `${suit(card)} ${isFlat} ${rank(card) === 1 || rank(card) > 10 ? rank(card) : ""}`;

/**
 * @param {HTMLElement} made
 * @param {number} card
 */
export function setRank(made, card) {
  /** @type {ChildNode} */ (made.firstChild?.firstChild).nodeValue = RANKS[rank(card) - 1];
}

/**
 * @param {number} card
 * @param {boolean} isFlat
 */
function drawFace(card, isFlat) {
  const rich = rank(card) === 1 ? " ace" : rank(card) > 10 ? " royal" : "";
  const made = element("div", `card face s${suit(card)}${rich}${isFlat ? " plain" : ""}`);
  const index = element("b", "index", " ");
  index.append(picture(`suit-${suit(card)}`));
  made.append(index);
  if (isFlat) return made;
  made.append(picture(`suit-${suit(card)}`, "pip"));
  if (rank(card) > 10) made.append(picture(`court-${rank(card)}`, "court"));
  return made;
}
