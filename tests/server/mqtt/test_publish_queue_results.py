"""The results that a queue publishes: the same whenever its publisher found the table."""

import json
import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from racing_demon_protocol.enums import EndReason, Phase
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from racing_demon_server.match.hand import HandClock
from racing_demon_server.mqtt.publish_queue import PublishQueue
from racing_demon_server.mqtt.topics import Topics
from tests.support.bot_matches import play_match
from tests.support.cases import for_each


class Seen(NamedTuple):
    """A table as a publisher finds it."""

    view: TableState
    hand_clock: HandClock = HandClock()

    @property
    def settled(self) -> TableState:
        """The same."""
        return self.view

    @staticmethod
    def hold_us() -> int:
        """Return 0: nothing is held back."""
        return 0

    def durable_time(self, at: int) -> int:
        """Return a moment whose time can be told."""
        return at


def published(view: TableState, log: Sequence[Event]) -> list[tuple[str, Any]]:
    """Return the results published by somebody who finds a table like this and then hears these events."""
    queue, seen = PublishQueue(Topics("a1"), homeassistant=True), Seen(view.copy())
    queue.open(seen, 0)
    for event in log:
        seen.view.apply(event)
        queue.add(seen, [event], 0)
    sent = [(each.topic.rpartition("/")[2], each.payload) for each in queue.pop_due(0, 100_000)]
    return [(kind, json.loads(payload)) for kind, payload in sent if kind in {"hands", "matches", "demon"}]


def is_whispered(event: Event, before: Event | None) -> bool:
    """Tell whether only its player is told of an event: it has the number of the one before."""
    return before is not None and event.seq == before.seq


@pytest.mark.long
def test_results_are_what_the_table_says() -> None:
    """Hands and matches have the points that the table's own view has in the end."""
    table, log, _ = play_match(bytes(32), ["easy", "medium", "hard"], Options(hands=2))
    results = published(TableState("BCDF", Options()), log)
    hands = [value for kind, value in results if kind == "hands"]
    (match,) = [value for kind, value in results if kind == "matches"]
    assert [[score["points"] for score in hand["scores"]] for hand in hands] == [
        list(result.points) for result in table.view.results
    ]
    assert {score["seat"]: score["total"] for score in match["scores"]} == scoring.totals(table.view)
    assert [winner["seat"] for winner in match["winners"]] == list(table.view.winners)
    assert len([kind for kind, _ in results if kind == "demon"]) == len(
        [hand for hand in hands if hand["out"] is not None]
    )


@pytest.mark.long
@for_each("game", ["racing-demon", "beleaguered-castle"])
def test_results_do_not_depend_on_when_the_publisher_came(game: str) -> None:
    """Whoever finds the table after any event publishes the same results of all that follows."""
    options = Options(game=game, hands=3)
    _, log, _ = play_match(bytes(32), ["easy", "hard"], options)
    log = [event for event, before in zip(log, [None, *log], strict=False) if not is_whispered(event, before)]
    view, expected = TableState("BCDF", options), published(TableState("BCDF", options), log)
    for number, event in enumerate(log, 1):
        view.apply(event)
        if not isinstance(event, ev.Played):
            later = published(view, log[number:])
            assert later == expected[len(expected) - len(later) :]
            assert (later == []) is (number == len(log))


@for_each(
    ("opening", "words"), [("`reason`: ", EndReason), ("| `phase` | ", Phase)], ids=["reasons", "phases"]
)
def test_the_document_lists_all_words(opening: str, words: type[StrEnum]) -> None:
    """``docs/mqtt.md`` names every reason for a hand's end and every phase, and no other."""
    document = Path(__file__).parents[3] / "docs" / "mqtt.md"
    listed = document.read_text(encoding="utf-8").split(opening)[1].partition(";")[0].partition(" |")[0]
    assert re.findall(r"`(\w+)`", listed) == list(words)
