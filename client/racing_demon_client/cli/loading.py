"""What commands load only when they need it."""

from collections.abc import Awaitable, Callable

from racing_demon_protocol.loading import uncollected


def terminal_program() -> Callable[..., Awaitable[int]]:
    """Return what runs the terminal's screens. Textual takes a third of a second to import."""
    with uncollected():
        from racing_demon_client.terminal.app import run  # noqa: PLC0415

    return run
