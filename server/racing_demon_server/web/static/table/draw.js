// Puts a scene on the page: one element a card for the whole hand, moved by transforms alone.

import { UNKNOWN, isRed, rank, suit } from "../rules/layout.js";
import { cardAt } from "./view.js";
import { COURTS, RANKS, SUITS, pileLabel } from "../words.js";

/**
 * @import { Board } from "../rules/board.js"
 * @import { Place } from "./view.js"
 */

const SVG = "http://www.w3.org/2000/svg";
const MOST_FLIGHTS = 8;
const FLIGHT_MS = 160;
const isCalm = matchMedia("(prefers-reduced-motion: reduce)");
/** How long an animation of a class takes, in milliseconds. @type {Record<string, number>} */
const PULSES = { shake: 240, ring: 600, flash: 400 };

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
  return made;
}

/**
 * Set the text of an element, if it is another one.
 * @param {Element | null} made
 * @param {string} text
 */
export function setText(made, text) {
  if (made && made.textContent !== text) made.textContent = text;
}

/** What each element looks like now, so that only changes are written. @type {WeakMap<Element, Map<string, unknown>>} */
const looks = new WeakMap();

/**
 * Note what an element is to look like; tell whether that is new.
 * @param {Element} made
 * @param {string} name
 * @param {unknown} value
 */
