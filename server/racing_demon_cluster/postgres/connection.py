"""Connections to the database: found by libpq's rules, with time-outs that notice a dead host."""

import re
from collections.abc import Iterator
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from racing_demon_server.journal.interface import JournalUnusable, StoreLacks
from racing_demon_server.setup_check import Finding, Verdict

NOW_MS: Final = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
"""The database's time, in milliseconds since 1970: that of its servers may be wrong."""
WRONG_MS: Final = 60_000
"""A server whose clock differs by more from the database's deletes nothing, and is not believed."""
Database = psycopg.Connection[tuple[Any, ...]]

DEFAULTS: Final = {
    "connect_timeout": 3,
    "keepalives_idle": 1,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": 3_000,
    "target_session_attrs": "read-write",
    "application_name": "racing-demon-server",
    "client_encoding": "UTF8",
}
"""Defaults of a connection, which the URL can change."""
SAY_WHO: Final = " Put the password into the variable PGPASSWORD, or into the file ~/.pgpass."

MAX_APART_SECONDS: Final = 2.0
"""Clocks that differ by more make times of matches wrong."""


def connect(url: str) -> Database:
    """Connect to the database of a URL; each statement is a transaction of its own.

    Raises:
        JournalUnusable: it cannot be reached, or cannot hold every text; the text contains no password.

    """
    try:
        chosen: dict[str, Any] = {**DEFAULTS, **conninfo_to_dict(url)}
    except psycopg.ProgrammingError:
        raise JournalUnusable(
            "The journal's URL is not understood: write one like postgresql://USER@HOST/DATABASE."
        ) from None
    try:
        db = psycopg.connect(
            make_conninfo(**{**chosen, "options": _options(chosen)}),
            autocommit=True,
            cursor_factory=psycopg.RawCursor,
        )
    except psycopg.Error as error:
        is_unknown = error.pgconn is not None and error.pgconn.needs_password
        raise JournalUnusable(
            f"The database {described(url)} cannot be used: {str(error).strip().splitlines()[-1]}."
            + (SAY_WHO if is_unknown else "")
        ) from None
    encoding, name = db.info.parameter_status("server_encoding"), db.info.dbname
    if encoding != "UTF8":
        db.close()
        raise JournalUnusable(
            f"The database {described(url)} has the encoding {encoding}, which cannot hold names of all "
            f"languages. Make another: createdb --encoding=UTF8 --template=template0 {name}"
        )
    return db


def _options(chosen: dict[str, Any]) -> str:
    """Return the session's settings: a commit waits for the standby, however long that takes.

    The database notices within half a minute that a client's host has died, and not after hours.
    """
    alive = "-c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
    return f"{chosen.get('options', '')} -c synchronous_commit=on -c statement_timeout=0 {alive}".strip()


def numbered(sql: str) -> str:
    """Return a statement of ours with parameters as PostgreSQL has them: ``$1``, ``$2``..."""
    return sql.replace("?", "$")


def described(url: str) -> str:
    """Return a URL without its password, for messages."""
    return re.sub(r"(://[^/@:]*):[^@/]*@", r"\1@", re.sub(r"password=[^&]*", "password=", url))


def verify_standby(db: Database) -> None:
    """Verify that commits wait for a standby.

    Raises:
        StoreLacks: none is configured.

    """
    if not _standby_names(db):
        raise StoreLacks(
            "The database has no synchronous standby (synchronous_standby_names is empty): if its host dies, "
            "plays that players have seen are lost. Set one up, or accept that with --allow-no-standby."
        )


def lock_holders(db: Database, backend: int) -> str:
    """Return which sessions hold a lock that a connection waits for; empty if it waits for none.

    Args:
        db: another connection.
        backend: the process of the one that waits.

    """
    row = db.execute(
        "SELECT string_agg(format('session %s of %s, %s for %s s', pid, "
        "coalesce(nullif(application_name, ''), usename), state, "
        "extract(epoch FROM now() - state_change)::int), '; ') "
        "FROM pg_stat_activity WHERE pid = ANY(pg_blocking_pids($1))",
        (backend,),
    ).fetchone()
    assert row is not None
    return str(row[0] or "")


def missing_standby(db: Database) -> str:
    """Return which standby commits have been waiting for longer than healthy ones do; empty if none has."""
    waiting = db.execute(
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() "
        "AND wait_event = 'SyncRep' AND query_start < now() - interval '1 second')"
    )
    if waiting.fetchone() != (True,):
        return ""
    return (
        f"The database's commits wait for a synchronous standby (synchronous_standby_names = "
        f"'{_standby_names(db)}'), and none follows: start one of these, or name another. "
        "Play resumes by itself."
    )


def check_database(url: str, now: float, *, needs_standby: bool) -> Iterator[Finding]:
    """Yield what is right and wrong with a database: its standby, and its clock.

    Args:
        url: where it is.
        now: this machine's time, in seconds since 1970.
        needs_standby: whether commits have to wait for a standby.

    Raises:
        JournalUnusable: it cannot be reached.
        StoreLacks: it has no standby.

    """
    with connect(url) as db:
        row = db.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone()
        assert row is not None
        if needs_standby:
            verify_standby(db)
        if missing := missing_standby(db):
            yield Finding(Verdict.PROBLEM, "database", missing)
        if abs(apart := row[0] - now) > MAX_APART_SECONDS:
            text = f"the database's clock and this machine's are {apart:+.1f} s apart: let both follow NTP."
            yield Finding(Verdict.WARNING, "clock", text)
        yield Finding(Verdict.OK, "database", f"{described(url)} can be used.")


def _standby_names(db: Database) -> str:
    return str((db.execute("SHOW synchronous_standby_names").fetchone() or ("",))[0])
