"""The analysis of a hand: it says of the end what the judge knew of it."""

import pytest

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.records.analysis import HandHistory, HistoryTracker, analyze
from racing_demon_protocol.records.format import next_state
from racing_demon_protocol.table.state import HandView, TableState
from racing_demon_protocol.wire.messages import events as ev
from tests.support.matches import log_of, of_matches, options_of
from tests.support.recordings import recording_of


def last_hand(name: str) -> tuple[HandHistory, HandView, bytes]:
    """Return the story of a match's last hand, its cards at the end, and its seed."""
    history, view, seed = HistoryTracker(), TableState("SIM", options_of(name)), b""
    for entry in recording_of(name).entries:
        view = next_state(view, entry.message)
        history.note(entry.message, view, entry.at_us, entry.seat)
        if isinstance(entry.message, ev.HandOver):
            seed = view.deal_seed(bytes.fromhex(entry.message.seed))
    assert history.hand is not None
    assert view.hand is not None
    return history.hand, view.hand, seed


@of_matches
def test_every_card_is_somewhere(name: str) -> None:
    """A player's cards on the foundations, face down, face up and in hand are the whole pack."""
    history, hand, seed = last_hand(name)
    ups = hand.rules.on_foundations(hand.board)
    for each in analyze(history, hand, seed):
        columns = hand.rules.layout.seat_piles(each.seat, Kind.TABLEAU)
        face_up = sum(card != UNKNOWN for pile in columns for card in hand.board.cards[pile])
        assert ups[each.seat] + face_up + each.face_down + each.in_hand == 52
        assert each.face_down == len(each.buried)


@pytest.mark.parametrize("name", ["racing-demon", "eight", "rotated"])
def test_buried_cards_were_seen_by_nobody(name: str) -> None:
    """What is named as buried is the player's own, was never turned up, and each card is named once."""
    history, hand, seed = last_hand(name)
    begin = max(n for n, event in enumerate(log_of(name)) if isinstance(event, ev.Dealt))
    shown = {
        card
        for event in log_of(name)[begin:]
        if isinstance(event, ev.Dealt | ev.Played)
        for card in event.shown
    }
    found = [(each.seat, buried.card) for each in analyze(history, hand, seed) for buried in each.buried]
    assert found
    assert len(found) == len(set(found))
    assert not shown & {card for _, card in found}
    assert all(seat == hand.rules.layout.owner(card) for seat, card in found)


def test_without_the_secret_nothing_hidden_is_named() -> None:
    """As long as the seed is not told, buried cards are counted only."""
    history, hand, _ = last_hand("eight")
    told = analyze(history, hand)
    assert sum(each.face_down for each in told) > 0
    assert all(not each.buried for each in told)


def test_races_and_waits_are_everybodys_own() -> None:
    """Each race is one player's gain and another's loss; waits are sorted, the longest first."""
    history, hand, seed = last_hand("eight")
    told = analyze(history, hand, seed)
    assert sum(len(each.won) for each in told) == sum(len(each.lost) for each in told) == len(history.races)
    for each in told:
        waited = [made.waited_us for made in each.waits]
        assert waited == sorted(waited, reverse=True)
        assert {each.seat} >= {made.seat for made in each.waits}
