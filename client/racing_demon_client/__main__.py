"""The entry point of ``racing-demon``: handles Ctrl-C before anything else is imported."""

import os
import signal
import sys

from racing_demon_protocol.standard_streams import open_closed_streams

UNWRITABLE = 3
INTERRUPTED = 130


def main() -> int:
    """Run the program and return its exit code. Ctrl-C ends it at any time without a traceback."""
    try:
        _end_at_once()
        if open_closed_streams():
            sys.stderr.write("racing-demon: standard output is closed, so nothing can be shown.\n")
            return UNWRITABLE
        from .cli.main import main as run  # noqa: PLC0415 - slow imports start here

        return run(loaded=_interrupt)
    except KeyboardInterrupt:
        return _interrupted()
    finally:
        _end_at_once()


def _end_at_once() -> None:
    """Exit on Ctrl-C without raising: an exception would interrupt imports and finalizers."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else our parent ignores it
        signal.signal(signal.SIGINT, _leave)


def _interrupt() -> None:
    """Raise KeyboardInterrupt on Ctrl-C again, so that resources are closed."""
    if callable(signal.getsignal(signal.SIGINT)):
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(*_: object) -> None:
    os._exit(_interrupted())


def _interrupted() -> int:
    """End the line on which the terminal shows ^C and return the exit code."""
    os.write(2, b"\n")
    return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
