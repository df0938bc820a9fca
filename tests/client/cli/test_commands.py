"""The command ``racing-demon`` as people run it: processes, pipes, exit codes."""

import asyncio
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from racing_demon_client.cli import commands
from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.links import server_url
from racing_demon_client.net.client import Client
from racing_demon_client.sources import tables
from racing_demon_client.sources.tables import Bots, Hosting, TableAddress
from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.records.format import read_records
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.events import Left, Signalled
from racing_demon_protocol.wire.messages.server import Refused, Snapshot, Versions
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.effort import usually
from tests.support.processes import CLIENT, Ended, Here, server_process, started, text_of, unread
from tests.support.relay import WELCOME, babbling
from tests.support.servers import PATIENCE, Closing, Peer, serving, timeout

QUICK = ("--game=classic", "--option=reserve=4", "--bots=2", "--hands=1", "--speed=500")
FULL = Path("/dev/full")


async def run(*arguments: str, typed: str = "", env: dict[str, str] | None = None) -> Ended:
    """Run the program to its end."""
    return await text_of(CLIENT, *arguments, typed=typed, env=env)


def failed(ended: Ended, sentence: str, code: int = 4) -> None:
    """Check that a program ended with its exit code, a sentence, and no traceback."""
    assert (code, f"racing-demon: {sentence}\n") == (ended.code, ended.err)


# Faults.


async def test_a_fault_is_told_in_a_sentence_and_ends_the_program_with_5(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody reads a traceback: it is in a file, and the sentence says where."""

    async def fail(_: Namespace) -> int:
        raise ZeroDivisionError

    monkeypatch.setitem(commands.COMMANDS, "games", fail)
    told = await here("games")
    assert (told.code, told.out) == (5, "")
    assert told.err.startswith("racing-demon: This program failed because of an error in it.")
    assert "Traceback" not in told.err


# Playing here.


@pytest.mark.long
async def test_a_json_record_verifies() -> None:
    """What ``--json`` writes is a record from the first event to the tally, and ``verify`` finds it right."""
    played = await run("play", "--json", *QUICK)
    assert (played.code, played.err) == (0, "")
    rows = [json.loads(line) for line in played.out.splitlines()]
    assert [rows[place]["message"] for place in (0, 1, -1)] == ["record", "snapshot", "tally"]
    times = [row["at_us"] for row in rows[1:-1]]
    assert times == sorted(times)
    verified = await run("verify", "-", typed=played.out)
    plays = sum(row["message"] == "played" for row in rows)
    assert verified.code == 0
    assert verified.out.startswith(f"valid: 1 hand, {plays} plays; every commitment is kept")


@pytest.mark.long
async def test_who_comes_back_with_the_same_words_keeps_the_record(tmp_path: Path, here: Here) -> None:
    """``--record`` writes beside the words, behind what the file has: two matches, and each is proved."""
    file = tmp_path / "evening.jsonl"
    for _ in range(2):
        played = await here("play", "--watch", "--record", str(file), *QUICK)
        assert played.code == 0
        assert "play!" in played.out
    assert len(list(read_records(file.read_text(encoding="utf-8").splitlines()))) == 2
    assert (await here("verify", str(file))).out.startswith("valid: 2 hands")


@pytest.mark.long
async def test_a_reader_that_goes_away_is_no_trouble() -> None:
    """If whoever reads the output goes, the program ends with 0 and no complaint."""
    async with started(CLIENT, "play", "--json", *QUICK) as program:
        await program.line("snapshot")
        assert program.process.stdout is not None
        program.process.stdout._transport.close()  # type: ignore[attr-defined]
        assert program.process.stderr is not None
        assert await timeout(PATIENCE, program.process.stderr.read()) == b""
        assert await timeout(PATIENCE, program.process.wait()) == 0


@pytest.mark.long
@for_each("arguments", usually(1, ["games", "rules clock"]))
async def test_a_reader_that_has_gone_before_is_no_trouble(arguments: str) -> None:
    """The same, however little there is to be read."""
    assert Ended(0, "", "") == await unread(CLIENT, *arguments.split())


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
async def test_a_full_disk_has_a_sentence(here: Here) -> None:
    """A record that cannot be written any further ends with 3 and says so."""
    ended = await here("play", "--watch", "--record", str(FULL), *QUICK)
    failed(ended, f"The record cannot be written to {FULL}: No space left on device.", 3)


@pytest.mark.long
@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
async def test_an_output_that_is_full_has_a_sentence() -> None:
    """An output that takes no more ends with 3 and says so."""
    with FULL.open("w") as full:
        async with started(CLIENT, "games", stdout=full) as program:
            _, err = await timeout(PATIENCE, program.process.communicate())
    assert (program.process.returncode, err) == (3, b"racing-demon: No space left on device\n")


@pytest.mark.long
async def test_a_place_that_cannot_be_written_has_a_sentence(here: Here) -> None:
    """A record in a folder that is not there ends with 3 and says so."""
    ended = await here("play", "--watch", "--record", "/nowhere/x", *QUICK)
    failed(ended, "The record cannot be written to /nowhere/x: No such file or directory.", 3)


@pytest.mark.long
async def test_an_interruption_is_quiet() -> None:
    """Ctrl-C ends with 130 and no traceback; bots that think slowly open a table like others."""
    async with started(CLIENT, "play", "--watch", "--bots", "2", "--speed", "0.05", "--plain") as program:
        await program.line("^table")
        program.stop(signal.SIGINT)
        ended = await program.end()
    assert (ended.code, ended.err) == (130, "\n")


@pytest.mark.long
async def test_a_terminal_is_played_at() -> None:
    """At a terminal ``play --plain`` sits the user down, says how to begin, and ends with "q"."""
    there, here = os.openpty()
    with open(there, "r+b", buffering=0) as terminal, open(here, "r+b", buffering=0) as side:
        async with started(
            CLIENT, "play", "--plain", "--bots", "1", "--name", "Ann", stdin=side, stdout=side
        ) as program:
            terminal.write(b"q\n")
            assert await timeout(PATIENCE, program.process.wait()) == 0
            seen = os.read(there, 65_536).decode()
    assert "Enter deals. ? lists the commands." in seen


@pytest.mark.long
async def test_letters_that_the_terminal_lacks_are_replaced() -> None:
    """On an ASCII terminal suits are letters, and others' names have question marks for letters."""
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.entered(served.url, cl.Join(code=ann.code, name="Zoë 李")),
        started(CLIENT, "join", served.url, ann.code, env={"PYTHONIOENCODING": "ascii"}) as ben,
    ):
        await ben.line(r"^table [A-Z]{8}: Klondike race, lobby; Ann, Zo\? \?, you$")
        await ann.ask(cl.Start)
        await ben.line("^ S  -$")
        ben.hang_up()
        ended = await ben.end()
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.isascii()


