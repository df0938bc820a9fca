"""A terminal at a server that remembers people: known again, under its own secret, and never elsewhere."""

import hashlib
import hmac
import json
import re
import time
from pathlib import Path

import pytest

from racing_demon_client.cli import commands, record_commands
from racing_demon_client.cli.arguments import parse
from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.client import Client
from racing_demon_client.net.introductions import ask_as
from racing_demon_client.saved_people import (
    MAX_OF_HOST,
    NameSource,
    PlayerCredentials,
    host_of,
    kept_name,
    kept_names,
)
from racing_demon_client.shared.trackers import DeviceTracker
from racing_demon_client.sources import tables
from racing_demon_client.sources.tables import TableAddress
from racing_demon_client.terminal.view_model import ViewModel
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.messages.client import Create, Enroll, Identify, Link, ListDevices, Rename
from racing_demon_protocol.wire.messages.server import Challenge, Devices, Identified, Refused
from tests.support.people import SECRETS, answer, challenged, enrolled, play_alone
from tests.support.restartable_server import RestartableServer
from tests.support.results import get, page_with
from tests.support.servers import Peer

TOKEN = "0f" * 32
REMEMBERS = ("--until-table-ends=NONE",)
"""Whoever does not forbid it is remembered."""


def challenge(server: str = "5e", *, suggested: bool = True) -> Challenge:
    """Return a server's challenge."""
    return Challenge(server=server * 32, nonce="0c" * 32, suggested=suggested)


def known(path: Path, url: str = "ws://one:5252/v1") -> None:
    """Let Ann be known at a server."""
    person = PlayerCredentials(url, "Ann", path)
    answer = person.answer(challenge())
    assert isinstance(answer, Enroll)
    assert answer.device == "terminal", "a stranger's server learns a name of this machine"
    person.identified(Identified(player="k3xw7q2m", device=1, name="Ann", token=TOKEN))


async def test_a_terminal_is_known_again(tmp_path: Path) -> None:
    """Joining twice, it is the same player; the file is its owner's alone."""
    path = tmp_path / "people.json"
    async with RestartableServer.started(tmp_path / "journal.sqlite", *REMEMBERS) as server:
        for _ in range(2):
            async with await Client.create(
                server.url, "Ann", person=PlayerCredentials(server.url, "Ann", path)
            ):
                (kept,) = json.loads(path.read_text("utf-8"))
                assert kept["name"] == "Ann"
        await server.stop()
        await server.start()
        async with await Client.create(server.url, "ann", person=PlayerCredentials(server.url, "ann", path)):
            assert [each["player"] for each in json.loads(path.read_text("utf-8"))] == [kept["player"]]
        assert (await get(server, "/healthz"))[0] == 200
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.long
@pytest.mark.parametrize("said", ["Ivy  Lee", "Ivy\u200bLee", "Ivy Lee the Second of Somewhere Else"[:24]])
async def test_a_name_that_the_server_writes_otherwise_is_one_player(tmp_path: Path, said: str) -> None:
    """Whatever it cleans away, the next visit under the same words is the same player's."""
    path = tmp_path / "people.json"
    async with RestartableServer.started(tmp_path / "journal.sqlite", *REMEMBERS) as server:
        players = set()
        for _ in range(3):
            person = PlayerCredentials(server.url, said, path)
            async with await Client.create(server.url, said, person=person) as client:
                assert client.seat is not None
                [kept] = json.loads(path.read_text("utf-8"))
                assert client.view.seats[client.seat].name == kept["name"]
                players.add(kept["player"])
    assert len(players) == 1


