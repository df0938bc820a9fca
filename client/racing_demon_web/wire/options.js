// Generated from the options by protocol/generate.py.

/** @type {Record<string, {label: string, group: string, about: string, values: (string | boolean | number | null)[], unset?: string}>} */
export const OPTIONS = {
  game: {label: "Game", group: "Match", about: "The pack, the layout and the moves. Other rules here change its details.", values: []},
  hands: {label: "Hands in a match", group: "Match", about: "At most so many: a total or a lead that ends the match may come first.", values: [1, 2, 3, 5, 7, 10]},
  match_score: {label: "A match counts", group: "Match", about: "What totals count: points, or hands won. Who has most points wins the hand, whoever goes out; if some tie, each gets a whole hand.", values: ["points", "hands"]},
  target: {label: "Total that ends a match", group: "Match", about: "The match ends early when somebody has this total: of points, or of hands won if those count.", values: [null, 50, 100, 150, 200], unset: "none"},
  win_lead: {label: "Lead that ends a match", group: "Match", about: "The match ends early when the first is this far ahead of the second; none: no lead ends it.", values: [null, 20, 30, 50, 100], unset: "none"},
  tie_break: {label: "Equal totals", group: "Match", about: "At the end of a match: those who are equal share the win, or play on until one leads.", values: ["joint", "hand"]},
  teams: {label: "Teams", group: "Match", about: "How many teams there are, whose points add up; none: everybody plays for themselves.", values: [null, 2, 3, 4], unset: "none"},
  casual: {label: "Casual (in no standings)", group: "Match", about: "Whether the matches are left out of standings and ratings, as training or a test may be. Each still has its own page.", values: [false, true]},
  time_limit_ms: {label: "Time limit of a hand", group: "Hand", about: "The time limit of a hand; none: no limit, but ten minutes on identical deals.", values: [null, 120000, 180000, 300000, 600000], unset: "none"},
  call_out: {label: "Going out", group: "Hand", about: "The card that goes out ends the hand by itself, or its player has to call.", values: ["auto", "shout"]},
  grace_ms: {label: "Grace after a call", group: "Hand", about: "How long cards may still land after a call.", values: [0, 1000, 2000, 3000]},
  stall_rule: {label: "When nobody can play", group: "Hand", about: "What is tried before a hand that nobody can continue is ended.", values: ["none", "rotate"]},
  auto_first_turn: {label: "Automatic first turn", group: "Hand", about: "Whether the first cards are turned for everybody at the signal.", values: [false, true]},
  hints: {label: "Hints", group: "Hand", about: "Whether players are shown which plays fit.", values: [false, true]},
  out_bonus: {label: "Points for going out", group: "Points", about: "On top of the points for cards, to whoever goes out.", values: [null, 0, 5, 10, 20], unset: "the game's own"},
  king_bonus: {label: "Points for finishing a foundation", group: "Points", about: "The points for finishing a foundation: for the player of its last card, mostly a king.", values: [0, 3, 5, 10]},
  reserve_card: {label: "Points per reserve card", group: "Points", about: "For each card that is still in the reserve when the hand ends.", values: [null, -3, -2, -1, 0], unset: "the game's own"},
  reserve: {label: "Cards in the reserve", group: "Reserve and columns", about: "How many cards each reserve gets, in games that have one.", values: [null, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20], unset: "the game's own"},
  reserve_up: {label: "Reserve face up", group: "Reserve and columns", about: "Whether all cards of the reserves lie face up; still only the top one can be played.", values: [false, true]},
  columns: {label: "Columns", group: "Reserve and columns", about: "How many columns, in games that deal one card to each.", values: [null, 3, 4, 5, 6, 7, 8, 9], unset: "the game's own"},
  columns_by_players: {label: "Fewer columns for many", group: "Reserve and columns", about: "Six columns for one or two players, five for three, four for more.", values: [false, true]},
  spaces: {label: "What fills empty columns", group: "Reserve and columns", about: "What may go to an empty column: any card, as in most games, or only the reserve's top card, by itself at once or when you move it.", values: [null, "at_once", "reserve"], unset: "the game's own"},
  take_back: {label: "Taking cards back", group: "Reserve and columns", about: "Whether cards may leave foundations again; never those that others build on, too.", values: [null, "never", "free", "to_space"], unset: "the game's own"},
  forced_bases: {label: "First cards must go up", group: "Reserve and columns", about: "Whether a card that opens a foundation must be played first.", values: [null, false, true], unset: "the game's own"},
  turn: {label: "Cards per turn", group: "Stock", about: "How many cards are turned from the stock at a time.", values: [null, 1, 2, 3], unset: "the game's own"},
  turn_by_players: {label: "One or two players turn one card", group: "Stock", about: "Whether one or two players, and no more, turn one card at a time. If cards per turn are set, those count.", values: [false, true]},
  redeals: {label: "Redeals", group: "Stock", about: "How often the waste may become the stock again.", values: [null, 0, 1, 2, 3], unset: "the game's own"},
  shuffle: {label: "Redeals are shuffled", group: "Stock", about: "Whether each redeal shuffles the stock; otherwise its cards keep their order.", values: [null, false, true], unset: "the game's own"},
  tail_rule: {label: "Last cards of the stock", group: "Stock", about: "Which cards can be played when fewer are left than a turn takes.", values: [null, "top", "either2"], unset: "the game's own"},
  waste_view: {label: "Visible waste cards", group: "Stock", about: "How many cards of the waste lie face up.", values: [null, 1, 2, 3], unset: "the game's own"},
  stock_shift: {label: "Top card to the bottom", group: "Stock", about: "When players may move their stock's top card to its bottom, stuck or not, so that others turn up.", values: [null, "any_time", "once_a_pass"], unset: "never"},
  seats: {label: "Seats", group: "People", about: "For people and bots together.", values: [2, 3, 4, 5, 6, 7, 8]},
  handicap: {label: "Handicaps change", group: "People", about: "Automatic: who goes out, else who scores most, gets a card more in the reserve (harder); 0 or less: one fewer. No reserve: seconds to wait.", values: ["fixed", "auto"]},
  late_join: {label: "Joining between hands", group: "People", about: "Whether newcomers play from the next hand on; otherwise they wait for the next match.", values: [false, true]},
  on_leave: {label: "When a player leaves", group: "People", about: "What a player who leaves during a hand keeps.", values: ["freeze", "forfeit"]},
  spectators: {label: "Spectators", group: "People", about: "Whether people may watch without a seat.", values: [false, true]},
  watch_delay_ms: {label: "Delay for spectators", group: "People", about: "Spectators see events so much later: too late to help a player.", values: [0, 5000, 15000, 60000]},
  countdown_ms: {label: "Countdown before a hand", group: "Pauses", about: "The time from the deal to the signal.", values: [0, 1000, 3000, 5000, 10000]},
  tally_ms: {label: "Tally between hands", group: "Pauses", about: "The time from a hand's end to the next deal; less if all are ready.", values: [5000, 10000, 20000, 60000]},
  pause_after_ms: {label: "Pause without players", group: "Pauses", about: "How long a hand goes on with fewer than two players connected; none: forever.", values: [null, 5000, 10000, 30000], unset: "never"},
};

