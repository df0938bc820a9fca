"""Whole programs on a network: found without an address, cut apart for a while, and never a ghost.

``make -C tests/lab lan`` cuts for 30 seconds and prints what was measured.
"""

import asyncio
import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
from benchmarks.pty_program import children_of, end_all

from racing_demon_protocol.records.format import read_messages
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.wire.messages.events import MatchOver, Played
from tests.support.namespaces import NetworkLink, can_have_namespaces
from tests.support.processes import CLIENT, SERVER, Running, server_process, started, text_of
from tests.support.recordings import events_of
from tests.support.servers import PATIENCE, Peer, deadline

on_two_machines = pytest.mark.skipif(
    not can_have_namespaces(), reason="no network namespaces: not Linux, not root, or no ip and nft"
)

CUT_SECONDS: Final = float(os.environ.get("RACING_DEMON_CUT_SECONDS", "12"))
QUICK: Final = ("--hands", "1", "--option", "countdown_ms=0", "--option", "tally_ms=600000")
NOTICED_SECONDS: Final = 10.5
"""At worst the host notices last: the server waits up to 5 s for a ping of its own to be answered."""
GHOST: Final = """
import sys
from zeroconf import ServiceInfo, Zeroconf
from racing_demon_protocol.discovery.mdns import SERVICE, Announcement

code, port = sys.argv[1:]
told = Announcement(code=code, game="racing-demon", host="Ann", port=int(port)).texts()
place = {"port": int(port), "server": "ghost.local.", "parsed_addresses": ["10.77.0.1"]}
Zeroconf().register_service(ServiceInfo(SERVICE, f"{code}.{SERVICE}", properties=told, **place))
print("haunting", flush=True)
sys.stdin.read()
"""
"""Says of a table that it is there, as a network's own memory does after its host was killed."""


class Times:
    """What was measured, by what it was."""

    def __init__(self) -> None:
        self.measured: dict[str, tuple[float, float]] = {}

    def record(self, what: str, begun: float, most: float) -> None:
        """Keep how long something took, and how long it should take on a machine with nothing else to do."""
        self.measured[what] = (time.monotonic() - begun, most)


@pytest.fixture
def times(capsys: pytest.CaptureFixture[str]) -> Iterator[Times]:
    """Measure, and print it whatever happens."""
    times = Times()
    yield times
    with capsys.disabled():
        for what, (took, most) in times.measured.items():
            print(f"\n  {what}: {took:.2f} s (aim: {most:g})", end="")  # noqa: T201 - that is what it is for
        print()  # noqa: T201


async def all_say(programs: list[Running], pattern: str) -> None:
    """Wait until all programs have said something."""
    await asyncio.gather(*(program.line(pattern) for program in programs))


async def play_through_a_cut(wire: NetworkLink, ann: Running, ben: Running, times: Times) -> int:
    """Play before, in and after a cut; return how many plays Ben has made."""
    for player in (ann, ben):
        player.type("v")
        await player.line("^you are shown everything")
    for player, other, name in ((ann, ben, "Ann"), (ben, ann, "Ben")):
        player.type("t")
        await other.line(f"^{name}: turned")
    wire.cut()
    begun = time.monotonic()
    ben.type("t", "t")
    ann.type("t")

    async def notice(who: str, program: Running, pattern: str) -> None:
        await program.line(pattern)
        times.record(f"{who} notices the cut", begun, NOTICED_SECONDS)

    await asyncio.gather(
        notice("the guest", ben, "^connection lost; reconnecting"),
        notice("the host", ann, "^Ben: connection lost"),
    )
    ben.type("t")
    ann.type("t", "t")
    await asyncio.sleep(max(0.0, begun + CUT_SECONDS - time.monotonic()))  # the cut is to be so long
    wire.heal()
    healed = time.monotonic()
    await ben.line("^reconnected")
    times.record("back after the heal", healed, 3.0)
    for _ in range(3):
        await ann.line("^Ben: turned")
    times.record("all plays there after the heal", healed, 4.0)
    return 4


