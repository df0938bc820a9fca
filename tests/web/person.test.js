// Whom this device remembers: what one server says costs nobody who they are at another.

import assert from "node:assert/strict";
import test from "node:test";

/** @type {Map<string, string>} */
const stored = new Map();
const localStorage = {
  getItem: (/** @type {string} */ key) => stored.get(key) ?? null,
  setItem: (/** @type {string} */ key, /** @type {string} */ value) => stored.set(key, value),
  removeItem: (/** @type {string} */ key) => stored.delete(key),
};
Object.assign(globalThis, { localStorage, location: new URL("http://cards.example/") });
Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Linux" }, configurable: true });
const { forget, keptPeople, knownPeople, Person } = await import(
  "../../client/racing_demon_web/wire/person.js"
);

const ANN = { player: "k3xw7q2m", device: 1, name: "Ann" };

/** @param {string} server */
function ask(server) {
  const person = new Person("Ann");
  return { person, answer: person.answer({ server, nonce: "0c", suggested: true }) };
}

/** Be known by the same public id at two servers of one address. */
function knownTwice() {
  stored.clear();
  for (const server of ["other", "asking"]) ask(server).person.identified(ANN);
}

test("forgetting somebody leaves another server's player of the same id", () => {
  knownTwice();
  forget(ANN.player);
  assert.deepEqual(
    keptPeople().people.map((each) => each.server),
    ["other"],
  );
});

test("whom a server does not know is kept for thirty days, and not named again", (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: 1e12 });
  knownTwice();
  ask("asking").person.refused({ reason: "unknown_player" });
  assert.deepEqual(knownPeople(), []);
  assert.equal(keptPeople().people.length, 2);
  assert.equal(ask("asking").answer?.name, "enroll");
  context.mock.timers.tick(30 * 86_400_000 + 1);
  ask("other").person.refused({ reason: "unknown_player" });
  assert.deepEqual(
    keptPeople().people.map((each) => each.server),
    ["other"],
  );
});
