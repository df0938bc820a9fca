// The texts of what is loaded after the first screen and the table: menus, results, replays and proofs.

import { clock, endText, inWords, isReady, ordinal, REFUSALS, short, sidesOf, span, WORDS } from "./words.js";

/** @import { Reason } from "./wire/protocol.js" */

/** Refusals at a table. @satisfies {Partial<Record<Reason, string>>} */
export const AT_TABLE = {
  illegal: "That card does not go there.",
  not_your_pile: "That pile belongs to another player.",
  too_fast: "Too many commands. Wait a second.",
  muted: "The host has muted you.",
  not_seated: "You are watching. Only players may do that.",
  not_host: "Only the host may do that.",
  halted: "The server cannot write to its disk. Play resumes automatically.",
};
Object.assign(REFUSALS, AT_TABLE);

/**
 * A count, such as "1 card" or "3 cards".
 * @param {number} count
 * @param {string} thing
 * @param {string} [things]
 */
export const plural = (count, thing, things = `${thing}s`) => `${count} ${count === 1 ? thing : things}`;

/** A date, as every page says it. @param {number} ms since 1970 */
export const dateText = (ms) => new Date(ms).toLocaleDateString([], { dateStyle: "medium" });

/** The days from one time to another, such as "Nov 30, 2026 – Dec 1, 2026". @param {number} from @param {number} to */
const datesText = (from, to) => [...new Set([from, to].map(dateText))].join(" – ");

/** The same with the time of day. @param {number} ms since 1970 */
export const dateAndTime = (ms) =>
  new Date(ms).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

/**
 * What somebody has come to in a match: "2nd of 4, 31 points".
 * @param {number} place
 * @param {number} of
 * @param {number} points
 */
const placeText = (place, of, points) =>
  `${ordinal(place).join("")} of ${of}, ${points} ${Math.abs(points) === 1 ? "point" : "points"}`;

/** @param {number} points */
export const signed = (points) => (points > 0 ? `+${points}` : String(points));

/**
 * A time as people say it, such as "9.3 seconds" or "1:05 minutes".
 * @param {number} microseconds
 */
export function seconds(microseconds) {
  const tenths = Math.round(microseconds / 100_000);
  const whole = Math.round(tenths / 10);
  if (whole >= 60) return `${clock(whole * 1000)} minutes`;
  return plural(tenths < 100 ? tenths / 10 : whole, "second");
}

/** A time in its shortest form, such as "0.4 ms". @param {number} microseconds */
function briefly(microseconds) {
  const ms = microseconds / 1000;
  if (ms < 0.1) return "less than 0.1 ms";
  if (ms < 1000) return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : clock(ms);
}

/** What a hand was like: the moments that decided it. */
export const MOMENTS = {
  title: "What your hand was like",
  more: (/** @type {number} */ count) => (count === 1 ? "One more moment" : `${count} more moments`),
  ofHand: (/** @type {number} */ hand) => `Hand ${hand}: what decided`,
  ofMatch: "Moments",
  titles: "Titles of the evening",
  /**
   * @param {import("./rules/moments.js").Moment} moment
   * @param {(seat: number) => string} nameOf
   * @param {number | null} own this player's seat
   */
  sentence({ seat, card, points, waited, winner, opened }, nameOf, own) {
    const whose = seat === own ? "Your" : `${nameOf(seat)}’s`;
    const time = Math.round(waited / 100_000) ? `could go up for ${seconds(waited)}` : "could go up";
    const other = winner === own ? "yours" : `${nameOf(winner ?? -1)}’s`;
    const instead = winner === null ? "" : `; ${other} went instead`;
    const end = instead || (points ? ", and never did" : " before it did");
    const cost = points ? ` That cost ${plural(points, "point")}.` : "";
    const beneath = opened === null ? "" : ` Beneath it lay the ${short(opened)}.`;
    return `${whose} ${short(card)} ${time}${end}.${cost}${beneath}`;
  },
};

/** The titles of an evening: each with what it says of a number. @type {Record<string, (value: number) => [string, string]>} */
const TITLES = {
  fastest: (ms) => ["Fastest hand", `out after ${clock(ms)}`],
  comeback: (points) => ["Biggest comeback", `won from ${plural(points, "point")} behind`],
  races: (won) => ["Most races won", plural(won, "race")],
  closest: (us) => ["Closest race", `won by ${briefly(us)}`],
  patience: (us) => ["Patience", `waited ${seconds(us)} for one card, and got it up`],
  helpful: (cards) => ["Opened most for others", plural(cards, "card")],
  steady: (range) => [
    "Steady",
    range ? `all hands within ${plural(range, "point")}` : "the same points in each hand",
  ],
  unlucky: (races) => ["Unlucky", `${plural(races, "race")} lost by less than 0.1 s`],
  best_hand: (points) => ["Best hand", plural(points, "point")],
  outs: (hands) => ["Out most often", plural(hands, "hand")],
  early: (hands) => ["Quick start", `first card up in ${plural(hands, "hand")}`],
  streak: (hands) => ["On a run", `most points in ${hands} hands in a row`],
  climber: (points) => ["Biggest leap", `${plural(points, "point")} more than the hand before`],
  last_word: (points) => ["Last word", `best of the last hand with ${plural(points, "point")}`],
  cards: (cards) => ["Most cards up", plural(cards, "card")],
  own_best: (points) => ["A hand to remember", plural(points, "point")],
  builder: (cards) => ["Builder", `${plural(cards, "card")} up tonight`],
  busy: (plays) => ["Busy hands", plural(plays, "play")],
  company: (hands) => ["Kept at it", `${plural(hands, "hand")} tonight`],
};