async def test_a_change_of_name_stays(tmp_path: Path) -> None:
    """Renamed on another device, or by the operator: the old words mean the same player, newly called."""
    path = tmp_path / "people.json"
    names = []
    async with RestartableServer.started(tmp_path / "journal.sqlite", *REMEMBERS) as server:
        for said in ("Ann", "Ann", "Annabel", "ann"):
            person = PlayerCredentials(server.url, said, path)
            async with await Client.create(server.url, said, person=person) as client:
                assert client.seat is not None
                names.append(client.view.seats[client.seat].name)
                [kept] = json.loads(path.read_text("utf-8"))
            await renamed(server, path, "Annabel")
        assert names == ["Ann", "Annabel", "Annabel", "Annabel"]
        assert kept["name"] == "Annabel"
        assert kept_name(server.url, "Ann", path) == "Annabel"


@pytest.mark.long
async def test_a_name_that_nobody_here_has_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ann is renamed, Bob is somebody new, and so is Cat where nobody can be asked."""
    monkeypatch.setenv("RACING_DEMON_STATE", str(tmp_path))
    monkeypatch.setenv("RACING_DEMON_CONFIG", str(tmp_path))
    asked: list[str] = []

    async def sits(name: str, *, renames: bool | None) -> str:
        async def ask(question: tables.Question) -> bool:
            asked.append(question.text)
            return bool(renames)

        place, answer = TableAddress(server.url, await own_table(server)), None if renames is None else ask
        async with tables.join(place, name, is_typed=True, ask=answer) as opened:
            assert opened.client.seat is not None
            return opened.client.view.seats[opened.client.seat].name

    async with RestartableServer.started(tmp_path / "journal.sqlite", *REMEMBERS) as server:
        seated = [
            await sits("Ann", renames=True),
            await sits("Annabel  Lee", renames=True),
            await sits("Annabel Lee", renames=True),
            await sits("Bob", renames=False),
            await sits("Cat", renames=None),
        ]
        assert seated == ["Ann", "Annabel Lee", "Annabel Lee", "Bob", "Cat"]
        assert asked == [
            "Rename Ann, or is Annabel  Lee somebody new?",
            "Rename Annabel Lee, or is Bob somebody new?",
        ]
        assert kept_names(server.url) == ["Annabel Lee", "Bob", "Cat"]


@pytest.mark.long
async def test_namesakes_are_told_apart_in_standings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Your row is marked, and the server says when it met each Ann; in its journal they have their ids."""
    monkeypatch.setenv("RACING_DEMON_STATE", str(tmp_path))
    journal, written = tmp_path / "journal.sqlite", list[str]()
    monkeypatch.setattr(record_commands, "write", written.append)
    own = None
    async with RestartableServer.started(
        journal, *REMEMBERS, "--bot-speed=100", "--standings=open"
    ) as server:
        for number, name in enumerate(("Ann", "Ann", "Ben")):
            async with Peer.connect(server.url) as peer:
                if number == 0:
                    person = PlayerCredentials(server.url, name)
                    enrolling = person.answer(await challenged(peer))
                    assert isinstance(enrolling, Enroll)
                    await peer.say(enrolling)
                    person.identified(own := await peer.until(Identified))
                else:
                    await enrolled(peer, name, SECRETS[number])
                await play_alone(peer, name)
        await page_with(server, "/v1/standings", lambda found: found["matches"] == 3)
        assert await record_commands.scores(parse(["scores", "--server", server.url])) == 0
        shown = [line for line in written if re.match("Ann|Ben|  first met", line)]
        assert sum(line.startswith("  first met 20") for line in shown) == 2
        assert sum(line.startswith("Ann (you) ") for line in shown) == 1
        written.clear()
        assert await record_commands.scores(parse(["scores", "--journal", str(journal)])) == 0
        assert own is not None
        assert [line for line in written if line == f"  player {own.player}"] != []


async def own_table(server: RestartableServer) -> str:
    """Open a table for one who stays away, and return its code."""
    async with Peer.connect(server.url) as host:
        await host.greet()
        return (await host.enter(Create(name="host"))).code


