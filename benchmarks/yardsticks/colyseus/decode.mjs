// What a client of the yardstick has seen in the end, by the library's own decoder.
//
//     node decode.mjs FOLDER < LINES > BOARD
//
// FOLDER is where the packages are installed; each line is a frame, in base64; the board is a JSON object.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/`);
const { Decoder, Reflection } = require("@colyseus/schema");

const JOIN_ROOM = 10;
const ROOM_STATE = 14;
const ROOM_STATE_PATCH = 15;
let decoder;
let faults = 0;
console.warn = () => {};
console.error = () => {};

function handshake(frame) {
  let at = 1;
  for (let field = 0; field < 2; field++) at += 1 + frame[at]; // the token to come back with; the serializer's name
  let size = 0; // msgpack's
  if (frame[at] < 0x80) size = frame[at++];
  else if (frame[at] === 0xcc) (size = frame[at + 1]), (at += 2);
  else (size = frame.readUInt16LE(at + 1)), (at += 3);
  return frame.subarray(at, at + size);
}

for (const line of readFileSync(0, "latin1").split("\n")) {
  const frame = Buffer.from(line, "base64");
  if (frame[0] === JOIN_ROOM) decoder = Reflection.decode(handshake(frame), { offset: 0 });
  if (frame[0] === ROOM_STATE || frame[0] === ROOM_STATE_PATCH) {
    try {
      decoder.decode(frame, { offset: 1 });
    } catch {
      faults++;
    }
  }
}
const { plays, piles } = decoder.state;
console.log(JSON.stringify({ plays, faults, piles: [...piles].map(({ top, size }) => [top, size]) }));
