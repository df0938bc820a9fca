"""A table's options in words: their names and values, and how to type them.

Commands and settings use the protocol's names; screens and messages use plain words.
"""

import re
from collections.abc import Collection
from typing import Final, NamedTuple

from pydantic import ValidationError

from racing_demon_protocol.constants import MAX_SEATS
from racing_demon_protocol.formatting import pluralize
from racing_demon_protocol.wire.options import MatchScore, Options


class OptionText(NamedTuple):
    """How an option reads.

    Attributes:
        meaning: what it decides.
        name: what it is called, if its identifier does not explain itself.
        chip: how it reads as a house rule, if its value says little by itself.
        offered: the numbers that forms offer, besides a table's own; the terminal takes any.
        none: what no value means, if not the game's default.

    """

    meaning: str
    name: str = ""
    chip: str = ""
    offered: Collection[int] = ()
    none: str = ""


GROUPS: Final = {
    "match": {
        "game": OptionText("The pack, the layout and the moves. Other rules here change its details."),
        "hands": OptionText(
            "At most so many: a total or a lead that ends the match may come first.",
            name="hands in a match",
            offered=(1, 2, 3, 5, 7, 10),
        ),
        "match_score": OptionText(
            "What totals count: points, or hands won. Who has most points wins the hand, whoever goes out; "
            "if some tie, each gets a whole hand.",
            name="a match counts",
        ),
        "target": OptionText(
            "The match ends early when somebody has this total: of points, or of hands won if those count.",
            name="total that ends a match",
            offered=(50, 100, 150, 200),
            none="none",
        ),
        "win_lead": OptionText(
            "The match ends early when the first is this far ahead of the second; none: no lead ends it.",
            name="lead that ends a match",
            chip="a lead of {} wins",
            offered=(20, 30, 50, 100),
            none="none",
        ),
        "tie_break": OptionText(
            "At the end of a match: those who are equal share the win, or play on until one leads.",
            name="equal totals",
        ),
        "teams": OptionText(
            "How many teams there are, whose points add up; none: everybody plays for themselves.",
            chip="{} teams",
            offered=(2, 3, 4),
            none="none",
        ),
        "casual": OptionText(
            "Whether the matches are left out of standings and ratings, as training or a test may be. "
            "Each still has its own page.",
            name="casual (in no standings)",
        ),
    },
    "hand": {
        "time_limit_ms": OptionText(
            "The time limit of a hand; none: no limit, but ten minutes on identical deals.",
            name="time limit of a hand",
            chip="{} for a hand",
            offered=(120_000, 180_000, 300_000, 600_000),
            none="none",
        ),
        "call_out": OptionText(
            "The card that goes out ends the hand by itself, or its player has to call.",
            name="going out",
        ),
        "grace_ms": OptionText(
            "How long cards may still land after a call.",
            name="grace after a call",
            offered=(0, 1_000, 2_000, 3_000),
        ),
        "stall_rule": OptionText(
            "What is tried before a hand that nobody can continue is ended.",
            name="when nobody can play",
        ),
        "auto_first_turn": OptionText(
            "Whether the first cards are turned for everybody at the signal.",
            name="automatic first turn",
        ),
        "hints": OptionText("Whether players are shown which plays fit."),
    },
    "points": {
        "out_bonus": OptionText(
            "On top of the points for cards, to whoever goes out.",
            name="points for going out",
            chip="{} for going out",
            offered=(0, 5, 10, 20),
        ),
        "king_bonus": OptionText(
            "The points for finishing a foundation: for the player of its last card, mostly a king.",
            name="points for finishing a foundation",
            chip="{} for a finished foundation",
            offered=(0, 3, 5, 10),
        ),
        "reserve_card": OptionText(
            "For each card that is still in the reserve when the hand ends.",
            name="points per reserve card",
            chip="{} per reserve card",
            offered=(-3, -2, -1, 0),
        ),
    },
    "reserve and columns": {
        "reserve": OptionText(
            "How many cards each reserve gets, in games that have one.",
            name="cards in the reserve",
            chip="reserve of {}",
            offered=range(5, 21),
        ),
        "reserve_up": OptionText(
            "Whether all cards of the reserves lie face up; still only the top one can be played.",
            name="reserve face up",
        ),
        "columns": OptionText(
            "How many columns, in games that deal one card to each.",
            chip="{} columns",
            offered=range(3, 10),
        ),
        "columns_by_players": OptionText(
            "Six columns for one or two players, five for three, four for more.",
            name="fewer columns for many",
        ),
        "spaces": OptionText(
            "What may go to an empty column: any card, as in most games, or only the reserve's top card, "
            "by itself at once or when you move it.",
            name="what fills empty columns",
        ),
        "take_back": OptionText(
            "Whether cards may leave foundations again; never those that others build on, too.",
            name="taking cards back",
        ),
        "forced_bases": OptionText(
            "Whether a card that opens a foundation must be played first.",
            name="first cards must go up",
        ),
    },
    "stock": {
        "turn": OptionText(
            "How many cards are turned from the stock at a time.",
            name="cards per turn",
            chip="turn {}",
            offered=(1, 2, 3),
        ),
        "turn_by_players": OptionText(
            "Whether one or two players, and no more, turn one card at a time. If cards per turn are set, "
            "those count.",
            name="one or two players turn one card",
        ),
        "redeals": OptionText(
            "How often the waste may become the stock again.",
            name="redeals",
            offered=(0, 1, 2, 3),
        ),
        "shuffle": OptionText(
            "Whether each redeal shuffles the stock; otherwise its cards keep their order.",
            name="redeals are shuffled",
        ),
        "tail_rule": OptionText(
            "Which cards can be played when fewer are left than a turn takes.",
            name="last cards of the stock",
        ),
        "waste_view": OptionText(
            "How many cards of the waste lie face up.",
            name="visible waste cards",
            offered=(1, 2, 3),
        ),
        "stock_shift": OptionText(
            "When players may move their stock's top card to its bottom, stuck or not, so that others "
            "turn up.",
            name="top card to the bottom",
            none="never",
        ),
    },
    "people": {
        "seats": OptionText(
            "For people and bots together.",
            offered=range(2, MAX_SEATS + 1),
        ),
        "handicap": OptionText(
            "Automatic: who goes out, else who scores most, gets a card more in the reserve (harder); "
            "0 or less: one fewer. No reserve: seconds to wait.",
            name="handicaps change",
        ),
        "late_join": OptionText(
            "Whether newcomers play from the next hand on; otherwise they wait for the next match.",
            name="joining between hands",
        ),
        "on_leave": OptionText(
            "What a player who leaves during a hand keeps.",
            name="when a player leaves",
        ),
        "spectators": OptionText("Whether people may watch without a seat."),
        "watch_delay_ms": OptionText(
            "Spectators see events so much later: too late to help a player.",
            name="delay for spectators",
            offered=(0, 5_000, 15_000, 60_000),
        ),
    },
    "pauses": {
        "countdown_ms": OptionText(
            "The time from the deal to the signal.",
            name="countdown before a hand",
            offered=(0, 1_000, 3_000, 5_000, 10_000),
        ),
        "tally_ms": OptionText(
            "The time from a hand's end to the next deal; less if all are ready.",
            name="tally between hands",
            offered=(5_000, 10_000, 20_000, 60_000),
        ),
        "pause_after_ms": OptionText(
            "How long a hand goes on with fewer than two players connected; none: forever.",
            name="pause without players",
            offered=(5_000, 10_000, 30_000),
            none="never",
        ),
    },
}
"""All options, by what they are about, in the order in which forms show them."""
TEXTS: Final = {name: text for texts in GROUPS.values() for name, text in texts.items()}
"""How each option reads, by its name in the protocol."""
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
UNITS: Final = {"": 1_000, "s": 1_000, "ms": 1, "min": 60_000}
TIME: Final = re.compile(r"(\d{1,8}(?:\.\d{1,3})?)\s*(s|ms|min|)")


def called(name: str) -> str:
    """Return an option's name."""
    return TEXTS[name].name or name.removesuffix("_ms").replace("_", " ")


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
    return TEXTS[name].none or ("the game's own" if Options.model_fields[name].default is None else "default")


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
