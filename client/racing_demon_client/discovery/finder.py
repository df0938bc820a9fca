"""Find a table: on the network, or among those that a server lists."""

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import asdict
from typing import Final

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.links import table_link
from racing_demon_client.net.server_query import FoundTable
from racing_demon_client.shared.rules_text import title_of
from racing_demon_client.streams import read_line
from racing_demon_protocol.formatting import pluralize, printable

SEARCH_SECONDS: Final = 1.5
"""How long to look for more tables after finding one, in seconds."""
CODE_SEARCH_SECONDS: Final = 0.8
"""The same when the code is known: only an impostor could still be found."""
FIRST_TABLE_SECONDS: Final = 4.0
"""How long to wait for the first table; bad wireless networks may lose the first query."""

WITHOUT_SEARCH: Final = (
    "Nobody may be hosting one now, the host may be on another network, or the network may block the search "
    "(guest networks often do).\nAsk the host for the link that the lobby shows: racing-demon join LINK\n"
    "To open a table yourself: racing-demon host"
)
"""Why none may be found, and what to do."""
NO_TABLES: Final = f"No table was found on this network. {WITHOUT_SEARCH}"


def table_line(table: FoundTable) -> str:
    """Return a table in one line."""
    whose = f"{table.host}'s table" if table.host else "a table"
    words = [whose, title_of(table.game)]
    if table.free is not None:
        words.append(f"{pluralize(table.free, 'seat')} free" if table.free else "full")
    if table.needs_passphrase:
        words.append("with a passphrase")
    return f"{table.code}  {', '.join(words)}  {printable(table.address)}"


def empty_list_text(address: str) -> str:
    """Return why a server's list may be empty, and what to do."""
    return (
        f"The server at {printable(address)} lists no tables. There may be none, or it may not list them "
        "(--list-tables).\nIf you know a table's code: racing-demon join ADDRESS CODE"
    )


def as_json(table: FoundTable) -> str:
    """Return a table as one JSON object; its link works with ``join``."""
    return json.dumps({**asdict(table), "link": table_link(table.address, table.code)}, ensure_ascii=False)


async def find_tables(code: str | None = None) -> list[FoundTable]:
    """Return the network's tables by code, or only those with one code."""
    from .mdns import find  # noqa: PLC0415 - unused when an address is given

    tables = []
    seconds = CODE_SEARCH_SECONDS if code else SEARCH_SECONDS
    async with aclosing(find(seconds, patience=FIRST_TABLE_SECONDS, code=code)) as found:
        async for table in found:
            tables.append(table)  # noqa: PERF401 - an asynchronous comprehension would not be closed
    return sorted(tables, key=lambda table: (table.code, table.url))


async def resolve_table(
    url: str | None, code: str | None, write: Callable[[str], None], *, asks: bool, sits: bool = False
) -> tuple[str, str] | None:
    """Return the address and code of a table, by searching and asking for what is missing.

    Args:
        url: the address, if given.
        code: the code, if given.
        write: prints a line.
        asks: whether the user can be asked.
        sits: whether the table must have a free seat, where that is known.

    Returns:
        ``None`` if there are several tables and the user chose none.

    Raises:
        ConnectionFailed: there is no such table on this network, or at this server.

    """
    if url is not None and code is not None:
        return url, code
    tables = await _at_server(url, sits=sits) if url is not None else await _on_network(code)
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
    chosen = await ask_which_table(tables, write)
    return (chosen.address, chosen.code) if chosen is not None else None


async def _on_network(code: str | None) -> list[FoundTable]:
    """Return the network's tables, at least one.

    Raises:
        ConnectionFailed: there is none.

    """
    sys.stderr.write("looking for tables on this network...\n")
    tables = await find_tables(code)
    if not tables and code is not None:
        others = [f"\n  {table_line(table)}" for table in await find_tables()]
        there = f"There are:{''.join(others)}" if others else f"Nor was another. {WITHOUT_SEARCH}"
        raise ConnectionFailed(f"No table {code.upper()} was found on this network.\n{there}")
    if not tables:
        raise ConnectionFailed(NO_TABLES)
    return tables


async def _at_server(address: str, *, sits: bool) -> list[FoundTable]:
    """Return the tables that a server lists, at least one; only those with a free seat, for who sits.

    Raises:
        ConnectionFailed: there is none, or the server cannot be reached.

    """
    from racing_demon_client.net.server_query import fetch_tables  # noqa: PLC0415 - unused on the network

    tables = await fetch_tables(address)
    if not tables:
        raise ConnectionFailed(empty_list_text(address))
    free = [table for table in tables if table.free] if sits else tables
    if not free:
        raise ConnectionFailed(
            f"All seats at the tables of {printable(address)} are taken. Wait for one, "
            "or open a table there: racing-demon host --server ADDRESS"
        )
    return free


async def ask_which_table(tables: Sequence[FoundTable], write: Callable[[str], None]) -> FoundTable | None:
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
