// Installation, offline files and wake lock. They need https; over http the page works without them.

import { isFramed } from "./storage.js";

/** @type {WakeLockSentinel | null} */
let lock = null;
let isWanted = false;
let isAsking = false;

/** Register the service worker, which caches the page's files. A framed page keeps nothing. */
export function install() {
  document.addEventListener("visibilitychange", () => keepAwake(isWanted));
  if (isFramed || !isSecureContext || location.protocol !== "https:" || !("serviceWorker" in navigator))
    return;
  const types = /** @type {any} */ (window).trustedTypes;
  const script = types
    ? types.createPolicy("shell", { createScriptURL: () => "/sw.js" }).createScriptURL("")
    : "/sw.js";
  navigator.serviceWorker.register(script).catch(() => undefined);
}

/**
 * Keep the screen on, where the device allows it.
 * @param {boolean} isOn
 */
export async function keepAwake(isOn) {
  isWanted = isOn;
  if (isAsking || isFramed || !isSecureContext || !("wakeLock" in navigator) || document.hidden) return;
  isAsking = true;
  try {
    if (isOn && lock?.released !== false) lock = await navigator.wakeLock.request("screen");
    if (!isWanted && lock) await lock.release(); // it may no longer be wanted
  } catch {
    // refused, for example because the battery is low
  }
  isAsking = false;
}

/** The folder of this version's files. */
const FOLDER = new URL(".", import.meta.url).pathname;

/** Whether the server has another version of the page, for which this tab has not reloaded yet. */
export async function isOutdated() {
  try {
    const there = /\/web\/\w+\//.exec(await (await fetch("/", { cache: "no-cache" })).text())?.[0] ?? FOLDER;
    if (there === FOLDER || sessionStorage.getItem("version") === there) return false;
    sessionStorage.setItem("version", there); // only once: servers of both versions may share the address
    return true;
  } catch {
    return false; // no network, or no store
  }
}
