// Another player's layout as small cards, drawn on a canvas. As elements, the cards of seven players were most of what
// a browser sorted for each picture of the page, though few of them had changed.

import { byId, isNew } from "../dom.js";
import { rank, suit, UNKNOWN } from "../rules/layout.js";
import { RANKS } from "../words.js";

/**
 * @import { Board } from "../rules/board.js"
 * @typedef {CanvasRenderingContext2D} Pen
 * @typedef {ReturnType<typeof lookOf>} Look
 */

const MAX_OPEN = 5; // cards of a column, from its top
const FEW_OPEN = 3; // where there are many players
const LEGIBLE = 0.6; // the share of these that can be read; of those below them an edge shows
const MANY = 6; // players
const MAX_HIDDEN = 1; // backs above them: there are cards below
const MAX_WIDTH_REM = 4; // of a card
const RATIO = 1.4; // how high a card is, in its widths, as all that follows
const BACK = 0.14; // how much of a back shows, or of a card that nobody reads
const OPEN = 0.44; // how much of a card shows
const RADIUS = 0.11;
const INDEX = 0.42; // how high its letters are
const PIP = [0.5, 0.14]; // how large it is, and how far from the bottom
const ACE_PIP = [0.62, 0.168];
const ROYAL_PIP = [0.3, 0.126];
const COUNTED = ["reserve", "stock"]; // a television says the reserve's in the panel's heading
const APART = ["reserve", "waste"]; // from the columns
/** From the left; all other piles are 1. @type {Record<string, number>} */
const ORDER = { reserve: 0, waste: 2, stock: 3 };
const INKS = ["--black", "--red", "--club", "--diamond"]; // of each suit

const scheme = matchMedia("(prefers-color-scheme: dark)");

/** What colours and points depend on. */
const circumstances = ({ className, dataset } = document.documentElement) =>
  `${className} ${dataset.theme} ${scheme.matches} ${devicePixelRatio}`;

/** Follows how large panels are: measuring them with each play would lay out the page. */
const sizes = new ResizeObserver((entries) => {
  pictures.clear();
  for (const { target, contentRect } of entries) SmallLayout.of.get(target)?.fit(contentRect);
});

/** @param {HTMLCanvasElement} canvas */
const penOf = (canvas) => /** @type {Pen} */ (canvas.getContext("2d"));

export class SmallLayout {
  /** By the element that shows it. @type {WeakMap<Element, SmallLayout>} */
  static of = new WeakMap();
  /** What each pile shows. @type {{kind: string, cards: number[], count: string}[]} */
  #piles = [];
  #isNear = false;
  #most = MAX_OPEN;
  #hidden = MAX_HIDDEN;
  #size = { width: 0, height: 0 };
  /** @type {Look | undefined} */
  #look = undefined;
  /** Where the left edge of each pile is, in pixels of the canvas. @type {number[]} */
  #lefts = [];
  #canvas = document.createElement("canvas");

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    root.replaceChildren(this.#canvas);
    SmallLayout.of.set(root, this);
    sizes.observe(root);
  }

