"""The feed: what happened, in few words."""

import pytest

from racing_demon_client.terminal.drawing.scene import FeedLine
from racing_demon_client.terminal.feed import tell
from racing_demon_client.terminal.style.glyphs import ASCII, UNICODE, Glyphs
from racing_demon_client.terminal.style.ink import Role
from racing_demon_protocol.engine.board import FOUNDATIONS, Kind, Play
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Pong, Refused, Seated
from tests.support.desks import HOSTILE
from tests.support.matches import MATCHES, log_of, of_matches
from tests.support.tables import Own, Sitting


def line(
    message: Message,
    view: TableState,
    seat: int | None = 0,
    *,
    volume: int = 2,
    glyphs: Glyphs = UNICODE,
    refused: Play | None = None,
) -> FeedLine | None:
    """Return the feed's line, at a time that does not matter."""
    return tell(message, view, seat, at_ms=1_000, volume=volume, glyphs=glyphs, refused=refused)


def words(message: Message, view: TableState, seat: int | None = 0, **kwargs: int) -> str | None:
    """Return the text of the line, if there is one."""
    told = line(message, view, seat, **kwargs)  # type: ignore[arg-type]
    return None if told is None else told.text


def sitting() -> Sitting:
    """Return a table of Ann and Ben in the middle of a hand."""
    table = Sitting.playing(2)
    table.lay(
        ["AS"],
        Own(tableau=["2S", "TS 8H", "TD 9C", "5D"], stock="2c 3c 4c 5c", waste="KC QC"),
        Own(tableau=["AH/1", "9S/1", "TD/1"], stock="2c/1 3c/1", waste=""),
    )
    return table


@pytest.mark.parametrize(
    ("volume", "told"),
    [
        (0, ["you: 2♠ up", None, None, None]),
        (1, ["you: 2♠ up", None, None, "Ben: A♥ up"]),
        (2, ["you: 2♠ up", "you: 8♥ to column 3", "you: turned 3", "Ben: A♥ up"]),
    ],
)
def test_volume(volume: int, told: list[str | None]) -> None:
    """The own cards that go up always; the others' with volume; every move only at the loudest."""
    table = sitting()
    moves = [
        (0, table.column(0), FOUNDATIONS, 1),
        (0, table.column(0, 1), table.column(0, 2), 1),
        (0, table.stock(0), table.waste(0), 3),
        (1, table.column(1), FOUNDATIONS, 1),
    ]
    lines = [
        words(table.play(seat, source, destination, count)[0], table.mirror, volume=volume)
        for seat, source, destination, count in moves
    ]
    assert told == lines


def test_moves_at_the_loudest() -> None:
    """Runs name all their cards, the waste is turned over, and everybody is called by name."""
    table = Sitting.playing(2)
    table.lay([], Own(tableau=["9S 8H", "TD"], waste="2c 3C"), Own(tableau=["9S/1", "TD/1"]))
    event = table.play(0, table.column(0), table.column(0, 1), 2)[0]
    assert words(event, table.mirror) == "you: 9♠ 8♥ to column 2"
    assert words(event, table.mirror, 1) == "Ann: 9♠ 8♥ to column 2"
    assert getattr(line(event, table.mirror, None, glyphs=ASCII), "text", None) == "Ann: 9S 8h to column 2"
    assert words(table.turn(0)[0], table.mirror) == "you: waste turned over"
    assert words(table.turn(0)[0], table.mirror) == "you: turned 2"
    event = table.play(1, table.column(1), table.column(1, 1))[0]
    assert words(event, table.mirror) == "Ben: 9♠ to column 2"
    assert words(event, table.mirror, volume=1) is None


def test_own_lines_stand_out() -> None:
    """What one did oneself has another ink than what the others did; a spectator does nothing."""
    table = sitting()
    event = table.play(0, table.column(0))[0]
    roles = [getattr(line(event, table.mirror, seat), "role", None) for seat in (0, 1, None)]
    assert roles == [Role.ACCENT, Role.TEXT, Role.TEXT]


def test_somebody_called_you_is_not_oneself() -> None:
    """A name does not make another player's cards one's own."""
    table = sitting()
    table.mirror.seats[1] = table.mirror.seats[1].model_copy(update={"name": "you"})
    play = ev.Played(seq=1, seat=1, counter=1, source=table.column(1), count=1, destination=1)
    table.mirror.board.cards[1] = [52 + 13]  # type: ignore[union-attr]
    assert words(play, table.mirror, volume=0) is None


# Refusals.


