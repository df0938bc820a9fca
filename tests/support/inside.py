"""What only a table's judge knows. Tests look behind a table here, and nowhere else."""

from collections.abc import Container, Mapping
from dataclasses import replace

from racing_demon_protocol.engine.board import Board
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_server.match.hand import DeadHandTest, Hand
from racing_demon_server.match.seat_tokens import Actor, SeatToken
from racing_demon_server.match.table import Table


def hand_of(table: Table) -> Hand | None:
    """Return the hand that is played."""
    return table._state.hand


def replace_hand(table: Table, hand: Hand) -> None:
    """Let a table go on with another hand."""
    table._state.hand = hand


def dealer_of(hand: Hand) -> Dealer:
    """Return who knows a hand's hidden cards."""
    return hand._dealer


def hidden_board(dealer: Dealer) -> Board:
    """Return a dealer's own board, on which all cards are known: what is changed there is dealt."""
    return dealer._board


def dead_tests(hand: Hand) -> dict[int | None, DeadHandTest]:
    """Return the tests for dead hands, by seat; ``None`` is for all seats."""
    return hand._dead_tests


def seat_tokens_of(table: Table) -> Mapping[Actor, SeatToken]:
    """Return copies of all that opens seats of a table."""
    return {actor: replace(token) for actor, token in table.seat_tokens._seat_tokens.items()}


def gone(table: Table) -> Container[Actor]:
    """Return who is not connected, among them the host without a seat."""
    return table._state.record.away


def given_up(table: Table) -> Container[Actor]:
    """Return the seats that are waited for no longer."""
    return table._state.record.given_up


def pause_state(table: Table) -> tuple[bool, bool, bool]:
    """Return whether a pause is by rule, whether players are lacking, and whether it has an end."""
    record = table._state.record
    return record.is_paused_by_rule, record.lacking_since is not None, record.pause_ends_at is not None


def next_timer(table: Table) -> str:
    """Return the name of what is due next."""
    timers = sorted(table._timers(), key=lambda timer: timer[0])
    return getattr(timers[0][1], "func", timers[0][1]).__name__ if timers else ""
