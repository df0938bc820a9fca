// The yardstick Colyseus: a room with the same traffic as a table of ours, and no game.
//
//     node server.mjs FOLDER default|patch|message PILES
//
// FOLDER is where the packages are installed.
//
// A play names two piles; both change, and everybody sees it. "default" sends what has changed every 50 ms, as
// rooms do by themselves; "patch" sends it after each play; "message" broadcasts each play as a message.

import http from "node:http";
import { createRequire } from "node:module";

const [folder, mode, piles] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const require = createRequire(`${folder}/`);
const { Room, Server } = require("@colyseus/core");
const { schema, t } = require("@colyseus/schema");
const { WebSocketTransport } = require("@colyseus/ws-transport");

const PLAY = 6; // what the load calls a play
const PLAYED = 80;
const PACK = 52;
const MOST_CLIENTS = 16;

const Pile = schema({ top: t.uint8(), size: t.uint8() }, "Pile");
const Board = schema({ plays: t.uint32(), piles: t.array(Pile) }, "Board"); // the load reads its first field

class Table extends Room {
  onCreate() {
    this.maxClients = MOST_CLIENTS;
    this.autoDispose = false;
    const board = new Board();
    board.plays = 0;
    for (let number = 0; number < piles; number++) {
      const pile = new Pile();
      pile.top = number % PACK;
      pile.size = 0;
      board.piles.push(pile);
    }
    this.state = board;
    if (mode !== "default") this.patchRate = null;
    this.onMessage(PLAY, (client, play) => this.play(play));
  }

  play([source, count, destination]) {
    const from = this.state.piles[source];
    const to = this.state.piles[destination];
    if (from === undefined || to === undefined) return;
    this.state.plays += 1;
    from.size = (from.size - count) & 0xff;
    from.top = this.state.plays % PACK;
    to.size = (to.size + count) & 0xff;
    to.top = (this.state.plays + 1) % PACK;
    if (mode === "patch") this.broadcastPatch();
    if (mode === "message") this.broadcast(PLAYED, [this.state.plays, source, count, destination, to.top]);
  }
}

const web = http.createServer();
const server = new Server({ greet: false, transport: new WebSocketTransport({ server: web }) });
server.define("table", Table);
await server.listen(0, "127.0.0.1");
console.log(`listening on ws://127.0.0.1:${web.address().port}/`);
process.stdin.on("end", () => process.exit(0)).resume();