@on_two_machines
@pytest.mark.long
async def test_two_machines(wire: NetworkLink, tmp_path: Path, times: Times) -> None:
    """A table is found, joined and watched without an address; a cut is noticed, heals, and costs nothing."""
    files = [tmp_path / f"{name}.jsonl" for name in ("ann", "ben", "eve")]
    client = ("-m", CLIENT)
    async with AsyncExitStack() as stack:
        begun = time.monotonic()
        ann = await stack.enter_async_context(
            wire.started("a", *client, "host", *QUICK, "--name", "Ann", "--record", str(files[0]))
        )
        code, port = (await ann.line(r"join http://10\.77\.0\.1:(\d+)/([A-Z]{4})$")).group(2, 1)
        times.record("host is ready", begun, 10.0)
        begun = time.monotonic()
        ben = await stack.enter_async_context(
            wire.started("b", *client, "join", "--name", "Ben", "--record", str(files[1]))
        )
        await ben.line(rf"^found {code}  Ann's table, Klondike race  ws://10\.77\.0\.1:{port}$")
        await ann.line("^Ben took seat 2$")
        times.record("join without an address", begun, 6.0)
        with files[2].open("wb") as record:
            eve = await stack.enter_async_context(
                wire.started("b", *client, "watch", code, "--json", stdout=record)
            )
            await until_seen(files[2], 1)
            ann.type("")
            await all_say([ann, ben], "^play!")
            made = await play_through_a_cut(wire, ann, ben, times)
            await until_seen(files[2], 2)
            for player in (ann, ben):
                player.type("s")
            await all_say([ann, ben], "q: quit")
            assert (await eve.end()).code == 0
        await check_ghost(wire, code, port, ann, times)
        ben.hang_up()
        await ben.end()
    check_records(files, made)


@pytest.mark.long
@on_two_machines
async def test_a_table_at_a_server_is_found(wire: NetworkLink) -> None:
    """A server with no options but a port announces its tables; players come without an address."""
    async with wire.started("a", "-m", SERVER, "--port", "0", "--durability", "none") as server:
        port = (await server.line(r"listening on ws://0\.0\.0\.0:(\d+)/v1"))[1]
        place = f"ws://10.77.0.1:{port}"
        async with wire.started("b", "-m", CLIENT, "host", "--server", place, "--name", "Ann") as ann:
            code = (await ann.line("^table ([A-Z]+) is open"))[1]
            await _found_link(wire, "10.77.0.1")  # a busy machine announces it late
            async with wire.started("b", "-m", CLIENT, "join", "--name", "Ben") as ben:
                await ben.line(rf"^found {code}  Ann's table, Klondike race  {place}$")
                await ann.line("^Ben took seat 2$")


@on_two_machines
async def test_a_server_without_a_way_to_the_world_names_its_own_address(wire: NetworkLink) -> None:
    """On a network without a router the directory names the machine's address there, and no loopback."""
    text = "from racing_demon_server.network_interfaces import own_urls\nprint(own_urls('0.0.0.0', 5252))"
    async with wire.started("a", "-c", text) as asked:
        assert (await asked.end()).out == "('ws://10.77.0.1:5252',)\n"


@pytest.mark.long
@pytest.mark.parametrize(("switch", "is_found"), [("--lan", True), ("--no-lan", False)])
async def test_a_server_announces_its_tables_or_not(switch: str, is_found: bool) -> None:
    """On one machine, where that is off by default, a switch decides."""
    env = {"RACING_DEMON_INTERFACES": "127.0.0.1"}
    async with server_process(switch, env=env) as (_, url), Peer.hosting(url) as ann:

        async def is_listed() -> bool:
            ended = await text_of(CLIENT, "tables", "--json", env=env)
            return ann.code in {json.loads(line)["code"] for line in ended.out.splitlines()}

        if is_found:
            async with deadline(lambda: f"{ann.code} is not announced"):
                while not await is_listed():
                    pass  # a busy machine announces it late
        else:
            assert not await is_listed()