@pytest.mark.long
async def test_a_trick_is_shown_with_its_words() -> None:
    """After each step it says what is said with the next."""
    shown = await run("solo", "a-spell", "--plain", typed="t\nt\nq\n")
    assert shown.code == 0
    said = [line.partition("say: ")[2] for line in shown.out.splitlines() if "say: " in line]
    assert said == ["A-C-E", "T-W-O", "T-H-R-E-E"]


# Other tables.


@pytest.mark.long
async def test_a_match_on_another_server_is_watched() -> None:
    """``watch`` follows a table that others play at, to the end of its match."""
    async with (
        server_process("--bot-speed", "500") as (_, url),
        Peer.hosting(url, seated=False, hands=1) as host,
        started(CLIENT, "watch", url, host.code.lower(), "--json") as watching,
    ):
        await watching.line('"message": "snapshot"')
        for _ in range(2):
            await host.ask(cl.AddBot)
        await host.ask(cl.Start)
        ended = await watching.end()
        assert (ended.code, ended.err) == (0, "")
        last = [json.loads(line)["message"] for line in ended.out.splitlines()[-3:]]
        assert last == ["hand_over", "match_over", "tally"]


@pytest.mark.long
async def test_a_guest_joins_a_hosted_table() -> None:
    """``host`` says how to join; another process does just that, and both play."""
    async with started(CLIENT, "host", "--port", "0", "--name", "Ann", "--option", "countdown_ms=0") as host:
        await host.line("^table [A-Z]{4} is open[.] Others open a link in a browser, or join with it:$")
        found = await host.line(r"^  racing-demon join http://[^:]+(:\d+)/([A-Z]{4})$")
        await host.line("^Enter deals[.]")
        here = f"127.0.0.1{found.group(1)}"
        async with started(CLIENT, "join", here, found.group(2), "--name", "Ben") as guest:
            await guest.line("^Press Enter when you are ready[.]")
            await host.line("^Ben took seat 2$")
            host.type("")
            for program in (guest, host):
                await program.line("^play!$")
            guest.type("t")
            await guest.line("^you: turned 3, waste shows ")
            host.type("v")
            await host.line("^you are shown everything$")
            guest.type("t")
            await host.line("^Ben: turned 3, waste shows ")
            guest.type("q")
            assert Ended(0, "", "") == (await guest.end())._replace(out="")
        await host.line("^Ben: connection lost$")
        host.hang_up()
        assert Ended(0, "", "") == (await host.end())._replace(out="")


