// Puts a scene on the page: one element a card for the whole hand, moved by transforms alone.

import { UNKNOWN, isRed, rank, suit } from "./layout.js";
import { cardAt } from "./view.js";
import { COURTS, RANKS, SUITS, pileLabel } from "./words.js";

/**
 * @import { Board } from "./board.js"
 * @import { Place } from "./view.js"
 */

const SVG = "http://www.w3.org/2000/svg";
const MOST_FLIGHTS = 8;

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

/**
 * A picture from the page's sprite.
 * @param {string} name
 * @param {string} [className]
 */
function picture(name, className = "") {
  const svg = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#${name}`);
  svg.setAttribute("aria-hidden", "true");
  if (className) svg.setAttribute("class", className);
  svg.append(use);
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
function short(card) {
  return card === UNKNOWN ? "▮" : RANKS[rank(card) - 1] + "♠♥♣♦"[suit(card)];
}

/**
 * A card of its own, face up or down.
 * @param {number} card
 */
export function makeCard(card) {
  const rich = rank(card) === 1 ? " ace" : rank(card) > 10 ? " royal" : "";
  const made = element("div", card === UNKNOWN ? "card back" : `card face s${suit(card)} ${isRed(card) ? "red" : "black"}${rich}`);
  if (card === UNKNOWN) return made;
  const index = element("span", "index");
  index.append(element("b", "", RANKS[rank(card) - 1]), picture(`suit-${suit(card)}`));
  made.append(index, picture(`suit-${suit(card)}`, "pip"));
  if (rank(card) > 10) made.append(picture(`court-${rank(card)}`, "court"));
  return made;
}

/** Draws the felt: the own layout and the table's piles. */
export class Felt {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {Map<string, HTMLElement>} */
    this.cards = new Map();
    /** @type {Map<number, HTMLElement>} */
    this.slots = new Map();
    this.hand = "";
  }

  /** Forget all elements: another hand, or another table. */
  clear() {
    this.root.replaceChildren();
    this.cards = new Map();
    this.slots = new Map();
  }

  /**
   * @param {object} given
   * @param {import("./view.js").Scene} given.scene
   * @param {import("./board.js").Board} given.board
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
    this.root.style.setProperty("--card", `${scene.cardWidth}px`);
    const wanted = new Map();
    for (const [number, place] of scene.places) {
      this._slot(board, number, place, held, fits);
      this._pile(wanted, board.cards[number], number, place, air.get(number) ?? 0, held);
    }
    this._remove(wanted);
    let flights = 0;
    for (const [key, { card, x, y, z, place, isAir, isHeld }] of wanted) {
      let made = this.cards.get(key);
      if (!made) {
        made = makeCard(card);
        this.cards.set(key, made);
        const from = card === UNKNOWN || flights >= MOST_FLIGHTS ? null : origin(card);
        if (from) {
          flights += 1;
          made.style.transform = at(from);
          sized(made, place);
          this.root.append(made);
          made.getBoundingClientRect(); // lets the flight begin there
        } else {
          this.root.append(made);
        }
      }
      sized(made, place);
      made.style.zIndex = String(z + (isHeld ? 500 : 0));
      made.classList.toggle("flat", place.isFlat);
      made.classList.toggle("air", isAir);
      made.classList.toggle("held", isHeld);
      made.style.transform = at({ x, y: isHeld ? y - 8 : y });
    }
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
    slot.style.transform = at(place);
    slot.style.width = `${place.w}px`;
    slot.style.height = `${Math.max(place.h, last.y - place.y + place.h)}px`;
    slot.classList.toggle("fits", fits.has(number));
    slot.classList.toggle("full", pile.kind === "foundation" && cards.length >= 13 * board.layout.game.packs && cards.length > 0);
    slot.classList.toggle("flat", place.isFlat);
    const name = pileLabel(board, number, faceName);
    if (slot.getAttribute("aria-label") !== name) slot.setAttribute("aria-label", name);
    slot.setAttribute("aria-pressed", String(held !== null && held.pile === number));
    const count = slot.firstElementChild;
    const told = ["stock", "reserve", "waste"].includes(pile.kind) && cards.length > 0 ? String(cards.length) : pile.kind === "stock" ? "↻" : "";
    setText(count, told);
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
   * @param {string} color
   * @param {string} words who was faster, and by how much
   */
  ring(number, color, words) {
    const slot = this.slots.get(number);
    if (!slot) return;
    slot.style.setProperty("--ring", color);
    pulse(slot, "ring");
    const note = element("p", "lost", words);
    note.style.setProperty("--ring", color);
    this.root.append(note);
    const most = this.root.clientWidth - note.offsetWidth - 4;
    const { e: x, f: y } = new DOMMatrix(getComputedStyle(slot).transform);
    note.style.transform = at({ x: Math.max(4, Math.min(most, x)), y: y + slot.offsetHeight * 0.4 });
    setTimeout(() => note.remove(), 1600);
  }
}

/**
 * @param {HTMLElement} made
 * @param {Place} place
 */
function sized(made, { w, h }) {
  made.style.width = `${w}px`;
  made.style.height = `${h}px`;
  made.style.setProperty("--card", `${w}px`);
}

/** @param {{x: number, y: number}} point */
const at = ({ x, y }) => `translate(${Math.round(x * 2) / 2}px, ${Math.round(y * 2) / 2}px)`;

/**
 * Play a short animation of a class once.
 * @param {HTMLElement | undefined} made
 * @param {string} className
 */
export function pulse(made, className) {
  if (!made) return;
  made.classList.remove(className);
  made.getBoundingClientRect();
  made.classList.add(className);
  made.addEventListener("animationend", () => made.classList.remove(className), { once: true });
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
    const cards = board.cards[pile.number];
    const top = board.top(pile.number);
    const made = /** @type {HTMLElement} */ (root.children[index]);
    const text = top === null ? "·" : top === UNKNOWN ? `${groups[pile.kind] ?? "▮"}${cards.length}` : short(top);
    setText(made, text);
    made.classList.toggle("red", top !== null && top !== UNKNOWN && isRed(top));
  });
}
