"""Several machines on one switch: network namespaces, cut off from each other one way or both. Needs root."""

import contextlib
import ctypes
import functools
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

SWITCH: Final = "switch"
BRIDGE: Final = "rd-bridge"
CLONE_NEWNET: Final = 0x40000000


class Machines:
    """Machines that reach each other until they are cut off.

    Args:
        names: what they are called, ten letters at most.

    """

    def __init__(self, names: Sequence[str]) -> None:
        self._addresses = {name: f"10.78.0.{number}" for number, name in enumerate(names, 1)}
        self._libc = ctypes.CDLL(None, use_errno=True)

    def address(self, name: str) -> str:
        """Return a machine's address."""
        return self._addresses[name]

    def _namespace(self, name: str) -> str:
        return f"rd-{os.getpid()}-{name}"

    def lay(self) -> None:
        """Make the machines, and connect them."""
        for name in (SWITCH, *self._addresses):
            _run("ip", "netns", "add", self._namespace(name))
        switch = functools.partial(_run, "ip", "-n", self._namespace(SWITCH), "link")
        switch("add", BRIDGE, "type", "bridge")
        switch("set", BRIDGE, "up")
        for name, address in self._addresses.items():
            own = self._namespace(name)
            _run(
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
                self._namespace(SWITCH),
            )
            switch("set", name, "master", BRIDGE, "up")
            ip = functools.partial(_run, "ip", "-n", own)
            ip("addr", "add", f"{address}/24", "dev", "net")
            ip("link", "set", "net", "up")
            ip("link", "set", "lo", "up")

    def remove(self) -> None:
        """Take it all away."""
        for name in (SWITCH, *self._addresses):
            with contextlib.suppress(OSError, subprocess.SubprocessError):
                _run("ip", "netns", "del", self._namespace(name))

    @contextmanager
    def at(self, name: str) -> Iterator[None]:
        """Let this thread, and what it starts meanwhile, be at a machine."""
        before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        try:
            self._enter(Path("/run/netns") / self._namespace(name))
            yield
        finally:
            self._set(before)
            os.close(before)

    def _enter(self, path: Path) -> None:
        there = os.open(path, os.O_RDONLY)
        try:
            self._set(there)
        finally:
            os.close(there)

    def _set(self, namespace: int) -> None:
        if self._libc.setns(namespace, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")

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
        _run("ip", "netns", "exec", self._namespace(target), "nft", "-f", "-", text=rules)

    def heal(self) -> None:
        """Let everything through again."""
        for name in self._addresses:
            command = ("ip", "netns", "exec", self._namespace(name), "nft", "flush", "ruleset")
            _run(*command)


def _run(*words: str, text: str = "") -> None:
    subprocess.run(words, input=text.encode(), check=True, capture_output=True, timeout=20)  # noqa: S603


@contextmanager
def machines(*names: str) -> Iterator[Machines]:
    """Make machines, and take all away in the end."""
    made = Machines(names)
    try:
        made.lay()
        yield made
    finally:
        made.remove()
