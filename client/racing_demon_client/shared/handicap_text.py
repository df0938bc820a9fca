"""Handicaps in words."""

from racing_demon_protocol.formatting import printable
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.handicap import Handicap


def handicap_text(handicap: Handicap) -> str:
    """Return a handicap in words, such as ``2 more in the heap, starts 5 s later``; empty without one."""
    parts = []
    if handicap.heap:
        parts.append(f"{abs(handicap.heap)} {'more' if handicap.heap > 0 else 'fewer'} in the heap")
    if handicap.delay_s:
        parts.append(f"starts {handicap.delay_s} s later")
    if handicap.points:
        parts.append(f"{handicap.points:+} {'point' if abs(handicap.points) == 1 else 'points'} a hand")
    return ", ".join(parts)


def next_handicaps(view: TableState) -> dict[int, str]:
    """Return the handicaps by which seats are dealt to next, in words; without those that change nothing."""
    seats = view.seated()
    texts = zip(seats, map(handicap_text, view.handicaps_for(seats)), strict=False)
    return {seat: text for seat, text in texts if text}


def handicap_lines(view: TableState) -> list[str]:
    """Return a line for each player with a handicap in the next hand: ``Ann: 2 more in the heap``."""
    return [f"{printable(view.player(seat))}: {text}" for seat, text in next_handicaps(view).items()]
