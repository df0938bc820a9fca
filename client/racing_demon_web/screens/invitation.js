// How others come to a table: its address and QR code, on the host's lobby and on a big screen.

import { byId } from "../dom.js";
import { BASE, pathOf } from "../links.js";
import { LATER } from "../words_later.js";

/** @import { Session } from "../wire/session.js" */

const AGAIN_MS = 3000; // before a QR code that failed to load is requested again
const ORIGIN_MS = 10_000; // asked again now and then: the server may change networks

/** The origin at which other devices reach the server; null if there is none. @type {string | null | undefined} */
let known;
let asksAt = 0;

/**
 * The origin at which other devices reach the server, which localhost is not; null if there is none. And
 * whether it has a tunnel, too.
 * @returns {Promise<{origin: string | null, tunnel?: boolean}>}
 */
export async function addressForOthers() {
  const answer = await fetch(`${BASE}/origin.json`).catch(() => null);
  return answer?.ok ? answer.json().catch(() => location) : location;
}

/**
 * Show the address of a table as a QR code. The server draws it, so there is none of an invitation's secret.
 * @param {HTMLImageElement} picture
 * @param {string | null} origin null: there is none
 * @param {string} code
 */
export function showQr(picture, origin, code) {
  const source = `${BASE}/qr/${code}.svg?${origin}`; // so that a changed address loads another image
  picture.hidden = origin === null || code < "A"; // a word begins with a digit
  if (picture.hidden || picture.getAttribute("src") === source) return;
  picture.src = source;
  picture.onerror = () =>
    setTimeout(() => picture.getAttribute("src") === source && (picture.src = source), AGAIN_MS);
  picture.alt = LATER.qrCode(`${origin}${pathOf(code)}`);
  picture.className = "qr";
}

/**
 * Show the address and QR code: always on a big screen, to the host in the lobby.
 * @param {Session} session
 * @param {() => void} redraw when the address is known
 */
export function showInvitation({ seat, table }, redraw) {
  document.body.classList.toggle("host-invites", seat !== null && table.host === seat);
  const isSeen = (/** @type {HTMLElement} */ root) =>
    document.body.classList.contains("tv") || // always there: measuring it would make every play lay out the page
    root.querySelector(".address")?.getClientRects().length;
  const roots = [byId("lobby"), byId("table")].filter((root) => !root.hidden && isSeen(root));
  const now = performance.now();
  if (roots.length > 0 && now > asksAt) {
    asksAt = now + ORIGIN_MS;
    addressForOthers().then(({ origin }) => {
      known = origin;
      redraw();
    });
  }
  if (known === undefined) return;
  const origin = known;
  const text = origin === null ? LATER.onlyHere : `${origin.replace(/.*\/\//, "")}${pathOf(table.code)}`;
  for (const root of roots) {
    const picture = /** @type {HTMLImageElement} */ (root.querySelector("img.qr"));
    const words = /** @type {HTMLElement} */ (root.querySelector(".address"));
    if (words.textContent !== text) {
      showQr(picture, origin, table.code);
      words.textContent = text;
    }
  }
}
