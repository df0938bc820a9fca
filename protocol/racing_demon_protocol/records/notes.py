"""What is remembered of one hand beside its summary: its moments, and what titles of an evening need."""

from collections.abc import Callable

from pydantic import BaseModel, ConfigDict

from racing_demon_protocol.table.state import HandView

from .analysis import HandHistory, moments_of

Row = tuple[int, int, int, int, int, int | None, int | None]
"""A :class:`~.moments.HandMoment`."""


class HandNotes(BaseModel):
    """The notes of one hand. Seats are those that have something.

    ``moments``: what cost most, seat by seat. ``up``: how many cards each seat brought up. ``first``: who
    brought up the first one. ``patience``: the longest time, in microseconds, that a card waited that went
    up. ``opened``: how many cards of others each seat has made ready.
    """

    model_config = ConfigDict(frozen=True)

    moments: tuple[Row, ...] = ()
    up: dict[int, int] = {}
    first: int | None = None
    patience: dict[int, int] = {}
    opened: dict[int, int] = {}


def notes_of(
    history: HandHistory, hand: HandView, seed: bytes, rest: Callable[[], None] = lambda: None
) -> HandNotes:
    """Return the notes of a finished hand; empty ones of a hand that was not seen whole.

    Args:
        history: the hand's history.
        hand: its cards as it ended.
        seed: its seed, which is told as it ends.
        rest: is called between steps of some tenths of a millisecond.

    """
    if not history.is_whole or hand.is_private:
        return HandNotes()
    up, patience = dict[int, int](), dict[int, int]()
    for wait in history.waits.values():
        if wait.is_up:
            up[wait.seat] = up.get(wait.seat, 0) + 1
            patience[wait.seat] = max(patience.get(wait.seat, 0), wait.waited_us)
    return HandNotes(
        moments=tuple(tuple(each) for each in moments_of(history, hand, seed, rest)),
        up=up,
        first=history.made[0].seat if history.made else None,
        patience=patience,
        opened=dict(history.opened),
    )
