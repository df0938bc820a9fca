"""A single thread of another process that stands still, by ptrace (Linux)."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

SEIZE: Final = 0x4206
INTERRUPT: Final = 0x4207
DETACH: Final = 17
WAIT_FOR_THREADS: Final = 0x40000000
"""``__WALL``: the thread is not a child of ours."""


def second_thread(pid: int) -> int:
    """Return the number of the first thread that a process has started: a server's writer."""
    return sorted(int(path.name) for path in Path(f"/proc/{pid}/task").iterdir())[1]


@contextmanager
def standing_still(thread: int) -> Iterator[None]:
    """Let one thread stand still while the others of its process run on."""
    _ptrace(SEIZE, thread)
    try:
        _ptrace(INTERRUPT, thread)
        os.waitpid(thread, WAIT_FOR_THREADS)
        yield
    finally:
        _ptrace(DETACH, thread)


def _ptrace(request: int, thread: int) -> None:
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    ptrace.restype = ctypes.c_long
    if ptrace(request, thread, None, None) == -1:
        raise OSError(ctypes.get_errno(), f"ptrace request {request:#x}")
