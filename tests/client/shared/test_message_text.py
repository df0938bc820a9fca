"""Messages as sentences."""

from racing_demon_client.shared.message_text import MessageText, duration
from racing_demon_client.shared.trackers import StuckTracker
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.cards import name, parse
from racing_demon_protocol.enums import EndReason, Reaction, Reason
from racing_demon_protocol.formatting import printable
from racing_demon_protocol.table.state import Progress, TableState
from racing_demon_protocol.wire.messages import FROM_SERVER, Message, name_of
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import (
    Accepted,
    CaughtUp,
    Challenge,
    Devices,
    Elsewhere,
    Halted,
    Identified,
    Moved,
    Pong,
    Refused,
    Seated,
    SeatState,
    SpectatorState,
    Versions,
    Watchers,
)
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.tables import Own, Sitting, of_type

SECRET = "ab" * 32
LOBBY = Sitting.lobby(3)
"""Ann, Ben and Cat; the words are Ben's, unless a test says otherwise."""


def told(
    message: Message, sitting: Sitting = LOBBY, seat: int | None = 1, *, ascii_only: bool = False
) -> str:
    """Return the line for a message that a table has followed."""
    line = MessageText(sitting.mirror, seat, ascii_only=ascii_only).describe(message)
    assert line is not None
    return line


# The table.


