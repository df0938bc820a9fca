"""What is played at a table, in a sentence: ``Nerts, first to 100 · three cards at a time · hints on``.

The page says the same: `protocol/generate.py` writes the phrases, and what the presets stand for, for it.
"""

from collections.abc import Collection
from typing import Final, NamedTuple

from racing_demon_protocol.constants import MAX_HANDS, MAX_SEATS
from racing_demon_protocol.engine.specification import Game, Stock, Tableau, Waste
from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.games import GAMES, GROUP_OPTIONS, declare
from racing_demon_protocol.wire.options import NEUTRAL, MatchScore, Options
from racing_demon_protocol.wire.presets import LENGTH, nearest_preset, usual_options

from .option_text import TEXTS, called, value_text

DOT: Final = " · "
PHRASES: Final = {
    "points": "first to {}",
    "won": "first to win {} hands",
    "within": "{} in {} hands",
    "one": "one hand",
    "hands": "{} hands",
    "hand": "hand {}",
    "of": "hand {} of {}",
    "last": "the last hand",
    "turn_one": "one card at a time",
    "turn": "{} cards at a time",
    "hints": "hints on",
    "casual": "in no standings",
    "known": "a known deal",
    "reserve": "{} per reserve card",
}
"""What the sentences are made of."""
COUNTS: Final = ("no", "one", "two", "three", "four", "five")
SAID: Final = LENGTH - {"win_lead"}
"""The options that the title says already."""


class Change(NamedTuple):
    """A house rule: what a table does otherwise than its preset.

    Attributes:
        option: the option's name.
        text: the rule.
        usual: what it replaces, in a word or two; empty if that goes without saying.

    """

    option: str
    text: str
    usual: str


def is_open(options: Options) -> bool:
    """Return whether a match goes on until somebody has the total, however many hands that takes."""
    return options.target is not None and options.hands == MAX_HANDS


def length_text(options: Options) -> str:
    """Return how long a match is: ``first to 100``, ``one hand`` or ``5 hands``."""
    if options.target is None:
        return PHRASES["one"] if options.hands == 1 else PHRASES["hands"].format(options.hands)
    goal = PHRASES["won" if options.match_score is MatchScore.HANDS else "points"].format(options.target)
    return goal if is_open(options) else PHRASES["within"].format(goal, options.hands)


def hand_text(hand: int, options: Options, between: str = DOT, last_hand: int = 0) -> str:
    """Return which hand of a match this is: ``hand 3 · first to 100``, ``hand 3 of 5`` or ``one hand``.

    Args:
        hand: the hand's number.
        options: the table's options.
        between: what stands between the two parts.
        last_hand: the number of the hand that the host has made the last; 0 without one.

    """
    if 0 < last_hand <= hand:
        return PHRASES["hand"].format(hand) + between + PHRASES["last"]
    if options.hands == 1:
        return PHRASES["one"]
    if not is_open(options):
        return PHRASES["of"].format(hand, options.hands)
    return PHRASES["hand"].format(hand) + between + length_text(options)


def name_text(options: Options) -> str:
    """Return what people call a table's game: its preset's title, or the game's own."""
    preset = nearest_preset(options)
    if preset is not None:
        return preset.title
    return GAMES[options.game].title if options.game in GAMES else options.game


def title_text(options: Options) -> str:
    """Return what is played, and for how long: ``Nerts, first to 100``."""
    return f"{name_text(options)}, {length_text(options)}"


def terms(options: Options, players: int = MAX_SEATS, *, known_deal: bool = False) -> list[str]:
    """Return what else to know before the first card: ``three cards at a time``, ``hints on``."""
    turn = _turn(options, players)
    return [
        *([PHRASES["turn_one"] if turn == 1 else PHRASES["turn"].format(COUNTS[turn])] if turn else []),
        *([PHRASES["reserve"].format(cost)] if (cost := _reserve_cost(options)) else []),
        *([PHRASES["hints"]] if options.hints else []),
        *([PHRASES["casual"]] if options.casual else []),
        *([PHRASES["known"]] if known_deal else []),
    ]


def _turn(options: Options, players: int) -> int:
    """Return how many cards are turned at a time; zero where none are, or the game is unknown."""
    game = _declared(options, players)
    stocks = [] if game is None else [group for group in game.groups if isinstance(group, Stock)]
    turns = game is not None and any(isinstance(group, Waste) for group in game.groups)
    return stocks[0].turn if stocks and turns and not stocks[0].rounds else 0


def changes(options: Options) -> list[Change]:
    """Return the house rules of a table: where it differs from its preset, but for a match's length.

    They come in the order of forms.
    """
    preset = nearest_preset(options)
    usual = usual_options(options.game) if preset is None else preset.options
    return [
        Change(name, change_text(name, getattr(options, name)), usual_text(name, usual))
        for name in TEXTS
        if name not in NEUTRAL | SAID and getattr(options, name) != getattr(usual, name)
    ]


def comforts(options: Options) -> list[str]:
    """Return what is not as usual, but affects neither play nor scoring: ``tally between hands: 9 s``."""
    usual = usual_options(options.game)
    return [
        change_text(name, getattr(options, name))
        for name in TEXTS
        if name in NEUTRAL - {"hints", "casual"} and getattr(options, name) != getattr(usual, name)
    ]


NOTHING: Final = {"", "0", "0 s"}
"""Values that say that something is not there."""


def group_phrases(options: Options, names: Collection[str]) -> list[str]:
    """Return what some options come to, without those that say nothing: ``5 hands``, ``turn 3``."""
    phrases = [length_text(options)] if "hands" in names else []
    for name in names:
        if getattr(options, name) is True:
            phrases.append(PHRASES.get(name, called(name)))
        elif name not in SAID | {"game"} and (text := usual_text(name, options)) not in NOTHING:
            phrases.append((TEXTS[name].chip or called(name) + ": {}").format(text))
    return phrases


def change_text(name: str, value: object) -> str:
    """Return a house rule in a few words: ``reserve of 10``, ``reserve face up``."""
    if value is True:
        return called(name)
    if TEXTS[name].chip and value is not None:
        return TEXTS[name].chip.format(value_text(name, value))
    return f"{called(name)}: {value_text(name, value)}"


def usual_text(name: str, options: Options) -> str:
    """Return what an option comes to in a preset, also where its game decides; empty if that says nothing."""
    value = getattr(options, name)
    game = _declared(options, MAX_SEATS)
    if value is None and game is not None and name in {"out_bonus", "reserve_card"}:
        value = getattr(game.scoring, name)
    elif value is None and game is not None and name == "columns":
        value = next((len(group.shape) for group in game.groups if isinstance(group, Tableau)), None)
    elif value is None and game is not None and name in GROUP_OPTIONS:
        kind, attribute = GROUP_OPTIONS[name]
        value = next((getattr(group, attribute) for group in game.groups if isinstance(group, kind)), None)
    return "" if value is None or isinstance(value, bool) else value_text(name, value)


def _reserve_cost(options: Options) -> str:
    """Return what a reserve card costs, why points begin below zero; empty if a change says it."""
    text = usual_text("reserve_card", options)
    is_change = any(each.option == "reserve_card" for each in changes(options))
    return text if text.startswith("-") and not is_change else ""


def _declared(options: Options, players: int) -> Game | None:
    """Return the game of a table that will have so many players.

    There is none if it is a newer server's, or if its options cannot be played together, as in a form.
    """
    if options.game not in GAMES:
        return None
    game = GAMES[options.game]
    try:
        return declare(options, min(max(players, game.min_seats), game.max_seats))
    except InvalidGame:
        return None
