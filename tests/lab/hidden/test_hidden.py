"""Noninterference: what lies face down, or is private to a seat, changes nothing that others are told."""

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.engine.specification import Deals
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.messages.server import RaceLost
from racing_demon_protocol.wire.options import Options
from racing_demon_server.match.hand import Hand
from tests.lab.hidden.lockstep import Race, run
from tests.lab.hidden.other_deals import Plan, Told, canaries_in, other_cards, play, with_canaries
from tests.support.effort import amount, more_when_long

HANDS: Final = amount(8, 40, "RACING_DEMON_HANDS")
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "1"))

TABLES: Final[list[dict[str, Any]]] = [
    {},
    {"game": "classic"},
    {"game": "classic", "watch_delay_ms": 3_000, "call_out": "shout"},
    {"stall_rule": "rotate", "auto_first_turn": True, "waste_view": 3},
    {"game": "demon-a-first"},
    {"game": "demon-a-aces"},
    {"game": "demon-b-aces", "forced_bases": True},
    {"tail_rule": "either2", "redeals": 2, "spectators": False},
    {"game": "classic", "reserve_up": True, "spaces": "at_once", "king_bonus": 5},
    {"game": "demon-a-aces", "reserve_up": True, "stock_shift": "any_time"},
]


def plans(count: int) -> Iterator[Plan]:
    """Yield the plans of so many hands."""
    for number in range(count):
        rng = random.Random(SEED * 1_000_003 + number)
        options = Options(countdown_ms=0, tally_ms=600_000, **TABLES[number % len(TABLES)])
        seed = subseed(SEED.to_bytes(32, "big"), f"hidden/{number}")
        yield Plan(seed, options, rng.randint(2, 4), rng.choice([0, 0, 1, 2]), rng.randint(5, 90))


def differing(one: Told, other: Told) -> list[str]:
    """Return the streams that are not the same, byte for byte."""
    return [name for name in one.streams if one.streams[name] != other.streams.get(name)]


@more_when_long
def test_what_lies_face_down_changes_nothing() -> None:
    """Players, spectators, broker, log, metrics and record are told the same of both deals.

    That nobody can play any more is a fact about hidden cards, and the rules have it told: where other
    cards stall the hand, or do not, the pair is passed over. Marked cards, whose ranks and suits
    stay, must change nothing there either.
    """
    passed_over = changed = frames = 0
    for number, plan in enumerate(plans(HANDS)):
        told = play(plan)
        frames += sum(map(len, told.streams.values()))
        marked = play(plan, told.steps, with_canaries(told.shown))
        assert canaries_in(marked) == [], f"hand {number}"
        assert differing(told, marked) == [], f"hand {number}"
        other = play(plan, told.steps, other_cards(told.shown, random.Random(number)))
        changed += len(told.shown) < 52 * (plan.people + plan.bots)
        if told.stalls != other.stalls:
            passed_over += 1
            continue
        assert differing(told, other) == [], f"hand {number}"
    sys.stdout.write(
        f"\n{HANDS} hands, each with three deals, seed {SEED}: {frames} frames, messages and lines; "
        f"{passed_over} passed over because one of two deals was stalled\n"
    )
    assert changed == HANDS
    assert passed_over <= HANDS // 10


@pytest.mark.long
def test_a_refusal_that_told_of_a_hidden_card_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that said, with a refusal, which card is the next of the stock, gives itself away."""
    honest = Hand.refusal

    def telling(self: Hand, *args: Any) -> Any:
        stock = self.rules.layout.stock[args[0]]
        cards = self._dealer.open_board().cards[stock]
        return honest(self, *args).model_copy(update={"text": f"Next is {cards[0] if cards else None}."})

    monkeypatch.setattr(Hand, "refusal", telling)
    found: set[str] = set()
    canaries: set[str] = set()
    for plan in plans(4):
        told = play(plan)
        found |= {*differing(told, play(plan, told.steps, other_cards(told.shown, random.Random(0))))}
        canaries |= {*canaries_in(play(plan, told.steps, with_canaries(told.shown)))}
    assert any(name.startswith("seat") for name in found)
    assert any(name.startswith("seat") for name in canaries)


PRIVATE: Final = sorted(
    name for name, game in GAMES.items() if game.deals is Deals.IDENTICAL and game.max_seats > 1
)


def races(count: int, journals: Path) -> Iterator[Race]:
    """Yield so many pairs of races: all games in turn, spectators with and without delay, some journals."""
    for number in range(count):
        rng = random.Random(SEED * 1_000_003 + number)
        options = Options(
            game=PRIVATE[number % len(PRIVATE)],
            hands=1,
            countdown_ms=0,
            tally_ms=600_000,
            time_limit_ms=120_000,
            call_out=rng.choice(["auto", "shout"]),
            watch_delay_ms=rng.choice([0, 0, 3_000]),
        )
        folder = journals / str(number) if number % 4 == 3 else None
        if folder is not None:
            folder.mkdir()
        seed = subseed(SEED.to_bytes(32, "big"), f"races/{number}")
        yield Race(seed, options, rng.randint(2, 3), rng.choice([0, 0, 1]), rng.randint(5, 40), folder)


@pytest.mark.long
def test_what_is_private_to_a_seat_changes_nothing_for_others(tmp_path: Path) -> None:
    """On identical deals two ways to play, with the same progress, give everybody else the same bytes."""
    compared = parted = cut_short = 0
    for number, race in enumerate(races(HANDS, tmp_path)):
        outcome = run(race)
        assert outcome.differing == {}, f"pair {number}: {race.options.game}"
        compared += outcome.compared
        parted += outcome.plays[0] != outcome.plays[1]
        cut_short += outcome.is_cut_short
    sys.stdout.write(
        f"\n{HANDS} pairs of races, seed {SEED}: {compared} frames and messages; the seat played otherwise "
        f"in {parted}; {cut_short} cut short because the seat was stuck in one of them alone\n"
    )
    assert parted > HANDS // 2
    assert cut_short <= HANDS // 4


@pytest.mark.long
def test_a_race_that_told_of_a_private_layout_would_be_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A server that showed spectators what a seat tries in its own layout gives itself away."""
    honest = Hand.refusal

    def telling(self: Hand, seat: int, *args: Any) -> Any:
        self._lost = RaceLost(pile=0, card=0, by=0, seat=seat, late_us=0)
        return honest(self, seat, *args)

    monkeypatch.setattr(Hand, "refusal", telling)
    found = {name for race in races(8, tmp_path) for name in run(race).differing}
    assert any(name.startswith("spectator") for name in found)
