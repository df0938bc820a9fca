"""The programs of a benchmark, in processes of their own, that are asked line by line."""

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, Self

ROOT: Final = Path(__file__).parents[1]
ANSWER_SECONDS: Final = 60.0
STOP_SECONDS: Final = 5.0
MAX_LINE: Final = 1 << 20


class HelperEnded(Exception):
    """A program of the benchmark ended, or does not answer."""


class Helper:
    """One program."""

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        self._name = name
        self._process = process

    @classmethod
    @asynccontextmanager
    async def running(cls, name: str, *arguments: str) -> AsyncIterator[Self]:
        """Run a module of Python's with arguments, and end it by the end of its input."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", name, *arguments),
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=MAX_LINE,
            # Ctrl-C is for us, and our end closes its input. No session of its own: between sessions
            # Linux shares time evenly, however ready a process is to give way.
            process_group=0,
        )
        assert process.stdin is not None
        try:
            yield cls(name, process)
        finally:
            process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), STOP_SECONDS)
            except TimeoutError:
                process.kill()
                await process.wait()

    async def url(self) -> str:
        """Return where a server says that it listens.

        Raises:
            HelperEnded: it does not say so.

        """
        found = re.search(r"ws://\S+", await self._line())
        if found is None:
            raise HelperEnded(f"{self._name} did not say where it listens")
        return found.group()

    async def ask(self, *words: object) -> Any:
        """Ask for something, and return the answer.

        Raises:
            HelperEnded: there is none.

        """
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(map(str, words)).encode() + b"\n")
        return json.loads(await self._line())

    def stay_on(self, processors: Collection[int]) -> None:
        """Let it run on some processors alone, where the system can do that; on any, where there are none."""
        if processors and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(self._process.pid, processors)

    def loop_seconds(self) -> float:
        """Return the processor time of its main thread, which runs the loop, where Linux tells it."""
        pid = self._process.pid
        spent_ns = Path(f"/proc/{pid}/task/{pid}/schedstat").read_text(encoding="utf-8").split()[0]
        return int(spent_ns) / 1e9

    async def _line(self) -> str:
        assert self._process.stdout is not None
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), ANSWER_SECONDS)
        except TimeoutError:
            raise HelperEnded(f"{self._name} does not answer") from None
        if not line:
            raise HelperEnded(f"{self._name} ended")
        return line.decode()


def processors() -> tuple[Collection[int], Collection[int]]:
    """Return which processors are for a server, and which for its spectators; none, where all share one."""
    if not hasattr(os, "sched_getaffinity"):
        return (), ()
    first, *others = sorted(os.sched_getaffinity(0))
    return ({first}, others) if others else ((), ())
