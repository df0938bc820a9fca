"""Rivals: races won and lost against each, and the median margins."""

from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.records.standings import Key
from racing_demon_protocol.records.summary import HandSummary, MatchSummary, PlayerSummary
from racing_demon_server.results.rivals import Rivals

ANN, BEN, CAT = range(3)


def match(*races: tuple[int, int, int | None]) -> MatchSummary:
    """Return a match of one hand with races: winner, loser, and how late the loser was in microseconds."""
    hand = HandSummary(
        hand=1,
        reason=EndReason.OUT,
        out=ANN,
        elapsed_ms=1,
        points={},
        plays={},
        races=tuple((winner, loser, 0, late) for winner, loser, late in races),
    )
    return MatchSummary(game="classic", players=(), hands=(hand,))


def key(name: str, player: str) -> Key:
    """Return who that is in standings."""
    return Key.of(PlayerSummary(seat=0, name=name, player=player))


def test_margins_are_medians_of_those_who_came_too_late() -> None:
    """Others' races and those against somebody unseen count for nobody; both of two Bens have a row."""
    ben, other = key("Ben", "BBBBBBBB"), key("Ben", "CCCCCCCC")
    rivals = Rivals()
    rivals.add(match((ANN, BEN, 10), (ANN, BEN, None), (ANN, BEN, 90), (ANN, BEN, 20)), {ANN}, {BEN: ben})
    rivals.add(match((BEN, ANN, None), (BEN, CAT, 5), (ANN, CAT, 5)), {ANN}, {BEN: ben})
    rivals.add(match((BEN, ANN, 7)), {ANN}, {ANN: key("Ann", "AAAAAAAA"), BEN: other})
    first, second = rivals.rows(10)
    assert (first["player"], first["won"], first["lost"]) == (ben.player, 4, 1)
    assert (first["won_by_us"], first["lost_by_us"]) == (20, None)
    assert (second["player"], second["won"], second["lost_by_us"]) == (other.player, 0, 7)
    assert rivals.rows(1) == [first]