  /**
   * @param {Board} board
   * @param {number} place
   * @param {boolean} isNear whether few cards are left to play
   * @returns whether its piles may lie elsewhere than before
   */
  show(board, place, isNear) {
    this.#most = board.layout.seats.length > MANY ? FEW_OPEN : MAX_OPEN;
    this.#isNear = isNear;
    const counted = document.documentElement.classList.contains("tv") ? COUNTED.slice(1) : COUNTED;
    this.#piles = board.layout.own(place).map(({ kind, number }) => {
      const cards = board.cards[number];
      const count = counted.includes(kind) && cards.length > 0 ? String(cards.length) : "";
      const known = cards.filter((card) => card !== UNKNOWN);
      if (kind !== "tableau" || known.length === 0) return { kind, cards: cards.slice(-1), count };
      const hidden = cards.length > known.length ? Array(MAX_HIDDEN).fill(UNKNOWN) : [];
      return { kind, cards: [...hidden, ...known.slice(-this.#most)], count };
    });
    const hasHidden = this.#piles.some(({ kind, cards }) => kind === "tableau" && cards[0] === UNKNOWN);
    this.#hidden = hasHidden ? MAX_HIDDEN : 0;
    const kinds = this.#piles.map(({ kind }) => kind);
    const isOther = isNew(this.#canvas, "look", `${circumstances()} ${this.#most} ${hasHidden} ${kinds}`);
    if (isOther) this.#look = undefined;
    const shown = this.#piles.map(({ cards, count }) => `${cards}:${count}`);
    if (isNew(this.#canvas, "cards", `${isNear} ${shown}`) || isOther) this.#draw();
    return isOther;
  }

  /** How many cards of a column can be read. */
  get #legible() {
    return Math.round(LEGIBLE * this.#most);
  }

  /** @param {{width: number, height: number}} size of the panel, in pixels of the page */
  fit(size) {
    this.#size = size;
    this.#look = undefined;
    this.#draw();
  }

  /** Where its piles lie on the page, in the layout's order. */
  places() {
    const { left, top } = this.root.getBoundingClientRect();
    const { pixel, width } = this.#look ?? { pixel: 1, width: 0 };
    return this.#lefts.map((each) => ({ x: left + each / pixel, y: top, width: width / pixel }));
  }

  #draw() {
    if (this.#size.width === 0 || this.#piles.length === 0) return;
    const look = (this.#look ??= this.#measure());
    const pen = penOf(this.#canvas);
    pen.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    for (const [at, { kind, cards, count }] of this.#piles.entries()) {
      const x = this.#lefts[at];
      if (cards.length === 0) outline(pen, look, look.empty, x);
      let y = 0;
      for (const [index, card] of cards.entries()) {
        pen.drawImage(picture(card, look), x, y);
        const isRead = card !== UNKNOWN && index >= cards.length - this.#legible;
        y += Math.round(look.width * (isRead ? OPEN : BACK));
      }
      const colors = kind === "reserve" && this.#isNear ? look.near : look.counts;
      if (count) drawCount(pen, count, x, look, colors);
    }
  }

  /** Fit the canvas into its panel, and the piles into the canvas. */
  #measure() {
    const style = getComputedStyle(this.root);
    const pixel = devicePixelRatio;
    const gap = Math.round((parseFloat(style.columnGap) || 0) * pixel); // none before its style is there
    const [across, high] = [this.#size.width * pixel, this.#size.height * pixel];
    const legible = this.#legible;
    const gaps = this.#piles.length - 1 + this.#piles.filter(({ kind }) => APART.includes(kind)).length;
    const look = lookOf(
      style,
      Math.min(
        (across - gaps * gap) / this.#piles.length,
        high / (RATIO + (this.#hidden + this.#most - legible) * BACK + (legible - 1) * OPEN),
      ),
    );
    this.#lefts = [];
    let x = 0;
    const ordered = [...this.#piles.entries()].sort(([, one], [, other]) => order(one) - order(other));
    for (const [at, { kind }] of ordered) {
      if (kind === "waste") x += gap;
      this.#lefts[at] = x;
      x += look.width + (kind === "reserve" ? 2 * gap : gap);
    }
    const canvas = this.#canvas;
    canvas.width = Math.ceil(across) + look.beyond;
    canvas.height = Math.ceil(high) + look.beyond;
    canvas.style.width = `${canvas.width / pixel}px`;
    canvas.style.height = `${canvas.height / pixel}px`;
    return look;
  }
}

/** @param {{kind: string}} pile */
const order = ({ kind }) => ORDER[kind] ?? 1;

/**
 * All that cards look like, in pixels of the canvas.
 * @param {CSSStyleDeclaration} style of the panel
 * @param {number} most how wide they may be
 */
function lookOf(style, most) {
  const pixel = devicePixelRatio;
  const rem = pixel * parseFloat(getComputedStyle(document.documentElement).fontSize);
  const width = Math.max(1, Math.floor(Math.min(MAX_WIDTH_REM * rem, most)));
  /** @param {string} name */
  const color = (name) => style.getPropertyValue(name);
  const line = Math.max(1, Math.round(pixel));
  const count = Math.round(Math.max(0.6875 * rem, 0.36 * width));
  return {
    name: `${circumstances()} ${width}`,
    pixel,
    line,
    width,
    height: Math.round(RATIO * width),
    count, // how high its digits are
    beyond: Math.ceil(count / 4 + 2 * line), // how far it reaches beyond its card
    font: style.fontFamily,
    inks: INKS.map(color),
    paper: color("--paper"),
    royal: color("--royal"),
    back: color("--back"),
    empty: color("--line"),
    counts: { fill: color("--ground"), ink: color("--ink"), edge: color("--edge") },
    near: { fill: color("--seat"), ink: color("--on-seat"), edge: color("--edge") },
  };
}

/** Cards by all that they look like. @type {Map<string, HTMLCanvasElement>} */
export const pictures = new Map();

/**
 * @param {number} card
 * @param {Look} look
 */
function picture(card, look) {
  const key = `${look.name} ${card === UNKNOWN ? look.back : card % 52}`;
  let drawn = pictures.get(key);
  if (drawn) return drawn;
  pictures.set(key, (drawn = document.createElement("canvas")));
  drawn.width = look.width;
  drawn.height = look.height;
  if (card === UNKNOWN) drawBack(penOf(drawn), look);
  else drawFace(penOf(drawn), card, look);
  return drawn;
}

/**
 * A rectangle with round corners, as a path. Televisions of 2022 have no such method.
 * @param {Pen} pen
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {number} radius
 */
function rounded(pen, x, y, w, h, radius) {
  pen.beginPath();
  pen.moveTo(x + radius, y);
  pen.arcTo(x + w, y, x + w, y + h, radius);
  pen.arcTo(x + w, y + h, x, y + h, radius);
  pen.arcTo(x, y + h, x, y, radius);
  pen.arcTo(x, y, x + w, y, radius);
  pen.closePath();
}

/**
 * The shape of a card, or of what is inside its border.
 * @param {Pen} pen
 * @param {Look} look
 * @param {number} [inset]
 * @param {number} [x]
 */
function shape(pen, { width, height }, inset = 0, x = 0) {
  const radius = Math.max(0, RADIUS * width - inset);
  rounded(pen, x + inset, inset, width - 2 * inset, height - 2 * inset, radius);
}

/**
 * @param {Pen} pen
 * @param {Look} look
 * @param {string} color
 * @param {number} [x]
 */
function outline(pen, look, color, x = 0) {
  shape(pen, look, look.line / 2, x);
  pen.lineWidth = look.line;
  pen.strokeStyle = color;
  pen.stroke();
}

/**
 * @param {Pen} pen
 * @param {Look} look
 */
function drawBack(pen, look) {
  const { width, height, line } = look;
  shape(pen, look);
  pen.fillStyle = look.paper;
  pen.fill();
  pen.save();
  shape(pen, look, Math.max(line, Math.round(0.05 * width)));
  pen.clip();
  pen.fillStyle = look.back;
  pen.fillRect(0, 0, width, height);
  pen.strokeStyle = "#fff3";
  pen.lineWidth = line;
  pen.beginPath();
  for (let x = -height; x < width; x += 8.5 * line) {
    pen.moveTo(x, 0);
    pen.lineTo(x + height, height);
    pen.moveTo(x, height);
    pen.lineTo(x + height, 0);
  }
  pen.stroke();
  pen.restore();
  outline(pen, look, "#0006");
}

/**
 * @param {Pen} pen
 * @param {number} card
 * @param {Look} look
 */
function drawFace(pen, card, look) {
  const { width, height, line } = look;
  const [isAce, isRoyal] = [rank(card) === 1, rank(card) > 10];
  shape(pen, look);
  const paper = pen.createLinearGradient(0, 0, 0, height);
  paper.addColorStop(0, look.paper);
  paper.addColorStop(1, isRoyal ? look.royal : look.paper);
  pen.fillStyle = paper;
  pen.fill();
  outline(pen, look, "#0005");
  const size = INDEX * width;
  pen.fillStyle = look.inks[suit(card)];
  pen.font = `bold ${size}px ${look.font}`;
  pen.letterSpacing = `${-0.04 * size}px`;
  const text = RANKS[rank(card) - 1];
  const left = line + 0.05 * width;
  const middle = line + 0.245 * width;
  pen.fillText(text, left, middle + 0.36 * size); // capitals are so high
  drawSuit(pen, card, left + pen.measureText(text).width + 0.02 * width, middle - 0.39 * size, 0.78 * size);
  const [share, below] = isAce ? ACE_PIP : isRoyal ? ROYAL_PIP : PIP;
  const pip = share * width;
  drawSuit(pen, card, (width - pip) / 2, height - line - below * width - pip, pip);
}

/**
 * @param {Pen} pen
 * @param {number} card
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
function drawSuit(pen, card, x, y, size) {
  const path = byId(`suit-${suit(card)}`).firstElementChild?.getAttribute("d") ?? "";
  pen.setTransform(size / 100, 0, 0, size / 100, x, y);
  pen.fill(new Path2D(path));
  pen.resetTransform();
}

/**
 * Say how many cards a pile has, at its lower right corner.
 * @param {Pen} pen
 * @param {string} text
 * @param {number} x of the pile
 * @param {Look} look
 * @param {Look["counts"]} colors
 */
function drawCount(pen, text, x, { width, height, count, line, font }, { fill, ink, edge }) {
  pen.font = `800 ${count}px ${font}`;
  const wide = Math.round(pen.measureText(text).width + 0.7 * count);
  const left = Math.max(line, x + width + Math.round(count / 4) - wide);
  const top = height - count;
  const high = Math.round(1.25 * count);
  rounded(pen, left, top, wide, high, high / 2);
  pen.strokeStyle = edge;
  pen.lineWidth = 2 * line; // its inner half is filled
  pen.stroke();
  pen.fillStyle = fill;
  pen.fill();
  pen.fillStyle = ink;
  pen.textAlign = "center";
  pen.fillText(text, left + wide / 2, top + high / 2 + 0.36 * count);
}
