"""The rules of a game in words: every field of its declaration as a sentence, and nothing of its name."""

from collections.abc import Iterator

from racing_demon_protocol.declaration import Game, Racing

__all__ = ["kind_of", "rules_of"]

KINDS = {
    Racing.SHARED: "around shared foundations",
    Racing.IDENTICAL: "on identical deals",
    Racing.REFLEX: "for quick hands: no choice",
    Racing.TOGETHER: "two play together",
    Racing.SOLO: "alone only",
}


def kind_of(game: Game) -> str:
    """Return in a few words how several may play a game."""
    return KINDS[game.racing]


def rules_of(game: Game) -> Iterator[str]:
    """Yield the rules of a game, line by line."""
    yield f"{game.title} ({game.source})"
    yield game.text
