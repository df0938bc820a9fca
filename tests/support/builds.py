"""Which build is tested: the sources, or a wheel that mypyc compiled (`make fast`)."""

from typing import Final

import pytest

from racing_demon_protocol.build import COMPILED, build

IS_COMPILED: Final = build() == COMPILED


def pure(reason: str) -> pytest.MarkDecorator:
    """Return a mark for tests that need interpreted classes, with what they do to them."""
    return pytest.mark.skipif(IS_COMPILED, reason=f"pure Python alone: it {reason}")


def skip_unless_pure(reason: str) -> None:
    """Skip the running test in a compiled build: for helpers that do what interpreted classes allow."""
    if IS_COMPILED:
        pytest.skip(f"pure Python alone: it {reason}")
