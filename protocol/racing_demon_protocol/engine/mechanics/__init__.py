"""Games that are not built in sequences, one module for each kind."""

from typing import Final

from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Mechanic

from .merging import Merging, MergingRules
from .ranks import Ranks, RanksRules, Sympathy, SympathyRules
from .rows import DoubleJump, DoubleJumpRules, PushPin, PushPinRules
from .sums import Sums, SumsRules
from .travelling import Travelling, TravellingRules
from .tricks import Script, ScriptRules
from .weaving import Weaving, WeavingRules

__all__ = ["MECHANICS"]

MECHANICS: Final[dict[type[Mechanic], type[Rules]]] = {
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
"""The rules of each mechanic."""
