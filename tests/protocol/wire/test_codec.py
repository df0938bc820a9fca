import json
import re
from typing import Any

import msgpack
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from racing_demon_protocol.constants import MAX_CHAT_LENGTH, MAX_TEXT_LENGTH
from racing_demon_protocol.errors import InvalidFrame
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import (
    MAX_CLIENT_FRAME,
    MAX_SERVER_FRAME,
    VERSION,
    Encoding,
    decode_client,
    decode_server,
    encode,
    pack,
)
from racing_demon_protocol.wire.messages import FROM_CLIENT, FROM_SERVER, Message
from racing_demon_protocol.wire.messages.client import Hello, Join, PlayCards, SetOptions
from racing_demon_protocol.wire.messages.events import Played, Said, trusted_played
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.effort import examples, more_when_long
from tests.support.frames import messages
from tests.support.matches import commands_of, log_of, of_matches, options_of

EASY = examples(30, 4)
HARD = examples(400, 40)


# There and back.


FIELDS = st.one_of(
    st.integers(-3, 130),
    st.sampled_from([2**31 - 1, 2**31, 2**63, 1_023, 1_024, -(2**31)]),
    st.booleans(),
    st.none(),
    st.floats(allow_nan=False),
    st.text(max_size=2),
)


@more_when_long
@for_each("encoding", Encoding)
def test_a_play_is_what_its_model_makes_of_it(encoding: Encoding) -> None:
    """Of any row, the quick way to a play makes what the model makes, or refuses it in the same words."""

    @examples(500, 60)
    @given(st.one_of(st.lists(FIELDS, max_size=8), st.lists(st.integers(0, 110), min_size=5, max_size=6)))
    def check(fields: list[Any]) -> None:
        row = [PlayCards.TAG, *fields]
        frame = msgpack.packb(row) if encoding is Encoding.MSGPACK else json.dumps(row)
        assume(isinstance(frame, bytes) or not {"Infinity", "NaN"} & set(re.findall(r"[A-Za-z]+", frame)))
        try:
            expected = PlayCards.model_validate(fields)
        except ValidationError as error:
            places = (item["loc"] for item in error.errors())
            fields_named = ", ".join([str(place[0]) for place in places if place][:4]) or "its fields"
            with pytest.raises(InvalidFrame) as refused:
                decode_client(frame)
            assert str(refused.value) == f"PlayCards: invalid value for {fields_named}"
            return
        play = decode_client(frame)
        assert play == expected
        assert repr(play) == repr(expected)
        assert play.model_copy(update={"seen": 1}) == expected.model_copy(update={"seen": 1})
        assert encode(play, encoding) == encode(expected, encoding)

    check()


@given(st.sampled_from([0x96, 0x97]), st.binary(max_size=50))
@HARD
def test_what_begins_like_a_play_may_be_anything(head: int, rest: bytes) -> None:
    """Bytes that begin as a play does, and go on somehow, are a play in the right way or refused."""
    frame = bytes([head, PlayCards.TAG]) + rest
    try:
        message = decode_client(frame)
    except InvalidFrame:
        return
    assert PlayCards.model_validate(msgpack.unpackb(frame)[1:]) == message


@given(messages(Played))
@HARD
def test_an_event_is_written_as_its_model_writes_it(event: Message) -> None:
    """The quick way to an event's bytes leads to the same bytes."""
    assert encode(event) == msgpack.packb([event.TAG, *event.model_dump()])


@given(messages(Played))
@HARD
def test_an_event_that_is_built_without_validation_is_the_model(event: Message) -> None:
    """The quick way to an event from valid fields leads to the same event in every respect."""
    built = trusted_played(dict(event))
    assert built == event
    assert repr(built) == repr(event)
    assert hash(built) == hash(event)
    assert built.model_fields_set == set(Played.model_fields)
    assert built.model_copy(update={"seq": 1}) == event.model_copy(update={"seq": 1})
    with pytest.raises(ValidationError):
        built.seq = 1  # type: ignore[misc]


@more_when_long
@for_each("cls", FROM_CLIENT.values())
def test_clients_messages_survive(cls: type[Message]) -> None:
    """Every message of a client comes out of its frame as it went in."""

    @EASY
    @given(messages(cls))
    def check(message: Message) -> None:
        assert [message, message] == [decode_client(encode(message, encoding)) for encoding in Encoding]

    check()


@more_when_long
@for_each("cls", FROM_SERVER.values())
def test_servers_messages_survive(cls: type[Message]) -> None:
    """Every message of the server comes out of its frame as it went in."""

    @EASY
    @given(messages(cls))
    def check(message: Message) -> None:
        assert [message, message] == [decode_server(encode(message, encoding)) for encoding in Encoding]

    check()


