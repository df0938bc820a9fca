"""What belongs to the host: the start, the options, the bots."""

import pytest

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from racing_demon_server.match.table import Table
from tests.support.cases import for_each
from tests.support.tables import SECOND, Sitting, names_of, of_type

# The host.


def test_the_host_passes_on() -> None:
    """When the host leaves, the next player is host."""
    sitting = Sitting.lobby(3)
    events = sitting.events(0, cl.Leave)
    assert [event.seat for event in of_type(ev.Hosted, events)] == [1]


def test_the_host_passes_to_somebody_who_is_there() -> None:
    """A player whose connection is lost becomes host only when nobody else is left."""
    sitting = Sitting.lobby(3)
    sitting.connect(1, connected=False)
    sitting.events(0, cl.Leave)
    assert sitting.table.view.host == 2


def test_a_bot_is_never_host() -> None:
    """When only bots are left, the next guest becomes host."""
    sitting = Sitting.lobby(1)
    sitting.events(0, cl.AddBot)
    sitting.events(0, cl.Leave)
    assert sitting.table.view.host is None
    assert 0 == sitting.join("Joy") == sitting.table.view.host


def test_a_host_who_is_away_stays_the_host() -> None:
    """Losing the connection gives nothing up."""
    sitting = Sitting.lobby(2)
    sitting.connect(0, connected=False)
    assert sitting.table.view.host == 0


def away(sitting: Sitting, seat: int) -> list[ev.Event]:
    """Let a player lose the connection, for longer than a table waits for its host."""
    return [*sitting.connect(seat, connected=False), *sitting.wait(21 * SECOND)]


def test_a_host_who_was_away_is_host_again() -> None:
    """Meanwhile another is, however often that changes: the table is not lost by a closed terminal."""
    sitting = Sitting.lobby(3)
    assert [(event.seat, event.absent_host) for event in of_type(ev.Hosted, away(sitting, 0))] == [(1, 0)]
    assert [(event.seat, event.absent_host) for event in of_type(ev.Hosted, away(sitting, 1))] == [(2, 0)]
    sitting.events(2, cl.MakeHost, seat=1)
    assert sitting.table.view.absent_host == 0
    restored = TableState.from_snapshot(sitting.table.view.snapshot(0))
    assert (restored.host, restored.absent_host) == (1, 0)
    hosted = of_type(ev.Hosted, sitting.connect(0, connected=True))[-1]
    assert (hosted.seat, hosted.absent_host) == (0, None)
    assert not of_type(ev.Hosted, sitting.connect(1, connected=True))


def test_a_host_without_a_seat_who_was_away_is_host_again() -> None:
    """Whoever opened the table for others has it back, unless they handed it on."""
    sitting = Sitting()
    sitting.host_watching()
    sitting.join("Ann")
    assert sitting.table.view.host is None
    sitting.connect(None, connected=False)
    hosted = of_type(ev.Hosted, sitting.wait(21 * SECOND))
    assert [(event.seat, event.absent_host, event.absent_watcher) for event in hosted] == [(0, None, True)]
    restored = TableState.from_snapshot(sitting.table.view.snapshot(0))
    assert restored.absent_watcher
    assert [event.seat for event in of_type(ev.Hosted, sitting.connect(None, connected=True))] == [None]
    sitting.events(None, cl.MakeHost, seat=0)
    sitting.connect(None, connected=False)
    sitting.wait(21 * SECOND)
    assert not of_type(ev.Hosted, sitting.connect(None, connected=True))


def test_a_host_who_has_handed_the_table_on_or_is_gone_does_not_get_it_back() -> None:
    """The role came to another by the host's own will, or they have no seat any more."""
    handed = Sitting.lobby(3)
    handed.events(0, cl.MakeHost, seat=1)
    away(handed, 0)
    assert not of_type(ev.Hosted, handed.connect(0, connected=True))
    kicked = Sitting.lobby(3)
    away(kicked, 0)
    kicked.events(1, cl.Kick, seat=0)
    assert (kicked.table.view.host, kicked.table.view.absent_host) == (1, None)
    last = Sitting.lobby(2)
    away(last, 0)
    last.events(1, cl.Leave)
    assert (last.table.view.host, last.table.view.absent_host) == (0, None)


def test_a_host_returns_as_a_guest_while_somebody_would_not_understand_more() -> None:
    """An older client knows of no host who returns."""
    sitting = Sitting.lobby(2)
    sitting.table.ask_who_lacks(lambda _words: ["Ben"])
    away(sitting, 0)
    assert (sitting.table.view.host, sitting.table.view.absent_host) == (1, None)


@for_each(
    "command",
    [
        cl.Start(counter=1),
        cl.AddBot(counter=1, level="easy"),
        cl.RemoveBot(counter=1, seat=1),
        cl.SetOptions(counter=1, options=Options(hands=2)),
    ],
    ids=lambda command: type(command).__name__,
)
def test_only_the_host_may(command: cl.Command) -> None:
    """A guest is refused what belongs to the host."""
    sitting = Sitting.lobby(2)
    sitting.wait(0)
    before = sitting.state()
    answer = sitting.give(1, command)
    assert answer.reply is not None
    assert (getattr(answer.reply, "reason", None), answer.events) == ("not_host", [])
    assert before == sitting.state()


# Options.


def test_the_host_sets_the_options() -> None:
    """Between matches the host's options replace the table's, for everybody to see."""
    sitting = Sitting.lobby(1)
    options = Options(game="classic", hands=2)
    assert [ev.OptionsSet(seq=4, options=options)] == sitting.events(0, cl.SetOptions, options=options)


