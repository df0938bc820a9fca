"""The briefing before the first deal: the moves, the end of a hand, and the scoring."""

from collections.abc import Iterator

from racing_demon_client.shared.option_text import value_text
from racing_demon_protocol.engine.cards import KING
from racing_demon_protocol.engine.specification import Game, Goal, Racing, Stock, SuitRule, Tableau, Waste
from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.options import Options

SUITS = {
    SuitRule.SAME: "in suit",
    SuitRule.ALTERNATE: "in alternate colors",
    SuitRule.ANY: "in any suit",
}
ENDS = {
    Goal.ALL_ON_FOUNDATIONS: "somebody is out of cards",
    Goal.RESERVE_EMPTY: "somebody's reserve is empty",
    Goal.FOUNDATIONS_FULL: "somebody's foundations are full",
    Goal.OWN_RULE: "somebody has reached the goal",
}


def brief(options: Options, limit_ms: int | None = None) -> Iterator[str]:
    """Yield three short paragraphs on a table's game: the goal, the player's cards, the end.

    Args:
        options: the table's options.
        limit_ms: the time limit of a hand in milliseconds, if there is one.

    """
    game = declare(options, 1)
    if game.racing is Racing.SHARED:
        yield "Build on the shared foundations, ace to king. The first card to arrive stays."
    else:
        yield game.text.partition(". ")[0].rstrip(".") + "."
    yield " ".join(sentence for group in game.groups for sentence in _own_cards(game, group))
    late = "" if limit_ms is None else ", or after " + value_text("time_limit_ms", limit_ms)
    end = f"The hand ends when {ENDS[game.goal]}, or nobody can play on{late}."
    yield end if game.racing is Racing.SOLO else f"{end} {_counts(game)}"


def _own_cards(game: Game, group: object) -> Iterator[str]:
    if isinstance(group, Tableau):
        if len(group.build) == 1 and group.build[0].delta in {-1, 1}:
            way = "down" if group.build[0].delta == -1 else "up"
            yield f"Columns build {way} {SUITS[group.build[0].suit]}."
        space = group.space
        if () in {space.takes, group.takes}:
            yield "Spaces stay empty."
        elif space.ranks == frozenset({KING}):
            yield "Only kings fill spaces."
        elif space.fill:
            yield "The reserve fills spaces automatically."
        elif (space.takes, space.ranks) == (None, None):
            yield "Any card fills a space."
    elif isinstance(group, Stock) and any(isinstance(other, Waste) for other in game.groups):
        cards = "one card" if group.turn == 1 else f"{group.turn} cards"
        yield f"The stock turns {cards} at a time."


def _counts(game: Game) -> str:
    scoring = game.scoring
    counts = [f"A card up counts {scoring.foundation_card}"]
    if scoring.reserve_card:
        counts.append(f"one left in the reserve {scoring.reserve_card}")
    if scoring.out_bonus:
        counts.append(f"going out {scoring.out_bonus} more")
    return ", ".join(counts) + "."
