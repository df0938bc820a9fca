"""The tables that this user hosts on this machine.

If a host's terminal is closed, the table goes on in its own process, and the next ``racing-demon host`` takes
it up again. Only programs write the file. Invalid entries are ignored, and no problem with it ends a game.
"""

import contextlib
import json
import time
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from racing_demon_client.files import read_entries, replace_file, state_folder

MOST: Final = 8
LARGEST_FILE: Final = 16 * 1024
KEPT_SECONDS: Final = 12 * 3_600
"""A table that was opened longer ago is of another evening, and is not taken up again."""


class HostedTable(BaseModel):
    """A table on a server that this user has started."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: Annotated[str, Field(pattern=r"^[A-Z]{1,16}$")]
    """The table's code."""
    port: Annotated[int, Field(strict=True, ge=1, le=65_535)]
    """The server's port."""
    pid: Annotated[int, Field(strict=True, ge=1)]
    """The server's process, for people who look for it."""
    has_ipv6: bool
    """Whether the server listens on IPv6, too."""
    journal: str | None
    """The journal that was named; ``None`` for the usual one."""
    at: Annotated[float, Field(allow_inf_nan=False)]
    """When the table was opened, in seconds since 1970."""


def hosted_tables() -> tuple[HostedTable, ...]:
    """Return this evening's tables, newest first, without invalid entries."""
    found = []
    for entry in read_entries(_path(), LARGEST_FILE):
        with contextlib.suppress(ValidationError):
            found.append(HostedTable.model_validate(entry))
    return tuple(table for table in found if 0 <= time.time() - table.at < KEPT_SECONDS)[:MOST]


def keep_hosted(table: HostedTable) -> None:
    """Put a table first, replacing an older entry for it."""
    _write([table, *(old for old in hosted_tables() if old.code != table.code)])


def forget_hosted(code: str) -> None:
    """Forget a table that has ended."""
    _write([old for old in hosted_tables() if old.code != code])


def _write(tables: list[HostedTable]) -> None:
    # Where this cannot be written, a table only cannot be taken up again.
    with contextlib.suppress(OSError):
        replace_file(_path(), json.dumps([each.model_dump() for each in tables[:MOST]], indent=1).encode())


def _path() -> Path:
    return state_folder() / "hosted.json"
