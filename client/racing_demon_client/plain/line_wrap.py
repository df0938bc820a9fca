"""Lines as wide as the terminal: broken between entries, which two spaces part, and never in a word."""

import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

__all__ = ["folded"]

INDENT: Final = "   "
LEAST: Final = 20
"""A terminal that is narrower breaks the lines by itself."""


def folded(lines: Iterable[str], width: int | None = None) -> Iterator[str]:
    """Yield lines, those that are too long in several.

    Args:
        lines: any lines.
        width: how many signs fit; ``None`` for the terminal's width, or 80 where that is unknown.

    """
    width = max(LEAST, width or shutil.get_terminal_size().columns)
    for line in lines:
        yield from [line] if len(line) <= width else _parts(line, width)


def _parts(line: str, width: int) -> Iterator[str]:
    part = ""
    for entry in re.split(r"(?<=\S)(?=  )", line):
        if not part or len(part) + len(entry) <= width:
            part += entry
            continue
        yield from textwrap.wrap(part, width, subsequent_indent=INDENT)
        part = INDENT + entry.strip()
    yield from textwrap.wrap(part, width, subsequent_indent=INDENT)
