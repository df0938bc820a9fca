"""Real brokers and listeners: mosquitto as processes of their own, on this machine only."""

import asyncio
import gc
import json
import os
import shutil
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from racing_demon_client.sources.broker import tables
from racing_demon_protocol.discovery.directory import ListedTable
from tests.support.ports import free_port
from tests.support.servers import PATIENCE, deadline, timeout

PLACES: Final = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"


def program(name: str) -> str:
    """Return where a program is; without it the tests fail, and are not passed over."""
    found = shutil.which(name, path=PLACES)
    assert found is not None, f"{name} is missing: apt-get install mosquitto mosquitto-clients"
    return found


class Broker:
    """A broker that can be killed and started again on the same port.

    Attributes:
        port: where it listens.
        url: the same as a URL.

    """

    def __init__(self, folder: Path, *extra: str) -> None:
        self.port = free_port()
        self.url = f"mqtt://127.0.0.1:{self.port}"
        self._config = folder / f"mosquitto-{self.port}.conf"
        lines = [f"listener {self.port} 127.0.0.1", "log_dest stderr", "log_type all", *extra]
        if not any(line.startswith("allow_anonymous") for line in extra):
            lines.append("allow_anonymous true")
        self._config.write_text("\n".join([*lines, ""]))
        self._process: Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._said: deque[str] = deque(maxlen=1_000)
        self._heard = asyncio.Event()

    @classmethod
    @asynccontextmanager
    async def running(cls, folder: Path, *extra: str) -> AsyncIterator[Self]:
        """Start one with further lines in its configuration; in the end it is gone."""
        broker = cls(folder, *extra)
        await broker.start()
        try:
            yield broker
        finally:
            await broker.kill()

    async def start(self) -> None:
        """Start it, and wait until it listens."""
        self._process = await asyncio.create_subprocess_exec(
            program("mosquitto"), "-c", str(self._config), stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE
        )
        assert self._process.stderr is not None
        while b" running" not in (line := await timeout(PATIENCE, self._process.stderr.readline())):
            assert line, "the broker did not start"
        self._reading = asyncio.create_task(self._read(self._process.stderr))

    async def says(self, text: str) -> None:
        """Wait until something is in its log."""
        async with deadline(lambda: f"no {text!r} in {list(self._said)[-20:]}"):
            while not any(text in line for line in self._said):
                self._heard.clear()
                await self._heard.wait()

    async def kill(self) -> None:
        """Kill it as a power cut would."""
        if self._process is not None and self._reading is not None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
            await self._reading
            self._process = None

    async def _read(self, log: asyncio.StreamReader) -> None:
        while line := await log.readline():
            self._said.append(line.decode(errors="replace"))
            self._heard.set()

    def freeze(self) -> None:
        """Let it stand still: its port is open, and nothing is answered."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        assert self._process is not None
        os.kill(self._process.pid, number)


ACCEPTED: Final = b"\x20\x03\x00\x00\x00"
"""What a broker answers to whoever may connect by MQTT 5."""


@asynccontextmanager
async def hanging_up() -> AsyncIterator[tuple[str, list[object]]]:
    """Run a broker that says yes and hangs up at once. Give its URL, and what the loop warns of."""
    warned = list[object]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: warned.append(context))

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1_000)
        writer.write(ACCEPTED)
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        yield f"mqtt://127.0.0.1:{server.sockets[0].getsockname()[1]}", warned
    gc.collect()


async def listed(broker: Broker, *codes: str) -> list[ListedTable]:
    """Return the tables at a broker as soon as these are among them: a client waits half a second for one."""
    found: list[ListedTable] = []
    async with deadline(lambda: f"{codes} in {found}"):
        while not {*codes} <= {table.code for table in found}:
            found = await tables(broker.url)
    return found


class Heard(NamedTuple):
    """A message as ``mosquitto_sub`` got it; ``kept`` if the broker had it before."""

    topic: str
    payload: bytes
    qos: int
    kept: bool

    @property
    def value(self) -> Any:
        """What the JSON in it says."""
        return json.loads(self.payload)


class Listening:
    """A ``mosquitto_sub`` on some topics.

    Attributes:
        heard: every message so far.

    """

    def __init__(self, process: Process) -> None:
        self.heard: list[Heard] = []
        self._process = process

    @classmethod
    @asynccontextmanager
    async def to(cls, broker: Broker, *topics: str, more: tuple[str, ...] = ()) -> AsyncIterator[Self]:
        """Listen, from when the broker has agreed to it."""
        wanted = [word for topic in topics or ("#",) for word in ("-t", topic)]
        process = await asyncio.create_subprocess_exec(
            *("stdbuf", "-oL", program("mosquitto_sub"), "-h", "127.0.0.1", "-p", str(broker.port)),
            *("-d", "-q", "1", "-F", "MSG %r %q %t %x", *wanted, *more),
            stdin=DEVNULL,
            stdout=PIPE,
            limit=1 << 20,
        )
        listening = cls(process)
        try:
            async with deadline(lambda: f"not subscribed to {topics}"):
                while not (await listening._line()).startswith("Subscribed"):
                    pass
            yield listening
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.communicate()

    async def next(self) -> Heard:
        """Return the next message."""
        async with deadline(lambda: f"no message after {self.heard[-9:]}"):
            while not (line := await self._line()).startswith("MSG "):
                pass
        _, kept, qos, topic, payload = [*line.split(" "), ""][:5]
        heard = Heard(topic, bytes.fromhex(payload), int(qos), kept == "1")
        self.heard.append(heard)
        return heard

    async def until(self, topic: str, fits: Callable[[Heard], bool] = lambda _: True) -> Heard:
        """Return the next message whose topic ends so and that fits, and pass over those before it."""
        async with deadline(lambda: f"not what was wanted at {topic!r}: {self.heard[-9:]}"):
            while True:
                heard = await self.next()
                if heard.topic.endswith(topic) and fits(heard):
                    return heard

    async def _line(self) -> str:
        assert self._process.stdout is not None
        line = await timeout(PATIENCE, self._process.stdout.readline())
        assert line, "mosquitto_sub ended"
        return line.decode().rstrip("\n")
