"""What strangers do at a server's door, again and again, within what everybody may. Each says what it did.

They come from one address, and want most of what others pay for: results, pages, records, the memory for
players, the disk.
"""

import asyncio
import contextlib
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, Final, NamedTuple

from websockets.exceptions import InvalidStatus

from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, CaughtUp, Identified, Refused, Seated
from racing_demon_protocol.wire.options import Options
from tests.support.people import SECRETS, challenged, enrolled, link_code
from tests.support.ports import port_of
from tests.support.servers import PATIENCE, Peer

STRANGER: Final = "203.0.113.7"
OTHER: Final = "198.51.100.9"
QUICK: Final[dict[str, Any]] = {"game": "puzzle", "seats": 1, "countdown_ms": 0, "tally_ms": 0}
QUARTER_MS: Final = 900_000
CUT: Final = 499
"""The status of a page that took so long that the server hung up."""
REST: Final = 0.1
"""Seconds after which a stranger who was refused tries again."""


class Door(NamedTuple):
    """A server, and what is known of it.

    Attributes:
        url: its address.
        record: the path of the record of a long match.
        until: when the attack ends.

    """

    url: str
    record: str
    until: float

    @property
    def is_open(self) -> bool:
        """Whether the attack goes on."""
        return time.monotonic() < self.until


Deeds = Counter[str]
Attack = Callable[[Door, Deeds], Awaitable[None]]


def come_from(address: str) -> dict[str, Any]:
    """Return what a connection needs to come from an address, as a proxy on this machine says."""
    return {"additional_headers": {"X-Forwarded-For": address}}


@asynccontextmanager
async def entered(door: Door, request: Message, address: str = STRANGER) -> AsyncIterator[Peer]:
    """Take a place at a table; whoever is refused the connection tries again."""
    while True:
        with contextlib.suppress(InvalidStatus):
            async with Peer.entered(door.url, request, **come_from(address)) as peer:
                yield peer
                return
        await asyncio.sleep(REST)


async def fetch(url: str, path: str, address: str) -> tuple[int, float]:
    """Return the status of a page, or :data:`CUT`, and the seconds until all of it was there."""
    begun = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(url))
    with contextlib.closing(writer):
        lines = (f"GET {path} HTTP/1.1", "Host: 127.0.0.1", f"X-Forwarded-For: {address}", "", "")
        writer.write("\r\n".join(lines).encode())
        head = await asyncio.wait_for(reader.readline(), PATIENCE)
        while await asyncio.wait_for(reader.read(65_536), PATIENCE):
            pass
    return int(head.split()[1]) if head else CUT, time.monotonic() - begun


async def play_hand(peer: Peer, deeds: Deeds) -> Reason | None:
    """Begin a hand, and give it up at once. Return why it was refused."""
    answer = await peer.ask(cl.Start if peer.view.between_matches else cl.Ready)
    if isinstance(answer, Refused):
        deeds[answer.reason.value] += 1
        await asyncio.sleep(REST)
        return answer.reason
    while peer.view.phase is not Phase.PLAYING:
        await peer.hear()
    answer = await peer.ask(cl.Stuck)
    while isinstance(answer, Refused):
        await asyncio.sleep(REST)
        answer = await peer.ask(cl.Stuck)
    while peer.view.phase is Phase.PLAYING:
        await peer.hear()
    deeds["hands"] += 1
    return None


# The attacks.


async def matches_at_one_table(door: Door, deeds: Deeds) -> None:
    """Repeat matches of one hand of one seat at one table."""
    async with entered(door, cl.Create(name="Eve", options=Options(**QUICK, hands=1))) as eve:
        while door.is_open:
            await play_hand(eve, deeds)


async def matches_at_many_tables(door: Door, deeds: Deeds) -> None:
    """Do the same at eight tables, and leave each for a new one when it has had its matches."""

    async def play() -> None:
        while door.is_open:
            await asyncio.sleep(REST)
            with contextlib.suppress(AssertionError):  # no table more, for a while
                async with entered(door, cl.Create(name="Eve", options=Options(**QUICK, hands=1))) as eve:
                    deeds["tables"] += 1
                    for _ in range(120):
                        if door.is_open:
                            await play_hand(eve, deeds)
                    await eve.ask(cl.Leave)

    await asyncio.gather(*(play() for _ in range(8)))


