"""Recent tables, which the welcome screen offers to rejoin.

Only programs write this file. Invalid entries are ignored, and no problem with it ends a game.
"""

import contextlib
import json
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from racing_demon_protocol.constants import WEBSOCKET_PATH

from .files import read_entries, replace_file, shown, state_folder

MOST: Final = 8
LARGEST_FILE: Final = 64 * 1024


def _without_secrets(url: str) -> str:
    """Return an address without user name, password, query and fragment."""
    scheme, mark, rest = url.partition("://") if "://" in url else ("", "", url)
    rest = rest.rpartition("@")[2].partition("?")[0].partition("#")[0]
    rest = rest.rstrip("/").removesuffix(WEBSOCKET_PATH)
    if not rest:
        raise ValueError("no address")
    return scheme + mark + rest


def _dated(text: str) -> str:
    datetime.fromisoformat(text)
    return text


Shown = AfterValidator(shown)


class Recent(BaseModel):
    """A table that this user was at."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: Annotated[str, Field(min_length=1, max_length=512), Shown, AfterValidator(_without_secrets)]
    """The server's address, as a user may type it; credentials are not stored."""
    code: Annotated[str, Field(min_length=1, max_length=16), Shown]
    """The table's code."""
    name: Annotated[str, Field(max_length=64), Shown]
    """The player's name there."""
    how: Literal["joined", "watched", "hosted"]
    """How the table was opened."""
    at: Annotated[str, Field(max_length=40), Shown, AfterValidator(_dated)]
    """When that was, in ISO 8601."""

    @classmethod
    def now(cls, url: str, code: str, name: str, how: str) -> Self | None:
        """Return the table opened now, or ``None`` if it cannot be stored.

        The code comes from a server and the rest from users, so both are checked.
        """
        at = datetime.now().astimezone().isoformat(timespec="seconds")
        try:
            return cls.model_validate({"url": url, "code": code, "name": name, "how": how, "at": at})
        except ValidationError:
            return None


def recents_path() -> Path:
    """Return the path of the file."""
    return state_folder() / "recent.json"


def recents(path: Path) -> tuple[Recent, ...]:
    """Return the recent tables, newest first, without invalid entries."""
    found: dict[tuple[str, str], Recent] = {}
    for entry in read_entries(path, LARGEST_FILE):
        with contextlib.suppress(ValidationError):
            recent = Recent.model_validate(entry)
            found.setdefault((recent.url, recent.code), recent)
    return tuple(found.values())[:MOST]


def remember(path: Path, recent: Recent) -> None:
    """Put a table first, replacing an older entry for it."""
    others = [old for old in recents(path) if (old.url, old.code) != (recent.url, recent.code)]
    lines = [each.model_dump() for each in [recent, *others][:MOST]]
    # A full disk or a read-only home costs a shortcut, not the game.
    with contextlib.suppress(OSError):
        replace_file(path, json.dumps(lines, ensure_ascii=False, indent=1).encode())
