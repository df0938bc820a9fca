"""The command ``racing-demon-server``, with its arguments, signals and streams."""

import asyncio
import codecs
import importlib
import json
import os
import signal
import socket
import sys
import tempfile
from pathlib import Path
from typing import Final
from urllib.request import urlopen

import pytest

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Pong
from racing_demon_protocol.wire.saved_presets import MAX_SAVED
from racing_demon_server import cli
from racing_demon_server.arguments import presets, seed
from racing_demon_server.settings import ServerSettings
from tests.support.cases import for_each
from tests.support.processes import SERVER, Ended, server_process, started
from tests.support.servers import Closing, Peer
from tests.support.whole_servers import whole_server

pytestmark = pytest.mark.usefixtures("logs_as_before")

SILENCE = Ended(0, "", "")
PRESETS_OF_NOBODY = {
    "bad.json": "{",
    "club (copy).json": '{"title": "Club", "options": {}}',
    "empty.json": "",
    "nerts.json": '{"title": "Nerts", "options": {}}',
    "unplayable.json": '{"title": "Bad", "options": {"reserve": 10}}',
}

WRONG: Final[list[tuple[list[str], str]]] = [
    (["--port", "65536"], "'65536' is not a port: give a number from 0 to 65535"),
    (["--port", "x"], "'x' is not a port"),
    (["--port", "-1"], "argument --port"),
    (["--port", "8²"], "'8²' is not a port"),
    (["--port", "0000099999"], "'0000099999' is not a port"),
    (["--seed", "xyz"], "'xyz' is not a seed: give up to 64 hexadecimal digits"),
    (["--durability", "none", "--journal", "x.sqlite"], "--durability none keeps no journal"),
    (["--control", "x", "--journal", "x.sqlite"], "--control is for servers without a journal file"),
    (["--relay", "ws://127.0.0.1", "--journal", "x.sqlite"], "--journal cannot be combined with --relay"),
    (["--relay", "ws://127.0.0.1", "--processes", "2"], "--processes cannot be combined with --relay"),
    (["--relay", "http://127.0.0.1"], "this is not the URL of a server"),
    (["--node", "home"], "--node needs a broker: name one with --mqtt URL"),
    (["--code-letters", "3"], "'3' is not allowed: give a number from 4 to 16"),
    (["--homeassistant"], "--homeassistant needs a broker"),
    (["--webhook", "https://a.example/hush"], "--webhook needs --webhook-secret FILE"),
    (["--webhook-names"], "--webhook-secret and --webhook-names need --webhook URL"),
    (["--webhook-secret", "/dev/null"], "/dev/null holds no secret of a webhook"),
    (["--seed", "0" * 65], "is not a seed"),
    (["--bot-speed", "0"], "'0' is not a speed: give a number from 0.01 to 10000"),
    (["--bot-speed", "nan"], "'nan' is not a speed"),
    (["--bot-speed", "fast"], "'fast' is not a speed"),
    (["--embed", "https://a.example/page"], "is not the origin of a site: write one like https://"),
    (["--embed", "https://a.example; script-src *"], "is not the origin of a site"),
    (["--embed", "*"], "'*' is not the origin of a site"),
    *((["--base-path", path], "write one like /games/cards") for path in ("games", "//a", "/../a", "/ä")),
    (["--base-path", "/" + 100 * "a"], "at most 100 characters"),
    (["--base-path", "/games", "--lan"], "--base-path cannot be combined with --lan"),
    (["--base-path", "/games", "--tunnel", "auto"], "--base-path cannot be combined with a tunnel"),
    (["--log-level", "loud"], "invalid choice: 'loud'"),
    (["--hots", "x"], "unrecognized arguments"),
    (["now"], "unrecognized arguments: now"),
]
"""Arguments that contradict what may be said, and what is said of them."""

# Start and stop.


