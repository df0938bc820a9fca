// The events of a match, for its replay.

/** @import { TableState } from "../rules/state.js" */

/** All events of a match since the last snapshot. */
export class MatchLog {
  constructor() {
    /** The index of the newest match's first deal. */
    this.firstDeal = 0;
    this.clear();
  }

  clear() {
    /** The snapshot before the first event. @type {any} */
    this.begin = null;
    /** @type {{name: string, fields: any, at: number}[]} */
    this.events = [];
    this.firstDeal = 0;
    /** @type {{by: number, late: number, card: number | null}[]} the races lost in this hand, and with which card */
    this.lost = [];
    /** The closest race of the hand, whoever lost it. @type {any} */
    this.closest = null;
  }

  /**
   * @param {any} refused
   * @param {any} command that lost the race
   * @param {import("./session.js").Session | null} session
   */
  lose({ by, late_us: late }, command, session) {
    const card = (command && session?.table.hand?.board.top(command.fields.source)) ?? null;
    this.lost.push({ by, late, card });
  }

  /**
   * @param {string} name
   * @param {any} fields
   * @param {TableState} table after it has applied the event
   */
  record(name, fields, table) {
    const at = performance.now();
    if (name === "snapshot") {
      this.clear();
      this.begin = fields;
    } else if (name === "race_lost") {
      if (!(this.closest?.late_us <= fields.late_us)) this.closest = fields;
    } else if (this.begin === null || fields?.seq === undefined) {
      // not an event, or before the first snapshot
    } else {
      if (name === "dealt") {
        this.lost = [];
        this.closest = null;
        if (table.handNumber === 1) this.firstDeal = this.events.length;
      }
      this.events.push({ name, fields, at });
    }
  }
}
