"""The moments of a hand: what cost most, by the measure that `docs/records.md` explains."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, name, pack
from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.records.analysis import HistoryTracker, moments_of
from racing_demon_protocol.records.format import next_state
from racing_demon_protocol.records.moments import HandMoment
from racing_demon_protocol.records.notes import HandNotes
from racing_demon_protocol.records.summary import Summarizer
from racing_demon_protocol.table.state import HandView, TableState
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.options import Options
from tests.support.boards import Position, build, rules_of
from tests.support.cases import for_each
from tests.support.recordings import recording, recording_of, seed_of

MANUAL: Final = Path(__file__).parents[3] / "docs" / "records.md"
SECOND: Final = 1_000_000
ANN, BEN = 0, 1
UP: Final = 0
"""The foundation of spades; that of hearts is the next."""


def example() -> Position:
    """Return the cards of the manual's example as they lie at its signal."""
    rules = rules_of("classic", players=2)
    ann = build(rules, foundation=("AS 2S", "AH"), tableau=("2H", "3S"))
    return build(rules, seat=BEN, tableau=("4S 3S",), reserve="9D 3H", upon=ann)


def told(position: Position, plays: Sequence[tuple[int, int, int, int]], over_at: int) -> list[HandMoment]:
    """Return the moments of a hand from a position on: each play's time, seat, pile and foundation."""
    view = TableState("EX", Options(game="classic"))
    view.hand = HandView(position.rules, position.board, {})
    tracker = HistoryTracker()
    tracker.apply(ev.Dealt(seq=0, seats=(ANN, BEN), shown=(), countdown_ms=0), view, 0)
    tracker.apply(ev.Signalled(seq=1), view, 0)
    for seq, (at, seat, source, destination) in enumerate(plays, 2):
        position.board.move(Play(source, 1, destination))
        played = ev.Played(seq=seq, seat=seat, counter=seq, source=source, count=1, destination=destination)
        tracker.apply(played, view, at)
    over = ev.HandOver(
        seq=9, reason=EndReason.OUT, out=None, elapsed_ms=over_at // 1_000, points=(0, 0), seed="00" * 32
    )
    tracker.apply(over, view, over_at)
    assert tracker.hand is not None
    return moments_of(tracker.hand, view.hand)


def test_the_manuals_example_is_computed_as_it_is_told() -> None:
    """The rows of the example in `docs/records.md` are what the rule makes of its events."""
    position = example()
    own = position.rules.layout.seat_piles
    (two, _), (three,) = own(ANN, Kind.TABLEAU)[:2], own(BEN, Kind.TABLEAU)[:1]
    plays = [(4, BEN, three, UP), (9, ANN, two, UP + 1), (11, BEN, three, UP)]
    found = told(position, [(at * SECOND, *play) for at, *play in plays], 12 * SECOND)  # type: ignore[misc]
    shown = [
        (
            ("Ann", "Ben")[each.seat],
            name(each.card),
            str(each.points),
            f"{each.waited_us / SECOND:.1f}",
            str(each.seq),
            "lost" if each.winner is not None else "waited",
        )
        for each in found
    ]
    rows = re.findall(
        r"^\| (Ann|Ben) \| (\S+) \| (\d) \| ([\d.]+) \| (\d) \| (lost|waited)",
        MANUAL.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert len(rows) == 5
    assert shown == rows


def test_what_goes_up_within_a_second_has_cost_nothing() -> None:
    """It takes so long to see a card; one that never went up has cost its points, in whatever time."""
    position = example()
    own = position.rules.layout.seat_piles
    (two, _), (three,) = own(ANN, Kind.TABLEAU)[:2], own(BEN, Kind.TABLEAU)[:1]
    plays = [(900_000, BEN, three, UP), (SECOND, ANN, two, UP + 1), (1_800_000, BEN, three, UP)]
    found = told(position, plays, 2 * SECOND)
    assert [(each.seat, name(each.card), each.points) for each in found] == [
        (ANN, "3♠", 1),
        (ANN, "2♥", 0),
        (BEN, "3♥", 3),
    ]


@for_each("name", ["racing-demon", "shouted", "eight", "house rules"])
def test_moments_of_whole_matches(name: str) -> None:
    """At most three a seat, the dearest first, of its own cards; a race's winner brought up the same face."""
    view: TableState | None = None
    history, opened = HistoryTracker(), 0
    noted: dict[int, HandNotes] = {}
    summarizer = Summarizer(noting=noted.__setitem__)
    events: dict[int, tuple[ev.Played, int]] = {}
    for entry in recording_of(name).entries:
        view = next_state(view, entry.message)
        history.apply(entry.message, view, entry.at_us, entry.seat)
        summarizer.apply(entry)
        if isinstance(entry.message, ev.Played):
            assert view.board is not None
            events[entry.message.seq] = entry.message, view.board.cards[entry.message.destination][-1]
        if not isinstance(entry.message, ev.HandOver):
            continue
        assert history.hand is not None
        assert view.hand is not None
        seed = view.deal_seed(bytes.fromhex(entry.message.seed))
        found = moments_of(history.hand, view.hand, seed)
        assert noted[view.hand_number].moments == tuple(map(tuple, found))
        assert {each.seat for each in found} <= set(view.hand.seats)
        for seat in view.hand.seats:
            own = [each for each in found if each.seat == seat]
            assert len(own) <= 3
            assert own == sorted(own, key=lambda each: (-each.points, -each.waited_us, each.seq))
        up = {card for pile in view.hand.rules.layout.foundations for card in view.hand.board.cards[pile]}
        for each in found:
            assert view.hand.rules.layout.owner(each.card) == each.seat
            assert bool(each.points) == (each.card not in up)
            if each.winner is not None:
                message, card = events[each.seq]
                assert (message.seat, card % PACK_SIZE) == (each.winner, each.card % PACK_SIZE)
                assert pack(card) != pack(each.card)
            if each.opened is not None:
                opened += 1
                assert view.hand.rules.layout.owner(each.opened) == each.seat
        assert all(each.opened is None for each in moments_of(history.hand, view.hand))
    assert opened or name in ("shouted", "house rules")  # where few cards lie face down


def test_nothing_is_told_of_what_was_not_seen() -> None:
    """A hand that was joined in its midst, or in which all play the same cards, has no moments."""
    position = example()
    hand = HandView(position.rules, position.board, {})
    tracker = HistoryTracker()
    tracker.apply(ev.Dealt(seq=0, seats=(ANN, BEN), shown=(), countdown_ms=0), TableState("EX", Options()), 0)
    assert tracker.hand is not None
    assert moments_of(tracker.hand, hand) == []
    rules = rules_of("demon-a", players=2)
    tracker.hand.is_whole = True
    assert rules.is_private
    assert moments_of(tracker.hand, HandView(rules, rules.deal(), {})) == []


def test_nobody_waits_before_the_own_signal() -> None:
    """Cards of a seat that starts later are not ready before its signal."""
    late = {1: Handicap(delay_s=20)}
    record = recording(seed_of(52), ["hard", "hard"], Options(hands=1), handicaps=late)
    view: TableState | None = None
    history, signal = HistoryTracker(), 0
    for entry in record.entries:
        view = next_state(view, entry.message)
        history.apply(entry.message, view, entry.at_us, entry.seat)
        if isinstance(entry.message, ev.SeatSignalled):
            signal = entry.message.seq
    assert history.hand is not None
    waited = [wait for wait in history.hand.waits.values() if wait.seat == 1]
    assert signal
    assert waited
    assert min(wait.seq for wait in waited) >= signal
