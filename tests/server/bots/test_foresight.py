"""On identical deals the best bots play the rest of the hand in their minds, and never see hidden cards."""

import random
from statistics import mean

import pytest

from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.enums import BotLevel
from racing_demon_protocol.wire.messages.client import PlayCards
from racing_demon_protocol.wire.options import Options
from racing_demon_server.bots.bot import Bot, Decision
from racing_demon_server.bots.foresight import StockMemory
from racing_demon_server.bots.levels import LEVELS
from tests.support.bot_matches import play_match
from tests.support.tables import Own, Sitting

NOTHING = Own(["9D"])


def _decisions(reserve: str, stock: str, foundation: tuple[str, ...] = ()) -> list[Decision]:
    """Return what experts decide with these hidden cards."""
    sitting = Sitting.lobby(2, game="demon-a")
    sitting.start()
    sitting.lay(foundation, Own(["9S", "8H", "5C", "2D"], stock=stock, waste="7C", reserve=reserve), NOTHING)
    return [
        Bot(0, LEVELS[BotLevel.EXPERT], random.Random(seed)).observe(sitting.table.view).finish()
        for seed in range(10)
    ]


def test_hidden_cards_do_not_matter() -> None:
    """Whatever lies in the heap and the stock, a bot that sees the same decides the same."""
    assert _decisions("ks qs", "4D 6D 8D") == _decisions("ac 3h", "TH JC KD")


def test_a_card_that_goes_up_is_played_at_once() -> None:
    """Whatever else could be moved."""
    for command, _ in _decisions("ks qs", "4D 6D 8D", ("AD",)):
        assert isinstance(command, PlayCards)
        assert command.destination == 0


def test_turned_cards_are_remembered() -> None:
    """A card that was on top keeps its place in the order, also when it is covered, and after a redeal."""
    memory = StockMemory()
    memory.observe([UNKNOWN] * 6, [])
    memory.observe([UNKNOWN] * 3, [UNKNOWN, UNKNOWN, 12])
    memory.observe([], [UNKNOWN] * 5 + [15])
    assert memory.waste == [UNKNOWN, UNKNOWN, 12, UNKNOWN, UNKNOWN, 15]
    memory.observe([], [UNKNOWN] * 4 + [14])
    assert memory.waste == [UNKNOWN, UNKNOWN, 12, UNKNOWN, 14]
    memory.observe([UNKNOWN] * 5, [])
    assert memory.stock == [14, UNKNOWN, 12, UNKNOWN, UNKNOWN]


def test_a_shift_is_noticed() -> None:
    """Where another card lies than before, all that was remembered is forgotten."""
    memory = StockMemory()
    memory.observe([UNKNOWN] * 3, [UNKNOWN, UNKNOWN, 12])
    memory.observe([UNKNOWN] * 3, [UNKNOWN, UNKNOWN, 13])
    assert memory.waste == [UNKNOWN, UNKNOWN, 13]
    assert memory.stock == [UNKNOWN] * 3


@pytest.mark.long
def test_experts_come_further_than_the_medium_on_identical_deals() -> None:
    """On the same cards two experts earn more than two medium bots."""
    leads = []
    options = Options(game="demon-a", hands=1, countdown_ms=0, tally_ms=0)
    for number in range(60):
        table, _, _ = play_match(subseed(b"alone", f"match/{number}"), ["expert", "medium"], options)
        one, other = table.view.results[0].points
        leads.append(one - other)
    assert mean(leads) > 0
