// What is kept of a hand for its tally.

import assert from "node:assert/strict";
import test from "node:test";
import { MatchLog } from "../../client/racing_demon_web/wire/match_log.js";

test("of the races of a hand the closest is told, and none of the hand before", () => {
  const log = new MatchLog();
  log.record("snapshot", {}, {});
  for (const late of [30_000, 10_000, 20_000]) log.record("race_lost", { late_us: late }, {});
  assert.equal(log.closest.late_us, 10_000);
  log.record("dealt", { seq: 1 }, { handNumber: 2 });
  assert.equal(log.closest, null);
});
