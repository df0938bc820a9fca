// The table over somebody's picture: foundations, names, points and the last race. Its ids are in docs/host.md.

import { asIs, colorOf, element, setText } from "../dom.js";
import { BoardView } from "../table/board_view.js";
import { arrange, FoundationSlots } from "../table/geometry.js";
import { WORDS } from "../words.js";

/**
 * @import { TableState } from "../rules/state.js"
 * @import { Session } from "../wire/session.js"
 */

export class Overlay {
  #players = element("ul");
  #felt = asIs(element("div", "felt"));
  #race = asIs(element("p"));
  #slots = new FoundationSlots();
  #shape = "";
  /** @type {import("../table/geometry.js").Scene | null} */
  #scene = null;

  /** @param {() => void} requestRender requests a render */
  constructor(requestRender) {
    const root = element("section");
    root.id = "overlay";
    this.#players.id = "overlay-players";
    this.#felt.id = "overlay-foundations";
    this.#felt.inert = true; // nobody plays here
    this.#race.id = "overlay-race";
    root.append(this.#players, this.#felt, this.#race);
    document.querySelector("main")?.append(root);
    this.boardView = new BoardView(this.#felt, requestRender);
  }

  /**
   * @param {Session} session
   * @param {string} race the last race in words, or empty
   */
  draw({ table }, race) {
    this.#drawPlayers(table);
    this.#drawFoundations(table);
    setText(this.#race, race);
  }

  /** @param {TableState} table */
  #drawPlayers(table) {
    const points = table.points();
    const totals = new Map(table.totals());
    const seats = [...table.seats.values()].filter(({ left }) => !left).sort((a, b) => a.seat - b.seat);
    const rows = seats.map(({ seat, name }) => {
      const row = document.getElementById(`overlay-player-${seat}`) ?? playerRow(seat);
      const [named, hand, total] = row.children;
      setText(named, name);
      setText(hand, `${points.get(seat) ?? ""}`);
      setText(total, table.results.length > 0 ? `${WORDS.total} ${totals.get(seat)}` : "");
      return row;
    });
    if (
      rows.some((row, at) => row !== this.#players.children[at]) ||
      rows.length < this.#players.children.length
    )
      this.#players.replaceChildren(...rows);
  }

  /** @param {TableState} table */
  #drawFoundations({ hand }) {
    if (!hand || hand.isPrivate) return this.boardView.clear();
    const { board, deal } = hand;
    // Whoever's they are, they lie together here.
    const piles = hand.layout.piles
      .filter(({ kind }) => kind === "foundation")
      .map((pile) => Object.assign(Object.create(pile), { place: -1 }));
    const { width, height } = this.boardView.box;
    const begun = piles.map(({ number }) => board.cards[number].length > 0);
    const shape = [deal, width, height, ...begun].join();
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#scene = arrange({
        layout: Object.assign(Object.create(hand.layout), { piles }),
        board,
        place: -1,
        deal,
        slots: this.#slots,
        buttons: 0,
        area: { width, height },
        isMirrored: false,
      });
    }
    this.boardView.draw({
      scene: /** @type {import("../table/geometry.js").Scene} */ (this.#scene),
      board,
      deal,
      air: new Map(),
      held: null,
      fits: new Set(),
      origin: () => null,
      isStill: false,
    });
  }
}

/**
 * A player's name, points of this hand, and total of the match.
 * @param {number} seat
 */
function playerRow(seat) {
  const row = element("li");
  row.style.setProperty("--seat", colorOf(seat));
  const parts = { player: row, name: element("bdi"), points: asIs(element("b")), total: element("small") };
  for (const [part, node] of Object.entries(parts)) node.id = `overlay-${part}-${seat}`;
  row.append(parts.name, parts.points, parts.total);
  return row;
}