/**
 * A title, and what it was earned with; empty for one that the page does not know.
 * @param {string} title
 * @param {number} value
 * @returns {[string, string]}
 */
export const titleWords = (title, value) => TITLES[title]?.(value) ?? ["", ""];

/** What the big screen says of a hand while it is played. */
export const TICKER = {
  needs: (/** @type {string} */ name, /** @type {number} */ left) =>
    `${name} needs ${["one card", "two cards", "three cards"][left - 1] ?? plural(left, "card")}`,
  lastKing: (/** @type {string} */ name) => `${name}’s last king is up`,
  leads: (/** @type {string} */ name) => `${name} takes the lead`,
};

/** @param {number} races */
const lostBy = (races) => `${plural(races, "race")} ${races === 1 ? "was" : "were"} lost`;

/** What being faster would have been worth. */
export const SPEED = {
  /** @param {{within: {us: number, races: number, cards: number}[], distance: number, pingMs: number}} found */
  lines({ within, distance, pingMs }) {
    const most = within.find(({ cards }) => cards > 0) ?? within[within.length - 1];
    const its = most.races === 1;
    const cards = most.cards && !its ? `${most.cards} of their cards` : its ? "its card" : "their cards";
    const worth = `${cards} ${most.cards ? "never went up" : "went up later"}`;
    const gains = within.map((each) => `${plural(each.cards, "card")} by ${each.us / 1_000_000} s`);
    const way = `your way to the server and back takes (${Math.round(pingMs)} ms)`;
    return [
      ...(most.races ? [`${lostBy(most.races)} by ${most.us / 1_000_000} s or less; ${worth}.`] : []),
      ...(most.cards
        ? [`Being faster would have brought ${inWords(gains)}, had nobody answered. Others would have.`]
        : []),
      ...(distance ? [`${lostBy(distance)} by less than ${way}: that is distance, not speed.`] : []),
    ];
  },
};

