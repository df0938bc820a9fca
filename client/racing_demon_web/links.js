// Codes of tables and words of invitations over the internet, in the addresses of this page.

import { PAGES } from "./wire/protocol.js";

/** The path below which the server has everything, such as `/games/cards`; empty for none. */
export const BASE = /\/\/[^/]*(.*)\/web\//.exec(import.meta.url)?.[1] ?? "";

/**
 * The path of a table's page, with what stands behind it. The word of an invitation is a secret, and stands
 * behind `#`, which browsers send to no server. It begins with a digit, and codes are letters.
 * @param {string} code
 * @param {string} [query]
 * @param {string} [base] of its server
 */
export const pathOf = (code, query = "", base = BASE) =>
  code < "A" ? `${base}/${query}#${code}` : `${base}/${code}${query}`;

/**
 * The path of a page of results, such as `/scores`, or empty.
 * @param {{pathname: string}} address
 */
export const pageIn = ({ pathname }) => (PAGES.exec(pathname.slice(BASE.length)) ?? [""])[0];

/**
 * The code or word in an address, or empty.
 * @param {{pathname: string, hash: string}} address
 */
export const codeIn = ({ pathname, hash }) =>
  (/^#\d\w{15}/.exec(hash) ??
    (pageIn({ pathname }) ? [""] : /[a-z]{4,16}/i.exec(pathname.slice(BASE.length))) ?? [""])[0]
    .replace("#", "")
    .toUpperCase();
