"""What a player's page says of rivals, and of the best moments."""

from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.records.format import Correction
from racing_demon_protocol.records.player_total import PlayerTotal
from racing_demon_protocol.records.summary import HandSummary, MatchSummary, PlayerSummary
from racing_demon_server.results.player_page import player_json

ANN, BEN, CAT = range(3)
NAMES = {ANN: "Ann", BEN: "Ben", CAT: "Cat"}
ID = "AAAAAAAA"


def player_at(seat: int) -> PlayerSummary:
    """Return who has a seat; the server remembers Ann."""
    return PlayerSummary(seat=seat, name=NAMES[seat], player=ID if seat == ANN else "")


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
        players=tuple(player_at(seat) for seat in totals),
        hands=summaries,
        winners=tuple(seat for seat in totals if totals[seat] == max(totals.values())),
        finished=True,
        corrections=(taken,) if taken else (),
    )


def moments_of(*matches: MatchSummary) -> dict[str, tuple[int, int | None]]:
    """Return the value of each of Ann's moments, and when its match ended."""
    total = PlayerTotal(ID)
    for each in matches:
        total.add(each)
    return {moment: (value, played.ended_ms) for moment, (value, played) in total.moments.best.items()}


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


def raced(*races: tuple[int, int, int | None], ben: str) -> MatchSummary:
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
    players = (player_at(ANN), PlayerSummary(seat=BEN, name="Ben", player=ben), player_at(CAT))
    return MatchSummary(game="classic", players=players, hands=(hand,), winners=(), finished=False)


def test_margins_are_medians_of_those_who_came_too_late() -> None:
    """Others' races and those against somebody unseen count for nobody; both of two Bens have a row."""
    ben, other = "BBBBBBBB", "CCCCCCCC"
    total = PlayerTotal(ID)
    total.add(raced((ANN, BEN, 10), (ANN, BEN, None), (ANN, BEN, 90), (ANN, BEN, 20), ben=ben))
    total.add(raced((BEN, ANN, None), (BEN, CAT, 5), (ANN, CAT, 5), ben=ben))
    total.add(raced((BEN, ANN, 7), ben=other))
    found = player_json(total, "Ann", None, (), lambda key: bool(key.player))
    first, second = found["rivals"]
    assert (first["name"], first["player"], first["won"], first["lost"]) == ("Ben", ben, 4, 1)
    assert (first["won_by_us"], first["lost_by_us"]) == (20, None)
    assert (second["player"], second["won"], second["lost_by_us"]) == (other, 0, 7)
    assert (found["row"]["races_won"], found["row"]["races_lost"]) == (5, 2), "with the one against Cat"


def test_what_counts_in_no_standings_is_nobodys_moment() -> None:
    """Void and casual matches; a correction of a hand changes the hand's points, here as in the row."""
    good = match(1, ({ANN: 30, BEN: 10}, ANN, 90_000, 2))
    void = Correction(at_ms=1, by="Op", why="so", void=True)
    fined = Correction(at_ms=1, by="Op", why="so", seat=ANN, hand=1, points=-28)
    total = PlayerTotal(ID)
    total.add(good.model_copy(update={"corrections": (void,)}))
    total.add(good.model_copy(update={"casual": True}))
    total.add(good.model_copy(update={"corrections": (fined,)}))
    found = player_json(total, "Ann", None, (), lambda _: True)
    assert (found["row"]["matches"], found["row"]["points"], len(found["matches"])) == (1, 2, 1)
    assert {each["moment"]: each["value"] for each in found["moments"]} == {
        "out": 90_000,
        "hand": 2,
        "races": 2,
    }
