"""Number Eleven with two packs."""

from dataclasses import replace

from .number_eleven import GAME as NUMBER_ELEVEN

GAME = replace(NUMBER_ELEVEN, name="number-eleven-double", title="Number Eleven with two packs", packs=2)
