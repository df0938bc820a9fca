// SHAKE-256 (FIPS 202), on which deals rest. Browsers have none of their own.

const RATE = 136;
const LANE = (1n << 64n) - 1n;
const ROUNDS = 24;
const { shifts: SHIFTS, constants: CONSTANTS } = tables();

/**
 * @param {number} size how many bytes are wanted
 * @param {...(string | Uint8Array)} parts
 * @returns {Uint8Array}
 */
export function shake256(size, ...parts) {
  const data = parts.flatMap((part) => [
    ...(typeof part === "string" ? new TextEncoder().encode(part) : part),
  ]);
  data.push(0x1f);
  while (data.length % RATE !== 0) data.push(0);
  data[data.length - 1] |= 0x80;
  /** @type {bigint[]} */
  const state = new Array(25).fill(0n);
  for (let start = 0; start < data.length; start += RATE) {
    for (let at = 0; at < RATE; at++) state[at >> 3] ^= BigInt(data[start + at]) << BigInt(8 * (at & 7));
    permute(state);
  }
  const out = [];
  while (out.length < size) {
    for (let at = 0; at < RATE; at++) out.push(Number((state[at >> 3] >> BigInt(8 * (at & 7))) & 255n));
    permute(state);
  }
  return Uint8Array.from(out.slice(0, size));
}

/** @param {bigint[]} a */
function permute(a) {
  for (let round = 0; round < ROUNDS; round++) {
    const c = [0, 1, 2, 3, 4].map((x) => a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20]);
    for (let x = 0; x < 5; x++) {
      const d = c[(x + 4) % 5] ^ turn(c[(x + 1) % 5], 1n);
      for (let y = 0; y < 25; y += 5) a[x + y] ^= d;
    }
    /** @type {bigint[]} */
    const b = new Array(25);
    for (let x = 0; x < 5; x++) {
      for (let y = 0; y < 5; y++) b[y + 5 * ((2 * x + 3 * y) % 5)] = turn(a[x + 5 * y], SHIFTS[x + 5 * y]);
    }
    for (let y = 0; y < 25; y += 5) {
      for (let x = 0; x < 5; x++) a[x + y] = b[x + y] ^ (~b[((x + 1) % 5) + y] & LANE & b[((x + 2) % 5) + y]);
    }
    a[0] ^= CONSTANTS[round];
  }
}

/**
 * @param {bigint} lane
 * @param {bigint} by
 */
function turn(lane, by) {
  return ((lane << by) | (lane >> (64n - by))) & LANE;
}

/** The shifts of the lanes, and what each round adds. */
function tables() {
  /** @type {bigint[]} */
  const shifts = new Array(25).fill(0n);
  let [x, y] = [1, 0];
  for (let step = 1; step <= 24; step++) {
    shifts[x + 5 * y] = BigInt(((step * (step + 1)) / 2) % 64);
    [x, y] = [y, (2 * x + 3 * y) % 5];
  }
  /** @type {bigint[]} */
  const constants = [];
  let register = 1;
  for (let round = 0; round < ROUNDS; round++) {
    let constant = 0n;
    for (let bit = 0; bit < 7; bit++) {
      if (register & 1) constant |= 1n << ((1n << BigInt(bit)) - 1n);
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    constants.push(constant);
  }
  return { shifts, constants };
}
