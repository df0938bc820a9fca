"""Every place that two players want at once, found in play: one of them gets it, in either order."""

import random
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

import pytest

from racing_demon_protocol.engine.board import FOUNDATIONS
from racing_demon_protocol.engine.cards import Card
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_server.bots.bot import Bot
from racing_demon_server.bots.levels import LEVELS
from tests.support.effort import amount, more_when_long
from tests.support.invariants import status
from tests.support.tables import Contest, Sitting, contests

GAMES: dict[str, dict[str, object]] = {
    "racing-demon": {"call_out": "shout"},
    "classic": {"call_out": "shout", "game": "classic", "columns": 9, "turn": 1},
}
"""With the shout, so that a winner who goes out does not end the hand at once."""

LATE_US = 321
ENOUGH = amount(6, 30)
EVERY = 8
"""Of so many contests one is looked at, so that they come from all of a hand."""


class Race(NamedTuple):
    """A contest that was held: ``one`` was the faster."""

    before: Sitting
    after: Sitting
    contest: Contest
    place: int
    refused: Refused | None


def _in_play(game: str, seed: int) -> Iterator[tuple[Sitting, Contest]]:
    """Let six bots play a hand one after the other, and yield it whenever two are after one place."""
    sitting = Sitting.playing(6, seed=bytes([seed] * 32), **GAMES[game])
    bots = [Bot(seat, LEVELS["easy"], random.Random(seed)) for seat in range(6)]
    while sitting.table.view.phase is Phase.PLAYING:
        for bot in bots:
            sitting.wait(50_000)
            if sitting.table.view.phase is Phase.PLAYING:
                yield from ((sitting, contest) for contest in list(contests(sitting))[:1])
                command, _ = bot.observe(sitting.table.view).finish()
                if command is not None:
                    counter = sitting.counter(bot.seat) + 1
                    sitting.give(bot.seat, command.model_copy(update={"counter": counter}))


@cache
def _found(game: str) -> list[tuple[Sitting, Contest]]:
    in_play = (each for seed in range(20) for each in _in_play(game, seed))
    return [(sitting.fork(), contest) for sitting, contest in islice(in_play, 0, ENOUGH * EVERY, EVERY)]


@cache
def _races(game: str, *, named: bool) -> list[Race]:
    """Hold every contest in both orders, for one foundation by name or for any that takes the card."""
    races = []
    for sitting, (one, one_pile, other, other_pile) in _found(game):
        card = sitting.board.cards[one_pile][-1]
        place = next(sitting.rules.open_foundations(sitting.board, one, card)) if named else FOUNDATIONS
        for contest in (Contest(one, one_pile, other, other_pile), Contest(other, other_pile, one, one_pile)):
            races.append(_race(sitting, contest, place))  # noqa: PERF401
    return races


def _race(before: Sitting, contest: Contest, place: int) -> Race:
    after, seen = before.fork(), before.seq
    after.play(contest.one, contest.one_pile, place, seen=seen)
    after.wait(LATE_US)
    answer = after.send(
        contest.other, cl.PlayCards, source=contest.other_pile, count=1, destination=place, seen=seen
    )
    return Race(before, after, contest, place, answer.reply if isinstance(answer.reply, Refused) else None)


def _own(sitting: Sitting, seat: int) -> list[list[Card]]:
    piles = zip(sitting.board.piles, sitting.board.cards, strict=True)
    return [cards for pile, cards in piles if pile.seat == seat]


@more_when_long
@pytest.mark.parametrize("game", GAMES)
def test_there_is_something_to_race_for(game: str) -> None:
    """Players are after the same places all the time."""
    assert len(_found(game)) >= ENOUGH


@more_when_long
@pytest.mark.parametrize("game", GAMES)
def test_one_of_two_gets_the_place(game: str) -> None:
    """Of two who name the same foundation the first gets it; the other is told by whom and how late."""
    for race in _races(game, named=True):
        won = race.before.board.cards[race.contest.one_pile][-1]
        assert race.refused == Refused(
            counter=race.after.counter(race.contest.other),
            reason=Reason.BEATEN,
            text="Another player's card arrived first.",
            by=race.contest.one,
            late_us=LATE_US,
            pile=race.place,
            top=won,
        )
        assert won == race.after.board.top(race.place)


@more_when_long
@pytest.mark.parametrize("game", GAMES)
def test_nothing_of_the_loser_s_has_moved(game: str) -> None:
    """The layout of the one who was beaten is as it was."""
    for race in _races(game, named=True):
        loser = race.contest.other
        assert _own(race.before, loser) == _own(race.after, loser)


@more_when_long
@pytest.mark.parametrize("game", GAMES)
def test_who_has_seen_it_was_not_beaten(game: str) -> None:
    """Sent again with a fresh picture, the loser's play is plainly illegal."""
    for race in _races(game, named=True):
        after = race.after.fork()
        refused = after.miss(race.contest.other, race.contest.other_pile, race.place)
        assert (refused.reason, refused.by) == (Reason.ILLEGAL, None)


@more_when_long
@pytest.mark.parametrize("game", GAMES)
def test_the_loser_plays_on(game: str) -> None:
    """Whatever is legal for the loser afterwards is accepted, and the board stays sound."""
    for race in _races(game, named=True):
        loser = race.contest.other
        for source, count, destination, _ in race.after.plays(loser)[:1]:
            after = race.after.fork()
            after.play(loser, source, destination, count)
            assert status(after.rules, after.board) == []


@more_when_long
@pytest.mark.parametrize("game", GAMES)
def test_both_get_a_place_where_there_are_two(game: str) -> None:
    """Who names no foundation is beaten just where no twin takes the card."""
    for race in _races(game, named=False):
        card = race.before.board.cards[race.contest.other_pile][-1]
        places = list(race.before.rules.open_foundations(race.before.board, race.contest.other, card))
        assert (len(places) > 1) == (race.refused is None)
        assert race.refused is None or race.refused.reason is Reason.BEATEN


@more_when_long
def test_there_are_twins_and_single_places() -> None:
    """Both kinds were among the contests."""
    assert {True, False} == {race.refused is None for game in GAMES for race in _races(game, named=False)}
