"""Sent away means away: for whom, from where, and until when."""

from typing import Any

import pytest

from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.table.state import MAX_BANNED
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_server.match.bans import Bans, hash_address
from racing_demon_server.match.state import Ban, JudgeState
from tests.support.cases import for_each
from tests.support.tables import Sitting, told

HOME = hash_address("203.0.113.9", bytes(16))
AWAY = hash_address("203.0.113.10", bytes(16))
TOKEN = b"another token"


class Banning(Sitting):
    """A table to whose players it matters where they come from."""

    def enter(self, name: str, token: bytes = TOKEN, address: bytes = HOME) -> int:
        """Seat somebody who comes from an address, and return the seat."""
        seat, events = self.table.join(name, token, self.now, address)
        self.record(events)
        return seat

    def is_out(self, name: str, token: bytes = TOKEN, address: bytes = HOME) -> bool:
        """Tell whether somebody is refused a seat for having been sent away."""
        try:
            self.table.join(name, token, self.now, address)
        except CommandRefused as error:
            return error.reason is Reason.BANNED
        return False


def kicked(phase: Phase = Phase.LOBBY, **options: Any) -> Banning:
    """Return a table from which Ben, who came from home, was sent away in a phase."""
    sitting = Banning(**{"hands": 1, "countdown_ms": 0, "tally_ms": 0, **options})
    sitting.join("Ann")
    seat = sitting.enter("Ben", b"Ben's token")
    sitting.join("Cat")
    if phase is not Phase.LOBBY:
        sitting.start()
    sitting.events(0, cl.Kick, seat=seat)
    return sitting


@for_each("phase", [Phase.LOBBY, Phase.PLAYING])
@for_each("name", ["Ben", "BEN", "Ben 2", "Ｂen", "B\u034fen"])
def test_the_name_stays_out_at_that_address(phase: Phase, name: str) -> None:
    """However it is written, and whatever the token."""
    assert kicked(phase).is_out(name, TOKEN, HOME)


def test_the_token_stays_out_everywhere() -> None:
    """Under another name, and from another address."""
    assert kicked().is_out("Dan", b"Ben's token", AWAY)


@for_each(("name", "address"), [("Ben", AWAY), ("Dan", HOME), ("Ben", b""), ("Benny", HOME)])
def test_others_come_in(name: str, address: bytes) -> None:
    """Those of that name from elsewhere, and all others from that address."""
    sitting = kicked()
    seat = sitting.enter(name, TOKEN, address)
    assert sitting.table.view.seats[seat].name == name


def test_a_number_that_the_server_gave_does_not_matter() -> None:
    """The second Ben of a table, who was called Ben 2, is known by the name Ben, too."""
    sitting = Banning()
    sitting.join("Ann")
    sitting.join("Ben")
    seat = sitting.enter("Ben", b"Ben's token")
    sitting.events(0, cl.Kick, seat=seat)
    assert sitting.table.view.banned == ("Ben 2",)
    assert sitting.is_out("Ben", TOKEN, HOME)


def test_where_a_player_came_back_from_counts() -> None:
    """It is the newest address of the seat that is kept out."""
    sitting = Banning()
    sitting.join("Ann")
    seat = sitting.enter("Ben", b"Ben's token", HOME)
    sitting.table.seat_tokens.record_address(seat, AWAY)
    sitting.events(0, cl.Kick, seat=seat)
    assert [sitting.is_out("Ben", TOKEN, HOME), sitting.is_out("Ben", b"third", AWAY)] == [False, True]


def test_the_host_lets_somebody_back_in() -> None:
    """By the name, which all can read; then the way is free."""
    sitting = kicked(Phase.PLAYING)
    assert "Ben" in sitting.mirror.banned
    assert told(sitting.events(0, cl.Unban, name="Ben")) == "unbanned"
    assert "Ben" not in sitting.mirror.banned
    sitting.enter("Ben", b"Ben's token", HOME)


def test_nobody_is_let_back_in_who_was_not_sent_away() -> None:
    """It is refused, and nothing happens."""
    assert Reason.BAD_NAME is kicked().refused(0, cl.Unban, name="Cat").reason


