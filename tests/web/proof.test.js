// What a player is told of a hand that was dealt again.

import assert from "node:assert/strict";
import test from "node:test";
import { check } from "../../client/racing_demon_web/proof/proof.js";
import { LATER, MISMATCHES } from "../../client/racing_demon_web/words_later.js";

const nameOf = () => "Ann";

test("a deal that is not what was promised is called so, and one that cannot be checked is not", () => {
  const forged = check({ handId: new Uint8Array(8), commitment: "00" }, "00".repeat(32), true, nameOf);
  assert.deepEqual(forged, { text: LATER.notValid(MISMATCHES.secret), isWrong: true });
  assert.deepEqual(check({}, "00", true, nameOf), { text: LATER.uncheckedError });
});
