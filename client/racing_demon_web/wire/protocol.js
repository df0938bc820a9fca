// Generated from the protocol by protocol/generate.py.

/** @typedef {"beginner" | "easy" | "medium" | "hard" | "expert" | "adaptive"} BotLevel */
/** @typedef {"out" | "dead" | "stuck" | "time_up" | "abandoned" | "closed"} EndReason */
/** @typedef {"lobby" | "shuffling" | "countdown" | "playing" | "grace" | "tally" | "over"} Phase */
/** @typedef {"well_played" | "thanks" | "oh_no" | "laugh" | "hurry" | "sorry"} Reaction */
/** @typedef {"illegal" | "beaten" | "not_started" | "hand_over" | "not_your_pile" | "unknown_pile" | "too_fast" | "not_host" | "not_seated" | "not_now" | "repeated" | "table_full" | "unknown_table" | "bad_token" | "bad_passphrase" | "no_spectators" | "banned" | "muted" | "paused" | "bad_name" | "bad_text" | "bad_contribution" | "bad_option" | "server_full" | "halted" | "unknown_player"} Reason */

export const VERSION = 1;
export const SUBPROTOCOL = "racing-demon.v1+json";
export const WEBSOCKET_PATH = "/v1";
/** The extensions that the page understands. */
export const EXTENSIONS = ["house-rules", "handicaps", "teams", "programs", "moderation", "casual", "known-deals", "returns", "appearance"];
/** The options that servers leave out at these defaults. @type {Record<string, any>} */
export const LATER_OPTIONS = {
  win_lead: null,
  handicap: "fixed",
  teams: null,
  king_bonus: 0,
  spaces: null,
  reserve_up: false,
  stock_shift: null,
  turn_by_players: false,
  match_score: "points",
  casual: false,
};
/** The options that change which cards fit where. */
export const CHANGES_MOVES = ["take_back", "forced_bases"];
/** The time limit on identical deals without one of their own. */
export const IDENTICAL_LIMIT_MS = 600000;
/** The most of each: characters, seats at a table, and names of kicked players. */
export const LIMITS = {
  name: 24,
  passphrase: 64,
  chat: 200,
  report: 200,
  seats: 8,
  banned: 32,
};
/** The paths of the page's results. */
export const PAGES = /^(\/scores|\/matches|\/you|\/match\/[\w-]{22}|\/player\/[0-9a-z]{1,16})$/;
/** What people call the teams, by their numbers. */
export const TEAM_LETTERS = "ABCD";
/** What going out is worth where a game does not say otherwise. */
export const OUT_BONUS = 10;
/** A short match against two bots. @type {Record<string, any>} */
export const SHORT = {
  hands: 3,
  hints: true,
  seats: 3,
  casual: true,
};
/** What sentences about a match are made of. @type {Record<string, string>} */
export const PHRASES = {
  points: "first to {}",
  won: "first to win {} hands",
  within: "{} in {} hands",
  one: "one hand",
  hands: "{} hands",
  hand: "hand {}",
  of: "hand {} of {}",
  last: "the last hand",
  turn_one: "one card at a time",
  turn: "{} cards at a time",
  hints: "hints on",
  casual: "in no standings",
  known: "a known deal",
  reserve: "{} per reserve card",
};
/** The most hands of a match: as many as a total takes. */
export const MAX_HANDS = 100;
/** Why a server closes a connection. */
export const CLOSE = {
  good_bye: 1000,
  going_away: 1001,
  bad_frame: 4000,
  taken_over: 4001,
  version: 4002,
  too_late: 4003,
  flood: 4004,
  try_again: 1013,
  full: 4005,
  kicked: 4007,
  server_error: 4006,
};
/** @type {BotLevel[]} */
export const BOT_LEVELS = ["beginner", "easy", "medium", "hard", "expert", "adaptive"];
/** The reactions in words. @type {Record<Reaction, string>} */
export const REACTIONS = {
  well_played: "Well played!",
  thanks: "Thanks!",
  oh_no: "Oh no!",
  laugh: "Ha ha!",
  hurry: "Hurry up!",
  sorry: "Sorry!",
};

/** @type {Record<string, {tag: number, fields: string, defaults?: Record<string, any>}>} */
export const FROM_CLIENT = {
  hello: {tag: 1, fields: "version software heartbeat_ms", defaults: {software: "", heartbeat_ms: 0}},
  create: {tag: 2, fields: "name options seated passphrase listed known_deal", defaults: {options: {}, seated: true, passphrase: "", listed: true, known_deal: null}},
  join: {tag: 3, fields: "code name passphrase token", defaults: {passphrase: "", token: ""}},
  watch: {tag: 4, fields: "code passphrase", defaults: {passphrase: ""}},
  resume: {tag: 5, fields: "code token seq epoch", defaults: {seq: 0, epoch: ""}},
  play_cards: {tag: 6, fields: "counter source count destination seen depth", defaults: {depth: 0}},
  stuck: {tag: 7, fields: "counter seen", defaults: {seen: 0}},
  ready: {tag: 8, fields: "counter ready seen", defaults: {ready: true, seen: 0}},
  start: {tag: 9, fields: "counter seen", defaults: {seen: 0}},
  add_bot: {tag: 10, fields: "counter level", defaults: {level: "medium"}},
  remove_bot: {tag: 11, fields: "counter seat"},
  set_options: {tag: 12, fields: "counter options"},
  call: {tag: 13, fields: "counter seen", defaults: {seen: 0}},
  leave: {tag: 14, fields: "counter"},
  ping: {tag: 15, fields: "stamp"},
  make_host: {tag: 19, fields: "counter seat"},
  react: {tag: 22, fields: "counter reaction"},
  unban: {tag: 23, fields: "counter name"},
  contribute: {tag: 24, fields: "counter commitment"},
  reveal: {tag: 25, fields: "counter value"},
  play_best: {tag: 26, fields: "counter source count seen"},
  shift_stock: {tag: 28, fields: "counter seen", defaults: {seen: 0}},
};

