"""The rules of games in words."""

import re
from dataclasses import fields, replace
from enum import Enum
from typing import Any

import pytest

from racing_demon_client.shared.rules_text import WIDTH, brief, card_names, kind_of, rules_of
from racing_demon_protocol.engine.cards import ACE, KING
from racing_demon_protocol.engine.specification import (
    Build,
    Deal,
    Foundations,
    Game,
    Group,
    Space,
    Stock,
    Tableau,
)
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.typical import of_games

of_every_game = for_each("game", GAMES.values(), ids=list(GAMES))
UNSAID = {"geometry", "rows", "counts", "name", "under"}
"""How piles lie, what the board counts, and what is told where it matters."""
OTHERS = {
    "base": KING,
    "build": (Build(delta=1),),
    "cap": 7,
    "gathers": 1,
    "limit": 2,
    "order": (ACE, KING),
    "plays_to": ("elsewhere",),
    "redeals": 5,
    "relay": (Deal(to="elsewhere", each=3),),
    "rounds": ((Deal(to="elsewhere", each=3),),),
    "shape": (9,),
    "space": Space(ranks=frozenset({KING}), fill=True, takes=("elsewhere",)),
    "takes": ("elsewhere",),
}


def other_than(name: str, value: Any) -> Any:
    """Return another value for a field."""
    if name in OTHERS:
        return OTHERS[name]
    match value:
        case bool():
            return not value
        case Enum():
            return next(each for each in type(value) if each is not value)
        case int():
            return value + 3
        case str():
            return value + "x"
    return None


def is_idle(group: Group, name: str) -> bool:
    """Tell whether a field says nothing, because of what other fields of the group say."""
    match group, name:
        case Foundations(), "step" | "suit" | "order":
            return group.length == 1 or (bool(group.order) and name == "step")
        case Foundations(), "wrap":
            return bool(group.order) or group.step == 0 or group.length == 1
        case Tableau(), "wrap":
            return not any(build.delta for build in group.build)
        case Tableau(), "unit":
            return group.takes is not None and group.name not in group.takes
        case Stock(), "turn" | "shuffle":
            return True
    return False


@pytest.mark.long
@of_games(GAMES.values())
def test_every_rule_is_told(game: Game) -> None:
    """Whatever field of a group were otherwise, the text would be."""
    told = list(rules_of(game))
    for number, group in enumerate(game.groups):
        for field in fields(group):
            other = other_than(field.name, getattr(group, field.name))
            skipped = field.name in UNSAID or other is None
            if not skipped and not is_idle(group, field.name) and other != getattr(group, field.name):
                assert told != list(rules_of(changed(game, number, replace(group, **{field.name: other})))), (
                    group.name,
                    field.name,
                )


def changed(game: Game, number: int, group: Group) -> Game:
    """Return a game with another group in one's place."""
    return replace(game, groups=(*game.groups[:number], group, *game.groups[number + 1 :]))


@of_every_game
def test_a_game_says_where_it_comes_from(game: Game) -> None:
    """Title, the book by its name, what it is about, and every doubt with its answer."""
    lines = list(rules_of(game))
    text = " ".join(" ".join(lines).split())
    book = re.sub(r"Cheney (\d+)", r"(number \1 of Mrs. Cheney's Patience)", game.source)
    assert lines[0] == (f"{game.title} {book.partition(')')[0]})" if book != game.source else game.title)
    assert kind_of(game) in lines[1]
    for part in [game.text, *(doubt.question for doubt in game.doubts), *(d.answer for d in game.doubts)]:
        assert " ".join(part.split()).replace("- ", "-") in text.replace("- ", "-")
    assert all(len(line) <= WIDTH and line.isprintable() for line in lines[2:])


SENTENCES = [
    ("solitaire", "Piles: 4 columns, empty at first. All cards lie face up."),
    ("solitaire-memory", "The top card lies face up."),
    ("racing-demon", "The last card of each lies face up, the others face down."),
    ("legitimist", "built down in any suit, continuing from ace to king"),
    ("salique-law", "Empty columns stay empty."),
    ("knaves-dial", "built with cards of the same rank"),
    ("puzzle", "Stock: no cards are turned from it."),
    ("fourteen", "Waste: the top card is visible. The game itself moves cards from there."),
    ("judges", "11 places for one card each. An empty place stays empty, unless a rule below fills it."),
]


@for_each(("name", "sentence"), SENTENCES, ids=[name for name, _ in SENTENCES])
def test_what_is_told_is_true_of_the_game(name: str, sentence: str) -> None:
    """What a field means beside the others of its group is told, and not what it means alone."""
    assert sentence in " ".join(" ".join(rules_of(GAMES[name])).split())


@for_each("name", ["solitaire", "toad", "bethel", "honors", "salique-law", "brunette-and-blonde"])
def test_cards_that_stay_are_not_said_to_move(name: str) -> None:
    """Where no column takes cards of another, nothing is told of how many would move."""
    assert "move" not in " ".join(" ".join(rules_of(GAMES[name])).split())


