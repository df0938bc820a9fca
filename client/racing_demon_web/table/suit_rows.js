// The shared foundations on large screens: a row for each suit, which keeps its place for the whole hand.

import { CORNER, RATIO, sizeOf, WHOLE_CARD } from "./geometry.js";

const FEW = 4; // so many of a suit have room from the first card on

/**
 * Lay out the foundations of each suit from the left to the right, as they are begun. All are as large as fits, and
 * smaller only once there is no room for one more.
 * @param {import("./geometry.js").Shared & import("./geometry.js").Room} options
 * @returns {import("./geometry.js").Grid}
 */
export function suitRows({ taken, isEmpty, card, area, isAlone }) {
  const gap = Math.max(3, Math.round(area.height * (isAlone ? 0.01 : 0.02)));
  const count = taken.length;
  const seats = count / 4;
  const abreast = [4, 2, 1].reduce((best, suits) =>
    sizeOf(suits * seats, area, count) > sizeOf(best * seats, area, count) ? suits : best,
  );
  const begun = taken.map((slot, at) => (isEmpty[at] ? 0 : (slot % seats) + 1));
  const least = Math.min(seats, Math.max(FEW, ...begun.map((each) => each + 1)));
  const across = area.width / abreast - 2 * gap; // for a suit
  const high = (area.height * abreast) / 4 - 2 * gap;
  const widest = Math.min(isAlone ? high : card.w, (across + gap) / least - gap);
  const h = Math.min(widest * RATIO, high);
  const w = h > WHOLE_CARD ? Math.min(widest, h / RATIO) : widest;
  const places = Math.min(seats, Math.floor((across + gap) / (w + gap)));
  const wide = places * (w + gap) - gap;
  const free = area.height - (4 / abreast) * (h + 2 * gap);
  const top = area.y + (isAlone ? free / 2 : 0);
  const left = area.x + (area.width - abreast * (wide + 2 * gap)) / 2;
  const rows = [0, 1, 2, 3].map((suit) => ({
    x: left + gap + (suit % abreast) * (wide + 2 * gap),
    y: top + gap + Math.floor(suit / abreast) * (h + 2 * gap),
    w: wide,
    h,
  }));
  const bottom = rows[3].y + h + gap;
  /** @param {number} slot */
  const at = (slot) => {
    const { x, y } = rows[Math.floor(slot / seats)];
    return { x: x + Math.min(slot % seats, places - 1) * (w + gap), y }; // those without a place are not seen
  };
  const whole = { x: area.x + gap / 2, y: top - gap / 2, w: area.width - gap, h: bottom - top };
  const corner = area.x + area.width - CORNER;
  return { w, h, at, bottom, corner, area: { ...whole, hasCorner: true }, rows };
}
