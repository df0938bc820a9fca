// When a page counts as slow, and what it draws when.

import assert from "node:assert/strict";
import test, { mock } from "node:test";
import { Frames } from "../../client/racing_demon_web/dom.js";

test("a slow page stays slow until it is drawn in well below the time that made it slow", () => {
  let now = 0;
  let cost = 0;
  mock.method(performance, "now", () => now);
  mock.method(globalThis, "setTimeout", (done) => done());
  globalThis.document = { hidden: false };
  globalThis.requestAnimationFrame = (draw) => draw(now);
  const frames = new Frames(() => {
    now += cost;
  });
  const slowAfter = (/** @type {number} */ ms) => {
    cost = ms;
    for (let frame = 0; frame < 30; frame++) frames.request();
    return frames.isSlow;
  };
  assert.deepEqual([5, 20, 10, 5, 10].map(slowAfter), [false, true, true, false, false]);
});

/** Frames of a page that takes 100 ms for each, and what was drawn in them; the clock stands until time passes. */
function slowPage() {
  mock.restoreAll();
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  mock.method(performance, "now", () => now);
  const drawn = [];
  /** @type {((began: number) => void)[]} */
  const asked = [];
  globalThis.document = { hidden: false };
  globalThis.requestAnimationFrame = (draw) => asked.push(draw);
  const frames = new Frames((isWhole) => {
    drawn.push(isWhole ? "all" : "own");
    now += 100;
  });
  const pass = (ms = 0) => {
    now += ms;
    mock.timers.tick(ms);
    for (const draw of asked.splice(0)) draw(now);
    mock.timers.tick(1); // the browser has painted
  };
  frames.isSlow = true;
  frames.averageMs = 100;
  return { frames, drawn, pass };
}

test("on a slow page a frame that answers a tap leaves others out, who follow within a quarter of a second", () => {
  const { frames, drawn, pass } = slowPage();
  frames.request();
  pass();
  frames.soon(); // others play
  frames.request(true);
  pass();
  assert.deepEqual(drawn, ["all", "own"]);
  pass(150);
  assert.deepEqual(drawn, ["all", "own", "all"]);
  pass(1000); // nobody plays any more
  assert.equal(drawn.length, 3);
});

test("what is not a tap shows all at once, also in the frame of a tap; so does each frame of a quick page", () => {
  const { frames, drawn, pass } = slowPage();
  frames.request(true);
  frames.request(); // a hand has ended
  frames.request(true);
  pass();
  frames.isSlow = false;
  frames.request(true);
  pass();
  assert.deepEqual(drawn, ["all", "all"]);
});

test("taps do not put others off", () => {
  const { frames, drawn, pass } = slowPage();
  frames.request();
  pass();
  frames.soon();
  for (let tap = 0; tap < 3; tap++) {
    frames.request(true);
    pass(60);
  }
  assert.deepEqual(drawn, ["all", "own", "own", "all"]);
});

test("others who play while the page is hidden are drawn when it is seen again, and then as before", () => {
  const { frames, drawn, pass } = slowPage();
  globalThis.document.hidden = true;
  frames.soon();
  pass(1000);
  assert.deepEqual(drawn, []);
  globalThis.document.hidden = false;
  frames.request(); // `visibilitychange` does
  pass();
  frames.soon();
  pass(150);
  assert.deepEqual(drawn, ["all", "all"]);
});