@for_each("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
async def test_it_serves_where_it_says_until_a_signal_comes(number: int) -> None:
    """Its address is one that a client can take; it outlives its input, and ends with 0 and no word."""
    async with server_process() as (server, url):
        server.hang_up()
        async with Peer.connect(url) as peer:
            await peer.greet()
            await peer.say(cl.Ping(stamp=1))
            assert Pong(stamp=1) == await peer.hear()
        server.stop(number)
        assert await server.end() == SILENCE


async def test_clients_are_told_when_it_stops() -> None:
    """In the middle of a match, everybody is sent away with the code that means: try again."""
    async with whole_server(bot_speed=100) as (server, url), Peer.hosting(url) as ann:
        await ann.ask(cl.AddBot)
        async with Peer.entered(url, cl.Watch(code=ann.code)) as eve:
            await ann.ask(cl.Start)
            await ann.until(ev.Played)
            await server.stop()
            going = Closing(1001, "The server was stopped, and the table ended with it.")
            assert (going, going) == (await ann.closed(), await eve.closed())


@pytest.mark.skipif(sys.platform == "win32", reason="counts no files")
async def test_it_has_sockets_for_as_many_as_the_limits_let_in() -> None:
    """Where the system allows few open files at first, it asks for more."""
    import resource  # noqa: PLC0415 - not there on Windows

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (500, before[1]))
    try:
        async with whole_server():
            assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > ServerSettings().max_connections
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.long
async def test_it_can_stop_with_its_input() -> None:
    """A server that somebody's client started ends when the client does."""
    async with server_process("--stop-with-stdin") as (server, url), Peer.connect(url) as peer:
        server.type("whatever is typed", "is not read")
        await peer.greet()
        server.hang_up()
        assert (await peer.closed()).code == 1001
        assert await server.end() == SILENCE


@pytest.mark.long
async def test_no_input_at_all_is_its_end() -> None:
    """An empty file for an input ends like any other."""
    async with server_process("--stop-with-stdin", stdin=asyncio.subprocess.DEVNULL) as (server, _):
        assert await server.end() == SILENCE


@pytest.mark.long
async def test_a_file_may_be_its_input() -> None:
    """A file ends, too."""
    with tempfile.TemporaryFile() as file:
        file.write(b"some text\n" * 1_000)
        file.seek(0)
        async with server_process("--stop-with-stdin", stdin=file) as (server, _):
            assert await server.end() == SILENCE


@pytest.mark.long
async def test_a_signal_stops_it_while_its_input_goes_on() -> None:
    """A server that watches its input still obeys signals."""
    async with server_process("--stop-with-stdin") as (server, _):
        server.stop()
        await server.process.wait()
        assert server.process.returncode == 0
        assert await server.end() == SILENCE


# What goes wrong.


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    """Where it cannot listen it ends with 1 and says what to do."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert cli.main(["--host", "127.0.0.1", "--port", str(port)]) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(f"racing-demon-server: cannot listen on 127.0.0.1:{port}: ")
    assert "Choose another port with --port, or 0 for any free one" in second


def test_a_journal_that_cannot_be_kept_has_a_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A data folder that cannot be written has a reason, and the two flags that help."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("RACING_DEMON_DATA", str(tmp_path / "file"))
    assert cli.main(["--port", "0"]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert "cannot be opened" in said.err
    assert said.err.endswith("--journal FILE, or keep no journal with --durability none.\n")


def test_an_address_of_another_machine(capsys: pytest.CaptureFixture[str]) -> None:
    """An address that is not this machine's ends with 1."""
    assert cli.main(["--host", "203.0.113.7", "--port", "0"]) == 1
    assert capsys.readouterr().out == ""


def test_wrong_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    """What it does not understand ends it with 2, and it says in one line what would do."""
    for arguments, complaint in WRONG:
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        assert ended.value.code == 2
        said = capsys.readouterr().err
        assert complaint in said, arguments
        assert said.count("\n") == 1, said


def test_a_folder_of_presets_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was given by mistake ends it with 2."""
    with pytest.raises(SystemExit) as ended:
        cli.main(["--presets", str(tmp_path / "nowhere")])
    assert ended.value.code == 2
    assert "nowhere cannot be read" in capsys.readouterr().err


def test_presets_that_cannot_be_shown(tmp_path: Path) -> None:
    """Each file that holds none is named, whatever it is, and hides none that comes after it."""
    _write_presets(tmp_path, "club")
    for name, text in PRESETS_OF_NOBODY.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "a-folder.json").mkdir()
    (tmp_path / "nowhere.json").symlink_to(tmp_path / "gone")
    (tmp_path / "._club.json").write_bytes(b"\0\5\26\7")
    (tmp_path / "z-marked.json").write_bytes(codecs.BOM_UTF8 + (tmp_path / "club.json").read_bytes())
    found, wrong = presets(str(tmp_path))
    assert [preset.name for preset in found] == ["club", "z-marked"]
    named = sorted([*PRESETS_OF_NOBODY, "a-folder.json", "nowhere.json"])
    assert [text.partition(".json")[0] for text in wrong] == [
        str(tmp_path / name).removesuffix(".json") for name in named
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="has no named pipes")
def test_a_pipe_among_the_presets(tmp_path: Path) -> None:
    """Nobody waits for somebody who writes into it."""
    os.mkfifo(tmp_path / "pipe.json")
    assert presets(str(tmp_path)) == ((), (f"{tmp_path / 'pipe.json'}: It is no file.",))


def test_more_presets_than_can_be_shown(tmp_path: Path) -> None:
    """The first are shown, and only what is a preset counts."""
    _write_presets(tmp_path, *(f"club-{number:02}" for number in range(MAX_SAVED + 1)))
    (tmp_path / "a-stray.json").write_text("{", encoding="utf-8")
    found, wrong = presets(str(tmp_path))
    assert len(found) == MAX_SAVED
    assert ["club-32.json" in text for text in wrong] == [False, True]


def _write_presets(folder: Path, *names: str) -> None:
    for name in names:
        text = '{"title": "Club", "options": {"hands": 3}}'
        (folder / f"{name}.json").write_text(text, encoding="utf-8")


def test_a_check_names_presets_that_cannot_be_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a warning: the server would start."""
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    assert cli.main(["--check", "--port", "0", "--durability", "none", "--presets", str(tmp_path)]) == 0
    assert f"warning  presets: {tmp_path / 'bad.json'}: bad: not understood" in capsys.readouterr().out


