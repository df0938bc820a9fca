from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages import FROM_CLIENT, FROM_SERVER, Event, Message, name_of
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages import server as sv
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.effort import examples, more_when_long
from tests.support.frames import rows

ALL = {**FROM_CLIENT, **FROM_SERVER}


def test_each_direction_has_its_numbers() -> None:
    """Clients' messages are numbered below 64, the server's from 64, and events from 80 to 127."""
    assert max(FROM_CLIENT) < 64 <= min(FROM_SERVER)
    assert {tag for tag in FROM_SERVER if 80 <= tag < 128} == {
        tag for tag, cls in FROM_SERVER.items() if issubclass(cls, Event)
    }


@for_each("cls", [cls for cls in FROM_SERVER.values() if issubclass(cls, Event)])
def test_an_event_begins_with_its_number(cls: type[Message]) -> None:
    """The first field of every event is its place in the log."""
    assert next(iter(cls.model_fields)) == "seq"


@for_each("cls", [cls for cls in FROM_CLIENT.values() if issubclass(cls, cl.Command)])
def test_a_command_begins_with_its_counter(cls: type[Message]) -> None:
    """The first field of every command is the seat's counter."""
    assert next(iter(cls.model_fields)) == "counter"


@for_each(
    ("message", "name"),
    [(cl.PlayCards, "play_cards"), (ev.Played, "played"), (cl.Leave(counter=1), "leave")],
)
def test_names_of_messages(message: Message | type[Message], name: str) -> None:
    """A message, or its kind, is called by its class in small letters."""
    assert name == name_of(message)


@more_when_long
@for_each("cls", ALL.values())
def test_what_the_schema_draws_is_a_message(cls: type[Message]) -> None:
    """Every row that the published schema allows is read, and written in the same order."""

    @examples(25, 2)
    @given(rows(cls))
    def check(row: list[Any]) -> None:
        message = cls.model_validate(row)
        written: Any = message.model_dump(mode="json")
        assert message == cls.model_validate(written)
        assert len(cls.model_fields) - cls.LATER <= len(written) <= len(cls.model_fields)
        assert _simple(row)[: len(_simple(written))] == _simple(written[: len(row)])

    check()


def test_later_fields_are_left_out_where_they_say_nothing() -> None:
    """A play from a pile's top is what it was before cards could be drawn from below others."""
    play = cl.PlayCards(counter=1, source=20, count=1, destination=-1, seen=9)
    rows: list[Any] = [each.model_dump() for each in (play, play.model_copy(update={"depth": 3}))]
    assert rows == [[1, 20, 1, -1, 9], [1, 20, 1, -1, 9, 3]]


def _simple(row: list[Any]) -> list[Any]:
    """Return the fields of a row that are no lists or mappings, which may be filled up with defaults."""
    return [field for field in row if not isinstance(field, list | dict)]


@for_each("cls", ALL.values())
def test_no_row_is_too_long(cls: type[Message]) -> None:
    """A row with a field too many is refused."""
    with pytest.raises(ValidationError):
        cls.model_validate([0] * (len(cls.model_fields) + 1))


def test_fields_with_defaults_may_be_left_out() -> None:
    """A short row is filled up with the defaults of its last fields."""
    assert cl.Hello(version=1, software="") == cl.Hello.model_validate([1])


def test_fields_without_defaults_may_not() -> None:
    """A row that lacks what it must say is refused."""
    with pytest.raises(ValidationError, match="destination"):
        cl.PlayCards.model_validate([1, 2, 3])


def test_messages_do_not_change() -> None:
    """A message is a value: frozen, equal by content, and usable in sets."""
    message = cl.Ready(counter=1)
    with pytest.raises(ValidationError, match="frozen"):
        message.counter = 2  # type: ignore[misc]
    assert {cl.Ready(counter=1, ready=True)} == {message}


def test_rows_lie_in_rows() -> None:
    """A seat in a snapshot is written as an array, too."""
    seat = sv.SeatState(seat=2, name="Ada")
    snapshot = sv.Snapshot(
        seq=1, code="T", options=Options(), host=None, phase=Phase.LOBBY, seats=(seat,), hand_seats=(2,)
    )
    place = list(sv.Snapshot.model_fields).index("seats")
    row: Any = snapshot.model_dump(mode="json")
    assert row[place] == [[2, "Ada", "", True, False, False, False, "", False]]


@for_each(
    ("cls", "row"),
    [
        (cl.PlayCards, [1, 2, 0, 3, 0]),
        (cl.PlayCards, [1, 2, -1, 3, 0]),
        (cl.PlayCards, [1, 2, 105, 3, 0]),
        (cl.PlayCards, [1, -1, 1, 3, 0]),
        (cl.PlayCards, [1, 1024, 1, 3, 0]),
        (cl.PlayCards, [1, 2, 1, -2, 0]),
        (cl.PlayCards, [1, 2, 1, 1024, 0]),
        (cl.PlayCards, [-1, 2, 1, 3, 0]),
        (cl.PlayCards, [2**31, 2, 1, 3, 0]),
        (cl.PlayCards, [1, 2, 1, 3, -1]),
        (cl.PlayCards, [True, 2, 1, 3, 0]),
        (cl.PlayCards, [1.0, 2, 1, 3, 0]),
        (cl.PlayCards, ["1", 2, 1, 3, 0]),
        (cl.Ready, [1, 1]),
        (cl.Ready, [1, "true"]),
        (cl.AddBot, [1, "godlike"]),
        (cl.RemoveBot, [1, 8]),
        (cl.Join, ["T", ""]),
        (cl.Join, ["", "Ada"]),
        (cl.Join, ["T", "a" * 65]),
        (cl.Resume, ["T", "A" * 64]),
        (cl.Resume, ["T", "a" * 63]),
        (cl.SetOptions, [1, {"hands": 0}]),
        (cl.SetOptions, [1, []]),
        (ev.Played, [1, 0, 0, 0, 1, 0, [832]]),
        (ev.Played, [1, 8, 0, 0, 1, 0, []]),
        (ev.HandOver, [1, "tired", None, 0, [], "a" * 64]),
        (sv.Refused, [1, "because", ""]),
    ],
    ids=str,
)
def test_fields_out_of_bounds(cls: type[Message], row: list[Any]) -> None:
    """Numbers out of range, other types and words of no list are refused."""
    with pytest.raises(ValidationError):
        cls.model_validate(row)


@examples(50)
@given(st.text(max_size=300))
def test_texts_are_bounded(text: str) -> None:
    """A text of up to 240 characters is taken as it is, a longer one is refused."""
    if len(text) <= 240:
        assert text == cl.Hello(version=1, software=text).software
    else:
        with pytest.raises(ValidationError):
            cl.Hello(version=1, software=text)


@for_each("code", [" bcdf ", "BCDF", "B C-é"])
def test_codes_as_people_type_them(code: str) -> None:
    """Small letters and blanks make no difference, and a code that is no table's is only not found."""
    assert cl.Watch(code=code).code == code


@for_each("code", ["A\0", "\0", "BCDF\n", "\x7fBCDF"])
@for_each("request_of", [cl.Watch, partial(cl.Join, name="Ann"), partial(cl.Resume, token="a" * 64)])
def test_no_code_has_a_control_character(request_of: Callable[..., Message], code: str) -> None:
    """A code is a key in databases, which can hold no NUL."""
    with pytest.raises(ValidationError):
        request_of(code=code)
