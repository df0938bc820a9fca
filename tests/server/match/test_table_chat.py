"""What players say to the table."""

from hypothesis import given
from hypothesis import strategies as st

from racing_demon_protocol.constants import MAX_CHAT_LENGTH
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_server.match.names import clean_words
from tests.support.cases import for_each
from tests.support.effort import examples
from tests.support.tables import SECOND, Sitting


def test_what_is_said_reaches_everybody() -> None:
    """A line is an event of the table's log, with the seat that said it."""
    sitting = Sitting.lobby(2)
    said = sitting.events(1, cl.Say, text="Good luck!")
    assert [ev.Said(seq=sitting.seq, seat=1, text="Good luck!")] == said


def test_one_may_speak_while_cards_are_played() -> None:
    """Talking changes nothing of a hand: who is stuck stays so."""
    sitting = Sitting.playing(2)
    sitting.events(0, cl.Stuck)
    sitting.events(1, cl.Say, text="wait")
    assert (sitting.table.view.phase, sitting.table.view.seats[0].stuck) == (Phase.PLAYING, True)


def test_spectators_and_leavers_are_silent() -> None:
    """Whoever has no seat, or has left it, says nothing."""
    sitting = Sitting.playing(3)
    sitting.host_watching()
    sitting.events(1, cl.Leave)
    assert sitting.refused(None, cl.Say, text="hello").reason == Reason.NOT_SEATED
    assert sitting.refused(1, cl.Say, text="hello").reason == Reason.NOT_SEATED


def test_six_lines_in_ten_seconds_are_too_many() -> None:
    """Five lines in ten seconds are taken, the sixth when the first is ten seconds old."""
    sitting = Sitting.lobby(2)
    for number in range(5):
        sitting.events(0, cl.Say, text=f"line {number}")
    sitting.wait(10 * SECOND - 1)
    assert sitting.refused(0, cl.Say, text="once more").reason == Reason.TOO_FAST
    sitting.events(1, cl.Say, text="I may speak")
    sitting.wait(1)
    sitting.events(0, cl.Say, text="once more")


def test_what_is_said_is_cut_off() -> None:
    """Longer words are cut to what the wire takes: what is joined may be longer."""
    assert clean_words("x" * 2 * MAX_CHAT_LENGTH) == "x" * MAX_CHAT_LENGTH


def test_a_new_player_may_speak_at_once() -> None:
    """What the last one on a seat has said does not count for the next."""
    sitting = Sitting.lobby(2)
    for number in range(5):
        sitting.events(1, cl.Say, text=f"line {number}")
    sitting.events(1, cl.Leave)
    assert sitting.join("Zoe") == 1
    sitting.give(1, cl.Say(counter=1, text="hello"))
    assert isinstance(sitting.log[-1], ev.Said)


@for_each(
    ("text", "kept"),
    [
        ("  well\n\tplayed ", "well played"),
        ("\x1b[2Jhello\x07", "[2Jhello"),
        ("\u202eolleh\u2066", "olleh"),
        ("[/] [@click=app.bell]x[/]", "[/] [@click=app.bell]x[/]"),
        ("e" + "\u0301" * 9, "é\u0301\u0301"),
        ("ä" * MAX_CHAT_LENGTH, "ä" * MAX_CHAT_LENGTH),
    ],
)
def test_what_is_said_is_cleaned(text: str, kept: str) -> None:
    """Control, bidirectional and too many combining characters are dropped; markup is only text."""
    said = Sitting.lobby(2).events(0, cl.Say, text=text)[0]
    assert isinstance(said, ev.Said)
    assert kept == said.text


@for_each("text", ["\x00", "\u200b \u2800", "\u0301"])
def test_nothing_that_can_be_shown_is_not_said(text: str) -> None:
    """A line of which nothing is left is refused."""
    assert Sitting.lobby(2).refused(0, cl.Say, text=text).reason == Reason.BAD_TEXT


@examples(100)
@given(st.text(max_size=2 * MAX_CHAT_LENGTH))
def test_whatever_is_said_can_be_printed(text: str) -> None:
    """Cleaned words are printable, not too long, and stay as they are when cleaned again."""
    try:
        words = clean_words(text)
    except CommandRefused:
        return
    assert words.isprintable()
    assert 0 < len(words) <= MAX_CHAT_LENGTH
    assert words == clean_words(words)
