"""What a host may ask of any game: it is dealt and played, or refused with a sentence."""

import random
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.wire.options import Options
from tests.support.invariants import status
from tests.support.options import CHANGED
from tests.support.typical import of_games

SIZES: Final[dict[str, tuple[Any, ...]]] = {
    "columns": (1, 4, 9),
    "turn": (1, 2, 5),
    "redeals": (0, 2),
    "reserve": (1, 13, 30),
}


def _asked(option: str) -> Iterable[Any]:
    """Return some sizes, or all words, or what :data:`CHANGED` says."""
    changed = CHANGED[option]
    chosen = getattr(Options(**{"game": "classic", option: changed}), option)
    return SIZES.get(option) or (type(chosen) if isinstance(chosen, StrEnum) else (changed,))


ASKED: Final = [{name: value} for name in CHANGED if name != "game" for value in _asked(name)]
PLAYERS: Final = 2
STEPS: Final = 12


@of_games(GAMES)
def test_every_option_is_played_or_refused(game: str) -> None:
    """No option makes a game that breaks when it is dealt, or at its first plays."""
    usual = declare(Options(game=game), PLAYERS)
    for asked in ASKED:
        try:
            declared = declare(Options(game=game, **asked), PLAYERS)
            if declared == usual:
                continue
            rules = make_rules(declared, range(PLAYERS))
        except InvalidGame as error:
            assert str(error)
            continue
        board, dealer, rng = rules.deal(), Dealer(bytes(32), rules), random.Random(1)
        board.reveal(board.all_unnamed(), dealer.first_cards())
        for seat in rules.layout.seats:
            for _ in range(STEPS):
                follow_up = rules.automatic_play(board, seat)
                assert follow_up is None or rules.plays_automatically
                plays = [follow_up] if follow_up else list(rules.legal_plays(board, seat))
                if not plays:
                    break
                rules.carry_out(board, rng.choice(plays), dealer.move)
        assert list(status(rules, board)) == [], asked
