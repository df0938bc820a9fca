"""What a host may ask of any game: it is dealt and played, or refused with a sentence."""

import random
from typing import Any, Final

from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.specification import StockShift
from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.wire.options import Options, SpaceFill
from tests.support.invariants import status
from tests.support.typical import of_games

ASKED: Final[tuple[dict[str, Any], ...]] = (
    *({"columns": columns} for columns in (1, 4, 9)),
    {"columns_by_players": True},
    *({"turn": turn} for turn in (1, 2, 5)),
    *({"redeals": redeals} for redeals in (0, 2)),
    {"waste_view": 3},
    {"take_back": "free"},
    *({"forced_bases": forced} for forced in (True, False)),
    *({"reserve": size} for size in (1, 13, 30)),
    {"king_bonus": 5},
    *({"spaces": spaces} for spaces in SpaceFill),
    {"reserve_up": True},
    *({"stock_shift": shift} for shift in StockShift),
    {"turn_by_players": True},
)
PLAYERS: Final = 2
STEPS: Final = 12


@of_games(GAMES)
def test_every_option_is_played_or_refused(game: str) -> None:
    """No option makes a game that breaks when it is dealt, or at its first plays."""
    for asked in ASKED:
        try:
            rules = make_rules(declare(Options(game=game, **asked), PLAYERS), range(PLAYERS))
        except InvalidGame as error:
            assert str(error)
            continue
        board, dealer, rng = rules.deal(), Dealer(bytes(32), rules), random.Random(1)
        board.reveal(board.all_unnamed(), dealer.first_cards())
        for seat in rules.layout.seats:
            for _ in range(STEPS):
                follow_up = rules.automatic_play(board, seat)
                plays = [follow_up] if follow_up else list(rules.legal_plays(board, seat))
                if not plays:
                    break
                rules.carry_out(board, rng.choice(plays), dealer.move)
        assert list(status(rules, board)) == [], asked
