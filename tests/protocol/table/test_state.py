"""The state of a table: how it follows its events, and all of it as one message."""

from collections.abc import Iterable
from typing import Any, Final

import pytest

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.enums import EndReason, Phase
from racing_demon_protocol.errors import InconsistentEvent, InvalidGame
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import TableRecord, TableState
from racing_demon_protocol.wire.codec import decode_server, encode
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import HandResult, Snapshot
from racing_demon_protocol.wire.options import Options
from tests.support.boards import cards
from tests.support.builds import skip_unless_pure
from tests.support.cases import for_each
from tests.support.invariants import status
from tests.support.matches import final_view, log_of, of_matches, options_of
from tests.support.tables import Sitting

HASH: Final = "0" * 64


def facts(view: TableState) -> dict[str, Any]:
    """Return all that a view holds, as values that can be compared."""
    skip_unless_pure("lists what a view holds")
    held = view.record._asdict() | {"seq": view.seq, "stuck": view.stuck_seats()}
    del held["gone"]  # this is for who was there
    hand = view.hand  # without the deal, with which the judge makes snapshots for others: none holds it
    return {**held, "hand": hand and (hand.rules.game, hand.seats, hand.board, hand.progress)}


def folded(options: Options, log: Iterable[Event], code: str = "SIM") -> TableState:
    """Return the view after a log."""
    view = TableState(code, options)
    for event in log:
        view.apply(event)
    return view


def view_after(*log: Event, **options: object) -> TableState:
    """Return the view of a table of some options after some events."""
    return folded(Options.model_validate(options), log, "T")


def seated(*, playing: bool = True, **options: object) -> TableState:
    """Return the view of a table of two, a person and a bot, in the middle of a hand."""
    view = view_after(
        ev.Joined(seq=1, seat=0, name="Ada"),
        ev.Joined(seq=2, seat=3, name="Bob", bot="easy"),
        ev.Committed(seq=3, hand=1, hand_id="T/1/1", commitment=HASH),
        **options,
    )
    if playing:
        shown = tuple(cards("KS QS JS 10S 9S 8S 7S KH/1 QH/1 JH/1 10H/1 9H/1 8H/1 7H/1"))
        view.apply(ev.Dealt(seq=4, seats=(0, 3), shown=shown, countdown_ms=0))
        view.apply(ev.Signalled(seq=5))
    return view


def _next(view: TableState, cls: type[Event], **fields: object) -> Event:
    event = cls.model_validate({"seq": view.seq + 1, **fields})
    view.apply(event)
    return event


# The fold.


@of_matches
def test_the_fold_of_the_log_is_what_the_judge_holds(name: str) -> None:
    """Whoever applies all events has the very table that the server judged on."""
    assert facts(final_view(name)) == facts(folded(options_of(name), log_of(name)))


@of_matches
def test_boards_stay_sound(name: str) -> None:
    """The public board keeps its invariants through a whole match."""
    view = TableState("SIM", options_of(name))
    for event in log_of(name):
        view.apply(event)
        if view.hand is not None:
            assert status(view.hand.rules, view.hand.board) == []


@of_matches
def test_the_board_knows_only_what_was_shown(name: str) -> None:
    """No card is ever on the public board that an event of the hand has not named."""
    view = TableState("SIM", options_of(name))
    named: set[int] = set()
    for event in log_of(name):
        view.apply(event)
        if isinstance(event, ev.Dealt):
            named = set(event.shown)
        elif isinstance(event, ev.Played):
            named |= set(event.shown)
        if view.board is not None:
            known = {card for pile in view.board.cards for card in pile}
            assert known <= named | {UNKNOWN}


# Gaps and events that do not fit.


@for_each("seq", [0, 4, 5, 7, 100])
def test_a_gap_in_the_log(seq: int) -> None:
    """An event that is not the next one is refused, and nothing has changed."""
    view = seated()
    before = facts(view)
    with pytest.raises(InconsistentEvent, match=f"event {seq} after event 5"):
        view.apply(ev.StuckSaid(seq=seq, seat=0))
    assert before == facts(view)


