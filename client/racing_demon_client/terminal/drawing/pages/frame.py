"""The frame that all pages share: title, prompt, keys and chat."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from racing_demon_client.terminal.drawing.canvas import Canvas, Hit
from racing_demon_client.terminal.drawing.scene import FeedLine
from racing_demon_client.terminal.style.glyphs import Glyphs, cut, wrapped
from racing_demon_client.terminal.style.ink import Mark, Role
from racing_demon_protocol.records.analysis import SeatAnalysis
from racing_demon_protocol.table.state import TableState


@dataclass(frozen=True, kw_only=True)
class Page:
    """One moment of a table between hands.

    Attributes:
        view: the table.
        seat: this player's seat; ``None`` for a spectator.
        focus: the seat to show: this player's own or the watched one.
        addresses: the addresses to join under.
        is_hosted: whether the table is on this machine.
        feed: the lines of the feed, newest last.
        prompt: what to do next.
        is_warning: whether the prompt reports a problem.
        trouble: the connection problem to show, if any.
        watchers: the number of spectators.
        seed: the secret of the last hand, once revealed.
        proof: the result of verifying it.
        is_wrong: whether verification failed.
        analysis: the analysis of that hand, for each player.
        labels: the key label of each action.
        footer: the keys, each with its effect and its action.

    """

    view: TableState
    seat: int | None
    focus: int | None = None
    addresses: Sequence[str] = ()
    is_hosted: bool = False
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
    """Each with its action, which a click carries out."""

    def draw_feed(self, canvas: Canvas, y: int, width: int, glyphs: Glyphs) -> None:
        """Write the feed from a row on, newest last, in the rows and columns available."""
        room = canvas.height - 3 - y
        latest = list(self.feed)[-room:] if room > 0 else []
        rows = [(text, line.role) for line in latest for text in wrapped(line.text, width - 4)]
        for row, (text, role) in enumerate(rows[-room:], start=y):
            canvas.put(2, row, text, role)


def draw_page(page: Page, size: tuple[int, int], glyphs: Glyphs) -> Canvas:
    """Return a picture with the shared frame; rows 2 to the third last are free."""
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