async def hands_of_a_long_match(door: Door, deeds: Deeds) -> None:
    """Give up hand after hand of matches of a hundred, whose results are made again with each."""

    async def play() -> None:
        async with entered(door, cl.Create(name="Eve", options=Options(**QUICK, hands=100))) as eve:
            while door.is_open:
                await play_hand(eve, deeds)

    await asyncio.gather(*(play() for _ in range(4)))


async def hands_by_the_clock(door: Door, deeds: Deeds) -> None:
    """Have twenty tables at which the clock ends each hand after a second, and say next to nothing."""
    options = Options(**QUICK, hands=100, time_limit_ms=1_000, pause_after_ms=None)

    async def play() -> None:
        async with entered(door, cl.Create(name="Eve", options=options)) as eve:
            while door.is_open:
                if isinstance(await eve.ask(cl.Start if eve.view.between_matches else cl.Ready), Refused):
                    deeds["refused"] += 1
                    await asyncio.sleep(REST)
                    continue
                await eve.until(ev.HandOver)
                deeds["hands"] += 1

    await asyncio.gather(*(play() for _ in range(20)))


async def debts_left_behind(door: Door, deeds: Deeds) -> None:
    """End a hand, and come back to the seat on another connection before it is paid."""
    async with entered(door, cl.Create(name="Eve", options=Options(**QUICK, hands=1))) as eve:
        code, token = eve.code, eve.token
        await play_hand(eve, deeds)
    while door.is_open:
        async with entered(door, cl.Resume(code=code, token=token, epoch="", seq=0)) as eve:
            await play_hand(eve, deeds)


async def dear_questions(door: Door, deeds: Deeds) -> None:
    """Ask five at a time for standings since times that nobody has asked for before."""
    times = count(1)

    async def ask() -> None:
        while door.is_open:
            path = f"/v1/standings?since_ms={next(times) * QUARTER_MS}"
            status, _ = await fetch(door.url, path, STRANGER)
            deeds[str(status)] += 1
            if status != 200:
                await asyncio.sleep(REST)

    await asyncio.gather(*(ask() for _ in range(5)))


async def other_names(door: Door, deeds: Deeds) -> None:
    """Change one's name again and again, as somebody who is remembered."""
    async with Peer.connect(door.url, **come_from(STRANGER)) as eve:
        await enrolled(eve, "Eve", SECRETS[0])
        await eve.enter(cl.Create(name="Eve"))  # whoever wants no table is sent away
        await eve.until(CaughtUp)
        for number in count():
            if not door.is_open:
                return
            await eve.say(cl.Rename(name=f"Eve {number}"))
            deeds[type(await eve.hear()).__name__] += 1
            await asyncio.sleep(REST)


async def long_records(door: Door, deeds: Deeds) -> None:
    """Ask for the record of a long match on five lines, again and again, and go away in the middle."""

    async def ask(reads: bool) -> None:
        while door.is_open:
            reader, writer = await asyncio.open_connection("127.0.0.1", port_of(door.url))
            with contextlib.closing(writer):
                lines = (
                    f"GET {door.record} HTTP/1.1",
                    "Host: 127.0.0.1",
                    f"X-Forwarded-For: {STRANGER}",
                    "",
                    "",
                )
                writer.write("\r\n".join(lines).encode())
                with contextlib.suppress(TimeoutError, OSError):
                    head = await asyncio.wait_for(reader.readline(), 2)
                    deeds[head.split()[1].decode() if head else "cut"] += 1
                    while reads and door.is_open:
                        piece = await asyncio.wait_for(reader.read(65_536), 2)
                        if not piece:
                            break
                        deeds["pieces"] += 1
            await asyncio.sleep(REST)

    await asyncio.gather(*(ask(number % 2 == 0) for number in range(5)))


