"""Chances and races: found step by step, they are what a look at the whole board finds."""

from collections.abc import Iterator

import pytest

from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.records.analysis import Chance, ChanceTracker, Race
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import events as ev
from tests.support.boards import build, cards, rules_of
from tests.support.matches import log_of, of_matches, options_of


def ready(rules: Rules, board: Board) -> set[tuple[int, int, int]]:
    """Return who could bring which card up from where, by the rules alone: play after play is asked for."""
    found = set()
    for seat in rules.layout.seats:
        for play in rules.legal_plays(board, seat):
            up = board.piles[play.destination].kind is Kind.FOUNDATION
            if up and board.piles[play.source].kind is not Kind.FOUNDATION:
                found.add((seat, play.source, board.cards[play.source][-1]))
    return found


def followed(
    name: str,
) -> Iterator[tuple[int, TableState, ChanceTracker, ev.Played, Chance | None, list[Race]]]:
    """Yield each play of a match, with what came of it; its time is its place in the log."""
    view = TableState("SIM", options_of(name))
    opportunities: ChanceTracker | None = None
    for at, event in enumerate(log_of(name)):
        view.apply(event)
        if isinstance(event, ev.Signalled):
            assert view.hand is not None
            opportunities = ChanceTracker(view.hand.rules, view.hand.board, at)
        elif isinstance(event, ev.Rotated) and opportunities is not None:
            opportunities.refresh(at)
        elif isinstance(event, ev.Played):
            assert opportunities is not None
            yield at, view, opportunities, event, *opportunities.follow(event, at)


@of_matches
def test_chances_are_the_legal_plays_upward(name: str) -> None:
    """After every play the chances are just the plays to the foundations that the rules allow."""
    for _at, view, opportunities, _, _, _ in followed(name):
        assert view.hand is not None
        found = {(chance.seat, chance.pile, chance.card) for chance in opportunities.open}
        assert ready(view.hand.rules, view.hand.board) == found


@of_matches
def test_a_card_that_goes_up_was_a_chance(name: str) -> None:
    """Each play to a foundation takes a chance that was there before; no other play takes any."""
    for at, view, _, event, taken, _ in followed(name):
        assert view.board is not None
        if view.board.piles[event.destination].kind is not Kind.FOUNDATION:
            assert taken is None
            continue
        assert taken is not None
        assert (event.seat, event.source) == (taken.seat, taken.pile)
        assert view.board.cards[event.destination][-1] == taken.card
        assert taken.since < at


@pytest.mark.parametrize("name", ["racing-demon", "shouted", "rotated", "eight"])
def test_races_are_chances_that_others_spoiled(name: str) -> None:
    """Whoever had the same face ready before a play, and no place for it after it, has lost a race by it."""
    before: dict[tuple[int, int], Chance] = {}
    hand: ChanceTracker | None = None
    seen = 0
    for at, _, opportunities, event, taken, races in followed(name):
        now = {(chance.seat, chance.pile): chance for chance in opportunities.open}
        expected = set()
        for place, chance in before.items() if opportunities is hand else ():
            if chance.seat != event.seat and place not in now:
                expected.add(Race(at, chance.card, event.seat, chance.seat, at - chance.since))
                assert taken is not None
                assert chance.card % PACK_SIZE == taken.card % PACK_SIZE
        assert opportunities is not hand or expected == set(races)
        before, hand, seen = now, opportunities, seen + len(races)
    assert seen


def test_one_place_for_two_cards() -> None:
    """Two players have the three for the only two: one goes up, and the other has lost by what it waited."""
    rules = rules_of(players=2)
    position = build(rules, foundation=("AS 2S",), tableau=("KH", "3S"))
    position = build(rules, seat=1, tableau=("QC", "3S"), upon=position)
    opportunities = ChanceTracker(rules, position.board, 100)
    assert len(list(opportunities.open)) == 2
    first, second = (rules.layout.seat_piles(seat, Kind.TABLEAU)[1] for seat in (0, 1))
    three, other = cards("3S")[0], position.board.cards[second][-1]
    play = ev.Played(seq=1, seat=0, counter=1, source=first, count=1, destination=0)
    position.board.cards[0].append(position.board.cards[first].pop())
    taken, races = opportunities.follow(play, 350)
    assert Chance(0, first, three, 100) == taken
    assert [Race(350, other, 0, 1, 250)] == races
    assert list(opportunities.open) == []


def test_a_second_place_is_no_race() -> None:
    """Where another foundation takes the same card, nobody has lost anything."""
    rules = rules_of(players=2)
    position = build(rules, foundation=("AS 2S", "AS/1 2S/1"), tableau=("KH", "3S"))
    position = build(rules, seat=1, tableau=("QC", "3S"), upon=position)
    opportunities = ChanceTracker(rules, position.board, 0)
    source = rules.layout.seat_piles(0, Kind.TABLEAU)[1]
    position.board.cards[0].append(position.board.cards[source].pop())
    _, races = opportunities.follow(
        ev.Played(seq=1, seat=0, counter=1, source=source, count=1, destination=0), 10
    )
    assert races == []
    assert [chance.seat for chance in opportunities.open] == [1]


def test_a_hidden_card_is_no_chance() -> None:
    """A card that lies face down is nobody's chance, whatever it is."""
    rules = rules_of()
    position = build(rules, tableau=("as", "KH"))
    position.board.cards[rules.layout.seat_piles(0, Kind.TABLEAU)[0]] = [UNKNOWN]
    assert list(ChanceTracker(rules, position.board).open) == []
