// What this device remembers: settings, the player's name, and the tokens of seats.

const KEY = "racing-demon";
const DEFAULTS = {
  name: "",
  theme: "auto",
  isFourColor: false,
  isLeftHanded: false,
  isLarge: false,
  hasSound: false,
  hasText: false,
  hasFastTaps: false,
};

/**
 * @returns {any}
 * @param {string} name
 */
export function read(name) {
  try {
    return JSON.parse(localStorage.getItem(`${KEY}.${name}`) ?? "null");
  } catch {
    return null; // private windows may have no store; somebody may have written anything
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
export function write(name, value) {
  try {
    if (value === null) localStorage.removeItem(`${KEY}.${name}`);
    else localStorage.setItem(`${KEY}.${name}`, JSON.stringify(value));
  } catch {
    // it holds until the page is closed
  }
}

export const settings = { ...DEFAULTS, ...read("settings") };

/** @param {Partial<typeof DEFAULTS>} changes */
export function change(changes) {
  Object.assign(settings, changes);
  write("settings", settings);
  show();
}

/** Let the page look as the settings say. */
export function show() {
  const { classList, dataset } = document.documentElement;
  dataset.theme = settings.theme;
  classList.toggle("four-color", settings.isFourColor);
  classList.toggle("left-handed", settings.isLeftHanded);
  classList.toggle("large-index", settings.isLarge);
  classList.toggle("has-text", settings.hasText);
}

/**
 * The token of the seat that this device has at a table; null: it has none.
 * @param {string} code
 */
export const tokenOf = (code) => read(`seat.${code}`);
/**
 * @param {string} code
 * @param {string | null} token
 */
export const keepToken = (code, token) => write(`seat.${code}`, token);
