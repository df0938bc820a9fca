"""The standard streams of both programs, which may be closed when they start (``games >&-``)."""

import os
import sys


def open_closed_streams() -> bool:
    """Open the null device in the place of closed streams; return whether output was closed.

    Otherwise the next file or socket would take the stream's number.
    """
    is_closed = sys.stdout is None
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            try:
                os.fstat(number)
            except OSError:
                os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    return is_closed
