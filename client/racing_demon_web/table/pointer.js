// Gestures on the board: tap, drag, flick, long press, and two thumbs at once.

const SLOP = 10;
const LONG_MS = 350;
const FLICK = 40;
const LIFT = 48;

/**
 * @typedef {object} Gestures what the table does
 * @property {(point: {x: number, y: number}) => ({pile: number, count: number} | null)} hit
 * @property {(pile: number) => boolean} isStock
 * @property {boolean} isFast whether a touch plays at once
 * @property {(pile: number) => void} turn
 * @property {(hit: {pile: number, count: number} | null) => void} tap
 * @property {(hit: {pile: number, count: number}) => void} pickUp
 * @property {(hit: {pile: number, count: number}, dx: number, dy: number) => void} drag
 * @property {(hit: {pile: number, count: number}, point: {x: number, y: number} | null) => void} drop
 * @property {(hit: {pile: number, count: number}) => void} flick
 */

/**
 * Listen on the board. Each pointer has its own gesture.
 * @param {{root: HTMLElement, box: DOMRect}} drawn
 * @param {Gestures} gestures
 */
export function listen(drawn, gestures) {
  const { root } = drawn;
  /** @type {Map<number, any>} */
  const fingers = new Map();
  /** @param {MouseEvent} event */
  const pointOf = (event) => {
    const { box } = drawn;
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  root.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const point = pointOf(event);
    const hit = gestures.hit(point);
    event.preventDefault();
    if (hit && gestures.isStock(hit.pile)) {
      gestures.turn(hit.pile);
      return;
    }
    if (hit && gestures.isFast) {
      gestures.tap(hit);
      return;
    }
    const finger = { start: point, hit, isDrag: false, isLong: false, timer: 0 };
    if (hit) {
      finger.timer = setTimeout(() => {
        finger.isLong = true;
        gestures.pickUp(hit);
      }, LONG_MS);
    }
    fingers.set(event.pointerId, finger);
    try {
      root.setPointerCapture(event.pointerId);
    } catch {
      // the pointer is already up
    }
  });

  root.addEventListener("pointermove", (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger?.hit) return;
    const point = pointOf(event);
    const [dx, dy] = [point.x - finger.start.x, point.y - finger.start.y];
    if (!finger.isDrag && Math.hypot(dx, dy) <= SLOP) return;
    clearTimeout(finger.timer);
    finger.isDrag = true;
    gestures.drag(finger.hit, dx, event.pointerType === "touch" ? dy - LIFT : dy);
  });

  /**
   * @param {PointerEvent} event
   * @param {boolean} isCancelled
   */
  const end = (event, isCancelled) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    fingers.delete(event.pointerId);
    clearTimeout(finger.timer);
    const point = pointOf(event);
    if (finger.isDrag) {
      const [dx, dy] = [point.x - finger.start.x, point.y - finger.start.y];
      const lifted = { x: point.x, y: point.y - (event.pointerType === "touch" ? LIFT : 0) };
      if (!isCancelled && isFlick(dx, dy, event.pointerType)) gestures.flick(finger.hit);
      else gestures.drop(finger.hit, isCancelled ? null : lifted);
    } else if (!isCancelled && !finger.isLong) {
      gestures.tap(finger.hit);
    }
  };
  root.addEventListener("pointerup", (event) => end(event, false));
  root.addEventListener("pointercancel", (event) => end(event, true));
  root.addEventListener("contextmenu", (event) => event.preventDefault());
  // Clicks by keyboard or screen reader; pointers are handled above.
  root.addEventListener("click", (event) => {
    if (event.detail !== 0 || !(event.target instanceof HTMLElement)) return;
    const pile = Number(event.target.closest("[data-pile]")?.getAttribute("data-pile") ?? -1);
    if (pile < 0) return;
    if (gestures.isStock(pile)) gestures.turn(pile);
    else gestures.tap({ pile, count: 0 });
  });
}

/**
 * @param {number} dx
 * @param {number} dy
 * @param {string} kind
 */
function isFlick(dx, dy, kind) {
  return kind === "touch" && dy < -FLICK && dy > -4 * FLICK && Math.abs(dx) < Math.abs(dy) / 3;
}
