// Codes of tables, as people type and paste them; and words of invitations over the internet.

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
export const pageIn = ({ pathname }) =>
  (/^\/(scores|matches|you|(match|player)\/.+)$/.exec(pathname.slice(BASE.length)) ?? [""])[0];

/**
 * The code or word in an address, or empty.
 * @param {{pathname: string, hash: string}} address
 */
export const codeIn = ({ pathname, hash }) =>
  (/^#\d\w{15}/.exec(hash) ??
    (pageIn({ pathname }) ? [""] : /[a-z]{4,16}/i.exec(pathname.slice(BASE.length))) ?? [""])[0]
    .replace("#", "")
    .toUpperCase();

/**
 * The table's code in what somebody has typed or pasted: a code, a link, or a line with one.
 * @param {string} typed
 * @returns {{code: string, server: string, scheme: "http" | "https"}} server: the host, with the path, of the server
 *   that a link names, or empty
 */
export function readCode(typed) {
  const text = typed.normalize("NFKC").replace(/[\u200b-\u200f\u2060\ufeff]/g, "");
  const link =
    /(?:(\w+):\/\/)?([^\s/#"'<>]+)([^\s#?]*?)(?:\/(?:v1|\?[^\s#]*)?)?[/#]([a-z]{4,16}|\d\w{15})(?![\w/])/i.exec(
      text,
    );
  return {
    code: (link?.[4] ?? /^\d\w{15}$/.exec(text.trim())?.[0] ?? text.replace(/[^a-z]/gi, "")).toUpperCase(),
    server: link ? link[2].toLowerCase() + link[3] : "",
    scheme: /^(https|wss)$/i.test(link?.[1] ?? "") ? "https" : "http",
  };
}
