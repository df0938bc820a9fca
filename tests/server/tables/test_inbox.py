"""The order in which commands that wait are judged."""

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_server.tables.room import Inbox, QueuedCommand
from tests.support.virtual_rooms import FakeConnection

ANN, BEN = FakeConnection(), FakeConnection()


def filled(*race_log: tuple[FakeConnection, int]) -> Inbox:
    """Return an inbox with commands of senders that arrived at these moments; they are counted from 1."""
    inbox = Inbox()
    for number, (sender, arrived) in enumerate(race_log, start=1):
        inbox.put(QueuedCommand(sender, 0, cl.Ready(counter=number), arrived))
    return inbox


def taken(inbox: Inbox, before: int | None = None) -> list[int]:
    """Return the numbers of those that can be taken now, in their order."""
    numbers = []
    while (item := inbox.pop(before)) is not None:
        numbers.append(item.command.counter)
    return numbers


def test_the_first_of_each_comes_before_the_second_of_any() -> None:
    """In one round the order is that of arrival."""
    inbox = filled((ANN, 1), (ANN, 1), (ANN, 1), (BEN, 2), (BEN, 2))
    assert taken(inbox) == [1, 4, 2, 5, 3]
    assert not inbox.waiting


def test_rounds_end_where_time_does() -> None:
    """What was read before a moment comes before all that was read then or later, whatever its round."""
    inbox = filled((ANN, 1), (ANN, 1), (BEN, 5), (ANN, 6), (BEN, 7))
    assert taken(inbox, before=5) == [1, 2]
    assert len(inbox.waiting) == 3
    assert taken(inbox, before=5) == []
    assert taken(inbox) == [3, 5, 4]


def test_rounds_begin_anew_with_an_empty_inbox() -> None:
    """Whoever sent much before is not put behind others for it."""
    inbox = filled((ANN, 1), (ANN, 1), (ANN, 1))
    taken(inbox)
    inbox.put(QueuedCommand(ANN, 0, cl.Ready(counter=1), 2))
    inbox.put(QueuedCommand(BEN, 0, cl.Ready(counter=2), 3))
    assert taken(inbox) == [1, 2]


def test_what_is_cleared_is_gone() -> None:
    """Nothing of it is taken any more."""
    inbox = filled((ANN, 1), (BEN, 1))
    inbox.clear()
    assert not inbox.waiting
    assert taken(inbox) == []