def test_only_the_options_named_change() -> None:
    """What a change of options does not name stays as it is, and null sets back what the game decides."""
    sitting = Sitting.lobby(1, game="classic", hands=2, columns=6, spectators=False)
    sitting.events(0, cl.SetOptions, options=Options(hands=7))
    assert sitting.options.model_copy(update={"hands": 7}) == sitting.table.view.options
    sitting.events(0, cl.SetOptions, options=Options(columns=None))
    assert sitting.options.model_copy(update={"hands": 7, "columns": None}) == sitting.table.view.options


def test_options_are_refused_by_what_they_make_together() -> None:
    """A change that the table's other options cannot be played with is refused, and changes nothing."""
    sitting = Sitting.lobby(1, game="classic", columns=6)
    assert sitting.refused(0, cl.SetOptions, options=Options(game="racing-demon")).reason == Reason.BAD_OPTION
    assert sitting.options == sitting.table.view.options


def test_options_stand_during_a_match() -> None:
    """No option changes while a match is played."""
    sitting = Sitting.playing(1)
    assert sitting.refused(0, cl.SetOptions, options=Options(hands=2)).reason == Reason.NOT_NOW


UNPLAYABLE = [
    Options(game="whist"),
    Options(columns=5),
    Options(reserve=9),
]


@for_each("options", UNPLAYABLE, ids=["unknown", "columns", "reserve"])
def test_options_that_cannot_be_played_are_refused(options: Options) -> None:
    """The host is told so when no game can be made of the options."""
    assert Sitting.lobby(1).refused(0, cl.SetOptions, options=options).reason == Reason.BAD_OPTION


@for_each("options", UNPLAYABLE, ids=["unknown", "columns", "reserve"])
def test_no_table_opens_with_options_that_cannot_be_played(options: Options) -> None:
    """A table is not made of options that no game can be made of."""
    with pytest.raises(CommandRefused):
        Table("TEST", options, iter(()))


def test_new_options_clear_the_old_board() -> None:
    """Options after a match may be of another game, so the last board goes."""
    sitting = Sitting.playing(1, hands=1)
    sitting.events(0, cl.Stuck)
    sitting.events(0, cl.SetOptions, options=Options(game="classic"))
    assert sitting.table.view.board is None
    sitting.start()
    assert sitting.rules.game.name == "classic"


# Bots.


def test_a_bot_takes_a_seat() -> None:
    """A bot has a name and its level, and is ready."""
    sitting = Sitting.lobby(1)
    assert [ev.Joined(seq=4, seat=1, name="Ada", bot="hard")] == sitting.events(0, cl.AddBot, level="hard")
    assert sitting.table.view.seats[1].ready


def test_nobody_speaks_for_a_bot() -> None:
    """No token, and no empty one either, opens a bot's seat."""
    sitting = Sitting.lobby(1)
    sitting.events(0, cl.AddBot)
    with pytest.raises(CommandRefused):
        sitting.table.seat_tokens.actor(b"")


def test_bots_have_differentnames_of() -> None:
    """Bots are told apart, and do not take a player's name."""
    sitting = Sitting()
    sitting.join("Ada")
    for _ in range(7):
        sitting.events(0, cl.AddBot)
    assert len(set(names_of(sitting))) == 8


def test_there_is_no_ninth_bot() -> None:
    """Bots need seats too."""
    assert Sitting.lobby(8).refused(0, cl.AddBot).reason == Reason.TABLE_FULL


@for_each(("spectators", "text"), [(True, "; you can watch."), (False, ".")])
def test_who_finds_no_seat_is_told_what_else_there_is(spectators: bool, text: str) -> None:
    """Watching is offered only where the table allows spectators."""
    sitting = Sitting.lobby(8, spectators=spectators)
    with pytest.raises(CommandRefused) as refused:
        sitting.join("Joy")
    assert refused.value.text == f"All seats are taken{text}"


def test_a_bot_is_sent_away() -> None:
    """Between matches the host may take a bot from its seat."""
    sitting = Sitting.lobby(1)
    sitting.events(0, cl.AddBot)
    assert [ev.Left(seq=5, seat=1)] == sitting.events(0, cl.RemoveBot, seat=1)


@for_each("seat", [1, 5], ids=["a player", "nobody"])
def test_only_bots_are_sent_away(seat: int) -> None:
    """The host sends no player away."""
    assert Sitting.lobby(2).refused(0, cl.RemoveBot, seat=seat).reason == Reason.NOT_SEATED


def test_a_kicked_bot_is_gone() -> None:
    """After the match it cannot be removed again: it left once, and nothing is told a second time."""
    sitting = Sitting(hands=1, countdown_ms=0, time_limit_ms=1_000)
    sitting.join("Ann")
    for _ in range(2):
        sitting.events(0, cl.AddBot, level="easy")
    sitting.start()
    sitting.events(0, cl.Kick, seat=1)
    sitting.wait(5 * SECOND)
    assert sitting.table.view.between_matches
    assert sitting.refused(0, cl.RemoveBot, seat=1).reason == Reason.NOT_SEATED
    assert [event.seat for event in sitting.log if isinstance(event, ev.Left)] == [1]


def test_a_host_is_never_muted() -> None:
    """Not even by the host."""
    sitting = Sitting.lobby(2)
    assert sitting.refused(0, cl.Mute, seat=0, muted=True).reason == Reason.NOT_NOW
    sitting.events(0, cl.Say, text="hello")


def test_bots_stay_for_the_match() -> None:
    """While a match is played no bot goes."""
    sitting = Sitting.lobby(1)
    sitting.events(0, cl.AddBot)
    sitting.start()
    assert sitting.refused(0, cl.RemoveBot, seat=1).reason == Reason.NOT_NOW
