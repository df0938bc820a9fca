"""Checks the times that a log tells of its hands, against the moments at which its events happened."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from racing_demon_protocol.table.state import DEALT
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_server.journal.reader import StoredEvent
from racing_demon_server.match.hand import HandClock


def backward_times(log: Iterable[StoredEvent]) -> Iterator[int]:
    """Yield the number of each event that tells less time of its hand than had passed at an event before.

    Args:
        log: all events of a table, in their order.

    """
    hand_clock, most = HandClock(), 0
    for event, at_us, _ in log:
        if isinstance(event, ev.Dealt):
            most = -event.countdown_ms
        elif isinstance(event, ev.Continued | ev.HandOver) and event.elapsed_ms < most:
            yield event.seq
        hand_clock = hand_clock.after(event, at_us)
        most = max(most, hand_clock.elapsed_ms(at_us))


def backward_glances(shown: Iterable[Snapshot]) -> Iterator[int]:
    """Yield by how many milliseconds tables tell less time of a hand than the table before.

    Args:
        shown: a table, as it was shown to people who came one after the other.

    """
    running = (snapshot for snapshot in shown if snapshot.phase in DEALT)
    for before, after in pairwise(running):
        if before.hand_id == after.hand_id and after.elapsed_ms < before.elapsed_ms:
            yield before.elapsed_ms - after.elapsed_ms
