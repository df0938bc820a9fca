"""How programs end when Ctrl-C is pressed while they are being loaded."""

import sys
from typing import Final

import pytest

from tests.support.effort import usually
from tests.support.processes import CLIENT, SERVER, text_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGINT ends no single process there")

INTERRUPTED: Final = """
import runpy, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == wanted:
            signal.raise_signal(signal.SIGINT)

module, wanted = sys.argv.pop(1), sys.argv.pop(1)
sys.meta_path.insert(0, Interrupting())
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""
"""A program that is another one, and is interrupted when that loads a certain module."""


@pytest.mark.parametrize(
    ("module", "arguments", "wanted"),
    usually(
        2,
        [
            (CLIENT, ["play", "--plain"], "pydantic"),
            (SERVER, ["--port=0", "--durability=none"], "structlog"),
            (CLIENT, ["play", "--plain"], "racing_demon_client.cli.main"),
            (CLIENT, ["play", "--plain"], "argparse"),
            (CLIENT, ["play", "--plain"], "websockets"),
            (CLIENT, ["solo", "clock", "--plain"], "racing_demon_protocol.games"),
            (CLIENT, ["games"], "racing_demon_client.shared.rules_text"),
            (CLIENT, ["games", "--help"], "argparse"),
            (SERVER, ["--port=0", "--durability=none"], "racing_demon_server.cli"),
            (SERVER, ["--port=0", "--durability=none"], "argparse"),
            (SERVER, ["--port=0", "--durability=none"], "pydantic"),
            (SERVER, ["journal", "list"], "sqlite3"),
        ],
    ),
)
async def test_an_early_interrupt_ends_quietly(module: str, arguments: list[str], wanted: str) -> None:
    """Ctrl-C while modules are loaded ends a program with 130, and without a traceback."""
    ended = await text_of(INTERRUPTED, module, wanted, *arguments)
    assert ended == (130, "", "\n")


@pytest.mark.long
async def test_a_server_that_serves_ends_well_while_more_is_loaded() -> None:
    """Ctrl-C while it loads what writes its metrics, beside its work, stops it as at any other time."""
    ended = await text_of(INTERRUPTED, SERVER, "prometheus_client", "--port=0", "--durability=none")
    assert (ended.code, ended.err) == (0, "")
    assert "ws://" in ended.out
