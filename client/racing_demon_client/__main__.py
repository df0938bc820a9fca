"""The command ``racing-demon``: play, host, join, watch, verify."""

import asyncio
import sys
from collections.abc import Sequence

from .cli import parse

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the command line asks for, and return the exit code."""
    arguments = parse(argv)
    from racing_demon_protocol.errors import RacingDemonError  # noqa: PLC0415 - a --help needs none of it

    from . import commands  # noqa: PLC0415

    try:
        return asyncio.run(commands.COMMANDS[arguments.command](arguments))
    except RacingDemonError as error:
        sys.stderr.write(f"racing-demon: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone
        return 0


if __name__ == "__main__":
    sys.exit(main())
