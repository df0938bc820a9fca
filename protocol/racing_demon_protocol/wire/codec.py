"""Encode and decode messages: msgpack, and the same messages as JSON.

A frame is an array: the message's number, then its fields in declared order.
"""

import json
from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final, NoReturn, cast

import msgpack
from pydantic import ValidationError

from racing_demon_protocol.constants import (
    MAX_CHAT_LENGTH,
    MAX_NOTICE_LENGTH,
    MAX_REPORT_LENGTH,
    MAX_TEXT_LENGTH,
)
from racing_demon_protocol.errors import InvalidFrame

from .messages import FROM_CLIENT, FROM_SERVER, Message
from .messages.base import MAX_COUNT, MAX_INT, MAX_PILE, later, trimmed
from .messages.client import PlayCards, trusted_play
from .messages.events import Played
from .messages.server import Accepted

VERSION: Final = 1
"""The protocol version of this package."""

MAX_CLIENT_FRAME: Final = 4_096
"""The maximum size of a client's frame, in bytes."""

MAX_SERVER_FRAME: Final = 65_536
"""The maximum size of a server's frame, in bytes."""


class Encoding(StrEnum):
    """The WebSocket subprotocols, one for each encoding."""

    MSGPACK = "racing-demon.v1+msgpack"
    JSON = "racing-demon.v1+json"


_HOT: Final[dict[type[Message], tuple[int, list[Any]]]] = {
    cls: (cls.TAG, later(cls)) for cls in (Played, Accepted)
}
"""Messages written for every play, which hold no nested rows and so need no pydantic."""
_pack: Final[Callable[[list[Any]], bytes]] = msgpack.Packer().pack
_write_json: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def encode(message: Message, encoding: Encoding = Encoding.MSGPACK) -> bytes | str:
    """Return a message's frame: bytes for msgpack, text for JSON."""
    return pack(message) if encoding is Encoding.MSGPACK else _write_json(_row(message))


def pack(message: Message) -> bytes:
    """Return a message's frame in msgpack."""
    return _pack(_row(message))


def _row(message: Message) -> list[Any]:
    hot = _HOT.get(type(message))
    if hot is None:
        # Declared as a dict, but a message's serializer makes it a list; compiled code would refuse that.
        fields: list[Any] = cast("Any", message).model_dump()
        return [message.TAG, *fields]
    tag, defaults = hot
    return trimmed([tag, *message.__dict__.values()], defaults)


def decode_client(frame: bytes | str) -> Message:
    """Decode a frame from a client.

    Raises:
        InvalidFrame: the frame is invalid. No input raises anything else.

    """
    if len(frame) <= _SHORT and isinstance(frame, bytes) and frame[:2] in _PLAY_HEADS:
        try:
            play = _play(msgpack.unpackb(frame))
        except Exception:  # the full decoder reports what is wrong
            play = None
        if play is not None:
            return play
    return _decode(frame, FROM_CLIENT, CLIENT_LIMITS, MAX_CLIENT_FRAME)


def decode_server(frame: bytes | str) -> Message:
    """Decode a frame from a server. Clients validate it as strictly as servers do.

    Raises:
        InvalidFrame: the frame is invalid.

    """
    return _decode(frame, FROM_SERVER, SERVER_LIMITS, MAX_SERVER_FRAME)


def _refuse_extension(code: int, data: bytes) -> NoReturn:
    raise InvalidFrame("extension types are not used")