@pytest.mark.long
async def test_a_device_that_was_added_meanwhile_is_told_trusted_and_the_player_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In plain lines and in the feed, once for each device; the command ``you`` decides about it."""
    monkeypatch.setenv("RACING_DEMON_STATE", str(tmp_path))
    written: list[str] = []
    monkeypatch.setattr(commands, "write", written.append)

    async def you(*arguments: str) -> list[str]:
        written.clear()
        code = await commands.you(parse(["you", server.url, *arguments]))
        return [str(code), *written]

    async with RestartableServer.started(tmp_path / "journal.sqlite", *REMEMBERS) as server:
        with pytest.raises(ConnectionFailed, match="knows nobody on this machine"):
            await you()
        person = PlayerCredentials(server.url, "Ann")
        async with await Client.create(server.url, "Ann", person=person):
            assert kept_names(server.url) == ["Ann"]
        _, said = await ask_as(server.url, "Ann", ListDevices(with_code=True))
        assert isinstance(said, Devices)
        async with Peer.connect(server.url) as tablet:
            await challenged(tablet)
            await tablet.say(Link(name="Ann", code=said.code, secret="2" * 64, device="tablet"))
            number = (await tablet.until(Identified)).device
        told, lines = DeviceTracker(), list[str]()
        async with await Client.create(server.url, "Ann", person=PlayerCredentials(server.url, "Ann")) as ann:
            model = ViewModel(ann)
            async for message in ann:
                model.observe(message, 0)
                if lines := told.observe(message):
                    break
            assert told.observe(message) == []
        assert "another device is you now: tablet" in lines[0]
        assert any("another device is you now: tablet" in line.text for line in model.activity.feed)
        first, *rows = await you()
        assert (first, len(rows)) == ("0", 3)
        assert "this machine" in rows[1]
        assert f"  {number}  tablet" in rows[2]
        assert "nobody trusts it" in rows[2]
        assert "nobody trusts it" not in (await you("--trust", str(number)))[3]
        assert len(await you("--remove", str(number))) == 3
        assert "Annabel" in (await you("--rename", "Annabel"))[1]
        assert "Annabel" in (await you())[1]
        answers = iter(["y", "n", "y", "y"])
        monkeypatch.setattr("builtins.input", lambda _: next(answers))
        assert "A former player" in (refused := await you("--forget"))[1]
        assert refused[0] == "1"
        assert (await you("--forget"))[0] == "0"
        assert json.loads((tmp_path / "people.json").read_text("utf-8")) == []
        with pytest.raises(ConnectionFailed, match="knows nobody on this machine"):
            await you()


async def renamed(server: RestartableServer, path: Path, name: str) -> None:
    """Change the name of the player in a file, as the page for people does."""
    [kept] = json.loads(path.read_text("utf-8"))
    async with Peer.connect(server.url) as peer:
        known = Identified(player=kept["player"], device=kept["device"], name=kept["name"], token=TOKEN)
        await peer.say(answer(await challenged(peer), known, kept["secret"], host_of(server.url)))
        await peer.until(Identified)
        await peer.say(Rename(name=name))
        assert (await peer.until(Identified)).name == name


def test_a_proof_is_made_for_the_version_of_the_server(tmp_path: Path) -> None:
    """A newer one is sent the secret, hidden by a signature that it can make; an older one what it knows."""
    path, made = tmp_path / "people.json", {}
    known(path, "wss://one:443/v1")
    [kept] = json.loads(path.read_text("utf-8"))
    secret = kept["secret"]
    for is_older in (False, True):
        person = PlayerCredentials("wss://one/v1", "Ann", path)
        sent = person.answer(challenge(), is_older=is_older)
        assert isinstance(sent, Identify)
        made[is_older] = bytes.fromhex(sent.proof)

    def signed(version: int, address: str) -> bytes:
        key = hashlib.sha256(b"racing-demon player 1\n" + bytes.fromhex(secret)).digest()
        said = f"racing-demon player {version}\n" + "\n".join(
            ("5e" * 32, "0c" * 32, address, "k3xw7q2m", "1")
        )
        return hmac.digest(key, said.encode(), "sha256")

    hidden = bytes(a ^ b for a, b in zip(bytes.fromhex(secret), signed(2, "wss://one"), strict=True))
    assert made == {False: hidden, True: signed(1, "one")}


def test_who_was_chosen_last_is_offered(tmp_path: Path) -> None:
    """Without a name it is that person; a setting means whom it names, and only then the last one."""
    path = tmp_path / "people.json"
    for player, name in (("a", "Ann"), ("b", "Ben"), ("a", "Ann")):
        person = PlayerCredentials("ws://one:5252/v1", name, path)
        person.answer(challenge())
        person.identified(Identified(player=player, device=1, name=name, token=TOKEN))
    for source, said, meant in (
        (NameSource.LOGIN, "ben", "a"),
        (NameSource.SETTING, "ben", "b"),
        (NameSource.SETTING, "somebody", "a"),
        (NameSource.TYPED, "Ben", "b"),
    ):
        sent = PlayerCredentials("ws://one:5252/v1", said, path, source=source).answer(challenge())
        assert isinstance(sent, Identify)
        assert sent.player == meant
    assert isinstance(PlayerCredentials("ws://one:5252/v1", "Cay", path).answer(challenge()), Enroll)


def test_another_server_learns_nothing(tmp_path: Path) -> None:
    """A server at another address, or with another id, gets a secret of its own or nothing."""
    path = tmp_path / "people.json"
    known(path)
    secret = json.loads(path.read_text("utf-8"))[0]["secret"]
    for url, server in (("ws://two:5252/v1", "5e"), ("ws://one:5252/v1", "5f")):
        answer = PlayerCredentials(url, "Ann", path).answer(challenge(server))
        assert isinstance(answer, Enroll)
        assert answer.secret != secret
        assert PlayerCredentials(url, "Ann", path).answer(challenge(server, suggested=False)) is None


def test_the_own_server_is_the_same_at_another_port(tmp_path: Path) -> None:
    """A host is the same player when next evening's port is another one, and is kept once."""
    path = tmp_path / "people.json"
    known(path)
    person = PlayerCredentials("ws://one:5353/v1", "Ann", path, is_own=True)
    answer = person.answer(challenge())
    assert isinstance(answer, Identify)
    person.identified(Identified(player=answer.player, device=answer.device, name="Ann", token=TOKEN))
    [kept] = json.loads(path.read_text("utf-8"))
    assert (kept["host"], kept["player"]) == ("one:5353", "k3xw7q2m")


