// What is seen of a play on the board.

import assert from "node:assert/strict";
import test from "node:test";
import { Board } from "../../client/racing_demon_web/rules/board.js";
import { Layout } from "../../client/racing_demon_web/rules/layout.js";
import { arrange, FoundationSlots } from "../../client/racing_demon_web/table/geometry.js";
import { games } from "./games.js";

const ACE = 13; // of the second suit

/** What the board asks of an element, without a browser; it counts what flies. */
class Element {
  static flights = 0;
  children = [];
  classList = { toggle() {} };
  dataset = {};
  style = { setProperty() {} };

  get firstChild() {
    return this.children[0];
  }

  set textContent(text) {
    this.children = [{ nodeValue: text, cloneNode: () => ({}) }];
  }

  addEventListener() {}

  append(...nodes) {
    this.children.push(...nodes);
  }

  cloneNode() {
    return Object.assign(new Element(), { children: this.children.map((node) => node.cloneNode()) });
  }

  animate() {
    Element.flights += 1;
    return {};
  }

  getAttribute() {}
  querySelector() {}
  replaceChildren() {}
  setAttribute() {}
}

const make = () => new Element();
Object.assign(globalThis, {
  ResizeObserver: class {
    observe() {}
  },
  Text: Object,
  document: {
    addEventListener() {},
    createElement: make,
    createElementNS: make,
    getElementById: make,
    body: make(),
    querySelector() {},
  },
  matchMedia: () => ({ matches: false }), // nobody asks for less motion
  setTimeout() {}, // how long a mark is seen
});
const { BoardView } = await import("../../client/racing_demon_web/table/board_view.js");
const { TableScreen } = await import("../../client/racing_demon_web/table/table_screen.js");
await (await import("../../client/racing_demon_web/lazy.js")).load("panels");

/** Let another player's ace come from their panel to a foundation; count what flies, and who marks the pile. */
function seen({ isStill }) {
  const layout = new Layout(games["racing-demon"], [0, 1], { game: "racing-demon" });
  const board = new Board(
    layout,
    layout.piles.map(() => []),
  );
  const slots = new FoundationSlots();
  const laid = (width) =>
    arrange({ layout, board, place: 0, deal: "", slots, buttons: 1, area: { width, height: 700 } });
  const scene = laid(1200);
  const root = new Element();
  const view = new BoardView(root, () => undefined);
  const origin = () => ({ x: 900, y: 20, seat: 1, width: 20 });
  board.cards[0].push(ACE);
  Element.flights = 0;
  const drawn = { scene, board, deal: "", air: new Map(), held: null, fits: new Set(), origin, isStill };
  view.draw(drawn);
  const marks = root.children.filter((each) => each.className === "fresh p2");
  const { flights } = Element;
  const narrow = laid(900);
  view.draw({ ...drawn, scene: narrow });
  const left = `${narrow.rects.get(0).x}px`;
  return { flights, marks: marks.length, strays: marks.filter(({ style }) => style.left !== left) };
}

test("where drawing is slow nothing flies, and the pile is marked to which another player has played", () => {
  assert.deepEqual(seen({ isStill: true }), { flights: 0, marks: 1, strays: [] }); // also where it is laid out anew
  const { flights, marks } = seen({ isStill: false });
  assert.ok(flights > 0 && marks === 0); // it is marked when the card has landed
});

/** Let another player's card go up; return whose panels flash. */
function flashing({ isSlow }) {
  const layout = new Layout(games["racing-demon"], [0, 1], { game: "racing-demon" });
  const piles = layout.piles.map(() => []);
  const [foundation] = layout.piles.filter(({ kind }) => kind === "foundation");
  const [column] = layout.own(1, "tableau");
  piles[foundation.number].push(ACE);
  const hand = { layout, board: new Board(layout, piles) };
  const table = { hand, handSeats: [0, 1], sittingOut: [], seats: new Map(), options: {} };
  const screen = new TableScreen(Object.assign(new Element(), { querySelector: make }), { tables: [] });
  screen.session = { seat: 0, table };
  screen.isSlow = isSlow;
  screen.onEvent("played", { seat: 1, source: column.number, destination: foundation.number }, false);
  return [...screen.flashes];
}

test("where drawing is slow no panel flashes with a play", () => {
  assert.deepEqual(flashing({ isSlow: true }), []);
  assert.deepEqual(flashing({ isSlow: false }), [1]);
});
