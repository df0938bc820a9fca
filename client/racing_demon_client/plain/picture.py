"""The table as lines of text, from any seat's point of view."""

from collections.abc import Iterator

from racing_demon_protocol.board import Board, Kind
from racing_demon_protocol.cards import RANK_NAMES, SUIT_LETTERS, SUIT_NAMES, UNKNOWN, name, rank, suit
from racing_demon_protocol.rules import Rules
from racing_demon_protocol.view import TableView

from .words import printable

__all__ = ["foundations", "layout", "others", "table", "tally"]

NAME_WIDTH = 12


def table(view: TableView, seat: int | None, *, ascii_only: bool = False) -> list[str]:
    """Return the whole table: foundations, the own layout, and a line for each other player."""
    if view.rules is None or view.board is None:
        return ["no cards are on the table yet"]
    lines = foundations(view.rules, view.board, ascii_only=ascii_only)
    if seat in view.hand_seats and seat is not None:
        lines += ["", *layout(view.rules, view.board, seat, ascii_only=ascii_only)]
        lines += ["", f" {'you':{NAME_WIDTH}} {view.points()[seat]:3} points"]
    rest = others(view, seat, ascii_only=ascii_only)
    return [*lines, *([""] if seat not in view.hand_seats else []), *rest]


def foundations(rules: Rules, board: Board, *, ascii_only: bool = False) -> list[str]:
    """Return a line a suit with the top ranks of its foundations, in the order of their aces."""
    tops: list[list[str]] = [[], [], [], []]
    for pile in rules.layout.foundations:
        if board.cards[pile]:
            top = board.cards[pile][-1]
            tops[suit(top)].append(RANK_NAMES[rank(top) - 1])
    names = SUIT_LETTERS if ascii_only else SUIT_NAMES
    return [f" {names[number]}  {'  '.join(ranks) or '-'}" for number, ranks in enumerate(tops)]


def layout(rules: Rules, board: Board, seat: int, *, ascii_only: bool = False) -> list[str]:
    """Return a seat's layout: the loose piles on one line, then the columns, hidden cards as numbers."""
    loose = [
        f"{kind} {_pile(board, pile, ascii_only)}"
        for kind in (Kind.STOCK, Kind.WASTE, Kind.RESERVE)
        for pile in rules.layout.own(seat, kind)
    ]
    columns = [board.cards[pile] for pile in rules.layout.own(seat, Kind.TABLEAU)]
    hidden = [column.count(UNKNOWN) for column in columns]
    shown = [[card for card in column if card != UNKNOWN] for column in columns]
    lines = [
        " " + "   ".join(loose),
        " column " + "".join(f"{number:^5}" for number in range(1, len(columns) + 1)).rstrip(),
        " hidden " + "".join(f"{count or '.':^5}" for count in hidden).rstrip(),
    ]
    for row in range(max(map(len, shown), default=0)):
        cells = (name(column[row], ascii_only=ascii_only) if row < len(column) else "" for column in shown)
        lines.append("        " + "".join(f"{cell:^5}" for cell in cells).rstrip())
    return lines


def others(view: TableView, seat: int | None, *, ascii_only: bool = False) -> list[str]:
    """Return a line for each other player: points, cards left, column ends, waste.

    On identical deals it is a line for everybody, the first one first: how far they are.
    """
    if view.is_private:
        return [
            f" {place}. {_who(view, other):{NAME_WIDTH}} progress {view.progress[other].reached}"
            for place, other in enumerate(view.race_order(view.called), start=1)
        ]
    assert view.rules is not None
    assert view.board is not None
    points = view.points()
    lines = []
    for other in view.hand_seats:
        if other != seat:
            ends = " ".join(_ends(view.rules, view.board, other, ascii_only))
            wastes = view.rules.layout.own(other, Kind.WASTE)
            waste = " ".join(_pile(view.board, pile, ascii_only) for pile in wastes) or "none"
            who = _who(view, other)
            lines.append(f" {who:{NAME_WIDTH}} {points[other]:3} points  columns {ends}  waste {waste}")
    return lines


def tally(view: TableView) -> list[str]:
    """Return the tally as a table: a line a player, a column a hand, the best total first."""
    totals = view.totals()
    seats = sorted(totals, key=lambda seat: -totals[seat])
    head = "".join(f"{result.hand:>6}" for result in view.results)
    lines = [f"{'hand':{NAME_WIDTH}}{head}   total"]
    for seat in seats:
        cells = []
        for result in view.results:
            points = dict(zip(result.seats, result.points, strict=True)).get(seat)
            mark = "*" if seat == result.out else " "
            cells.append(f"{'-' if points is None else points:>5}{mark}")
        who = _who(view, seat)
        won = "  won" if seat in view.winners else ""
        lines.append(f"{who:{NAME_WIDTH}}{''.join(cells)}  {totals[seat]:>6}{won}")
    if any(result.out is not None for result in view.results):
        lines.append("* went out")
    return lines


def _who(view: TableView, seat: int) -> str:
    """Return what fits of a player's name; who left after the match has none any more."""
    state = view.seats.get(seat)
    return printable(state.name)[:NAME_WIDTH] if state else f"seat {seat + 1}"


def _pile(board: Board, pile: int, ascii_only: bool) -> str:
    cards = board.cards[pile]
    if not cards:
        return "empty"
    top = cards[-1]
    return f"({len(cards)})" if top == UNKNOWN else f"{name(top, ascii_only=ascii_only)} ({len(cards)})"


def _ends(rules: Rules, board: Board, seat: int, ascii_only: bool) -> Iterator[str]:
    for pile in rules.layout.own(seat, Kind.TABLEAU):
        top = board.top(pile)
        yield ".." if top is None else name(top, ascii_only=ascii_only)
