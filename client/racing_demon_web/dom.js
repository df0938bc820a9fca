// Elements of the page: made, and written only where something is new.

/** @type {MediaQueryList | undefined} */
let reducedMotion;
/** Whether the device asks for no motion. */
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

/**
 * Keep the text of an element where the page is translated: names, codes and signs.
 * @param {HTMLElement} node
 */
export function asIs(node) {
  node.setAttribute("translate", "no");
  return node;
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
 * One of the options of a `select`.
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

/** What each element looks like now, so that only changes are written. @type {WeakMap<Element, Map<string, unknown>>} */
const looks = new WeakMap();

/**
 * Note what an element is to look like; tell whether that is new.
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
 * Set the text of an element, if it is another one. What a translator has made of the last one counts for nothing.
 * @param {Element | null} node
 * @param {string} text
 */
export function setText(node, text) {
  if (!node || !isNew(node, "text", text)) return;
  const first = node.firstChild; // to write a text costs less than to make one
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
 * Play a short animation, where motion is wanted.
 * @param {Element | undefined} node
 * @param {PropertyIndexedKeyframes} frames
 * @param {number} duration milliseconds
 * @param {string} [pseudoElement]
 */
export function move(node, frames, duration, pseudoElement) {
  if (!isCalm()) node?.animate(frames, { duration, easing: "ease-out", pseudoElement });
}