@for_each(
    ("cls", "fields"),
    [
        (ev.Played, {"seat": 0, "counter": 1, "source": 0, "count": 1, "destination": 1}),
        (ev.Rotated, {}),
        (ev.HandOver, {"reason": "dead", "out": None, "elapsed_ms": 0, "points": [], "seed": HASH}),
        (ev.Left, {"seat": 0}),
        (ev.Readied, {"seat": 0, "ready": True}),
        (ev.Connected, {"seat": 0, "connected": True}),
        (ev.StuckSaid, {"seat": 0}),
        (ev.Dealt, {"seats": [], "shown": [], "countdown_ms": 0}),
        (ev.Dealt, {"seats": [0, 0], "shown": [], "countdown_ms": 0}),
        (ev.Dealt, {"seats": [0], "shown": [1], "countdown_ms": 0}),
    ],
    ids=str,
)
def test_events_that_fit_no_empty_table(cls: type[Event], fields: dict[str, object]) -> None:
    """An event about seats or cards that are not there is refused, however it is wrong."""
    with pytest.raises(InconsistentEvent):
        _next(view_after(), cls, **fields)


def test_a_deal_of_an_unknown_game() -> None:
    """A deal of a game that this software does not know is refused."""
    with pytest.raises(InconsistentEvent):
        _next(view_after(game="whist"), ev.Dealt, seats=[0], shown=[], countdown_ms=0)


@for_each(
    "fields",
    [
        {"source": 8, "destination": 200},
        {"source": 10, "destination": 11, "count": 9},
        {"source": 10, "destination": 11, "shown": [1]},
        {"source": 8, "destination": 9, "count": 3},
        {"source": 9, "destination": 8, "count": 1},
    ],
    ids=str,
)
def test_plays_that_do_not_fit(fields: dict[str, object]) -> None:
    """A play that the board cannot follow, or that names other cards than it turns up, is refused."""
    with pytest.raises(InconsistentEvent):
        _next(seated(), ev.Played, **{"seat": 0, "counter": 1, "count": 1, "shown": [], **fields})


@for_each("points", [[], [1], [1, 2, 3]])
def test_points_for_other_seats(points: list[int]) -> None:
    """A tally with fewer or more points than seats is refused."""
    with pytest.raises(InconsistentEvent):
        _next(seated(), ev.HandOver, reason="dead", out=None, elapsed_ms=0, points=points, seed=HASH)


# The events, one by one.


def test_other_options_ask_people_anew_whether_they_are_ready() -> None:
    """Who was ready under other options is not ready for these; a bot is ready by itself."""
    view = seated()
    _next(view, ev.Readied, seat=0, ready=True)
    _next(view, ev.OptionsSet, options={"game": "classic"})
    assert {seat: state.ready for seat, state in view.seats.items()} == {0: False, 3: True}


def test_bots_are_always_ready() -> None:
    """A bot is ready as it sits down; a person is not."""
    assert {seat: state.ready for seat, state in seated().seats.items()} == {0: False, 3: True}


def test_the_course_of_a_hand() -> None:
    """Deal, signal, call and tally take the table from phase to phase."""
    view = seated(playing=False)
    shown = tuple(range(7)) + tuple(range(52, 59))
    phases = [view.phase]
    for cls, fields in (
        (ev.Dealt, {"seats": [0, 3], "shown": shown, "countdown_ms": 0}),
        (ev.Signalled, {}),
        (ev.Called, {"seat": 3, "grace_ms": 10}),
        (ev.HandOver, {"reason": "out", "out": 3, "elapsed_ms": 9, "points": [4, 62], "seed": HASH}),
        (ev.MatchOver, {"winners": [3]}),
    ):
        _next(view, cls, **fields)
        phases.append(view.phase)
    assert phases == [Phase.SHUFFLING, Phase.COUNTDOWN, Phase.PLAYING, Phase.GRACE, Phase.TALLY, Phase.OVER]
    assert (view.called, view.winners, scoring.points(view)) == (3, (3,), {0: 4, 3: 62})
    assert view.results[0].reason == EndReason.OUT


