"""Opens the store of a journal: the path of a file, or the URL of a database, names it."""

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from racing_demon_cluster.seed_encryption import ClusterKeys
from racing_demon_server.settings import ServerSettings

from .interface import JournalReader, JournalUnusable, Store
from .sqlite.database import journals_of, reading
from .sqlite.store import SqliteStore


class JournalPart(NamedTuple):
    """One journal of a server, which has one for each of its processes.

    Attributes:
        prefix: the prefix of its matches' names among those of the server.
        opened: opens it for reading, or for corrections as well (``write``); raises JournalUnusable.

    """

    prefix: str
    opened: Callable[..., AbstractContextManager[JournalReader]]


def open_store(settings: ServerSettings) -> Store:
    """Open the journal of a server's settings.

    Raises:
        JournalUnusable: it cannot be used.

    """
    journal = settings.journal
    assert journal is not None
    if isinstance(journal, Path):
        return SqliteStore(journal, settings.durability)
    try:
        from racing_demon_cluster.postgres.store import PostgresStore  # noqa: PLC0415 - psycopg is an extra
    except ImportError:
        raise _missing() from None
    name, urls = settings.node or socket.gethostname(), settings.public_urls
    return PostgresStore(
        journal,
        name,
        settings.cluster_keys,
        public_url=urls[0] if urls else "",
        needs_standby=settings.needs_standby,
        letters=settings.code_letters,
    )


def parts_of(journal: Path | str, keys: Sequence[bytes] = ()) -> Iterator[JournalPart]:
    """Yield the journals of a server; keys unmask the seeds in a database, where these are asked for.

    Raises:
        JournalUnusable: no database can be used here.

    """
    if isinstance(journal, Path):
        for prefix, path in journals_of(journal):
            yield JournalPart(prefix, partial(reading, path))
        return
    try:
        from racing_demon_cluster.postgres.store import reading as reading_database  # noqa: PLC0415 - psycopg is an extra
    except ImportError:
        raise _missing() from None
    yield JournalPart("", lambda **_: reading_database(journal, ClusterKeys(keys)))


def _missing() -> JournalUnusable:
    return JournalUnusable(
        "A journal in PostgreSQL needs psycopg: install it with pip install 'racing-demon[cluster]'."
    )
