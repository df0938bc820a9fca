"""Lines as wide as the terminal."""

import pytest

from racing_demon_client.plain import solo, typed_commands
from racing_demon_client.plain.line_wrap import folded
from racing_demon_client.plain.picture import laid
from racing_demon_protocol.games import GAMES
from tests.support.dealt import Dealt


@pytest.mark.parametrize("text", [solo.HELP, typed_commands.HELP])
def test_the_help_fits(text: str) -> None:
    """On a terminal of 80 columns no line of the help is broken."""
    lines = text.splitlines()
    assert lines == list(folded(lines, 80))


@pytest.mark.parametrize("width", [40, 57, 80])
@pytest.mark.parametrize("game", ["blockade", "trios", "clock"])
def test_piles_stay_whole(game: str, width: int) -> None:
    """A list of piles is broken between two of them: what each is called stays with its cards."""
    hand = Dealt(GAMES[game])
    lines = laid(hand.rules, hand.board, 0)
    shown = list(folded(lines, width))
    assert max(map(len, shown)) <= width
    entries = [entry for line in lines for entry in line.split("  ")]
    assert entries == [entry for line in _joined(shown) for entry in line.split("  ")]


def _joined(lines: list[str]) -> list[str]:
    whole: list[str] = []
    for line in lines:
        if line.startswith("   "):
            whole[-1] += "  " + line.strip()
        else:
            whole.append(line)
    return whole


def test_no_word_is_broken() -> None:
    """One long entry is broken between its words."""
    assert list(folded(["a word and another one"], 20)) == ["a word and another", "   one"]
