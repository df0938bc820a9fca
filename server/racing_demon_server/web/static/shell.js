// What pages may do that came over https: be installed, start quickly, and keep the screen on. Else nothing is missed.

/** @type {WakeLockSentinel | null} */
let lock = null;
let isWanted = false;

/** Let the device keep the page's files, so that it starts at once. */
export function install() {
  if (!isSecureContext || location.protocol !== "https:" || !("serviceWorker" in navigator)) return;
  const types = /** @type {any} */ (window).trustedTypes;
  const script = types ? types.createPolicy("shell", { createScriptURL: () => "/sw.js" }).createScriptURL("") : "/sw.js";
  navigator.serviceWorker.register(script).catch(() => undefined);
  document.addEventListener("visibilitychange", () => keepAwake(isWanted));
}

/**
 * Keep the screen on while cards are played, where the device allows that.
 * @param {boolean} isOn
 */
export async function keepAwake(isOn) {
  isWanted = isOn;
  if (!isSecureContext || !("wakeLock" in navigator) || document.hidden) return;
  try {
    if (!isOn) {
      await lock?.release();
      lock = null;
    } else if (lock?.released !== false) {
      lock = await navigator.wakeLock.request("screen");
    }
  } catch {
    // the battery is low
  }
}
