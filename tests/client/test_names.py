"""The names that people type, from one table: who each of them is at a server, and what a terminal shows."""

import json
from pathlib import Path

import pytest

from racing_demon_client.net.client import Client
from racing_demon_client.saved_people import PlayerCredentials
from racing_demon_client.terminal.drawing.pages import Page, draw_lobby
from racing_demon_client.terminal.style import UNICODE
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.restartable_server import RestartableServer

NAMES = json.loads(Path(__file__).with_name("names.json").read_text())
"""What is typed, what the server calls the player (nothing: it is refused), and what a terminal shows."""
REMEMBERS = (
    "--until-table-ends=NONE",
    "--limit=players_per_day=1000",
    "--limit=units_per_server=1000000",
    "--limit=units_per_address=1000000",  # a quick machine becomes known sixty times a second
)


@pytest.mark.long
async def test_a_name_is_one_player_at_every_visit(tmp_path: Path) -> None:
    """The server alone decides how it is written; typed in the same way again, it means the same player."""
    path = tmp_path / "people.json"
    async with RestartableServer.started(tmp_path / "journal.sqlite", *REMEMBERS) as server:
        for typed, called, _ in NAMES:
            path.unlink(missing_ok=True)
            names = {await name_at_table(server.url, typed, path) for _ in range(2)}
            people = json.loads(path.read_text("utf-8")) if path.exists() else []
            assert (typed, names, [each["name"] for each in people]) == (
                typed,
                {called},
                [called][: bool(called)],
            )


async def name_at_table(url: str, typed: str, path: Path) -> str:
    """Return what a server calls whoever opens a table under a name; empty if it refuses the name."""
    try:
        client = await Client.create(url, typed, person=PlayerCredentials(url, typed, path))
    except CommandRefused as error:
        assert error.reason is Reason.BAD_NAME
        return ""
    async with client:
        assert client.seat is not None
        return client.view.seats[client.seat].name


@for_each(("called", "shown"), [(called, shown) for _, called, shown in NAMES if called])
def test_a_terminal_shows_a_name_as_it_is(called: str, shown: str) -> None:
    """Markup is text, and emoji are those that terminals draw as wide as they are counted."""
    view = TableState("BCDF", Options())
    view.apply(ev.Joined(seq=1, seat=0, name=called))
    view.apply(ev.Joined(seq=2, seat=1, name="Ben"))
    text = draw_lobby(Page(view=view, seat=1), (80, 24), UNICODE).text()
    (row,) = (line for line in text.splitlines() if line.startswith("  1 "))
    assert row[4:].startswith(f"{shown} ")
