"""Who presses keys blindly is refused for a moment; who loses races never is."""

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Refused
from tests.support.tables import MS, SECOND, Own, Sitting


def _sitting(players: int = 2) -> Sitting:
    sitting = Sitting.lobby(players)
    sitting.start()
    sitting.lay((), *[Own(["9D 8S", "AD"], waste="5C")] * players)
    return sitting


def _blind(sitting: Sitting, times: int, apart: int = 50 * MS, seat: int = 0) -> list[Reason]:
    """Send a card up that does not go there, again and again, and return why it was refused."""
    reasons = []
    for _ in range(times):
        reasons.append(sitting.miss(seat, sitting.column(seat)).reason)
        sitting.now += apart
    return reasons


def test_blind_keys_are_refused_for_a_moment() -> None:
    """Fifteen plays within two seconds that fit nowhere: then nothing is judged for two seconds."""
    sitting = _sitting()
    assert _blind(sitting, 20) == [Reason.ILLEGAL] * 15 + [Reason.TOO_FAST] * 5
    assert Reason.TOO_FAST is sitting.miss(0, sitting.column(0, 1)).reason
    sitting.wait(2 * SECOND)
    sitting.play(0, sitting.column(0, 1))


def test_best_plays_that_find_nothing_count() -> None:
    """A client that lets the table choose is no better off."""
    sitting = _sitting()
    asked = {"source": sitting.waste(0), "count": 1}
    reasons = [sitting.refused(0, cl.PlayBest, **asked, seen=sitting.seq).reason for _ in range(16)]
    assert [*[Reason.ILLEGAL] * 15, Reason.TOO_FAST] == reasons


def test_fast_hands_are_not_limited() -> None:
    """Six keys a second, for as long as one likes."""
    assert {Reason.ILLEGAL} == set(_blind(_sitting(), 60, SECOND // 6))


def test_lost_races_never_count() -> None:
    """Whoever was beaten to it thirty times in a second plays on."""
    sitting = _sitting()
    before = sitting.seq
    sitting.play(1, sitting.column(1, 1))
    beaten = [sitting.miss(0, sitting.column(0, 1), 0, seen=before).reason for _ in range(30)]
    assert beaten == [Reason.BEATEN] * 30
    sitting.play(0, sitting.column(0, 1))


def test_plays_in_a_pause_do_not_count() -> None:
    """Nor do others that come at the wrong time."""
    sitting = _sitting()
    sitting.events(0, cl.Pause)
    assert {Reason.PAUSED} == {sitting.miss(0, sitting.column(0)).reason for _ in range(30)}
    sitting.events(0, cl.Pause, paused=False)
    sitting.play(0, sitting.column(0, 1))


def test_a_reconnect_clears_nothing() -> None:
    """The seat is counted, not the connection."""
    sitting = _sitting()
    _blind(sitting, 15)
    sitting.connect(0, connected=False)
    sitting.connect(0, connected=True)
    assert Reason.TOO_FAST is sitting.miss(0, sitting.column(0, 1)).reason


def test_others_play_on() -> None:
    """The limit is the seat's own."""
    sitting = _sitting()
    _blind(sitting, 20)
    sitting.play(1, sitting.column(1, 1))


def test_the_log_does_not_tell() -> None:
    """A refusal is private and changes nothing, and after a restart the count begins anew."""
    sitting = _sitting()
    before = len(sitting.log)
    _blind(sitting, 20)
    assert before == len(sitting.log)


def test_who_plays_alone_is_not_limited() -> None:
    """Nothing is taken from anybody."""
    assert {Reason.ILLEGAL} == set(_blind(_sitting(1), 40))


def test_the_refusal_is_remembered_as_any_other() -> None:
    """Sent again after a break, the command is answered as before."""
    sitting = _sitting()
    _blind(sitting, 15)
    command = cl.PlayCards(
        counter=sitting.counter(0) + 1, source=sitting.column(0, 1), count=1, destination=-1, seen=sitting.seq
    )
    first = sitting.give(0, command).reply
    sitting.wait(5 * SECOND)
    assert first == sitting.give(0, command).reply
    assert isinstance(first, Refused)
    assert Reason.TOO_FAST is first.reason
