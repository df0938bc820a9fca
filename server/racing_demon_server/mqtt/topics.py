"""The names of all topics. They are made of the node's name and of tables' codes, and of nothing else."""

import re
from typing import Final

from racing_demon_protocol.discovery.directory import CODE, NODE, ROOT

__all__ = ["DISCOVERY", "Topics"]

DISCOVERY: Final = "homeassistant"
"""Where Home Assistant looks for things by default."""


class Topics:
    """The topics of one node.

    Attributes:
        node: the node's name.
        status: whether the node is there.
        demon: who called "Demon!", at any table.

    Raises:
        ValueError: the node's name will not do in a topic.

    """

    def __init__(self, node: str) -> None:
        if re.fullmatch(NODE, node) is None:
            raise ValueError("a node's name has 1 to 32 small letters and digits")
        self.node = node
        self.status = f"{ROOT}/{node}/status"
        self.demon = f"{ROOT}/{node}/demon"
        self.demon_config = f"{DISCOVERY}/event/rd_{node}/demon/config"
        self._retained = re.compile(
            rf"{ROOT}/{node}/tables/({CODE})(?:/(?:state|snapshot))?"
            rf"|{DISCOVERY}/sensor/rd_{node}/({CODE})/config"
        )

    def table(self, code: str, leaf: str = "") -> str:
        """Return a topic of a table: its record's, or with a leaf that of its state, events, ...

        Raises:
            ValueError: the code will not do in a topic.

        """
        return f"{ROOT}/{self.node}/tables/{_verified(code)}" + (f"/{leaf}" if leaf else "")

    def sensor_config(self, code: str) -> str:
        """Return the topic that tells Home Assistant of a table."""
        return f"{DISCOVERY}/sensor/rd_{self.node}/{_verified(code)}/config"

    def retained(self, code: str) -> list[str]:
        """Return the topics whose last message a broker keeps for a table."""
        return [self.table(code), self.table(code, "state"), self.table(code, "snapshot")]

    def filters(self) -> list[str]:
        """Return what to subscribe to, to see everything that a broker keeps for this node's tables."""
        tables = f"{ROOT}/{self.node}/tables/+"
        return [
            tables,
            f"{tables}/state",
            f"{tables}/snapshot",
            f"{DISCOVERY}/sensor/rd_{self.node}/+/config",
        ]

    def code_of(self, topic: str) -> str | None:
        """Return the code, in capitals, of the table that a kept message is of; ``None`` if of none."""
        found = self._retained.fullmatch(topic)
        return None if found is None else (found.group(1) or found.group(2)).upper()


def _verified(code: str) -> str:
    code = code.lower()
    if re.fullmatch(CODE, code) is None:
        raise ValueError("a code has 1 to 16 letters and digits")
    return code
