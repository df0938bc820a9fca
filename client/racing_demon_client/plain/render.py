"""The table as lines of text, from any seat's point of view, and wrapping to the terminal's width."""

import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

from racing_demon_client.shared.option_text import total_word
from racing_demon_client.shared.pile_names import is_racelike, pile_groups, pile_labels
from racing_demon_client.shared.seat_text import handicap_lines, with_team
from racing_demon_client.shared.table_view import TableView, TallyRow, name_of, tally_rows
from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.engine.cards import RANK_NAMES, SUIT_LETTERS, SUIT_NAMES, UNKNOWN, name, rank, suit
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Geometry
from racing_demon_protocol.table.scoring import teams_of
from racing_demon_protocol.table.state import TableState

NAME_WIDTH = 12
POINTS_WIDTH = len("  1 points")


def table(picture: TableView, *, ascii_only: bool = False) -> list[str]:
    """Return the whole table: foundations, this player's layout, and a line for each other player."""
    rules, board, seat, plays = picture.rules, picture.board, picture.focus, picture.plays
    if rules is None or board is None:
        return ["no cards are on the table yet"]
    lines: list[str] = []
    if seat is not None:
        if not is_racelike(rules, seat):
            lines += all_piles(rules, board, seat, ascii_only=ascii_only, called=plays)
        else:
            lines += foundations(rules, board, seat, ascii_only=ascii_only)
            if plays:
                lines += ["", *layout(rules, board, seat, ascii_only=ascii_only)]
        if plays:
            lines += ["", f" {'you':{NAME_WIDTH}} {_points(picture.points[seat])}"]
    rest = others(picture, rules, board, ascii_only=ascii_only)
    return [*lines, *([""] if lines and not plays else []), *rest]


def foundations(rules: Rules, board: Board, seat: int, *, ascii_only: bool = False) -> list[str]:
    """Return one line per suit with the top ranks of its foundations, the seat's own and the table's."""
    tops: list[list[str]] = [[], [], [], []]
    for pile in rules.layout.foundations:
        if board.cards[pile] and rules.layout.piles[pile].seat in {None, seat}:
            top = board.cards[pile][-1]
            tops[suit(top)].append(RANK_NAMES[rank(top) - 1])
    names = SUIT_LETTERS if ascii_only else SUIT_NAMES
    return [f" {names[number]}  {'  '.join(ranks) or '-'}" for number, ranks in enumerate(tops)]


def layout(rules: Rules, board: Board, seat: int, *, ascii_only: bool = False) -> list[str]:
    """Return a seat's layout: side piles on one line, then the columns, hidden cards as numbers."""
    loose = [
        f"{kind} {_pile(board, pile, ascii_only)}"
        for kind in (Kind.STOCK, Kind.WASTE, Kind.RESERVE)
        for pile in rules.layout.seat_piles(seat, kind)
    ]
    columns = [board.cards[pile] for pile in rules.layout.seat_piles(seat, Kind.TABLEAU)]
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


def all_piles(
    rules: Rules, board: Board, seat: int, *, ascii_only: bool = False, called: bool = True
) -> list[str]:
    """Return a seat's piles group by group: label, number of hidden cards, and the visible ones."""
    words = pile_labels(rules, board, seat) if called else {}
    lines = []
    for group, piles in pile_groups(rules, seat):
        texts = []
        for pile in piles:
            cards = board.cards[pile]
            spread = board.piles[pile].kind is Kind.TABLEAU and len(cards) > 1
            shown = [card for card in (cards if spread else cards[-1:]) if card != UNKNOWN]
            hidden = len(cards) - len(shown)
            text = " ".join(name(card, ascii_only=ascii_only) for card in shown)
            parts = [words.get(pile, ""), f"({hidden})" if hidden else "", text if cards else "-"]
            if cards or rules.layout.groups[pile].geometry is not Geometry.LINE:
                texts.append(" ".join(filter(None, parts)))
        lines.append(f" {group}: " + "  ".join(texts))
    return lines


