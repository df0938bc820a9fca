"""Which lines of the page's scripts Node.js has run, as V8 notes it (``NODE_V8_COVERAGE``)."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit


def lines_run(noted: Path, folder: Path) -> Iterator[tuple[str, set[int]]]:
    """Yield the scripts of a folder, each with the lines that one process of Node.js has run."""
    for script in json.loads(noted.read_text(encoding="utf-8"))["result"]:
        path = Path(unquote(urlsplit(script["url"]).path))
        if path.is_relative_to(folder):
            yield str(path), _lines(path.read_text(encoding="utf-8"), script["functions"])


def _lines(source: str, functions: list[dict[str, list[dict[str, int]]]]) -> set[int]:
    """Return the lines of which something was run: of what overlaps, the inner range counts."""
    was_run = bytearray(len(source))
    for each in functions:
        for span in each["ranges"]:
            begin, end = span["startOffset"], span["endOffset"]
            was_run[begin:end] = bytes([span["count"] > 0]) * (end - begin)
    lines, at = set(), 0
    for number, line in enumerate(source.splitlines(keepends=True), 1):
        code = at + len(line) - len(line.lstrip())
        if any(was_run[code : at + len(line.rstrip())]):
            lines.add(number)
        at += len(line)
    return lines
