"""The notes of hands that were played before a server made any, and the titles of an evening."""

from collections.abc import Callable, Iterator, Sequence

from racing_demon_protocol.records.notes import HandNotes
from racing_demon_protocol.records.summary import MatchSummary, PlayerSummary, Summarizer
from racing_demon_protocol.records.titles import EveningHand, titles
from racing_demon_server.journal.matches import EntryReader, Match

from .store import Result


class NotesInMaking:
    """The notes of a match, which are made some events at a time, because somebody has asked for them.

    Attributes:
        result: the match.
        match: where it is in the journal.
        entries: reads its events.
        summarizer: follows them.
        notes: those that are made, by the numbers of the hands.

    Args:
        result: the match.
        match: where it is in the journal.
        rest: is called between steps.

    """

    def __init__(self, result: Result, match: Match, rest: Callable[[], None]) -> None:
        self.result = result
        self.match = match
        self.entries = EntryReader(match, rest=rest)
        self.notes: dict[int, HandNotes] = {}
        self.summarizer = Summarizer(match.key, noting=self._note, rest=rest)

    def _note(self, hand: int, notes: HandNotes) -> None:
        self.notes[hand] = notes


Played = tuple[MatchSummary, dict[int, HandNotes]]
"""A match of an evening, and the notes of its hands."""


def titles_json(evening: Sequence[Played]) -> list[dict[str, object]]:
    """Return the titles of an evening for the players of its last match.

    Args:
        evening: the matches of a table since it was opened, in their order.

    """
    seats = {_called(each): each for each in evening[-1][0].players}
    return [
        {"seat": seats[name].seat, "title": title, "value": value}
        for name, title, value in titles(list(_hands(evening)))
        if name in seats
    ]


def _hands(evening: Sequence[Played]) -> Iterator[EveningHand]:
    for number, (summary, notes) in enumerate(evening):
        names = {each.seat: _called(each) for each in summary.players}
        people = frozenset(_called(each) for each in summary.players if not each.kind)
        for hand in summary.hands:
            is_last = summary.finished and hand is summary.hands[-1]
            known = notes.get(hand.hand, HandNotes())
            yield EveningHand(number, names, people, hand, known, is_last, summary.winners)


def _called(player: PlayerSummary) -> str:
    """Return what tells a player apart: the id of one whom the server remembers, else the name."""
    return player.player or f"{player.kind}/{player.name.casefold()}"