async def until_seen(file: Path, times: int) -> None:
    """Wait until a spectator, who keeps a record, has come to a table so many times."""
    async with asyncio.timeout(PATIENCE):
        while file.read_text("utf-8").count('"message": "snapshot"') < times:  # noqa: ASYNC110
            await asyncio.sleep(0.02)  # nothing tells of a line in a file


async def check_ghost(wire: NetworkLink, code: str, port: str, host: Running, times: Times) -> None:
    """Kill a host and its server, and look for the table: it is there before, and not afterwards."""
    async with wire.started("b", "-m", CLIENT, "tables", "--json") as asking:
        ended = await asking.end()
    assert [code] == [json.loads(line)["code"] for line in ended.out.splitlines()]
    servers = children_of(host.pid)
    host.stop(signal.SIGKILL)
    end_all(servers)
    await host.process.wait()
    async with wire.started("a", "-c", GHOST, code, port) as ghost:
        await ghost.line("haunting")
        begun = time.monotonic()
        async with wire.started("b", "-m", CLIENT, "tables", "--json") as asking:
            ended = await asking.end()
        times.record("tables knows a ghost", begun, 8.0)
    assert (ended.code, ended.out) == (1, "")


def check_records(files: list[Path], made: int) -> None:
    """Compare what everybody has kept: nothing is missing, doubled or different."""
    ann, ben, eve = map(events_of, files)
    for events in (ann, ben):
        assert all(after.seq == before.seq + 1 for before, after in pairwise(events))
        plays = [event for event in events if isinstance(event, Played) and event.seat == 1]
        assert made == len(plays) == len({event.counter for event in plays})
    common = range(ben[0].seq, min(ann[-1].seq, ben[-1].seq) + 1)  # Ben may hear of the end of Ann's program
    assert common
    assert [e for e in ann if e.seq in common] == [e for e in ben if e.seq in common]
    known = {event.seq: event for event in ann}
    (over,) = (event for event in ann if isinstance(event, MatchOver))  # what comes behind is of a next match
    assert over in eve
    assert all(known[event.seq] == event for event in eve if event.seq in known)
    assert len({event.seq for event in eve}) == len(eve)
    for file in files[:2]:
        lines = file.read_text("utf-8").splitlines()
        assert verify(read_messages(lines)).hands == 1


async def test_from_the_start_to_the_first_guest(times: Times) -> None:
    """From starting ``host`` to a guest who typed but its code it takes a few seconds on one machine."""
    env = {"RACING_DEMON_INTERFACES": "127.0.0.1"}
    begun = time.monotonic()
    async with started(CLIENT, "host", "--port", "0", "--name", "Ann", env=env) as ann:
        code = (await ann.line("^table ([A-Z]+) is open"))[1]
        times.record("host is ready", begun, 10.0)
        is_seated = False
        while not is_seated:
            async with started(CLIENT, "join", code, "--name", "Ben", env=env) as ben:
                with suppress(AssertionError):  # a busy machine announces it late
                    await ben.line("^you have seat 2")
                    is_seated = True
        await ann.line("^Ben took seat 2$")
        times.record("from starting host to the first guest", begun, 15.0)


@pytest.mark.long
@on_two_machines
async def test_a_host_who_comes_into_another_network_is_found_there(wire: NetworkLink) -> None:
    """Link and announcement follow; a table that was opened without a network is found when there is one."""
    wire.move("a", "10.77.0.1", "")
    async with wire.started("a", "-m", CLIENT, "host", "--name", "Ann", "--plain") as host:
        await host.line("This machine is not on a network")
        for before, after in (("", "10.77.0.1"), ("10.77.0.1", "10.77.0.9")):
            wire.move("a", before, after)
            link = (await host.line(rf"racing-demon join (http://{after}:\d+/[A-Z]+)$"))[1]
            assert link in await _found_link(wire, after)


async def _found_link(wire: NetworkLink, address: str) -> list[str]:
    """Look from the other machine until a table is found at an address, and return all links found."""
    while True:
        async with wire.started("b", "-m", CLIENT, "tables", "--json") as looking:
            ended = await looking.end()
        links = [str(json.loads(line)["link"]) for line in ended.out.splitlines()]
        if any(address in link for link in links):
            return links