@for_each("encoding", Encoding)
def test_the_longest_text_survives(encoding: Encoding) -> None:
    """The limits count characters: as many of four bytes each are not too long for a frame, either way."""
    hello = Hello(version=1, software="𝄞" * MAX_TEXT_LENGTH)
    said = Said(seq=1, seat=0, text="𝄞" * MAX_CHAT_LENGTH)
    assert (decode_client(encode(hello, encoding)), decode_server(encode(said, encoding))) == (hello, said)


@for_each("encoding", Encoding)
def test_the_longest_name_survives(encoding: Encoding) -> None:
    """A name of 64 characters of four bytes reaches the server."""
    message = Join(code="T" * 16, name="𝄞" * 64)
    assert message == decode_client(encode(message, encoding))


@of_matches
def test_whole_matches_survive(name: str) -> None:
    """Every event and every command of a match comes out of both kinds of frame as it went in."""
    for encoding in Encoding:
        assert log_of(name) == [decode_server(encode(event, encoding)) for event in log_of(name)]
        assert commands_of(name) == [decode_client(encode(item, encoding)) for item in commands_of(name)]


def test_a_frame_of_msgpack() -> None:
    """A frame is an array of the message's number and its fields."""
    frame = encode(PlayCards(counter=7, source=6, count=2, destination=-1, seen=300))
    assert msgpack.unpackb(frame) == [6, 7, 6, 2, -1, 300]


def test_a_frame_of_json() -> None:
    """The JSON frame is the same array, without spaces."""
    message = PlayCards(counter=7, source=6, count=2, destination=-1, seen=300)
    assert encode(message, Encoding.JSON) == "[6,7,6,2,-1,300]"


@for_each("encoding", Encoding)
def test_a_change_of_options_names_what_changes(encoding: Encoding) -> None:
    """Of the options the frame names those that were named, and so does the message that comes out of it."""
    message = SetOptions(counter=5, options=Options(hands=5, target=None))
    frame = encode(message, encoding)
    row = json.loads(frame) if isinstance(frame, str) else msgpack.unpackb(frame)
    assert row == [12, 5, {"hands": 5, "target": None}]
    decoded = decode_client(frame)
    assert isinstance(decoded, SetOptions)
    assert {"hands", "target"} == decoded.options.model_fields_set


def test_json_keeps_letters() -> None:
    """Names are written in their own script."""
    assert encode(Join(code="T", name="Zoë"), Encoding.JSON) == '[3,"T","Zoë",""]'


def test_names_of_the_encodings() -> None:
    """The WebSocket subprotocols carry the version."""
    assert [f"racing-demon.v{VERSION}+msgpack", f"racing-demon.v{VERSION}+json"] == list(Encoding)


# Sizes.


@of_matches
def test_plays_are_tiny(name: str) -> None:
    """A play takes twelve bytes at most."""
    sizes = [len(encode(item)) for item in commands_of(name) if isinstance(item, PlayCards)]
    assert max(sizes) <= 12


@of_matches
def test_events_of_plays_are_small(name: str) -> None:
    """An event of a play takes sixteen bytes on the average, and never much more."""
    sizes = [len(encode(item)) for item in log_of(name) if isinstance(item, Played)]
    assert sum(sizes) / len(sizes) <= 16
    assert max(sizes) <= 24


def test_a_snapshot_of_eight_seats_is_small() -> None:
    """At no moment of a hand of eight does the whole table take more than two kilobytes."""
    view = TableState("SIM", options_of("eight"))
    largest = 0
    for event in log_of("eight"):
        view.apply(event)
        largest = max(largest, len(encode(view.snapshot(60_000))))
    assert largest <= 2_048


# What others may send.


def _refused(frame: bytes | str) -> bool:
    """Tell whether both directions refuse a frame; anything raised but InvalidFrame fails the test."""
    outcomes = []
    for decode in (decode_client, decode_server):
        try:
            decode(frame)
        except InvalidFrame:
            outcomes.append(True)
        else:
            outcomes.append(False)
    return all(outcomes)


def _packed(*fields: Any) -> bytes:
    packed: bytes = msgpack.packb(list(fields))
    return packed


@HARD
@given(st.binary(max_size=64))
def test_any_bytes_are_a_message_or_invalid(frame: bytes) -> None:
    """Random bytes raise nothing but InvalidFrame."""
    _refused(frame)


@HARD
@given(st.text(max_size=64))
def test_any_text_is_a_message_or_invalid(frame: str) -> None:
    """Random text raises nothing but InvalidFrame."""
    _refused(frame)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@HARD
