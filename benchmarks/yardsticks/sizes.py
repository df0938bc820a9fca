"""How many bytes go through a socket: for a play, an event, a snapshot."""

import sys
from collections.abc import Sequence
from statistics import mean
from typing import Final

from benchmarks.yardsticks.rows import Row
from benchmarks.yardsticks.script import Recorder, Step
from racing_demon_protocol.wire.codec import encode

PLAY_BYTES: Final = 10
"""What a play of ours takes on average, without the frame around it: what a relay is sent."""
EVENT_BYTES: Final = 13
"""What an event takes: what a relay sends to each."""
AIM_PLAY, AIM_EVENT, AIM_SNAPSHOT = 12, 16, 2_048
AIM_CALLS: Final = 55
"""A little more than there are: who adds to the way of a play is to notice."""


def sizes(script: Sequence[Step]) -> list[Row]:
    """Return the bytes of what goes through a socket, over a whole hand, in msgpack."""
    recorder, events, snapshots = Recorder(), list[int](), list[int]()
    plays = list[int]()
    for step in script:
        for written in step.plays:
            plays.append(len(encode(written.message(len(plays) // 8 + 1, recorder.table.view.seq))))
            events += [len(encode(event)) for event in recorder.carry_out(written)]
        snapshots.append(len(encode(recorder.table.view.snapshot(0))))
    section = "What is the same each time: msgpack without the WebSocket frame, and calls of functions"
    return [
        Row(section, "a play, average", "bytes", [mean(plays)], at_most=AIM_PLAY),
        Row(section, "an event, average", "bytes", [mean(events)], at_most=AIM_EVENT),
        Row(section, "a snapshot of eight, largest", "bytes", [max(snapshots)], at_most=AIM_SNAPSHOT),
        Row(section, "Python calls to judge and carry out a play", "", [_calls(script)], at_most=AIM_CALLS),
    ]


def _calls(script: Sequence[Step]) -> float:
    """Return how many functions of Python's are called for a play: unlike times, the same each time."""
    recorder, calls, plays = Recorder(), 0, 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    try:
        for step in script:
            for written in step.plays:
                sys.setprofile(note)
                recorder.carry_out(written)
                sys.setprofile(before)
                plays += 1
    finally:
        sys.setprofile(before)
    return calls / plays
