"""A game alone, in plain text: lines in, lines out."""

import datetime as dt
import sys
from typing import TextIO

from ..solo.place import SoloClient
from .session import take_part
from .words import Write, duration

__all__ = ["play_alone", "told_win"]


async def play_alone(
    client: SoloClient, write: Write, lines: TextIO = sys.stdin, *, ascii_only: bool = False
) -> None:
    """Play until the player quits or the input ends."""
    await take_part(client, write, lines, ascii_only=ascii_only)
    await client.close()


def told_win(client: SoloClient) -> str:
    """Say how long a win took, and how that is beside the own earlier ones."""
    took, before = client.elapsed_ms, client.before
    told = f"Won in {duration(took)}"
    yesterday = None if client.day is None else before.days.get(client.day - dt.timedelta(days=1))
    if yesterday is not None:
        told += f" (the day before: {duration(yesterday)})"
    if before.best_ms is None:
        return f"{told}: the first time."
    if took < before.best_ms:
        return f"{told}: quicker than ever."
    return f"{told}; the quickest took {duration(before.best_ms)}."
