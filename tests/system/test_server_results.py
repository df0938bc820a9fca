"""Results of a server, in a terminal: its standings, and a match by its link."""

import asyncio
import subprocess
import sys
from pathlib import Path

from tests.support.journals import play_match
from tests.support.restartable_server import RestartableServer
from tests.support.results import origin_of, page_with, results_of


async def racing_demon(*arguments: str) -> tuple[int, str, str]:
    """Run the command, and return its exit code and what it printed."""
    command = [sys.executable, "-m", "racing_demon_client", *arguments]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


async def test_a_terminal_shows_what_a_server_remembers(tmp_path: Path) -> None:
    """Standings, the proof and the replay of a match come from the server; what is not there is said."""
    journal = tmp_path / "journal.sqlite"
    async with RestartableServer.started(journal, "--bot-speed=100", "--standings=open") as server:
        await play_match(server.url, bots=3, hands=1)
        await page_with(server, "/v1/standings", lambda found: found["matches"] == 1)
        ((_, name),) = results_of(journal)
        origin = origin_of(server)
        link = f"{origin}/match/{name}"
        code, shown, _ = await racing_demon("scores", "--server", origin)
        assert (code, shown.count("(hard)"), "matches: 1" in shown) == (0, 3, True)
        assert (await racing_demon("scores", "--server", origin, "--no-bots"))[1].startswith("No finished")
        code, shown, _ = await racing_demon("verify", link)
        assert (code, shown.startswith("valid: 1 hand")) == (0, True)
        code, shown, _ = await racing_demon("replay", link)
        assert (code, "the match is over" in shown) == (0, True)
        code, _, why = await racing_demon("replay", link[:-1] + ("A" if link[-1] != "A" else "B"))
        assert (code, "There is no match at" in why) == (3, True)
        code, _, why = await racing_demon("scores", "--server", origin, "--csv")
        assert (code, "leave out" in why) == (2, True)


async def test_a_server_may_show_no_standings(tmp_path: Path) -> None:
    """By default a server shows none, and the command says who decides."""
    async with RestartableServer.started(tmp_path / "journal.sqlite") as server:
        code, _, why = await racing_demon("scores", "--server", server.url.removesuffix("/v1"))
        assert (code, "shows no standings" in why) == (3, True)