async def new_people(door: Door, deeds: Deeds) -> None:
    """Become somebody new, take a seat, and leave, again and again."""
    async with entered(door, cl.Create(name="Host", seated=False)) as host:
        for number in count():
            if not door.is_open:
                return
            with contextlib.suppress(InvalidStatus):
                async with Peer.connect(door.url, **come_from(STRANGER)) as eve:
                    await challenged(eve)
                    await eve.say(cl.Enroll(name=f"Eve {number}", secret=f"{number + 99:064x}", device="x"))
                    if isinstance(await eve.hear(), Identified):
                        deeds["people"] += 1
                        await eve.say(cl.Join(code=host.code, name=f"Eve {number}"))
                        if isinstance(await eve.hear(), Seated):  # there is no seat once leaving is too fast
                            await eve.ask(cl.Leave)
                        continue
            deeds["refused"] += 1
            await asyncio.sleep(REST)


async def wrong_codes(door: Door, deeds: Deeds) -> None:
    """Try wrong codes for a name, while its owner wants another device."""
    async with Peer.connect(door.url, **come_from(OTHER)) as ann:
        await enrolled(ann, "Ann", SECRETS[0])
        code = await link_code(ann)
        for number in count():
            if number >= 40 and not door.is_open:
                break
            try:
                async with Peer.connect(door.url, **come_from(STRANGER)) as eve:
                    await challenged(eve)
                    await eve.say(cl.Link(name="Ann", code="ZZZZZZ", secret=SECRETS[2]))
                    answer = await eve.hear()
                    assert isinstance(answer, Refused)
                    deeds[answer.reason.value] += 1
            except InvalidStatus:
                await asyncio.sleep(REST)
        async with Peer.connect(door.url, **come_from(OTHER)) as tablet:
            await challenged(tablet)
            await tablet.say(cl.Link(name="Ann", code=code, secret=SECRETS[1]))
            assert not isinstance(await tablet.hear(), Refused), "Ann's own code is refused"
            deeds["the owner's device"] += 1


def changes() -> Iterator[tuple[type[cl.Command], dict[str, Any]]]:
    """Yield commands that are no plays, and stay on the disk."""
    for number in count():
        yield cl.Mute, {"seat": 1, "muted": number % 2 == 0}
        yield cl.SetOptions, {"options": Options(hands=2 + number % 90, target=100 + number % 900)}
        yield cl.Ready, {"ready": number % 2 == 0}


async def small_commands(door: Door, deeds: Deeds) -> None:
    """Mute, change options and be ready without end at thirty tables."""

    async def change() -> None:
        async with (
            entered(door, cl.Create(name="Eve")) as eve,
            entered(door, cl.Join(code=eve.code, name="Bob")),
        ):
            for kind, fields in changes():
                if not door.is_open:
                    return
                answer = await eve.ask(kind, **fields)
                deeds["done" if isinstance(answer, Accepted) else "refused"] += 1
                if isinstance(answer, Refused):
                    await asyncio.sleep(REST)

    await asyncio.gather(*(change() for _ in range(10)))


async def comings_and_goings(door: Door, deeds: Deeds) -> None:
    """Take a seat, lose the connection, and come back, without end."""

    async def come() -> None:
        async with entered(door, cl.Create(name="Eve")) as eve:
            code, token = eve.code, eve.token
        while door.is_open:
            async with entered(door, cl.Resume(code=code, token=token, epoch="", seq=0)):
                deeds["returns"] += 1

    await asyncio.gather(*(come() for _ in range(4)))


async def odd_pages(door: Door, deeds: Deeds) -> None:
    """Ask for what there cannot be: numbers beyond all bounds, and hosts that are none."""
    paths = (
        "/v1/standings?since_ms=99999999999999999999999",
        "/v1/standings?since_ms=1e5",
        "/v1/standings?page=-1",
    )
    while door.is_open:
        for path in paths:
            status, _ = await fetch(door.url, path, STRANGER)
            assert status < 500, path
            deeds[json.dumps(status)] += 1
        await asyncio.sleep(REST)


DOORS: Final[tuple[Attack, ...]] = (
    matches_at_one_table,
    matches_at_many_tables,
    hands_of_a_long_match,
    hands_by_the_clock,
    debts_left_behind,
    dear_questions,
    other_names,
    long_records,
    new_people,
    wrong_codes,
    small_commands,
    comings_and_goings,
    odd_pages,
)
