"""One example of every message: for the README of the wire, and for tests."""

from racing_demon_protocol.messages import Message
from racing_demon_protocol.messages import client as cl
from racing_demon_protocol.messages import events as ev
from racing_demon_protocol.messages import server as sv
from racing_demon_protocol.options import Options
from racing_demon_protocol.reasons import EndReason, Phase, Reaction, Reason
from racing_demon_protocol.shuffle import commitment

__all__ = ["EXAMPLES"]

SEED = bytes(range(32))
TOKEN = "0f" * 32
HAND_ID = "BCDF/1/1"
COMMITMENT = commitment(SEED, HAND_ID)
OPTIONS = Options(hands=3)

EXAMPLES: tuple[Message, ...] = (
    cl.Hello(version=1, software="my-client 0.1"),
    cl.Create(name="Ann", options=OPTIONS),
    cl.Join(code="BCDF", name="Bob"),
    cl.Watch(code="BCDF"),
    cl.Resume(code="BCDF", token=TOKEN, seq=1733),
    cl.PlayCards(counter=41, source=20, count=1, destination=-1, seen=1733),
    cl.Stuck(counter=42),
    cl.Ready(counter=1),
    cl.Start(counter=2),
    cl.AddBot(counter=3, level="hard"),
    cl.RemoveBot(counter=4, seat=3),
    cl.SetOptions(counter=5, options=OPTIONS),
    cl.Call(counter=43),
    cl.Leave(counter=44),
    cl.Ping(stamp=123_456),
    cl.Say(counter=45, text="Well played!"),
    cl.Kick(counter=6, seat=2),
    cl.Pause(counter=7, paused=True),
    cl.MakeHost(counter=8, seat=1),
    cl.StandIn(counter=9, seat=1, level="medium"),
    cl.Mute(counter=10, seat=1, muted=True),
    cl.React(counter=46, reaction=Reaction.WELL_PLAYED),
    sv.Versions(oldest=1, newest=1, software="racing-demon-server 0.1.0"),
    sv.Seated(code="BCDF", seat=1, token=TOKEN),
    sv.Snapshot(
        seq=2,
        code="BCDF",
        options=OPTIONS,
        host=0,
        phase=Phase.LOBBY,
        seats=(sv.SeatState(seat=0, name="Ann"),),
    ),
    sv.Accepted(counter=42, seq=1734),
    sv.Refused(
        counter=41,
        reason=Reason.BEATEN,
        text="Another player's card arrived first.",
        by=2,
        late_us=31_204,
        pile=3,
        top=7,
    ),
    sv.Pong(stamp=123_456),
    sv.Watchers(count=3),
    sv.Halted(halted=True),
    sv.Elsewhere(port=5_254),
    ev.Played(seq=1734, seat=1, counter=41, source=20, count=1, destination=3, shown=(63,)),
    ev.Progressed(seq=1735, seat=1, progress=17),
    ev.Joined(seq=3, seat=1, name="Bob"),
    ev.Left(seq=1735, seat=2),
    ev.Connected(seq=1736, seat=1, connected=False),
    ev.Readied(seq=4, seat=1, ready=True),
    ev.Hosted(seq=2, seat=0),
    ev.OptionsSet(seq=5, options=OPTIONS),
    ev.Committed(seq=6, hand=1, hand_id=HAND_ID, commitment=COMMITMENT),
    ev.Dealt(
        seq=7, seats=(0, 1), shown=(17, 4, 40, 26, 9, 51, 33, 60, 102, 71, 95, 54, 88, 67), countdown_ms=3000
    ),
    ev.Signalled(seq=8),
    ev.StuckSaid(seq=1737, seat=0),
    ev.Rotated(seq=1738),
    ev.Called(seq=1739, seat=1, grace_ms=1000),
    ev.HandOver(seq=1740, reason=EndReason.OUT, out=1, elapsed_ms=241_377, points=(38, 62), seed=SEED.hex()),
    ev.MatchOver(seq=1741, winners=(1,)),
    ev.Said(seq=1742, seat=1, text="Well played!"),
    ev.Paused(seq=1743, seat=0),
    ev.Continued(seq=1744, elapsed_ms=93_200),
    ev.StoodIn(seq=1745, seat=1, bot="medium"),
    ev.Muted(seq=1746, seat=1, muted=True),
    ev.Reacted(seq=1747, seat=1, reaction=Reaction.WELL_PLAYED),
)
"""In the order of their numbers."""
