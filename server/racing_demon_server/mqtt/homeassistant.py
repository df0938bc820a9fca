"""The MQTT discovery messages by which Home Assistant finds a node."""

from typing import Any

from .payloads import as_json
from .topics import Topics


def table_config(topics: Topics, code: str) -> bytes:
    """Return the description of a table's sensor: its phase, with the scores as attributes."""
    state = topics.table(code, "state")
    return as_json(
        {
            "name": f"Table {code.upper()}",
            "unique_id": f"rd_{topics.node}_{code.lower()}",
            "icon": "mdi:cards-playing",
            "state_topic": state,
            "value_template": "{{ value_json.phase }}",
            "json_attributes_topic": state,
            **_common(topics),
        }
    )


def demon_config(topics: Topics) -> bytes:
    """Return the description of the event "Demon!": somebody went out at some table."""
    return as_json(
        {
            "name": "Demon!",
            "unique_id": f"rd_{topics.node}_demon",
            "icon": "mdi:cards-playing-outline",
            "state_topic": topics.demon,
            "event_types": ["demon"],
            **_common(topics),
        }
    )


def _common(topics: Topics) -> dict[str, Any]:
    return {
        "availability_topic": topics.status,
        "device": {"identifiers": [f"rd_{topics.node}"], "name": f"Racing Demon {topics.node}"},
    }