export const LATER = {
  // The proof of a hand.
  uncheckedError: "The shuffle was not checked: this page made an error.",
  notValid: (/** @type {string} */ what) => `Not valid: ${what}.`,
  // Questions.
  aloneTitle: "Nobody else is here yet",
  aloneText:
    "Deal for yourself alone? Undo, named deals and statistics are in the terminal: racing-demon solo.",
  dealAlone: "Deal for me alone",
  hasSeat: "This device has a seat at the table.",
  goOnAs: (/** @type {string} */ name) => `Go on as ${name}`,
  joinAs: (/** @type {string} */ name) => `Join as ${name}`,
  goOnOrJoin: (/** @type {string} */ kept, /** @type {string} */ name) =>
    `Go on as ${kept}, or join as ${name}?`,

  // The first screen.
  preset: "Preset",
  presetAbout:
    "A well-known way to play, one that you have saved, or another game. Choosing one fills in the options.",
  aboutGame: "About this game",
  changed: (/** @type {number} */ count) => `${count} changed`,
  presets: "Presets",
  otherGames: "Other games",
  optionsLater: "All options can be changed at the table.",
  savedHere: "Saved on this device.",
  sameAgain: "The same again",
  sameAgainText: "With the options of the match that you came from.",
  savedAtServer: "A preset of this server.",
  forgetPreset: (/** @type {string} */ title) => `Forget ${title}`,
  savePreset: "Save the options as a preset",
  saveText: "This device keeps the table's options, and offers them for the next table.",
  presetTitle: "Name, such as At Grandma's",
  save: "Save",
  presetSaved: (/** @type {string} */ title) => `${title} is saved on this device.`,

  // Between hands.
  invite: "Invite others",
  onlyHere:
    "Only on this computer: other devices cannot reach this table at this page's address. Open the page at the server's address on your network.",
  qrCode: (/** @type {string} */ address) => `QR code of ${address}`,
  yes: "yes",
  no: "no",
  time: (/** @type {number} */ ms) => (ms > 0 && ms % 60000 === 0 ? `${ms / 60000} min` : `${ms / 1000} s`),

  // The table.
  foundations: "Foundations",
  yourCards: "Your cards",
  points: "Points",
  empty: "empty",
  inHeap: (/** @type {number} */ count) => `${plural(count, "card")} in the reserve`,
  lineHelp: "Type a column's number, w, r, t or v. Add up, or another column: 3 up, w 4.",

  // The menu, and what it leads to.
  looks: "Sound and looks",
  asHost: "As the host",
  continueHand: "Continue the hand",
  pauseHand: "Pause the hand",
  tally: "Tally",
  report: "Report somebody",
  reportText: "Who runs this server reads it, with the last lines of chat. Nobody at the table learns of it.",
  reportWhom: "Whom the report is about",
  theTable: "The whole table",
  whatHappened: "What happened?",
  sendReport: "Send",
  reported: "Your report is on its way.",
  lastHand: "Make this the last hand",
  lateLowest: "Let late players start at the lowest total",
  lateZero: "Let late players start at 0",
  noLastHand: "Go on after this hand",
  endMatch: "End the match now",
  endMatchText: "It counts as it stands, and whoever leads has won.",
  endIt: "End it",
  lockTable: "Lock the table",
  unlockTable: "Unlock the table",
  listTable: "Let everybody find the table",
  listed: "Where this server lists its tables, everybody finds this one.",
  spectators: "Spectators",
  spectator: (/** @type {number} */ number, /** @type {number} */ seconds, /** @type {number} */ people) => {
    const minutes = Math.floor(seconds / 60);
    const since = minutes ? `for ${plural(minutes, "minute")}` : "since just now";
    const relayed = people === 1 ? "" : `, ${people} people at a relay`;
    return `Spectator ${number}, ${since}${relayed}`;
  },
  aboutWhom: (/** @type {string} */ what, /** @type {string} */ name) => `${what}: ${name}`,
  removeIt: "Remove",
  removeBot: "Remove the bot",
  nobodyWatches: "Nobody is watching.",
  removedFor: "Who is removed cannot come back to this table for an hour.",
  mute: "Mute",
  unmute: "Unmute",
  makeHost: "Make host",
  standIn: "Let a bot play",
  kick: "Kick",
  kickWhom: (/** @type {string} */ name) => `Kick ${name}`,
  kickTitle: (/** @type {string} */ name) => `Kick ${name} from the table?`,
  kickText: "Nobody with this name can come back before the match is over, unless you let them.",
  saySomething: "Say something",
  afterHands: (/** @type {number} */ played) => `After ${plural(played, "hand")}`,
  colors: (/** @type {string} */ theme) => `Colors: ${theme}`,
  fourColors: "Four suit colors",
  largeNumbers: "Large numbers on cards",
  leftHanded: "Left-handed",
  fastTaps: "Fast taps: play as soon as you touch a card",
  sounds: "Sounds",
  asText: "Show the table as text",
  soloHelp: (/** @type {string} */ game) =>
    `Alone you may ask for hints. Undo, named deals and statistics are in the terminal: racing-demon solo ${game}`,
  newToThis: "New to this game?",
  joinThis: "Join this table",
  needsPassphrase: "passphrase",
  isPlaying: "playing",
  casual: "casual: in no standings",
  inThisRoom: "In this room",
  overInternet: "Over the internet",
  internetCode: "QR code of the invitation over the internet",
  countsAsOne: "The tunnel does not say who is who: all who come through it share the limits of one address.",
  copyLink: "Copy the link",
  shareLink: "Share the link",
  goOnElsewhere: "Take my seat to another device",
  seatLink:
    "Open this link on the other device, or at the server's other address, to go on with your seat there. Whoever has it plays your cards: give it to nobody else.",
  linkCopied: "Link copied.",

  // Teams.
  teamsText: "The points of a team add up. Teams stay for a whole match.",
  teamsOwnText: "The points of a team add up. Choose yours before the match begins.",

  // Handicaps.
  handicaps: "Handicaps",
  handicapsText: "Make the game harder or easier for somebody. It counts from the next deal.",
  handicapsOwnText: "You can make your own game harder. The host can make it easier again.",
  handicapParts: ["Cards in the reserve", "Start", "Points"],
  asAll: "as usual",
  heapBy: (/** @type {number} */ extra) =>
    `${Math.abs(extra)} ${extra > 0 ? "more" : "fewer"} in the reserve`,
  startsLater: (/** @type {number} */ seconds) => `starts ${seconds} s later`,
  pointsAHand: (/** @type {number} */ points) =>
    `${signed(points)} ${Math.abs(points) === 1 ? "point" : "points"} a hand`,

  // Results.
  you: "You",
  nameAndColor: "Your name and color",
  yourColor: "Your color and shape",
  betweenMatches: "They can be changed between matches.",
  ownDevices: "Your devices",
  youAre: "You are",
  tonightAfter: (/** @type {number} */ matches) => `Tonight, after ${plural(matches, "match", "matches")}`,
  matchesWon: (/** @type {number} */ won) => "♛".repeat(won),
  pointsOf: (/** @type {number} */ points) => `${points} ${Math.abs(points) === 1 ? "point" : "points"}`,
  racesWon: (/** @type {number} */ races) => `${plural(races, "race")} won`,
  tonightColumns: ["Player", "Won", "Points", "Races won"],
  out: "out",
  // Beside the number, which is larger.
  pointsWon: (/** @type {number} */ count) => (Math.abs(count) === 1 ? "point" : "points"),
  handsWon: (/** @type {number} */ count) => (count === 1 ? "hand won" : "hands won"),
  thisHand: (/** @type {number} */ points) => `${signed(points)} this hand`,
  toGo: (/** @type {number} */ points) => `${points} to go`,
  handAfter: (/** @type {string} */ hand, /** @type {string} */ time) =>
    `${hand.charAt(0).toUpperCase()}${hand.slice(1)} · after ${time}`,
  closestRace: "Closest race of the hand",
  checked: "Checked ✓ The shuffle was fair",
  unchecked: "The shuffle was not checked",
  wentOut: (/** @type {string} */ name) => `${name} went out`,
  cardsUp: (/** @type {number} */ count) =>
    `${count || "None"} of your cards ${count === 1 ? "is" : "are"} on the foundations.`,
  lostTo: (/** @type {string} */ name, /** @type {number} */ microseconds) =>
    `to ${name} by ${span(microseconds)}`,
  racesLost: (/** @type {number} */ count, /** @type {string[]} */ closest) =>
    `You lost ${count === 1 ? "one race" : plural(count, "race")}: ${closest.join(", ")}.`,
  couldGoUp: (/** @type {string[]} */ cards) => `Could still have gone up: ${cards.join(", ")}.`,
  cardsLeft: (/** @type {string[]} */ counts) => `Left: ${counts.join(", ")}.`,
  inStock: "in stock and waste",
  inReserve: "in the reserve",
  reserveLeft: "reserve",
  stillLeft: "left",
  faceDown: "face down in the columns",
  standingsHead: ["Player", "Matches", "Won", "Points"],
  newestMatches: "Newest matches",
  pastMatch: (
    /** @type {number} */ at,
    /** @type {string} */ game,
    /** @type {number} */ rank,
    /** @type {number} */ of,
    /** @type {number} */ points,
  ) => `${dateText(at)} · ${game} · ${placeText(rank, of, points)}`,

  // Pages of results.
  closePage: "Close",
  standings: "Standings",
  ownRow: "(you)",
  firstMet: (/** @type {string} */ date) => `first met ${date}`,
  matches: "Matches",
  match: "Match",
  teams: "Teams",
  hands: "Hands",
  handsPlayed: (/** @type {number} */ count) => plural(count, "hand"),
  loading: "Loading…",
  onThisDevice: "On this device",
  noStandings: "This server shows no standings.",
  noStandingsForGuests:
    "This server shows no standings to guests. Under You, turn on “Remember me here”, and play a match: then it may know you here.",
  matchesCount: (/** @type {Record<string, number>} */ { matches, unfinished, casual, early }) =>
    [
      matches === 1 ? "One match" : `${matches || "No"} matches`,
      ...(unfinished > 0 ? [`${unfinished} not finished`] : []),
      ...(early > 0 ? [`${early} ended early, and not rated`] : []),
      ...(casual > 0 ? [`${casual} casual not counted`] : []),
    ].join(", "),
  standingsColumns: ["Player", "Won", "A hand", "Rating", "Form"],
  teamColumns: ["Team", "Won", "A hand"],
  matchColumns: ["Player", "Points", "Races"],
  wonCount: (/** @type {number} */ races) => `${races}\u00a0won`,
  lostCount: (/** @type {number} */ races) => `${races}\u00a0lost`,
  /** What columns of standings say that their names do not. @type {Record<string, string>} */
  columnTexts: {
    Won: "Won: of how many matches.",
    "A hand": "A hand: the average points.",
    Rating: "Rating: the strength in finished matches; new until ten matches against five people.",
    Form: "Form: the last ten matches, the newest last; ● was won.",
    "Races won": "Races won: cards that came before another player’s.",
  },
  isNew: "new",
  wonOf: (/** @type {number} */ won, /** @type {number} */ of) => `${won}\u00a0of\u00a0${of}`,
  form: (/** @type {number} */ won, /** @type {number} */ of) => `Won ${won} of the last ${of}`,
  botOf: (/** @type {string} */ level) => `(${level} bot)`,
  game: "Game",
  allGames: "All games",
  anyRules: "With any rules",
  presetRules: "With the rules of",
  season: "Season",
  seasons: ["Tonight", "Week", "Month", "Year", "All"],
  peopleOnly: "People only",
  amongPeople: "Bots are left out of this table: its places are among people.",
  before: "Before",
  after: "After",
  pageOf: (/** @type {number} */ page, /** @type {number} */ pages) => `${page} of ${pages}`,
  corrections: "Corrections",
  running: "Now playing",
  watchTable: (/** @type {string} */ host, /** @type {string} */ game) => `Watch ${host}: ${game}`,
  yourMatches: "Played on this device",
  noMatches: "None yet. A match that is played to its end on this device is found here again.",
  player: "Player",
  noSuchPlayer: "There is no such player, or this server shows no standings.",
  rivals: "Rivals",
  bestMoments: "Best moments",
  /** What each is, by its name on the wire. @type {Record<string, (value: number) => string>} */
  moment: {
    win: (lead) => `Biggest win: ${lead} ahead`,
    out: (ms) => `Fastest out: ${clock(ms)}`,
    hand: (points) => `Best hand: ${plural(points, "point")}`,
    races: (won) => `Most races in a hand: ${won}`,
    streak: (matches) => `Longest streak: ${matches} won in a row`,
  },
  momentOf: (
    /** @type {string} */ what,
    /** @type {string} */ when,
    /** @type {string} */ game,
    /** @type {string[]} */ against,
  ) =>
    [`${what} · ${when} · ${game}`, against.length > 0 && `against ${inWords(against)}`]
      .filter(Boolean)
      .join(", "),
  rivalColumns: ["Races against", "Won", "Lost"],
  racesBy: (/** @type {number} */ races, /** @type {number | null} */ margin) =>
    margin === null ? String(races) : `${races} (by ${span(margin)})`,
  ratingChart: (/** @type {number} */ first, /** @type {number} */ last) =>
    `Rating, from ${first.toFixed(1)} to ${last.toFixed(1)}`,
  playedMatch: (
    /** @type {string} */ when,
    /** @type {string} */ game,
    /** @type {{points: number, place: number, of: number, against: string[]}} */ {
      points,
      place,
      of,
      against,
    },
  ) => `${when} · ${game} · ${placeText(place, of, points)}, against ${inWords(against)}`,
  noSuchMatch: "There is no such match, or it is not yours to see.",
  won: "won",
  watchReplay: "Watch the match",
  watchFrom: "Or from one side:",
  watchAs: (/** @type {string} */ name) => `Watch the match as ${name}`,
  watch: "▶ Watch",
  watchHand: (/** @type {number} */ hand) => `Watch hand ${hand}`,
  verify: "Verify",
  verifyText: "Deals all hands again: were the shuffles fair, and do the points add up?",
  verifying: "Dealing all hands again…",
  recordGone: "The record is gone, or its table is still open: then only its players see it.",
  handNumber: (/** @type {number} */ hand) => `Hand ${hand}`,
  handNotSeen: (/** @type {number} */ hand) =>
    `Hand ${hand} cannot be checked: the record lacks its beginning.`,
  notProven: (/** @type {number} */ hand, /** @type {string} */ what) =>
    `Hand ${hand} is not valid: ${what}.`,
  shareResult: "Share",
  more: "Picture, proof and record",
  savePicture: "Save a picture",
  pictureText: "The result as an image, to send to others.",
  saveRecord: "Save the record",
  recordText: "A file with every play, which racing-demon replay shows.",
  rematch: "Rematch",
  resultCopied: "Result copied.",
  handEnded: (/** @type {string} */ reason) =>
    /** @type {Record<string, string>} */ ({
      dead: "Nobody could go on",
      stuck: "All were stuck",
      time_up: "Time was up",
    })[reason] ?? "The hand ended",

  // Who uses the device.
  playedHere: (/** @type {number} */ matches, /** @type {number} */ won) =>
    `${plural(matches, "match", "matches")} on this device, ${won} won`,
  lastEvenings: "Last evenings",
  evening: (
    /** @type {number} */ first,
    /** @type {number} */ last,
    /** @type {number} */ matches,
    /** @type {number} */ won,
    /** @type {number} */ points,
  ) =>
    `${datesText(first, last)} · ${plural(matches, "match", "matches")}, ${won} won · ${LATER.pointsOf(points)}`,
  rememberHere: "Remember me here",
  rememberMe: "Remember me",
  rememberedLater: "You are remembered as soon as you sit down at a table.",
  rememberText:
    "This server then knows you here the next time: your key stays on this device. No account, no password. Your matches stay yours under any name. If you sit down under a new one, you are asked whether that is you or somebody else.",
  mayForget: (/** @type {boolean} */ isSecure) =>
    `${isSecure ? "This browser has not promised" : "Over http no browser promises"} to keep that: a phone may forget you when it is short of room, or after some weeks without a visit. A code from another device of yours makes you known again. On an iPhone, the icon on the home screen counts as another device.`,
  lastsUntilClosed: (/** @type {string} */ what) =>
    `This browser stores nothing for this page: ${what} gone when you close it.`,
  guestHere: "This browser stores nothing: you are a guest.",
  storesNothing:
    "This browser stores nothing for this page: you play as a guest, whom nobody knows next time.",
  renameOrNew: (/** @type {string} */ known) => `Rename ${known}, or somebody new?`,
  renameOrNewText: (/** @type {string} */ name) => `Nobody here is called ${name} so far.`,
  renameTo: (/** @type {string} */ known, /** @type {string} */ name) => `Rename ${known} to ${name}`,
  somebodyNew: (/** @type {string} */ name) => `${name} is somebody new`,
  signedInAs: (/** @type {string} */ name) => `You are ${name}.`,
  signedIn: "You have signed in, and are known here once you sit down at a table.",
  signedInText:
    "You are known because you have signed in where you came from, on every device. Your matches are yours under any name at a table; results show this one.",
  playerPage: "Your matches and rating",
  nameOf: (/** @type {string} */ name) => `Name of ${name}`,
  rename: "Change the name",
  renamed: (/** @type {string} */ name) => `You are ${name} now.`,
  anotherDevice: "Add another device",
  codeText: (/** @type {string} */ name, /** @type {string} */ code, /** @type {boolean} */ hasPicture) =>
    `On the other device, ${hasPicture ? "scan this, or " : ""}open this page and enter the name ${name} and ${code}. It works once, within two minutes, and only while you see it here. Give it to nobody else.`,
  codeOver: "This code no longer works.",
  hideCode: "Hide the code",
  qrOfCode: "QR code for the other device",
  knownAlready: (/** @type {string} */ name) => `This device is ${name}’s already: there is nothing to do.`,
  areYou: (/** @type {string} */ name) =>
    `Are you ${name}? Then this device plays as ${name}, and ${name}’s other devices are told. Until one of them trusts it, it sees what guests see.`,
  iAm: (/** @type {string} */ name) => `Yes, I am ${name}`,
  iAmNot: "No",
  devices: "Devices",
  thisDevice: "(this device)",
  remove: "Not me: remove",
  trust: "Mine: trust it",
  trustDevice: (/** @type {string} */ label) =>
    `Trust ${label}: it may change everything that this device may`,
  onTrial:
    " It may change nothing for seven days, and sees what guests see until another of your devices trusts it.",
  removeDevice: (/** @type {string} */ label) => `Remove ${label}`,
  forgetMe: "Forget me on this device",
  eraseMe: "Forget me on this server",
  erasing: (/** @type {string} */ name) =>
    `The server forgets ${name}: the name, all devices, and what ${name} has said, also in the records of old matches. It stays that somebody played: results show “A former player”, with the points. Backups, and what others have recorded or remember, are out of reach.`,
  goOn: "Go on",
  reallyErase: "Nothing brings that back: who comes again is somebody new. Really?",
  eraseForGood: (/** @type {string} */ name) => `Forget ${name} for good`,
  keepMe: "No, keep me",
  erased: "The server has forgotten you.",
  haveCode: "Remembered on another device?",
  yourName: "Your name",
  code: "Code",
  linkDevice: "Add this device",
  noAnswer: "The server does not know you here, or does not answer.",
  newDevice: (/** @type {string} */ label) =>
    `Another device is you now: ${label}. If it is yours, trust it under Results, You; if not, remove it there.`,

  // Replays.
  stepBack: "One step back",
  stepOn: "One step on",
  nextRace: "Race",
  replay: "Replay",
  pause: "Pause",
  placeInMatch: "Place in the match",
  closeReplay: "Close the replay",
  speed: (/** @type {number} */ times) => `×${times} speed`,
};

