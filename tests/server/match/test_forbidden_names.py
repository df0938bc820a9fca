"""Names that the operator forbids: replaced however they are written, and never a harmless one."""

from pathlib import Path

import pytest

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import CaughtUp, Identified
from racing_demon_server.match.forbidden_names import INSTEAD, ForbiddenNames
from tests.support.people import SECRETS, enrolled
from tests.support.restartable_server import RestartableServer
from tests.support.servers import Peer

LIST = ("\ufeffNasty # as an example", "", "# nothing", "  *grim  ")


@pytest.mark.parametrize(
    "name",
    [
        "nasty",
        "Big NASTY",
        "N a s t y",
        "n.a.s.t.y",
        "ｎａｓｔｙ",
        "nаstу",
        "ñásty",
        "nasty!",
        "Na sty",
        "pilgrim",
        "GR1M",
        "Na\u115fsty",
    ],
)
def test_a_forbidden_word_is_found_in_disguise(name: str) -> None:
    """Case, width, accents, signs and look-alike letters hide nothing; a star finds it within a word."""
    assert ForbiddenNames(line.lstrip("\ufeff") for line in LIST).replaced(name) == INSTEAD


@pytest.mark.parametrize("name", ["Ann", "dynasty", "Nast", "Zoë", "玩家", "🃏", "nas tier"])
def test_a_harmless_name_stays(name: str) -> None:
    """A word within another one is none, and without a list every name stays."""
    assert ForbiddenNames((*LIST[1:], "Nasty")).replaced(name) == name
    assert ForbiddenNames(()).replaced("nasty") == "nasty"


async def test_whoever_has_a_forbidden_name_plays_as_another(tmp_path: Path) -> None:
    """At the table, as a new player, and after renaming; a second one has a number."""
    path = tmp_path / "words.txt"
    path.write_text("nasty\n", "utf-8")
    arguments = (f"--forbidden-names={path}",)
    async with RestartableServer.started(tmp_path / "journal.sqlite", *arguments) as server:
        async with Peer.connect(server.url) as ann, Peer.connect(server.url) as ben:
            assert (await enrolled(ann, "Nasty", SECRETS[0])).name == INSTEAD
            await enrolled(ben, "Ben", SECRETS[1])
            await ben.say(cl.Rename(name="nаsty"))
            assert (await ben.until(Identified)).name == INSTEAD
            place = await ann.enter(cl.Create(name="nasty"))
            await ben.enter(cl.Join(code=place.code, name="N-A-S-T-Y"))
            await ben.until(CaughtUp)
            assert [state.name for state in ben.view.seats.values()] == [INSTEAD, f"{INSTEAD} 2"]
