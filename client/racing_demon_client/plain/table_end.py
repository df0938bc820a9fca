"""Leaving a table in plain text when that ends it for everybody."""

from racing_demon_client.net.table_source import TableSource


def has_guests(client: TableSource) -> bool:
    """Return whether there are other players, not counting bots."""
    seats = client.view.seats.items()
    return any(seat != client.seat and not state.bot and not state.left for seat, state in seats)