/**
 * How many are ready for the next deal, and for whom they wait: "3 of 4 ready · waiting for you"; empty for one alone.
 * @param {Pick<import("./rules/state.js").TableState, "phase">} table
 * @param {import("./rules/state.js").Seat[]} here
 * @param {number | null} own
 */
export function readyWords({ phase }, here, own) {
  if (here.length < 2) return "";
  const late = here.filter((state) => !isReady(state));
  const count = `${here.length - late.length} of ${here.length} ready`;
  const few = phase === "lobby" ? 1 : 2; // in a lobby the list says it, too
  const names = late.map(({ seat, name }) => (seat === own ? "you" : name));
  const awaited = names.length > 0 && names.length <= few ? ` · waiting for ${inWords(names)}` : "";
  return `${phase === "over" ? "Rematch? " : ""}${count}${awaited}`;
}

/** What can be wrong with a hand's proof. */
export const MISMATCHES = {
  secret: "the server's secret is not the one it had committed to",
  known: "the known deal is not the one that was given, or it was played for standings",
  leftOut: "other contributions are left out than those that are missing",
  contribution: "a contribution is not the one that was committed to",
  card: "a card was not the one that the seed deals",
  mover: "a player moved another's cards",
  options: "the options are others than those that the parts were revealed for",
  handicaps: "the handicaps are others than those that the parts were revealed for",
  points: "the points are not those of the cards",
};

