from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.games import declare
from racing_demon_protocol.table.scoring import (
    MAX_HANDS,
    hand_points,
    match_winners,
    race_order,
    team_totals,
    totals,
)
from racing_demon_protocol.table.state import Progress, TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import HandResult
from racing_demon_protocol.wire.options import Options
from tests.support.boards import cards
from tests.support.cases import for_each


def _view(*hands: tuple[int, ...], left: tuple[int, ...] = (), **options: object) -> TableState:
    """Return a table of three after hands with these points."""
    view = TableState("T", Options.model_validate(options))
    events: list[Event] = [ev.Joined(seq=seat + 1, seat=seat, name=str(seat)) for seat in range(3)]
    events.append(ev.Committed(seq=4, hand=1, hand_id="T/1/1", commitment="0" * 64))
    shown = tuple(pack * 52 + place for pack in range(3) for place in range(7))
    events.append(ev.Dealt(seq=5, seats=(0, 1, 2), shown=shown, countdown_ms=0))
    for event in events:
        view.apply(event)
    for seat in left:
        view.apply(ev.Left(seq=view.seq + 1, seat=seat))
    view.record = view.record._replace(
        results=tuple(
            HandResult(hand=number, seats=(0, 1, 2), points=points, reason=EndReason.DEAD)
            for number, points in enumerate(hands, 1)
        )
    )
    return view


def _with_family(view: TableState) -> TableState:
    assert view.board is not None
    view.board.cards[0] = cards("AH/0 2H/1 3H/1")
    return view


def test_points_in_the_order_of_the_seats() -> None:
    """Each seat of the hand has its cards on the foundations, and who is out the bonus."""
    assert (
        hand_points(_with_family(_view()), None),
        hand_points(_with_family(_view()), 1),
    ) == ((1, 2, 0), (1, 12, 0))


def _dealt(game: str) -> TableState:
    """Return a table of three at the beginning of a hand."""
    view = TableState("T", Options(game=game, out_bonus=10))
    rules = make_rules(declare(view.options, 3), (0, 1, 2))
    events: list[Event] = [ev.Joined(seq=seat + 1, seat=seat, name=str(seat)) for seat in range(3)]
    events.append(ev.Committed(seq=4, hand=1, hand_id="T/1/1", commitment="0" * 64))
    shown = Dealer(bytes(32), rules).first_cards()
    events.append(ev.Dealt(seq=5, seats=(0, 1, 2), shown=shown, countdown_ms=0))
    for event in events:
        view.apply(event)
    return view


@for_each("out", [None, 0, 1, 2])
@for_each("game", ["racing-demon", "demon-a"])
def test_whoever_is_out_gets_the_bonus(game: str, out: int | None) -> None:
    """The seat that is out, whichever number it has, gets the bonus, and no other seat does."""
    view = _dealt(game)
    assert view.is_private is (game == "demon-a")
    without, points = hand_points(view, None), hand_points(view, out)
    assert [10 * (seat == out) for seat in range(3)] == [
        got - had for got, had in zip(points, without, strict=True)
    ]


@for_each("out", [0, 1, 2])
def test_whoever_is_out_is_ahead(out: int) -> None:
    """On identical deals the seat that is out, whichever number it has, has won, however far others came."""
    view = _dealt("demon-a")
    assert view.hand is not None
    view.hand.progress = {seat: Progress(int(seat != out), view.seq) for seat in view.hand_seats}
    assert race_order(view.hand, out)[0] == out


@for_each(("on_leave", "points"), [("freeze", (1, 2, 0)), ("forfeit", (1, 0, 0))])
def test_points_of_a_leaver(on_leave: str, points: tuple[int, ...]) -> None:
    """A leaver keeps the points of the hand, or loses them, as the table has it (A21)."""
    assert points == hand_points(_with_family(_view(left=(1,), on_leave=on_leave)), None)


def test_no_winner_before_the_last_hand() -> None:
    """While hands are left to play, nobody has won."""
    assert match_winners(_view((9, 5, 1), hands=2)) is None


def test_the_highest_total_wins() -> None:
    """After the last hand the highest total of all hands wins."""
    assert match_winners(_view((9, 5, 1), (0, 5, 1), hands=2)) == (1,)


def test_equal_totals_share_the_match() -> None:
    """Equal totals are joint winners (A17)."""
    assert match_winners(_view((9, 9, 1), hands=1)) == (0, 1)


def test_equal_totals_may_play_on() -> None:
    """Where the table wants it, equal totals get another hand (A17)."""
    assert match_winners(_view((9, 9, 1), hands=1, tie_break="hand")) is None
    assert match_winners(_view((9, 9, 1), (1, 2, 0), hands=1, tie_break="hand")) == (1,)