function isNew(made, name, value) {
  let look = looks.get(made);
  if (!look) looks.set(made, (look = new Map()));
  if (look.get(name) === value) return false;
  look.set(name, value);
  return true;
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
function setClass(made, name, has) {
  if (isNew(made, `.${name}`, has)) made.classList.toggle(name, has);
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
  const name = `${card % 52} ${isFlat}`;
  let face = faces.get(name);
  if (!face) faces.set(name, (face = drawFace(card, isFlat)));
  return /** @type {HTMLElement} */ (face.cloneNode(true));
}

/**
 * @param {number} card
 * @param {boolean} isFlat
 */
function drawFace(card, isFlat) {
  const rich = rank(card) === 1 ? " ace" : rank(card) > 10 ? " royal" : "";
  const made = element("div", `card face s${suit(card)} ${isRed(card) ? "red" : "black"}${rich}${isFlat ? " plain" : ""}`);
  const index = element("span", "index");
  index.append(element("b", "", RANKS[rank(card) - 1]), picture(`suit-${suit(card)}`));
  made.append(index);
  if (isFlat) return made;
  made.append(picture(`suit-${suit(card)}`, "pip"));
  if (rank(card) > 10) made.append(picture(`court-${rank(card)}`, "court"));
  return made;
}

/** Draws the felt: the own layout and the table's piles. */
export class Felt {
  /**
   * @param {HTMLElement} root
   * @param {() => void} due asks for a picture
   */
  constructor(root, due) {
    this.root = root;
    /** @type {Map<string, HTMLElement>} */
    this.cards = new Map();
    /** @type {Map<number, HTMLElement>} */
    this.slots = new Map();
    this.hand = "";
    /** @type {DOMRect | null} */
    this._box = null;
    new ResizeObserver(() => {
      this._box = null;
      due();
    }).observe(root);
  }

  /** Where the felt is on the page; measured only after it has changed. */
  get box() {
    return (this._box ??= this.root.getBoundingClientRect());
  }

  /** Forget all elements: another hand, or another table. */
  clear() {
    this.root.replaceChildren();
    this.cards = new Map();
    this.slots = new Map();
    this._box = null;
  }

  /**
   * @param {object} given
   * @param {import("./view.js").Scene} given.scene
   * @param {import("../rules/board.js").Board} given.board
   * @param {string} given.hand
   * @param {Map<number, number>} given.air how many cards in the air top each pile
   * @param {{pile: number, count: number} | null} given.held the cards that are picked up
   * @param {Set<number>} given.fits piles that take what is held
   * @param {(card: number) => ({x: number, y: number} | null)} given.origin where a new card flies from
   */
  draw({ scene, board, hand, air, held, fits, origin }) {
    if (hand !== this.hand) {
      this.clear();
      this.hand = hand;
    }
    setStyle(this.root, "--card", `${scene.cardWidth}px`);
    const wanted = new Map();
    for (const [number, place] of scene.places) {
      this._slot(board, number, place, held, fits);
      this._pile(wanted, board.cards[number], number, place, air.get(number) ?? 0, held);
    }
    this._remove(wanted);
    let flights = 0;
    for (const [key, { card, x, y, z, place, isAir, isHeld }] of wanted) {
      const end = at({ x, y: isHeld ? y - 8 : y });
      let made = this.cards.get(key);
      if (made && !place.isFlat && made.classList.contains("plain")) {
        made.remove();
        made = undefined;
      }
      if (!made) {
        made = makeCard(card, place.isFlat);
        this.cards.set(key, made);
        const from = card === UNKNOWN || flights >= MOST_FLIGHTS ? null : origin(card);
        if (from && !isCalm.matches) {
          flights += 1;
          made.animate({ transform: [at(from), end] }, { duration: FLIGHT_MS, easing: "ease-out" });
        }
        this.root.append(made);
      }
      sized(made, place);
      setStyle(made, "z-index", String(z + (isHeld ? 500 : 0)));
      setClass(made, "flat", place.isFlat);
      setClass(made, "air", isAir);
      setClass(made, "held", isHeld);
      setStyle(made, "transform", end);
    }
  }

  /**
   * Lift a card above all others, to follow a finger.
   * @param {number} card
   * @param {{x: number, y: number}} point
   * @param {number} z
   */
  lift(card, point, z) {
    const made = this.cards.get(String(card));
    if (!made) return;
    setClass(made, "drag", true);
    setStyle(made, "transform", at(point));
    setStyle(made, "z-index", String(z));
  }

  /** Let all cards lie where they belong, with the next picture. */
  drop() {
    for (const made of this.cards.values()) setClass(made, "drag", false);
  }

  /**
   * @param {Map<string, any>} wanted
   * @param {number[]} cards
   * @param {number} number
   * @param {Place} place
   * @param {number} air
   * @param {import("./view.js").Held | null} held
   */
  _pile(wanted, cards, number, place, air, held) {
    const isStack = place.up === 0 && place.down === 0 && place.dx === 0;
    const from = isStack ? Math.max(0, cards.length - 2) : 0;
    for (let index = from; index < cards.length; index++) {
      const card = cards[index];
      const { x, y } = cardAt(place, cards, index);
      const key = card === UNKNOWN ? `${number}:${index}` : String(card);
      const isHeld = held !== null && held.pile === number && index >= cards.length - held.count;
      wanted.set(key, { card, x, y, z: index + 1, place, isAir: index >= cards.length - air, isHeld });
    }
  }

  /**
   * @param {Board} board
   * @param {number} number
   * @param {Place} place
   * @param {import("./view.js").Held | null} held
   * @param {Set<number>} fits
   */
  _slot(board, number, place, held, fits) {
    const pile = board.layout.piles[number];
    let slot = this.slots.get(number);
    if (!slot) {
      slot = element("button", `slot ${pile.kind}`);
      slot.dataset.pile = String(number);
      slot.append(element("span", "count"));
      this.slots.set(number, slot);
      this.root.append(slot);
    }
    const cards = board.cards[number];
    const last = cards.length > 0 ? cardAt(place, cards, cards.length - 1) : place;
    setStyle(slot, "transform", at(place));
    setStyle(slot, "width", `${place.w}px`);
    setStyle(slot, "height", `${Math.max(place.h, last.y - place.y + place.h)}px`);
    setClass(slot, "fits", fits.has(number));
    setClass(slot, "full", pile.kind === "foundation" && cards.length >= 13 * board.layout.game.packs && cards.length > 0);
    setClass(slot, "flat", place.isFlat);
    const isHeld = held !== null && held.pile === number;
    if (isNew(slot, "pressed", isHeld)) slot.setAttribute("aria-pressed", String(isHeld));
    if (!isNew(slot, "cards", cards.join())) return;
    slot.setAttribute("aria-label", pileLabel(board, number, faceName));
    const told = ["stock", "reserve", "waste"].includes(pile.kind) && cards.length > 0 ? String(cards.length) : pile.kind === "stock" ? "↻" : "";
    setText(slot.firstElementChild, told);
  }

  /** @param {Map<string, any>} wanted */
  _remove(wanted) {
    for (const [key, made] of this.cards) {
      if (wanted.has(key)) continue;
      made.remove();
      this.cards.delete(key);
    }
  }

  /**
   * Shake a pile's top card: nothing can be played from there.
   * @param {Board} board
   * @param {number} number
   */
  shake(board, number) {
    const cards = board.cards[number];
    const top = cards[cards.length - 1];
    const key = top === UNKNOWN ? `${number}:${cards.length - 1}` : String(top);
    pulse(this.cards.get(key) ?? this.slots.get(number), "shake");
  }

  /**
   * Ring a pile for a moment: somebody else was faster there.
   * @param {number} number
   * @param {Place | undefined} place where it lies
   * @param {string} color
   * @param {string} words who was faster, and by how much
   */
  ring(number, place, color, words) {
    const slot = this.slots.get(number);
    if (!slot || !place) return;
    slot.style.setProperty("--ring", color);
    pulse(slot, "ring");
    const note = element("p", "lost", words);
    note.style.setProperty("--ring", color);
    this.root.append(note);
    const { x, y, h } = place;
    const most = this.box.width - note.offsetWidth - 4;
    note.style.transform = at({ x: Math.max(4, Math.min(most, x)), y: y + h * 0.4 });
    setTimeout(() => note.remove(), 1600);
  }
}

/**
 * @param {HTMLElement} made
 * @param {Place} place
 */
function sized(made, { w, h }) {
  setStyle(made, "width", `${w}px`);
  setStyle(made, "height", `${h}px`);
  setStyle(made, "--card", `${w}px`);
}

/** @param {{x: number, y: number}} point */
const at = ({ x, y }) => `translate(${Math.round(x * 2) / 2}px, ${Math.round(y * 2) / 2}px)`;

/**
 * Play a short animation of a class, unless it still runs.
 * @param {HTMLElement | undefined} made
 * @param {string} className
 */
export function pulse(made, className) {
  if (!made || made.classList.contains(className)) return;
  made.classList.add(className);
  setTimeout(() => made.classList.remove(className), PULSES[className]);
}

/**
 * A neighbor's layout in small: each pile's top, and how many cards lie there.
 * @param {Element} root
 * @param {Board} board
 * @param {number} place
 */
export function miniature(root, board, place) {
  const { layout } = board;
  /** @type {Record<string, string>} */
  const groups = { stock: "S", waste: "W", reserve: "R" };
  const piles = layout.own(place);
  if (root.childElementCount !== piles.length) {
    root.replaceChildren(...piles.map((pile) => element("span", `mini ${pile.kind}`)));
  }
  piles.forEach((pile, index) => {
    const { length } = board.cards[pile.number];
    const top = board.top(pile.number);
    const made = root.children[index];
    const text = top === null ? "·" : top === UNKNOWN ? `${groups[pile.kind] ?? "▮"}${length}` : short(top);
    setText(made, text);
    setClass(made, "red", top !== null && top !== UNKNOWN && isRed(top));
  });
}
