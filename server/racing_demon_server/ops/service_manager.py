"""What systemd is told: that the server listens, and that it lives (sd_notify(3), sd_watchdog_enabled(3))."""

import asyncio
import os
import socket
from collections.abc import Callable
from contextlib import suppress


def notify(state: str) -> None:
    """Tell the service manager, if there is one."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):  # a name in the abstract namespace
        address = f"\0{address[1:]}"
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to_manager:
        to_manager.sendto(state.encode(), address)


def beat() -> None:
    """Tell the service manager that this process lives."""
    notify("WATCHDOG=1")


def beat_seconds() -> float:
    """Return how often the service manager is to be told that this process lives; 0 if it does not ask."""
    if os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return 0.0
    limit = os.environ.get("WATCHDOG_USEC", "")
    return int(limit) / 2_000_000 if limit.isdecimal() else 0.0  # half of its limit, as its manual advises


def keep_beating(beat: Callable[[], object], seconds: float) -> None:
    """Call this as long as the event loop turns, also while tables are halted or given away."""
    beat()
    asyncio.get_running_loop().call_later(seconds, keep_beating, beat, seconds)
