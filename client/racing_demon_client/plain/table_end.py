"""How a stay at a table ends in plain text, where it ends for everybody."""

from racing_demon_client.net.guest import Guest

__all__ = ["has_guests"]


def has_guests(client: Guest) -> bool:
    """Tell whether somebody else sits at the table who is no bot."""
    seats = client.view.seats.items()
    return any(seat != client.seat and not state.bot and not state.left for seat, state in seats)
