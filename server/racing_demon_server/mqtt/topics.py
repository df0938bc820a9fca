"""The names of all topics. They contain the node's name and tables' codes only."""

import re
from enum import StrEnum
from typing import Final

from racing_demon_protocol.discovery.directory import CODE, NODE, ROOT

DISCOVERY: Final = "homeassistant"
"""Where Home Assistant looks for descriptions by default."""


class Sensor(StrEnum):
    """What Home Assistant shows of a table."""

    PHASE = "phase"
    LEADER = "leader"
    POINTS = "points"
    PLAYERS = "players"


class Topics:
    """The topics of one node.

    Attributes:
        node: the node's name.
        status: whether the node is online.
        demon: who called "Demon!", at any table.

    Raises:
        ValueError: the node's name is not allowed in a topic.

    """

    def __init__(self, node: str) -> None:
        if re.fullmatch(NODE, node) is None:
            raise ValueError("a node's name has 1 to 32 small letters and digits")
        self.node = node
        self.status = f"{ROOT}/{node}/status"
        self.demon = f"{ROOT}/{node}/demon"
        self.demon_config = f"{DISCOVERY}/event/rd_{node}/demon/config"
        others = "|".join(sensor for sensor in Sensor if sensor is not Sensor.PHASE)
        self._retained = re.compile(
            rf"{ROOT}/{node}/tables/({CODE})(?:/(?:state|snapshot))?"
            rf"|{DISCOVERY}/sensor/rd_{node}/({CODE})(?:_(?:{others}))?/config"
        )

    def table(self, code: str, leaf: str = "") -> str:
        """Return a topic of a table: its record's, or with a leaf that of its state, events and so on.

        Raises:
            ValueError: the code is not allowed in a topic.

        """
        return f"{ROOT}/{self.node}/tables/{_verified(code)}" + (f"/{leaf}" if leaf else "")

    def sensor_config(self, code: str, sensor: Sensor = Sensor.PHASE) -> str:
        """Return the topic of the description of a table's sensor for Home Assistant."""
        part = "" if sensor is Sensor.PHASE else f"_{sensor}"
        return f"{DISCOVERY}/sensor/rd_{self.node}/{_verified(code)}{part}/config"

    def retained(self, code: str) -> list[str]:
        """Return the topics with retained messages of a table."""
        return [self.table(code), self.table(code, "state"), self.table(code, "snapshot")]

    def filters(self) -> list[str]:
        """Return the subscriptions for all retained messages of this node's tables."""
        tables = f"{ROOT}/{self.node}/tables/+"
        return [
            tables,
            f"{tables}/state",
            f"{tables}/snapshot",
            f"{DISCOVERY}/sensor/rd_{self.node}/+/config",
        ]

    def code_of(self, topic: str) -> str | None:
        """Return the table's code, in capitals, of a retained message; ``None`` if it is no table's."""
        match = self._retained.fullmatch(topic)
        return None if match is None else (match.group(1) or match.group(2)).upper()


def _verified(code: str) -> str:
    code = code.lower()
    if re.fullmatch(CODE, code) is None:
        raise ValueError("a code has 1 to 16 letters and digits")
    return code
