"""What the tests of the terminal client share."""

from pathlib import Path
from typing import NamedTuple

import pytest

from racing_demon_client.terminal.session import TableSession

__all__ = ["Folders"]


class Folders(NamedTuple):
    """Where a player's files are kept."""

    settings: Path
    recents: Path


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let keys mean what they mean at once after a hand: tests wait for screens, and not for fingers."""
    monkeypatch.setattr(TableSession, "settle_ms", 0)


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folders:
    """Give each test settings and tables of late of its own."""
    monkeypatch.setenv("RACING_DEMON_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("RACING_DEMON_STATE", str(tmp_path / "state"))
    return Folders(tmp_path / "config" / "settings.toml", tmp_path / "state" / "recent.json")