/**
 * A hint, such as "Q♣ up".
 * @param {import("./rules/rules.js").Play | null | undefined} play null: none helps; undefined: nobody knows
 * @param {import("./rules/board.js").Board} board
 */
export function hintWords(play, { cards, layout }) {
  if (play === undefined) return "This page finds no hints in this game.";
  if (play === null) return "Nothing helps: you are stuck.";
  const [from, to] = [layout.piles[play.source], layout.piles[play.destination]];
  if (from.kind !== "stock" && to?.kind === "stock") return "Turn the waste over: tap the empty stock.";
  if (from.kind === "stock") return "Turn the stock.";
  const source = cards[play.source];
  const target = cards[play.destination] ?? [];
  const card = short(source[source.length - play.count]);
  if (!to || to.kind === "foundation") return `${card} up`;
  return target.length > 0 ? `${card} to ${short(target[target.length - 1])}` : `${card} to the empty place`;
}

export const openedWords = (
  /** @type {string} */ name,
  /** @type {string} */ card,
  /** @type {string} */ own,
) => `${name} played ${card}: your ${own} can go up.`;

/** What a newcomer is told. */
export const LESSON_WORDS = {
  bar: "The bar under a name: the cards left until that player ends the hand.",
  playNow: "Play now: three hands against two bots",
  stepOf: (/** @type {number} */ step, /** @type {number} */ all) => `Step ${step} of ${all}`,
};

