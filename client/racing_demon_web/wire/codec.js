// Encodes and decodes messages: JSON arrays on the wire, objects with named fields in the page.

import { FROM_CLIENT, FROM_SERVER } from "./protocol.js";

/**
 * Encode a message. Missing fields at the end are omitted and keep their defaults.
 * @param {string} name
 * @param {Record<string, unknown>} [values]
 */
export function encode(name, values = {}) {
  const { tag, defaults = {}, ...request } = FROM_CLIENT[name];
  const fields = request.fields.split(" ");
  let last = fields.length;
  while (last > 0 && !(fields[last - 1] in values)) last -= 1;
  const row = fields.slice(0, last).map((field) => (field in values ? values[field] : defaults[field]));
  return JSON.stringify([tag, ...row]);
}

/**
 * Decode a message of the server; null if its tag is unknown.
 * @param {string} text
 * @returns {{name: string, fields: any} | null}
 */
export function decode(text) {
  const [tag, ...values] = JSON.parse(text);
  const known = FROM_SERVER[tag];
  if (known === undefined) return null;
  /** @type {Record<string, unknown>} */
  const fields = { ...known.defaults };
  known.fields.split(" ").forEach((field, at) => {
    if (at < values.length) fields[field] = values[at];
  });
  return { name: known.name, fields };
}
