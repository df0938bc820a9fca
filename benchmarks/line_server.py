"""A program of a benchmark that answers lines of its input in JSON, and reads sockets meanwhile."""

import json
import os
import selectors
import sys
import time
from abc import ABC, abstractmethod
from typing import Any, Final

BLINK_SECONDS: Final = 0.02
"""It reads no more often: to wake for each message would take time from those who are measured."""


class LineServer(ABC):
    """Answers lines until its input ends; sockets are registered at its selector with what reads them."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
        self._lines = b""
        self._ended = False

    def obey(self) -> None:
        """Do what is asked for, until nothing more comes."""
        while not self._ended:
            time.sleep(BLINK_SECONDS)
            self._turn()
            *lines, self._lines = self._lines.split(b"\n")
            for line in lines:
                answer = self._answer(line.decode().split())
                sys.stdout.write(json.dumps(answer) + "\n")
                sys.stdout.flush()

    def _turn(self, seconds: float | None = None) -> None:
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                data = os.read(key.fd, 4_096)
                self._ended = not data
                self._lines += data
            else:
                self._read(key.data)

    @abstractmethod
    def _answer(self, words: list[str]) -> object:
        """Do what a line asks for, and return the answer."""

    @abstractmethod
    def _read(self, source: Any) -> None:
        """Read a socket that is ready; ``source`` is what was registered with it."""


def give_way() -> None:
    """Run only when nobody else wants to: real spectators have machines of their own."""
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    else:
        os.nice(19)