@for_each(
    ("message", "line"),
    [
        (Seated(code="BCDF", seat=1), "you have seat 2 at table BCDF"),
        (Seated(code="BCDF"), "you watch table BCDF"),
        (ev.Joined(seq=1, seat=0, name="Ann"), "Ann took seat 1"),
        (ev.Joined(seq=1, seat=1, name="Ben"), "you took seat 2"),
        (ev.Joined(seq=1, seat=2, name="Cat", bot="hard"), "Cat took seat 3, a bot (hard)"),
        (ev.Left(seq=1, seat=0), "Ann left the table"),
        (ev.Left(seq=1, seat=7), "seat 8 left the table"),
        (ev.Connected(seq=1, seat=0, connected=False), "Ann: connection lost"),
        (ev.Connected(seq=1, seat=0, connected=True), "Ann: connection back"),
        (ev.Readied(seq=1, seat=0, ready=True), "Ann: ready"),
        (ev.Readied(seq=1, seat=1, ready=False), "you: not ready"),
        (ev.Hosted(seq=1, seat=2), "host: Cat"),
        (ev.Hosted(seq=1, seat=None), "host: nobody"),
        (
            ev.Hosted(seq=1, seat=1, absent_host=0),
            "you are the host now, until Ann is back: you deal, pause the hand, and keep order",
        ),
        (
            ev.Hosted(seq=1, seat=1, absent_watcher=True),
            "you are the host now, until whoever opened the table is back: you deal, pause the hand, and "
            "keep order",
        ),
        (ev.Hosted(seq=1, seat=1), "you are the host now: you deal, pause the hand, and keep order"),
        (
            ev.OptionsSet(seq=1, options=Options(game="classic", hands=7)),
            "options: Nerts, 7 hands",
        ),
        (ev.Committed(seq=1, hand=2, hand_id="BCDF/1/2", commitment=SECRET), "hand 2 of 5"),
        (
            ev.Dealt(seq=1, seats=(0, 1), shown=(), countdown_ms=3_000, left_out=(0,)),
            "the cards are dealt; play begins in 3 seconds; Ann was left out of the shuffle",
        ),
        (
            ev.Dealt(seq=1, seats=(0, 1), shown=(), countdown_ms=3_000, left_out=(1,)),
            "the cards are dealt; play begins in 3 seconds; you were left out of the shuffle",
        ),
        (
            ev.Dealt(seq=1, seats=(0, 1), shown=(), countdown_ms=3_000, left_out=(0, 1, 2)),
            "the cards are dealt; play begins in 3 seconds; Ann, you and Cat were left out of the shuffle",
        ),
        (
            ev.Dealt(seq=1, seats=(0, 1), shown=(), countdown_ms=3_000),
            "the cards are dealt; play begins in 3 seconds",
        ),
        (
            ev.Dealt(seq=1, seats=(0, 1), shown=(), countdown_ms=1_000),
            "the cards are dealt; play begins in 1 second",
        ),
        (ev.Dealt(seq=1, seats=(0, 1), shown=(), countdown_ms=0), "the cards are dealt"),
        (ev.Signalled(seq=1), "play!"),
        (ev.Rotated(seq=1), "nobody can play: the top card of every stock goes to its bottom"),
        (ev.Said(seq=1, seat=0, text="Hi\x1b[2J"), "Ann says: Hi?[2J"),
        (ev.Said(seq=1, seat=1, text="Hi"), "you say: Hi"),
        (ev.Left(seq=1, seat=0, kicked=True), "Ann was kicked by the host"),
        (ev.Paused(seq=1), "the hand is paused: too few players are connected"),
        (ev.Paused(seq=1, seat=0), "Ann paused the hand"),
        (ev.Paused(seq=1, by_server=True), "the hand is paused: the server cannot write to its disk"),
        (ev.Continued(seq=1, elapsed_ms=9), "the hand resumes"),
        (ev.StoodIn(seq=1, seat=0, bot="hard"), "a bot (hard) stands in for Ann"),
        (ev.Muted(seq=1, seat=0, muted=True), "Ann was muted"),
        (ev.Muted(seq=1, seat=0, muted=False), "Ann is no longer muted"),
        (ev.Reacted(seq=1, seat=0, reaction=Reaction.THANKS), "Ann: thank you!"),
        (Watchers(count=3), "watching: 3"),
        (
            Halted(halted=True),
            "the server cannot write to its disk: play resumes automatically, and nothing is lost",
        ),
        (Halted(halted=False), "the server can write to its disk again"),
        (
            ev.Called(seq=1, seat=0, grace_ms=1_000),
            "DEMON! called by Ann; plays already on their way still count",
        ),
        (ev.LateStartSet(seq=1, lowest=True), "players who come later start at the lowest total"),
        (ev.LateStartSet(seq=1, lowest=False), "players who come later start at 0"),
        (ev.LastHandSet(seq=1, hand=0), "the match goes on after this hand"),
        (ev.Returned(seq=1, seat=0), "Ann is back, with all points"),
        (ev.SeatSignalled(seq=1, seat=0), "Ann may play now"),
        (ev.SeatSignalled(seq=1, seat=1), "play!"),
        (ev.MatchOver(seq=1, winners=(0,)), "the match is over: Ann won"),
        (ev.MatchOver(seq=1, winners=(0, 1)), "the match is over: Ann and you won"),
    ],
)
def test_what_happens_at_a_table(message: Message, line: str) -> None:
    """Each event has its sentence, and one's own seat is called "you"."""
    assert line == told(message)


def test_who_leaves_the_lobby_is_called_by_name() -> None:
    """Though nobody has the seat any more; and who has had it in between is not named for somebody else."""
    sitting = Sitting.lobby(3)
    (left,) = sitting.events(2, cl.Leave)
    assert told(left, sitting) == "Cat left the table"
    sitting.join("Dan")
    (left,) = sitting.events(0, cl.Kick, seat=2)
    assert told(left, sitting) == "Dan was kicked by the host"


def test_who_has_left_is_not_told_to_be_there() -> None:
    """A table's first line names those who are at it, and not those who played an earlier hand."""
    sitting = Sitting.playing(3)
    sitting.events(2, cl.Leave)
    assert told(sitting.mirror.snapshot(0), sitting).endswith("playing; Ann, you")


