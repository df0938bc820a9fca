"""A table's options in words: their names and values, and how to type them.

Commands and settings use the protocol's names; screens and messages use plain words.
"""

import re
from typing import Final

from pydantic import ValidationError

from racing_demon_protocol.constants import MAX_SEATS
from racing_demon_protocol.formatting import pluralize
from racing_demon_protocol.wire.options import MatchScore, Options

CALLED: Final = {
    "hands": "hands in a match",
    "target": "total that ends a match",
    "tie_break": "equal totals",
    "call_out": "going out",
    "grace_ms": "grace after a call",
    "stall_rule": "when nobody can play",
    "auto_first_turn": "automatic first turn",
    "on_leave": "when a player leaves",
    "late_join": "joining between hands",
    "watch_delay_ms": "delay for spectators",
    "pause_after_ms": "pause without players",
    "time_limit_ms": "time limit of a hand",
    "countdown_ms": "countdown before a hand",
    "tally_ms": "tally between hands",
    "turn": "cards per turn",
    "redeals": "redeals",
    "shuffle": "redeals are shuffled",
    "tail_rule": "last cards of the stock",
    "waste_view": "visible waste cards",
    "take_back": "taking cards back",
    "forced_bases": "first cards must go up",
    "columns_by_players": "fewer columns for many",
    "reserve": "cards in the reserve",
    "reserve_card": "points per reserve card",
    "out_bonus": "points for going out",
    "win_lead": "lead that ends a match",
    "handicap": "handicaps change",
    "king_bonus": "points for finishing a foundation",
    "spaces": "what fills empty columns",
    "reserve_up": "reserve face up",
    "stock_shift": "top card to the bottom",
    "turn_by_players": "one or two players turn one card",
    "match_score": "a match counts",
    "casual": "casual (in no standings)",
}
"""Names of options whose identifier does not explain itself."""
MEANINGS: Final = {
    "game": "The pack, the layout and the moves. Other rules here change its details.",
    "hands": "At most so many: a total or a lead that ends the match may come first.",
    "target": "The match ends early when somebody has this total: of points, or of hands won if those count.",
    "tie_break": "At the end of a match: those who are equal share the win, or play on until one leads.",
    "call_out": "The card that goes out ends the hand by itself, or its player has to call.",
    "grace_ms": "How long cards may still land after a call.",
    "stall_rule": "What is tried before a hand that nobody can continue is ended.",
    "auto_first_turn": "Whether the first cards are turned for everybody at the signal.",
    "on_leave": "What a player who leaves during a hand keeps.",
    "late_join": "Whether newcomers play from the next hand on; otherwise they wait for the next match.",
    "seats": "For people and bots together.",
    "spectators": "Whether people may watch without a seat.",
    "watch_delay_ms": "Spectators see events so much later: too late to help a player.",
    "pause_after_ms": "How long a hand goes on with fewer than two players connected; none: forever.",
    "time_limit_ms": "The time limit of a hand; none: no limit, but ten minutes on identical deals.",
    "hints": "Whether players are shown which plays fit.",
    "countdown_ms": "The time from the deal to the signal.",
    "tally_ms": "The time from a hand's end to the next deal; less if all are ready.",
    "turn": "How many cards are turned from the stock at a time.",
    "redeals": "How often the waste may become the stock again.",
    "shuffle": "Whether each redeal shuffles the stock; otherwise its cards keep their order.",
    "tail_rule": "Which cards can be played when fewer are left than a turn takes.",
    "waste_view": "How many cards of the waste lie face up.",
    "take_back": "Whether cards may leave foundations again; never those that others build on, too.",
    "forced_bases": "Whether a card that opens a foundation must be played first.",
    "columns": "How many columns, in games that deal one card to each.",
    "columns_by_players": "Six columns for one or two players, five for three, four for more.",
    "reserve": "How many cards each reserve gets, in games that have one.",
    "reserve_card": "For each card that is still in the reserve when the hand ends.",
    "out_bonus": "On top of the points for cards, to whoever goes out.",
    "teams": "How many teams there are, whose points add up; none: everybody plays for themselves.",
    "win_lead": "The match ends early when the first is this far ahead of the second; none: no lead ends it.",
    "handicap": (
        "Automatic: who goes out, else who scores most, gets a card more in the reserve (harder); "
        "0 or less: one fewer. No reserve: seconds to wait."
    ),
    "king_bonus": "The points for finishing a foundation: for the player of its last card, mostly a king.",
    "spaces": (
        "What may go to an empty column: any card, as in most games, or only the reserve's top card, "
        "by itself at once or when you move it."
    ),
    "reserve_up": "Whether all cards of the reserves lie face up; still only the top one can be played.",
    "stock_shift": (
        "When players may move their stock's top card to its bottom, stuck or not, so that others turn up."
    ),
    "turn_by_players": (
        "Whether one or two players, and no more, turn one card at a time. If cards per turn are set, "
        "those count."
    ),
    "match_score": (
        "What totals count: points, or hands won. Who has most points wins the hand, whoever goes out; "
        "if some tie, each gets a whole hand."
    ),
    "casual": (
        "Whether the matches are left out of standings and ratings, as training or a test may be. "
        "Each still has its own page."
    ),
}
"""What each option decides, as players read it."""
GROUPS: Final = {
    "match": ("game", "hands", "match_score", "target", "win_lead", "tie_break", "teams", "casual"),
    "hand": ("time_limit_ms", "call_out", "grace_ms", "stall_rule", "auto_first_turn", "hints"),
    "points": ("out_bonus", "king_bonus", "reserve_card"),
    "reserve and columns": (
        *("reserve", "reserve_up", "columns", "columns_by_players", "spaces"),
        *("take_back", "forced_bases"),
    ),
    "stock": ("turn", "turn_by_players", "redeals", "shuffle", "tail_rule", "waste_view", "stock_shift"),
    "people": ("seats", "handicap", "late_join", "on_leave", "spectators", "watch_delay_ms"),
    "pauses": ("countdown_ms", "tally_ms", "pause_after_ms"),
}
"""All options, by what they are about, in the order in which forms show them."""
VALUES: Final = {
    "auto": "automatic",
    "shout": "when the player calls",
    "none": "the hand ends",
    "rotate": "every stock moves on by a card",
    "joint": "joint winners",
    "hand": "another hand",
    "freeze": "points so far count",
    "forfeit": "the hand scores nothing",
    "top": "the top one",
    "either2": "either of the last two",
    "never": "never",
    "free": "yes",
    "to_space": "only into an empty column",
    "fixed": "as the host sets them",
    "at_once": "the reserve fills them at once",
    "reserve": "only the reserve may fill them",
    "any_time": "any time",
    "once_a_pass": "once per pass of the stock",
    "points": "points",
    "hands": "hands won",
}
CHIPS: Final = {
    "reserve": "reserve of {}",
    "turn": "turn {}",
    "columns": "{} columns",
    "teams": "{} teams",
    "out_bonus": "{} for going out",
    "king_bonus": "{} for a finished foundation",
    "reserve_card": "{} for each reserve card",
    "win_lead": "a lead of {} wins",
    "time_limit_ms": "{} for a hand",
}
"""How a house rule reads whose value says little by itself."""
OFFERED: Final = {
    "hands": (1, 2, 3, 5, 7, 10),
    "target": (50, 100, 150, 200),
    "grace_ms": (0, 1_000, 2_000, 3_000),
    "seats": range(2, MAX_SEATS + 1),
    "watch_delay_ms": (0, 5_000, 15_000, 60_000),
    "pause_after_ms": (5_000, 10_000, 30_000),
    "time_limit_ms": (120_000, 180_000, 300_000, 600_000),
    "countdown_ms": (0, 1_000, 3_000, 5_000, 10_000),
    "tally_ms": (5_000, 10_000, 20_000, 60_000),
    "turn": (1, 2, 3),
    "redeals": (0, 1, 2, 3),
    "waste_view": (1, 2, 3),
    "columns": range(3, 10),
    "reserve": range(5, 21),
    "reserve_card": (-3, -2, -1, 0),
    "out_bonus": (0, 5, 10, 20),
    "win_lead": (20, 30, 50, 100),
    "teams": (2, 3, 4),
    "king_bonus": (0, 3, 5, 10),
}
"""The numbers that the page offers, besides a table's own; the terminal takes any."""
NONE: Final = {
    "target": "none",
    "win_lead": "none",
    "pause_after_ms": "never",
    "time_limit_ms": "none",
    "stock_shift": "never",
    "teams": "none",
}
"""What no value means, if not the game's default."""
UNITS: Final = {"": 1_000, "s": 1_000, "ms": 1, "min": 60_000}
TIME: Final = re.compile(r"(\d{1,8}(?:\.\d{1,3})?)\s*(s|ms|min|)")


