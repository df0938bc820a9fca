"""What is told of another seat: its player's name and state, the cards left, and top cards."""

from racing_demon_client.shared.seat_text import with_team
from racing_demon_client.terminal.style import Highlight, Role, screen_text, seat_role, suit_role
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import UNKNOWN, suit
from racing_demon_protocol.engine.specification import Goal
from racing_demon_protocol.table.appearance import seat_colors
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.server import SeatState

from .scene import DrawContext


def seat_name(state: SeatState | None, seat: int, own: int | None = None) -> str:
    """Return the name of a seat's player, or "you", behind the letter of a team, as the terminal shows it."""
    if state is None:
        return f"seat {seat + 1}"
    return with_team(state.team, "you" if seat == own else screen_text(state.name))


def name_ink(ctx: DrawContext, seat: int) -> int:
    """Return the ink of a seat's name."""
    return seat_ink(ctx.scene.view, seat, ctx.scene.seat)


def seat_ink(view: TableState, seat: int, own: int | None) -> int:
    """Return the ink of a seat: its color, if it is still there; this player's stands out."""
    if seat == own:
        return Role.ACCENT | Highlight.STRONG
    color = seat_colors(view.seats).get(seat)
    return Role.TEXT if color is None else seat_role(color)


def state_word(state: SeatState | None) -> str:
    """Return what is the matter with a seat's player; empty if they play."""
    if state is None or state.left:
        return "left"
    if not state.connected:
        return "bot" if state.stand_in else "away"
    return "stuck" if state.stuck else ""


def cards_left(ctx: DrawContext, seat: int) -> int:
    """Return how many cards a seat must still play to go out."""
    layout = ctx.rules.layout
    only_reserve = ctx.rules.game.goal is Goal.RESERVE_EMPTY
    kinds = [Kind.RESERVE] if only_reserve else [kind for kind in Kind if kind is not Kind.FOUNDATION]
    return sum(len(ctx.board.cards[pile]) for kind in kinds for pile in layout.seat_piles(seat, kind))


def put_top(ctx: DrawContext, x: int, y: int, pile: int, *, ten: bool = True) -> int:
    """Write the name of a pile's top card; return the column after two cells, whatever a ten takes."""
    cards = ctx.board.cards[pile]
    if not cards:
        return ctx.canvas.put(x, y, ctx.glyphs.dot * 2, Role.DIM)
    mark = Highlight.FRESH if pile in ctx.scene.fresh else Highlight.NONE
    if cards[-1] == UNKNOWN:
        return ctx.canvas.put(x, y, ctx.glyphs.back * 2, Role.BACK | mark)
    ctx.canvas.put(x, y, ctx.glyphs.card(cards[-1], ten=ten), suit_role(suit(cards[-1])) | mark)
    return x + 2