@for_each(
    ("reason", "out", "line"),
    [
        (EndReason.OUT, 0, "hand 1 is over after 2:05: DEMON! out: Ann; Ann 62, you 31"),
        (EndReason.OUT, 1, "hand 1 is over after 2:05: DEMON! out: you; Ann 62, you 31"),
        (EndReason.DEAD, None, "hand 1 is over after 2:05: nobody can play any more; Ann 62, you 31"),
        (EndReason.STUCK, None, "hand 1 is over after 2:05: everybody is stuck; Ann 62, you 31"),
        (EndReason.ABANDONED, None, "hand 1 is over after 2:05: everybody has left; Ann 62, you 31"),
        (
            EndReason.TIME_UP,
            None,
            "hand 1 is over after 2:05: there were as many plays as a hand may have; Ann 62, you 31",
        ),
    ],
)
def test_how_a_hand_ends(reason: EndReason, out: int | None, line: str) -> None:
    """The end of a hand tells why, after what time, and everybody's points."""
    over = ev.HandOver(seq=9, reason=reason, out=out, elapsed_ms=125_900, points=(62, 31), seed=SECRET)
    assert line == told(over, Sitting.playing(2))


def test_who_is_stuck_is_counted() -> None:
    """A "stuck" says how many of those who play have said so."""
    sitting = Sitting.playing(4)
    (said,) = of_type(ev.StuckSaid, sitting.events(0, cl.Stuck))
    assert told(said, sitting) == "Ann: stuck (1 of 4)"
    sitting.connect(2, connected=False)
    (said,) = of_type(ev.StuckSaid, sitting.events(1, cl.Stuck))
    assert told(said, sitting) == "you: stuck (2 of 3)"
    sitting.events(0, cl.StandIn, seat=2, level="easy")
    (said,) = of_type(ev.StuckSaid, sitting.events(3, cl.Stuck))
    assert told(said, sitting).endswith(": stuck (3 of 4)")


def test_who_is_freed_reads_which_play_opened() -> None:
    """A play that opens one takes back that one is stuck: whoever had said so hears which one."""
    sitting = Sitting.playing(3)
    sitting.lay((), Own(["2H"]), Own(["AH", "9D"]), Own(["KS"]))
    stuck = StuckTracker()
    for seat in (0, 2):
        (said,) = sitting.events(seat, cl.Stuck)
        assert stuck.observe(said, sitting.mirror)
    played, again = sitting.play(1, sitting.column(1))
    ann, cat = MessageText(sitting.mirror, 0), MessageText(sitting.mirror, 2)
    stuck.observe(played, sitting.mirror)
    assert ann.describe_opened(played, stuck.opened) == "Ben played A♥: your 2♥ can go up"
    assert cat.describe_opened(played, stuck.opened) is None
    assert isinstance(again, ev.StuckSaid)
    assert not stuck.observe(again, sitting.mirror), "Cat was stuck all the time"


def test_a_table_at_a_glance() -> None:
    """A snapshot is told by its game, its phase and its people."""
    lobby = LOBBY.mirror.snapshot(0)
    assert told(lobby) == "table TEST: Klondike race, lobby; Ann, you, Cat"
    casual = lobby.model_copy(update={"options": Options(casual=True)})
    assert told(casual) == "table TEST: Klondike race, casual (in no standings), lobby; Ann, you, Cat"
    playing = Sitting.playing(2, game="classic", hands=3)
    snapshot = playing.mirror.snapshot(0)
    assert told(snapshot, playing, None) == "table TEST: Nerts, hand 1 of 3, playing; Ann, Ben"
    assert told(Sitting.lobby(0).mirror.snapshot(0), Sitting()) == "table TEST: Klondike race, lobby; nobody"


@for_each(
    "message", [Accepted(counter=1, seq=2), Pong(stamp=1), Versions(oldest=1, newest=1), CaughtUp(seq=1)]
)
def test_what_needs_no_words(message: Message) -> None:
    """Of the machinery nothing is told."""
    assert MessageText(LOBBY.mirror, 1).describe(message) is None


