"""The entry points ``racing-demon-server`` and ``rd-admin``.

They handle Ctrl-C before they load anything else.
"""

import os
import signal
import sys

from racing_demon_protocol.standard_streams import open_closed_streams

UNWRITABLE = 3
INTERRUPTED = 130
TERMINATED = 143
FIRST = 1
"""The process of a container, which signals without a handler do not end."""


def admin() -> int:
    """Run the operator's commands, and return their exit code: see :func:`main`."""
    return main(is_admin=True)


def main(*, is_admin: bool = False) -> int:
    """Run the program, and return its exit code. Ctrl-C ends it at any time without a traceback.

    Args:
        is_admin: whether it is ``rd-admin``, which has the operator's commands alone.

    """
    try:
        _end_at_once()
        if os.getpid() == FIRST:  # it may wait long for its database, and has no handler until it serves
            signal.signal(signal.SIGTERM, lambda *_: os._exit(TERMINATED))
        if open_closed_streams() and sys.argv[1:2] in (["journal"], ["cluster"]):
            sys.stderr.write("racing-demon-server: standard output is closed, so nothing can be shown.\n")
            return UNWRITABLE
        from .cli import main as run  # noqa: PLC0415 - all that takes time to load is loaded from here on

        return run(loaded=_interrupt, is_admin=is_admin)
    except KeyboardInterrupt:
        return _interrupted()
    finally:
        _end_at_once()


def _end_at_once() -> None:
    """Exit on Ctrl-C without an exception, because modules may be half imported or shutting down."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # otherwise the parent ignores it
        signal.signal(signal.SIGINT, _leave)


def _interrupt() -> None:
    """Raise KeyboardInterrupt on Ctrl-C again, so that open files are closed."""
    if callable(signal.getsignal(signal.SIGINT)):
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(*_: object) -> None:
    os._exit(_interrupted())


def _interrupted() -> int:
    """End the terminal's line with ^C, and return the exit code."""
    os.write(2, b"\n")
    return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
