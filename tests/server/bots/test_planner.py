"""Experts keep the cards that they still need, and so go out far more often than others."""

import random

import pytest

from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.enums import BotLevel, EndReason
from racing_demon_protocol.wire.messages.client import Command, PlayCards
from racing_demon_protocol.wire.options import Options
from racing_demon_server.bots.bot import Bot
from racing_demon_server.bots.levels import LEVELS
from tests.support.bot_matches import play_match
from tests.support.tables import Own, Sitting

HANDS = 12


def _hand(own: Own, other: Own, foundation: tuple[str, ...], **options: object) -> Sitting:
    sitting = Sitting.lobby(2, **options)
    sitting.start()
    sitting.lay(foundation, own, other)
    return sitting


def _decides(sitting: Sitting, level: BotLevel = BotLevel.EXPERT) -> Command | None:
    return Bot(0, LEVELS[level], random.Random(0)).observe(sitting.table.view).finish()[0]


def _goes_up(sitting: Sitting, command: Command | None) -> bool:
    assert isinstance(command, PlayCards)
    return sitting.board.piles[command.destination].kind is Kind.FOUNDATION


def test_a_card_is_kept_for_those_that_are_still_to_come() -> None:
    """Where cards may still have to lie upon one an expert turns its stock instead of sending it up."""
    sitting = _hand(Own(["9D 3D"], stock="5D 7D 8D"), Own(["9C"]), ("AD 2D",))
    assert not _goes_up(sitting, _decides(sitting))
    assert _goes_up(sitting, _decides(sitting, BotLevel.HARD))


def test_a_card_that_nothing_needs_goes_up() -> None:
    """When all cards that could lie upon one lie face up themselves, it goes up at once."""
    sitting = _hand(Own(["9D 3D", "2S", "2C"], stock="5D 7D 8D"), Own(["9C"]), ("AD 2D",))
    assert _goes_up(sitting, _decides(sitting))


def test_a_contested_place_is_taken() -> None:
    """Where another player's card lies ready for the only place, one card to come is no reason to wait."""
    own = Own(["9D 3D", "2S"], stock="5D 7D 8D")
    alone = _hand(own, Own(["9C", "4D"]), ("AD 2D",))
    contested = _hand(own, Own(["9C", "3D"]), ("AD 2D",))
    assert not _goes_up(alone, _decides(alone))
    assert _goes_up(contested, _decides(contested))


def test_cards_that_lie_face_down_come_first() -> None:
    """Before it sends a card up that uncovers nothing, an expert turns up one that lies face down."""
    sitting = _hand(Own(["AS", "2h 8S", "9H"], stock="5D 7D 8D"), Own(["9C"]), ())
    play = Play(sitting.column(0, 1), 1, sitting.column(0, 2))
    assert PlayCards.of(play, counter=1, seen=sitting.seq) == _decides(sitting)


def test_what_is_kept_is_played_in_the_end() -> None:
    """When nobody comes further any more, an expert plays what it has kept, before it is stuck."""
    sitting = _hand(Own(["9D 3D"], stock="5D 7D 8D"), Own(["9C"]), ("AD 2D",))
    bot = Bot(0, LEVELS[BotLevel.EXPERT], random.Random(0), sitting.counter(0))
    for _ in range(20):
        command = bot.observe(sitting.table.view).finish()[0]
        assert isinstance(command, PlayCards)
        if _goes_up(sitting, command):
            return
        sitting.give(0, command)
    raise AssertionError


def test_games_without_plans_are_played_as_the_hard_play_them() -> None:
    """In a game that it has no plans for, an expert decides as a hard bot does."""
    sitting = _hand(Own(["9D 3D"], reserve="2h AH"), Own(["9C"]), (), game="classic")
    assert _decides(sitting, BotLevel.HARD) == _decides(sitting)


@pytest.mark.long
def test_four_experts_often_go_out() -> None:
    """In the default game somebody goes out in at least a third of the hands of four experts."""
    reasons = []
    for number in range(HANDS):
        options = Options(hands=1, countdown_ms=0, tally_ms=0)
        table, _, _ = play_match(subseed(b"experts", f"match/{number}"), [BotLevel.EXPERT] * 4, options)
        reasons.append(table.view.results[0].reason)
    assert 3 * reasons.count(EndReason.OUT) >= HANDS


def test_a_bonus_for_a_king_is_not_kept_waiting() -> None:
    """A king on which a queen may still have to go stays down, unless it earns a bonus."""
    own = Own(["9D KD"], stock="QS QC 8D")
    up = ("AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD",)
    without, bonus = _hand(own, Own(["9C"]), up), _hand(own, Own(["9C"]), up, king_bonus=5)
    assert not _goes_up(without, _decides(without))
    assert _goes_up(bonus, _decides(bonus))