def _map(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a map, refusing duplicate keys, which programs interpret differently."""
    named = dict(pairs)
    if len(named) != len(pairs):
        raise InvalidFrame("a map names something twice")
    return named


# Without limits a frame of 4 KiB can make msgpack allocate 27 MiB.
# Texts are counted in characters, of which one may take four bytes.
_MAX_LENGTH: Final = max(MAX_CHAT_LENGTH, MAX_NOTICE_LENGTH, MAX_REPORT_LENGTH, MAX_TEXT_LENGTH)
_MAX_STRING_BYTES: Final = max(1_024, 4 * _MAX_LENGTH)
CLIENT_LIMITS: Final = {"max_array_len": 64, "max_map_len": 64, "max_str_len": _MAX_STRING_BYTES}
SERVER_LIMITS: Final = {"max_array_len": 1_024, "max_map_len": 64, "max_str_len": _MAX_STRING_BYTES}


def _decode(
    frame: bytes | str, messages: dict[int, type[Message]], limits: dict[str, int], size: int
) -> Message:
    if len(frame) > size:
        raise InvalidFrame(f"a frame of {len(frame)} exceeds {size}")
    row = _parse_json(frame) if isinstance(frame, str) else _parse_msgpack(frame, limits)
    if not isinstance(row, list) or not row or type(row[0]) is not int:
        raise InvalidFrame("a frame is an array that begins with a message's number")
    if row[0] == _PLAY and (play := _play(row)) is not None:
        return play
    cls = messages.get(row[0])
    if cls is None:
        raise InvalidFrame(f"there is no message {row[0] if abs(row[0]) < 1_000 else 'of that number'}")
    try:
        return cls.model_validate(row[1:])
    except (ValidationError, RecursionError) as error:
        raise InvalidFrame(f"{cls.__name__}: {_where(error)}") from None


_PLAY: Final = PlayCards.TAG
_PLAY_LENGTHS: Final = (6, 7)
"""The number of a play's fields, with its message's number, without and with the optional last one."""
_PLAY_HEADS: Final = {bytes((0x90 + length, _PLAY)) for length in _PLAY_LENGTHS}
"""How a play's frame begins: an array of that length, and the number of a play."""
_SHORT: Final = 40
"""No play is longer, and no such frame makes msgpack allocate much."""


def _play(row: Any) -> PlayCards | None:
    """Return the play in a row, as pydantic would but faster, or ``None`` if it needs full validation."""
    if len(row) not in _PLAY_LENGTHS:
        return None
    _, counter, source, count, destination, seen, depth = row if len(row) > 6 else (*row, 0)
    if (
        type(counter) is type(source) is type(count) is type(destination) is type(seen) is type(depth) is int
        and 0 <= counter <= MAX_INT
        and 0 <= source <= MAX_PILE
        and 1 <= count <= MAX_COUNT
        and -1 <= destination <= MAX_PILE
        and 0 <= seen <= MAX_INT
        and 0 <= depth <= MAX_COUNT
    ):
        return trusted_play(
            {
                "counter": counter,
                "source": source,
                "count": count,
                "destination": destination,
                "seen": seen,
                "depth": depth,
            }
        )
    return None


def _where(error: Exception) -> str:
    """Return which fields are invalid, without repeating any input."""
    if not isinstance(error, ValidationError):
        return "nested too deeply"
    known = [item["loc"][0] for item in error.errors(include_input=False, include_url=False) if item["loc"]]
    return f"invalid value for {', '.join(str(field)[:32] for field in known[:4]) or 'its fields'}"


def _parse_msgpack(frame: bytes, limits: dict[str, int]) -> Any:
    try:
        return msgpack.unpackb(
            frame,
            max_bin_len=0,
            max_ext_len=0,
            ext_hook=_refuse_extension,
            object_pairs_hook=_map,
            use_list=True,
            **limits,
        )
    except InvalidFrame:
        raise
    except Exception as error:  # msgpack raises half a dozen kinds for hostile bytes
        raise InvalidFrame(f"no msgpack of ours ({type(error).__name__})") from None


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidFrame(f"{name} is no number here")


def _parse_json(frame: str) -> Any:
    try:
        return json.loads(frame, parse_constant=_refuse_constant, object_pairs_hook=_map)
    except InvalidFrame:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidFrame(f"no JSON of ours ({type(error).__name__})") from None
