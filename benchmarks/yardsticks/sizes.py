"""How many bytes go through a socket: for a play, an event, a snapshot."""

from collections.abc import Sequence
from statistics import mean
from typing import Final

from racing_demon_protocol.codec import encode

from .rows import Row
from .script import Recorder, Step

__all__ = ["EVENT_BYTES", "PLAY_BYTES", "sizes"]

PLAY_BYTES: Final = 10
"""What a play of ours takes on average, without the frame around it: what a relay is sent."""
EVENT_BYTES: Final = 13
"""What an event takes: what a relay sends to each."""
AIM_PLAY, AIM_EVENT, AIM_SNAPSHOT = 12, 16, 2_048


def sizes(script: Sequence[Step]) -> list[Row]:
    """Return the bytes of what goes through a socket, over a whole hand, in msgpack."""
    recorder, events, snapshots = Recorder(), list[int](), list[int]()
    plays = list[int]()
    for step in script:
        for written in step.plays:
            plays.append(len(encode(written.message(len(plays) // 8 + 1, recorder.table.view.seq))))
            events += [len(encode(event)) for event in recorder.carry_out(written)]
        snapshots.append(len(encode(recorder.table.view.snapshot(0))))
    section = "Sizes over a hand, msgpack, without the WebSocket frame"
    return [
        Row(section, "a play, average", "bytes", [mean(plays)], at_most=AIM_PLAY),
        Row(section, "an event, average", "bytes", [mean(events)], at_most=AIM_EVENT),
        Row(section, "a snapshot of eight, largest", "bytes", [max(snapshots)], at_most=AIM_SNAPSHOT),
    ]