def test_totals_add_the_hands_up() -> None:
    """A seat's total is the sum of its points over the hands of the match."""
    view = seated()
    for hand, points in ((2, [4, 5]), (3, [1, -2])):
        _next(view, ev.HandOver, reason="dead", out=None, elapsed_ms=9, points=points, seed=HASH)
        _next(view, ev.Committed, hand=hand, hand_id=f"T/1/{hand}", commitment=HASH)
    assert scoring.totals(view) == {0: 5, 3: 3}


def test_a_team_that_cannot_be() -> None:
    """No event puts a seat into a team that the table does not have, or into another one within a match."""
    sitting = Sitting.playing(3, teams=2)
    view = sitting.mirror
    for team in (1, 2):
        with pytest.raises(InconsistentEvent):
            view.copy().apply(ev.TeamSet(seq=view.seq + 1, seat=0, team=team))
    snapshot = view.snapshot(0)
    result = HandResult(hand=1, seats=(0, 1, 2), points=(1, 2, 3), reason=EndReason.STUCK, teams=(0, 1))
    with pytest.raises(InconsistentEvent):
        TableState.from_snapshot(snapshot.model_copy(update={"results": (result,)}))


def test_a_new_match_begins_from_nothing() -> None:
    """The first hand of a match clears the tally, and the seats of those who left."""
    view = seated()
    _next(view, ev.Left, seat=3)
    _next(view, ev.HandOver, reason="dead", out=None, elapsed_ms=9, points=[4, 5], seed=HASH)
    _next(view, ev.MatchOver, winners=[0])
    assert list(view.seats) == [0, 3]
    _next(view, ev.Committed, hand=1, hand_id="T/2/1", commitment=HASH)
    assert (view.results, view.winners, list(view.seats)) == ((), (), [0])


def test_leaving_in_a_match_keeps_the_seat_in_the_tally() -> None:
    """Whoever leaves in the middle is marked as gone; between matches the seat becomes free."""
    view = seated()
    _next(view, ev.Left, seat=0)
    assert (view.seats[0].left, view.seats[0].connected, view.seats[0].ready) == (True, False, False)
    idle = view_after(ev.Joined(seq=1, seat=0, name="Ada"), ev.Left(seq=2, seat=0))
    assert idle.seats == {}


def test_who_leaves_after_the_match_is_still_called_so_in_its_tally() -> None:
    """Whoever comes then sees it so, too, until the next match begins, even if somebody else has the seat."""
    view = seated()
    name = view.seats[3].name
    _next(view, ev.HandOver, reason="dead", out=None, elapsed_ms=9, points=[4, 5], seed=HASH)
    _next(view, ev.MatchOver, winners=[0])
    _next(view, ev.Left, seat=3)
    assert (3 in view.seats, view.player(3), view.copy().player(3)) == (False, name, name)
    _next(view, ev.Joined, seat=3, name="Zoe")
    late = TableState.from_snapshot(view.snapshot(0))
    assert [(seen.player(3), seen.seats[3].name) for seen in (view, late)] == [(name, "Zoe")] * 2
    _next(view, ev.Committed, hand=1, hand_id="T/2/1", commitment=HASH)
    assert view.player(3) == "Zoe"


def test_small_facts_about_seats() -> None:
    """Connections, readiness and the host are as the last event about them says."""
    view = seated()
    _next(view, ev.Connected, seat=0, connected=False)
    _next(view, ev.Readied, seat=0, ready=True)
    _next(view, ev.Hosted, seat=3)
    assert (view.seats[0].connected, view.seats[0].ready, view.host) == (False, True, 3)
    _next(view, ev.Hosted, seat=None)
    assert view.host is None


DEAL = {"seats": [0, 3], "shown": [*range(7), *range(52, 59)], "countdown_ms": 0}
TALLY = {"reason": "stuck", "out": None, "elapsed_ms": 9, "points": [4, 5], "seed": HASH}


def test_a_hand_ends_with_nobody_ready_but_the_bots() -> None:
    """People say anew that they are ready for the next deal."""
    view = seated()
    _next(view, ev.Readied, seat=0, ready=True)
    _next(view, ev.HandOver, **TALLY)
    assert [state.ready for state in view.seats.values()] == [False, True]


