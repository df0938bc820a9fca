"""What programs load before they say anything: what is needed for that."""

import sys
from typing import Final

import pytest

from tests.support.processes import CLIENT, SERVER, text_of

NEEDED: Final = frozenset(
    [
        "asyncio",
        "email",
        "hashlib",
        "http",
        "importlib.metadata",
        "msgpack",
        "prometheus_client",
        "pydantic",
        "sqlite3",
        "ssl",
        "structlog",
        "websockets",
    ]
)
"""What takes its time to load, and a server works with, and what that works with."""
UNNEEDED: Final = frozenset(
    [
        "aiomqtt",
        "attr",
        "openskill",
        "paho",
        "platformdirs",
        "pygments",
        "racing_demon_protocol.records.format",
        "racing_demon_protocol.records.ratings",
        "racing_demon_protocol.records.verify",
        "racing_demon_server.mqtt.publisher",
        "rich",
        "segno",
        "textual",
        "zeroconf",
    ]
)
"""What takes its time, too, and only some ever need."""
TO_FIND_EXTENSIONS: Final = {CLIENT: frozenset[str](), SERVER: frozenset({"email", "importlib.metadata"})}
"""What ``--help`` needs to list the options of other packages, too."""
MAX_OF_OURS: Final = {CLIENT: 12, SERVER: 13}
"""How many modules and packages of our own a ``--help`` may load."""

TELLING: Final = """
import atexit, runpy, sys
atexit.register(lambda: sys.stderr.write(" ".join(n for n, it in sys.modules.items() if it is not None)))
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""
"""A program that is another one, and tells in the end which modules it has loaded."""


async def loaded(module: str, *arguments: str) -> set[str]:
    """Run a program with no input to its end, and return the modules that it has loaded."""
    ended = await text_of(TELLING, module, *arguments)
    assert ended.code == 0, ended.err
    return set(ended.err.split())


@pytest.mark.parametrize("module", [CLIENT, SERVER])
async def test_a_help_loads_no_library(module: str) -> None:
    """To print what can be asked for needs the words for it, and neither a loop nor a table."""
    modules = await loaded(module, "--help")
    assert modules & (NEEDED | UNNEEDED) == TO_FIND_EXTENSIONS[module]
    ours = {name for name in modules if name.startswith("racing_demon_")}
    assert len(ours) <= MAX_OF_OURS[module], ours


async def test_a_server_loads_what_it_works_with() -> None:
    """Until it listens, a server has loaded no broker, no screen, no records, and none of their libraries."""
    modules = await loaded(SERVER, "--host=127.0.0.1", "--port=0", "--durability=none", "--stop-with-stdin")
    assert set() == modules & UNNEEDED
    assert modules >= NEEDED  # or the names above are wrong
    assert CLIENT not in modules
    sys.stdout.write(f"\n{len(modules)} modules\n")
