"""Commands with any values in their fields, from anybody, at any time: refused or carried out."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from racing_demon_protocol.constants import MAX_CHAT_LENGTH
from racing_demon_protocol.enums import BotLevel, Phase, Reaction, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.messages import FROM_CLIENT
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import CallOut, HandicapRule, OnLeave, Options, StallRule, TieBreak
from racing_demon_protocol.wire.serial_numbers import next_counter
from racing_demon_server.match.names import folded
from racing_demon_server.match.seat_tokens import Actor
from tests.support.invariants import status
from tests.support.tables import NAMES, SECOND, Own, Sitting

LARGEST = 2**31 - 1


def _lobby() -> Sitting:
    sitting = Sitting.lobby(3)
    sitting.events(0, cl.AddBot)
    sitting.connect(2, connected=False)
    return sitting


def _watched() -> Sitting:
    sitting = Sitting()
    sitting.host_watching()
    sitting.join("Ann")
    return sitting


def _countdown() -> Sitting:
    sitting = _lobby()
    sitting.events(0, cl.Start)
    return sitting


def _playing() -> Sitting:
    sitting = Sitting.playing(3, hands=2)
    sitting.join("Joy")
    sitting.events(1, cl.Leave)
    for _ in range(3):
        sitting.turn(0)
    return sitting


def _demons() -> Sitting:
    return Sitting.playing(2, game="fooliana", stall_rule="rotate")


def _grace() -> Sitting:
    sitting = Sitting.playing(3, call_out="shout", grace_ms=5_000)
    sitting.lay(["AS"], Own(["2S"]), Own(["2S", "KD"]), Own(["3S", "KD"]))
    sitting.play(0, sitting.column(0))
    sitting.events(0, cl.Call)
    return sitting


def _tally() -> Sitting:
    sitting = Sitting.playing(3, hands=2)
    sitting.events(1, cl.Leave)
    for seat in (0, 2):
        sitting.events(seat, cl.Stuck)
    return sitting


def _over() -> Sitting:
    sitting = Sitting.playing(3, hands=1)
    sitting.events(1, cl.Leave)
    for seat in (0, 2):
        sitting.events(seat, cl.Stuck)
    return sitting


TABLES: dict[str, tuple[Callable[[], Sitting], Phase]] = {
    "lobby": (_lobby, Phase.LOBBY),
    "watched": (_watched, Phase.LOBBY),
    "countdown": (_countdown, Phase.COUNTDOWN),
    "playing": (_playing, Phase.PLAYING),
    "demons": (_demons, Phase.PLAYING),
    "grace": (_grace, Phase.GRACE),
    "tally": (_tally, Phase.TALLY),
    "over": (_over, Phase.OVER),
}

counters = st.integers(0, 12) | st.integers(0, LARGEST) | st.sampled_from([LARGEST - 1, LARGEST])
some_options = st.fixed_dictionaries(
    {},
    optional={
        "game": st.sampled_from([*GAMES, "whist"]),
        "hands": st.integers(1, 100),
        "target": st.none() | st.integers(1, 10_000),
        "tie_break": st.sampled_from(TieBreak),
        "call_out": st.sampled_from(CallOut),
        "grace_ms": st.integers(0, 5_000),
        "stall_rule": st.sampled_from(StallRule),
        "auto_first_turn": st.booleans(),
        "on_leave": st.sampled_from(OnLeave),
        "late_join": st.booleans(),
        "hints": st.booleans(),
        "countdown_ms": st.integers(0, 30_000),
        "tally_ms": st.integers(0, 600_000),
        "turn": st.none() | st.integers(1, 5),
        "redeals": st.none() | st.integers(0, 100),
        "waste_view": st.none() | st.integers(1, 5),
        "forced_bases": st.none() | st.booleans(),
        "columns": st.none() | st.integers(1, 9),
        "columns_by_players": st.booleans(),
        "reserve": st.none() | st.integers(1, 30),
        "reserve_card": st.none() | st.integers(-10, 0),
        "out_bonus": st.none() | st.integers(0, 100),
        "handicap": st.sampled_from(HandicapRule),
    },
).map(Options.model_validate)

handicaps = st.builds(
    Handicap, heap=st.integers(-29, 29), delay_s=st.integers(0, 60), points=st.integers(-100, 100)
)
hashes = st.sampled_from([digit * 64 for digit in "0af"])
seats = st.integers(0, 7)
sources = st.integers(0, 45) | st.integers(0, 255)
counts = st.integers(1, 4) | st.integers(1, 52)
seen = st.integers(0, 40) | st.integers(0, LARGEST)
hand = st.just(0) | st.integers(0, 40)
FIELDS: dict[type[cl.Command], dict[str, st.SearchStrategy[Any]]] = {
    cl.PlayCards: {
        "source": sources,
        "count": counts,
        "destination": st.integers(-1, 45) | st.integers(-1, 255),
        "seen": seen,
    },
    cl.PlayBest: {"source": sources, "count": counts, "seen": seen},
    cl.ShiftStock: {"seen": hand},
    cl.Stuck: {"seen": hand},
    cl.Call: {"seen": hand},
    cl.Start: {"seen": hand},
    cl.Ready: {"ready": st.booleans(), "seen": hand},
    cl.Pause: {"paused": st.booleans(), "seen": hand},
    cl.Leave: {},
    cl.AddBot: {"level": st.sampled_from(BotLevel)},
    cl.RemoveBot: {"seat": seats},
    cl.SetOptions: {"options": some_options},
    cl.SetTeam: {"seat": seats, "team": st.integers(0, 3)},
    cl.SetHandicap: {"seat": seats, "handicap": handicaps},
    cl.Say: {"text": st.text(min_size=1, max_size=MAX_CHAT_LENGTH)},
    cl.React: {"reaction": st.sampled_from(Reaction)},
    cl.CloseEntry: {"closed": st.booleans()},
    cl.EndMatch: {"seen": hand},
    cl.SetLastHand: {"last": st.booleans(), "seen": hand},
    cl.SetLateStart: {"lowest": st.booleans()},
    cl.SetAppearance: {"name": st.sampled_from(["Zoe", "Ann", " "]), "color": seats},
    cl.Mute: {"seat": seats, "muted": st.booleans()},
    cl.StandIn: {"seat": seats},
    cl.Kick: {"seat": seats},
    cl.MakeHost: {"seat": seats},
    cl.Unban: {"name": st.sampled_from([*NAMES, "Nobody"])},
    cl.Contribute: {"commitment": hashes},
    cl.Reveal: {"value": hashes},
}
"""The commands that a table answers, and the values of their fields."""
commands: st.SearchStrategy[cl.Command] = st.one_of(
    [st.builds(cls, counter=counters, **fields) for cls, fields in FIELDS.items()]
)
steps = st.lists(st.tuples(st.integers(0, 8), commands), max_size=12)


def test_every_command_is_tried_here() -> None:
    """No command of the wire that a table answers is forgotten in these tests."""
    of_tables = {cls for cls in FROM_CLIENT.values() if issubclass(cls, cl.Command)} - set(cl.ASIDE)
    assert set(FIELDS) == of_tables


@pytest.mark.long
@pytest.mark.parametrize("name", TABLES)
@settings(max_examples=200, deadline=None, database=None)
@given(steps=steps)
def test_noise_breaks_nothing(name: str, steps: list[tuple[int, cl.Command]]) -> None:
    """Whatever comes is answered; what is refused changes nothing; and the table goes on."""
    make, phase = TABLES[name]
    sitting = make()
    assert phase is sitting.table.view.phase
    for number, command in steps:
        actors: list[Actor] = [actor for actor in (*range(8), None) if actor in sitting.table.seat_tokens]
        if not actors:
            return
        sitting.wait(0)
        before = sitting.state()
        answer = sitting.give(actors[number % len(actors)], command)
        if isinstance(answer.reply, Refused):
            assert (before, []) == (sitting.state(), answer.events)
    sitting.wait(120 * SECOND)
    if sitting.table.view.board is not None and phase is not Phase.GRACE:
        assert status(sitting.rules, sitting.board) == []
    for actor in (*range(8), None):
        if actor in sitting.table.seat_tokens:  # whatever it has sent, it can go on
            reply = sitting.give(actor, cl.Say(counter=next_counter(sitting.counter(actor)), text="on")).reply
            assert not isinstance(reply, Refused) or reply.reason is not Reason.REPEATED


@pytest.mark.long
@settings(max_examples=100, deadline=None, database=None)
@given(names=st.lists(st.text(max_size=64), max_size=10))
def test_whoever_comes_is_seated_or_refused(names: list[str]) -> None:
    """No name does harm, and all who are seated have different ones."""
    sitting = Sitting()
    for name in names:
        before = sitting.state()
        try:
            sitting.join(name)
        except CommandRefused:
            assert before == sitting.state()
    seated = [state.name for state in sitting.table.view.seats.values()]
    assert len(seated) == len({folded(name) for name in seated})