def called(name: str) -> str:
    """Return an option's name."""
    return CALLED.get(name, name.removesuffix("_ms").replace("_", " "))


def values_text(name: str) -> str:
    """Return what can be written for an option: ``true or false``, ``1 to 100``, ``top (the top one)``."""
    schema = Options.model_json_schema()
    described = schema["properties"][name]
    texts = []
    for kind in described.get("anyOf", [described]):
        if "$ref" in kind:
            words = schema["$defs"][kind["$ref"].rpartition("/")[2]]["enum"]
            texts.append(
                ", ".join(
                    word if VALUES[word] in {word, "yes"} else f"{word} ({VALUES[word]})" for word in words
                )
            )
        elif kind["type"] == "boolean":
            texts.append("true or false")
        elif kind["type"] == "integer":
            unit = " milliseconds" if name.endswith("_ms") else ""
            texts.append(f"{kind['minimum']} to {kind['maximum']}{unit}")
        elif kind["type"] == "null":
            texts.append(f"null ({usual(name)})")
        else:
            texts.append("see: racing-demon games")
    return "; or ".join(texts)


def usual(name: str) -> str:
    """Return the meaning of an option without a value."""
    return NONE.get(name, "the game's own" if Options.model_fields[name].default is None else "default")


def value_text(name: str, value: object) -> str:
    """Return an option's value in words: ``1 s``, ``yes``, ``automatic``."""
    if value is None:
        return usual(name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name.endswith("_ms") and isinstance(value, int):
        return f"{value // 60_000} min" if value and value % 60_000 == 0 else f"{value / 1_000:g} s"
    return VALUES.get(str(value), str(value))


def read(name: str, text: str) -> object:
    """Return the value of a typed or chosen text; leave an invalid one for the model to refuse."""
    if name.endswith("_ms") and (found := TIME.fullmatch(text)):
        return round(float(found[1]) * UNITS[found[2]])
    if text in {"true", "false"}:
        return text == "true"
    return int(text) if text.lstrip("-").isdigit() and text.isascii() else text


def refusal(error: ValidationError) -> str:
    """Return what is wrong with an entered value, in the same words."""
    first = error.errors(include_url=False)[0]
    name, about = str(first["loc"][0]) if first["loc"] else "", first.get("ctx", {})
    match first["type"]:
        case "greater_than_equal":
            return f"{called(name)}: {value_text(name, about['ge'])} or more."
        case "less_than_equal":
            return f"{called(name)}: {value_text(name, about['le'])} or less."
        case "int_type":
            kind = "a time, like 1.5 s or 2 min" if name.endswith("_ms") else "a whole number"
            return f"{called(name)}: {kind}."
    return explained(error)


def total_word(options: Options) -> str:
    """Return the heading of a match's totals, in five letters: points, or hands won."""
    return "hands" if options.match_score is MatchScore.HANDS else "total"


def in_words(refusal: str) -> str:
    """Return why options cannot be played together, with the names of options on screens."""

    def word(found: re.Match[str]) -> str:
        return f'"{called(found[1])}"' if found[1] in Options.model_fields else found[0]

    return re.sub(r"'(\w+)'", word, refusal)


def options_text(options: Options) -> str:
    """Return the number of hands, and every option that differs from the defaults, in one line."""
    changed = [
        f"{called(name)}: {value_text(name, getattr(options, name))}"
        for name in options.model_dump(exclude_defaults=True)
        if name not in {"game", "hands"}
    ]
    return ", ".join([pluralize(options.hands, "hand"), *changed])


def explained(error: ValidationError) -> str:
    """Return a validation error's first problem, in words for the user."""
    first = error.errors(include_url=False)[0]
    name, about = ".".join(map(str, first["loc"])), first.get("ctx", {})
    match first["type"]:
        case "extra_forbidden":
            text = f"There is no option {name}. There are: {', '.join(Options.model_fields)}."
        case "greater_than_equal":
            text = f"{name} must be {about['ge']} or more."
        case "less_than_equal":
            text = f"{name} must be {about['le']} or less."
        case "enum":
            text = f"{name} must be one of these: {about['expected']}."
        case "int_type" | "int_parsing" | "int_from_float":
            text = f"{name} must be a whole number."
        case "bool_type" | "bool_parsing":
            text = f"{name} must be true or false."
        case "string_pattern_mismatch" | "string_too_short" | "string_too_long" | "string_type":
            text = f"{name} must be a name in small letters."
        case _:
            text = f"{name}: {first['msg']}"
    return text
