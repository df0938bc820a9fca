"""ASCII replacements for the characters that Textual itself draws."""

from typing import Final

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

ACROSS: Final = "─━┄┅┈┉╌╍═╴╶╸╺╼╾"
DOWN: Final = "│┃┆┇┊┋╎╏║╵╷╹╻╽╿"
BLOCKS: Final = {chr(number): " " for number in range(0x2580, 0x25A0)}
"""Frames and partial blocks; their colors remain visible."""
SIGNS: Final = str.maketrans(
    {chr(number): "+" for number in range(0x2500, 0x2580)}
    | dict.fromkeys(ACROSS, "-")
    | dict.fromkeys(DOWN, "|")
    | BLOCKS
    | {"▲": "^", "▼": "v", "▶": ">", "◀": "<", "•": "*", "●": "*", "○": "o", "…": "~"}
)


class AsciiSigns(LineFilter):
    """Writes frames, arrows, bars and bullets in ASCII. Names and chat stay as written."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return a line's segments with replaced characters and unchanged widths."""
        return [
            segment if segment.text.isascii() else segment._replace(text=segment.text.translate(SIGNS))
            for segment in segments
        ]