def test_every_event_has_words() -> None:
    """No event of the protocol is passed over in silence."""
    machinery = {Accepted, CaughtUp, Challenge, Devices, Elsewhere, Identified, Moved, Pong, Versions}
    silent = {*machinery, ev.Prepared, ev.Contributed, ev.Revealed}
    for cls in set(FROM_SERVER.values()) - silent:
        assert hasattr(MessageText, f"_{name_of(cls)}"), cls


# Plays.


def classic(*own: Own) -> Sitting:
    """Return a two-handed hand of the classic game with laid-out cards."""
    sitting = Sitting.playing(2, game="classic")
    sitting.lay([], *own)
    return sitting


def last_play(sitting: Sitting, ascii_only: bool = False, seat: int | None = 0) -> str:
    """Return the words for the last play of a hand."""
    return told(of_type(ev.Played, sitting.log)[-1], sitting, seat, ascii_only=ascii_only)


def test_turning_the_stock() -> None:
    """A turn tells what the waste shows."""
    sitting = classic(Own(stock="2S 3S 4S 5S"))
    sitting.turn(0)
    assert last_play(sitting) == "you: turned 3, waste shows 3♠"


def test_turning_the_waste_over() -> None:
    """Turning over tells how many cards there are."""
    sitting = classic(Own(waste="2S 3S 4S"))
    sitting.turn(0)
    assert last_play(sitting) == "you: waste turned over, 3 cards"


def test_turning_over_a_single_card() -> None:
    """One card is no cards."""
    sitting = classic(Own(waste="2S"))
    sitting.turn(0)
    assert last_play(sitting) == "you: waste turned over, 1 card"


@for_each(
    ("own", "play", "line"),
    [
        (
            Own(tableau=["AH 5S", "6D"]),
            ("column", 0, "column", 1),
            "you: 5♠ from column 1 to column 2",
        ),
        (
            Own(tableau=["ks 5S", "6D"]),
            ("column", 0, "column", 1),
            "you: 5♠ from column 1 to column 2, column 1 shows K♠",
        ),
        (
            Own(tableau=["5S", "6D"]),
            ("column", 0, "column", 1),
            "you: 5♠ from column 1 to column 2, column 1 is empty",
        ),
        (
            Own(tableau=["AH", "6D"]),
            ("column", 0, "up", 0),
            "you: A♥ from column 1 to the foundations, column 1 is empty",
        ),
        (
            Own(waste="9C AH", tableau=["6D"]),
            ("waste", 0, "up", 0),
            "you: A♥ from the waste to the foundations, the waste shows 9♣",
        ),
        (
            Own(waste="AH"),
            ("waste", 0, "up", 0),
            "you: A♥ from the waste to the foundations",
        ),
        (
            Own(reserve="9c 5S", tableau=["6D"]),
            ("reserve", 0, "column", 0),
            "you: 5♠ from the reserve to column 1, the reserve shows 9♣",
        ),
    ],
)
def test_a_play_tells_what_went_where(own: Own, play: tuple[str, int, str, int], line: str) -> None:
    """A play tells the cards, from where, to where, and what it bared."""
    sitting = classic(own)
    places = {"column": sitting.column, "waste": lambda seat, _: sitting.waste(seat)}
    places["reserve"] = lambda seat, _: sitting.reserve(seat)
    places["up"] = lambda seat, _: -1
    source, index, destination, other = play
    sitting.play(0, places[source](0, index), places[destination](0, other))
    assert line == last_play(sitting)


def test_a_run_is_told_card_by_card() -> None:
    """A run tells all of its cards, the lowest first."""
    sitting = Sitting.playing(2)
    sitting.lay([], Own(tableau=["6H 5S 4D", "7C"]))
    sitting.play(0, sitting.column(0), sitting.column(0, 1), 3)
    assert last_play(sitting) == "you: 6♥ 5♠ 4♦ from column 1 to column 2, column 1 is empty"