INTERNAL = re.compile(
    r"\([^()]*: [^()]*\)"  # (count: 13; shows: kept)
    r"|\[[^]]*\]"  # [tableau.unit]
    r"|\w+_\w+|``|:\w+:|<|\w\.\w"
    r"|\bseed\b|\bCheney \d"
    r"|\b[A2-9TJQK][SHCD*](?!\w)"  # KH, A*
    r"|\bof 0 cards|\b0 more|counts -|while 1 "
    r"|\bfrom T\b|\b(rank|index) \d"
)


@of_every_game
def test_no_word_of_code_is_left(game: Game) -> None:
    """No field with its value, no name of the program's own and no abbreviation stands in the rules."""
    text = " ".join(" ".join(rules_of(game)).replace("Mrs. ", "").split())
    assert INTERNAL.search(text) is None, INTERNAL.search(text)


@of_every_game
def test_every_sentence_ends(game: Game) -> None:
    """Each item is whole sentences: it begins with a capital or a number, and ends with a stop."""
    lines = list(rules_of(game, 10_000))
    items = [line.removeprefix("- ") for line in lines if line.startswith("- ")]
    assert items
    for item in items:
        assert re.match(r"[A-Z0-9(]", item), item
        assert item.endswith((".", "?")), item
        assert not re.search(r"\.[.;,]|  | [.,;]", item), item


def test_nothing_is_won_that_is_only_shown() -> None:
    """A trick has neither goal nor race in its rules."""
    text = "\n".join(rules_of(GAMES["a-spell"]))
    assert "won" not in text
    assert "In a race" not in text


SPOKEN = [
    (("AS", "AH", "AC", "AD"), "the aces of spades, hearts, clubs and diamonds"),
    (("2S", "KH"), "the two of spades and the king of hearts"),
    (("KS", "KS", "KH", "KH"), "both kings of spades and hearts"),
    (("KH",), "the king of hearts"),
    (("6*",), "a six"),
    (("8*",), "an eight"),
]


@for_each(("faces", "spoken"), SPOKEN, ids=[spoken for _, spoken in SPOKEN])
def test_cards_are_named(faces: tuple[str, ...], spoken: str) -> None:
    """Cards that are sought out are asked for in words."""
    assert spoken == card_names(faces)


def briefing(**options: object) -> str:
    """Return the whole briefing of a game."""
    return " ".join(brief(Options.model_validate(options)))


def test_the_usual_game_is_explained() -> None:
    """How columns build, what fills a space, how the stock turns, what ends a hand and what it counts."""
    assert briefing() == (
        "Build on the shared foundations, ace to king. The first card to arrive stays. "
        "The stock turns 3 cards at a time. Columns build down in alternate colors. "
        "Only kings fill empty columns. "
        "The hand ends when somebody is out of cards, or nobody can play on. "
        "Your own cards up count 1, going out 10 more."
    )


def test_the_classic_game_is_explained_by_its_own_rules() -> None:
    """In the classic game the reserve ends the hand, and what is left of it costs points."""
    told = briefing(game="classic")
    assert "The hand ends when somebody's reserve is empty" in told
    assert "one left in the reserve -2" in told


def test_options_are_told_as_they_are() -> None:
    """A table that turns cards one by one says so."""
    assert "The stock turns one card at a time." in briefing(turn=1)


@for_each(
    ("options", "sentence"),
    [
        ({"king_bonus": 5}, "finishing a foundation 5 more"),
        ({"spaces": "at_once"}, "The reserve fills empty columns by itself."),
        ({"spaces": "reserve"}, "Only the reserve's top card fills empty columns."),
        ({"reserve_up": True}, "The reserve lies face up; its top card can be played."),
        ({"stock_shift": "any_time"}, "move its top card to its bottom, as often as you like."),
        ({"stock_shift": "once_a_pass"}, "to its bottom, once before the waste is turned over again."),
        ({"turn_by_players": True}, "The stock turns 3 cards at a time. If one or two play, it turns one."),
        (
            {"match_score": "hands"},
            "Most points win the hand, whoever goes out; most hands won win the match.",
        ),
    ],
    ids=str,
)
def test_house_rules_are_told(options: dict[str, object], sentence: str) -> None:
    """Each has a sentence in the briefing of a table that plays so, and none in that of another."""
    assert sentence in briefing(game="classic", **options)
    assert sentence not in briefing(game="classic")


def test_the_time_limit_is_told() -> None:
    """Where a hand ends after some time, that is told with what else ends it."""
    told = " ".join(brief(Options(), 300_000))
    assert "when somebody is out of cards, or nobody can play on, or after 5 min." in told


@for_each("game", GAMES)
def test_every_game_says_what_ends_it(game: str) -> None:
    """Each game has a briefing, in sentences, that tells what ends a hand."""
    paragraphs = list(brief(Options(game=game)))
    assert len(paragraphs) == 3
    assert "ends when" in paragraphs[2]
    assert all(each.endswith(".") for each in paragraphs if each)
