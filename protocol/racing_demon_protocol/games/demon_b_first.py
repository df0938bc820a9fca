"""Demon around shared families, with the reserves face up."""

from .demon_a import around_shared_foundations
from .demon_b import GAME as DEMON_B

GAME = around_shared_foundations(DEMON_B, "up", from_aces=False)
