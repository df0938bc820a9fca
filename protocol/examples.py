"""An example of every message, and one complete short hand, for the wire document and for tests."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from racing_demon_protocol.engine.commit_reveal import commitment, contribution_hash, deal_seed
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.enums import EndReason, Phase, Reaction, Reason
from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.messages import FROM_CLIENT, FROM_SERVER, Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages import server as sv
from racing_demon_protocol.wire.options import Options

TOKEN = "0f" * 32
EPOCH = "9c41d07be25a6f38"
OPTIONS = Options(hands=3)
CODE = "BCDF"
HAND_ID = f"{CODE}/1/1"
SECRET = bytes(range(32))
COMMITMENT = commitment(SECRET, HAND_ID)
VALUES = {0: bytes(range(32, 64)), 1: bytes(range(64, 96))}
HASHES = {seat: contribution_hash(value, COMMITMENT, HAND_ID, seat) for seat, value in VALUES.items()}
SEED = deal_seed(SECRET, HAND_ID, VALUES)
SHOWN = Dealer(SEED, make_rules(declare(OPTIONS, len(VALUES)), tuple(VALUES))).first_cards()

ONE_HAND: tuple[Event, ...] = (
    ev.Joined(seq=1, seat=0, name="Ann"),
    ev.Hosted(seq=2, seat=0),
    ev.Prepared(seq=3, hand_id=HAND_ID, commitment=COMMITMENT),
    ev.Contributed(seq=4, seat=0, commitment=HASHES[0]),
    ev.Joined(seq=5, seat=1, name="Bob"),
    ev.Contributed(seq=6, seat=1, commitment=HASHES[1]),
    ev.Readied(seq=7, seat=1, ready=True),
    ev.Readied(seq=8, seat=0, ready=True),
    ev.Committed(seq=9, hand=1, hand_id=HAND_ID, commitment=COMMITMENT, within_ms=1000),
    ev.Revealed(seq=10, seat=1, value=VALUES[1].hex()),
    ev.Revealed(seq=11, seat=0, value=VALUES[0].hex()),
    ev.Dealt(seq=12, seats=(0, 1), shown=SHOWN, countdown_ms=3000),
    ev.Signalled(seq=13),
    ev.StuckSaid(seq=14, seat=1),
    ev.StuckSaid(seq=15, seat=0),
    ev.HandOver(seq=16, reason=EndReason.STUCK, out=None, elapsed_ms=1_500, points=(0, 0), seed=SECRET.hex()),
)
"""A complete hand that can be verified: two players contribute to the seed and play nothing."""


def of_hand(cls: type[Event]) -> Event:
    """Return the first event of a kind in the hand."""
    return next(event for event in ONE_HAND if isinstance(event, cls))


GIVEN: Final[tuple[Message, ...]] = (
    cl.Hello(version=1, software="my-client 0.1"),
    cl.Create(name="Ann", options=OPTIONS),
    cl.Join(code="BCDF", name="Bob"),
    cl.Watch(code="BCDF"),
    cl.Resume(code="BCDF", token=TOKEN, seq=1733, epoch=EPOCH),
    cl.PlayCards(counter=41, source=20, count=1, destination=-1, seen=1733),
    cl.Stuck(counter=42),
    cl.ShiftStock(counter=42),
    cl.Ready(counter=1),
    cl.Start(counter=2),
    cl.AddBot(counter=3, level="hard"),
    cl.RemoveBot(counter=4, seat=3),
    cl.SetOptions(counter=5, options=OPTIONS),
    cl.Call(counter=43),
    cl.Leave(counter=44),
    cl.Ping(stamp=123_456),
    cl.Relaying(count=250),
    cl.Say(counter=45, text="Well played!"),
    cl.Kick(counter=6, seat=2),
    cl.Pause(counter=7, paused=True),
    cl.MakeHost(counter=8, seat=1),
    cl.StandIn(counter=9, seat=1, level="medium"),
    cl.Mute(counter=10, seat=1, muted=True),
    cl.React(counter=46, reaction=Reaction.WELL_PLAYED),
    cl.Unban(counter=11, name="Bob"),
    cl.Contribute(counter=1, commitment=HASHES[1]),
    cl.Reveal(counter=3, value=VALUES[1].hex()),
    cl.Report(counter=12, text="insults", seat=1),
    cl.RemoveSpectator(counter=12, spectator=3),
    cl.PlayBest(counter=47, source=20, count=1, seen=1733),
    cl.Enroll(name="Ann", secret=TOKEN, device="Ann's phone"),
    cl.Identify(player="k3xw7q2m", device=1, proof=COMMITMENT),
    cl.Link(name="Ann", code="KQXWMR", secret=TOKEN, device="Tablet"),
    cl.ListDevices(with_code=True),
    cl.RemoveDevice(device=2),
    cl.TrustDevice(device=2),
    cl.Rename(name="Anna"),
    cl.ForgetMe(),
    sv.Challenge(server=COMMITMENT, nonce=HASHES[0], suggested=True),
    sv.Identified(player="k3xw7q2m", device=1, name="Ann", token=TOKEN),
    sv.Devices(
        devices=(
            sv.DeviceRow(
                device=1, label="Ann's phone", added_ms=1_796_000_000_000, seen_ms=1_796_000_000_000
            ),
        ),
        code="KQXWMR",
        seconds=120,
    ),
    sv.Versions(oldest=1, newest=1, software="racing-demon-server 0.1.0"),
    sv.Seated(code="BCDF", seat=1, token=TOKEN, epoch=EPOCH),
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
    sv.CaughtUp(seq=1734),
    sv.Moved(host="n2.cards.example.org", port=443),
    sv.RaceLost(pile=3, card=5, by=0, seat=1, late_us=200_000),
    sv.ServerNotice(text="The server restarts at ten. Your table comes back."),
    sv.SpectatorList(spectators=(sv.SpectatorState(spectator=3, seconds=754),)),
    ev.Played(seq=1734, seat=1, counter=41, source=20, count=1, destination=3, shown=(63,)),
    ev.Progressed(seq=1735, seat=1, progress=17),
    of_hand(ev.Joined),
    ev.Left(seq=1735, seat=2),
    ev.Connected(seq=1736, seat=1, connected=False),
    of_hand(ev.Readied),
    of_hand(ev.Hosted),
    ev.OptionsSet(seq=4, options=OPTIONS),
    of_hand(ev.Committed),
    of_hand(ev.Dealt),
    of_hand(ev.Signalled),
    ev.StuckSaid(seq=1737, seat=0),
    ev.Rotated(seq=1738),
    ev.StockShifted(seq=1738, seat=0),
    ev.Called(seq=1739, seat=1, grace_ms=1000),
    of_hand(ev.HandOver),
    ev.MatchOver(seq=1741, winners=(1,)),
    ev.Said(seq=1742, seat=1, text="Well played!"),
    ev.Paused(seq=1743, seat=0),
    ev.Continued(seq=1744, elapsed_ms=93_200),
    ev.StoodIn(seq=1745, seat=1, bot="medium"),
    ev.Muted(seq=1746, seat=1, muted=True),
    ev.Reacted(seq=1747, seat=1, reaction=Reaction.WELL_PLAYED),
    ev.Unbanned(seq=1748, name="Bob"),
    of_hand(ev.Prepared),
    of_hand(ev.Contributed),
    of_hand(ev.Revealed),
)
"""Examples that stand for more than the types of their fields. Other messages get plain values."""


def _all(messages: Mapping[int, type[Message]]) -> Iterator[Message]:
    """Yield an example of each message of one direction: the given ones, then plain ones."""
    given = [message for message in GIVEN if messages.get(message.TAG) is type(message)]
    yield from given
    for cls in messages.values():
        if cls not in map(type, given):
            schema = cls.model_json_schema()
            required = schema["prefixItems"][: schema["minItems"]]
            yield cls.model_validate([_plain(field, schema) for field in required])


def _plain(kind: dict[str, Any], schema: dict[str, Any]) -> Any:
    """Return a plain value of a field, by its JSON schema."""
    if "$ref" in kind:
        return _plain(schema["$defs"][kind["$ref"].rpartition("/")[2]], schema)
    if "anyOf" in kind or "enum" in kind:
        return None if "anyOf" in kind else kind["enum"][0]
    number, text = max(1, kind.get("minimum", 1)), "a" * max(1, kind.get("minLength", 1))
    return {"integer": number, "string": text, "boolean": True, "array": [], "object": {}}[kind["type"]]


EXAMPLES: Final = (*_all(FROM_CLIENT), *_all(FROM_SERVER))
"""An example of every message, those of clients first."""
