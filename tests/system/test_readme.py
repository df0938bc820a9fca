"""What README.md says can be done, done."""

import asyncio
import re
import sys
from pathlib import Path

import pytest

import racing_demon_client
from racing_demon_protocol.wire.messages import client as cl
from tests.support.ports import free_port
from tests.support.processes import CLIENT, started, text_of
from tests.support.servers import PATIENCE, Peer, serving
from tests.system.test_mouse import mouse

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


def bot(url: str, code: str) -> str:
    """Return the README's bot for a table."""
    (text,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    return str(text).replace("ws://127.0.0.1:5252/v1", url).replace("BCDF", code)


async def test_its_bot_plays() -> None:
    """It plays by the rules, and prints the piles that it plays from; without such a table it says so."""
    alike = serving(seed=bytes(32))  # in which there is something to play
    async with alike as served, Peer.hosting(served.url, seated=False, countdown_ms=0) as host:
        await host.ask(cl.AddBot, level="easy")
        async with started(bot(served.url, host.code), env={"PYTHONUNBUFFERED": "1"}) as program:
            await program.line(r"^(tableau|waste|reserve) \d: .*[A2-9TJQK][♠♥♣♦]$")
        ended = await text_of(bot(served.url, "BCDF"))
        assert (ended.code, ended.err) == (1, "There is no table with that code here.\n")


@pytest.mark.long
async def test_its_bot_ends_in_a_sentence_where_there_is_no_server() -> None:
    """It says so in one line."""
    ended = await text_of(bot(f"ws://127.0.0.1:{free_port()}/v1", "BCDF"))
    assert re.fullmatch("There is no server at .*\n", ended.err)


def test_the_library_shows_its_names() -> None:
    """``dir`` lists what a bot can import, before anything was imported."""
    assert {*racing_demon_client.__all__} <= {*dir(racing_demon_client)}
    assert all(getattr(racing_demon_client, name) for name in racing_demon_client.__all__)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
async def test_a_match_against_bots_is_kept_as_practice(tmp_path: Path) -> None:
    """After ``make play``, ``scores`` says in which file it is, and with that shows who has played."""
    quick = ("--hands", "1", "--option", "countdown_ms=0", "--option", "time_limit_ms=1000")
    env = {"RACING_DEMON_DATA": str(tmp_path), "RACING_DEMON_STATE": str(tmp_path)}

    def play() -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("RACING_DEMON_DATA", str(tmp_path))
            with mouse(tmp_path, "play", "--name", "Ann", "--bots", "1", *quick) as table:
                table.until("Enter deals")
                table.type("\r")
                table.until("The match is over")
                table.type("\x03")
                table.until("Leave the table")
                table.type("y")
                table.ended()

    await asyncio.wait_for(asyncio.to_thread(play), PATIENCE)
    practice = str(tmp_path / "practice.sqlite")
    ended = await text_of(CLIENT, "scores", env=env)
    assert f"What was practised is in {practice}: to read it, name its file." in ended.err, ended
    ended = await text_of(CLIENT, "scores", "--journal", practice, env=env)
    assert re.search(r"(?m)^Ann +\d/1 ", ended.out), ended
