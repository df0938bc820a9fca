"""What a page shows of the layouts of others, read from the points of its canvases."""

from typing import Final

SMALL_CARDS: Final = """async (chip) => {
  const canvas = chip.querySelector("canvas");
  if (!canvas?.checkVisibility()) return [];
  const page = document.querySelector('script[type="module"]').src;
  const { pictures, SmallLayout } = await import(new URL("table/small_layout.js", page));
  const points = ({ width, height }, pen) => {
    const all = new Uint32Array(pen.getImageData(0, 0, width, height).data.buffer);
    return (x, y, wide) => all.subarray(y * width + x, y * width + x + wide);
  };
  const index = (read, x, y, width) => {  // rank and suit, in the corner
    const rows = Array.from({ length: Math.round(width * 0.3) }, (_, row) => row + Math.round(width * 0.1));
    return rows.map((row) => read(x + 2, y + row, width - 4).join()).join();
  };
  const cards = new Map();
  for (const [look, picture] of pictures) {
    const card = Number(look.split(" ").pop()); // of a back, its colour
    const face = "A 2 3 4 5 6 7 8 9 10 J Q K".split(" ")[card % 13] + "♠♥♣♦"[Math.floor(card / 13)];
    cards.set(index(points(picture, picture.getContext("2d")), 0, 0, picture.width), card >= 0 ? face : "?");
  }
  const read = points(canvas, canvas.getContext("2d"));
  const root = canvas.parentElement;
  return SmallLayout.of.get(root).places().map((place) => {
    const x = Math.round((place.x - root.getBoundingClientRect().left) * devicePixelRatio);
    const width = Math.round(place.width * devicePixelRatio);
    for (let y = canvas.height - width; y >= 0; y -= 1) {
      const isCard = read(x + 2, y + Math.round(width * 0.1), 1)[0];
      const card = isCard && cards.get(index(read, x, y, width));
      if (card) return card;
    }
    return "";
  });
}"""
"""The top card of each pile of a player, as `10♥`; `?` for a back, nothing for an empty pile."""
CUT: Final = """() => [...document.querySelectorAll("#table .chip canvas")].filter((canvas) => {
  const { width, height } = canvas;
  const pen = canvas.getContext("2d");
  const edges = [[0, height - 1, width, 1], [width - 1, 0, 1, height]];
  return edges.some((edge) => pen.getImageData(...edge).data.some((part) => part > 0));
}).length"""
"""How many of these canvases have something at an edge where nothing belongs."""
