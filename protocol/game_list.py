"""Write ``games.json``: what clients in other languages need to know about each game."""

import json
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cache
from typing import Any, Final

from descriptions import kinds_of
from racing_demon_protocol.engine.cards import PACK_SIZE, parse, rank
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.layout import Layout
from racing_demon_protocol.engine.mechanics.pairs import Sympathy
from racing_demon_protocol.engine.mechanics.script import Script
from racing_demon_protocol.engine.specification import (
    Deal,
    Deals,
    Game,
    Group,
    Heads,
    Owner,
    Reserve,
    Stock,
    Tableau,
    Waste,
)
from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.games import GAMES, GROUP_OPTIONS, declare
from racing_demon_protocol.wire.options import Options

OF_GROUPS: Final[dict[str, tuple[type[Group], str]]] = {**GROUP_OPTIONS, "columns": (Tableau, "shape")}
"""The options that change groups, with the group and its attribute."""

SMALL: Final = range(1, 6)


def _values_to_try(option: str) -> Iterable[Any]:
    """Return all words of an option, yes and no, or small numbers, to see whether it applies to a game."""
    for kind in kinds_of(Options.model_fields[option].annotation):
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            return kind
        if kind is bool:
            return (False, True)
    return SMALL


@cache
def games() -> str:
    """Return every game's piles, deal and scores as JSON, one line per group and step."""
    return "{\n" + ",\n".join(_listed(game) for game in GAMES.values()) + "\n}\n"


def _listed(game: Game) -> str:
    data = _game(game)
    groups, steps = _lines(data.pop("groups")), _lines(data.pop("deal"))
    head = json.dumps(data, ensure_ascii=False).removesuffix("}")
    return f'"{game.name}": {head},\n "deal": [{steps}],\n "groups": [{groups}]}}'


def _lines(rows: list[dict[str, Any]]) -> str:
    return "".join(f"{',' * (number > 0)}\n  {json.dumps(row)}" for number, row in enumerate(rows))


def _game(game: Game) -> dict[str, Any]:
    layout = Layout(game, (0,))
    return {
        "title": game.title,
        "text": game.text,
        "racing": game.racing,
        "seats": [game.min_seats, game.max_seats],
        "deals": game.deals,
        "packs": game.packs,
        "ranks": list(game.ranks),
        "goal": game.goal,
        "scoring": {
            "foundation_card": game.scoring.foundation_card,
            "reserve_card": game.scoring.reserve_card,
            "out_bonus": game.scoring.out_bonus,
        },
        "options": dict(_options(game)),
        "arrange": _arranged(game),
        "rounds": [[_step(game, step) for step in laying] for laying in _rounds(game)],
        "deal": [_step(game, step) for step in game.deal],
        "groups": [_group(game, layout, group) for group in game.groups],
    }


def _group(game: Game, layout: Layout, group: Group) -> dict[str, Any]:
    piles = [pile for pile in layout.piles if pile.group == group.name]
    return {
        "name": group.name,
        "kind": group.kind,
        "owner": group.owner if game.deals is Deals.OWN else Owner.PLAYER,
        "piles": len(piles),
        "shows": piles[0].shows,
        "view": piles[0].view,
        "gathers": piles[0].gathers,
        "shuffles": isinstance(group, Stock) and group.shuffle,
        "limit": group.limit if isinstance(group, Waste) else None,
        "counts": piles[0].counts,
        "under": group.of if isinstance(group, Heads) else group.name if group.under else None,
        "geometry": group.geometry,
        "rows": list(group.rows),
    }


def _step(game: Game, step: Deal) -> dict[str, Any]:
    """Return a step of the deal without attributes at their defaults."""
    group = next(group for group in game.groups if group.name == step.to)
    data: dict[str, Any] = {"to": step.to}
    if step.cards:
        data |= _named_cards(step.cards)
    elif step.count is not None:
        data["first"] = step.count
    elif step.each is not None:
        data["each"] = step.each
    elif isinstance(group, Reserve):
        data |= {"each": group.size, "option": "reserve"}
    elif isinstance(group, Tableau):
        data |= {"each": group.shape[0]} if len({*group.shape}) == 1 else {"cards": list(group.shape)}
    return data | {name: True for name in ("rows", "by_rank", "once") if getattr(step, name)}


def _rounds(game: Game) -> tuple[tuple[Deal, ...], ...]:
    return next((group.rounds for group in game.groups if isinstance(group, Stock)), ())


def _named_cards(cards: tuple[str, ...]) -> dict[str, Any]:
    """Return the cards that a step seeks: numbers of faces, or ranks of which any will do."""
    if all(card.endswith("*") for card in cards):
        return {"ranks": [rank(parse(card[:-1] + "S")) for card in cards]}
    return {"faces": [parse(card) for card in cards]}


def _arranged(game: Game) -> dict[str, Any] | None:
    """Return how a seat's shuffled cards are rearranged before the deal."""
    if isinstance(game.mechanic, Sympathy):
        return {"rule": "packs"}
    if isinstance(game.mechanic, Script):
        ordered = make_rules(game, (0,)).arrange(range(PACK_SIZE))
        return {"rule": "fixed", "faces": list(ordered)}
    return None


def _options(game: Game) -> Iterator[tuple[str, Any]]:
    """Yield the options that apply to the game, with their defaults."""
    for name in (option for option in Options.model_fields if option in OF_GROUPS):
        kind, attribute = OF_GROUPS[name]
        for group in game.groups:
            if isinstance(group, kind):
                own = getattr(group, attribute)
                own = len(own) if isinstance(own, tuple) else own
                if any(_takes(game, name, value) for value in _values_to_try(name) if value != own):
                    yield name, own
                break


def _takes(game: Game, option: str, value: Any) -> bool:
    seats = range(game.min_seats)
    try:
        make_rules(declare(Options(**{"game": game.name, option: value}), len(seats)), seats)
    except InvalidGame:
        return False
    return True
