"""Keyboard presets: the rows of a keyboard, and the piles' spots on them."""

from dataclasses import dataclass
from typing import Final

from .actions import KeyRow

LOWER_SPOTS: Final = {"drop": 1, "call": 2, "stuck": 3, "hint": 4}


@dataclass(frozen=True, kw_only=True, slots=True)
class Preset:
    """A keyboard preset.

    Attributes:
        title: its name for people.
        upper: the row above the home row, from the left.
        home: the keys that pick up and put down.
        lower: the row below.
        columns: the spots of the first seven columns in the home and upper row.
        waste: the waste's spot.
        reserve: the reserve's.

    """

    title: str
    upper: str
    home: str
    lower: str
    columns: tuple[int, ...] = (0, 1, 2, 3, 6, 7, 8)
    waste: int = 9
    reserve: int = 4

    def spots(self, columns: int) -> dict[str, int]:
        """Return each spot's position in its row for a number of columns.

        Eight columns also use the gap between the hands; with nine or more the reserve has no key.
        """
        places = self.columns[:columns]
        free = [place for place in range(10) if place not in {*self.columns, self.waste, self.reserve}]
        if columns > len(self.columns):
            places = tuple(sorted([*self.columns, *free, self.reserve][:columns], key=int))
        spots = {f"column-{number}": place for number, place in enumerate(places, start=1)}
        spots["waste"] = self.waste
        if self.reserve not in places:
            spots["reserve"] = self.reserve
        return spots | LOWER_SPOTS

    def key(self, row: KeyRow, place: int) -> str:
        """Return the key at a position of a row."""
        return {KeyRow.UPPER: self.upper, KeyRow.HOME: self.home, KeyRow.LOWER: self.lower}[row][place]


PRESETS: Final = {
    "qwerty": Preset(title="QWERTY", upper="qwertyuiop", home="asdfghjkl;", lower="zxcvbnm,./"),
    "qwertz": Preset(title="QWERTZ", upper="qwertzuiop", home="asdfghjklö", lower="yxcvbnm,.-"),
    "azerty": Preset(title="AZERTY", upper="azertyuiop", home="qsdfghjklm", lower="wxcvbn,;:!"),
    "dvorak": Preset(title="Dvorak", upper="',.pyfgcrl", home="aoeuidhtns", lower=";qjkxbmwvz"),
    "colemak": Preset(title="Colemak", upper="qwfpgjluy;", home="arstdhneio", lower="zxcvbkm,./"),
    "left-handed": Preset(
        title="QWERTY, the waste on the left",
        upper="qwertyuiop",
        home="asdfghjkl;",
        lower="zxcvbnm,./",
        columns=(1, 2, 3, 6, 7, 8, 9),
        waste=0,
    ),
    "digits": Preset(
        title="digits; the letter below a digit sends up",
        upper="qwertyuiop",
        home="1234567890",
        lower="zxcvbnm,./",
        columns=(0, 1, 2, 3, 4, 5, 6),
        reserve=8,
    ),
}
"""All presets by their names in the settings."""
