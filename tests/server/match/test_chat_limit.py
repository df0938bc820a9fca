"""How much a seat may say, on a clock of the test's own."""

import pytest

from racing_demon_protocol.errors import CommandRefused
from racing_demon_server.match.seats import ChatLimit

SECOND = 1_000_000


def test_the_limit_holds_for_as_long_as_somebody_speaks() -> None:
    """Any five lines in a row fill ten seconds: each line waits until the fifth before it is so old."""
    chat = ChatLimit()
    for second in range(5):
        chat.count_message(0, second * SECOND)
    for second in range(10, 40, 10):
        with pytest.raises(CommandRefused):
            chat.count_message(0, second * SECOND - 1)
        chat.count_message(0, second * SECOND)
        for later in range(1, 5):
            with pytest.raises(CommandRefused):
                chat.count_message(0, (second + later) * SECOND - 1)
            chat.count_message(0, (second + later) * SECOND)


def test_a_new_owner_of_a_seat_may_speak_at_once() -> None:
    """What the seat's last owner said does not count."""
    chat = ChatLimit()
    for _ in range(5):
        chat.count_message(0, SECOND)
    chat.forget(0)
    chat.count_message(0, SECOND)
