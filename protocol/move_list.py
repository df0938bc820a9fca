"""Write ``moves.json``: plays that depend on two piles only, which clients can show at once."""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any, Final

from racing_demon_protocol.engine.cards import PACK_SIZE, Card
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.rules.move_tables import MoveTable
from racing_demon_protocol.engine.specification import Game
from racing_demon_protocol.games import GAMES

BITS_A_DIGIT: Final = 4


@cache
def moves() -> str:
    """Return the moves of every game, and their shared tables, as JSON."""
    numbers: dict[tuple[str, ...], int] = {}
    games = {game.name: list(_moves(game, numbers)) for game in GAMES.values()}
    rows = ",\n".join(f" {json.dumps(table)}" for table in numbers)
    listed = ",\n".join(f' "{name}": {json.dumps(data)}' for name, data in games.items())
    return f'{{"tables": [\n{rows}\n],\n"games": {{\n{listed}\n}}}}\n'


def _moves(game: Game, tables: dict[tuple[str, ...], int]) -> Iterator[dict[str, Any]]:
    """Yield the moves between a game's groups that depend on two piles only."""
    rules = make_rules(game, tuple(range(game.min_seats)))
    if not isinstance(rules, BuildingRules) or rules.move_tables is None:
        return
    piles = {pile.group: pile.number for pile in reversed(rules.layout.piles) if pile.seat in {0, None}}
    twins = {pile.group: pile.number for pile in rules.layout.piles if pile.seat in {0, None}}
    for source, destination in product(piles, piles):
        table = rules.move_tables.between(piles[source], twins[destination])
        if table is not None:
            yield {"from": source, "to": destination} | _data(table, tables)


def _data(table: MoveTable, tables: dict[tuple[str, ...], int]) -> dict[str, Any]:
    if table.turn:
        return {"turn": table.turn}
    takes = [_number(table, tables) for table in table.takes]
    return {"opens": _row(table.opens), "takes": takes, "run": _number(table.run, tables)}


def _number(table: Sequence[frozenset[Card]] | None, tables: dict[tuple[str, ...], int]) -> int | None:
    """Return the number of a table among those to write; ``None`` for one that accepts nothing."""
    if table is None or not any(table):
        return None
    return tables.setdefault(tuple(_row(fitting) for fitting in table), len(tables))


def _row(faces: frozenset[Card]) -> str:
    """Return faces as hexadecimal digits, four faces each, the lowest face in the lowest bit."""
    digits = (
        sum(1 << bit for bit in range(BITS_A_DIGIT) if start + bit in faces)
        for start in range(0, PACK_SIZE, BITS_A_DIGIT)
    )
    return "".join(f"{digit:x}" for digit in digits).rstrip("0")
