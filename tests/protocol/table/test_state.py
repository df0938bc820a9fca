"""What everybody may see at a table, and all of it as one message."""

import pytest

from racing_demon_protocol.errors import InconsistentEvent, InvalidGame
from racing_demon_protocol.reasons import EndReason, Phase
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.codec import decode_server, encode
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import HandResult, Snapshot
from racing_demon_protocol.wire.options import Options
from tests.support.matches import final_view, log_of, of_matches, options_of
from tests.support.views import HASH, facts, folded, seated, view_after


def test_a_new_table_is_empty() -> None:
    """Nobody sits at a new table, nothing is dealt, and no match is going on."""
    view = view_after()
    assert (
        view.phase,
        view.seats,
        view.hand_seats,
        scoring.points(view),
        scoring.totals(view),
    ) == (Phase.LOBBY, {}, (), {}, {})
    assert (view.between_matches, view.in_hand) == (True, False)


@of_matches
def test_snapshots_all_along_a_match(name: str) -> None:
    """After every event a snapshot, sent over the wire, describes the view whole."""
    view = TableView("SIM", options_of(name))
    for number, event in enumerate(log_of(name)):
        view.apply(event)
        if number % 7 == 0 or not isinstance(event, ev.Played):
            snapshot = decode_server(encode(view.snapshot(5)))
            assert isinstance(snapshot, Snapshot)
            assert facts(view) == facts(TableView.from_snapshot(snapshot))


@of_matches
@pytest.mark.parametrize("part", [0, 0.1, 0.5, 0.9])
def test_a_snapshot_and_the_rest_of_the_log(name: str, part: float) -> None:
    """A snapshot at n and the events after n lead where all events from the start do."""
    log = log_of(name)
    middle = int(part * len(log))
    late = TableView.from_snapshot(folded(options_of(name), log[:middle]).snapshot(0))
    for event in log[middle:]:
        late.apply(event)
    assert facts(final_view(name)) == facts(late)


def test_a_copy_goes_on_by_itself() -> None:
    """What happens from then on at a table, to its hand, its seats or their names, changes no copy."""
    view = seated()
    copy = view.copy()
    before = copy.snapshot(0), dict(copy.gone)
    for event in (
        ev.StuckSaid(seq=6, seat=0),
        ev.HandOver(seq=7, reason=EndReason.DEAD, out=None, elapsed_ms=9, points=(4, 5), seed=HASH),
        ev.MatchOver(seq=8, winners=(0,)),
        ev.Left(seq=9, seat=3),
    ):
        view.apply(event)
    assert before == (copy.snapshot(0), copy.gone)


def test_a_snapshot_of_an_unknown_game() -> None:
    """A table whose game this software does not know cannot be taken over."""
    snapshot = seated().snapshot(0).model_copy(update={"options": Options(game="whist")})
    with pytest.raises(InvalidGame):
        TableView.from_snapshot(snapshot)


@pytest.mark.parametrize(
    "changes",
    [
        {"piles": ()},
        {"options": Options(game="classic")},
        {"hand_seats": (0, 3, 4)},
        {"piles": ((400,), *[()] * 25)},
        {"results": (HandResult(hand=1, seats=(0, 3), points=(1,), reason=EndReason.DEAD),)},
    ],
    ids=["no piles", "another game", "another seat", "another pack", "another tally"],
)
def test_a_snapshot_that_contradicts_itself(changes: dict[str, object]) -> None:
    """A snapshot whose piles or points are not those of its game and seats is refused."""
    with pytest.raises(InconsistentEvent):
        TableView.from_snapshot(seated().snapshot(0).model_copy(update=changes))