export const COACH = {
  off: "Tell me no more of this",
  learn: "Learn while you wait",
  noHints: "This table plays without hints. How to play is in the menu.",
  forReal: "Now for real: the others play, too. A name's bar: the cards left until they end the hand.",
  aim: "The middle is everybody's: suits from the ace up, a point a card. The others begin soon.",
  waited: "You begin: the others follow soon.",
  saidStuck: "You have said Stuck. The hand ends when all say so; a card you play takes it back.",
  stuckTooSoon: (/** @type {string} */ words) => `You have said Stuck too soon. ${words}`,
  stockMayHelp: "You have said Stuck, but your stock may still help: turn it.",
  takesNothing: "Nothing is laid there.",
  onlyKings: "Only a king goes to an empty column.",
  forAce: "An empty place is for the next ace of its suit: tap the ace, and it goes there.",
  tapOwn: "Tap the card that is to go there: it finds its place.",
  tapThat: (/** @type {string} */ card) => `Tap the ${card}: it finds its place.`,
  /**
   * What a card waits for that goes nowhere yet; empty if that takes too many words.
   * @param {string} card
   * @param {Fits} columns
   * @param {Fits} middle
   */
  waitsFor(card, columns, middle) {
    const there = placesOf(columns, "an empty column");
    const place = placesOf(middle, "a free place");
    const up = place && `${place} in the middle`;
    if (!there && !up) return "";
    return `Your ${card} waits for ${[there, up].filter(Boolean).join(", or ")}.`;
  },
};

