"""What a player's page says of rivals, and of the best moments."""

from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.records.format import Correction
from racing_demon_protocol.records.standings import Key
from racing_demon_protocol.records.summary import HandSummary, MatchSummary, PlayerSummary
from racing_demon_server.results.player_page import Moments, Rivals

ANN, BEN, CAT = range(3)
NAMES = {ANN: "Ann", BEN: "Ben", CAT: "Cat"}


def match(ended_ms: int, *hands: tuple[dict[int, int], int | None, int, int], void: int = 0) -> MatchSummary:
    """Return a match of hands: points, who went out, milliseconds, and the races that Ann won."""
    summaries = tuple(
        HandSummary(
            hand=number,
            reason=EndReason.OUT,
            out=out,
            elapsed_ms=ms,
            points=points,
            plays={},
            races=((ANN, BEN, 0, None),) * races + ((BEN, ANN, 0, None),),
        )
        for number, (points, out, ms, races) in enumerate(hands, 1)
    )
    totals = {seat: sum(points.get(seat, 0) for points, *_ in hands) for seat in hands[0][0]}
    taken = Correction(at_ms=1, by="Op", why="so", seat=ANN, points=-void) if void else None
    return MatchSummary(
        game="classic",
        ended_ms=ended_ms,
        players=tuple(PlayerSummary(seat=seat, name=NAMES[seat]) for seat in totals),
        hands=summaries,
        winners=tuple(seat for seat in totals if totals[seat] == max(totals.values())),
        finished=True,
        corrections=(taken,) if taken else (),
    )


def moments_of(*matches: MatchSummary) -> dict[str, tuple[int, int]]:
    """Return the value of each of Ann's moments, and when its match ended."""
    moments = Moments()
    for each in matches:
        moments.add(each, {ANN}, NAMES)
    return {row["moment"]: (row["value"], row["ended_ms"]) for row in moments.rows()}


def test_the_first_best_of_each_kind_counts() -> None:
    """A later equal one changes nothing; a lost match ends a streak; the lead is over the best loser."""
    first = match(1, ({ANN: 30, BEN: 10, CAT: 25}, ANN, 90_000, 2))
    lost = match(2, ({ANN: 40, BEN: 50}, BEN, 40_000, 2), ({ANN: -5, BEN: 0}, ANN, 60_000, 0))
    later = match(3, ({ANN: 40, BEN: 10}, ANN, 60_000, 3))
    last = match(4, ({ANN: 2, BEN: 1}, None, 10_000, 0))
    assert moments_of(first, lost, later, last) == {
        "win": (30, 3),
        "out": (60_000, 2),
        "hand": (40, 2),
        "races": (3, 3),
        "streak": (2, 4),
    }


def test_a_correction_takes_a_moment_away() -> None:
    """A match that was lost after a correction is no win, and what never happened is missing."""
    assert moments_of(match(1, ({ANN: 30, BEN: 10}, BEN, 90_000, 0), void=25)) == {"hand": (30, 1)}
    assert moments_of(match(1, ({ANN: -3, BEN: 10}, BEN, 90_000, 0))) == {}


def raced(*races: tuple[int, int, int | None]) -> MatchSummary:
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
    ann, races = key("Ann", "AAAAAAAA"), ((ANN, BEN, 10), (ANN, BEN, None), (ANN, BEN, 90), (ANN, BEN, 20))
    rivals.add(raced(*races), {ANN}, {BEN: ben}, NAMES)
    rivals.add(raced((BEN, ANN, None), (BEN, CAT, 5), (ANN, CAT, 5)), {ANN}, {BEN: ben}, NAMES)
    rivals.add(raced((BEN, ANN, 7)), {ANN}, {ANN: ann, BEN: other}, NAMES)
    first, second = rivals.rows(10)
    assert (first["name"], first["player"], first["won"], first["lost"]) == ("Ben", ben.player, 4, 1)
    assert (first["won_by_us"], first["lost_by_us"]) == (20, None)
    assert (second["player"], second["won"], second["lost_by_us"]) == (other.player, 0, 7)
    assert rivals.rows(1) == [first]
