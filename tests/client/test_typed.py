"""What a player types, as commands."""

import pytest

from racing_demon_client.plain.typed import HELP, VERBS, Spoken, Unclear, Verb, read_play, read_verb
from racing_demon_protocol.board import FOUNDATIONS, Kind, Play

from ..support.boards import Position, build, rules_of


@pytest.fixture
def klondike() -> Position:
    """Return two kings, a run of three, a queen that it fits, and a space."""
    columns = ["KS", "KH QS JD TC", "QC", "", "8D", "AS", "2S"]
    return build(rules_of(), tableau=columns, waste="5H 9S", stock="3C 4C 5C")


def column(position: Position, number: int) -> int:
    """Return the pile of the first seat's column of a number, from 1."""
    return position.rules.layout.own(0, Kind.TABLEAU)[number - 1]


@pytest.mark.parametrize("word", sorted(VERBS))
def test_a_word_is_its_verb_in_any_case(word: str) -> None:
    """Each word means its verb, written small or large, with the end of the line behind it."""
    assert read_verb(f" {word.upper()} \n") == Spoken(VERBS[word])


def test_a_word_behind_a_verb_belongs_to_it() -> None:
    """`bot hard` speaks of a hard bot."""
    assert read_verb("bot hard\n") == Spoken(Verb.BOT, "hard")


def test_demon_may_be_shouted() -> None:
    """`demon!` is `demon`."""
    assert read_verb("demon!\n") == Spoken(Verb.CALL)


@pytest.mark.parametrize("line", ["4 6", "w f", "zz", "!"])
def test_other_lines_are_no_verbs(line: str) -> None:
    """A line that may be a play, or nothing, is no verb; a mere sign of wonder asks for help."""
    assert read_verb(line) == (Spoken(Verb.HELP) if line == "!" else None)


def test_every_word_of_one_letter_is_in_the_help() -> None:
    """The help names each short word."""
    told = {line.split()[0] for line in HELP.splitlines()} | {"q", "start", "tally"}

    assert {word for word in VERBS if len(word) == 1} <= told


def test_as_many_cards_move_as_fit(klondike: Position) -> None:
    """`2 3` takes the knave and what lies on it to the queen: two cards."""
    play = read_play("2 3", klondike.rules, klondike.board, 0)

    assert play == Play(column(klondike, 2), 2, column(klondike, 3))


def test_a_number_of_cards_may_be_said(klondike: Position) -> None:
    """`2 3 1` takes one card, whatever fits."""
    play = read_play("2 3 1", klondike.rules, klondike.board, 0)

    assert play == Play(column(klondike, 2), 1, column(klondike, 3))


def test_where_nothing_fits_one_card_is_meant(klondike: Position) -> None:
    """A play that cannot be is sent with one card: the server says why not."""
    play = read_play("1 5", klondike.rules, klondike.board, 0)

    assert play == Play(column(klondike, 1), 1, column(klondike, 5))


@pytest.mark.parametrize(("line", "count"), [("6 f", 1), ("6 F\n", 1), ("6 f 2", 2)])
def test_f_leaves_the_foundation_open(klondike: Position, line: str, count: int) -> None:
    """`6 f` goes to whichever foundation accepts."""
    assert read_play(line, klondike.rules, klondike.board, 0) == Play(column(klondike, 6), count, FOUNDATIONS)


def test_w_is_the_waste(klondike: Position) -> None:
    """`w 5` plays the top of the waste to column 5."""
    play = read_play("w 5", klondike.rules, klondike.board, 0)

    assert play == Play(klondike.rules.layout.waste[0], 1, column(klondike, 5))


def test_r_is_the_reserve() -> None:
    """`r f` plays the reserve's top to the foundations."""
    position = build(rules_of("classic"), tableau=["5S", "6S", "7S", "8S"], reserve="9C AD")
    reserve = position.rules.layout.own(0, Kind.RESERVE)[0]

    assert read_play("r f", position.rules, position.board, 0) == Play(reserve, 1, FOUNDATIONS)


@pytest.mark.parametrize("word", ["fs", "FS", "f♠"])
def test_f_with_a_suit_is_its_foundation(klondike: Position, word: str) -> None:
    """`fs 5` takes back from the foundation of spades."""
    position = build(rules_of(take_back="free"), foundation=["", "AS 2S"], tableau=["3H"])

    assert read_play(f"{word} 1", position.rules, position.board, 0).source == 1


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("zz", "'zz' is no command; ? shows them all."),
        ("9 9", "'9' will not do: there are columns 1 to 7. ? shows all commands."),
        ("0 1", "'0' will not do: there are columns 1 to 7. ? shows all commands."),
        ("1 ²", "'²' will not do: there are columns 1 to 7. ? shows all commands."),
        ("1 2 99", "'99' will not do: there are cards 1 to 52. ? shows all commands."),
        ("r f", "This game has no reserve."),
        ("fx 1", "There is no such foundation."),
        ("1 2 3 4", "'1 2 3 4' is no command; ? shows them all."),
    ],
)
def test_an_unclear_line_is_answered_with_what_would_be_clear(
    klondike: Position, line: str, text: str
) -> None:
    """A line that names no piles is not sent; the answer says what can be typed."""
    with pytest.raises(Unclear) as caught:
        read_play(line, klondike.rules, klondike.board, 0)

    assert str(caught.value) == text
