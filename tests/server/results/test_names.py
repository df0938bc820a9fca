"""Who players are now, as results show them: read again only where something has changed."""

from typing import Final

import pytest

from racing_demon_protocol.wire.player_proof import secret_hash
from racing_demon_server.journal.matches import FORMER
from racing_demon_server.players import store
from racing_demon_server.players.directory import Directory
from racing_demon_server.players.file import PlayersFile
from racing_demon_server.results.names import Names

NOW: Final = 1_796_000_000_000


def enroll(directory: Directory, number: int) -> str:
    """Make a player, and return the id."""
    key = secret_hash(f"{number:064x}")
    player, _ = directory.enroll(f"P{number}", key, "", NOW, number.to_bytes(16))
    return player.id


def test_names_follow_what_changes() -> None:
    """New players and names change nobody; merging does, and what becomes of the merged."""
    kept = PlayersFile(None, "5e" * 32)
    directory, names = Directory(kept), Names(kept)
    ann, ben = enroll(directory, 1), enroll(directory, 2)
    assert not names.reload()
    cat = enroll(directory, 3)
    assert not names.reload()
    assert [names.canonical(each) for each in (ann, ben, cat)] == [ann, ben, cat]
    directory.set_name(ann, "Anna")
    before = names.version
    assert not names.reload()
    assert (names.name(ann), names.version > before) == ("Anna", True)
    directory.merge(ben, ann)
    directory.merge(cat, ben)
    assert names.reload()
    assert [names.canonical(each) for each in (ann, ben, cat)] == [ann] * 3
    directory.forget(ann)
    assert names.reload()
    assert [names.canonical(each) for each in (ann, ben, cat)] == ["", "", ""]
    assert [names.shown(each) for each in (ann, ben)] == [FORMER] * 2
    assert not names.reload()


@pytest.mark.long
def test_names_are_right_after_more_changes_than_are_listed() -> None:
    """Whoever has missed changes that are no longer listed reads everything again."""
    kept = PlayersFile(None, "5e" * 32)
    directory, names = Directory(kept), Names(kept)
    ann, ben = enroll(directory, 1), enroll(directory, 2)
    names.reload()
    directory.merge(ann, ben)
    with kept.transaction():
        for number in range(store.KEPT_CHANGES + 10):
            directory.set_name(ben, f"Ben {number}")
    assert names.reload()
    assert names.canonical(ann) == ben
