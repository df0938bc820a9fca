"""What tests of the server change of their process, and give back."""

import logging
from collections.abc import Iterator

import pytest

from racing_demon_server.ops.logs import NAME


@pytest.fixture
def logs_as_before() -> Iterator[None]:
    """Give the process its loggers back as they were."""
    root, own = logging.getLogger(), logging.getLogger(NAME)
    before = root.handlers[:], root.level, own.level
    yield
    root.handlers[:] = before[0]
    root.setLevel(before[1])
    own.setLevel(before[2])
