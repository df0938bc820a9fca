"""How much a test tries: some of it in ``make test``, all of it in ``make test-all``.

A test whose number depends on this is in both; what is marked ``long`` is in the second alone.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any, Final, TypeVar

import pytest
from hypothesis import settings

# A busy machine is no fault of the code: no test fails for the time that it takes.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

LONG: Final = os.environ.get("RACING_DEMON_LONG") == "1"
"""Whether this is the long run, which ``make test-all`` adds."""

F = TypeVar("F", bound=Callable[..., Any])


def amount(usual: int, long: int, variable: str | None = None) -> int:
    """Return how many to try: what an environment variable says, or else the number of this run."""
    said = os.environ.get(variable) if variable is not None else None
    return int(said) if said is not None else long if LONG else usual


def more_when_long(test: F) -> F:
    """Put a test that tries an ``amount`` into the long run, too."""
    marked: F = pytest.mark.long(test) if LONG else test
    return marked


def examples(most: int, usual: int | None = None, **more: Any) -> Callable[[F], F]:
    """Try a property with so many examples in the long run; otherwise with a fifth, if nothing is said."""
    number = amount(usual or max(10, most // 5), most)
    chosen = settings(max_examples=number, **{"deadline": None, "database": None, "derandomize": True} | more)
    return lambda test: more_when_long(chosen(test))


def covering(*axes: Sequence[Any]) -> list[Any]:
    """Return all combinations as parameters; those not needed to see each value once are marked long."""
    usual = {tuple(number % len(axis) for axis in axes) for number in range(max(map(len, axes)))}
    return [
        pytest.param(
            *(axis[number] for axis, number in zip(axes, place, strict=True)),
            marks=() if place in usual else pytest.mark.long,
        )
        for place in product(*(range(len(axis)) for axis in axes))
    ]


def usually(number: int, values: Iterable[Any]) -> list[Any]:
    """Return values, or tuples of them, as parameters; those behind the first so many are marked long."""
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            marks=() if place < number else pytest.mark.long,
        )
        for place, value in enumerate(values)
    ]
