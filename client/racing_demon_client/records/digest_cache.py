"""A cache of matches' digests: reading a thousand records takes long, reading their digests does not.

It is a file in this machine's cache folder, and is rebuilt when lost.
"""

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path
from pydantic import TypeAdapter, ValidationError

from racing_demon_client.files import replace_file
from racing_demon_protocol.records.format import Record
from racing_demon_protocol.records.summary import VERSION, Digest, digests

MOST_KEPT: Final = 100_000
MOST_BYTES: Final = 512 * 2**20
DIGESTS: Final = TypeAdapter(tuple[Digest, ...])


def cache_path() -> Path:
    """Return the path of the cache."""
    return user_cache_path("racing-demon", appauthor=False) / "digests"


def key_of_file(path: str) -> str:
    """Return a key for a verified file in its present state; it changes with the file.

    Raises:
        OSError: there is no such file.

    """
    state = os.stat(path)
    return key_of(f"proven\0{os.path.realpath(path)}\0{state.st_size}\0{state.st_mtime_ns}")


def key_of(text: str) -> str:
    """Return a short key for a text and the current version of digests."""
    return hashlib.sha256(f"{VERSION}\0{text}".encode(errors="surrogateescape")).hexdigest()[:32]


class DigestCache:
    """The cached digests, one record per line with its key first.

    Args:
        path: the file.

    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._texts: dict[str, str] = {}
        self._is_new = False
        with suppress(OSError, UnicodeDecodeError):
            if path.stat().st_size <= MOST_BYTES:
                lines = path.read_text(encoding="utf-8").splitlines()
                self._texts = {key: text for key, _, text in (line.partition(" ") for line in lines)}

    def find(self, key: str) -> tuple[Digest, ...] | None:
        """Return the digests under a key; ``None`` if there are no valid ones."""
        try:
            return DIGESTS.validate_json(self._texts[key])
        except (KeyError, ValidationError):
            return None

    def make(self, key: str, records: Iterable[Record], *, verified: bool) -> tuple[Digest, ...]:
        """Compute the digests of records, verified ones or all, and store them under a key.

        Raises:
            InvalidRecord: a record contradicts itself or, if it is verified, is not valid.

        """
        made = tuple(digests(records, verified=verified))
        self._texts.pop(key, None)
        self._texts[key] = DIGESTS.dump_json(made).decode()
        self._is_new = True
        return made

    def save(self) -> None:
        """Write the cache; a failure only means computing the digests again."""
        if self._is_new:
            latest = list(self._texts.items())[-MOST_KEPT:]
            with suppress(OSError):
                replace_file(self._path, "".join(f"{key} {text}\n" for key, text in latest).encode())
