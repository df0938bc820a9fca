"""Which options can be played, and how little it takes to find out."""

import sys
from itertools import islice, product

from racing_demon_protocol.constants import MAX_SEATS
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.wire.messages.client import SetOptions
from racing_demon_protocol.wire.options import Options
from racing_demon_server.match.commands import verify_playable
from tests.support.cases import for_each
from tests.support.effort import amount, more_when_long
from tests.support.tables import Sitting
from tests.support.typical import of_games

COLUMNS = (None, 1, 4, 5, 6, 9)
MAX_CALLS = 600
"""Python functions that a change of options may call. Making the rules of a large game calls 30,000."""


def fault(options: Options) -> str:
    """Return why options cannot be played, as a table tells it."""
    try:
        verify_playable(options)
    except InvalidGame as error:
        return str(error)
    return ""


def fault_when_dealt(options: Options) -> str:
    """Return why the rules cannot be made for some number of players."""
    try:
        for players in range(1, MAX_SEATS + 1):
            make_rules(declare(options, players), range(players))
    except InvalidGame as error:
        return str(error)
    return ""


@more_when_long
@of_games(GAMES)
def test_the_answer_is_that_of_the_rules(game: str) -> None:
    """Exactly those sizes are refused with which the rules cannot be made for some number of players."""
    sizes = islice(product(COLUMNS, (False, True), (None, 1, 13, 30)), 0, None, amount(3, 1))
    for columns, columns_by_players, reserve in sizes:
        options = Options(
            game=game, columns=columns, columns_by_players=columns_by_players, reserve=reserve, out_bonus=7
        )
        if columns is None or not columns_by_players:  # a number of columns goes before
            assert bool(fault_when_dealt(options)) == bool(fault(options)), options


def test_a_fault_is_told_each_time() -> None:
    """Options that cannot be played are refused again with the same words."""
    options = Options(game="racing-demon", reserve=13)
    assert fault(options) == "Klondike race has nothing that the option 'reserve' could change."
    assert fault(options) == fault(options)


@for_each("game", ["blockade", "push-pin", "musical-sequel", "racing-demon", "classic"])
def test_setting_options_not_seen_before_is_cheap(game: str) -> None:
    """A change of options makes no rules: a deal makes them, for the players who are there."""
    sitting = Sitting.lobby(1)
    sitting.events(0, SetOptions, options=Options(game=game, out_bonus=1))
    calls = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        sitting.events(0, SetOptions, options=Options(game=game, out_bonus=2))
    finally:
        sys.setprofile(before)
    assert calls < MAX_CALLS
