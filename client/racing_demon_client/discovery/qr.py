"""QR codes of links to tables."""

from functools import lru_cache
from typing import Final

QUIET: Final = 2
"""The margin in modules: half of the standard's, which is enough for cameras and fits a lobby."""
MOST_LINK: Final = 200
SLASHES: Final = 3
"""The slashes in a link whose path is only a table's code."""
HALVES: Final = {(1, 1): "█", (1, 0): "▀", (0, 1): "▄", (0, 0): " "}
"""The character for an upper and a lower module: 1 is drawn, which on a dark ground means light."""


@lru_cache(maxsize=8)
def qr_lines(link: str, *, ascii_only: bool = False, is_dark: bool = True) -> tuple[str, ...]:
    """Return the QR code of a link, line by line.

    A character shows two modules, one above the other; in ASCII, a module takes two characters. A link that
    is too long returns no lines.

    Args:
        link: the link.
        ascii_only: whether only ASCII can be shown.
        is_dark: whether the background is darker than the text.

    """
    if len(link) > MOST_LINK:
        return ()
    import segno  # noqa: PLC0415 - few links are drawn

    # Scheme, host and code ignore case, and a QR code in capitals is smaller.
    content = link.upper() if link.count("/") == SLASHES else link
    code = segno.make_qr(content, error="l", boost_error=False)
    rows = [tuple(int(module) ^ is_dark for module in row) for row in code.matrix_iter(border=QUIET)]
    if ascii_only:
        return tuple("".join("##" if written else "  " for written in row) for row in rows)
    rows += [(0,) * len(rows[0])] * (len(rows) % 2)
    return tuple(
        "".join(HALVES[pair] for pair in zip(upper, lower, strict=True))
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    )
