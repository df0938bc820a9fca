// Generated from the protocol by protocol/generate.py.

import { FROM_CLIENT } from "./protocol.js";

Object.assign(FROM_CLIENT, {
  say: {tag: 16, fields: "counter text"},
  kick: {tag: 17, fields: "counter seat"},
  pause: {tag: 18, fields: "counter paused seen", defaults: {paused: true, seen: 0}},
  stand_in: {tag: 20, fields: "counter seat level", defaults: {level: "medium"}},
  mute: {tag: 21, fields: "counter seat muted", defaults: {muted: true}},
  relaying: {tag: 27, fields: "count lacking", defaults: {lacking: ""}},
  set_team: {tag: 29, fields: "counter seat team"},
  set_handicap: {tag: 30, fields: "counter seat handicap"},
  close_entry: {tag: 31, fields: "counter closed", defaults: {closed: true}},
  list_spectators: {tag: 32, fields: "counter"},
  remove_spectator: {tag: 33, fields: "counter spectator"},
  report: {tag: 34, fields: "counter text seat", defaults: {seat: null}},
  list_table: {tag: 35, fields: "counter"},
  end_match: {tag: 36, fields: "counter seen", defaults: {seen: 0}},
  set_last_hand: {tag: 37, fields: "counter last seen", defaults: {last: true, seen: 0}},
  set_late_start: {tag: 38, fields: "counter lowest", defaults: {lowest: true}},
  set_appearance: {tag: 39, fields: "counter name color"},
});