@pytest.mark.long
async def test_presets_of_a_folder_are_shown(tmp_path: Path) -> None:
    """The program's page lists them to whoever opens a table, and a warning names what is none."""
    _write_presets(tmp_path, "club")
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    async with server_process("--presets", str(tmp_path)) as (server, url):
        page = url.replace("ws://", "http://").replace("/v1", "/presets.json")
        with await asyncio.to_thread(urlopen, page) as answer:
            (told,) = json.load(answer)
        server.stop()
        assert f"{tmp_path / 'bad.json'}: bad: not understood" in (await server.end()).err
    assert told == {"name": "club", "title": "Club", "text": "", "options": {"hands": 3}}


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """``--help`` ends with examples and the exit codes."""
    with pytest.raises(SystemExit) as ended:
        cli.main(["--help"])
    text = capsys.readouterr().out
    assert ended.value.code == 0
    assert "examples:\n  racing-demon-server  " in text
    assert "--port 0" in text
    assert "exit codes: 0 stopped normally, 1 cannot listen, or --check has found a problem, 2" in text


async def test_help_is_quick() -> None:
    """``--help`` loads neither the network nor the models."""
    async with started(SERVER, "--help", env={"PYTHONPROFILEIMPORTTIME": "1"}) as helping:
        ended = await helping.end()
    assert ended.code == 0
    assert "argparse" in ended.err
    assert "websockets" not in ended.err
    assert "pydantic" not in ended.err


# Arguments that it understands.


async def test_a_seed_repeats_codes_and_cards() -> None:
    """Two servers of one seed open tables with the same codes and promise the same cards."""
    told = []
    for _ in range(2):
        async with whole_server(seed=seed("5eed")) as (_, url), Peer.hosting(url) as ann:
            await ann.say(ann.next(cl.Start))
            committed = await ann.until(ev.Committed)
            told.append((ann.code, committed.commitment))
    assert told[0] == told[1]


@pytest.mark.skipif(not Path("/proc/net/if_inet6").exists(), reason="needs IPv6")
async def test_an_ipv6_address_is_announced_in_brackets() -> None:
    """The announced address is one that a client can take, also on IPv6."""
    async with whole_server(host="::1") as (_, url):
        assert url.startswith("ws://[::1]:")
        async with Peer.connect(url) as peer:
            await peer.greet()


def test_a_webhook_that_leads_nowhere(capsys: pytest.CaptureFixture[str]) -> None:
    """It is said why, and its path, which may be secret, is not repeated."""
    for url in (
        "ftp://a.example/hush",
        "https:///hush",
        "https://ann:hush@a.example/",
        "https://a.example:70000/hush",
        "https://a.example/hush#there",
        "https://a.example/hush\r\nHost: b.example",
        "https://a.example/hush there",
    ):
        with pytest.raises(SystemExit) as ended:
            cli.main(["--webhook", url])
        assert ended.value.code == 2
        complaint = capsys.readouterr().err
        assert "this is not the address of a receiver: " in complaint
        assert "hush" not in complaint


# Libraries are loaded without what they would load for nothing.


def test_what_is_spared_is_not_found() -> None:
    """Only as long as it is spared, though."""
    sys.modules.pop("sched", None)
    with cli.without_modules("sched"):
        with pytest.raises(ImportError):
            importlib.import_module("sched")
    assert importlib.import_module("sched").scheduler


def test_what_is_loaded_already_stays() -> None:
    """Whoever uses it goes on."""
    with cli.without_modules("json"):
        assert importlib.import_module("json") is sys.modules["json"]
    assert sys.modules["json"] is not None