/** @typedef {{cards: string[], isOpen: boolean}} Fits upon which cards one goes, and whether to a free place */

const MOST_NAMED = 4;

/**
 * What a card is laid on, such as "9♠ or 9♣"; empty if that is nothing, or too much.
 * @param {Fits} fits
 * @param {string} free
 */
function placesOf({ cards, isOpen }, free) {
  if (cards.length > MOST_NAMED) return "";
  const last = isOpen ? free : cards.length > 1 ? cards[cards.length - 1] : "";
  const rest = last === "" || isOpen ? cards : cards.slice(0, -1);
  return [rest.join(", "), last].filter(Boolean).join(" or ");
}

/**
 * The most useful play, in a sentence.
 * @param {import("./rules/rules.js").Play | null | undefined} play null: none helps; undefined: nobody knows
 * @param {import("./rules/board.js").Board} board
 * @param {boolean} mayShift whether the stock's top card may go to its bottom
 */
export function coachWords(play, { cards, layout }, mayShift) {
  if (play === undefined) return "";
  if (play === null)
    return mayShift ? "Nothing fits: press Shift." : `Nothing helps: press “${WORDS.stuck}”.`;
  const [from, to] = [layout.piles[play.source], layout.piles[play.destination]];
  if (from.kind === "stock") return "Nothing fits: tap the stock to turn it.";
  if (to.kind === "stock") return "Nothing fits: tap the empty stock, which takes the cards back.";
  const [source, target] = [cards[play.source], cards[play.destination]];
  const card = short(source[source.length - play.count]);
  if (to.kind === "foundation") return `Your ${card} can go to the middle: tap it.`;
  if (target.length === 0) return `Your ${card} can go to the empty column: tap it.`;
  return `Your ${card} can go on the ${short(target[target.length - 1])}: tap it.`;
}

/**
 * Announcements of events; an empty one is not made.
 * @type {Record<string, (fields: any, told: {table: import("./rules/state.js").TableState, own: number | null, who: (seat: number) => string}) => string>}
 */