def test_others_are_called_by_their_names() -> None:
    """A play of somebody else begins with the name."""
    sitting = classic(Own(), Own(tableau=["AH/1"]))
    sitting.play(1, sitting.column(1))
    assert last_play(sitting) == "Ben: A♥ from column 1 to the foundations, column 1 is empty"
    assert last_play(sitting, seat=None) == "Ben: A♥ from column 1 to the foundations, column 1 is empty"


def test_letters_for_suits() -> None:
    """A terminal without suits gets letters."""
    sitting = classic(Own(waste="9C AH"))
    sitting.play(0, sitting.waste(0))
    line = last_play(sitting, ascii_only=True)
    assert line == "you: AH from the waste to the foundations, the waste shows 9C"
    assert line.isascii()


# Refusals.


@for_each(
    ("late_us", "line"),
    [
        (31_204, "refused: Ann beat you to it by 31 ms (the pile shows 8♠)"),
        (9_960, "refused: Ann beat you to it by 10.0 ms (the pile shows 8♠)"),
        (740, "refused: Ann beat you to it by 0.7 ms (the pile shows 8♠)"),
        (0, "refused: Ann beat you to it by less than 0.1 ms (the pile shows 8♠)"),
    ],
)
def test_a_lost_race(late_us: int, line: str) -> None:
    """A lost race tells by whom, by how much, and what lies there now."""
    top = parse("8S", 1)
    refused = Refused(counter=1, reason=Reason.BEATEN, text="x", by=0, late_us=late_us, pile=0, top=top)
    assert line == told(refused)


def test_a_refusal_tells_the_server_s_sentence() -> None:
    """Other refusals are told in the server's words."""
    refused = Refused(counter=1, reason=Reason.ILLEGAL, text="A 5 does not go on a 5.")
    assert told(refused) == "refused: A 5 does not go on a 5."


def test_a_refused_option_has_its_name_on_screens() -> None:
    """A server names options as commands do; what is no option stays as it is."""
    text = "Racing Demon has nothing that the option 'spaces' could change. There is no game 'luck'."
    refused = Refused(counter=1, reason=Reason.BAD_OPTION, text=text)
    line = MessageText(LOBBY.mirror, 0).describe(refused)
    assert line is not None
    assert "the option \"what fills empty columns\" could change. There is no game 'luck'." in line


# Hostile words.

HOSTILE_CODE = "\x9b31mAnn\u202e\u200b"
"""A code as the wire takes it: without the control characters below 0x20."""
HOSTILE = "\x1b[2J\x9b31m\r\nAnn\u202e\u200b\x00\x7f"


def test_printable_leaves_nothing_that_steers() -> None:
    """Escapes, line ends, directions and invisible letters become question marks."""
    assert printable(HOSTILE) == "?[2J?31m??Ann????"


def test_printable_leaves_letters_alone() -> None:
    """Letters and signs of any language stay."""
    assert printable("Zoë 李雷 ♠ أحمد") == "Zoë 李雷 ♠ أحمد"


