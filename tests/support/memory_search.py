"""Searches bytes, dumps and the memory of processes for seeds and for orders of cards."""

import base64
import itertools
import re
import struct
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgpack

RUN: Final = 5
"""So many cards in a row are found by chance in no amount of bytes that a test looks at."""
CHUNK: Final = 1 << 24


def needles_of_seed(seed: bytes) -> set[bytes]:
    """Return the spellings of a seed: raw, in hexadecimal and in base64."""
    digits, letters = seed.hex(), base64.b64encode(seed).rstrip(b"=")
    return {
        seed,
        digits.encode(),
        digits.upper().encode(),
        letters,
        base64.urlsafe_b64encode(seed).rstrip(b"="),
    }


def needles_of_cards(cards: Sequence[int], *, pid: int | None = None) -> set[bytes]:
    """Return the spellings of cards in a row: as msgpack, in JSON, and as a list of Python's.

    Args:
        cards: the cards.
        pid: the process in which to look for a list, if any; it must run the same Python.

    """
    packed = b"".join(map(msgpack.packb, cards))
    found = {packed, packed.hex().encode(), base64.b64encode(packed).rstrip(b"=")}
    found |= {gap.join(map(str, cards)).encode() for gap in (",", ", ", " ")}
    if pid is not None:
        moved = _base("self") - _base(str(pid))
        found.add(struct.pack(f"={len(cards)}Q", *(id(card) - moved for card in cards)))
    return found


def _base(pid: str) -> int:
    """Return where Python's small integers are, less what is the same in all processes of this Python."""
    own = [line.split() for line in Path("/proc/self/maps").read_text().splitlines()]
    files = {words[5]: int(words[0].partition("-")[0], 16) for words in reversed(own) if len(words) > 5}
    file = max((at, name) for name, at in files.items() if at <= id(0) and name.startswith("/"))[1]
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return next(int(line.partition("-")[0], 16) for line in lines if line.endswith(file))


def hidden_runs(piles: Iterable[Sequence[int]], shown: Collection[int]) -> Iterator[Sequence[int]]:
    """Yield the first and the last of cards that lie in a row in a pile and were never shown."""
    for pile in piles:
        for hidden, cards in itertools.groupby(pile, key=lambda card: card not in shown):
            run = list(cards)
            if hidden and len(run) >= RUN:
                yield from {tuple(run[:RUN]), tuple(run[-RUN:])}


def plain(dump: str) -> bytes:
    """Return a dump of a database with its binary values as they are, behind the text."""
    binary = (bytes.fromhex(digits) for digits in re.findall(r"\\\\x([0-9a-f]*)", dump))
    return b"\n".join([dump.encode(), *binary])


def memory_of(pid: int) -> bytes:
    """Return all that a process of this user can write to in its memory."""
    parts = []
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            area, rights, *_ = line.split()
            if not rights.startswith("rw"):
                continue
            first, last = (int(place, 16) for place in area.split("-"))
            memory.seek(first)
            while first < last:
                data = memory.read(min(CHUNK, last - first))
                parts.append(data)
                first += len(data)
    return b"".join(parts)


def which(needles: Collection[bytes], places: Mapping[str, bytes]) -> set[str]:
    """Return the places in which any of the needles is found."""
    return {name for name, data in places.items() if any(needle in data for needle in needles)}
