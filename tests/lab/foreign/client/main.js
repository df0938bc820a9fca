// node main.js URL PLAN: plays what the plan says, and prints a line about each of its games.
//
// With `comings` people come late, leave and come back in a match, and the host calls its last hand; nobody plays.
// Else the plan is JSON: a list of { game, hands, bots, level, options, cutEvery, guesses, pace }. With `guesses`
// the client knows nothing of the game's rules and tries plays that may be legal; else it plays by the rules.
// After so many commands as `cutEvery` says its line breaks. A command takes `pace` milliseconds at least: a
// server takes 30 commands a second, unless its operator says otherwise.

import { readFileSync } from "node:fs";
import { Player } from "./player.js";
import { plays } from "./rules.js";
import { Wire } from "./wire.js";

const documents = new URL("../../../../protocol/", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, documents), "utf8"));

// Chooses plays by the rules; says that it is stuck when a whole pass of the stock has led to nothing.
class Knowing {
  #turns = 0;

  move(player) {
    const { table, seat } = player;
    const { board, layout, options } = table;
    const place = layout.seats.indexOf(seat);
    const [play] = plays(board, place, options);
    if (play?.progress) {
      this.#turns = 0;
      player.play(play);
      return;
    }
    const inHand = ["stock", "waste"].flatMap((kind) => layout.own(place, kind));
    const passes = inHand.reduce((sum, pile) => sum + board.cards[pile.number].length, 0) / 3 + 4;
    if (play !== undefined && this.#turns < passes) {
      this.#turns++;
      player.play(play);
    } else if (!table.stuck.has(seat)) {
      player.command("stuck");
    }
  }

  follow({ name, fields }, { table }) {
    if (name !== "played") return;
    const to = table.layout.piles[fields.destination].kind;
    if (to === "foundation") this.#turns = 0; // others have opened something
  }
}

// Tries plays of cards that it may take, one after the other.
class Guessing {
  #untried = [];
  #seq = -1;

  move(player) {
    const { table, seat } = player;
    const { board, layout } = table;
    const place = layout.seats.indexOf(seat);
    if (this.#untried.length === 0) {
      const own = layout.piles.filter((pile) => pile.place === place || pile.place === -1);
      for (const { number: source } of own.filter((pile) => board.cards[pile.number].length > 0)) {
        for (const { number: destination } of own) {
          const turn = layout.game.options.turn ?? 1;
          for (const count of new Set([1, Math.min(turn, board.cards[source].length), board.cards[source].length])) {
            this.#untried.push({ source, count, destination });
          }
        }
      }
    }
    const [play] = this.#untried.splice(Math.floor(Math.random() * this.#untried.length), 1);
    if (play !== undefined) player.play(play);
  }

  follow({ name, fields }, { seat }) {
    if (name === "played" && fields.seat === seat) this.#untried = [];
  }
}

// Compare a player's table, whose hand stands still, with what the server shows to somebody who comes now.
async function compare(player) {
  const spectator = new Player(player.url, player.wire, player.table.games);
  await spectator.watch(player.code);
  spectator.close();
  while (player.table.seq < spectator.table.seq) await player.next();
  const seen = ({ seq, phase, seats, stuck, board }) =>
    JSON.stringify([seq, phase, [...seats], [...stuck].sort(), board.redeals, board.cards]);
  const [own, told] = [player.table, spectator.table].map(seen);
  if (own !== told) throw new Error(`our table is ${own}, and the server's ${told}`);
}

async function evening(url, wire, games, { game, hands, bots, level, options, cutEvery, guesses, pace = 40 }) {
  const player = new Player(url, wire, games);
  const begun = { countdown_ms: 0, tally_ms: 200, hands, ...options };
  await player.create({ game, ...begun });
  for (let bot = 0; bot < bots; bot++) player.command("add_bot", { level });
  player.command("start");
  const { table } = player;
  let own = 0;
  let compared = 0;
  let mind = guesses ? new Guessing() : new Knowing();
  let timer = null;
  let sent = 0;
  const isFree = () => player.isCaughtUp && table.phase === "playing" && !table.paused && !player.isWaiting;
  const act = () => {
    timer = null;
    if (!isFree()) return;
    mind.move(player);
    if (cutEvery > 0 && ++sent % cutEvery === 0) player.cut(); // its answer may be lost, or the command itself
  };
  while (table.phase !== "over") {
    const message = await player.next();
    mind.follow(message, player);
    if (message.name === "dealt") mind = guesses ? new Guessing() : new Knowing();
    // A table of one person and bots waits for that person, who first contributes to the next deal.
    const hasContributed = message.name === "contributed" && message.fields.seat === player.seat;
    if (hasContributed && table.phase === "tally") player.command("ready");
    if (message.name === "played" && message.fields.seat === player.seat && message.fields.counter > 0) {
      own++;
      if (!guesses && own % 25 === 0) player.command("pause", { paused: true });
    }
    if (table.paused && player.isCaughtUp && !player.isWaiting) {
      await compare(player);
      compared++;
      player.command("pause", { paused: false });
    }
    if (isFree()) timer ??= setTimeout(act, pace);
  }
  clearTimeout(timer);
  player.close();
  return { game, own, compared, refused: player.refused, cuts: player.cuts, ...table.proved };
}

// Let somebody come after the first hand, who starts at the lowest total, leaves, comes back, and leaves and
// comes back while the next hand is played, which the host has made the last one.
async function comings(url, wire, games, { game, options }) {
  const [host, late, again, back] = [1, 2, 3, 4].map(() => new Player(url, wire, games));
  const until = async (is, ...players) => {
    for (const player of players) while (!is(player.table)) await player.next();
  };
  const begun = { game, countdown_ms: 0, tally_ms: 600_000, hands: 9, ...options };
  await host.create(begun);
  host.command("add_bot", { level: "hard" });
  host.command("set_late_start", { lowest: true });
  host.command("start");
  await until(({ phase }) => phase === "tally", host);
  await late.join(host.code, "Fay");
  late.command("leave");
  await until(({ left }) => left.has(late.seat), host);
  await again.join(host.code, "Fay", late.token);
  host.command("set_last_hand", { last: true });
  await until(({ lastHand }) => lastHand === 2, host, again);
  host.command("start");
  const hands = [host, again].map((player) => until(({ phase }) => phase === "playing", player));
  await Promise.all(hands);
  again.command("leave");
  await until(({ left }) => left.has(again.seat), host);
  await back.join(host.code, "Fay", again.token);
  await until(({ sittingOut }) => sittingOut.has(back.seat), host, back);
  await until(({ phase }) => phase === "over", host, back);
  const [own, theirs] = [host, back].map(({ table }) => JSON.stringify([[...table.totals()], [...table.starts]]));
  if (own !== theirs) throw new Error(`the totals are ${own}, and ${theirs}`);
  for (const player of [host, late, again, back]) player.close();
  const seats = [late.seat, again.seat, back.seat];
  return { hands: host.table.results.length, seats, totals: [...host.table.totals()], starts: [...host.table.starts] };
}

const [url, plan] = process.argv.slice(2);
const wire = new Wire(read("schema.json"));
const games = read("games.json");
for (const each of JSON.parse(plan)) {
  const play = each.comings ? comings : evening;
  console.log(JSON.stringify(await play(url, wire, games, each)));
}
