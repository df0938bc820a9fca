// When a page counts as slow, and stops moving things.

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
