"""Digests: what remains of a match is what its table told."""

import pytest

from racing_demon_protocol.digest import Digest, digests
from racing_demon_protocol.messages import events as ev
from racing_demon_protocol.portable import Correction, Entry, Header, Record, followed
from racing_demon_protocol.view import TableView

from ..support.matches import MATCHES, final_view
from ..support.recordings import recording_of

NOTE = Correction(at_ms=1, by="Ann", why="x", seat=0, points=2)


@pytest.mark.parametrize("name", MATCHES)
def test_it_has_the_tally(name: str) -> None:
    """Points, reasons, winners and names are those of the judge's own view."""
    (digest,) = digests([recording_of(name)])
    view = final_view(name)
    assert [result.points for result in view.results] == [tuple(h.points.values()) for h in digest.hands]
    assert [result.reason for result in view.results] == [hand.reason for hand in digest.hands]
    assert [result.out for result in view.results] == [hand.out for hand in digest.hands]
    assert (view.winners, True, view.options.game) == (digest.winners, digest.finished, digest.game)
    assert {state.seat: (state.name, state.bot) for state in view.seats.values()} == {
        player.seat: (player.name, player.bot) for player in digest.players
    }


def test_it_comes_back_from_json() -> None:
    """A digest is the same after it was written down."""
    (digest,) = digests([recording_of("eight")])
    assert digest == Digest.model_validate_json(digest.model_dump_json())


def test_a_match_that_has_not_ended() -> None:
    """A record that stops within a match has its whole hands, and no winner."""
    record = recording_of("racing-demon")
    end = next(n for n, entry in enumerate(record.entries) if isinstance(entry.message, ev.HandOver))
    (digest,) = digests([Record(record.header, record.entries[: end + 40])])
    assert (1, (), False) == (len(digest.hands), digest.winners, digest.finished)


def test_hands_before_the_record_have_their_tally() -> None:
    """Who came in the second hand knows the first one's points, and nothing of its plays."""
    record = recording_of("racing-demon")
    end = next(n for n, entry in enumerate(record.entries) if isinstance(entry.message, ev.HandOver))
    view: TableView | None = None
    for entry in record.entries[: end + 1]:
        view = followed(view, entry.message)
    assert view is not None
    rest = Record(None, [Entry(view.snapshot(0)), *record.entries[end + 1 :]])
    (whole,), (late,) = digests([record]), digests([rest])
    assert [hand.points for hand in whole.hands] == [hand.points for hand in late.hands]
    assert ({}, ()) == (late.hands[0].plays, late.hands[0].races)
    assert whole.hands[1] == late.hands[1]


def test_two_matches_at_one_table() -> None:
    """A table that plays on has a digest for each match, the second with its own commitment."""
    record = recording_of("demon-a")
    view: TableView | None = None
    for entry in record.entries:
        view = followed(view, entry.message)
    assert view is not None
    joins = sum(isinstance(entry.message, ev.Joined | ev.Hosted | ev.Readied) for entry in record.entries)
    begin = next(n for n, entry in enumerate(record.entries) if isinstance(entry.message, ev.Committed))
    assert joins < begin + 1
    again = []
    first_event = record.entries[begin].message
    assert isinstance(first_event, ev.Event)
    later = view.seq + 1 - first_event.seq
    for entry in record.entries[begin:]:
        if not isinstance(entry.message, ev.Event):
            continue
        message = entry.message.model_copy(update={"seq": entry.message.seq + later})
        if isinstance(message, ev.Committed):
            message = message.model_copy(update={"commitment": "ab" * 32})
        again.append(Entry(message, entry.at_us))
    first, second = digests([Record(Header(id="t"), [*record.entries, *again], [NOTE])])
    assert (first.hands, first.winners) == (second.hands, second.winners)
    assert (1, ("ab" * 32,)) == (len(first.promises), second.promises)
    assert ((), (NOTE,)) == (first.corrections, second.corrections)


def test_nobody_may_have_played() -> None:
    """Of a hand that was dead as it was dealt it is known that nobody made a play, which is not unknown."""
    entries = recording_of("racing-demon").entries
    signal = next(n for n, entry in enumerate(entries) if isinstance(entry.message, ev.Signalled))
    over = next(entry.message for entry in entries if isinstance(entry.message, ev.HandOver))
    begun = entries[signal].message
    assert isinstance(begun, ev.Signalled)
    end = Entry(over.model_copy(update={"seq": begun.seq + 1}))
    (digest,) = digests([Record(None, [*entries[: signal + 1], end])])
    assert dict.fromkeys(digest.hands[0].points, 0) == digest.hands[0].plays != {}
