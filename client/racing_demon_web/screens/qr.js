// QR codes of links that hold a secret, which no server may see in a request: so the page draws them itself.

/** The codewords of data and of error correction, of versions 1 to 5 at level L, which have one block. */
const CODEWORDS = [
  [19, 7],
  [34, 10],
  [55, 15],
  [80, 20],
  [108, 26],
];
const FORMAT = 0x77c4; // level L, mask 0
const MARGIN = 4; // modules of quiet zone
const SVG = "http://www.w3.org/2000/svg";

/** Powers of 2 in the field of 256 elements, and their logarithms. */
const POWERS = new Uint8Array(255);
const LOGARITHMS = new Uint8Array(256);
for (let exponent = 0, value = 1; exponent < 255; exponent += 1) {
  POWERS[exponent] = value;
  LOGARITHMS[value] = exponent;
  value = (value << 1) ^ (value > 127 ? 0x11d : 0);
}

/** @type {(one: number, other: number) => number} */
const times = (one, other) => (one && other ? POWERS[(LOGARITHMS[one] + LOGARITHMS[other]) % 255] : 0);

/**
 * The codewords of error correction: the remainder of a division by the generator.
 * @param {number[]} data
 * @param {number} count
 */
function correction(data, count) {
  let generator = [1];
  for (let root = 0; root < count; root += 1)
    generator = [...generator, 0].map((value, at) => value ^ times(generator[at - 1] ?? 0, POWERS[root]));
  const rest = [...data, ...Array(count).fill(0)];
  for (let at = 0; at < data.length; at += 1) {
    const factor = rest[at];
    generator.forEach((value, place) => {
      rest[at + place] ^= times(value, factor);
    });
  }
  return rest.slice(data.length);
}

/**
 * The modules of a text's QR code, row by row; null if it is too long.
 * @param {string} text
 * @returns {number[][] | null} 1: dark
 */
export function qrModules(text) {
  const bytes = [...new TextEncoder().encode(text)];
  const version = CODEWORDS.findIndex(([room]) => bytes.length + 2 <= room) + 1;
  if (!version) return null;
  const [room, count] = CODEWORDS[version - 1];
  // The mode (4 bits: bytes), the length, the bytes, and an end of 4 bits: so all are half a byte late.
  const late = [4, bytes.length, ...bytes, 0];
  const data = late.slice(1).map((byte, at) => ((late[at] << 4) & 0xf0) | (byte >> 4));
  data[0] = 0x40 | (bytes.length >> 4);
  for (let padding = 0xec; data.length < room; padding ^= 0xec ^ 0x11) data.push(padding);
  const words = [...data, ...correction(data, count)];

  const size = 17 + 4 * version;
  const rows = Array.from({ length: size }, () => /** @type {number[]} */ (Array(size).fill(-1))); // -1: free
  /** @type {(y: number, x: number, radius: number, isDark: (distance: number) => boolean) => void} */
  const square = (y, x, radius, isDark) => {
    for (let row = y - radius; row <= y + radius; row += 1)
      for (let column = x - radius; column <= x + radius; column += 1)
        if (rows[row]?.[column] !== undefined)
          rows[row][column] = Number(isDark(Math.max(Math.abs(row - y), Math.abs(column - x))));
  };
  for (let at = 8; at < size - 8; at += 1) rows[6][at] = rows[at][6] = 1 - (at % 2);
  for (const [y, x] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ])
    square(y, x, 4, (distance) => distance !== 2 && distance !== 4);
  if (version > 1) square(size - 7, size - 7, 2, (distance) => distance !== 1);
  for (let bit = 0; bit < 15; bit += 1) {
    const dark = (FORMAT >> bit) & 1;
    rows[bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit][8] = dark;
    rows[8][bit < 8 ? size - 1 - bit : bit < 9 ? 7 : 14 - bit] = dark;
  }
  rows[size - 8][8] = 1;

  let at = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5; // the timing pattern has this column
    const isUp = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1) {
      const row = isUp ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (rows[row][column] >= 0) continue;
        const bit = ((words[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
        rows[row][column] = bit ^ Number((row + column) % 2 === 0);
        at += 1;
      }
    }
  }
  return rows;
}

/**
 * A text's QR code as a picture; null if it is too long.
 * @param {string} text
 * @param {string} label
 */
export function qrPicture(text, label) {
  const rows = qrModules(text);
  if (!rows) return null;
  const size = rows.length + 2 * MARGIN;
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", `0 0 ${size} ${size}`);
  picture.setAttribute("role", "img");
  picture.setAttribute("class", "qr");
  picture.setAttribute("aria-label", label);
  picture.setAttribute("shape-rendering", "crispEdges");
  const path = document.createElementNS(SVG, "path");
  const dark = rows.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x + MARGIN} ${y + MARGIN}h1v1h-1z` : "")),
  );
  path.setAttribute("d", dark.join(""));
  picture.append(path);
  return picture;
}
