"""What the operator has to see to, in files: reports, and backups. They are read beside the loop."""

import asyncio
from collections.abc import Callable
from typing import Final

LOOK_SECONDS: Final = 15.0
"""The interval at which the files are read."""


class Upkeep:
    """Knows what was in the files a moment ago.

    Attributes:
        open_reports: how many reports wait for the operator.
        backed_up_at: when the journal was last copied, in seconds since 1970; ``None`` if that is not known.

    Args:
        count_reports: returns the first, and reads a folder for that.
        last_backup: returns the second, and reads a file for that.

    """

    def __init__(self, count_reports: Callable[[], int], last_backup: Callable[[], int | None]) -> None:
        self.open_reports = 0
        self.backed_up_at: int | None = None
        self._count_reports = count_reports
        self._last_backup = last_backup

    async def watch(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            self.open_reports, self.backed_up_at = await asyncio.to_thread(self._looked)
            await asyncio.sleep(LOOK_SECONDS)

    def _looked(self) -> tuple[int, int | None]:
        return self._count_reports(), self._last_backup()
