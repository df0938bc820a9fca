// The page's own files, and whether the server has newer ones.

import assert from "node:assert/strict";
import test from "node:test";
import { isOutdated } from "../../client/racing_demon_web/pwa.js";

test("whoever reaches no server keeps the page", async () => {
  assert.equal(await isOutdated(), false);
});
