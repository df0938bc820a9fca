"""What a terminal shows with its colours, as HTML."""

import html
import re
from itertools import groupby
from typing import Final, NamedTuple

from benchmarks.screen import Screen

BASIC: Final = ("#000", "#c33", "#3a3", "#b90", "#36c", "#a3a", "#299", "#ccc")
BRIGHT: Final = ("#666", "#f66", "#6d6", "#fd4", "#69f", "#f6f", "#5dd", "#fff")
OWN: Final = {"dark": ("#e8ece9", "#101513"), "light": ("#1a1f1c", "#ffffff")}
"""The terminal's own colours of text and ground."""


class Ink(NamedTuple):
    """How a character is written."""

    text: str = ""
    ground: str = ""
    is_bold: bool = False
    is_faint: bool = False
    is_reversed: bool = False


class PaintedScreen(Screen):
    """The characters on a terminal, with their colours."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__(width, height)
        self._ink = Ink()
        self._inks = [[Ink()] * width for _ in range(height)]

    def html(self, theme: str) -> str:
        """Return it as an element of HTML, in a terminal whose own colours are dark or light."""
        own_text, own_ground = OWN[theme]
        lines = []
        for cells, inks in zip(self._cells, self._inks, strict=True):
            runs = []
            for ink, run in groupby(zip(cells, inks, strict=True), lambda pair: pair[1]):
                text, ground = ink.text or own_text, ink.ground or own_ground
                if ink.is_reversed:
                    text, ground = ground, text
                style = f"color:{text};background:{ground}"
                style += ";font-weight:700" * ink.is_bold + ";opacity:.65" * ink.is_faint
                runs.append(f'<span style="{style}">{html.escape("".join(cell for cell, _ in run))}</span>')
            lines.append("".join(runs))
        return f'<pre style="background:{own_ground}">' + "\n".join(lines) + "</pre>"

    def _take(self, token: re.Match[str]) -> None:
        if token.group(3) == "m" and not token.group(1):
            self._dip(token.group(2))
        else:
            super()._take(token)

    def _write(self, text: str) -> None:
        x, y = self._x, self._y
        super()._write(text)
        if y < len(self._inks) and self._y == y:
            self._inks[y][x : self._x] = [self._ink] * (min(self._x, self._width) - x)

    def _dip(self, numbers: str) -> None:
        """Take another ink."""
        left = [int(number or 0) for number in numbers.split(";")]
        while left:
            number = left.pop(0)
            if number == 0:
                self._ink = Ink()
            elif number in {38, 48}:
                kind = left.pop(0)
                if kind == 2:
                    color = "#{:02x}{:02x}{:02x}".format(*left[:3])
                    del left[:3]
                else:
                    color = (*BASIC, *BRIGHT)[left.pop(0) % 16]
                self._color(number == 48, color)
            elif number in {39, 49}:
                self._color(number == 49, "")
            elif number // 10 in {3, 4, 9, 10}:
                self._color(number // 10 in {4, 10}, (BRIGHT if number >= 90 else BASIC)[number % 10])
            elif number in {1, 2, 22}:
                self._ink = self._ink._replace(is_bold=number == 1, is_faint=number == 2)
            elif number in {7, 27}:
                self._ink = self._ink._replace(is_reversed=number == 7)

    def _color(self, is_ground: bool, color: str) -> None:
        if is_ground:
            self._ink = self._ink._replace(ground=color)
        else:
            self._ink = self._ink._replace(text=color)