def test_who_was_first_by_how_much_and_with_which_card() -> None:
    """A lost race is told with the card that was meant, which lies where it lay."""
    table = Sitting.playing(2)
    table.lay(["AS"], Own(tableau=["2S", "KH"], stock="2c"), Own(tableau=["2S/1", "KH/1"], stock="2c/1"))
    seen = table.seq
    table.play(1, table.column(1))
    table.wait(12_300)
    refused = table.miss(0, table.column(0), seen=seen)
    play = Play(table.column(0), 1, FOUNDATIONS)
    told = line(refused, table.mirror, refused=play)
    assert told is not None
    assert (told.text, told.role) == ("Ben beat you to 2♠ by 12 ms", Role.WARNING)
    told = line(refused, table.mirror, refused=play, glyphs=ASCII)
    assert told is not None
    assert told.text == "Ben beat you to 2S by 12 ms"


def test_a_race_for_a_card_that_is_not_known() -> None:
    """Where it is not known what was meant, the rest is told all the same."""
    table = sitting()
    refused = Refused(counter=1, reason=Reason.BEATEN, text="", by=1, late_us=2_040)
    assert words(refused, table.mirror) == "Ben beat you by 2.0 ms"
    for pile in (table.stock(0), 99, -1, 3):
        told = line(refused, table.mirror, refused=Play(pile, 1, FOUNDATIONS))
        assert told is not None
        assert told.text == "Ben beat you by 2.0 ms"


def test_other_refusals_are_told_in_the_servers_words() -> None:
    """The reason as the server put it, without anything that could steer a terminal."""
    table = sitting()
    refused = Refused(counter=1, reason=Reason.ILLEGAL, text="No\x1b[2J way\u202e.")
    assert words(refused, table.mirror) == "No?[2J way?."


# All the rest.


def test_answers_are_not_told() -> None:
    """What only keeps the connection going is nobody's news."""
    table = sitting()
    silent = [Accepted(counter=1, seq=1), Pong(stamp=1), Seated(code="A"), table.mirror.snapshot(0)]
    assert [line(message, table.mirror) for message in silent] == [None] * 4


@pytest.mark.parametrize("volume", [0, 1, 2])
def test_what_concerns_all_is_told_at_any_volume(volume: int) -> None:
    """Signal, calls, ends and what people say are loud; comings and goings are told quietly."""
    table = sitting()
    loud = [
        ev.Signalled(seq=1),
        ev.Called(seq=1, seat=1, grace_ms=0),
        ev.Said(seq=1, seat=1, text="hello"),
        ev.MatchOver(seq=1, winners=(1,)),
    ]
    roles = [getattr(line(message, table.mirror, volume=volume), "role", None) for message in loud]
    assert roles == [Role.ACCENT] * 4
    told = line(ev.Joined(seq=1, seat=1, name="Ben"), table.mirror, volume=volume)
    assert told is not None
    assert Role.DIM is told.role


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_harmless(name: str) -> None:
    """Whatever a player is called or says, the feed's line is printable."""
    table = sitting()
    table.mirror.seats[1] = table.mirror.seats[1].model_copy(update={"name": name})
    table.mirror.board.cards[1] = [13]  # type: ignore[union-attr]
    messages = [
        ev.Played(seq=1, seat=1, counter=1, source=table.column(1), count=1, destination=1),
        ev.Said(seq=1, seat=1, text=name),
        Refused(counter=1, reason=Reason.BEATEN, text=name, by=1),
        Refused(counter=1, reason=Reason.ILLEGAL, text=name),
        ev.Joined(seq=1, seat=1, name=name, bot=name[:16]),
    ]
    for message in messages:
        told = words(message, table.mirror)
        assert told is not None
        assert told.isprintable()


@of_matches
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["signs", "letters"])
def test_whole_matches_are_told(name: str, glyphs: Glyphs) -> None:
    """The louder, the more lines; every card that goes up has one; in letters all is ASCII."""
    view = TableState("TEST", Sitting.lobby(1, **MATCHES[name][1]).options)
    told: dict[int, int] = {0: 0, 1: 0, 2: 0}
    ups = 0
    for event in log_of(name):
        view.apply(event)
        lines = [line(event, view, volume=volume, glyphs=glyphs) for volume in (0, 1, 2)]
        for volume, shown in enumerate(lines):
            if shown is not None:
                told[volume] += 1
                assert shown.text.isprintable()
                assert glyphs is UNICODE or shown.text.isascii()
        if isinstance(event, ev.Played):
            assert view.board is not None
            upward = view.board.piles[event.destination].kind is Kind.FOUNDATION
            ups += upward
            shown_at = [shown is not None for shown in lines]
            assert shown_at == [upward and event.seat == 0, upward, True]
    assert ups > 0
    assert told[0] < told[1] < told[2]
