"""Handicaps: which ones a table allows, and by which the next hand is dealt.

A handicap makes the game harder or easier for one seat. The rule ``auto`` is a tradition of families, who
give the last hand's winner a card more and whoever scored nothing one fewer.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from racing_demon_protocol.constants import MAX_SEATS
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.specification import Deals, Reserve
from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.formatting import pluralize
from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.messages.handicap import NO_HANDICAP, Handicap
from racing_demon_protocol.wire.messages.server import HandResult, SeatState
from racing_demon_protocol.wire.options import HandicapRule, Options

HEAPS: Final = range(1, 31)
"""The sizes that a heap may have with a handicap."""
AUTO_HEAPS: Final = range(3, 21)
"""The sizes to which the rule ``auto`` changes a heap."""
AUTO_DELAYS_S: Final = range(16)
"""The delays to which it changes a signal where there is no heap to change, in seconds."""


def heap_size(options: Options) -> int | None:
    """Return how many cards a heap gets, if handicaps can change that.

    They cannot in games without a heap, nor on identical deals, where all must have the same cards.

    Raises:
        InvalidGame: there is no such game, or an option does not apply to it.

    """
    game = declare(options, 1)
    if game.deals is Deals.IDENTICAL:
        return None
    sizes = [group.size for group in game.groups if isinstance(group, Reserve) and group.size]
    return sizes[0] if len(sizes) == 1 else None


def why_impossible(options: Options, handicap: Handicap) -> str:
    """Return why a table cannot give a handicap, as a sentence; empty if it can."""
    limit_ms = options.time_limit_ms
    if limit_ms is not None and handicap.delay_s * 1_000 >= limit_ms:
        return "The wait would last longer than the hand. Make it shorter, or the time limit longer."
    if not handicap.heap:
        return ""
    heap = heap_size(options)
    if heap is None:
        game = declare(options, 1)
        why = "deals everybody the same cards" if game.deals is Deals.IDENTICAL else "has no reserve"
        return f"{game.title} {why}. Let others start later, or give points instead."
    if heap + handicap.heap not in HEAPS:
        return (
            f"A reserve has {HEAPS[0]} to {HEAPS[-1]} cards, and this would be one of {heap + handicap.heap}."
        )
    return _why_undealable(options, handicap.heap)


@lru_cache(maxsize=1_024)
def _why_undealable(options: Options, extra: int) -> str:
    try:
        for players in range(1, MAX_SEATS + 1):  # their number may decide that of the columns
            make_rules(declare(options, players), (0,), (extra,))
    except InvalidGame:
        return f"There are too few cards for a reserve with {pluralize(extra, 'card')} more."
    return ""


def is_harder(handicap: Handicap, than: Handicap) -> bool:
    """Return whether a handicap is at least as hard as another in everything."""
    return handicap.heap >= than.heap and handicap.delay_s >= than.delay_s and handicap.points <= than.points


def dealt_handicaps(
    options: Options, seats: Mapping[int, SeatState], results: Iterable[HandResult], hand: Iterable[int]
) -> tuple[Handicap, ...]:
    """Return the handicaps by which the next hand of a match is dealt, in the order of its seats.

    Args:
        options: the table's options.
        seats: its seats.
        results: the finished hands of the match.
        hand: the seats in the hand.

    """
    own = {seat: seats[seat].handicap for seat in hand}
    if options.handicap is HandicapRule.AUTO:
        heap, finished = heap_size(options), list(results)
        own = {
            seat: handicap if seats[seat].bot else _after(handicap, seat, finished, heap)
            for seat, handicap in own.items()
        }
    return tuple(own.values()) if any(each != NO_HANDICAP for each in own.values()) else ()


def _after(handicap: Handicap, seat: int, results: Iterable[HandResult], heap: int | None) -> Handicap:
    """Return a seat's handicap after some hands, each of which changes it by one at most.

    A step that was lost at a bound by the handicap of its own hand stays lost, whatever the seat was given
    afterwards.
    """
    for result in results:
        if seat not in result.seats:
            continue
        points = dict(zip(result.seats, result.points, strict=True))
        best = {result.out} if result.out is not None else _best(points)
        step = (seat in best) - (points[seat] <= 0)
        dealt = result.handicaps[result.seats.index(seat)] if result.handicaps else NO_HANDICAP
        if _may_step(dealt, step, heap) and _may_step(handicap, step, heap):
            changes = {"delay_s": handicap.delay_s + step} if heap is None else {"heap": handicap.heap + step}
            handicap = handicap.model_copy(update=changes)
    return handicap


def _may_step(handicap: Handicap, step: int, heap: int | None) -> bool:
    if heap is None:
        return handicap.delay_s + step in AUTO_DELAYS_S
    return heap + handicap.heap + step in AUTO_HEAPS


def _best(points: Mapping[int, int]) -> set[int]:
    most = max(points.values())
    return {seat for seat, gained in points.items() if gained == most}


def waits_ms(handicaps: Sequence[Handicap]) -> tuple[int, ...]:
    """Return how long after the signal each seat's own one comes, in milliseconds.

    The seconds count from the fewest, so that somebody always starts at once.
    """
    fewest = min((each.delay_s for each in handicaps), default=0)
    return tuple((each.delay_s - fewest) * 1_000 for each in handicaps)
