"""While a hand runs, neither its seed nor a face-down card is anywhere but at the server that plays it."""

import asyncio
import base64
import itertools
import re
import struct
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgpack
import pytest

from racing_demon_cluster.postgres.connection import connect
from racing_demon_cluster.postgres.reader import PostgresReader
from racing_demon_cluster.seed_encryption import ClusterKeys
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Dealt, Played
from tests.support.brokers import Broker, Listening
from tests.support.clusters import KEY, Cluster
from tests.support.postgres import Postgres
from tests.support.processes import SERVER, started
from tests.support.servers import PATIENCE, Peer, timeout

RUN: Final = 5
"""So many cards in a row are found by chance in no amount of bytes that a test looks at."""
CHUNK: Final = 1 << 24


def needles_of_seed(seed: bytes) -> set[bytes]:
    """Return the spellings of a seed: raw, in hexadecimal and in base64."""
    digits, letters = seed.hex(), base64.b64encode(seed).rstrip(b"=")
    return {
        seed,
        digits.encode(),
        digits.upper().encode(),
        letters,
        base64.urlsafe_b64encode(seed).rstrip(b"="),
    }


def needles_of_cards(cards: Sequence[int], *, pid: int | None = None) -> set[bytes]:
    """Return the spellings of cards in a row: as msgpack, in JSON, and as a list of Python's.

    Args:
        cards: the cards.
        pid: the process in which to look for a list, if any; it must run the same Python.

    """
    packed = b"".join(map(msgpack.packb, cards))
    found = {packed, packed.hex().encode(), base64.b64encode(packed).rstrip(b"=")}
    found |= {gap.join(map(str, cards)).encode() for gap in (",", ", ", " ")}
    if pid is not None:
        moved = _base("self") - _base(str(pid))
        found.add(struct.pack(f"={len(cards)}Q", *(id(card) - moved for card in cards)))
    return found


def _base(pid: str) -> int:
    """Return where Python's small integers are, less what is the same in all processes of this Python."""
    own = [line.split() for line in Path("/proc/self/maps").read_text().splitlines()]
    files = {words[5]: int(words[0].partition("-")[0], 16) for words in reversed(own) if len(words) > 5}
    file = max((at, name) for name, at in files.items() if at <= id(0) and name.startswith("/"))[1]
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return next(int(line.partition("-")[0], 16) for line in lines if line.endswith(file))


def hidden_runs(piles: Iterable[Sequence[int]], shown: Collection[int]) -> Iterator[Sequence[int]]:
    """Yield the first and the last of cards that lie in a row in a pile and were never shown."""
    for pile in piles:
        for hidden, cards in itertools.groupby(pile, key=lambda card: card not in shown):
            run = list(cards)
            if hidden and len(run) >= RUN:
                yield from {tuple(run[:RUN]), tuple(run[-RUN:])}


def plain(dump: str) -> bytes:
    """Return a dump of a database with its binary values as they are, behind the text."""
    binary = (bytes.fromhex(digits) for digits in re.findall(r"\\\\x([0-9a-f]*)", dump))
    return b"\n".join([dump.encode(), *binary])


def memory_of(pid: int) -> bytes:
    """Return all that a process of this user can write to in its memory."""
    parts = []
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            area, rights, *_ = line.split()
            if not rights.startswith("rw"):
                continue
            first, last = (int(place, 16) for place in area.split("-"))
            memory.seek(first)
            while first < last:
                data = memory.read(min(CHUNK, last - first))
                parts.append(data)
                first += len(data)
    return b"".join(parts)


def which(needles: Collection[bytes], places: Mapping[str, bytes]) -> set[str]:
    """Return the places in which any of the needles is found."""
    return {name for name, data in places.items() if any(needle in data for needle in needles)}


pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the memory of processes"),
]

PLAYS: Final = 20
CALM: Final = "--limit=ping_seconds=60"
"""The memory of processes is searched meanwhile, and no ping is answered."""
LEAKY: Final = """
import sys
import msgpack
seed, *words = sys.stdin.readline().split()
cards = [int(word) for word in words]
kept = [bytes.fromhex(seed), list(cards), msgpack.packb(cards)]
print("ready", flush=True)
sys.stdin.readline()
"""


