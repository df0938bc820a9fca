"""The analysis in words: short lines that say what was, and nothing that could steer a terminal."""

from racing_demon_client.records.timeline import Timeline
from racing_demon_client.shared.analysis_text import analysis_lines, full, moment_text, summary
from racing_demon_client.shared.message_text import MessageText
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.formatting import format_duration
from racing_demon_protocol.records.analysis import (
    BuriedCard,
    Faster,
    FoundationPlay,
    Race,
    SeatAnalysis,
)
from racing_demon_protocol.records.moments import HandMoment
from racing_demon_protocol.records.waits import Chance
from tests.support.boards import cards
from tests.support.cases import for_each
from tests.support.matches import final_view, of_matches
from tests.support.recordings import recording_of

THREE, ACE = cards("3S AH")
NOTHING = SeatAnalysis(0, (), (), (), (), 0, 0, ())


def words(seat: int | None = None) -> MessageText:
    """Return what things are called at the table of a match."""
    return MessageText(final_view("racing-demon"), seat, ascii_only=True)


def test_a_hand_without_anything() -> None:
    """Where nothing happened little is said."""
    assert full(NOTHING, words()) == [
        "races: 0 won, 0 lost",
        "left: 0 in stock and waste, 0 face down in the columns",
    ]
    assert summary(NOTHING, words()) == "Ada: races 0 won, 0 lost; 0 cards buried"
    assert summary(NOTHING._replace(face_down=1), words()).endswith("; 1 card buried")


def test_a_hand_in_full() -> None:
    """Races with whom and by how much, waits, what could still have gone up, and what lay where."""
    analysis = SeatAnalysis(
        seat=0,
        won=(Race(5, ACE, 0, 1, 9),),
        lost=(
            Race(1, THREE, 1, 0, 2_000_000),
            Race(2, ACE, 2, 0, 10, 12_400),
            Race(3, UNKNOWN, 1, 0, 0, 800),
        ),
        waits=(FoundationPlay(0, ACE, 9_000_000, 3_200_000), FoundationPlay(0, THREE, 9, 400_000)),
        unused=(Chance(0, 4, THREE, 7),),
        face_down=2,
        in_hand=9,
        buried=(BuriedCard(ACE, 6, 3), BuriedCard(THREE, 2, 1)),
    )
    assert full(analysis, words()) == [
        "races: 1 won, 3 lost: to Bob by 0.8 ms, AH to Cyn by 12 ms, 3S to Bob (ready for 2.0 s)",
        "plays up: 2, ready for 1.8 s as a rule; longest AH 3.2 s, 3S 400 ms",
        "could still have gone up: 3S",
        "left: 9 in stock and waste, 2 face down in the columns: "
        "AH under 3 in column 7, 3S under 1 in column 3",
    ]
    assert summary(analysis, words(0)) == "you: races 1 won, 3 lost; plays up ready for 1.8 s; 2 cards buried"


def test_what_cost_most_is_a_sentence() -> None:
    """It says for how long the card could go up, what became of it, what that cost, and what lay beneath."""
    told = [
        moment_text(moment, words(0))
        for moment in (
            HandMoment(0, THREE, 1, 9_340_000, 7, winner=1),
            HandMoment(0, ACE, 3, 21_000_000, 7, opened=THREE),
            HandMoment(1, ACE, 0, 1_000_000, 7),
            HandMoment(1, ACE, 1, 0, 7, winner=0),
        )
    ]
    assert told == [
        "Your 3S could go up for 9.3 seconds; Bob's went instead. That cost 1 point.",
        "Your AH could go up for 21 seconds, and never did. That cost 3 points. Beneath it lay the 3S.",
        "Bob's AH could go up for 1 second before it did.",
        "Bob's AH could go up; yours went instead. That cost 1 point.",
    ]


def test_speed_is_told_with_what_it_would_have_brought() -> None:
    """Only races that were tried count, and nobody is promised a card: others would have answered."""
    close = NOTHING._replace(faster=(Faster(100_000, 2, 0), Faster(200_000, 5, 2), Faster(500_000, 9, 4)))
    assert full(close, words())[1:3] == [
        "5 races were lost by 0.2 s or less; 2 of their cards never went up",
        "being faster would have brought 0 cards by 0.1 s, 2 cards by 0.2 s and 4 cards by 0.5 s, "
        "had nobody answered; others would have",
    ]
    free = NOTHING._replace(faster=(Faster(500_000, 3, 0),))
    assert full(free, words())[1] == "3 races were lost by 0.5 s or less; their cards went up later"
    near = NOTHING._replace(lost=(Race(2, ACE, 2, 0, 10, 12_400), Race(3, ACE, 2, 0, 10, 90_000)))
    assert full(near, words(), ping_ms=38)[1] == (
        "1 race was lost by less than your way to the server and back takes (38 ms): "
        "that is distance, not speed"
    )


@for_each(
    ("microseconds", "text"),
    [
        (0, "less than 0.1 ms"),
        (100, "0.1 ms"),
        (400, "0.4 ms"),
        (12_300, "12 ms"),
        (999_000, "999 ms"),
        (1_000_000, "1.0 s"),
        (22_096_000, "22.1 s"),
        (59_900_000, "59.9 s"),
        (125_000_000, "2:05"),
    ],
)
def test_times_are_short(microseconds: int, text: str) -> None:
    """Milliseconds, seconds or minutes, whichever says it best."""
    assert text == format_duration(microseconds)


@of_matches
def test_every_hand_can_be_told(name: str) -> None:
    """Of any hand each player is told their own analysis, and a spectator one line for each player."""
    timeline = Timeline(recording_of(name))
    analysis = timeline.analysis_at(len(timeline))
    view = final_view(name)
    seats = list(view.hand_seats)
    assert len(seats) == len(analysis_lines(analysis, None, MessageText(view, None)))
    for seat in seats:
        lines = analysis_lines(analysis, seat, MessageText(view, seat))
        assert any(line.startswith("races: ") for line in lines)
        assert lines[-1].startswith("left: ")
        assert all(line.isprintable() for line in lines)
