"""Start the terminal table from the command line: settings, signals and the exit code."""

import argparse
import asyncio
import contextlib
import functools
import re
import signal
import sys

from racing_demon_client.errors import SettingsRefused
from racing_demon_client.records.recorder import Recorder
from racing_demon_client.settings import load, settings_path
from racing_demon_client.sources.openers import Opened

from .app import TerminalApp
from .input.keymap import known_actions
from .style.look import Look, glyphs_for


async def run(
    opened: Opened | None,
    arguments: argparse.Namespace,
    recorder: Recorder | None = None,
    *,
    watched: int | None = None,
) -> int:
    """Show a table, or the welcome screen, until the user leaves.

    Args:
        opened: the table to show.
        arguments: the command line.
        recorder: records the table.
        watched: the seat that a spectator watches first.

    Raises:
        SettingsRefused: the settings are invalid; the text says where and why.
        ConnectionFailed: the connection was lost for good.
        SystemExit: a signal ended the program.

    """
    settings = load(settings_path())
    if unknown := sorted(set(settings.bindings) - known_actions()):
        known = ", ".join(sorted({re.sub(r"\d+", "N", name) for name in known_actions()}))
        raise SettingsRefused(
            f"{settings_path()}: there is nothing called {unknown[0]!r} to bind a key to. "
            f"There are, with a number for N: {known}."
        )
    glyphs = glyphs_for("ascii" if arguments.ascii else settings.glyphs, sys.stdout.encoding or "")
    app = TerminalApp(opened, settings, Look(glyphs=glyphs), recorder=recorder, watched=watched)
    # SIGHUP keeps its default: the terminal is gone and nothing can be drawn.
    with contextlib.suppress(NotImplementedError):  # Windows event loops have no signal handlers
        ended = functools.partial(app.exit, None, 128 + signal.SIGTERM)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended)
    await app.run_async(mouse=settings.mouse)
    if app.failure is not None:
        raise app.failure
    if app.return_code == 128 + signal.SIGTERM:
        sys.exit(app.return_code)
    return 1 if app.is_faulty else app.return_code or 0
