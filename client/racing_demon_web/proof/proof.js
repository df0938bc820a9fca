// After a hand: whether every card was its seed's. "The deal" and "Fair deals" in the wire's document.

import { Board } from "../rules/board.js";
import { dealtHandicaps } from "../rules/handicaps.js";
import { rank } from "../rules/layout.js";
import { missing } from "../wire/commit_reveal.js";
import { OUT_BONUS } from "../wire/protocol.js";
import { LATER, MISMATCHES, proofWords } from "../words_later.js";
import { bytesOf, hex, sha256 } from "./sha256.js";
import { shake256 } from "./shake256.js";

/** @import { Arrange, Game, Layout, Step } from "../rules/layout.js" */

/** Something in a hand was not as it was promised. */
export class Mismatch extends Error {}

/**
 * Prove a hand, and say in words what came of it.
 * @param {any} hand see `prove`
 * @param {string} secret
 * @param {boolean} isOwn whether this device has contributed to the shuffle
 * @param {(seat: number) => string} nameOf
 * @returns {{text: string, isSound?: boolean, isWrong?: boolean}}
 */
export function check(hand, secret, isOwn, nameOf) {
  try {
    return { text: proofWords(prove(hand, secret), isOwn, nameOf), isSound: true };
  } catch (error) {
    if (error instanceof Mismatch) return { text: LATER.notValid(error.message), isWrong: true };
    return { text: LATER.uncheckedError };
  }
}

/**
 * Deal a hand again, and make all its moves with open cards.
 * @param {any} hand of a log, all of whose messages were seen
 * @param {string} secret the server's, in hexadecimal
 * @returns {{contributions: number, cards: number, drawn: number[], free: number[], known: boolean}} how many took part in
 * the shuffle, and how many cards were compared; the seats without which the hand was drawn anew, and those that could take
 * part or not; whether everybody could know the cards
 * @throws {Mismatch} something is not as it was promised; the text says what
 */
export function prove(hand, secret) {
  const seed = seedOf(hand, secret);
  const { layout, moves, given } = hand;
  if (JSON.stringify(layout.options) !== JSON.stringify(given.options))
    throw new Mismatch(MISMATCHES.options);
  if (String(layout.handicaps) !== String(dealtHandicaps(given, layout.game, layout.seats)))
    throw new Mismatch(MISMATCHES.handicaps);
  const open = new OpenBoard(layout, deal(layout, seed.bytes), seed.bytes);
  const mirror = Board.dealt(layout);
  let cards = 0;
  /**
   * @param {number[][]} places
   * @param {number[]} shown
   */
  const compare = (places, shown) => {
    const own = places.map(([pile, at]) => open.cards[pile][at]);
    if (String(own) !== String(shown)) throw new Mismatch(MISMATCHES.card);
    mirror.name(places, shown);
    cards += shown.length;
  };
  for (const [what, fields] of moves) {
    if (what === "dealt") compare(mirror.faceUp(), fields.shown);
    else if (what === "rotated") [open, mirror].forEach((board) => board.rotate());
    else if (what === "stock_shifted")
      [open, mirror].forEach((board) => board.shift(layout.seats.indexOf(fields.seat)));
    else {
      const { seat, counter, source, count, destination, depth } = fields;
      if (counter > 0 && ![source, destination].every((pile) => owns(layout, seat, pile)))
        throw new Mismatch(MISMATCHES.mover);
      const places = mirror.move(source, count, destination, depth);
      open.move(source, count, destination, depth);
      compare(places, fields.shown);
    }
  }
  const { promised, values, away, voided, points, over } = hand;
  layout.seats.forEach((/** @type {number} */ seat, /** @type {number} */ at) => {
    const claimed = over.points[at];
    const counted = points.get(seat); // not told where the game counts something else
    const bonus = seat === over.out ? (layout.game.out_bonus ?? OUT_BONUS) : 0;
    const isForfeit = claimed === 0 && layout.options.on_leave === "forfeit";
    if (counted !== undefined && claimed !== counted + bonus && !isForfeit)
      throw new Mismatch(MISMATCHES.points);
  });
  const free = [...promised.keys()].filter((seat) => values.size > 0 && values.has(seat) === away.has(seat));
  return { contributions: seed.contributions, cards, drawn: voided, free, known: Boolean(hand.knownDeal) };
}

/**
 * The seed from which a hand was dealt, and how many took part in it.
 * @param {any} hand of a log
 * @param {string} secret the server's, in hexadecimal
 * @throws {Mismatch} it is not as it was promised
 */
export function seedOf({ handId, number, commitment, knownDeal, given, promised, values, leftOut }, secret) {
  if (hex(sha256(bytesOf(secret), handId)) !== commitment) throw new Mismatch(MISMATCHES.secret);
  if (knownDeal) {
    if (!given.options.casual || promised.size > 0) throw new Mismatch(MISMATCHES.known);
    if (hex(shake256(32, bytesOf(knownDeal), `/hand/${number}`)) !== secret)
      throw new Mismatch(MISMATCHES.known);
  }
  const seats = [...values.keys()].sort((a, b) => a - b);
  if (String(missing({ promised, values })) !== String(leftOut ?? [])) throw new Mismatch(MISMATCHES.leftOut);
  for (const seat of seats) {
    const own = sha256(
      "racing-demon contribution 1\n",
      bytesOf(commitment),
      Uint8Array.of(seat),
      bytesOf(values.get(seat)),
      handId,
    );
    if (hex(own) !== promised.get(seat)) throw new Mismatch(MISMATCHES.contribution);
  }
  if (seats.length === 0) return { bytes: bytesOf(secret), contributions: 0 };
  const parts = seats.flatMap((seat) => [Uint8Array.of(seat), bytesOf(values.get(seat))]);
  const bytes = sha256(
    "racing-demon deal 1\n",
    bytesOf(secret),
    Uint8Array.of(seats.length),
    ...parts,
    handId,
  );
  return { bytes, contributions: seats.length };
}

