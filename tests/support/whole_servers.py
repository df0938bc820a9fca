"""Whole servers in this process, and the operator's commands for them: cheaper than programs."""

import asyncio
import contextlib
import gc
import io
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from racing_demon_client.cli.main import main as client_main
from racing_demon_server.cli import main
from racing_demon_server.journal.sqlite.database import players_of, results_of
from racing_demon_server.server import StopReason, TableServer
from racing_demon_server.settings import ServerSettings
from tests.support.ports import port_of
from tests.support.processes import Ended


class WholeServer:
    """A server with all its parts and files, that can be stopped and started again on its port.

    Attributes:
        url: where it is.

    """

    def __init__(self, settings: ServerSettings, until_table_ends: str | None) -> None:
        self._settings = settings
        self._until_table_ends = until_table_ends
        self._server: TableServer | None = None
        self.url = ""

    async def start(self) -> None:
        """Start it, on the same port as before."""
        settings = replace(self._settings, port=port_of(self.url)) if self.url else self._settings
        server = TableServer(settings, until_table_ends=self._until_table_ends)
        gc.freeze()  # a starting server collects twice, and would look through all that the tests have
        self.url = await server.start()
        self._server = server

    async def stop(self, reason: StopReason = StopReason.TERMINATED) -> None:
        """Stop it as an operator does, unless it is stopped already."""
        server, self._server = self._server, None
        if server is not None:
            await server.stop(reason)

    async def end(self) -> None:
        """Wait until it ends by itself."""
        assert self._server is not None
        await self.stop(await self._server.serve_forever())


@asynccontextmanager
async def whole_server(
    journal: Path | None = None, *, until_table_ends: str | None = None, **settings: Any
) -> AsyncIterator[tuple[WholeServer, str]]:
    """Run a server on a free port here, with any of the settings changed. Give it and its URL.

    Connections may take their time: on a busy machine a long test would be cut off.
    """
    files = {} if journal is None else {"results": results_of(journal), "players": players_of(journal)}
    usual = {"port": 0, "entry_seconds": 600.0, "journal": journal, **files}
    server = WholeServer(ServerSettings(**{**usual, **settings}), until_table_ends)
    await server.start()
    try:
        yield server, server.url
    finally:
        await server.stop()


async def operate(journal: Path, *arguments: str) -> Ended:
    """Run one of the operator's commands for the server with a journal, as its program would."""
    return await command(*arguments, "--journal", str(journal))


async def rd_admin(*arguments: str) -> Ended:
    """Run one of the operator's commands by the short name, which finds the server."""
    return await command(*arguments, is_admin=True)


async def command(*arguments: str, is_admin: bool = False) -> Ended:
    """Run one of the server's commands beside servers that run here."""
    return await _ended(partial(main, arguments, is_admin=is_admin))


async def players_command(*arguments: str) -> Ended:
    """Run one of the players' commands beside servers that run here."""
    return await _ended(partial(client_main, arguments))


async def _ended(run: Callable[[], int]) -> Ended:
    out, err = io.StringIO(), io.StringIO()

    def run_told() -> int:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            return run()

    code = await asyncio.to_thread(run_told)
    return Ended(code, out.getvalue(), err.getvalue())