/** @type {Record<number, {name: string, fields: string, defaults?: Record<string, any>}>} */
export const FROM_SERVER = {
  64: {name: "versions", fields: "oldest newest software", defaults: {software: ""}},
  65: {name: "seated", fields: "code seat token counter epoch", defaults: {seat: null, token: null, counter: 0, epoch: ""}},
  66: {name: "snapshot", fields: "seq code options host phase seats hand hand_id commitment hand_seats piles redeals elapsed_ms called results winners paused locked came liberties progress since departed banned shuffle next_shuffle handicaps waiting shifts entry_closed known_deal last_hand absent_host sitting_out absent_watcher late_start starts", defaults: {hand: 0, hand_id: "", commitment: null, hand_seats: [], piles: [], redeals: [], elapsed_ms: 0, called: null, results: [], winners: [], paused: false, locked: false, came: [], liberties: [], progress: [], since: [], departed: [], banned: [], shuffle: null, next_shuffle: null, handicaps: [], waiting: [], shifts: [], entry_closed: false, known_deal: null, last_hand: 0, absent_host: null, sitting_out: [], absent_watcher: false, late_start: false, starts: []}},
  67: {name: "accepted", fields: "counter seq"},
  68: {name: "refused", fields: "counter reason text by late_us pile top", defaults: {by: null, late_us: 0, pile: -1, top: -1}},
  69: {name: "pong", fields: "stamp"},
  70: {name: "watchers", fields: "count"},
  71: {name: "halted", fields: "halted"},
  72: {name: "elsewhere", fields: "port"},
  73: {name: "caught_up", fields: "seq"},
  74: {name: "moved", fields: "host port"},
  75: {name: "race_lost", fields: "pile card by seat late_us"},
  76: {name: "spectator_list", fields: "spectators"},
  77: {name: "challenge", fields: "server nonce suggested", defaults: {suggested: false}},
  78: {name: "identified", fields: "player device name token"},
  79: {name: "devices", fields: "devices code seconds", defaults: {code: "", seconds: 0}},
  80: {name: "played", fields: "seq seat counter source count destination shown depth", defaults: {shown: [], depth: 0}},
  81: {name: "joined", fields: "seq seat name bot program start", defaults: {bot: "", program: false, start: 0}},
  82: {name: "left", fields: "seq seat kicked", defaults: {kicked: false}},
  83: {name: "connected", fields: "seq seat connected"},
  84: {name: "readied", fields: "seq seat ready"},
  85: {name: "hosted", fields: "seq seat absent_host absent_watcher", defaults: {absent_host: null, absent_watcher: false}},
  86: {name: "options_set", fields: "seq options"},
  87: {name: "committed", fields: "seq hand hand_id commitment within_ms known_deal", defaults: {within_ms: 0, known_deal: null}},
  88: {name: "dealt", fields: "seq seats shown countdown_ms left_out handicaps", defaults: {left_out: [], handicaps: []}},
  89: {name: "signalled", fields: "seq"},
  90: {name: "stuck_said", fields: "seq seat"},
  91: {name: "rotated", fields: "seq"},
  92: {name: "called", fields: "seq seat grace_ms"},
  93: {name: "hand_over", fields: "seq reason out elapsed_ms points seed"},
  94: {name: "match_over", fields: "seq winners closed", defaults: {closed: false}},
  95: {name: "said", fields: "seq seat text"},
  96: {name: "paused", fields: "seq seat by_server", defaults: {seat: null, by_server: false}},
  97: {name: "continued", fields: "seq elapsed_ms"},
  98: {name: "stood_in", fields: "seq seat bot"},
  99: {name: "muted", fields: "seq seat muted"},
  100: {name: "reacted", fields: "seq seat reaction"},
  101: {name: "progressed", fields: "seq seat progress"},
  102: {name: "unbanned", fields: "seq name"},
  103: {name: "prepared", fields: "seq hand_id commitment"},
  104: {name: "contributed", fields: "seq seat commitment"},
  105: {name: "revealed", fields: "seq seat value"},
  106: {name: "stock_shifted", fields: "seq seat"},
  107: {name: "team_set", fields: "seq seat team"},
  110: {name: "handicap_set", fields: "seq seat handicap"},
  111: {name: "seat_signalled", fields: "seq seat"},
  112: {name: "entry_closed", fields: "seq closed"},
  113: {name: "last_hand_set", fields: "seq hand"},
  114: {name: "returned", fields: "seq seat"},
  115: {name: "late_start_set", fields: "seq lowest"},
  116: {name: "appearance_set", fields: "seq seat name color"},
  128: {name: "server_notice", fields: "text"},
};
