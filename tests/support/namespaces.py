"""Two machines on one cable: network namespaces of this machine, which can be cut apart. Needs root."""

import asyncio
import contextlib
import functools
import os
import shutil
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.pty_program import children_of, end_all

from tests.support.processes import Running

ENDS: Final = ("a", "b")


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=20)  # noqa: S603, S607


@functools.cache
def can_have_namespaces() -> bool:
    """Tell whether this machine lets us make network namespaces, and cut what is between them."""
    if sys.platform != "linux" or os.geteuid() != 0 or not (shutil.which("ip") and shutil.which("nft")):
        return False
    name = f"rd-{os.getpid()}-try"
    try:
        _ip("netns", "add", name)
    except (OSError, subprocess.SubprocessError):
        return False
    _ip("netns", "del", name)
    return True


class NetworkLink:
    """A cable between two machines, ``a`` and ``b``, at 10.77.0.1 and 10.77.0.2."""

    def __init__(self) -> None:
        self._names = {end: f"rd-{os.getpid()}-{end}" for end in ENDS}
        self._folder = TemporaryDirectory()

    def lay(self) -> None:
        """Make the two machines, and connect them."""
        for end in ENDS:
            _ip("netns", "add", self._names[end])
        one, other = self._names.values()
        _ip("link", "add", "rd-a", "netns", one, "type", "veth", "peer", "name", "rd-b", "netns", other)
        for number, end in enumerate(ENDS, 1):
            ip = functools.partial(_ip, "-n", self._names[end])
            ip("addr", "add", f"10.77.0.{number}/24", "dev", f"rd-{end}")
            with contextlib.suppress(subprocess.SubprocessError):  # where the kernel has no IPv6
                ip("addr", "add", f"fd77::{number}/64", "dev", f"rd-{end}", "nodad")
            ip("link", "set", f"rd-{end}", "up")
            ip("link", "set", "lo", "up")

    def remove(self) -> None:
        """Take it all away."""
        self._folder.cleanup()
        for end in ENDS:
            with contextlib.suppress(OSError, subprocess.SubprocessError):
                _ip("netns", "del", self._names[end])

    def program(self, end: str, path: str) -> str:
        """Write a script that runs a program on one of the machines, and return where it is."""
        script = Path(self._folder.name) / f"{end}-{Path(path).name}"
        script.write_text(f'#!/bin/sh\nexec ip netns exec {self._names[end]} {path} "$@"\n', "utf-8")
        script.chmod(0o700)
        return str(script)

    def leave(self) -> None:
        """Take the second machine off the cable, as a phone leaves a network."""
        _ip("-n", self._names["b"], "link", "set", "rd-b", "down")

    def enter(self) -> None:
        """Bring it back with another address, as a phone gets one that enters another network."""
        ip = functools.partial(_ip, "-n", self._names["b"])
        ip("addr", "del", "10.77.0.2/24", "dev", "rd-b")
        ip("addr", "add", "10.77.0.3/24", "dev", "rd-b")
        ip("link", "set", "rd-b", "up")

    def move(self, end: str, before: str, after: str) -> None:
        """Give a machine another address in another network, as a router does; empty: it has or gets none."""
        ip = functools.partial(_ip, "-n", self._names[end])
        if before:
            ip("addr", "del", f"{before}/24", "dev", f"rd-{end}")
        if after:
            ip("addr", "add", f"{after}/24", "dev", f"rd-{end}")

    def cut(self) -> None:
        """Let nothing through, without a word to either side."""
        hooks = "".join(
            f"chain {hook} {{ type filter hook {hook} priority 0; policy drop; oif lo accept; }}\n"
            if hook == "output"
            else f"chain {hook} {{ type filter hook {hook} priority 0; policy drop; iif lo accept; }}\n"
            for hook in ("input", "output")
        )
        self._nft(f"table inet rd_cut {{\n{hooks}}}\n")

    def heal(self) -> None:
        """Let everything through again."""
        self._nft("delete table inet rd_cut\n")

    def _nft(self, rules: str) -> None:
        command = ["ip", "netns", "exec", self._names["b"], "nft", "-f", "-"]
        subprocess.run(command, input=rules.encode(), check=True, capture_output=True, timeout=20)  # noqa: S603

    @asynccontextmanager
    async def started(self, end: str, *arguments: str, **more: Any) -> AsyncIterator[Running]:
        """Start Python with arguments on one of the machines; whatever happens, it is gone in the end."""
        streams: dict[str, Any] = {"stdin": PIPE, "stdout": PIPE, "stderr": PIPE, **more}
        env = {**os.environ, "RACING_DEMON_INTERFACES": "", "LANG": "C.UTF-8"}
        command = ("ip", "netns", "exec", self._names[end], sys.executable, *arguments)
        process = await asyncio.create_subprocess_exec(*command, env=env, **streams)
        try:
            yield Running(process)
        finally:
            servers = children_of(process.pid)  # that of a host outlives it
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.communicate()
            end_all(servers)


@contextmanager
def cable() -> Iterator[NetworkLink]:
    """Lay a cable between two machines, and take all away in the end."""
    laid = NetworkLink()
    try:
        laid.lay()
        yield laid
    finally:
        laid.remove()