def test_a_tie_does_not_go_on_for_ever() -> None:
    """After as many hands as the wire has numbers for, equal totals share the match after all."""
    tied = [(0, 0, 0)] * MAX_HANDS
    assert match_winners(_view(*tied[1:], hands=1, tie_break="hand")) is None
    assert match_winners(_view(*tied, hands=1, tie_break="hand")) == (0, 1, 2)


@for_each(("best", "winners"), [(99, None), (100, (0,)), (120, (0,))])
def test_a_target_ends_the_match(best: int, winners: tuple[int, ...] | None) -> None:
    """A total that reaches the target ends the match before its last hand."""
    assert winners == match_winners(_view((best, 5, 1), hands=9, target=100))


@for_each(
    ("totals", "winners"),
    [((34, 5, 1), None), ((35, 5, 1), (0,)), ((35, 35, 1), None), ((-9, -40, -50), (0,))],
)
def test_a_lead_ends_the_match(totals: tuple[int, ...], winners: tuple[int, ...] | None) -> None:
    """A lead over all others ends the match before its last hand, however few points the leader has."""
    assert winners == match_winners(_view(totals, hands=9, win_lead=30))


def test_a_leaver_cannot_win() -> None:
    """Whoever left is passed over, however many points there are."""
    assert match_winners(_view((9, 5, 1), hands=1, left=(0,))) == (1,)


def test_who_has_played_no_hand_cannot_win() -> None:
    """Somebody who came to wait for the next deal has no total, though nought may be the highest number."""
    view = _view((-26, -30, -26), hands=1)
    view.apply(ev.Joined(seq=view.seq + 1, seat=3, name="3"))
    assert match_winners(view) == (0, 2)


def test_a_match_that_all_left_is_over() -> None:
    """When everybody has left, the match ends at once, and the best of the leavers wins."""
    assert match_winners(_view((9, 5, 1), hands=5, left=(0, 1, 2))) == (0,)


@for_each(
    ("progress", "out", "expected"),
    [
        ([(30, 5), (31, 9)], None, [1, 0]),
        ([(30, 5), (30, 4)], None, [1, 0]),
        ([(30, 5), (30, 5)], None, [0, 1]),
        ([(51, 1), (40, 9)], 1, [1, 0]),
    ],
    ids=["further", "earlier", "tie", "won"],
)
def test_the_order_of_a_race(progress: list[tuple[int, int]], out: int | None, expected: list[int]) -> None:
    """Who won is first; then progress, then the earlier last progress decide."""
    hand = _dealt("demon-a").hand
    assert hand is not None
    hand.progress = {seat: Progress(*reached) for seat, reached in enumerate(progress)}
    assert race_order(hand, out) == expected


# House rules.


def test_a_king_brings_its_bonus_to_whoever_laid_it() -> None:
    """The owner of the card that completes a foundation scores the bonus, whoever laid the others."""
    view = _view(king_bonus=5)
    assert view.board is not None
    ranks = ["AH", "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "10H", "JH", "QH"]
    view.board.cards[0] = cards(" ".join(f"{card}/0" for card in ranks))
    assert hand_points(view, None) == (12, 0, 0)
    view.board.cards[0] += cards("KH/1")
    assert hand_points(view, None) == (12, 6, 0)


def test_most_points_win_a_hand_and_ties_share_it() -> None:
    """Where hands count, every seat with the most points has won one, even with a negative number."""
    view = _view((9, 3, 9), (-2, -1, -5), match_score="hands", hands=2)
    assert totals(view) == {0: 1, 1: 1, 2: 1}
    assert match_winners(view) == (0, 1, 2)


def test_a_target_and_a_lead_count_hands_where_hands_count() -> None:
    """So many hands won end the match early, whatever their points."""
    assert match_winners(_view((40, 3, 9), match_score="hands", target=2)) is None
    assert match_winners(_view((40, 3, 9), (2, 1, 0), match_score="hands", target=2)) == (0,)
    assert match_winners(_view((40, 3, 9), (2, 1, 0), match_score="hands", win_lead=2)) == (0,)


def test_a_team_wins_a_hand_by_its_points_together() -> None:
    """Where hands count, two partners with fewer points each win a hand together, and count it once."""
    view = _view((30, 20, 15), match_score="hands", hands=1, teams=2)
    view.record = view.record._replace(results=(view.results[0].model_copy(update={"teams": (0, 1, 1)}),))
    assert team_totals(view) == {0: 0, 1: 1}
