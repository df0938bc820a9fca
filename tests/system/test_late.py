"""By how much somebody was beaten: as a server tells it, and as those know who have sent the plays."""

import sys
import time
from contextlib import ExitStack

import pytest
from benchmarks.yardsticks.entering import Socket, sit_down
from benchmarks.yardsticks.loading import ours, program
from benchmarks.yardsticks.script import Written, contested

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.codec import decode_server
from racing_demon_protocol.wire.messages.events import Played, Signalled
from racing_demon_protocol.wire.messages.server import Refused
from tests.support.effort import usually
from tests.support.servers import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the measured server is made for Linux")

GAPS = (0.0, 0.003, 0.04)
"""Seconds from one player's message that somebody was first to the next player's play."""


def moment() -> int:
    """Return the microseconds on the clock of those who play, which need not be the server's."""
    return time.perf_counter_ns() // 1_000


def played(player: Socket, written: Written, counter: int, seen: int) -> tuple[int, int, Played | Refused]:
    """Let somebody play, and return when the play was sent, when its answer was there, and what that is."""
    sent = moment()
    player.say(written.message(counter, seen))
    while moment() < sent + PATIENCE * 1_000_000:
        answer = decode_server(player.data())
        if isinstance(answer, Refused) or (isinstance(answer, Played) and answer.seat == written.seat):
            return sent, moment(), answer
    raise AssertionError(f"no answer to {written}, but {answer}")


@pytest.mark.parametrize("durability", usually(1, ["full", "none"]))
def test_late_us_is_the_time_between_the_plays_of_two_players(durability: str) -> None:
    """It is neither more nor less than the clocks of those two allow, over real sockets."""
    first, *others = contested()
    assert len(others) >= len(GAPS)
    with program(*ours("asyncio", durability=durability)) as server, ExitStack() as stack:
        party, _ = sit_down(server.url, 1)
        for each in party:
            stack.callback(each.close)
        seen = max(each.until(Signalled.TAG)[1] for each in party)
        counters = [1] + [0] * (len(party) - 1)
        sent, heard, answer = played(party[first.seat], first, counters[first.seat] + 1, seen)
        assert isinstance(answer, Played)
        for gap, other in zip(GAPS, others, strict=False):
            time.sleep(gap)
            later_sent, later_heard, refused = played(
                party[other.seat], other, counters[other.seat] + 1, seen
            )
            assert isinstance(refused, Refused)
            assert (refused.reason, refused.by) == (Reason.BEATEN, first.seat)
            assert later_sent - heard <= refused.late_us <= later_heard - sent
