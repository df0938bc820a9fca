"""What a player types, as commands."""

import pytest

from racing_demon_client.plain.commands import (
    HELP,
    ParsedLine,
    ParseError,
    TextCommand,
    parse_command,
    parse_play,
)
from racing_demon_protocol.engine.board import FOUNDATIONS, Kind, Play
from tests.support.boards import Position, build, rules_of
from tests.support.cases import for_each

KLONDIKE = build(
    rules_of(),
    foundation=["AS 2S", "", "AH"],
    tableau=["KS QH JS", "9C", "TD", "8H 7S", "", "6D 5C 4H"],
    stock="2D 3D 4D",
    waste="JD 6H",
)
DEMON = build(rules_of("classic"), foundation=["AD"], tableau=["7D", "8S"], waste="6S", reserve="2H 3H 7H")


def play(line: str, position: Position = KLONDIKE, seat: int = 0) -> tuple[str, int, str]:
    """Return a typed play with its piles by their names."""
    read = parse_play(line, position.rules, position.board, seat)
    return name(position, read.source), read.count, name(position, read.destination)


def name(position: Position, pile: int) -> str:
    """Return a pile's kind and its place, counted from 1."""
    if pile == FOUNDATIONS:
        return "up"
    spec = position.board.piles[pile]
    return f"{spec.kind} {spec.index + 1}"


# Verbs.


@for_each(
    ("line", "verb"),
    [
        ("", TextCommand.BOARD),
        ("   \t ", TextCommand.BOARD),
        ("\n", TextCommand.BOARD),
        ("b", TextCommand.BOARD),
        ("board", TextCommand.BOARD),
        ("t", TextCommand.TURN),
        ("TURN\n", TextCommand.TURN),
        ("s", TextCommand.STUCK),
        ("Stuck", TextCommand.STUCK),
        ("d", TextCommand.CALL),
        ("Demon!", TextCommand.CALL),
        ("DEMON!!!", TextCommand.CALL),
        ("v", TextCommand.VOLUME),
        ("ready", TextCommand.READY),
        ("unready", TextCommand.UNREADY),
        ("start", TextCommand.START),
        ("bot", TextCommand.BOT),
        ("tally", TextCommand.TALLY),
        ("leave", TextCommand.LEAVE),
        ("q", TextCommand.QUIT),
        (" quit ", TextCommand.QUIT),
        ("?", TextCommand.HELP),
        ("help", TextCommand.HELP),
        ("!", TextCommand.HELP),
    ],
)
def test_verbs(line: str, verb: TextCommand) -> None:
    """Each verb has its words, in any letters, with blanks around it."""
    assert ParsedLine(verb) == parse_command(line)


def test_a_verb_may_have_a_word_behind_it() -> None:
    """The level of a bot stands behind the verb."""
    assert ParsedLine(TextCommand.BOT, "hard") == parse_command("bot Hard")
    assert ParsedLine(TextCommand.BOT, "hard") == parse_command("ＢＯＴ　ｈａｒｄ")
    assert ParsedLine(TextCommand.SAY, "ａ") == parse_command("／ａ")


@for_each("line", ["/hello All!", "  /hello All!  ", "/ hello All!"])
def test_what_follows_a_stroke_is_said(line: str) -> None:
    """A line that begins with a stroke says the rest of it, as it is written."""
    assert ParsedLine(TextCommand.SAY, "hello All!") == parse_command(line)


@for_each("line", ["4 6", "w f", "x", "quiet", "4", "fs 5", "¿"])
def test_other_lines_may_be_plays(line: str) -> None:
    """Whatever is no verb is left to be read as a play."""
    assert parse_command(line) is None


def test_the_help_knows_every_verb() -> None:
    """Each verb is in the help."""
    for word in (
        "t",
        "s",
        "d",
        "b",
        "v",
        "ready",
        "unready",
        "start",
        "bot hard",
        "tally",
        "leave",
        "q",
        "?",
    ):
        assert f" {word} " in HELP


# Plays.


