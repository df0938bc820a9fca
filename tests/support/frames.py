"""Hypothesis strategies that draw messages from their own JSON Schema."""

from typing import Any

from hypothesis import strategies as st

from racing_demon_protocol.wire.messages import Message

MAX_ITEMS = 4
"""The longest list that is drawn where the schema sets no limit."""

HEXADECIMAL = "0123456789abcdef"


def messages(cls: type[Message]) -> st.SearchStrategy[Message]:
    """Draw messages of a kind."""
    return rows(cls).map(cls.model_validate)


def rows(cls: type[Message]) -> st.SearchStrategy[list[Any]]:
    """Draw the fields of messages of a kind, as they stand in a frame."""
    schema = cls.model_json_schema()
    return _drawn(schema, schema.get("$defs", {}))


def _drawn(schema: dict[str, Any], named: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        return _drawn(named[schema["$ref"].rpartition("/")[2]], named)
    if "anyOf" in schema:
        return st.one_of(*(_drawn(choice, named) for choice in schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema["type"] == "array":
        return _list(schema, named)
    return _mapping(schema, named) if schema["type"] == "object" else _plain(schema)


def _plain(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    return {
        "null": st.none(),
        "boolean": st.booleans(),
        "integer": st.integers(schema.get("minimum"), schema.get("maximum", 2**53)),
        "string": _text(schema),
    }[schema["type"]]


def _text(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength")
    match schema.get("pattern"):
        case None:
            return st.text(min_size=shortest, max_size=longest)
        case "^[0-9a-f]+$":
            return st.text(HEXADECIMAL, min_size=shortest, max_size=longest)
        case pattern:
            drawn = st.from_regex(pattern, fullmatch=True)
            return drawn.map(lambda text: text.strip()[:longest])


def _list(schema: dict[str, Any], named: dict[str, Any]) -> st.SearchStrategy[list[Any]]:
    if "prefixItems" not in schema:
        return st.lists(_drawn(schema["items"], named), max_size=MAX_ITEMS)
    fields = [_drawn(item, named) for item in schema["prefixItems"]]
    lengths = st.integers(schema["minItems"], len(fields))
    return st.tuples(lengths, st.tuples(*fields)).map(lambda drawn: list(drawn[1][: drawn[0]]))


def _mapping(schema: dict[str, Any], named: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    fields = {name: _drawn(item, named) for name, item in schema["properties"].items()}
    return st.fixed_dictionaries({}, optional=fields)
