"""Faults at chosen system calls of a process that runs, by strace."""

import asyncio
import contextlib
import shutil
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.servers import PATIENCE, timeout

WRITES = "pwrite64,fdatasync,fsync"
"""The system calls by which SQLite writes."""
SENDS = "sendto" if find_spec("uvloop") is None else "write"
"""The system call by which the server's event loop writes to sockets, and by which threads wake it."""
CALLS = f"{WRITES},{SENDS}"

needs_strace = pytest.mark.skipif(
    shutil.which("strace") is None or sys.platform != "linux", reason="strace is for Linux, and not here"
)


@asynccontextmanager
async def faulty(pid: int, *faults: str, log: Path) -> AsyncIterator[None]:
    """Let a process meet faults, in the words of strace's ``inject``, for a while; log its calls."""
    injections = [part for fault in faults for part in ("-e", f"inject={fault}")]
    strace = await asyncio.create_subprocess_exec(
        "strace", "-f", "-p", str(pid), "-e", f"trace={CALLS}", *injections, "-o", str(log), stderr=PIPE
    )
    assert strace.stderr is not None
    try:
        line = await timeout(PATIENCE, strace.stderr.readline())
        assert b"attached" in line, line
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            strace.kill()  # the system lets go of the process, at whatever call it is
        await timeout(PATIENCE, strace.wait())
