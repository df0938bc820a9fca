"""Choose the rules for a declaration, by its mechanic alone."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from racing_demon_protocol.engine.mechanics.line import DoubleJump, DoubleJumpRules, PushPin, PushPinRules
from racing_demon_protocol.engine.mechanics.pairs import Ranks, RanksRules, Sympathy, SympathyRules
from racing_demon_protocol.engine.mechanics.script import Script, ScriptRules
from racing_demon_protocol.engine.mechanics.travelling import Weaving, WeavingRules

from .mechanics.merging import Merging, MergingRules
from .mechanics.sums import Sums, SumsRules
from .mechanics.travelling import Travelling, TravellingRules
from .rules.base import Rules
from .rules.building import BuildingRules
from .specification import Building, Game, Mechanic

RULES: Final[dict[type[Mechanic], type[Rules]]] = {
    Building: BuildingRules,
    DoubleJump: DoubleJumpRules,
    Merging: MergingRules,
    PushPin: PushPinRules,
    Ranks: RanksRules,
    Script: ScriptRules,
    Sums: SumsRules,
    Sympathy: SympathyRules,
    Travelling: TravellingRules,
    Weaving: WeavingRules,
}
"""The rules of every mechanic."""

MAX_CACHED_RULES: Final = 64
"""The number of cached rules: most tables share theirs."""


def make_rules(game: Game, seats: Sequence[int], extra_heap: Sequence[int] = ()) -> Rules:
    """Return the rules of a game for the seats of one hand.

    They hold no state, so hands share them.

    Args:
        game: the declaration.
        seats: the seats of the hand.
        extra_heap: see :class:`.layout.Layout`.

    Raises:
        InvalidGame: the declaration is inconsistent.

    """
    return _shared(game, tuple(seats), tuple(extra_heap) if any(extra_heap) else ())


@lru_cache(maxsize=MAX_CACHED_RULES)
def _shared(game: Game, seats: tuple[int, ...], extra_heap: tuple[int, ...]) -> Rules:
    return RULES[type(game.mechanic)](game, seats, extra_heap)
