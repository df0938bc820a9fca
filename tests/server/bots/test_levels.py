"""Adaptive bots follow a person, by the tally alone."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from racing_demon_protocol.enums import BotLevel
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import HandResult
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import PRESETS
from racing_demon_server.bots.levels import FIRST_STRENGTH, LEVELS, SCALE, STEPS, between_levels, strength
from racing_demon_server.match.seat_tokens import Actor
from racing_demon_server.match.table import CommandResult
from tests.support.bot_matches import play_match
from tests.support.cases import for_each
from tests.support.tables import Sitting, of_type

MANUAL: Final = Path(__file__).parents[3] / "docs" / "server.md"
BOT = 2
FOUNDATIONS = range(12)
"""The piles in the middle at a table of three."""


def _table(*hands: tuple[int, int, int]) -> TableState:
    """Return a table of Ann, Ben and an adaptive bot in a hand after others with these points."""
    sitting = Sitting.lobby(2, hands=100)
    sitting.events(0, cl.AddBot, level="adaptive")
    sitting.start()
    view = sitting.table.view.copy()
    view.record = view.record._replace(
        results=tuple(
            HandResult(
                hand=number, seats=(0, 1, BOT), points=points, reason="out", out=None, elapsed_ms=60_000
            )
            for number, points in enumerate(hands, start=1)
        )
    )
    return view


def _strengths(*hands: tuple[int, int, int]) -> list[float]:
    return [strength(_table(*hands[:number]), BOT) for number in range(len(hands) + 1)]


def test_it_is_stronger_after_a_hand_that_the_person_won() -> None:
    """Weaker after one that they lost, the same after a tie; with each change the steps are smaller."""
    first, won, tied, lost, lost_again = _strengths((9, 99, 5), (9, 99, 9), (5, 99, 9), (5, 99, 9))
    assert first == FIRST_STRENGTH
    assert won == tied == first + 1
    assert lost == won - 0.5
    assert lost_again == lost - 0.5


def test_it_stays_on_the_scale() -> None:
    """Whoever always wins meets an expert at last, whoever always loses the slowest bot of all."""
    assert between_levels(_strengths(*[(9, 99, 0)] * 20)[-1]) == LEVELS[BotLevel.EXPERT]
    assert between_levels(_strengths(*[(0, 99, 9)] * 20)[-1]) == SCALE[0]


def test_it_follows_the_person_who_is_behind() -> None:
    """Who has the fewest points counts, not who earned the fewest in a hand; bots do not."""
    assert _strengths((10, 50, 20), (30, 1, 20))[-1] == FIRST_STRENGTH - 1 + 0.5


def test_its_strength_is_the_same_after_a_restart() -> None:
    """A table that was read from a snapshot has the same bot, and plays made meanwhile change nothing."""
    sitting = Sitting.lobby(2, hands=100)
    sitting.events(0, cl.AddBot, level="adaptive")
    sitting.start()
    view = sitting.table.view.copy()
    view.record = view.record._replace(results=_table((9, 99, 5), (9, 99, 9), (5, 99, 9)).results)
    adaptive = LEVELS[BotLevel.ADAPTIVE]
    level = adaptive.in_hand(view, BOT)
    sitting.turn(0)
    view.apply(sitting.log[-1])
    assert level == adaptive.in_hand(view, BOT)
    assert level == adaptive.in_hand(TableState.from_snapshot(view.snapshot(0)), BOT)


def test_the_levels_are_in_the_order_of_their_keys_each_faster_than_the_last() -> None:
    """People choose a level by its place, and an adaptive bot's strength is a place between two."""
    assert list(LEVELS) == list(BotLevel)
    assert all(one.play_ms > other.play_ms for one, other in pairwise(SCALE))


def test_the_manual_compares_all_levels_in_all_presets() -> None:
    """The measured table has a column for each two neighbouring levels, and a row for each preset."""
    pairs = "".join(f" {better} - {worse} |" for worse, better in pairwise(STEPS))
    _, head, rows = MANUAL.read_text("utf-8").partition(f"\n| preset |{pairs} four experts go out |\n")
    assert head
    assert re.findall(r"^\| ([\w-]+) \|", rows.partition("\n\n")[0], re.MULTILINE) == list(PRESETS)


@for_each("place", [0.0, 0.5, 1.0, 2.75, len(SCALE) - 2.0, len(SCALE) - 1.0])
def test_a_place_between_two_levels_is_between_them(place: float) -> None:
    """Times and attention lie between those of the neighbours."""
    level, below = between_levels(place), SCALE[int(place)]
    above = (*SCALE, SCALE[-1])[int(place) + 1]
    assert below.play_ms >= level.play_ms >= above.play_ms
    assert below.overlooks >= level.overlooks >= above.overlooks
    assert (level == below) is (place % 1 == 0)


@pytest.mark.long
def test_a_beginner_never_takes_a_place_before_it_was_free_for_three_seconds() -> None:
    """Whoever sends a card within that time is faster: beginners lose the races that are fast."""
    free_since: dict[int, int] = {}
    waited = []

    def hear(at: int, actor: Actor, _: cl.Command, answer: CommandResult) -> None:
        for played in of_type(ev.Played, answer.events):
            if played.destination in FOUNDATIONS:
                if actor == 0:
                    waited.append(at - free_since.get(played.destination, 0))
                free_since[played.destination] = at

    options = Options(hands=2, countdown_ms=0, tally_ms=0)
    play_match(bytes(32), ["beginner", "expert", "hard"], options, hear=hear)
    assert len(waited) > 5
    assert min(waited) >= 3_000_000
