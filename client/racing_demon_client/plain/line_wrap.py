"""Wrap lines to the terminal's width between entries, which two spaces separate, never within a word."""

import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

INDENT: Final = "   "
LEAST: Final = 20
"""Narrower terminals wrap lines themselves."""


def folded(lines: Iterable[str], width: int | None = None) -> Iterator[str]:
    """Yield lines, wrapping those that are too long.

    Args:
        lines: any lines.
        width: the maximum width; ``None`` for the terminal's width, or 80 if unknown.

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
