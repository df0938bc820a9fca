"""What the server tells its operator: one line for each thing that happened, as text or as JSON.

All code logs with the standard library, and gives facts in ``extra``; structlog writes them. Nothing
that players sent is logged. Should a secret get into a line all the same, it is taken out here.
"""

import logging
import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Final, TextIO

import structlog
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, Processor, WrappedLogger

from racing_demon_server.rate_limit import Bucket

__all__ = ["Throttle", "set_up"]

NAME: Final = "racing_demon_server"
"""The logger of all our code; no other one is heard below a warning."""

LINES_PER_SECOND: Final = 2.0
"""How often one place in the code may log for long. Strangers decide how often some of them do."""
LINES_AT_ONCE: Final = 50.0
FRAMES_SHOWN: Final = 20

SECRETS: Final = re.compile(r"[0-9A-Fa-f]{32,}|(?<=//)[^/@\s]+(?=@)")
"""Tokens and seeds, and the user and password of a URL."""

LEFT_BEHIND: Final = {"message", "asctime"}
"""What other handlers of the same line write into it."""

log = logging.getLogger(NAME)


def set_up(level: str, form: str, stream: TextIO | None = None) -> None:
    """Write all logs of this process to one stream from now on.

    Args:
        level: the least that is told, such as ``info``.
        form: ``text`` or ``json``.
        stream: where to; standard error if not given.

    """
    stream = sys.stderr if stream is None else stream
    chain: list[Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    handler = logging.StreamHandler(stream)
    handler.set_name(NAME)
    handler.addFilter(Throttle(_rising_clock))
    handler.setFormatter(
        ProcessorFormatter(
            processors=[tell_faults, ProcessorFormatter.remove_processors_meta, tidy, renderer(form, stream)],
            foreign_pre_chain=chain,
        )
    )
    root = logging.getLogger()
    for old in [other for other in root.handlers if other.get_name() == NAME]:
        root.removeHandler(old)
    root.addHandler(handler)
    least = logging.getLevelNamesMapping()[level.upper()]
    root.setLevel(max(least, logging.WARNING))
    log.setLevel(least)


def renderer(form: str, stream: TextIO) -> Processor:
    """Return what makes a line of the facts; colours are for terminals."""
    if form == "json":
        return structlog.processors.JSONRenderer(ensure_ascii=False)
    colours = stream.isatty() and not os.environ.get("NO_COLOR")
    return structlog.dev.ConsoleRenderer(
        colors=colours, pad_event_to=0, exception_formatter=structlog.dev.plain_traceback
    )


def tell_faults(_logger: WrappedLogger, _method: str, facts: EventDict) -> EventDict:
    """Say where an exception came from, and of which kind it is, but not its text: that may quote players."""
    fault = facts.pop("exc_info", None)
    facts.pop("stack_info", None)
    error = fault[1] if isinstance(fault, tuple) else None
    if error is not None:
        facts["exception"] = "\n".join(_lines_of(error))
    return facts


def _lines_of(error: BaseException) -> Iterator[str]:
    """Yield the lines of a traceback without the texts of its exceptions, the first cause first."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from _lines_of(cause)
    for frame in traceback.extract_tb(error.__traceback__)[-FRAMES_SHOWN:]:
        yield f"  {frame.filename}:{frame.lineno} in {frame.name}"
    system = error.strerror if isinstance(error, OSError) else None
    yield f"{type(error).__module__}.{type(error).__qualname__}" + (f": {system}" if system else "")
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _lines_of(part)


def tidy(_logger: WrappedLogger, _method: str, facts: EventDict) -> EventDict:
    """Leave nothing in a line but plain facts that are printable and no secrets."""
    return {key: _plain(key, value) for key, value in facts.items() if key not in LEFT_BEHIND}


def _plain(key: str, value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    if not isinstance(value, str):
        return type(value).__name__
    if key == "event":  # libraries describe whole objects in the lines after the first
        value = value.partition("\n")[0]
    keep = "\n" if key == "exception" else ""
    return SECRETS.sub("…", "".join(c if c.isprintable() or c in keep else ascii(c)[1:-1] for c in value))


def _rising_clock() -> int:
    return time.monotonic_ns() // 1_000


class Throttle(logging.Filter):
    """Lets each place in the code log only so often, and has the next line say how many were left out.

    Args:
        clock: returns microseconds on a rising clock. The time of day may be set back, and would silence all.

    """

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__()
        self._clock = clock
        self._places: dict[tuple[str, int, int], tuple[Bucket, list[int]]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a line is to be written."""
        place = (record.pathname, record.lineno, record.levelno)
        if place not in self._places:
            self._places[place] = Bucket(LINES_PER_SECOND, LINES_AT_ONCE), [0]
        bucket, left_out = self._places[place]
        if not bucket.take(self._clock()):
            left_out[0] += 1
            return False
        if left_out[0]:
            record.left_out = left_out[0]
            left_out[0] = 0
        return True
