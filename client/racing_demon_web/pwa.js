// What pages may do that came over https: be installed, start quickly, and keep the screen on. Else nothing is missed.

/** @type {WakeLockSentinel | null} */
let lock = null;
let isWanted = false;
let isAsking = false;

/** Let the device keep the page's files, so that it starts at once. */
export function install() {
  document.addEventListener("visibilitychange", () => keepAwake(isWanted));
  if (!isSecureContext || location.protocol !== "https:" || !("serviceWorker" in navigator)) return;
  const types = /** @type {any} */ (window).trustedTypes;
  const script = types
    ? types.createPolicy("shell", { createScriptURL: () => "/sw.js" }).createScriptURL("")
    : "/sw.js";
  navigator.serviceWorker.register(script).catch(() => undefined);
}

/**
 * Keep the screen on while cards are played, where the device allows that.
 * @param {boolean} isOn
 */
export async function keepAwake(isOn) {
  isWanted = isOn;
  if (isAsking || !isSecureContext || !("wakeLock" in navigator) || document.hidden) return;
  isAsking = true;
  try {
    if (isOn && lock?.released !== false) lock = await navigator.wakeLock.request("screen");
    if (!isWanted && lock) await lock.release(); // nobody may want it any more by now
  } catch {
    // the battery is low
  }
  isAsking = false;
}

/** The folder of this version's files. */
const FOLDER = new URL(".", import.meta.url).pathname;

/** Whether the server has another version of the page than this, for which the page was not loaded again yet. */
export async function isOutdated() {
  try {
    const there = /\/web\/\w+\//.exec(await (await fetch("/", { cache: "no-cache" })).text())?.[0] ?? FOLDER;
    if (there === FOLDER || sessionStorage.getItem("version") === there) return false;
    sessionStorage.setItem("version", there); // once: behind one address there may be servers of both versions
    return true;
  } catch {
    return false; // no network, or no store
  }
}
