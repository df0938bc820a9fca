"""What a player is told before the first deal."""

import pytest

from racing_demon_client.shared.briefing import brief
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.options import Options


def briefing(**options: object) -> str:
    """Return the whole briefing of a game."""
    return " ".join(brief(Options.model_validate(options)))


def test_the_usual_game_is_explained() -> None:
    """How columns build, what fills a space, how the stock turns, what ends a hand and what it counts."""
    assert briefing() == (
        "Build on the shared foundations, ace to king. The first card to arrive stays. "
        "The stock turns 3 cards at a time. Columns build down in alternate colors. Only kings fill spaces. "
        "The hand ends when somebody is out of cards, or nobody can play on. "
        "A card up counts 1, going out 10 more."
    )


def test_the_classic_game_is_explained_by_its_own_rules() -> None:
    """In the classic game the reserve ends the hand, and what is left of it costs points."""
    told = briefing(game="classic")
    assert "The hand ends when somebody's reserve is empty" in told
    assert "one left in the reserve -2" in told


def test_options_are_told_as_they_are() -> None:
    """A table that turns cards one by one says so."""
    assert "The stock turns one card at a time." in briefing(turn=1)


def test_the_time_limit_is_told() -> None:
    """Where a hand ends after some time, that is told with what else ends it."""
    told = " ".join(brief(Options(), 300_000))
    assert "when somebody is out of cards, or nobody can play on, or after 5 min." in told


@pytest.mark.parametrize("game", GAMES)
def test_every_game_says_what_ends_it(game: str) -> None:
    """Each game has a briefing, in sentences, that tells what ends a hand."""
    paragraphs = list(brief(Options(game=game)))
    assert len(paragraphs) == 3
    assert "ends when" in paragraphs[2]
    assert all(each.endswith(".") for each in paragraphs if each)
