// Where a notice lies: on nothing that is pressed, on no card of the table or place of one, and on no countdown.

const CONTROLS = "button, a, input, select, summary, .slot, #table .card, #note:not(:empty)";
const SCORES = ".chip, .standing, .player";
const HEADINGS = "h1, h2, .status, .headline, .coach, #offline, .sign";
const READ = ".fan, .arc, .terms, .own, .me, .track, .ticker li:first-child";
/** What a notice must not hide; what there is no room for comes down to less and less. */
const KEPT = [
  [CONTROLS, SCORES, HEADINGS, READ],
  [CONTROLS, SCORES, HEADINGS],
  [CONTROLS, SCORES],
  [CONTROLS],
];
const EDGE_PX = 4;
const BESIDE_PX = 104; // what stands to the right in a heading
const FOLLOW_MS = 100;
let timer = 0;

/** @param {HTMLElement} toast */
export function show(toast) {
  clearTimeout(timer);
  if (document.body.classList.contains("tv")) return; // which has a place for it
  place(toast);
  follow(toast);
}

/** Take away what was said of something that is no longer shown. */
export function clear() {
  document.getElementById("toast")?.classList.remove("shown");
}

/** Move a notice as soon as what it would hide has come below it. @param {HTMLElement} toast */
function follow(toast) {
  if (!toast.classList.contains("shown")) return;
  const { top, bottom } = toast.getBoundingClientRect();
  if (boxesOf(toast, CONTROLS).some((box) => box.top < bottom && top < box.bottom)) place(toast);
  timer = setTimeout(() => follow(toast), FOLLOW_MS);
}

/**
 * What a notice must not hide, and would at some height.
 * @param {HTMLElement} toast
 * @param {string} kept
 */
function boxesOf(toast, kept) {
  const sheet = /** @type {HTMLElement} */ (document.getElementById("sheet"));
  const { left, right } = toast.getBoundingClientRect();
  return [...(sheet.hidden ? document.body : sheet).querySelectorAll(kept)]
    .filter((each) => each.checkVisibility?.({ visibilityProperty: true }) ?? true) // new in 2024
    .map((each) => each.getBoundingClientRect())
    .filter((box) => box.width && box.left < right && left < box.right);
}

/**
 * Put a notice as high as it hides nothing of what is kept free.
 * @param {HTMLElement} toast
 */
function place(toast) {
  const { paddingTop, paddingBottom } = getComputedStyle(document.body); // what the device keeps
  const lowest = innerHeight - Number.parseFloat(paddingBottom);
  for (const kept of KEPT.map((each) => each.join())) {
    for (const right of [EDGE_PX, BESIDE_PX]) {
      toast.style.right = `calc(${right}px + var(--right))`;
      const { height } = toast.getBoundingClientRect();
      const boxes = boxesOf(toast, kept);
      const free = [Number.parseFloat(paddingTop), ...boxes.map(({ bottom }) => bottom)]
        .map((bottom) => bottom + EDGE_PX / 2)
        .filter((top) => top > 0 && top + height <= lowest)
        .filter((top) => boxes.every((box) => top + height <= box.top || box.bottom <= top));
      if (free.length === 0) continue;
      toast.style.top = `${Math.min(...free)}px`;
      return;
    }
  }
}
