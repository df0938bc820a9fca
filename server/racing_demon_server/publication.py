"""What has happened at a table, on its way to the disk, and from there to everybody.

What arrived together is written down together; nothing is told before it is written. Without a journal
everything is told at once.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, NamedTuple

from racing_demon_protocol.messages.events import HandOver
from racing_demon_protocol.messages.server import Snapshot
from racing_demon_protocol.reasons import Phase
from racing_demon_protocol.view import TableView

from .audience import Audience
from .journal.keeping import TableJournal
from .journal.writer import Statement
from .listener import Frames, Listener
from .shown import Published
from .table import Table

__all__ = ["News", "Publication"]

PLAYED: Final = frozenset({Phase.COUNTDOWN, Phase.PLAYING, Phase.GRACE})
"""While a hand is dealt."""


class News(NamedTuple):
    """What is told together: events, then good-byes to those who were sent away, then what else there is.

    ``view`` may be the table as it is with all that.
    """

    frames: list[Frames]
    parting: list[Listener]
    then: Callable[[], None] | None = None
    view: TableView | None = None


class Publication:
    """Writes down and tells what happens at one table.

    Attributes:
        unwritten: how often something was given to the journal that is not told yet.

    Args:
        table: the table, as its judge knows it.
        audience: those who are told.
        journal: where the table is kept, if it is.
        published: the table as everybody sees it, if that is another than the judge's.

    """

    def __init__(
        self, table: Table, audience: Audience, journal: TableJournal | None, published: Published | None
    ) -> None:
        self.unwritten = 0
        self._table = table
        self._audience = audience
        self._journal = journal
        self._published = published
        self._statements: list[Statement] = []
        self._untold: list[News] = []

    def note(self, news: News, at: int, seeds: Iterable[tuple[str, bytes]]) -> None:
        """Note what has happened: to be written down and then told, or told at once where nothing is kept.

        Args:
            news: what is to be told.
            at: when it happened.
            seeds: the secrets of hands that begin with it, by their ids.

        """
        if self._journal is None or self._published is None:
            self._tell(news)
            return
        snapshot = self._snapshot(news)
        claims = self._table.claims.take_changed(with_plays=snapshot is not None)
        self._statements += self._journal.statements(news.frames, at, seeds, claims, snapshot)
        ahead = self._published.copy_ahead(len(news.frames))
        self._untold.append(news if ahead is None else news._replace(view=ahead))

    def write_down(self) -> None:
        """Write down all that is noted, together."""
        if self._journal is not None and self._untold:
            self.unwritten += 1
            self._journal.write(self._statements, partial(self._tell_late, self._untold))
            self._statements, self._untold = [], []

    def when_written(self, then: Callable[[], None]) -> None:
        """Do something when all that has happened until now is told."""
        if self.unwritten:
            self.note(News([], [], then), 0, ())
            self.write_down()
        else:
            then()

    def _snapshot(self, news: News) -> Snapshot | None:
        """Return the table after a hand, for the journal; ``None`` while there is nothing new to keep."""
        view = self._table.view
        if view.phase in PLAYED:
            return None
        is_over = any(isinstance(each.event, HandOver) for each in news.frames)
        return view.snapshot_for(None, 0) if is_over else None

    def _tell_late(self, written: list[News]) -> None:
        self.unwritten -= 1
        for news in written:
            self._tell(news)

    def _tell(self, news: News) -> None:
        for each in news.frames:
            if self._published is not None:
                self._published.follow(each.event)
            self._audience.tell(each)
        if self._published is not None and news.view is not None:
            self._published.take_over(news.view)
        for listener in news.parting:
            self._audience.send_away(listener)
        if news.then is not None:
            news.then()