/** The values that are words. @type {Record<string, string>} */
export const VALUES = {
  auto: "automatic",
  shout: "when the player calls",
  none: "the hand ends",
  rotate: "every stock moves on by a card",
  joint: "joint winners",
  hand: "another hand",
  freeze: "points so far count",
  forfeit: "the hand scores nothing",
  top: "the top one",
  either2: "either of the last two",
  never: "never",
  free: "yes",
  to_space: "only into an empty column",
  fixed: "as the host sets them",
  at_once: "the reserve fills them at once",
  reserve: "only the reserve may fill them",
  any_time: "any time",
  once_a_pass: "once per pass of the stock",
  points: "points",
  hands: "hands won",
};

/** How house rules read. @type {Record<string, string>} */
export const CHIPS = {
  win_lead: "a lead of {} wins",
  teams: "{} teams",
  time_limit_ms: "{} for a hand",
  out_bonus: "{} for going out",
  king_bonus: "{} for a finished foundation",
  reserve_card: "{} per reserve card",
  reserve: "reserve of {}",
  columns: "{} columns",
  turn: "turn {}",
};

/** The options that a match's title says. */
export const SAID = ["hands", "target"];

/** Numbers of cards in words. */
export const COUNTS = ["no", "one", "two", "three", "four", "five"];
