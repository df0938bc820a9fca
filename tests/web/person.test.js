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
  return { person, answer: person.answer({ server, nonce: "0c", suggested: true }, false) };
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

test("the secret is proven as newer servers and older ones know it", () => {
  stored.clear();
  const person = ask("5e").person;
  person.identified(ANN);
  const { secret } = keptPeople().people[0];
  for (const [key, kept] of stored) stored.set(key, kept.replace(secret, "07".repeat(32)));
  const challenge = { server: "5e", nonce: "0c", suggested: true };
  const proofs = [false, true].map((isOlder) => person.answer(challenge, isOlder)?.fields.proof);
  assert.deepEqual(proofs, [
    "2aa26eaf0b0b492d4e44013303d0fa0081ee464c4142158584c3f87e4bfac4ed",
    "f025452fc083403fa523c1cfd1fab2c4e7675df0317fc6a73be7d2d08b0eb91b",
  ]);
});
