"""The picture of a table's link for a camera."""

from functools import lru_cache
from typing import Final

import segno

__all__ = ["qr_lines"]

QUIET: Final = 2
"""Modules of margin: half of the standard's, which cameras manage with, and a lobby has room for."""
MOST_LINK: Final = 200
SLASHES: Final = 3
"""In a link whose path is a table's code alone."""
HALVES: Final = {(1, 1): "█", (1, 0): "▀", (0, 1): "▄", (0, 0): " "}
"""The upper and the lower module of a character: 1 for what is written, on a dark ground the light ones."""


@lru_cache(maxsize=8)
def qr_lines(link: str, *, ascii_only: bool = False, is_dark: bool = True) -> tuple[str, ...]:
    """Return the QR code of a link, line by line.

    Two modules share a character, one above the other; where only ASCII can be shown each module takes two
    characters beside each other. A link that is too long has no lines.

    Args:
        link: what a camera is to read.
        ascii_only: whether other signs cannot be shown.
        is_dark: whether the ground is darker than what is written on it.

    """
    if len(link) > MOST_LINK:
        return ()
    # Where only a code stands behind the host, capitals mean the same, and take less room.
    told = link.upper() if link.count("/") == SLASHES else link
    code = segno.make_qr(told, error="l", boost_error=False)
    rows = [tuple(int(module) ^ is_dark for module in row) for row in code.matrix_iter(border=QUIET)]
    if ascii_only:
        return tuple("".join("##" if written else "  " for written in row) for row in rows)
    rows += [(0,) * len(rows[0])] * (len(rows) % 2)
    return tuple(
        "".join(HALVES[pair] for pair in zip(upper, lower, strict=True))
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    )
