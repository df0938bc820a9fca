// What people type and paste: codes, addresses, and links to tables, pages and people. The terminal reads the same.

import { pathOf } from "./links.js";

/** @type {Record<string, string>} */
const PORTS = { http: "80", https: "443", ws: "5252", wss: "443", "": "5252" };
const CODE = /^[a-z]{4,16}$/i;
const LINK = /^https?:\/\//i;
const WORD = /^\d\w{15}$/;
/** The end of the path of a page that is no table's, such as that of a match. */
const PAGE = /\/(?:scores|matches|you|new|(?:match|player|qr|web)\/.+)\/?$/;
const SEAT = /[#,](seat=[\da-f]{64})(?![\da-z])/i;
/** What people write before and behind addresses. */
const AROUND = /^["'<>()«»“”]+|["'<>()«»“”.,;!?]+$/g;

/**
 * @typedef {object} Pasted
 * @property {string} code the table's, or empty
 * @property {string} server its address, with port and path, such as `http://192.168.1.5:5252`; empty if none is named
 * @property {string} elsewhere what is to be opened if it is no table of this server, or empty
 */

/**
 * Read what somebody has typed or pasted. The last name of a path is a code, unless a slash is behind it; but an
 * address that can be this server's is.
 * @param {string} text
 * @param {string} [own] this server's address
 * @returns {Pasted}
 */
export function readPasted(text, own = "") {
  const clean = text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .trim();
  const pasted = wordIn(clean);
  const seat = SEAT.exec(pasted)?.[1] ?? "";
  const { scheme, site, rest, names, behind } = split(pasted.replace(SEAT, ""));
  const isAddress = /[.:/]|.#|^localhost$/i.test(rest) && site !== "";
  if (!isAddress && !scheme) {
    const code = WORD.test(clean) ? clean : clean.replace(/[^a-z]/gi, "");
    return { code: code.toUpperCase(), server: "", elsewhere: "" };
  }
  if (!isAddress) return { code: "", server: "", elsewhere: "" };
  const page = PAGE.exec(names);
  if (page) {
    const server = site + baseOf(names.slice(0, page.index));
    return { code: "", server, elsewhere: server + rest.slice(rest.indexOf("/") + page.index) };
  }
  const here = own && split(own);
  /** @param {Pasted} pasted */
  const isOwn = ({ server }) => here && server === here.site + baseOf(here.names);
  /** @param {string} base @param {string} code */
  const table = (base, code) => {
    const read = { code: code.toUpperCase(), server: site + baseOf(base), elsewhere: "" };
    if (seat || !isOwn(read))
      read.elsewhere =
        read.server + (code ? pathOf(code, "", "") : "/") + (seat && (code < "A" ? "," : "#") + seat);
    return read;
  };
  const whole = table(names, behind);
  const [, base, last, slash] = /** @type {RegExpExecArray} */ (/^(.*?)([^/]*)(\/*)$/s.exec(names));
  if (behind || !CODE.test(last)) return whole;
  const below = table(base, last);
  const [first, other] = slash ? [whole, below] : [below, whole];
  return isOwn(other) && !seat ? other : first;
}

/** @param {string} clean */
function wordIn(clean) {
  const words = clean.split(/\s+/).map((word) => word.replace(AROUND, ""));
  return (words.length === 1 ? words[0] : words.find((word) => LINK.test(word))) ?? clean;
}

/**
 * Split an address. Its site has a port, and is empty if there can be none.
 * @param {string} address
 */
function split(address) {
  const [, scheme, rest, place, names, behind] = /** @type {RegExpExecArray} */ (
    /^(?:(.*):\/\/)?(([^/?#]*)([^?#]*)[^#]*(?:#(.*))?)$/s.exec(address)
  );
  const known = (scheme ?? "").toLowerCase();
  const port = /:\d+$/.test(place) ? "" : `:${PORTS[known]}`;
  const site = `${/^(https|wss)$/.test(known) ? "https" : "http"}://${place.toLowerCase()}${port}`;
  const isSite = known in PORTS && place !== "" && !/\s/.test(place) && canBeOpened(site);
  return { scheme: known, site: isSite ? site : "", rest, names, behind: behind ?? "" };
}

/** @param {string} site */
function canBeOpened(site) {
  try {
    return new URL(site).host !== "";
  } catch {
    return false;
  }
}

/** @param {string} names */
const baseOf = (names) => names.replace(/\/+$/, "").replace(/\/v1$/, "");
