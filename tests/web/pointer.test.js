// Gestures: what fingers and mice do on the board.

import assert from "node:assert/strict";
import test from "node:test";
import { MoveInput } from "../../client/racing_demon_web/table/move_input.js";
import { listen } from "../../client/racing_demon_web/table/pointer.js";

const STOCK = { pile: 0, count: 1 };
const CARD = { pile: 5, count: 2 };

/** A board with the stock at the left, a card at the right, and nothing below; notes what gestures come to. */
function board({ isFast = false } = {}) {
  const root = Object.assign(new EventTarget(), { setPointerCapture() {} });
  const calls = [];
  const note =
    (name) =>
    (...values) =>
      calls.push([name, ...values]);
  listen(
    { root, box: { left: 10, top: 20 } },
    {
      hit: ({ x, y }) => (y > 100 ? null : x < 50 ? STOCK : CARD),
      isStock: (pile) => pile === STOCK.pile,
      isFast,
      ...Object.fromEntries(
        ["turn", "tap", "pickUp", "drag", "drop", "flick"].map((name) => [name, note(name)]),
      ),
    },
  );
  const send = (type, x, y, more = {}) =>
    root.dispatchEvent(
      Object.assign(new Event(type, { cancelable: true }), {
        button: 0,
        pointerId: 1,
        pointerType: "touch",
        clientX: x + 10,
        clientY: y + 20,
        ...more,
      }),
    );
  return { calls, send };
}

test("a finger that slips a little still taps", () => {
  const { calls, send } = board();
  send("pointerdown", 100, 50);
  send("pointermove", 106, 56);
  send("pointerup", 106, 56);
  assert.deepEqual(calls, [["tap", CARD]]);
});

test("the stock turns while the finger is down", () => {
  const { calls, send } = board();
  send("pointerdown", 10, 50);
  assert.deepEqual(calls, [["turn", STOCK.pile]]);
  send("pointerup", 10, 50);
  assert.equal(calls.length, 1);
});

test("fast taps play while the finger is down, once", () => {
  const { calls, send } = board({ isFast: true });
  send("pointerdown", 100, 50);
  send("pointerup", 100, 50);
  assert.deepEqual(calls, [["tap", CARD]]);
});

test("two thumbs tap at once", () => {
  const { calls, send } = board();
  send("pointerdown", 100, 50);
  send("pointerdown", 120, 60, { pointerId: 2 });
  send("pointerup", 120, 60, { pointerId: 2 });
  send("pointerup", 100, 50);
  assert.deepEqual(calls, [
    ["tap", CARD],
    ["tap", CARD],
  ]);
});

test("a dragged card hangs above the finger, and is dropped where it hangs", () => {
  const { calls, send } = board();
  send("pointerdown", 100, 80);
  send("pointermove", 130, 90);
  send("pointerup", 130, 90);
  assert.deepEqual(calls, [
    ["drag", CARD, 30, 10 - 48],
    ["drop", CARD, { x: 130, y: 90 - 48 }],
  ]);
});

test("a mouse drags a card where it points", () => {
  const { calls, send } = board();
  const mouse = { pointerType: "mouse" };
  send("pointerdown", 100, 80, mouse);
  send("pointermove", 130, 90, mouse);
  send("pointerup", 130, 90, mouse);
  assert.deepEqual(calls.at(-1), ["drop", CARD, { x: 130, y: 90 }]);
});

test("a drag that the system takes away puts the card back", () => {
  const { calls, send } = board();
  send("pointerdown", 100, 80);
  send("pointermove", 130, 90);
  send("pointercancel", 130, 90);
  assert.deepEqual(calls.at(-1), ["drop", CARD, null]);
});

test("a tap that the system takes away is none", () => {
  const { calls, send } = board();
  send("pointerdown", 100, 50);
  send("pointercancel", 100, 50);
  assert.deepEqual(calls, []);
});

test("a finger flicks a card up, a mouse does not", () => {
  for (const [pointerType, name] of [
    ["touch", "flick"],
    ["mouse", "drop"],
  ]) {
    const { calls, send } = board();
    send("pointerdown", 100, 90, { pointerType });
    send("pointermove", 105, 30, { pointerType });
    send("pointerup", 105, 30, { pointerType });
    assert.equal(calls.at(-1)[0], name);
  }
});

test("a long press picks up, and does not tap as well", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { calls, send } = board();
  send("pointerdown", 100, 50);
  context.mock.timers.tick(349);
  assert.deepEqual(calls, []);
  context.mock.timers.tick(1);
  send("pointerup", 100, 50);
  assert.deepEqual(calls, [["pickUp", CARD]]);
});

test("a tap beside all piles puts down what is held", () => {
  const { calls, send } = board();
  send("pointerdown", 100, 150);
  send("pointerup", 100, 150);
  assert.deepEqual(calls, [["tap", null]]);
});

test("other buttons of a mouse do nothing", () => {
  const { calls, send } = board();
  send("pointerdown", 100, 50, { button: 2, pointerType: "mouse" });
  send("pointerup", 100, 50, { button: 2, pointerType: "mouse" });
  assert.deepEqual(calls, []);
});

test("a card of the middle is moved by nobody but who plays alone", () => {
  const moves = (handSeats) => {
    const shown = { layout: { piles: [{ place: -1 }, { place: 0 }, { place: 1 }] } };
    const input = Object.create(MoveInput.prototype, {
      screen: { value: { shown, place: 0, table: { handSeats } } },
    });
    return shown.layout.piles.map((_, pile) => input.owns(pile));
  };
  assert.deepEqual(moves([3, 5]), [false, true, false]);
  assert.deepEqual(moves([3]), [true, true, false]);
});