@pytest.mark.long
@for_each(("flags", "codes"), usually(1, [((), 1), (("--no-announce",), 0)]))
async def test_browsers_are_shown_a_hosted_table(flags: tuple[str, ...], codes: int) -> None:
    """``host`` serves a page on its port, and lists the table there if the network is told of it."""
    async with started(CLIENT, "host", "--port", "0", *flags) as host:
        origin = (await host.line(r"^  racing-demon join (http://[^/]+)/[A-Z]{4}$"))[1]
        here = f"http://127.0.0.1:{origin.rpartition(':')[2]}"
        assert codes == len(json.loads(await asyncio.to_thread(fetched, f"{here}/tables.json")))
        assert b"<title>Racing Demon</title>" in await asyncio.to_thread(fetched, here)


@pytest.mark.long
async def test_a_host_may_serve_no_page() -> None:
    """With ``--no-web`` the port is for programs alone."""
    async with started(CLIENT, "host", "--port", "0", "--no-web") as host:
        origin = (await host.line(r"^  racing-demon join (http://[^/]+)/[A-Z]{4}$"))[1]
        with pytest.raises(HTTPError, match="404"):
            await asyncio.to_thread(fetched, f"http://127.0.0.1:{origin.rpartition(':')[2]}")


def fetched(url: str) -> bytes:
    """Return what a server answers."""
    with urlopen(url, timeout=PATIENCE) as answer:  # noqa: S310 - our own server
        return bytes(answer.read())


async def test_a_host_at_another_server_has_the_way_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """``host --server`` opens the table there, and gives its address to others.

    Whose program was killed takes the same seat up again with the ``join`` that the lobby shows.
    """
    monkeypatch.setenv("RACING_DEMON_STATE", str(tmp_path))
    async with serving() as served:
        place = served.url.removeprefix("ws://").removesuffix("/v1")
        bots = ("--bots", "2", "--level", "easy")
        async with started(CLIENT, "host", "--server", place, "--name", "Ann", "--plain", *bots) as host:
            found = await host.line(r"^  racing-demon join (http://(\S+)/([A-Z]{8}))$")
            async with Peer.entered(server_url(found.group(2)), cl.Watch(code=found.group(3))) as eve:
                assert [state.bot for state in eve.view.seats.values()] == ["", "easy", "easy"]
            host.stop(signal.SIGKILL)
            await host.end()
        async with started(CLIENT, "join", found.group(1), "--plain") as back:
            await back.line("you have your seat back, and are still called Ann")
            back.type("q")
            assert (await back.end()).code == 0


@pytest.mark.long
async def test_a_taken_port_is_told(here: Here) -> None:
    """If the port that was asked for is another program's, a sentence says so: no table opens elsewhere."""
    with socket.socket() as other:
        other.bind(("0.0.0.0", 0))  # noqa: S104 - the host wants the port on all addresses
        other.listen()
        port = other.getsockname()[1]
        ended = await here("host", "--port", str(port))
        advice = "Name another one, or leave --port out to take any free port."
        failed(ended, f"Port {port} cannot be used (address already in use). {advice}")


