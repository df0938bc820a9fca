"""From no address, or only a code, to a table: what the network has, and which of it is meant."""

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

__all__ = ["NOTHING", "as_json", "choose", "look", "place", "told"]

LOOK_SECONDS: Final = 1.5
"""So long for others to be found, too, once there is a table."""
CODE_SECONDS: Final = 0.8
"""The same where the code is known: only somebody who pretends to it is still to be found."""
PATIENCE_SECONDS: Final = 4.0
"""So long for the first; on a bad wireless network the first question may be lost."""

NOTHING: Final = (
    "No table was found on this network. It may be that nobody hosts one, or that this network does not "
    "carry such questions (guest networks often do not).\nWhoever hosts a table sees its address: "
    "racing-demon join http://ADDRESS:5252/CODE"
)


def told(table: FoundTable) -> str:
    """Return a table in one line."""
    locked = ", with a passphrase" if table.needs_passphrase else ""
    return f"{table.code}  {table.host}'s table, {title_of(table.game)}{locked}  {table.address}"


def as_json(table: FoundTable) -> str:
    """Return a table as one JSON object; its link is what ``join`` takes."""
    return json.dumps({**asdict(table), "link": link_of(table.address, table.code)}, ensure_ascii=False)


async def look(code: str | None = None) -> list[FoundTable]:
    """Return the tables of this network, in the order of their codes; or only those with one code."""
    from .mdns import find  # noqa: PLC0415 - who has an address needs no multicast

    tables = []
    seconds = CODE_SECONDS if code else LOOK_SECONDS
    async with aclosing(find(seconds, patience=PATIENCE_SECONDS, code=code)) as found:
        async for table in found:
            tables.append(table)  # noqa: PERF401 - an asynchronous comprehension would not be closed
    return sorted(tables, key=lambda table: (table.code, table.url))


async def place(
    url: str | None, code: str | None, write: Callable[[str], None], *, asks: bool
) -> tuple[str, str] | None:
    """Return the address and code of a table, by looking and asking where they are not given.

    Args:
        url: the address, if it was given.
        code: the code, if it was given.
        write: takes what is to be read, line by line.
        asks: whether somebody is there who can choose.

    Returns:
        ``None`` where there are several tables and nobody chose one.

    Raises:
        ConnectionFailed: there is no such table on this network.

    """
    if url is not None and code is not None:
        return url, code
    sys.stderr.write("looking for tables on this network...\n")
    tables = await look(code)
    if not tables and code is not None:
        others = [f"\n  {told(table)}" for table in await look()]
        there = f"There are:{''.join(others)}" if others else NOTHING
        raise ConnectionFailed(f"No table {code.upper()} was found on this network.\n{there}")
    if not tables:
        raise ConnectionFailed(NOTHING)
    if len(tables) == 1:
        write(f"found {told(tables[0])}")
        return tables[0].address, tables[0].code
    for number, table in enumerate(tables, 1):
        write(f"{number:3}  {told(table)}")
    if not asks:
        sys.stderr.write(
            "racing-demon: there are several; name one by its code, or by its address and code.\n"
        )
        return None
    chosen = await choose(tables, write)
    return (chosen.address, chosen.code) if chosen is not None else None


async def choose(tables: Sequence[FoundTable], write: Callable[[str], None]) -> FoundTable | None:
    """Ask which of several tables is meant, until that is clear; ``None`` if nobody says."""
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
