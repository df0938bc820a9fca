"""The ways to open a table, by words for tests."""

from collections.abc import Mapping
from typing import Final

from racing_demon_client.sources.opened_table import (
    HostTable,
    JoinedTable,
    LoneTable,
    OpenedTable,
    PracticeTable,
    WatchedTable,
)

OPENED: Final[Mapping[str, type[OpenedTable]]] = {
    "alone": LoneTable,
    "hosted": HostTable,
    "joined": JoinedTable,
    "practiced": PracticeTable,
    "watched": WatchedTable,
}