class FakeConnection:
    """What a peer received, frame by frame."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.frames: list[bytes] = []

    async def until(self, seq: int) -> None:
        """Listen up to an event."""
        while self.peer.view.seq < seq:
            frame = await self.peer.frame()
            assert isinstance(frame, bytes)
            self.frames.append(frame)
            self.peer.apply(frame)

    @property
    def heard(self) -> bytes:
        """All of it."""
        return b"\n".join(self.frames)


async def test_a_leak_in_memory_is_found() -> None:
    """A program that keeps a seed, or cards as a list or as msgpack, is found to do so."""
    seed, cards = bytes(range(200, 232)), [3, 99, 41, 7, 64, 22]
    async with started(LEAKY) as program:
        program.type(f"{seed.hex()} {' '.join(map(str, cards))}")
        await program.line("ready")
        memory = {"memory": memory_of(program.pid)}
        spellings = needles_of_cards(cards, pid=program.pid)
        as_list = spellings - needles_of_cards(cards)
        assert which({seed}, memory)
        assert which({bytes(cards)}, memory)
        assert which(as_list, memory)
        assert not which(needles_of_cards(cards[::-1], pid=program.pid), memory)


async def test_face_down_cards_stay_at_the_server_that_plays(tmp_path: Path, server: Postgres) -> None:
    """Database, broker, relay, splices and another server know what all see of a hand, and nothing else.

    What is public is found by the same search, and so is the seed once it is said aloud.
    """
    database = server.new_database()
    async with (
        Broker.running(tmp_path) as broker,
        Listening.to(broker) as listening,
        Cluster.started(server.url(database), tmp_path, f"--mqtt={broker.url}", CALM, count=2) as cluster,
        started(SERVER, "--host=127.0.0.1", "--port=0", CALM, f"--relay={cluster.nodes['n1'].url}") as relay,
        Peer.hosting(cluster.nodes["n1"].url) as host,
        Peer.entered(cluster.nodes["n2"].url, cl.Join(code=host.code, name="Ben")) as ben,
    ):
        at_relay = (await relay.line(r"listening on (\S+)")).group(1)
        async with Peer.entered(at_relay, cl.Watch(code=host.code)) as eve:
            spliced, relayed = FakeConnection(ben), FakeConnection(eve)
            shown = await _play(host)
            for conn in (spliced, relayed):
                await conn.until(host.view.seq)
            await _until_published(listening, host.view.seq)

            def places() -> dict[str, bytes]:
                return {
                    "database": plain(server.dump(database)),
                    "broker": b"\n".join(each.payload for each in listening.heard),
                    "splice": spliced.heard,
                    "spectator": relayed.heard,
                    "relay": memory_of(relay.pid),
                    "other server": memory_of(cluster.nodes["n2"].pid),
                }

            found = await asyncio.to_thread(places)
            secret, piles = _secret(server.url(database), host.view, shown)
            hidden = list(hidden_runs(piles, {card for cards in shown for card in cards}))
            assert len(hidden) >= 6
            pids = (relay.pid, cluster.nodes["n2"].pid)
            secrets = {n for run in hidden for pid in pids for n in needles_of_cards(run, pid=pid)}
            for seed in (secret, host.view.deal_seed(secret)):
                secrets |= needles_of_seed(seed)
            assert set() == await asyncio.to_thread(which, secrets, found)

            public = needles_of_cards(shown[0][:6])
            assert {"database", "broker", "splice", "spectator"} <= which(public, found)
            column = next(cards for cards in _board(eve.view) if len(cards) == 7)
            assert "relay" in which(needles_of_cards(column, pid=relay.pid), found)

            await host.ask(cl.Say, text=secret.hex())
            for conn in (spliced, relayed):
                await conn.until(host.view.seq)
            await _until_published(listening, host.view.seq)
            leaks = which(needles_of_seed(secret), await asyncio.to_thread(places))
            assert {"database", "broker", "splice", "spectator"} <= leaks


async def _until_published(listening: Listening, seq: int) -> None:
    """Wait until an event has come from the broker."""
    while True:
        heard = await timeout(PATIENCE, listening.next())
        if heard.topic.endswith("/events") and msgpack.unpackb(heard.payload)[1] >= seq:
            return


async def _play(host: Peer) -> list[Sequence[int]]:
    """Deal, and turn the stock some times; return what was shown with the deal and with each play."""
    shown: list[Sequence[int]] = []
    await host.say(host.next(cl.Start))
    dealt = await host.until(Dealt)
    shown.append(dealt.shown)
    while not host.view.in_hand:
        await host.hear()
    for _ in range(PLAYS):
        assert host.view.hand is not None
        assert host.place.seat is not None
        turn = host.view.hand.rules.stock_play(host.view.hand.board, host.place.seat)
        assert turn is not None
        command = host.next(cl.PlayCards, **turn._asdict(), seen=host.view.seq)
        played = await host.ask_again(command)
        assert isinstance(played, Played), played
        shown.append(played.shown)
    return shown


def _secret(
    url: str, view: TableState, shown: Sequence[Sequence[int]]
) -> tuple[bytes, Sequence[Sequence[int]]]:
    """Return the server's secret of the hand, and how the cards were dealt: it takes the cluster key."""
    assert view.hand is not None
    with connect(url) as db:
        reader = PostgresReader(db, ClusterKeys([KEY]))
        (table,) = reader.tables()
        ((_, secret, _),) = reader.seeds(table.id)
    dealer = Dealer(view.deal_seed(secret), view.hand.rules)
    assert dealer.first_cards() == tuple(shown[0])
    return secret, dealer.open_board().cards


def _board(view: TableState) -> Sequence[Sequence[int]]:
    assert view.board is not None
    return view.board.cards
