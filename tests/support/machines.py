"""Several machines on one switch: network namespaces, cut off from each other one way or both. Needs root."""

import contextlib
import ctypes
import functools
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

SWITCH: Final = "switch"
BRIDGE: Final = "rd-bridge"
CLONE_NEWNET: Final = 0x40000000


class Machines:
    """Machines that reach each other until they are cut off.

    Args:
        names: what they are called, ten letters at most.
        network: how their addresses begin.

    """

    def __init__(self, names: Sequence[str], network: str = "10.78.0") -> None:
        self._addresses = {name: f"{network}.{number}" for number, name in enumerate(names, 1)}

    def address(self, name: str) -> str:
        """Return a machine's address."""
        return self._addresses[name]

    def namespace(self, name: str) -> str:
        """Return what the kernel calls a machine."""
        return f"rd-{os.getpid()}-{name}"

    def lay(self) -> None:
        """Make the machines, and connect them."""
        for name in (SWITCH, *self._addresses):
            run("ip", "netns", "add", self.namespace(name))
        switch = functools.partial(run, "ip", "-n", self.namespace(SWITCH), "link")
        switch("add", BRIDGE, "type", "bridge")
        switch("set", BRIDGE, "up")
        for name, address in self._addresses.items():
            own = self.namespace(name)
            run(
                "ip",
                "link",
                "add",
                "net",
                "netns",
                own,
                "type",
                "veth",
                "peer",
                "name",
                name,
                "netns",
                self.namespace(SWITCH),
            )
            switch("set", name, "master", BRIDGE, "up")
            ip = functools.partial(run, "ip", "-n", own)
            ip("addr", "add", f"{address}/24", "dev", "net")
            ip("link", "set", "net", "up")
            ip("link", "set", "lo", "up")

    def remove(self) -> None:
        """Take it all away."""
        for name in (SWITCH, *self._addresses):
            with contextlib.suppress(OSError, subprocess.SubprocessError):
                run("ip", "netns", "del", self.namespace(name))

    def at(self, name: str) -> AbstractContextManager[None]:
        """Let this thread, and what it starts meanwhile, be at a machine."""
        return inside(self.namespace(name))

    def cut(self, source: str, target: str) -> None:
        """Let nothing arrive at one machine that another sends, without a word to either."""
        rules = f"""
            table ip rd_cut {{
                chain input {{
                    type filter hook input priority 0;
                    ip saddr {self.address(source)} drop
                }}
            }}
        """
        run("ip", "netns", "exec", self.namespace(target), "nft", "-f", "-", text=rules)

    def heal(self) -> None:
        """Let everything through again."""
        for name in self._addresses:
            command = ("ip", "netns", "exec", self.namespace(name), "nft", "flush", "ruleset")
            run(*command)


@contextmanager
def inside(namespace: str) -> Iterator[None]:
    """Let this thread, and what it starts meanwhile, be in a network namespace."""
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        there = os.open(Path("/run/netns") / namespace, os.O_RDONLY)
        try:
            _enter(there)
        finally:
            os.close(there)
        yield
    finally:
        _enter(before)
        os.close(before)


def _enter(namespace: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


def run(*words: str, text: str = "") -> None:
    """Set something up in the network, with a text to read; it must succeed."""
    subprocess.run(words, input=text.encode(), check=True, capture_output=True, timeout=20)  # noqa: S603


@contextmanager
def machines(*names: str, network: str = "10.78.0") -> Iterator[Machines]:
    """Make machines, and take all away in the end."""
    made = Machines(names, network)
    try:
        made.lay()
        yield made
    finally:
        made.remove()