/**
 * Whether a pile is a seat's own, or the table's.
 * @param {Layout} layout
 * @param {number} seat
 * @param {number} pile
 */
function owns(layout, seat, pile) {
  const place = layout.piles[pile]?.place;
  const isJoint = layout.game.racing === "together"; // all play one game together
  return isJoint || place === -1 || (place !== undefined && layout.seats[place] === seat);
}

/** A board on which no card is covered, and stocks are shuffled as the seed says. */
class OpenBoard extends Board {
  /**
   * @param {Layout} layout
   * @param {number[][]} cards
   * @param {Uint8Array} seed
   */
  constructor(layout, cards, seed) {
    super(layout, cards);
    this.seed = seed;
  }

  /** @param {number} number */
  onRedeal(number) {
    super.onRedeal(number);
    const { place, spec } = this.layout.piles[number];
    if (this.layout.options.shuffle ?? spec.shuffles)
      this.cards[number] = reshuffled(this, place, this.cards[number]);
  }

  cover() {}
}

/**
 * @param {Uint8Array} seed
 * @param {Game} game
 * @param {number} place
 */
function shuffled(seed, game, place) {
  const first = place * game.packs;
  const cards = [];
  for (let card = first * 52; card < (first + game.packs) * 52; card++)
    if (game.ranks.includes(rank(card))) cards.push(card);
  const key = shake256(32, seed, `/pack/${first}`);
  let block = 0;
  /** @type {number[]} */
  let stream = [];
  const draw = () => {
    if (stream.length === 0) {
      stream = [
        ...shake256(
          128,
          key,
          Uint8Array.of(block >>> 24, (block >>> 16) & 255, (block >>> 8) & 255, block & 255),
        ),
      ];
      block += 1;
    }
    return /** @type {number} */ (stream.shift());
  };
  for (let at = cards.length - 1; at >= 1; at--) {
    let byte = draw();
    while (byte >= 256 - (256 % (at + 1))) byte = draw();
    const other = byte % (at + 1);
    [cards[at], cards[other]] = [cards[other], cards[at]];
  }
  return cards;
}

/**
 * @param {number[]} cards
 * @param {Arrange | null} arrange
 */
function arranged(cards, arrange) {
  if (arrange === null) return cards;
  if (arrange.rule === "packs") return [...cards].sort((a, b) => Math.floor(a / 52) - Math.floor(b / 52));
  return arrange.faces.map((face) => /** @type {number} */ (cards.find((card) => card % 52 === face)));
}

/**
 * The cards of all piles after the deal, each bottom first.
 * @param {Layout} layout
 * @param {Uint8Array} seed
 */
export function deal(layout, seed) {
  const { game } = layout;
  /** @type {number[][]} */
  const board = layout.piles.map(() => []);
  const isIdentical = game.deals === "identical";
  layout.seats.forEach((_, place) => {
    const own = shuffled(seed, game, isIdentical ? 0 : place).map((card) =>
      isIdentical ? card + place * game.packs * 52 : card,
    );
    const cards = arranged(own, game.arrange);
    /** @param {(card: number) => boolean} fits */
    const take = (fits) => cards.splice(cards.findIndex(fits), 1)[0];
    const sought = game.deal.map((step) => [
      ...(step.faces ?? []).map((face) => take((card) => card % 52 === face)),
      ...(step.ranks ?? []).map((wanted) => take((card) => rank(card) === wanted)),
    ]);
    game.deal.forEach((step, number) => {
      if (step.once && place !== 0) return;
      const to = layout.named(step.to, place).map((pile) => board[pile.number]);
      if (step.faces || step.ranks) sought[number].forEach((card, at) => to[at].push(card));
      else lay(step, to, cards, layout.each(step, place));
    });
    if (cards.length > 0) board[layout.own(place, "stock")[0].number].push(...cards.reverse());
  });
  return board;
}

/**
 * @param {Step} step
 * @param {number[][]} to
 * @param {number[]} cards
 * @param {any} each how many for each
 */
function lay(step, to, cards, each) {
  /** @type {number[]} */
  const counts =
    step.cards ?? to.map((_, at) => (step.first === undefined ? each : at === 0 ? step.first : 0));
  const taken = cards.splice(
    0,
    counts.reduce((sum, count) => sum + count, 0),
  );
  if (step.by_rank) taken.sort((a, b) => rank(a) - rank(b));
  if (!step.rows) {
    to.forEach((pile, at) => pile.push(...taken.splice(0, counts[at])));
    return;
  }
  for (let row = 0; taken.length > 0; row++)
    to.forEach((pile, at) => row < counts[at] && pile.push(/** @type {number} */ (taken.shift())));
}

/**
 * @param {OpenBoard} board
 * @param {number} place
 * @param {number[]} cards
 */
function reshuffled({ layout, seed, redeals }, place, cards) {
  const copies = new Map();
  const who = layout.game.deals === "identical" ? 0 : place;
  const keyed = [...cards]
    .sort((a, b) => a - b)
    .map((card) => {
      const face = card % 52;
      const copy = (copies.get(face) ?? 0) + 1;
      copies.set(face, copy);
      return { key: hex(shake256(32, seed, `/redeal/${who}/${redeals[place]}/${face}/${copy}`)), card };
    });
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ card }) => card);
}
