// A bot for the game racing-demon, written from docs/wire.md. It runs in Node.js 22 or newer, and in a browser.
//
//     node examples/bot.js ws://127.0.0.1:5252/v1 BCDF

const [url, code] = process.argv.slice(2);
const MILLISECONDS_A_PLAY = 500;
const [HELLO, JOIN, PLAY_CARDS, STUCK, READY] = [1, 3, 6, 7, 8];
const [VERSIONS, SEATED, REFUSED] = [64, 65, 68];
const [PLAYED, DEALT, SIGNALLED, HAND_OVER, MATCH_OVER] = [80, 88, 89, 93, 94];
const [COLUMNS, STOCK_CARDS, TURN, FACE_DOWN, TO_FOUNDATIONS] = [7, 24, 3, -1, -1];

let piles = [];
let counter = 0;
let seen = 0;
let seat;
let first; // the number of the seat's first pile, its stock; the waste and the columns follow
let turned = 0; // cards turned since something else was played
let timer;

const socket = new WebSocket(url, "racing-demon.v1+json");
const send = (...message) => socket.send(JSON.stringify(message));
const command = (tag, ...fields) => send(tag, ++counter, ...fields);

socket.onmessage = ({ data }) => HANDLERS[JSON.parse(data)[0]]?.(...JSON.parse(data).slice(1));
socket.onerror = () => console.error("There is no server.");

const HANDLERS = {
  [VERSIONS]() {
    send(HELLO, 1, "example-bot program programs"); // a program, and it knows of others
    send(JOIN, code, "JS bot");
  },
  [SEATED](_code, ownSeat) {
    seat = ownSeat;
    command(READY);
  },
  [REFUSED](_counter, _reason, text) {
    if (seat === undefined) {
      console.error(text);
      socket.close();
    }
  },
  // Foundations come first: four for each seat. Then each seat has a stock, a waste, and seven columns.
  [DEALT](seq, seats, shown) {
    seen = seq;
    const laid = [FACE_DOWN, FACE_DOWN, FACE_DOWN, FACE_DOWN, FACE_DOWN, FACE_DOWN];
    piles = seats.flatMap(() => [[], [], [], []]);
    first = piles.length + (COLUMNS + 2) * seats.indexOf(seat);
    seats.forEach((_, place) => {
      piles.push(Array(STOCK_CARDS).fill(FACE_DOWN), []);
      for (let column = 0; column < COLUMNS; column++)
        piles.push([...laid.slice(0, column), shown[place * COLUMNS + column]]);
    });
  },
  [SIGNALLED](seq) {
    seen = seq;
    turned = 0;
    clearInterval(timer);
    if (piles[first]) timer = setInterval(play, MILLISECONDS_A_PLAY);
  },
  [PLAYED](seq, who, _counter, source, count, destination, shown) {
    seen = seq;
    move(source, count, destination, shown);
    if (who !== seat || kindOf(destination) === "stock" || kindOf(destination) === "waste") return;
    turned = 0;
    console.log(`pile ${source} to ${destination}`);
  },
  [HAND_OVER]() {
    clearInterval(timer);
    command(READY);
  },
  [MATCH_OVER](_seq, winners) {
    console.log(winners.includes(seat) ? "I have won." : "The match is over.");
    clearInterval(timer);
    socket.close();
  },
};

function kindOf(pile) {
  const foundations = (4 * piles.length) / (4 + COLUMNS + 2);
  if (pile < foundations) return "foundation";
  return ["stock", "waste"][(pile - foundations) % (COLUMNS + 2)] ?? "column";
}

/** Do what docs/wire.md says in "How cards move", as far as this game needs it. */
function move(source, count, destination, shown) {
  const cards = piles[source].splice(-count);
  if (kindOf(source) === "stock" || kindOf(destination) === "stock") cards.reverse();
  piles[destination].push(...cards);
  const names = [...shown];
  for (const number of [source, destination]) {
    const pile = piles[number];
    const top = pile.length - 1;
    if (kindOf(number) === "stock") pile.fill(FACE_DOWN);
    else if (kindOf(number) === "waste") pile.fill(FACE_DOWN, 0, Math.max(0, top));
    if (kindOf(number) !== "stock" && pile[top] === FACE_DOWN) pile[top] = names.shift();
  }
}

const rank = (card) => (card % 13) + 1;
const suit = (card) => Math.floor((card % 52) / 13);

function goesUp(card) {
  const tops = piles.filter((_, pile) => kindOf(pile) === "foundation").map((pile) => pile.at(-1));
  return tops.some((top) =>
    top === undefined ? rank(card) === 1 : suit(top) === suit(card) && rank(top) + 1 === rank(card),
  );
}

function fits(card, column) {
  const top = piles[column].at(-1);
  return top !== undefined && rank(top) === rank(card) + 1 && suit(top) % 2 !== suit(card) % 2;
}

/** Play the first thing that helps; else turn the stock; when it was all seen in vain, say so. */
function play() {
  const [stock, waste] = [first, first + 1];
  const columns = Array.from({ length: COLUMNS }, (_, column) => first + 2 + column);
  const playCards = (source, count, destination) => command(PLAY_CARDS, source, count, destination, seen);
  for (const source of [...columns, waste]) {
    if (piles[source].length > 0 && goesUp(piles[source].at(-1))) return playCards(source, 1, TO_FOUNDATIONS);
  }
  for (const source of columns) {
    const hidden = piles[source].lastIndexOf(FACE_DOWN) + 1;
    const run = piles[source].slice(hidden);
    const target = columns.find((column) => column !== source && run.length > 0 && fits(run[0], column));
    if (hidden > 0 && target !== undefined) return playCards(source, run.length, target);
  }
  const target = columns.find((column) => piles[waste].length > 0 && fits(piles[waste].at(-1), column));
  if (target !== undefined) return playCards(waste, 1, target);
  if (turned > piles[stock].length + piles[waste].length) return command(STUCK, seen);
  if (piles[stock].length === 0) {
    if (piles[waste].length === 0) return command(STUCK, seen);
    return playCards(waste, piles[waste].length, stock);
  }
  const count = Math.min(TURN, piles[stock].length);
  turned += count;
  playCards(stock, count, waste);
}
