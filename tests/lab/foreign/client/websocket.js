// A WebSocket (RFC 6455) for text messages, on Node's own sockets: no dependency is needed.

import { createHash, randomBytes } from "node:crypto";
import { connect } from "node:net";

const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const [CONTINUATION, TEXT, CLOSE, PING, PONG] = [0, 1, 8, 9, 10];

export class WebSocket {
  #socket;
  #bytes = Buffer.alloc(0);
  #fragments = [];
  #messages = [];
  #waiting = null;
  #ending = null; // how the connection ended: { code, reason }

  // Open a connection with one subprotocol, and return it when the server has agreed.
  static async open(url, protocol) {
    const { hostname, port, pathname } = new URL(url);
    const ws = new WebSocket();
    const key = randomBytes(16).toString("base64");
    ws.#socket = connect(Number(port), hostname).setNoDelay(true);
    ws.#socket.on("error", () => ws.#end(1006, "the connection broke"));
    ws.#socket.on("close", () => ws.#end(1006, "the connection broke"));
    ws.#socket.write(
      `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\n` +
        `Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n` +
        `Sec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
    );
    const answer = await ws.#handshake();
    const expected = createHash("sha1").update(key + MAGIC).digest("base64");
    if (!answer.startsWith("HTTP/1.1 101") || !answer.includes(expected)) throw new Error(answer);
    if (!answer.toLowerCase().includes(`sec-websocket-protocol: ${protocol}`)) throw new Error(answer);
    return ws;
  }

  #handshake() {
    return new Promise((resolve, reject) => {
      this.#socket.once("close", () => reject(new Error("closed in the handshake")));
      const read = (chunk) => {
        this.#bytes = Buffer.concat([this.#bytes, chunk]);
        const end = this.#bytes.indexOf("\r\n\r\n");
        if (end < 0) return;
        const head = this.#bytes.subarray(0, end).toString();
        this.#bytes = this.#bytes.subarray(end + 4);
        this.#socket.off("data", read);
        this.#socket.on("data", (more) => this.#take(more));
        this.#take(Buffer.alloc(0));
        resolve(head);
      };
      this.#socket.on("data", read);
    });
  }

  send(text) {
    this.#write(TEXT, Buffer.from(text));
  }

  // Return the next message as text, or null when the connection has ended: see `ending`.
  async read() {
    while (this.#messages.length === 0 && this.#ending === null) {
      await new Promise((resolve) => (this.#waiting = resolve));
    }
    return this.#messages.length > 0 ? this.#messages.shift() : null;
  }

  get ending() {
    return this.#ending;
  }

  close() {
    this.#write(CLOSE, Buffer.from([1000 >> 8, 1000 & 255]));
    this.#socket.end();
  }

  // Break the connection without a word.
  cut() {
    this.#socket.destroy();
  }

  #write(opcode, data) {
    if (this.#socket.destroyed) return;
    const mask = randomBytes(4);
    const long = data.length > 125;
    const head = Buffer.alloc(long ? 4 : 2);
    head[0] = 0x80 | opcode;
    head[1] = 0x80 | (long ? 126 : data.length);
    if (long) head.writeUInt16BE(data.length, 2);
    this.#socket.write(Buffer.concat([head, mask, data.map((byte, at) => byte ^ mask[at % 4])]));
  }

  #take(chunk) {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const bytes = this.#bytes;
      if (bytes.length < 2) return;
      const short = bytes[1] & 127;
      const begin = short === 127 ? 10 : short === 126 ? 4 : 2;
      if (bytes.length < begin) return;
      const size =
        short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
      if (bytes.length < begin + size) return;
      this.#bytes = bytes.subarray(begin + size);
      this.#frame(bytes[0] & 15, (bytes[0] & 128) !== 0, bytes.subarray(begin, begin + size));
    }
  }

  #frame(opcode, final, data) {
    if (opcode === PING) return this.#write(PONG, data);
    if (opcode === CLOSE) {
      this.#end(data.length < 2 ? 1005 : data.readUInt16BE(0), data.subarray(2).toString());
      this.#write(CLOSE, data);
      return this.#socket.end();
    }
    if (opcode !== TEXT && opcode !== CONTINUATION) return undefined;
    this.#fragments.push(data);
    if (!final) return undefined;
    this.#messages.push(Buffer.concat(this.#fragments).toString());
    this.#fragments = [];
    return this.#wake();
  }

  #end(code, reason) {
    this.#ending ??= { code, reason };
    this.#wake();
  }

  #wake() {
    this.#waiting?.();
    this.#waiting = null;
  }
}