@for_each(
    ("line", "expected"),
    [
        ("2 3", ("tableau 2", 1, "tableau 3")),
        ("1 5", ("tableau 1", 3, "tableau 5")),  # the king's run fills the space
        ("4 2", ("tableau 4", 2, "tableau 2")),  # as many as fit
        ("6 4", ("tableau 6", 3, "tableau 4")),
        ("6 4 2", ("tableau 6", 2, "tableau 4")),  # or as many as are asked for
        ("3 1 1", ("tableau 3", 1, "tableau 1")),
        ("2 1", ("tableau 2", 1, "tableau 1")),  # where none fits, one is tried
        ("5 1", ("tableau 5", 1, "tableau 1")),
        ("6 f", ("tableau 6", 1, "up")),
        ("6 F 3", ("tableau 6", 3, "up")),
        ("w f", ("waste 1", 1, "up")),
        ("W 4", ("waste 1", 1, "tableau 4")),
        ("w 4 1", ("waste 1", 1, "tableau 4")),
        ("fs 3", ("foundation 1", 1, "tableau 3")),
        ("fh 3", ("foundation 3", 1, "tableau 3")),
        ("f♥ 3", ("foundation 3", 1, "tableau 3")),
        ("  1   5  \n", ("tableau 1", 3, "tableau 5")),
    ],
)
def test_plays(line: str, expected: tuple[str, int, str]) -> None:
    """Two words name the piles, and a third the number of cards."""
    assert expected == play(line)


@for_each(
    ("line", "expected"),
    [
        ("r f", ("reserve 1", 1, "up")),
        ("r 2", ("reserve 1", 1, "tableau 2")),
        ("w 1", ("waste 1", 1, "tableau 1")),
        ("2 4", ("tableau 2", 1, "tableau 4")),
    ],
)
def test_plays_with_a_reserve(line: str, expected: tuple[str, int, str]) -> None:
    """Where the game has a reserve, it is a pile to play from."""
    assert expected == play(line, DEMON)


def test_columns_are_the_player_s_own() -> None:
    """The same words mean each player's own columns."""
    position = build(rules_of(players=2))
    first, second = (parse_play("1 2", position.rules, position.board, seat) for seat in (0, 1))
    assert position.board.piles[first.source].seat == 0
    assert position.board.piles[second.source].seat == 1


def test_foundations_of_one_s_own_are_meant() -> None:
    """Where each player has foundations, those of others are not played from."""
    rules = rules_of("demon-a", players=2, take_back="free")
    position = build(rules, seat=1)
    theirs = next(pile for pile in rules.layout.foundations if rules.layout.piles[pile].seat == 0)
    position.board.cards[theirs] = (0,)
    with pytest.raises(ParseError, match="There is no such foundation"):
        parse_play("fs 1", rules, position.board, 1)
    assert Play(theirs, 1, rules.layout.seat_piles(0, Kind.TABLEAU)[0]) == parse_play(
        "fs 1", rules, position.board, 0
    )


@for_each(
    ("line", "complaint"),
    [
        ("x", "'x' is not a command. ? shows them all."),
        ("4", "'4' is not a command. ? shows them all."),
        ("1 2 3 4", "'1 2 3 4' is not a command. ? shows them all."),
        ("8 1", "'8' is not known here: there are columns 1 to 7. ? shows all commands."),
        ("0 1", "'0' is not known here: there are columns 1 to 7. ? shows all commands."),
        ("1 8", "'8' is not known here"),
        ("-1 2", "'-1' is not known here"),
        ("1.5 2", "'1.5' is not known here"),
        ("² 2", "'²' is not known here"),
        ("٣ 2", "'٣' is not known here"),
        ("99999999999999999999 1", "is not known here"),
        ("1 2 0", "'0' is not known here: there are cards 1 to 52."),
        ("1 2 53", "'53' is not known here: there are cards 1 to 52."),
        ("1 2 x", "'x' is not known here"),
        ("r f", "This game has no reserve."),
        ("fd 1", "There is no such foundation."),
        ("fx 1", "There is no such foundation."),
        ("f 1", "'f' is not known here"),
        ("fss 1", "'fss' is not known here"),
    ],
)
def test_what_is_no_play(line: str, complaint: str) -> None:
    """A line that names no piles gets a sentence that says what would."""
    with pytest.raises(ParseError) as unclear:
        play(line)
    assert complaint in str(unclear.value)


def test_control_characters_are_not_echoed() -> None:
    """What is complained about is quoted so that it cannot steer the terminal."""
    with pytest.raises(ParseError) as unclear:
        play("\x1b[2J")
    assert str(unclear.value).isprintable()
