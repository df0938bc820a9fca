"""FairScheduler: how the galleries of one server share its time."""

import asyncio
from collections import Counter
from typing import Any, Final

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.options import Options
from racing_demon_server.encoded_messages import Batch
from racing_demon_server.tables.feed import Backlog
from racing_demon_server.tables.room import Room
from racing_demon_server.tables.spectators import STEP_SECONDS, STEP_UNITS, FairScheduler
from tests.support.virtual_rooms import FakeConnection, now, open_room, say, seat_at, virtual

DELAY: Final = 60
TABLES: Final = 12
DELAYED: Final[dict[str, Any]] = {"watch_delay_ms": DELAY * 1_000}
STEP_US: Final = round(STEP_SECONDS * 1_000_000)


class Work:
    """Somebody with so many units to do, who writes down when how many were done."""

    def __init__(self, turns: FairScheduler, units: int) -> None:
        self.left = units
        self.done: list[tuple[int, int]] = []
        self._turns = turns
        self._begun = now()
        turns.request(self.turn)

    def turn(self, most: int) -> int:
        """Do some of it."""
        units = min(most, self.left)
        self.left -= units
        self.done.append(((now() - self._begun) // STEP_US, units))
        if self.left:
            self._turns.request(self.turn)
        return units


class Late(FakeConnection):
    """A listener who writes down in which millisecond something came."""

    def __init__(self, sends: Counter[int]) -> None:
        super().__init__()
        self._sends = sends

    def send(self, events: Batch) -> None:
        """Take what comes in one write."""
        self._sends[now() // STEP_US] += 1
        super().send(events)


@virtual
async def test_one_who_has_much_to_do_keeps_nobody_waiting() -> None:
    """In each millisecond ten units are done; who is not ready then stands behind the others."""
    turns = FairScheduler()
    much, little, some = (Work(turns, units) for units in (2 * STEP_UNITS + 5, 3, STEP_UNITS))
    await asyncio.sleep(1)
    assert much.done == [(0, 10), (2, 10), (3, 5)]
    assert little.done == [(1, 3)]
    assert some.done == [(1, 7), (3, 3)]


@virtual
async def test_a_turn_that_fails_takes_nobody_elses() -> None:
    """Where the turn of one raises, the others go on with the next step."""
    turns, raised = FairScheduler(), []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, what: raised.append(what["exception"]))

    def fail(most: int) -> int:
        raise ValueError(most)

    turns.request(fail)
    work = Work(turns, 5)
    await asyncio.sleep(1)
    assert work.done == [(1, 5)]
    assert [error.args[0] for error in raised] == [STEP_UNITS]


@virtual
async def test_whoever_withdraws_gets_no_turn() -> None:
    """A gallery that is closed does nothing any more."""
    turns = FairScheduler()
    work, other = Work(turns, 5), Work(turns, 5)
    turns.withdraw(work.turn)
    await asyncio.sleep(1)
    assert (work.done, other.done) == ([], [(0, 5)])


# The galleries.


async def changed(rooms: list[Room], changes: int) -> None:
    """Change the options of tables so often, all at one moment."""
    for room in rooms:
        _, ann = seat_at(room, "Ann")
        for counter in range(1, changes + 1):
            options = Options.model_validate({**DELAYED, "hands": 1 + counter})
            await say(room, ann, 0, cl.SetOptions(counter=counter, options=options))


@virtual
async def test_what_becomes_due_at_many_tables_at_once_is_shown_in_turn() -> None:
    """No millisecond has more than ten writes to spectators of all tables, and each gets all in one."""
    backlog, sends = Backlog(10**6, 10**8), Counter[int]()
    scheduler = FairScheduler()
    rooms = [open_room(backlog=backlog, scheduler=scheduler, **DELAYED) for _ in range(TABLES)]
    conns = [Late(sends) for _ in range(5 * TABLES)]
    for number, conn in enumerate(conns):
        rooms[number % TABLES].broadcast.watch(conn)
    await changed(rooms, 20)
    await asyncio.sleep(DELAY + 1)
    assert max(sends.values()) <= STEP_UNITS
    for number, conn in enumerate(conns):
        assert rooms[number % TABLES].table.view.seq == conn.events[-1].seq
        assert [len(conn.events)] == conn.writes
    assert backlog.size == 0


@virtual
async def test_every_step_serves_as_many_spectators_as_it_may() -> None:
    """A round that goes on in the next step has all of that step's units."""
    room, delayed_view = open_room(), [FakeConnection() for _ in range(3 * STEP_UNITS)]
    seat, ann = seat_at(room, "Ann")
    for conn in delayed_view:
        room.broadcast.watch(conn)
    await asyncio.sleep(1)
    await say(room, ann, seat, cl.Say(counter=1, text="Hello"))
    served = []
    for _ in range(3):
        served.append(sum(bool(conn.events) for conn in delayed_view))
        await asyncio.sleep(1.01 * STEP_SECONDS)
    assert served == [STEP_UNITS, 2 * STEP_UNITS, 3 * STEP_UNITS]