def others(picture: TableView, rules: Rules, board: Board, *, ascii_only: bool = False) -> list[str]:
    """Return one line for each other player: points, cards left, column tops, waste.

    On identical deals, return one line for each player: their progress, the leader first.
    """
    view, seat = picture.view, picture.seat
    if view.hand is not None and view.is_private:
        progress = view.hand.progress
        return [
            f" {place}. {_who(view, other, seat):{NAME_WIDTH}} progress {progress[other].reached}"
            for place, other in enumerate(picture.ranking, start=1)
        ]
    lines = []
    for other in view.hand_seats:
        if other != seat:
            text = f" {_who(view, other):{NAME_WIDTH}} {_points(picture.points[other]):{POINTS_WIDTH}}"
            if is_racelike(rules, other):
                ends = " ".join(_ends(rules, board, other, ascii_only))
                wastes = rules.layout.seat_piles(other, Kind.WASTE)
                waste = " ".join(_pile(board, pile, ascii_only) for pile in wastes) or "none"
                text += f"  columns {ends}  waste {waste}"
            lines.append(text.rstrip())
    return lines


def _points(number: int) -> str:
    return f"{number:3} {'point' if number == 1 else 'points'}"


def tally(view: TableState, own: int | None = None) -> list[str]:
    """Return the tally as a table: one line per player, one column per hand, best total first.

    Args:
        view: the table.
        own: this player's seat, which is called "you", as in the picture; ``None`` for a spectator.

    """
    own = None if own in view.departed else own  # somebody else's in the match that is over
    rows = tally_rows(view, own)
    head = "".join(f"{result.hand:>6}" for result in view.results)
    lines = [f"{'hand':{NAME_WIDTH}}{head}   {total_word(view.options)}"]
    for row in rows:
        if not row.is_team:
            (seat,) = row.seats
            won = "  won" if seat in view.winners else ""
            lines.append(f"{_who(view, seat, own):{NAME_WIDTH}}{_cells(view, row)}  {row.total:>6}{won}")
    if any(result.out is not None for result in view.results):
        lines.append("* went out")
    lines += [f"{row.name:{NAME_WIDTH}}{_cells(view, row)}  {row.total:>6}" for row in rows if row.is_team]
    return [*lines, *handicap_lines(view, own)]


def _cells(view: TableState, row: TallyRow) -> str:
    """Return the points of each hand, and a mark where the player went out."""
    cells = []
    for result in view.results:
        gained = row.points_in(result)
        mark = "*" if row.seats == (result.out,) and not row.is_team else " "
        cells.append(f"{'-' if gained is None else gained:>5}{mark}")
    return "".join(cells)


def _who(view: TableState, seat: int, own: int | None = None) -> str:
    """Return a player's name, or "you", behind the letter of a team, cut to fit."""
    name = with_team(teams_of(view).get(seat), name_of(view, seat, own))
    return name if len(name) <= NAME_WIDTH else f"{name[: NAME_WIDTH - 2]}.."


def _pile(board: Board, pile: int, ascii_only: bool) -> str:
    cards = board.cards[pile]
    if not cards:
        return "empty"
    top = cards[-1]
    return f"({len(cards)})" if top == UNKNOWN else f"{name(top, ascii_only=ascii_only)} ({len(cards)})"


def _ends(rules: Rules, board: Board, seat: int, ascii_only: bool) -> Iterator[str]:
    for pile in rules.layout.seat_piles(seat, Kind.TABLEAU):
        top = board.top(pile)
        yield ".." if top is None else name(top, ascii_only=ascii_only)


INDENT: Final = "   "
MIN_WIDTH: Final = 20
"""Narrower terminals wrap lines themselves."""


def wrap_lines(lines: Iterable[str], width: int | None = None) -> Iterator[str]:
    """Yield lines, wrapping those that are too long.

    Args:
        lines: any lines.
        width: the maximum width; ``None`` for the terminal's width, or 80 if unknown.

    """
    width = max(MIN_WIDTH, width or shutil.get_terminal_size().columns)
    for line in lines:
        yield from [line] if len(line) <= width else _wrapped(line, width)


def _wrapped(line: str, width: int) -> Iterator[str]:
    part = ""
    for entry in re.split(r"(?<=\S)(?=  )", line):
        if not part or len(part) + len(entry) <= width:
            part += entry
            continue
        yield from textwrap.wrap(part, width, subsequent_indent=INDENT)
        part = INDENT + entry.strip()
    yield from textwrap.wrap(part, width, subsequent_indent=INDENT)
