// Installation and offline files. They need https; over http the page works without them.

import { BASE } from "./links.js";
import { isFramed } from "./storage.js";

/** Register the service worker, which caches the page's files. A framed page keeps nothing. */
export function install() {
  if (isFramed || !isSecureContext || location.protocol !== "https:" || !("serviceWorker" in navigator))
    return;
  const types = /** @type {any} */ (window).trustedTypes;
  const worker = `${BASE}/sw.js`;
  const script = types
    ? types.createPolicy("shell", { createScriptURL: () => worker }).createScriptURL("")
    : worker;
  navigator.serviceWorker.register(script).catch(() => undefined);
}

/** The folder of this version's files. */
const FOLDER = new URL(".", import.meta.url).pathname;

/** Whether the server has another version of the page, for which this tab has not reloaded yet. */
export async function isOutdated() {
  try {
    const there =
      /[^"]*\/web\/\w+\//.exec(await (await fetch(`${BASE}/`, { cache: "no-cache" })).text())?.[0] ?? FOLDER;
    if (there === FOLDER || sessionStorage.getItem("version") === there) return false;
    sessionStorage.setItem("version", there); // only once: servers of both versions may share the address
    return true;
  } catch {
    return false; // no network, or no store
  }
}

let upgrade = 0; // the timer that waits for a moment to reload

/**
 * Reload once the server has another version of the page: it no longer serves this one's files.
 * @param {() => boolean} isIdle whether that disturbs nobody now
 */
export async function reloadWhenOutdated(isIdle) {
  if (upgrade || !(await isOutdated())) return;
  upgrade = setInterval(() => {
    if (!isIdle()) return;
    clearInterval(upgrade);
    location.reload();
  }, 500);
}