def test_a_new_deal_forgets_who_called() -> None:
    """The shout belongs to one hand."""
    view = seated()
    _next(view, ev.Called, seat=3, grace_ms=10)
    _next(view, ev.HandOver, **TALLY)
    _next(view, ev.Dealt, **DEAL)
    assert view.called is None


def test_new_options_clear_the_board() -> None:
    """The last hand's board goes when the options change: it may be of another game."""
    view = seated()
    _next(view, ev.OptionsSet, options={"game": "classic"})
    assert (view.hand, view.board, view.options.game) == (None, None, "classic")


def _stuck(view: TableState) -> list[bool]:
    return [state.stuck for state in view.seats.values()]


def test_progress_takes_stuck_back() -> None:
    """A play that uncovers a card makes everybody unstuck; turning the stock does not."""
    view = seated()
    assert view.hand is not None
    layout = view.hand.rules.layout
    stock, waste = layout.stock[0], layout.waste[0]
    _next(view, ev.StuckSaid, seat=0)
    _next(view, ev.Played, seat=3, counter=1, source=stock, count=3, destination=waste, shown=[12])
    still = _stuck(view)
    _next(view, ev.Played, seat=3, counter=1, source=11, count=1, destination=10, shown=[20])
    assert (still, _stuck(view)) == ([True, False], [False, False])


@for_each(
    ("cls", "fields"),
    [
        (ev.Rotated, {}),
        (ev.Dealt, DEAL),
        (ev.HandOver, TALLY),
    ],
)
def test_a_new_chance_takes_stuck_back(cls: type[Event], fields: dict[str, object]) -> None:
    """A rotation, a new deal and the end of a hand make everybody unstuck."""
    view = seated()
    _next(view, ev.StuckSaid, seat=3)
    _next(view, cls, **fields)
    assert _stuck(view) == [False, False]


def test_the_judge_plays_as_the_fold_does() -> None:
    """The server's way to play changes a view as the event that it returns changes another."""
    judge, follower = seated(), seated()
    event = judge.play(0, 4, Play(11, 1, 10), lambda play, places: [33 for _ in places])
    follower.apply(event)
    assert facts(judge) == facts(follower)
    assert (event.seq, event.seat, event.counter, event.shown) == (6, 0, 4, (33,))


# Snapshots.


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
    view = TableState("SIM", options_of(name))
    for number, event in enumerate(log_of(name)):
        view.apply(event)
        if number % 7 == 0 or not isinstance(event, ev.Played):
            snapshot = decode_server(encode(view.snapshot(5)))
            assert isinstance(snapshot, Snapshot)
            assert facts(view) == facts(TableState.from_snapshot(snapshot))


@of_matches
@for_each("part", [0, 0.1, 0.5, 0.9])
def test_a_snapshot_and_the_rest_of_the_log(name: str, part: float) -> None:
    """A snapshot at n and the events after n lead where all events from the start do."""
    log = log_of(name)
    middle = int(part * len(log))
    late = TableState.from_snapshot(folded(options_of(name), log[:middle]).snapshot(0))
    for event in log[middle:]:
        late.apply(event)
    assert facts(final_view(name)) == facts(late)


def test_a_snapshot_without_cards_replaces_those_that_lay_there() -> None:
    """A state that is replaced by a table's before its first deal keeps no card of another hand."""
    view, empty = seated(), seated(playing=False)
    view.restore(empty.snapshot(0))
    assert facts(view) == facts(empty)


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


def test_what_is_declared_is_sent() -> None:
    """Snapshots have every field of a table but these; another that they lack would be lost on its way."""
    assert {*TableRecord._fields} - {*Snapshot.model_fields} == {"gone", "hand_number", "redrawn_for"}


def test_a_snapshot_of_an_unknown_game() -> None:
    """A table whose game this software does not know cannot be taken over."""
    snapshot = seated().snapshot(0).model_copy(update={"options": Options(game="whist")})
    with pytest.raises(InvalidGame):
        TableState.from_snapshot(snapshot)


@for_each(
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
        TableState.from_snapshot(seated().snapshot(0).model_copy(update=changes))
