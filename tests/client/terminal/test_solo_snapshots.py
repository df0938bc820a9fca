"""Ten very different games as they are drawn, on a small and a larger screen: read the difference.

``pytest tests/client/terminal/test_solo_snapshots.py --snapshot-update`` writes them anew, a file a game.
"""

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from tests.support.solitaire import Alone, moments

GAMES = (
    "clock",
    "sultan",
    "windmill",
    "knaves-dial",
    "corners",
    "flower-garden",
    "fifteen-in-a-row",
    "fourteen",
    "push-pin",
    "sympathy-alone",
)
PLAYS = 20


class TextFile(SingleFileSnapshotExtension):
    """A snapshot in a text file of its own."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_drawn_as_it_was(game: str, snapshot: SnapshotAssertion) -> None:
    """At the same moment of the same deal."""
    *_, table = moments(game, 1, PLAYS, 1)
    player = Alone(table)
    pictures = [player.draw(size).text() for size in ((80, 24), (120, 40))]
    assert snapshot.use_extension(TextFile) == "\n\n".join(pictures) + "\n"
