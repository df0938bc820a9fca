"""The server's log: one line for each event, as text or as JSON.

All code uses the standard library's logging with facts in ``extra``; structlog formats them. Nothing that
players sent is logged. If a secret still gets into a line, it is removed here.
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

from racing_demon_server.rate_limits import TokenBucket

NAME: Final = "racing_demon_server"
"""The logger of all our code. Libraries are logged from warnings up."""

LINES_PER_SECOND: Final = 2.0
"""How often one place in the code may log, because clients can trigger some lines."""
LINES_AT_ONCE: Final = 50.0
FRAMES_SHOWN: Final = 20

SECRETS: Final = re.compile(r"[0-9A-Fa-f]{32,}|(?<=//)[^/@\s]+(?=@)")
"""Tokens and seeds, and the user and password in a URL."""

LEFT_BEHIND: Final = {"message", "asctime"}
"""Attributes that other handlers add to a record."""

log = logging.getLogger(NAME)


def set_up(level: str, form: str, stream: TextIO | None = None) -> None:
    """Write all logs of this process to one stream from now on.

    Args:
        level: the lowest level that is written, such as ``info``.
        form: ``text`` or ``json``.
        stream: the stream; standard error by default.

    """
    stream = sys.stderr if stream is None else stream
    chain: list[Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    handler = logging.StreamHandler(stream)
    handler.set_name(NAME)
    handler.addFilter(Throttle(lambda: time.monotonic_ns() // 1_000))
    handler.setFormatter(
        ProcessorFormatter(
            processors=[
                describe_exception,
                ProcessorFormatter.remove_processors_meta,
                tidy,
                renderer(form, stream),
            ],
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
    """Return the function that formats a line; terminals get colors."""
    if form == "json":
        return structlog.processors.JSONRenderer(ensure_ascii=False)
    colors = stream.isatty() and not os.environ.get("NO_COLOR")
    return structlog.dev.ConsoleRenderer(
        colors=colors, pad_event_to=0, exception_formatter=structlog.dev.plain_traceback
    )


def describe_exception(_logger: WrappedLogger, _method: str, facts: EventDict) -> EventDict:
    """Add where an exception was raised, and its type, but not its text, which may quote players."""
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
    """Keep only plain, printable facts without secrets."""
    return {key: _plain(key, value) for key, value in facts.items() if key not in LEFT_BEHIND}


def _plain(key: str, value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    if not isinstance(value, str):
        return type(value).__name__
    if key == "event":  # libraries print whole objects in later lines
        value = value.partition("\n")[0]
    keep = "\n" if key == "exception" else ""
    return SECRETS.sub("…", "".join(c if c.isprintable() or c in keep else ascii(c)[1:-1] for c in value))


class Throttle(logging.Filter):
    """Limits the rate of each place in the code. The next line says how many were dropped.

    Args:
        clock: returns microseconds on a rising clock; wall time can be set back, which would silence the log.

    """

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__()
        self._clock = clock
        self._places: dict[tuple[str, int, int], tuple[TokenBucket, list[int]]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is written."""
        place = (record.pathname, record.lineno, record.levelno)
        if place not in self._places:
            self._places[place] = TokenBucket(LINES_PER_SECOND, LINES_AT_ONCE), [0]
        bucket, left_out = self._places[place]
        if not bucket.take(self._clock()):
            left_out[0] += 1
            return False
        if left_out[0]:
            record.left_out = left_out[0]
            left_out[0] = 0
        return True
