"""The command ``racing-demon-server cluster``: lists, drains and fences servers that share a database."""

import argparse
import sys
from collections.abc import Iterable, Sequence

import psycopg

from racing_demon_cluster.postgres.connection import Database, connect
from racing_demon_cluster.postgres.nodes import fence
from racing_demon_cluster.postgres.schema import NOBODY, verify_version
from racing_demon_cluster.seed_encryption import KEY_ID_SIZE
from racing_demon_protocol.formatting import pluralize
from racing_demon_server.arguments import fail, journal, parser_of
from racing_demon_server.journal.interface import JournalUnusable

from .statements import Node, device_keys, key_uses, nodes, reassign_orphans, set_draining

EXAMPLES = """examples:
  racing-demon-server cluster status --journal postgresql://rd@db/rd     list servers and their tables
  racing-demon-server cluster drain n2 --journal postgresql://rd@db/rd   n2 hands over its tables, and stops
  racing-demon-server cluster fence n2 --journal postgresql://rd@db/rd   n2 can never write again

The status shows the keys of each server, the one that encrypts first, and how many of its tables need
which key. A key that nothing needs any more can be taken from all servers.

Use drain to stop a healthy server: each table moves when its hand ends. Use fence for a broken server that
the others still consider alive.

exit codes: 0 done, 1 there is no such server, 2 wrong arguments, 3 the database cannot be used
"""


def main(argv: Sequence[str]) -> int:
    """Run the command, and return the exit code."""
    arguments = _parser().parse_args(argv)
    try:
        with connect(arguments.journal) as db:
            verify_version(db)
            return _do(db, arguments)
    except JournalUnusable as error:
        return fail(3, error)
    except psycopg.Error as error:
        return fail(3, f"the database cannot be used: {str(error).splitlines()[0]}")


def _do(db: Database, arguments: argparse.Namespace) -> int:
    living = nodes(db)
    if arguments.command == "status":
        sys.stdout.write(_status(living, key_uses(db), device_keys(db)))
        return 0
    found = [node for node in living if arguments.node in {node.name, str(node.id)}]
    if not found:
        names = ", ".join(node.name for node in living) or "none"
        return fail(1, f"no server {arguments.node} is running; running servers: {names}.")
    for node in found:
        if arguments.command == "drain":
            set_draining(db, node.id)
            load = pluralize(node.load, "table")
            sys.stdout.write(f"{node.name} ({node.id}) hands over its {load}, and then stops\n")
        else:
            fence(db, node.id)
            moved = pluralize(reassign_orphans(db), "table")
            sys.stdout.write(f"{node.name} ({node.id}) is fenced; moved to other servers: {moved}\n")
    return 0


def _status(
    living: Sequence[Node], uses: Iterable[tuple[int, int, int]], devices: Iterable[tuple[str, int]]
) -> str:
    needed: dict[int, list[tuple[str, int]]] = {}
    for place, key, tables in uses:
        needed.setdefault(place, []).append((_hex(key), tables))
    rows = [["number", "name", "tables", "state", "version", "protocol", "address", "keys", "needs"]]
    for node in living:
        state = "draining" if node.draining else "playing"
        keys = ",".join(map(_hex, node.keys or ())) or "-"
        needs = _counted(needed.get(node.id, ()))
        row = node.id, node.name, node.load, state, node.version, node.protocol, node.url, keys, needs
        rows.append(list(map(str, row)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)) for row in rows]
    if NOBODY in needed:
        lines.append(f"tables that wait for a server with their keys: {_counted(needed[NOBODY])}")
    lines.append(f"keys of players' devices: {_counted(devices)}")
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _hex(key: int) -> str:
    return key.to_bytes(KEY_ID_SIZE).hex()


def _counted(keys: Iterable[tuple[str, int]]) -> str:
    return ",".join(f"{key}:{number}" for key, number in keys) or "-"


def _parser() -> argparse.ArgumentParser:
    text = "Show, drain and fence the servers that share a database."
    parser = parser_of("racing-demon-server cluster", text, EXAMPLES)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("status", "list the running servers"),
        ("drain", "let a server hand over its tables as their hands end, and then stop"),
        ("fence", "stop a server from ever writing again, and move its tables to others"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        if name != "status":
            command.add_argument("node", metavar="NODE", help="the server's name or number")
        command.add_argument(
            "--journal", type=_database, required=True, metavar="URL", help="the URL of the database"
        )
    return parser


def _database(text: str) -> str:
    """Return the URL of a database."""
    named = journal(text)
    if isinstance(named, str):
        return named
    raise argparse.ArgumentTypeError(
        "this is not the URL of a database: write one like postgresql://USER@HOST/DATABASE"
    )