def test_a_proof_names_the_address(tmp_path: Path) -> None:
    """What is proven to a server holds for the address that was dialled, and for one challenge."""
    path = tmp_path / "people.json"
    known(path)
    first = PlayerCredentials("ws://one:5252/v1", "Ann", path).answer(challenge())
    other = PlayerCredentials("ws://one:5252/v1", "Ann", path).answer(
        challenge().model_copy(update={"nonce": "0d" * 32})
    )
    assert isinstance(first, Identify)
    assert isinstance(other, Identify)
    assert first.proof != other.proof
    assert host_of("wss://Cards.Example:443/v1") == "cards.example"


def test_a_damaged_file_makes_a_guest(tmp_path: Path) -> None:
    """Whatever is in the file, a game begins."""
    path = tmp_path / "people.json"
    path.write_text('[{"host": 3}, null, "x"]', "utf-8")
    assert isinstance(PlayerCredentials("ws://one:5252/v1", "Ann", path).answer(challenge()), Enroll)
    path.write_bytes(b"\xff{")
    assert PlayerCredentials("ws://one:5252/v1", "Ann", path).answer(challenge(suggested=False)) is None


def test_only_who_is_not_known_is_forgotten(tmp_path: Path) -> None:
    """A server that cannot read its players, or believes no proof, costs nobody their player."""
    path = tmp_path / "people.json"
    known(path)
    for reason in (Reason.NOT_NOW, Reason.BAD_TOKEN, Reason.TOO_FAST, Reason.UNKNOWN_PLAYER):
        assert kept_names("ws://one:5252/v1", path) == ["Ann"]
        person = PlayerCredentials("ws://one:5252/v1", "Ann", path)
        assert isinstance(person.answer(challenge()), Identify)
        person.refused(Refused(counter=0, reason=reason, text=""))
    assert kept_names("ws://one:5252/v1", path) == []


