"""What the host may do, what nobody else may, and who is host when the host is away."""

from racing_demon_protocol.enums import Phase, Reaction, Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.tables import SECOND, Sitting, of_type, told

HOSTS: dict[type[cl.Command], dict[str, object]] = {
    cl.Start: {},
    cl.AddBot: {},
    cl.RemoveBot: {"seat": 2},
    cl.SetOptions: {"options": Options(hands=9)},
    cl.Kick: {"seat": 2},
    cl.Pause: {},
    cl.MakeHost: {"seat": 1},
    cl.StandIn: {"seat": 2},
    cl.Mute: {"seat": 2},
    cl.Unban: {"name": "Ben"},
    cl.CloseEntry: {},
    cl.EndMatch: {},
    cl.SetLastHand: {},
    cl.SetLateStart: {},
    cl.SetTeam: {"seat": 2, "team": 0},
    cl.SetHandicap: {"seat": 2, "handicap": Handicap(delay_s=5)},
}
SEATS = {
    cl.PlayCards,
    cl.PlayBest,
    cl.Stuck,
    cl.ShiftStock,
    cl.Call,
    cl.Ready,
    cl.Leave,
    cl.Say,
    cl.React,
    cl.Contribute,
    cl.Reveal,
    cl.SetAppearance,
}


def test_every_command_is_somebodys() -> None:
    """Each command of the wire is the host's, or every seat's, or no table's."""
    assert set(cl.Command.__subclasses__()) == {*HOSTS, *SEATS, *cl.ASIDE}


@for_each("phase", ["lobby", "playing"])
@for_each("cls", HOSTS)
def test_guests_may_not(cls: type[cl.Command], phase: str) -> None:
    """What is the host's is refused for guests, in the lobby and in a hand, and changes nothing."""
    sitting = Sitting.lobby(3) if phase == "lobby" else Sitting.playing(3)
    before = sitting.seq
    assert sitting.refused(1, cls, **HOSTS[cls]).reason == Reason.NOT_HOST
    assert before == sitting.seq


# Sending away.


def test_a_guest_is_sent_away_from_the_lobby() -> None:
    """The seat is free, and its token opens nothing any more."""
    sitting = Sitting.lobby(3)
    (left,) = of_type(ev.Left, sitting.events(0, cl.Kick, seat=2))
    assert left.kicked
    assert {0, 1} == set(sitting.mirror.seats)
    assert 2 not in sitting.table.seat_tokens


def test_a_guest_is_sent_away_from_a_hand() -> None:
    """What was brought up stays, the layout freezes, and the seat cannot be taken up again."""
    sitting = Sitting.playing(3)
    sitting.events(0, cl.Kick, seat=2)
    assert sitting.mirror.seats[2].left
    assert 2 not in sitting.table.seat_tokens


@for_each(("seat", "reason"), [(0, Reason.NOT_NOW), (7, Reason.NOT_SEATED)])
def test_whom_a_host_cannot_send_away(seat: int, reason: Reason) -> None:
    """Not the host, and not nobody."""
    assert reason == Sitting.lobby(3).refused(0, cl.Kick, seat=seat).reason


def test_a_bot_is_sent_away_in_a_match() -> None:
    """Bots go, too, in the middle of a hand."""
    sitting = Sitting.lobby(2)
    sitting.events(0, cl.AddBot)
    sitting.start()
    assert told(sitting.events(0, cl.Kick, seat=2)) == "left"


# The hostship.


def test_the_hostship_is_handed_over() -> None:
    """The other is host from then on, and the former host a guest."""
    sitting = Sitting.lobby(2)
    assert told(sitting.events(0, cl.MakeHost, seat=1)) == "hosted"
    assert sitting.mirror.host == 1
    assert sitting.refused(0, cl.AddBot).reason == Reason.NOT_HOST


def test_a_host_is_heard() -> None:
    """Whoever is made the host is not muted any more."""
    sitting = Sitting.lobby(2)
    sitting.events(0, cl.Mute, seat=1)
    assert told(sitting.events(0, cl.MakeHost, seat=1)).split() == ["muted", "hosted"]
    sitting.events(1, cl.Say, text="thank you")


def test_bots_and_empty_seats_are_no_hosts() -> None:
    """The hostship goes to people."""
    sitting = Sitting.lobby(1)
    sitting.events(0, cl.AddBot)
    for seat in (1, 5):
        assert sitting.refused(0, cl.MakeHost, seat=seat).reason == Reason.NOT_SEATED


@for_each("phase", ["lobby", "playing"])
def test_a_host_who_stays_away_is_replaced(phase: str) -> None:
    """After twenty seconds the next player who is connected is host, whatever the table does."""
    sitting = Sitting.lobby(4) if phase == "lobby" else Sitting.playing(4)
    sitting.connect(0, connected=False)
    sitting.connect(1, connected=False)
    assert sitting.mirror.host == 0
    sitting.wait(20 * SECOND - 1)
    assert sitting.mirror.host == 0
    assert "hosted" in told(sitting.wait(1))
    assert sitting.mirror.host == 2


