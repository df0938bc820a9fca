"""What tests of the server change of their process, and give back."""

import hashlib
import logging
from collections.abc import Iterator

import pytest

from racing_demon_server.ops.logs import NAME
from racing_demon_server.tables import passphrase as passphrases


@pytest.fixture
def logs_as_before() -> Iterator[None]:
    """Give the process its loggers back as they were."""
    root, own = logging.getLogger(), logging.getLogger(NAME)
    before = root.handlers[:], root.level, own.level
    yield
    root.handlers[:] = before[0]
    root.setLevel(before[1])
    own.setLevel(before[2])


@pytest.fixture
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passphrases with little work: how much is a subject of its own."""

    def quick(passphrase: str, salt: bytes) -> bytes:
        return passphrases.SCRYPT + hashlib.scrypt(passphrase.encode(), salt=salt, n=2, r=1, p=1, dklen=32)

    monkeypatch.setattr(passphrases, "slow_hash", quick)