def test_a_server_cannot_replace_who_somebody_is_elsewhere(tmp_path: Path) -> None:
    """Players' ids are public: a server that answers with another's, or its id, costs nothing there."""
    path = tmp_path / "people.json"
    known(path)
    for server in ("5e", "5f"):
        stranger = PlayerCredentials("ws://evil:5252/v1", "Ann", path)
        assert isinstance(stranger.answer(challenge(server)), Enroll)
        stranger.identified(Identified(player="k3xw7q2m", device=1, name="Ann", token=TOKEN))
    assert isinstance(PlayerCredentials("ws://one:5252/v1", "Ann", path).answer(challenge()), Identify)


def test_a_copied_id_is_not_the_own_server(tmp_path: Path) -> None:
    """Where a stranger announced the id of one's own server before, that one is told who it knows itself."""
    path = tmp_path / "people.json"
    stranger = PlayerCredentials("ws://evil:5252/v1", "Ann", path)
    stranger.answer(challenge())
    stranger.identified(Identified(player="e", device=1, name="Ann", token=TOKEN))
    own = PlayerCredentials("ws://one:5252/v1", "Anna", path, is_own=True)
    assert isinstance(own.answer(challenge()), Enroll)
    own.identified(Identified(player="k3xw7q2m", device=1, name="Ann", token=TOKEN))  # renamed elsewhere
    answer = PlayerCredentials("ws://two:5353/v1", "Ann", path, is_own=True).answer(challenge())
    assert isinstance(answer, Identify)
    assert answer.player == "k3xw7q2m"


def test_a_server_displaces_only_its_own_people(tmp_path: Path) -> None:
    """Whoever is named by one host again and again fills only what that host may fill."""
    path = tmp_path / "people.json"
    known(path)
    for number in range(MAX_OF_HOST + 5):
        stranger = PlayerCredentials("ws://evil:5252/v1", "Ann", path)
        stranger.answer(challenge(f"{number:02x}"))
        stranger.identified(Identified(player=str(number), device=1, name=f"Ann {number}", token=TOKEN))
    assert kept_names("ws://one:5252/v1", path) == ["Ann"]
    assert len(kept_names("ws://evil:5252/v1", path)) == MAX_OF_HOST


def test_who_was_dropped_is_kept_for_thirty_days(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that was restored from an old copy knows nobody: the secret stays in the file."""
    path = tmp_path / "people.json"
    known(path)
    secret = json.loads(path.read_text("utf-8"))[0]["secret"]
    person = PlayerCredentials("ws://one:5252/v1", "Ann", path)
    person.answer(challenge())
    person.refused(Refused(counter=0, reason=Reason.UNKNOWN_PLAYER, text=""))
    assert isinstance(PlayerCredentials("ws://one:5252/v1", "Ann", path).answer(challenge()), Enroll)
    assert secret in path.read_text("utf-8")
    dropped = json.loads(path.read_text("utf-8"))[0]["dropped"]
    monkeypatch.setattr(time, "time", lambda: dropped + 30 * 86_400 + 1)
    known(path, "ws://two:5252/v1")
    assert secret not in path.read_text("utf-8")


def test_files_of_older_versions_are_read(tmp_path: Path) -> None:
    """What older versions kept has neither an owner nor a time: whoever is in it is known."""
    path = tmp_path / "people.json"
    entry = {"host": "one:5252", "server": "5e" * 32, "player": "k3xw7q2m", "device": 1, "name": "Ann"}
    path.write_text(json.dumps([{**entry, "secret": "0d" * 32}]), "utf-8")
    for url, is_own in (("ws://one:5252/v1", False), ("ws://one:5353/v1", True)):
        person = PlayerCredentials(url, "Ann", path, is_own=is_own)
        assert isinstance(person.answer(challenge()), Identify)
