"""What fails at a table: it is logged, and the table goes on; too many failures end it.

Wherever an exception arises in a table's turn, it is noted here, and no other table hears of it.
"""

import logging
from collections.abc import Callable
from typing import Final

MAX_FAILURES: Final = 3
"""How often something may fail within :data:`FAILURES_US`, before the table ends."""
FAILURES_US: Final = 3_600_000_000
RETRY_SECONDS: Final = 2.0
"""Seconds until what could not happen is tried again. Players may do something else meanwhile."""
NOT_SENT: Final = "The server made an error at this table; you come back to it by yourself."

log = logging.getLogger("racing_demon_server")


class Failures:
    """Counts what fails at one table.

    Args:
        code: the table's code.
        clock: the clock, in microseconds.
        too_many: called once, when too much has failed.

    """

    def __init__(self, code: str, clock: Callable[[], int], too_many: Callable[[], None]) -> None:
        self._code = code
        self._clock = clock
        self._too_many = too_many
        self._times: list[int] = []

    def note(self, what: str) -> None:
        """Log and count the exception that is being handled."""
        log.exception(what, extra={"table": self._code})
        now = self._clock()
        self._times = [*(at for at in self._times if at > now - FAILURES_US), now]
        if len(self._times) == MAX_FAILURES + 1:
            self._too_many()
