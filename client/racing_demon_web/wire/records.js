// Records of matches, as the server gives them: for replays, and to prove the hands again.

import { BASE } from "../links.js";
import { TableState } from "../rules/state.js";
import { LATER, proofWords } from "../words_later.js";
import { HandTranscript } from "./commit_reveal.js";
import { FROM_SERVER } from "./protocol.js";

/**
 * @typedef {{begin: any, events: {name: string, fields: any, at: number}[], firstDeal: number, deals: number[],
 *   races: number[]}} MatchRecord begin: the first snapshot; deals, races: after how many events a hand is dealt, a race lost
 */

const DEFAULTS = new Map(Object.values(FROM_SERVER).map(({ name, defaults }) => [name, defaults]));
const PAUSE_EVERY = 400; // events, so that the page stays responsive

/**
 * Fetch the record of a match.
 * @param {string} link
 * @param {string | null} token of a seat at its table
 * @returns {Promise<MatchRecord | null>} null if the server has none
 */
export async function fetchRecord(link, token) {
  const text = await fetchText(recordPath(link), token);
  return text ? readRecord(text) : null;
}

/**
 * The path of the record of a match.
 * @param {string} link
 */
export const recordPath = (link) => `/v1/matches/${link}/record`;

/**
 * Fetch a text from this server.
 * @param {string} path
 * @param {string | null} token of a seat
 * @returns {Promise<string>} empty if there is nothing to see
 */
export async function fetchText(path, token) {
  const headers = token ? { Authorization: `Bearer ${token}` } : undefined;
  const answer = await fetch(BASE + path, { headers }).catch(() => null);
  return answer?.ok ? answer.text().catch(() => "") : "";
}

/**
 * Read the lines of a record.
 * @param {string} text
 * @returns {MatchRecord | null} null if there is no match in it
 */
export function readRecord(text) {
  /** @type {MatchRecord} */
  const record = { begin: null, events: [], firstDeal: 0, deals: [], races: [] };
  for (const line of text.split("\n")) {
    if (!line) continue;
    const { message: name, at_us: at, at_ms: _, ...given } = JSON.parse(line);
    if (!DEFAULTS.has(name)) continue; // headers, tallies and corrections
    const fields = { ...DEFAULTS.get(name), ...given };
    if (name === "snapshot") record.begin ??= fields;
    else if (name === "refused") record.races.push(record.events.length);
    else if (fields.seq !== undefined) {
      record.events.push({ name, fields, at: at / 1000 });
      if (name === "dealt") record.deals.push(record.events.length - 1);
    }
  }
  record.firstDeal = record.deals[0] ?? 0;
  return record.begin && record.events.length > 0 ? record : null;
}

/**
 * The options with which a match was played: they cannot change while it runs.
 * @param {MatchRecord} record
 */
export function optionsOf({ begin, events }) {
  let { options } = begin;
  for (const { name, fields } of events) if (name === "options_set") options = fields.options;
  return options;
}

/**
 * Deal every hand of a record again, and compare its cards and points.
 * @param {MatchRecord} record
 * @param {any} games
 * @returns {Promise<string>} what came of it, in words
 */
export async function verifyRecord({ begin, events }, games) {
  const proof = await import("../proof/proof.js");
  const table = new TableState(games);
  const transcript = new HandTranscript();
  const lines = [];
  table.apply("snapshot", begin, 0);
  transcript.record("snapshot", begin, table);
  for (const [number, { name, fields, at }] of events.entries()) {
    if (name === "hand_over") transcript.end(table.points(), fields);
    table.apply(name, fields, at);
    transcript.record(name, fields, table);
    if (name === "hand_over") {
      if (!transcript.hand?.moves) return LATER.handNotSeen(table.handNumber);
      try {
        const proved = proof.prove(transcript.hand, fields.seed);
        lines.push(
          `${LATER.handNumber(table.handNumber)}: ${proofWords(proved, false, (seat) => table.nameOf(seat))}`,
        );
      } catch (error) {
        if (!(error instanceof proof.Mismatch)) throw error;
        return LATER.notProven(table.handNumber, error.message);
      }
    }
    if (number % PAUSE_EVERY === 0) await new Promise((over) => setTimeout(over));
  }
  return lines.join("\n");
}
