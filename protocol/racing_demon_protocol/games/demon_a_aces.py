"""Demon around shared aces, with the reserves face down."""

from .demon_a import GAME as DEMON_A
from .demon_a import around_shared_foundations

GAME = around_shared_foundations(DEMON_A, "down", from_aces=True)
