"""The analysis of the last hand as a picture."""

import textwrap

from racing_demon_client.shared.analysis_text import full, hashes, summary
from racing_demon_client.shared.message_text import MessageText
from racing_demon_client.terminal.drawing.canvas import Canvas
from racing_demon_client.terminal.style.glyphs import Glyphs, cut, screen_text
from racing_demon_client.terminal.style.ink import Mark, Role

from .frame import Page, draw_page


def draw_analysis(page: Page, size: tuple[int, int], glyphs: Glyphs) -> Canvas:
    """Return the picture of the analysis in a width and height of cells: this player's first."""
    canvas = draw_page(page, size, glyphs)
    last = canvas.height - 3
    if not page.analysis:
        canvas.put(2, 2, "After each hand, its analysis appears here.", Role.DIM)
        return canvas
    words = MessageText(page.view, page.seat, ascii_only=glyphs.small_reds)
    first = next((each for each in page.analysis if each.seat == page.focus), page.analysis[0])
    who = screen_text(words.who(first.seat))
    canvas.put(2, 2, f"The last hand, as {who} played it:", Role.ACCENT | Mark.STRONG)
    y = 4
    for line in full(first, words):
        for part in textwrap.wrap(screen_text(line), canvas.width - 6, subsequent_indent="  "):
            if y <= last:
                canvas.put(2, y, cut(part, canvas.width - 4, glyphs), Role.TEXT)
            y += 1
    y += 1
    for each in page.analysis:
        if each is not first and y <= last:
            canvas.put(2, y, cut(screen_text(summary(each, words)), canvas.width - 4, glyphs), Role.DIM)
            y += 1
    for line in hashes(page.view, page.seed, words):
        if y < last:
            canvas.put(2, y + 1, cut(screen_text(line), canvas.width - 4, glyphs), Role.DIM)
            y += 1
    return canvas
