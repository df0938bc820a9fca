// The events of a match, for who watches it again.

/** @import { TableState } from "../rules/state.js" */

/** The events of a match, where all of them were seen, so that it can be played again. */
export class MatchLog {
  constructor() {
    /** Where the deal of the newest match's first hand is among the events. */
    this.firstDeal = 0;
    this.clear();
  }

  clear() {
    /** The table before its first event. @type {any} */
    this.begin = null;
    /** @type {{name: string, fields: any, at: number}[]} */
    this.events = [];
    this.isOver = false;
    this.firstDeal = 0;
    /** @type {{by: number, late: number, pile: number}[]} races that were lost in this hand */
    this.lost = [];
  }

  /**
   * @param {string} name
   * @param {any} fields
   * @param {TableState} table that has followed it
   */
  record(name, fields, table) {
    const at = performance.now();
    if (name === "snapshot") {
      this.clear();
      this.begin = fields;
    } else if (this.begin === null || fields?.seq === undefined) {
      // it changes nothing, or was told before the table
    } else {
      if (name === "dealt") {
        this.lost = [];
        if (table.handNumber === 1) this.firstDeal = this.events.length;
      }
      this.isOver = name === "match_over" || (this.isOver && name !== "dealt");
      this.events.push({ name, fields, at });
    }
  }
}
