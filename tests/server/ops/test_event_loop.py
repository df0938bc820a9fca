"""Which event loop a server runs on."""

import asyncio
import sys

import pytest

from racing_demon_server.ops.event_loop import loop_factory, loop_name


async def named() -> str:
    """Return the name of the running loop."""
    return loop_name()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no uvloop")
def test_uvloop_is_used_where_it_is_installed() -> None:
    """The extra `fast` is enough: no option asks for it."""
    with asyncio.Runner(loop_factory=loop_factory(watches_sockets=True)) as runner:
        assert runner.run(named()) == "uvloop"


def test_without_uvloop_the_loop_is_asyncios(monkeypatch: pytest.MonkeyPatch) -> None:
    """A default install has no uvloop and needs none."""
    monkeypatch.setitem(sys.modules, "uvloop", None)
    with asyncio.Runner(loop_factory=loop_factory(watches_sockets=True)) as runner:
        assert runner.run(named()) == "asyncio"
