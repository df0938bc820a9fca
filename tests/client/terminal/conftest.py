"""What the tests of the terminal client share."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from racing_demon_client.terminal.sessions import TableSession


class Folders(NamedTuple):
    """Where a player's files are kept."""

    settings: Path
    recent_tables: Path


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let keys mean what they mean at once after a hand: tests wait for screens, and not for fingers."""
    monkeypatch.setattr(TableSession, "debounce_ms", 0)


@pytest.fixture(scope="session")
def _places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield folders that are not there yet: most tests need none, and to make each takes its time."""
    base = tmp_path_factory.mktemp("folders")
    return (base / str(number) for number in count())


@pytest.fixture(autouse=True)
def folders(_places: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Folders:
    """Give each test settings and tables of late of its own."""
    place = next(_places)
    monkeypatch.setenv("RACING_DEMON_CONFIG", str(place / "config"))
    monkeypatch.setenv("RACING_DEMON_STATE", str(place / "state"))
    return Folders(place / "config" / "settings.toml", place / "state" / "recent.json")
