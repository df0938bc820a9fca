"""The command ``racing-demon``."""

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Coroutine, Mapping, Sequence
from io import TextIOWrapper
from typing import Any

from racing_demon_protocol.loading import uncollected

from .arguments import parse

RECORDS = frozenset({"record", "replay", "scores", "verify"})


def main(argv: Sequence[str] | None = None, *, loaded: Callable[[], None] = lambda: None) -> int:
    """Run the command line and return the exit code.

    Args:
        argv: the arguments; ``None`` for those of the process.
        loaded: called once everything that all commands need is imported.

    Raises:
        KeyboardInterrupt: Ctrl-C ended the program; everything is closed.

    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # an unencodable character must not end the game
    arguments = parse(argv)
    if "ca" in arguments:
        from racing_demon_client.net.transport import AUTHORITY  # noqa: PLC0415 - few name one

        os.environ[AUTHORITY] = arguments.ca
    with uncollected():
        import asyncio  # noqa: PLC0415 - --help does not need it

        from racing_demon_client.errors import exit_code  # noqa: PLC0415
        from racing_demon_protocol.errors import RacingDemonError  # noqa: PLC0415
        from racing_demon_protocol.formatting import printable  # noqa: PLC0415

    try:
        with uncollected():
            act = _commands(arguments.command)[arguments.command]
        loaded()
        code = asyncio.run(act(arguments))
        sys.stdout.flush()  # report write errors now, not at exit
        return code
    except RacingDemonError as error:
        for line in f"racing-demon: {error}".splitlines():
            sys.stderr.write(printable(line) + "\n")  # the text may come from a server
        return exit_code(error)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone
        _leave_output()
        return 0
    except OSError as error:
        _leave_output()
        sys.stderr.write(f"racing-demon: {error.strerror or error}\n")
        return exit_code(error)
    except Exception:
        from racing_demon_client.errors import FAULT, crash_message  # noqa: PLC0415

        sys.stderr.write(f"racing-demon: {crash_message()}\n")
        return FAULT


def _leave_output() -> None:
    """Discard unwritten output: flushing it at exit would fail again and change the exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _commands(wanted: str) -> Mapping[str, Callable[[Namespace], Coroutine[Any, Any, int]]]:
    """Return the commands that include this one; those for records load nothing for tables."""
    if wanted in RECORDS:
        from . import record_commands  # noqa: PLC0415

        return record_commands.COMMANDS
    from . import commands  # noqa: PLC0415

    return commands.COMMANDS
