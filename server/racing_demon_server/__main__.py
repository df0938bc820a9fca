"""The command ``racing-demon-server``: a server for tables, without a seat at any."""

import argparse
import asyncio
import logging
import sys
from collections.abc import Sequence

from racing_demon_protocol.arguments import port, seed, speed

__all__ = ["main"]

EXAMPLES = """examples:
  racing-demon-server                          serve the whole network on port 5252
  racing-demon-server --host 127.0.0.1         serve this machine only
  racing-demon-server --port 0                 take any free port, and say which

exit codes: 0 stopped as asked, 1 could not listen, 2 wrong arguments
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the server until it is stopped, and return the exit code."""
    arguments = _parser().parse_args(argv)
    logging.basicConfig(level=arguments.log_level.upper(), format="%(asctime)s %(levelname)s %(message)s")
    from .app import run  # noqa: PLC0415 - a --help needs no server
    from .settings import Settings  # noqa: PLC0415

    settings = Settings(
        host=arguments.host, port=arguments.port, seed=arguments.seed, bot_speed=arguments.bot_speed
    )
    try:
        asyncio.run(run(settings, _announce, stop_with_stdin=arguments.stop_with_stdin))
    except OSError as error:
        sys.stderr.write(
            f"racing-demon-server: cannot listen on {settings.host}:{settings.port}: {error.strerror}.\n"
            "Another server may be running; choose another port with --port, or 0 for any free one.\n"
        )
        return 1
    return 0


def _announce(url: str) -> None:
    sys.stdout.write(f"racing-demon-server: listening on {url}\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="racing-demon-server",
        description="Serve tables of Racing Demon.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--host", default="0.0.0.0", help="address to listen on (default: all)")  # noqa: S104
    parser.add_argument("--port", type=port, default=5252, help="port, 0 for any free one (default 5252)")
    parser.add_argument(
        "--seed", type=seed, help="up to 64 hexadecimal digits that every deal then follows from"
    )
    parser.add_argument("--bot-speed", type=speed, default=1.0, help="bots think so many times faster")
    parser.add_argument("--log-level", choices=["debug", "info", "warning", "error"], default="warning")
    parser.add_argument("--stop-with-stdin", action="store_true", help="stop when standard input ends")
    return parser


if __name__ == "__main__":
    sys.exit(main())