@given(st.sampled_from([*FROM_CLIENT, *FROM_SERVER]), st.lists(ANYTHING, max_size=8))
def test_any_fields_are_a_message_or_invalid(tag: int, fields: list[Any]) -> None:
    """A known number before random fields raises nothing but InvalidFrame, in both encodings."""
    _refused(_packed(tag, *fields))
    _refused(json.dumps([tag, *fields]))


@HARD
@given(st.data())
def test_damaged_frames_are_a_message_or_invalid(data: st.DataObject) -> None:
    """A true frame with a few bytes changed, cut or added raises nothing but InvalidFrame."""
    cls = data.draw(st.sampled_from([*FROM_CLIENT.values(), *FROM_SERVER.values()]))
    frame = bytearray(pack(data.draw(messages(cls))))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(frame)))
        frame[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    _refused(bytes(frame))


@for_each(
    "frame",
    [
        "",
        b"",
        "null",
        '{"message":"ping"}',
        "[]",
        '["ping",1]',
        "[999999999999,1]",
        "[-1,1]",
        "[15.0,1]",
        "[true,1]",
        "[15,NaN]",
        "[15,Infinity]",
        "[15,-Infinity]",
        "[15,1.0]",
        "[15,1e400]",
        "[15,true]",
        '[15,"1"]',
        "[15,null]",
        f"[15,{'9' * 4_000}]",
        f"[15,{'9' * 5_000}]",
        "[15,1,2]",
        "[15]",
        "[15,1",
        "\ufeff[15,1]",
        '[4,"\\ud800"]',
        '[2,"Ada",{"\\ud800":1}]',
        '[2,"Ada",{"hands":3.0}]',
        '[10,1,"easy\\n"]',
        "[" * 4_000,
        "[4," + "[" * 1_900 + "]" * 1_900 + "]",
        '[2,"Ada",' + '{"game":' * 400 + "1" + "}" * 400 + "]",
        _packed(15, float("nan")),
        _packed(15, 1.0),
        _packed(15, True),
        _packed(15, msgpack.Timestamp(1)),
        _packed(15, msgpack.ExtType(5, b"")),
        _packed(15, msgpack.ExtType(5, b"abc")),
        _packed(4, b"bytes"),
        _packed(2, "Ada", {b"game": "classic"}),
        _packed(2, "Ada", {1: 2}),
        _packed(4, "x" * 2_000),
        _packed(4, list(range(2_000))),
        _packed(14, 1) + b"\x00",
        b"\x93\x02\xa3Ada\x82" + 2 * b"\xa5hands\x03",
        '[2,"Ada",{"hands":3,"hands":3}]',
        b"\x92\x04\xa2\xff\xfe",
        b"\x91" * 4_000,
        b"\x92\x04" + b"\x91" * 4_000,
        b"\xdd\xff\xff\xff\xff",
        b"\x92\x04\xdb\xff\xff\xff\xff",
        b"\xc1",
    ],
    ids=lambda frame: repr(frame[:24]),
)
def test_frames_that_are_none_of_ours(frame: bytes | str) -> None:
    """Frames that are broken, hostile or of the wrong types are refused by both sides."""
    assert _refused(frame)


@for_each("tag", [80, 66, 0, 60, 63])
def test_a_client_sends_no_events(tag: int) -> None:
    """A server takes no message that only servers send, nor one that does not exist."""
    with pytest.raises(InvalidFrame, match="no message"):
        decode_client(_packed(tag, 1))


def test_a_server_sends_no_commands() -> None:
    """A client takes no message that only clients send."""
    with pytest.raises(InvalidFrame, match="no message"):
        decode_server(encode(Hello(version=1)))


@for_each(("decode", "limit"), [(decode_client, MAX_CLIENT_FRAME), (decode_server, MAX_SERVER_FRAME)])
def test_oversize_frames(decode: Any, limit: int) -> None:
    """A frame beyond the limit is refused before anybody reads it."""
    for frame in (b"\x00" * (limit + 1), " " * (limit + 1)):
        with pytest.raises(InvalidFrame, match=f"exceeds {limit}"):
            decode(frame)


@HARD
@given(st.sampled_from([*FROM_CLIENT]), st.text("abcdefgh<>&", min_size=6, max_size=30), st.integers(0, 4))
def test_errors_never_quote(tag: int, secret: str, place: int) -> None:
    """Whatever text is in a refused frame, the error does not repeat it."""
    fields: list[Any] = [0, 0, 0, 0, {secret: secret}, [secret], 2.5]
    fields.insert(place, secret)
    for frame in (_packed(tag, *fields), json.dumps([tag, *fields]), json.dumps([secret]), secret):
        with pytest.raises(InvalidFrame) as refused:
            decode_client(frame)
        assert secret not in str(refused.value)
        assert refused.value.__cause__ is None