def test_a_host_who_comes_back_in_time_stays_host() -> None:
    """A short break costs nobody the hostship."""
    sitting = Sitting.lobby(2)
    sitting.connect(0, connected=False)
    sitting.wait(19 * SECOND)
    sitting.connect(0, connected=True)
    sitting.wait(60 * SECOND)
    assert sitting.mirror.host == 0


def test_while_all_are_away_the_host_stays() -> None:
    """The first to come back is host, once the former has been away for long."""
    sitting = Sitting.lobby(2)
    for seat in (0, 1):
        sitting.connect(seat, connected=False)
    sitting.wait(60 * SECOND)
    assert sitting.mirror.host == 0
    sitting.connect(1, connected=True)
    sitting.wait(1)
    assert sitting.mirror.host == 1


# Stand-ins.


def test_a_bot_stands_in_and_gives_the_seat_back() -> None:
    """While somebody is away a bot may have their cards; with the connection they have them again."""
    sitting = Sitting.playing(2)
    sitting.connect(1, connected=False)
    assert told(sitting.events(0, cl.StandIn, seat=1, level="hard")) == "stood_in"
    assert sitting.mirror.seats[1].stand_in == "hard"
    assert told(sitting.wait(60 * SECOND)) == "", "nobody is lacking"
    sitting.connect(1, connected=True)
    assert sitting.mirror.seats[1].stand_in == ""


def test_a_stand_in_ends_a_pause() -> None:
    """A hand that stood still for want of players goes on with one."""
    sitting = Sitting.playing(2)
    sitting.connect(1, connected=False)
    sitting.wait(10 * SECOND)
    assert told(sitting.events(0, cl.StandIn, seat=1)) == "stood_in continued"


def test_nobody_stands_in_for_who_is_here() -> None:
    """A player who is connected, a bot, and nobody at all need no stand-in."""
    sitting = Sitting.lobby(2)
    sitting.events(0, cl.AddBot)
    assert sitting.refused(0, cl.StandIn, seat=1).reason == Reason.NOT_NOW
    for seat in (2, 6):
        assert sitting.refused(0, cl.StandIn, seat=seat).reason == Reason.NOT_SEATED


def test_an_adaptive_bot_does_not_stand_in() -> None:
    """It follows a person, and the seat it would play is one's own."""
    sitting = Sitting.playing(2)
    sitting.connect(1, connected=False)
    refused = sitting.refused(0, cl.StandIn, seat=1, level="adaptive")
    assert (refused.reason, refused.text) == (
        Reason.NOT_NOW,
        "An adaptive bot plays for itself only. Choose another level to stand in.",
    )


# Voices.


def test_who_is_muted_is_not_heard() -> None:
    """Neither lines nor reactions of a muted player are passed on; until they are heard again."""
    sitting = Sitting.lobby(2)
    assert told(sitting.events(0, cl.Mute, seat=1)) == "muted"
    assert sitting.events(0, cl.Mute, seat=1) == []
    assert sitting.refused(1, cl.Say, text="Hi").reason == Reason.MUTED
    assert sitting.refused(1, cl.React, reaction=Reaction.HURRY).reason == Reason.MUTED
    sitting.events(0, cl.Mute, seat=1, muted=False)
    assert told(sitting.events(1, cl.Say, text="Hi")) == "said"


def test_reactions_are_seen_by_all_and_limited() -> None:
    """Lines and reactions together are five in ten seconds."""
    sitting = Sitting.lobby(2)
    for reaction in list(Reaction)[:5]:
        (shown,) = of_type(ev.Reacted, sitting.events(1, cl.React, reaction=reaction))
        assert (1, reaction) == (shown.seat, shown.reaction)
    assert sitting.refused(1, cl.React, reaction=Reaction.THANKS).reason == Reason.TOO_FAST


# Seats.


def test_a_small_table_is_full_sooner() -> None:
    """A table has as many seats as its options say."""
    sitting = Sitting.lobby(2, seats=3)
    sitting.events(0, cl.AddBot)
    assert sitting.refused(0, cl.AddBot).reason == Reason.TABLE_FULL
    assert Phase.LOBBY is sitting.mirror.phase


@for_each("cls", [cl.MakeHost, cl.StandIn, cl.Mute])
def test_what_is_only_for_people_says_that_a_seat_is_a_bot_s(cls: type[cl.Command]) -> None:
    """The refusal names the bot, and does not claim that nobody sits there."""
    sitting = Sitting.lobby(1)
    sitting.events(0, cl.AddBot)
    refused = sitting.refused(0, cls, seat=1)
    assert (refused.reason, refused.text) == (Reason.NOT_SEATED, "Ada is a bot. That works only with people.")