@for_each("cls", sorted(set(FROM_SERVER.values()), key=str))
def test_hostile_names_are_printable_everywhere(cls: type[Message]) -> None:
    """Whatever a server calls its players, and whatever it says, no line steers the terminal."""
    view = TableState.from_snapshot(Sitting.playing(2).mirror.snapshot(0))
    view.record = view.record._replace(code=HOSTILE_CODE)
    view.record = view.record._replace(
        seats={seat: SeatState(seat=seat, name=HOSTILE, bot=HOSTILE[:16]) for seat in range(8)}
    )
    assert view.hand is not None
    view.hand.progress = {0: Progress(7, 1)}
    layout = view.hand.rules.layout
    fields: dict[str, object] = {
        "seq": 1, "seat": 0, "counter": 1, "code": HOSTILE_CODE, "text": HOSTILE, "name": HOSTILE,
        "bot": HOSTILE[:16], "software": HOSTILE,
        "token": SECRET if cls is Identified else None, "hand_id": HOSTILE, "winners": (0, 1),
        "by": 0, "reason": "out" if cls is ev.HandOver else "beaten", "out": 0, "points": (1, 2),
        "elapsed_ms": 0, "late_us": 1, "card": -1, "pile": 0, "top": 5, "connected": True, "ready": True,
        "host": "n2.example.org" if cls is Moved else 0,
        "options": Options(), "hand": 1, "commitment": SECRET, "seats": (), "shown": (), "countdown_ms": 0,
        "muted": True, "halted": True, "reaction": "thanks", "progress": 7 if cls is ev.Progressed else (),
        "handicap": Handicap(heap=1), "grace_ms": 0, "seed": SECRET, "value": SECRET,
        "oldest": 1, "newest": 1, "stamp": 1, "phase": "playing", "port": 1, "team": 0,
        "server": SECRET, "nonce": SECRET, "player": "k3xw7q2m", "device": 1, "devices": (),
        "closed": True, "lowest": True, "color": 1, "spectators": (SpectatorState(spectator=1, seconds=60),),
        "source": layout.stock[0], "count": 3,
        "destination": layout.waste[0],
    }  # fmt: skip
    chosen = {name: fields[name] for name in cls.model_fields if name in fields}
    line = MessageText(view, None).describe(cls.model_validate(chosen))
    assert line is None or line.isprintable()


def test_a_play_of_a_hostile_card_is_told() -> None:
    """A card that the server has not named is told as unknown."""
    sitting = classic(Own(stock="2S 3S 4S"))
    assert sitting.mirror.hand is not None
    layout = sitting.mirror.hand.rules.layout
    play = Play(layout.stock[0], 3, layout.waste[0])
    played = ev.Played(
        seq=sitting.mirror.seq + 1,
        seat=0,
        counter=1,
        source=play.source,
        count=3,
        destination=play.destination,
    )
    sitting.mirror.hand.board.cards[play.destination] = (-1, -1, -1)
    assert told(played, sitting, 0) == "you: turned 3, waste shows ??"


# Times.


@for_each(
    ("milliseconds", "text"),
    [(0, "0:00"), (999, "0:00"), (59_999, "0:59"), (60_000, "1:00"), (3_600_000, "60:00"), (-5, "0:00")],
)
def test_durations(milliseconds: int, text: str) -> None:
    """Times are minutes and seconds; before the signal there are none."""
    assert text == duration(milliseconds)


def test_what_travels_is_named() -> None:
    """Packets have the letters of their ranks; what slips under one is the card that slipped there."""
    sitting = Sitting.playing(1, game="clock")
    travelling = sitting.board.cards[sitting.rules.layout.group_piles(0, "hand")[0]][-1]
    play = sitting.plays(0)[0]
    turned, slipped = (
        told(event, sitting, seat=0, ascii_only=True)
        for event in of_type(ev.Played, sitting.play(0, play.source, play.destination))
    )
    number = travelling % 13 + 1
    packet = f"packet {number} ({'a23456789tjqk'[number - 1]})"
    assert turned.endswith(f"from {packet} to the hand (b)")
    assert slipped == f"you: {name(travelling, ascii_only=True)} from the hand (b) to {packet}"


def test_what_leaves_goes_to_the_discards() -> None:
    """A couple leaves together."""
    sitting = Sitting.playing(1, bytes([2] * 32), game="number-eleven")
    play = sitting.plays(0)[0]
    _, gone, _, _ = of_type(ev.Played, sitting.play(0, play.source, play.destination))
    assert told(gone, sitting, seat=0).endswith("to the discards")


def test_packets_are_taken_up() -> None:
    """Weavers lays all its cards again."""
    sitting = Sitting.playing(1, bytes([2] * 32), game="weavers")
    while (play := sitting.plays(0)[0]).source != play.destination:
        sitting.play(0, play.source, play.destination, play.count)
    taken_up = of_type(ev.Played, sitting.play(0, play.source, play.destination))[0]
    assert told(taken_up, sitting, seat=0) == "you: gathered all cards, to deal them again"