const SENTENCES = {
  joined({ seat, start }, { who, own }) {
    const low = start ? `, with ${start}, the lowest total` : "";
    return `${who(seat)} ${seat === own ? "have" : "has"} joined${low}.`;
  },
  appearance_set: ({ seat, name }, { own }) =>
    seat === own ? `You are ${name} now.` : `Seat ${seat + 1} is ${name} now.`,
  late_start_set: ({ lowest }) => `Players who come later start at ${lowest ? "the lowest total" : "0"}.`,
  left: ({ seat, kicked }, { table }) => `${table.nameOf(seat)} has ${kicked ? "been removed" : "left"}.`,
  returned: ({ seat }, { who, own }) => `${who(seat)} ${seat === own ? "are" : "is"} back, with all points.`,
  connected: ({ seat, connected }, { who, own }) =>
    seat === own ? "" : `${who(seat)} ${connected ? "is back" : "has lost the connection"}.`,
  hosted({ seat, absent_host: absent, absent_watcher: watched }, { who, own }) {
    if (seat === null) return "";
    if (seat !== own) return `${who(seat)} is the host now.`;
    const whom = watched ? "whoever opened the table" : absent === null ? "" : who(absent);
    const until = whom && `, until ${whom} is back`;
    return `You are the host now${until}: you deal, and the menu has what keeps order.`;
  },
  entry_closed: ({ closed }) => `The table is ${closed ? "" : "un"}locked.`,
  last_hand_set: ({ hand }, { table }) =>
    hand === 0
      ? "The match goes on after this hand."
      : hand === table.handNumber
        ? "This is the last hand."
        : "The next hand is the last.",
  paused: () => "The hand is paused.",
  continued: () => "The hand goes on.",
  hand_over: ({ reason, out }, { who }) =>
    reason === "out" && out !== null ? `${who(out)} went out.` : `${endText(reason)}.`,
  match_over: ({ winners }, { table, own }) =>
    `The match is over. ${inWords(sidesOf(table, winners, own)) || "Nobody"} won.`,
};

/**
 * The announcement of an event, or an empty text.
 * @param {import("./rules/state.js").TableState} table
 * @param {string} name
 * @param {any} fields
 * @param {number | null} own
 */
export function eventSentence(table, name, fields, own) {
  const who = (/** @type {number} */ seat) => (seat === own ? "You" : table.nameOf(seat));
  return SENTENCES[name]?.(fields, { table, own, who }) ?? "";
}

/** @param {string[]} names those who did not reveal their part */
export const voidWords = (names) =>
  `A part of the shuffle is missing. ${inWords(names)} ${names.length === 1 && names[0] !== "You" ? "sits" : "sit"} this hand out, and it is drawn anew.`;

/** What people call the colours of seats. */
export const COLORS = ["blue", "orange", "green", "violet", "pink", "turquoise", "lime", "sand"];

/** @type {Record<string, string>} */
export const THEMES = { auto: "as the device", dark: "dark", light: "light", contrast: "high contrast" };

/**
 * A public table in one line: what is played, players, and whether it can be joined at once.
 * @param {any} table
 * @param {string} title
 */
export function tableSummary(table, title) {
  const { players, seats } = table;
  return withState([title, `${players} of ${plural(seats, "seat")}`], table);
}

/**
 * Facts of a table in one line, with whether it can be joined at once.
 * @param {string[]} facts
 * @param {{locked: boolean, running: boolean}} table
 */
function withState(facts, { locked, running }) {
  if (locked) facts.push(LATER.needsPassphrase);
  if (running) facts.push(LATER.isPlaying);
  return facts.join(" · ");
}

/**
 * Who is at a table, to whom is invited there: "Bob and Cleo are here · 6 seats free".
 * @param {any} table
 * @param {string[]} names
 */
export function presentWords(table, names) {
  const { players, seats } = table;
  const facts = names.length ? [`${inWords(names)} ${names.length === 1 ? "is" : "are"} here`] : [];
  facts.push(WORDS.free(Math.max(0, seats - players)));
  return withState(facts, table);
}

/**
 * The result of verifying a hand.
 * @param {{contributions: number, cards: number, drawn: number[], free: number[], known: boolean}} proved
 * @param {boolean} isOwn
 * @param {(seat: number) => string} nameOf
 */
export function proofWords({ contributions, cards, drawn, free, known }, isOwn, nameOf) {
  const others =
    contributions === 1 ? "Of all players only you" : `You and ${plural(contributions - 1, "other")}`;
  const who = known
    ? "A known deal: everybody could know its cards"
    : contributions === 0
      ? "No player took part in this shuffle"
      : `${isOwn ? others : plural(contributions, "player")} took part in this shuffle`;
  const without = [...new Set([...drawn, ...free])].map(nameOf);
  const what =
    drawn.length > 0
      ? `The hand was drawn anew without ${inWords(without)}, whose part did not come`
      : `The part of ${inWords(without)} did not come`;
  const choice =
    without.length > 0
      ? ` ${what}: whoever works with them and the server could choose between ${drawn.length + 2 ** free.length} deals.`
      : "";
  return `${who}. Your browser has dealt the hand again: all ${cards} cards match the shuffle, and the points add up.${choice} Whether each play was allowed is for racing-demon verify to check.`;
}