@pytest.mark.long
async def test_the_usual_port_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the usual port is taken, the table is on another, and a note says so."""
    with socket.socket() as other:
        other.bind(("0.0.0.0", 0))  # noqa: S104 - the host wants the port on all addresses
        other.listen()
        port = other.getsockname()[1]
        monkeypatch.setattr(tables, "DEFAULT_PORT", port)
        async with tables.host("Ann", Options(), Bots(), hosting=Hosting(announced=False)) as opened:
            assert opened.note.startswith(f"port {port} cannot be used (address already in use), so ")
            assert str(port) not in opened.addresses[0]


async def test_a_server_that_fails_is_not_started_on_another_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own reason is told: no port would mend that."""
    program = tmp_path / "server"
    program.write_text(f"#!/bin/sh\necho started >> {tmp_path}/starts\necho broken >&2\nexit 1\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(ConnectionFailed, match=r"^broken$"):
        async with tables.host("Ann", Options(), Bots()):
            pass
    assert (tmp_path / "starts").read_text() == "started\n"


async def test_who_is_called_otherwise_at_a_table_is_told() -> None:
    """Where the name is taken, or cannot be shown as it was typed."""
    async with serving() as served, await Client.create(served.url, "Ben") as ben:
        address = TableAddress(served.url, ben.code)
        async with tables.join(address, "Ben", is_typed=True) as second:
            assert second.note.startswith("you are called Ben 2 at this table")
        async with tables.join(address, "Ivy\u200b Lee", is_typed=True) as third:
            assert third.note.startswith("you are called Ivy Lee")
        async with tables.join(address, "Cat", is_typed=True) as fourth:
            assert not fourth.note


async def test_who_left_within_a_match_joins_again_to_their_seat() -> None:
    """The question before leaving says so; the same command gives the seat back."""
    async with serving() as served, Peer.hosting(served.url, hands=9) as ann:
        address = TableAddress(served.url, ann.code)
        async with tables.join(address, "Ben") as opened:
            await ann.ask(cl.Start)
            await anext(message async for message in opened.client if isinstance(message, Signalled))
            assert opened.cost_of_leaving().endswith("you can come back until the match ends.")
            await opened.client.leave()
            await ann.until(Left)
        async with tables.join(address, "Ben") as again:
            assert (again.client.seat, again.note) == (1, "you are back at the table")


async def test_a_passphrase_opens_the_table(here: Here) -> None:
    """Without it, or with another, the way in ends with a sentence; with it, one is in."""
    async with serving() as served, Peer.connect(served.url) as ann:
        await ann.greet()
        secret = "open sesame"  # noqa: S105 - the test's own
        await ann.enter(cl.Create(name="Ann", passphrase=secret))
        await ann.until(Snapshot)
        failed(await here("join", served.url, ann.code), "This table needs a passphrase.")
        wrong = await here("watch", served.url, ann.code, "--passphrase", "sesame")
        failed(wrong, "That is not this table's passphrase.")
        env = {"RACING_DEMON_PASSPHRASE": secret}
        assert (await text_of(CLIENT, "join", served.url, ann.code, typed="q\n", env=env)).code == 0


@pytest.mark.long
async def test_a_server_that_asks_for_a_passphrase_cannot_steer_the_terminal() -> None:
    """What it says before the question is printed without anything but signs."""
    text = "\x1b]0;owned\x07\x1b[2J\x1b[1;1HWhat is the password of this machine?"
    there, here = os.openpty()
    with open(there, "r+b", buffering=0), open(here, "r+b", buffering=0) as side:
        async with (
            babbling(WELCOME[0], Refused(counter=0, reason=Reason.BAD_PASSPHRASE, text=text)) as url,
            started(CLIENT, "watch", url, "BCDF", stdin=side, stdout=side) as program,
        ):
            seen = b""
            while b"machine?" not in seen:
                seen += await timeout(PATIENCE, asyncio.to_thread(os.read, there, 65_536))
            program.stop(signal.SIGKILL)
    assert b"\x1b" not in seen
    assert b"?]0;owned??[2J?[1;1HWhat" in seen


# What cannot be done.


async def test_an_unreachable_server_has_a_sentence(here: Here) -> None:
    """Where nobody listens, all commands that need a server end with 1 and the same sentence."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{probe.getsockname()[1]}"
    where = f"There is no server at ws://{place}/v1. Is it running, and is the address right?"
    for command in (["join", place, "BCDF"], ["watch", place, "BCDF"], ["host", "--server", place]):
        failed(await here(*command), where)


async def test_an_unknown_table_has_a_sentence(here: Here) -> None:
    """A code that no table has ends with 1."""
    async with serving() as served:
        failed(await here("join", served.url, "ZZZZ"), "There is no table with that code here.")


async def test_too_many_bots_have_a_sentence(here: Here) -> None:
    """Five at a table of four are one too many."""
    async with serving() as served:
        ended = await here("host", "--server", served.url, "--bots", "4", "--option", "seats=4")
        failed(ended, "All seats are taken; you can watch.")


async def test_an_address_that_is_none_has_a_sentence() -> None:
    """Nonsense for an address ends with 2, as all wrong arguments, and does not steer the terminal."""
    ended = await run("watch", "ws://\x1b[2J", "BCDF")
    assert ended.code == 2
    assert ended.err.startswith("racing-demon: ")
    assert "\x1b" not in ended.err


@for_each(
    "frames",
    [
        [WELCOME[0], Refused(counter=0, reason=Reason.TABLE_FULL, text="\x1b[2J\x9b\r\u202eFull.")],
        [WELCOME[0], Closing(CloseCode.VERSION, "\x1b[2J\x9b\r\u202eOld.")],
        [Versions(oldest=2, newest=2, software="\x1b[2J")],
        [b"\xc1\x1b[2J"],
        [*WELCOME, ev.Signalled(seq=77)],
    ],
    ids=["refusal", "good-bye", "versions", "garbage", "an invalid table"],
)
async def test_a_hostile_server_does_not_steer_the_terminal(frames: list[object], here: Here) -> None:
    """Whatever a server says for a reason, it is printed without escapes, and without a traceback."""
    async with babbling(*frames) as url:  # type: ignore[arg-type]
        ended = await here("watch", url, "BCDF")
    assert ended.code == 4
    assert ended.err.startswith("racing-demon: ")
    assert all(line.isprintable() for line in (ended.out + ended.err).splitlines())
    assert "Traceback" not in ended.err


async def test_a_hostile_code_does_not_steer_the_terminal() -> None:
    """A server that gives the host's table a strange code has it printed without escapes."""
    place = WELCOME[1].model_copy(update={"code": "\x9b2J"})
    async with babbling(WELCOME[0], place, *WELCOME[2:]) as url:
        async with started(CLIENT, "host", "--server", url) as host:
            assert await host.line(r"^table \?2J is open")
            host.hang_up()
            ended = await host.end()
    assert "\x1b" not in ended.out + ended.err


# The rest.


async def test_the_games_are_listed(here: Here) -> None:
    """``games`` lists all that there are below a heading, the default first."""
    ended = await here("games")
    names = [line.split()[0] for line in ended.out.splitlines()]
    assert ["name", *GAMES] == names
    assert names[1] == "racing-demon"
    heading, *lines = ended.out.splitlines()
    for line, game in zip(lines, GAMES.values(), strict=True):
        assert line[heading.index("title") :] == game.title
    assert ended.code == 0


async def test_help_is_quick() -> None:
    """``--help`` loads neither the network nor the models."""
    ended = await run("--help", env={"PYTHONPROFILEIMPORTTIME": "1"})
    assert ended.code == 0
    assert "argparse" in ended.err
    assert "websockets" not in ended.err
    assert "pydantic" not in ended.err


@for_each(
    ("written", "meant"),
    [
        ("ws://192.168.1.5:5252/v1", "ws://192.168.1.5:5252/v1"),
        ("ws://192.168.1.5:5252", "ws://192.168.1.5:5252/v1"),
        ("192.168.1.5", "ws://192.168.1.5:5252/v1"),
        ("table.example:80", "ws://table.example:80/v1"),
        ("wss://table.example/game/v1", "wss://table.example:443/game/v1"),
        ("wss://table.example", "wss://table.example:443/v1"),
        ("wss://table.example:5252", "wss://table.example:5252/v1"),
        ("ws://table.example:5252/", "ws://table.example:5252/v1"),
        ("[::1]:5252", "ws://[::1]:5252/v1"),
        ("[fe80::1]", "ws://[fe80::1]:5252/v1"),
    ],
)
def test_addresses_may_be_written_short(written: str, meant: str) -> None:
    """Scheme, port and path may be left out."""
    assert meant == server_url(written)


async def test_a_mistyped_game_is_guessed() -> None:
    """Whoever mistypes a game is told what it may have been, and told so by the exit code."""
    told = await run("rules", "flower")
    assert (told.code, told.out) == (2, "")
    assert "did you mean flower-garden?" in told.err


async def test_a_game_is_found_whatever_its_case(here: Here) -> None:
    """Capitals in a game's name make no difference."""
    told = await here("rules", "CLOCK")
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("The Clock")


async def test_the_rules_of_a_game_are_told(here: Here) -> None:
    """They begin with its title and where it comes from."""
    told = await here("rules", "clock")
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("The Clock (number 18 of Mrs. Cheney's Patience)")


def env(folder: Path, **more: str) -> dict[str, str]:
    """Return variables that keep the settings in a folder."""
    return {"RACING_DEMON_CONFIG": str(folder), "VISUAL": "", "EDITOR": "", **more}


def keep_in(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Keep the settings of this process in a folder."""
    for name, value in env(folder).items():
        monkeypatch.setenv(name, value)


async def test_a_file_of_all_settings_is_written(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no file one is made, with a comment over each setting, and its place is told."""
    keep_in(monkeypatch, tmp_path / "new")
    told = await here("settings")
    path = tmp_path / "new" / "settings.toml"
    assert (told.code, told.err) == (0, "")
    assert str(path) in told.out
    written = path.read_text()
    assert 'palette = "auto"' in written
    assert "# The colors." in written


async def test_a_file_that_is_there_stays(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the player wrote is not touched, not even what is wrong in it."""
    path = tmp_path / "settings.toml"
    path.write_text("palette = 7\n")
    keep_in(monkeypatch, tmp_path)
    told = await here("settings")
    assert (told.code, told.err) == (0, "")
    assert path.read_text() == "palette = 7\n"


async def test_only_the_place_is_told(tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --path one line says where the file is or would be, and nothing is written."""
    keep_in(monkeypatch, tmp_path / "new")
    told = await here("settings", "--path")
    assert (0, f"{tmp_path / 'new' / 'settings.toml'}\n", "") == (told.code, told.out, told.err)
    assert not (tmp_path / "new").exists()


async def test_what_cannot_be_written_is_told(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that cannot be made ends with 3 and a sentence."""
    (tmp_path / "file").write_text("")
    keep_in(monkeypatch, tmp_path / "file" / "folder")
    told = await here("settings")
    assert told.code == 3
    assert "RACING_DEMON_CONFIG" in told.err


async def test_the_help_has_examples() -> None:
    """``--help`` shows how it goes, and what the exit codes mean."""
    told = await run("settings", "--help")
    assert told.code == 0
    assert "racing-demon settings --path" in told.out
    assert "exit codes" in told.out


EDITS = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text({!r})"
CASES = {
    "edited": (EDITS.format('name = "Zoe"\n'), 0, "your settings"),
    "wrong": (EDITS.format("palette = 7\n"), 3, "'palette' cannot have that value"),
    "failed": ("raise SystemExit(3)", 1, "it ended with 3"),
}


def at_a_terminal(folder: Path, editor: str) -> tuple[int, str]:
    """Run the command on a pseudo-terminal; return its exit code, and what it said."""
    ours, theirs = os.openpty()
    variables = {**os.environ, **env(folder, EDITOR=editor)}
    try:
        ended = subprocess.run(  # noqa: S603
            [sys.executable, "-m", CLIENT, "settings"],
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.PIPE,
            env=variables,
            timeout=60,
            check=False,
        )
        said = os.read(ours, 10_000)
    finally:
        os.close(ours)
        os.close(theirs)
    return ended.returncode, (said + ended.stderr).decode()


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@for_each(("does", "code", "text"), usually(1, CASES.values()), ids=list(CASES))
def test_the_editor_is_opened(tmp_path: Path, does: str, code: int, text: str) -> None:
    """At a terminal $EDITOR is given the file; a file that it spoiled, and its own failure, are told."""
    editor = shlex.join([sys.executable, "-c", does])
    ended, said = at_a_terminal(tmp_path, editor)
    assert code == ended
    assert text in said


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_an_editor_that_is_not_there_is_told(tmp_path: Path) -> None:
    """A name that no program has ends with 1, and with what can be done."""
    ended, said = at_a_terminal(tmp_path, "no-such-editor")
    assert ended == 1
    assert "set EDITOR to another one" in said
