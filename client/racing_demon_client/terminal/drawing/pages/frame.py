"""What the pictures around the hands share: a title, a prompt, keys, and what was said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from racing_demon_client.terminal.drawing.canvas import Canvas, Hit
from racing_demon_client.terminal.drawing.scene import FeedLine
from racing_demon_client.terminal.style.glyphs import Glyphs, cut, wrapped
from racing_demon_client.terminal.style.ink import Mark, Role
from racing_demon_protocol.records.analysis import SeatAnalysis
from racing_demon_protocol.table.view import TableView

__all__ = ["Page", "draw_page"]


@dataclass(frozen=True, kw_only=True)
class Page:
    """One moment of a table between the hands.

    Attributes:
        view: the table.
        seat: the own seat; ``None`` for a spectator.
        focus: the seat that is looked at: the own one, or the one that is watched.
        addresses: what others may join under.
        feed: what happened, the latest last.
        prompt: what to do next.
        is_warning: whether the prompt says that something went wrong.
        trouble: what is wrong with the connection, if anything.
        watchers: how many watch.
        seed: the secret of the last hand, once it is told.
        proof: what came of checking it.
        is_wrong: whether that was a fault.
        analysis: what can be said of that hand, for each of its players.
        labels: the name of the key for each action.
        footer: the keys, each with what it does.

    """

    view: TableView
    seat: int | None
    focus: int | None = None
    addresses: Sequence[str] = ()
    feed: Sequence[FeedLine] = ()
    prompt: str = ""
    is_warning: bool = False
    trouble: str = ""
    watchers: int = 0
    seed: str = ""
    proof: str = ""
    is_wrong: bool = False
    analysis: Sequence[SeatAnalysis] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    footer: Sequence[tuple[str, str, str]] = ()
    """Each with its action, which a click there does."""

    def draw_feed(self, canvas: Canvas, y: int, width: int, glyphs: Glyphs) -> None:
        """Write what happened from a row on, the newest last, as many rows as find room, so wide at most."""
        room = canvas.height - 3 - y
        latest = list(self.feed)[-room:] if room > 0 else []
        rows = [(text, line.role) for line in latest for text in wrapped(line.text, width - 4)]
        for row, (text, role) in enumerate(rows[-room:], start=y):
            canvas.put(2, row, text, role)


def draw_page(page: Page, size: tuple[int, int], glyphs: Glyphs) -> Canvas:
    """Return a picture with all that such pictures share, and room from row 2 to the third last."""
    width, height = size
    canvas = Canvas(width, height)
    canvas.put(1, 0, "Racing Demon", Role.ACCENT | Mark.STRONG)
    if page.trouble:
        text = cut(page.trouble, width - 16, glyphs)
        canvas.put(width - len(text) - 1, 0, text, Role.WARNING | Mark.STRONG)
    canvas.rule(1, 0, width, glyphs.rule)
    canvas.rule(height - 2, 0, width, glyphs.rule)
    if page.prompt:
        ink = Role.WARNING if page.is_warning else Role.ACCENT | Mark.STRONG
        end = canvas.put(2, height - 2, f" {cut(page.prompt, width - 6, glyphs)} ", ink)
        canvas.touch(Hit(2, height - 2, end - 2, 1, action="enter"))
    x = 1
    for keys, does, action in page.footer:
        if x + len(keys) + len(does) + 1 > width:
            break
        start = x
        x = canvas.put(x, height - 1, keys, Role.KEY | Mark.STRONG)
        x = canvas.put(x + 1, height - 1, does, Role.DIM)
        canvas.touch(Hit(start, height - 1, x - start, 1, action=action))
        x += 2
    return canvas
