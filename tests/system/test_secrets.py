"""While a hand runs, neither its seed nor a face-down card is anywhere but at the server that plays it."""

import asyncio
import sys
from collections.abc import Sequence
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
from tests.support.memory_search import (
    hidden_runs,
    memory_of,
    needles_of_cards,
    needles_of_seed,
    plain,
    which,
)
from tests.support.postgres import Postgres
from tests.support.processes import SERVER, started
from tests.support.servers import PATIENCE, Peer, timeout

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
            self.peer.note(frame)

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
        turn = host.view.hand.rules.turn(host.view.hand.board, host.place.seat)
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
        ((_, secret),) = reader.seeds(table.id)
    dealer = Dealer(view.deal_seed(secret), view.hand.rules)
    assert dealer.first_cards() == tuple(shown[0])
    return secret, dealer.open_board().cards


def _board(view: TableState) -> Sequence[Sequence[int]]:
    assert view.board is not None
    return view.board.cards
