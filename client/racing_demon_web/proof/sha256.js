// SHA-256 (FIPS 180-4). Browsers offer theirs over https alone, and most tables are served over http.

const ROUND = Array.from({ length: 64 }, (_, at) => fraction(Math.cbrt(prime(at))));
const START = Array.from({ length: 8 }, (_, at) => fraction(Math.sqrt(prime(at))));

/**
 * @param {...(string | Uint8Array)} parts
 * @returns {Uint8Array} 32 bytes
 */
export function sha256(...parts) {
  const data = parts.flatMap((part) => [
    ...(typeof part === "string" ? new TextEncoder().encode(part) : part),
  ]);
  const bits = data.length * 8;
  data.push(0x80);
  while (data.length % 64 !== 56) data.push(0);
  for (let shift = 56; shift >= 0; shift -= 8) data.push(Math.floor(bits / 2 ** shift) & 255);
  const state = START.slice();
  for (let start = 0; start < data.length; start += 64) compress(state, data.slice(start, start + 64));
  return Uint8Array.from(
    state.flatMap((word) => [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255]),
  );
}

/** @param {Uint8Array} bytes */
export const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
/** @param {string} text */
export const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/**
 * Bytes that nobody can guess.
 * @param {number} count
 */
export const randomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));

/**
 * @param {number[]} state
 * @param {number[]} block
 */
function compress(state, block) {
  /** @type {number[]} */
  const w = [];
  for (let at = 0; at < 16; at++) {
    w.push((block[4 * at] << 24) | (block[4 * at + 1] << 16) | (block[4 * at + 2] << 8) | block[4 * at + 3]);
  }
  for (let at = 16; at < 64; at++) {
    const before = w[at - 15];
    const last = w[at - 2];
    const s0 = turn(before, 7) ^ turn(before, 18) ^ (before >>> 3);
    const s1 = turn(last, 17) ^ turn(last, 19) ^ (last >>> 10);
    w.push((w[at - 16] + s0 + w[at - 7] + s1) | 0);
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let at = 0; at < 64; at++) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const one = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[at] + w[at]) | 0;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, at) => {
    state[at] = (state[at] + word) | 0;
  });
}

/**
 * @param {number} word
 * @param {number} by
 */
function turn(word, by) {
  return (word >>> by) | (word << (32 - by));
}

/**
 * The first 32 bits of a number's fraction.
 * @param {number} number
 */
function fraction(number) {
  return Math.floor((number - Math.floor(number)) * 2 ** 32) | 0;
}

/** @param {number} wanted */
function prime(wanted) {
  let found = -1;
  let number = 1;
  while (found < wanted) {
    number += 1;
    let divisor = 2;
    while (divisor * divisor <= number && number % divisor !== 0) divisor += 1;
    if (divisor * divisor > number) found += 1;
  }
  return number;
}
