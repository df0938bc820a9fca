"""In which colours the players of a table are shown."""

from collections.abc import Mapping

from racing_demon_protocol.constants import MAX_SEATS
from racing_demon_protocol.wire.messages.server import SeatState


def seat_colors(seats: Mapping[int, SeatState]) -> dict[int, int]:
    """Return the number of each seat's colour: the chosen one, or the seat's own, or a free one."""
    colors = {seat: state.color for seat, state in seats.items() if state.color is not None}
    chosen = set(colors.values())
    colors |= {seat: seat for seat in seats if seat not in colors and seat not in chosen}
    for seat in sorted(seats.keys() - colors.keys()):
        colors[seat] = next(color for color in range(MAX_SEATS) if color not in colors.values())
    return colors
