"""Find a table on the network without an address, or with only a code."""

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import asdict
from typing import Final

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.probe import FoundTable
from racing_demon_client.shared.links import link_of
from racing_demon_client.shared.phrases import title_of
from racing_demon_client.streams import read_line

__all__ = ["NOTHING", "as_json", "choose", "look", "place", "table_line"]

LOOK_SECONDS: Final = 1.5
"""How long to look for more tables after finding one, in seconds."""
CODE_SECONDS: Final = 0.8
"""The same when the code is known: only an impostor could still be found."""
PATIENCE_SECONDS: Final = 4.0
"""How long to wait for the first table; bad wireless networks may lose the first query."""

NOTHING: Final = (
    "No table was found on this network. Nobody may be hosting one, or the network blocks the search "
    "(guest networks often do).\nThe host of a table sees its address: "
    "racing-demon join http://ADDRESS:5252/CODE"
)


def table_line(table: FoundTable) -> str:
    """Return a table in one line."""
    locked = ", with a passphrase" if table.needs_passphrase else ""
    return f"{table.code}  {table.host}'s table, {title_of(table.game)}{locked}  {table.address}"


def as_json(table: FoundTable) -> str:
    """Return a table as one JSON object; its link works with ``join``."""
    return json.dumps({**asdict(table), "link": link_of(table.address, table.code)}, ensure_ascii=False)


async def look(code: str | None = None) -> list[FoundTable]:
    """Return the network's tables by code, or only those with one code."""
    from .mdns import find  # noqa: PLC0415 - unused when an address is given

    tables = []
    seconds = CODE_SECONDS if code else LOOK_SECONDS
    async with aclosing(find(seconds, patience=PATIENCE_SECONDS, code=code)) as found:
        async for table in found:
            tables.append(table)  # noqa: PERF401 - an asynchronous comprehension would not be closed
    return sorted(tables, key=lambda table: (table.code, table.url))


async def place(
    url: str | None, code: str | None, write: Callable[[str], None], *, asks: bool
) -> tuple[str, str] | None:
    """Return the address and code of a table, by searching and asking for what is missing.

    Args:
        url: the address, if given.
        code: the code, if given.
        write: prints a line.
        asks: whether the user can be asked.

    Returns:
        ``None`` if there are several tables and the user chose none.

    Raises:
        ConnectionFailed: there is no such table on this network.

    """
    if url is not None and code is not None:
        return url, code
    sys.stderr.write("looking for tables on this network...\n")
    tables = await look(code)
    if not tables and code is not None:
        others = [f"\n  {table_line(table)}" for table in await look()]
        there = f"There are:{''.join(others)}" if others else NOTHING
        raise ConnectionFailed(f"No table {code.upper()} was found on this network.\n{there}")
    if not tables:
        raise ConnectionFailed(NOTHING)
    if len(tables) == 1:
        write(f"found {table_line(tables[0])}")
        return tables[0].address, tables[0].code
    for number, table in enumerate(tables, 1):
        write(f"{number:3}  {table_line(table)}")
    if not asks:
        sys.stderr.write(
            "racing-demon: there are several tables. Name one by its code, or by its address and code.\n"
        )
        return None
    chosen = await choose(tables, write)
    return (chosen.address, chosen.code) if chosen is not None else None


async def choose(tables: Sequence[FoundTable], write: Callable[[str], None]) -> FoundTable | None:
    """Ask the user to choose a table until the answer is valid; ``None`` at the end of the input."""
    while True:
        write(f"Which one? Type 1 to {len(tables)}, or q.")
        line = await read_line(sys.stdin)
        answer = line.strip()
        if not line or answer in {"q", "quit"}:
            return None
        if answer.isdecimal() and len(answer) < 4 and 1 <= int(answer) <= len(tables):
            return tables[int(answer) - 1]
        codes = [table for table in tables if table.code == answer.upper()]
        if len(codes) == 1:
            return codes[0]
