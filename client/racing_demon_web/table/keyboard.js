// Keys at the table, the same as in the terminal: what each does, and what is printed on it.

/** The keys of the columns; those above send their cards up. */
export const COLUMNS = ["KeyA", "KeyS", "KeyD", "KeyF", "KeyJ", "KeyK", "KeyL"];
const ABOVE = ["KeyQ", "KeyW", "KeyE", "KeyR", "KeyU", "KeyI", "KeyO"];

/** What is printed on the keys pressed so far, by code: keyboards differ. @type {Map<string, string>} */
export const caps = new Map();

/**
 * Learn what is printed on a key.
 * @param {KeyboardEvent} event
 */
export function learnCap({ code, key, shiftKey, ctrlKey, altKey, metaKey }) {
  if (/^Key|^Semicolon/.test(code) && key.length === 1 && !shiftKey && !ctrlKey && !altKey && !metaKey)
    caps.set(code, key.toUpperCase());
}

/**
 * The code of a key. Remote desktops and some on-screen keyboards report none; then the character decides.
 * @param {KeyboardEvent} event
 */
function placeOf({ code, key }) {
  if (/^Numpad\d$/.test(code)) return `Digit${key}`; // without Num Lock these are arrow keys
  if (code && code !== "Unidentified") return code;
  return /^[a-z]$/i.test(key)
    ? `Key${key.toUpperCase()}`
    : ({ " ": "Space", ";": "Semicolon" }[key] ?? (/^\d$/.test(key) ? `Digit${key}` : key));
}

/**
 * The action of a key.
 * @param {KeyboardEvent} event
 * @returns {{name: string, column?: number, number?: number} | null}
 */
export function keyMeaning(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  if (event.key === "?") return { name: "help" };
  const code = placeOf(event);
  if (COLUMNS.includes(code)) return { name: "column", column: COLUMNS.indexOf(code) };
  if (ABOVE.includes(code)) return { name: "up", column: ABOVE.indexOf(code) };
  if (/^Digit[1-6]$/.test(code)) return { name: "react", number: Number(code.slice(5)) - 1 };
  return (
    {
      Space: { name: "turn" },
      KeyP: { name: "waste-up" },
      Semicolon: { name: "waste" },
      KeyV: { name: "stuck" },
      KeyB: { name: "hint" },
      KeyN: { name: "shift" },
      KeyH: { name: "reserve" },
      KeyY: { name: "reserve-up" },
      Escape: { name: "put-down" },
    }[code] ?? null
  );
}
