"""The base of all messages: a pydantic model encoded as an array of its fields."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, model_serializer, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, SchemaValidator, core_schema

from racing_demon_protocol.constants import (
    MAX_CHAT_LENGTH,
    MAX_PASSPHRASE_LENGTH,
    MAX_PILES,
    MAX_SEATS,
    MAX_TEAMS,
    MAX_TEXT_LENGTH,
)
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN

MAX_INT = 2**31 - 1
MAX_CARD = MAX_SEATS * 2 * PACK_SIZE - 1
MAX_PILE = MAX_PILES - 1
MAX_COUNT = 104

Counter = Annotated[int, Field(strict=True, ge=0, le=MAX_INT)]
"""The number of the seat's command. It rises with each command."""
Seq = Annotated[int, Field(strict=True, ge=0, le=MAX_INT)]
"""The number of the event: one more than that of the event before."""
Seen = Seq
"""The number of the last event that you had seen."""
Seat = Annotated[int, Field(strict=True, ge=0, le=MAX_SEATS - 1)]
"""A seat's number, from 0."""
Team = Annotated[int, Field(strict=True, ge=0, le=MAX_TEAMS - 1)]
"""A team's number, from 0; people call it A to D."""
SpectatorNumber = Annotated[int, Field(strict=True, ge=1, le=MAX_INT)]
"""What the host calls a spectator by."""
PileNumber = Annotated[int, Field(strict=True, ge=0, le=MAX_PILE)]
Destination = Annotated[int, Field(strict=True, ge=-1, le=MAX_PILE)]
"""A pile's number, or -1."""
Count = Annotated[int, Field(strict=True, ge=-MAX_COUNT, le=MAX_COUNT)]
Depth = Annotated[int, Field(strict=True, ge=0, le=MAX_COUNT)]
"""The number of cards that stay above the selected ones."""
CardNumber = Annotated[int, Field(strict=True, ge=UNKNOWN, le=MAX_CARD)]
Milliseconds = Annotated[int, Field(strict=True, ge=-MAX_INT, le=MAX_INT)]
Elapsed = Annotated[int, Field(strict=True, ge=-MAX_INT, le=2**53 - 1)]  # exact in JSON
"""The time since the signal without pauses, in milliseconds; negative before the signal."""
Microseconds = Annotated[int, Field(strict=True, ge=0, le=2**53)]
# The server cleans names, and shortens them to MAX_NAME_LENGTH.
Name = Annotated[str, Field(min_length=1, max_length=64)]
"""The player's name. The one in ``joined`` counts: the server cleans names, and makes them differ."""
SeatColor = Annotated[int, Field(strict=True, ge=0, le=MAX_SEATS - 1)]
"""The number of a colour and a shape; no two seats have the same. Each client chooses how it looks."""
Text = Annotated[str, Field(max_length=MAX_TEXT_LENGTH)]
HandId = Text
"""What names the hand: the table's code, the number of the match, and that of the hand."""
ChatText = Annotated[str, Field(min_length=1, max_length=MAX_CHAT_LENGTH)]
"""A line of chat; the server cleans it like a name."""
Code = Annotated[str, Field(min_length=1, max_length=16, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""The table's code. Capital and small letters, and blanks around it, make no difference. No control
characters."""
Passphrase = Annotated[str, Field(max_length=MAX_PASSPHRASE_LENGTH)]
"""What opens the table; empty where it has no passphrase."""
Token = Annotated[str, Field(min_length=64, max_length=64, pattern="^[0-9a-f]+$")]
"""The secret that opens the seat: 64 hexadecimal digits."""
ChosenToken = Annotated[str, Field(max_length=64, pattern="^([0-9a-f]{64})?$")]
"""A token chosen by a client; empty to let the server choose."""
Epoch = Annotated[str, Field(max_length=16, pattern="^[0-9a-f]*$")]
"""The name of a start of the server: see *Coming back*."""
Hash = Annotated[str, Field(min_length=64, max_length=64, pattern="^[0-9a-f]+$")]
"""A SHA-256, or a hand's seed of 32 bytes, in hexadecimal."""
Commitment = Hash
"""A SHA-256 in hexadecimal that binds whoever sent it: see *Fair deals*."""
PlayerId = Annotated[str, Field(max_length=16, pattern="^[0-9a-z]*$")]
"""What names a player at this server, for everybody to know."""
DeviceNumber = Annotated[int, Field(strict=True, ge=0, le=MAX_INT)]
"""The number of a device of a player, at this server."""
HostName = Annotated[str, Field(min_length=1, max_length=253, pattern="^[0-9A-Za-z.:_-]+$")]
"""The name of a host, or its IP address without brackets."""


class WireModel(BaseModel):
    """A frozen record that is encoded as an array. Trailing fields with defaults may be omitted."""

    # Defer building validators and serializers until first use: no program needs all of them.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _from_array(cls, data: Any) -> Any:
        if not isinstance(data, list | tuple):
            return data
        names = _names(cls)
        if len(data) > len(names):
            raise ValueError("too many fields")
        return dict(zip(names, data, strict=False))

    LATER: ClassVar[int] = 0
    """How many trailing fields are omitted at their defaults, because older programs do not know them."""

    @model_serializer(mode="plain")
    def to_array(self) -> list[Any]:
        """Return the fields in order; nested rows are still rows."""
        return trimmed(list(self.__dict__.values()), later(type(self)))

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Describe the array, field by field."""
        described = handler.resolve_ref_schema(handler(_model_schema(schema)))
        properties: dict[str, Any] = described.get("properties", {})
        items = [{**properties[name], "title": name} for name in cls.model_fields]
        required = sum(field.is_required() for field in cls.model_fields.values())
        return {
            "description": described.get("description", ""),
            "type": "array",
            "prefixItems": items,
            "items": False,
            "minItems": required,
        }


R = TypeVar("R", bound=WireModel)


def trusting(cls: type[R]) -> Callable[[dict[str, Any]], R]:
    """Return a fast constructor from a map of all fields, in order and known to be valid.

    The map becomes the message's own. Call this right below the class: pydantic would take the validator of a
    class that has validated anything.
    """
    names = set(cls.model_fields)
    # What the schema of a model's fields returns: the fields, others beside them, and which of them were set.
    construct = SchemaValidator(core_schema.model_schema(cls, core_schema.any_schema())).validate_python
    return lambda fields: construct((fields, None, names))


class Message(WireModel):
    """A row that is a frame of its own, after the number of its message type."""

    TAG: ClassVar[int]
    """The first element of the frame."""


@cache
def _names(cls: type[WireModel]) -> tuple[str, ...]:
    return tuple(cls.model_fields)


@cache
def later(cls: type[WireModel]) -> list[Any]:
    """Return the defaults of the fields that may be omitted, the last field first."""
    return [field.default for field in cls.model_fields.values()][::-1][: cls.LATER]


def trimmed(row: list[Any], defaults: Sequence[Any]) -> list[Any]:
    """Return a row, its last fields removed as long as they are at these defaults, the last field first."""
    for default in defaults:
        if row[-1] != default:
            break
        row.pop()
    return row


def _model_schema(schema: Any) -> CoreSchema:
    """Return the schema of the fields, without the validators and the serializer for the array."""
    while schema["type"] != "model":
        schema = schema["schema"]
    schema = {key: value for key, value in schema.items() if key != "serialization"}
    return cast("CoreSchema", schema)
