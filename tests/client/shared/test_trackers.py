"""Races that are lost at sight: the place was filled when the key was pressed."""

from racing_demon_client.shared.trackers import RaceTracker
from racing_demon_client.terminal.view_model import SoundCue
from racing_demon_protocol.engine.board import FOUNDATIONS, Kind, Play
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused
from tests.support.boards import build, rules_of
from tests.support.cases import for_each
from tests.support.view_models import Player, message

REFUSED = Refused(counter=3, reason=Reason.ILLEGAL, text="No foundation takes this card.")


def contest(own: str, rival: str = "2S", *, rival_seat: int = 1) -> Player:
    """Return a player whose first column shows a card, after another's has gone up upon the ace of spades."""
    rules = rules_of(players=2)
    position = build(rules, foundation=("AS",), tableau=(own, "2S"))
    player = Player.at_position(build(rules, seat=1, tableau=(rival,), upon=position))
    source = player.rules.layout.seat_piles(rival_seat, Kind.TABLEAU)[1 - rival_seat]
    seq = player.view.seq + 1
    player.hear(ev.Played(seq=seq, seat=rival_seat, counter=1, source=source, count=1, destination=0))
    return player


def press(player: Player, after_ms: int, *, column: int = 1) -> str:
    """Send a column's card up so long after that, hear that it is refused, and return what is told."""
    player.now += after_ms
    player.model.record_sent(3, Play(player.column(column), 1, FOUNDATIONS), player.now)
    player.hear(REFUSED)
    return message(player)


@for_each(
    ("after_ms", "told"),
    [
        (20, "2♠: Ben was 20 ms faster"),
        (300, "2♠: Ben was 0.3 s faster"),
        (2_000, "2♠: Ben was 2.0 s faster"),
    ],
)
def test_who_was_faster_is_told(after_ms: int, told: str) -> None:
    """For two seconds after the place was filled, the player who wants it reads who did, and how long ago."""
    player = contest("2S")
    assert told == press(player, after_ms)
    assert told == player.told()[-1]
    assert SoundCue.BEATEN not in player.cues


@for_each(("own", "after_ms"), [("2S", 2_001), ("9D", 300), ("3D", 300), ("AS", 300)])
def test_a_slip_is_no_race(own: str, after_ms: int) -> None:
    """What is too late by more, or never fitted there, is refused in the server's words alone."""
    player = contest(own)
    told = len(player.told())
    assert REFUSED.text == press(player, after_ms)
    assert told == len(player.told())


def test_nobody_races_with_oneself() -> None:
    """A place that one has filled oneself was lost to nobody."""
    player = contest("2S", rival_seat=0)
    assert REFUSED.text == press(player, 300)


def test_nothing_is_told_to_who_does_not_press() -> None:
    """Others fill places all the time: the feed tells of a race only to whoever wanted the place."""
    player = contest("2S")
    assert player.told() == ["Ben: 2♠ up"]


def test_a_new_deal_forgets_what_was_tried() -> None:
    """A refusal that comes after other cards were dealt is no race on these."""
    player, rivals = contest("2S"), RaceTracker()
    rivals.record_play(3, Play(player.column(1), 1, FOUNDATIONS), player.now)
    rivals.observe(player.view.snapshot(0), player.view, 0, player.now)
    assert rivals.play(3) is None
    assert rivals.observe(REFUSED, player.view, 0, player.now) is None