@for_each("phase", [Phase.LOBBY, Phase.PLAYING])
def test_the_end_of_the_match_lets_everybody_back_in(phase: Phase) -> None:
    """Whoever was sent away in the lobby stays out of the match that follows, and no longer."""
    sitting = kicked(phase)
    if phase is Phase.LOBBY:
        sitting.start()
    assert sitting.is_out("Ben", TOKEN, HOME)
    for seat in (0, 2):
        sitting.events(seat, cl.Stuck)
    assert (sitting.table.view.phase, sitting.mirror.banned) == (Phase.OVER, ())
    sitting.enter("Ben", b"Ben's token", HOME)


def test_a_later_namesake_does_not_renew_an_old_ban() -> None:
    """Who was sent away from the last match is not kept out because somebody of the same name is now."""
    sitting = kicked(Phase.PLAYING)
    for seat in (0, 2):
        sitting.events(seat, cl.Stuck)
    seat = sitting.enter("Ben", b"third token", AWAY)
    sitting.events(0, cl.Kick, seat=seat)
    assert [sitting.is_out("Ben", b"Ben's token", HOME), sitting.is_out("Ben", TOKEN, AWAY)] == [False, True]


def test_whoever_leaves_may_come_back() -> None:
    """Only who is sent away is kept out, and no bot is."""
    sitting = Banning()
    sitting.join("Ann")
    sitting.events(sitting.enter("Ben"), cl.Leave)
    sitting.events(0, cl.AddBot)
    sitting.events(0, cl.Kick, seat=1)
    assert sitting.table.view.banned == ()
    sitting.enter("Ben")


def test_a_namesake_who_leaves_may_come_back() -> None:
    """A ban is for the player who was kicked, and not for another of that name who leaves."""
    sitting = kicked()
    sitting.events(sitting.enter("Ben", b"another Ben's token", AWAY), cl.Leave)
    assert not sitting.is_out("Ben", b"another Ben's token", AWAY)


def test_so_many_are_kept_out_at_most() -> None:
    """Then whoever was sent away first may come back; no table grows by it."""
    sitting = Banning()
    sitting.join("Ann")
    for number in range(MAX_BANNED + 5):
        seat = sitting.enter(f"Guest no. {number}.", b"%d" % number)
        sitting.events(0, cl.Kick, seat=seat)
    assert MAX_BANNED == len(sitting.table.view.banned) == len(sitting.mirror.banned)
    assert [sitting.is_out("Dan", b"4", AWAY), sitting.is_out("Eve", b"5", AWAY)] == [False, True]
    bans = sitting.table.bans.drain_changes()
    assert bans is not None
    assert len(bans) == MAX_BANNED


def test_of_one_name_no_more_are_kept() -> None:
    """However many of one name are sent away, what is kept of them does not grow."""
    sitting = Banning()
    sitting.join("Ann")
    for number in range(MAX_BANNED + 5):
        seat = sitting.enter("Ben", b"%d" % number, hash_address(str(number), bytes(16)))
        sitting.events(0, cl.Kick, seat=seat)
    bans = sitting.table.bans.drain_changes()
    assert bans is not None
    assert len(bans) == MAX_BANNED


def test_bans_are_taken_up_again() -> None:
    """What was kept keeps out as before, as far as the table still says so."""
    sitting = kicked()
    kept = sitting.table.bans.drain_changes()
    assert kept is not None
    assert [ban.name for ban in kept] == ["Ben"]
    assert sitting.table.bans.drain_changes() is None
    again = Bans(JudgeState(sitting.table.view))
    again.restore([*kept, Ban("Dan", b"Dan's token", AWAY)])
    with pytest.raises(CommandRefused):
        again.verify("Ben", TOKEN, HOME)
    again.verify("Dan", b"Dan's token", AWAY)


def test_what_is_kept_names_no_token_and_no_address() -> None:
    """An address is hashed with the table's salt: another table's hash of it is another."""
    assert hash_address("203.0.113.9", bytes(16)) != hash_address("203.0.113.9", b"\1" * 16)
    kept = kicked().table.bans.drain_changes()
    assert kept is not None
    assert "203.0" not in repr(kept)


def test_bans_are_written_when_they_have_changed() -> None:
    """A new table has none to write; what was added or lifted is written once, what was there before not."""
    sitting = Sitting.lobby(3)
    bans = sitting.table.bans
    assert bans.drain_changes() is None
    bans.restore([])
    assert bans.drain_changes() is None
    sitting.events(0, cl.Kick, seat=1)
    assert [ban.name for ban in bans.drain_changes() or ()] == ["Ben"]
    assert bans.drain_changes() is None
    sitting.events(0, cl.Unban, name="Ben")
    assert bans.drain_changes() == ()
