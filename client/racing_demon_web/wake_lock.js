// Keeps the screen on while somebody plays or watches. Browsers allow that over https only.

import { isFramed } from "./storage.js";

/** @type {WakeLockSentinel | null} */
let lock = null;
let isWanted = false;
let isAsking = false;

document.addEventListener("visibilitychange", () => keepAwake(isWanted));

/**
 * Keep the screen on, where the device allows it.
 * @param {boolean} isOn
 */
export async function keepAwake(isOn) {
  isWanted = isOn;
  if (isAsking || isFramed) return;
  isAsking = true;
  try {
    if (isOn && lock?.released !== false) lock = await navigator.wakeLock.request("screen");
    if (!isWanted && lock) await lock.release(); // it may no longer be wanted
  } catch {
    // refused, for example because the battery is low or the page is hidden; or the browser cannot do it
  }
  isAsking = false;
}
