"""What a browser allows by the moves in games.json, the rules allow, and the other way round."""

import random
from itertools import product
from typing import Any, Final

from playwright.async_api import Browser

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.specification import Game
from racing_demon_protocol.wire.options import Options
from tests.support.browsers import phone
from tests.support.dealt_hands import random_hands
from tests.support.effort import amount, more_when_long
from tests.support.servers import serving
from tests.support.typical import BUILDING_GAMES

PLAYS: Final = amount(2, 30)
MOST: Final = 5

JUDGE: Final = """async (positions) => {
  const base = document.querySelector("script[type=module]").src;
  const load = (name) => import(new URL(name, base).href);
  const modules = await Promise.all(["layout", "board", "rules"].map((name) => load(`rules/${name}.js`)));
  const [{ Layout }, { Board }, { Rules }] = modules;
  const { games, tables } = await (await fetch(new URL("games.json", base))).json();
  return positions.map(({ game, seats, options, cards, plays }) => {
    const layout = new Layout(games[game], seats, options);
    const board = new Board(layout, cards);
    const rules = new Rules(layout, tables);
    return plays.map(([place, source, count, destination]) =>
      rules.allows(board, place, { source, count, destination }));
  });
}"""
"""Judges plays in the page, with the modules that it plays with."""


def _positions(game: Game) -> list[dict[str, Any]]:
    """Return positions of random hands with plays between their piles, and which of them are allowed."""
    found = []
    for hand, rng in random_hands(game, 1, seats=range(min(2, game.max_seats))):
        rules = hand.rules
        assert isinstance(rules, BuildingRules)
        if rules.move_tables is None:
            return []
        for _ in range(PLAYS):
            plays = hand.plays()
            if not plays:
                break
            found.append(_position(game, hand, rules, rng))
            seat, play = rng.choice(plays)
            hand.play(play, seat)
    return found


def _position(game: Game, hand: Any, rules: BuildingRules, rng: random.Random) -> dict[str, Any]:
    board, seats = hand.board, rules.layout.seats
    pairs = [pair for pair in product(range(len(board.piles)), repeat=2) if pair[0] != pair[1]]
    tried = [
        (seats.index(seat), source, count, destination)
        for source, destination in rng.sample(pairs, min(150, len(pairs)))
        for seat, count in product(seats, range(1, min(MOST, len(board.cards[source])) + 1))
    ]
    assert rules.move_tables is not None
    legal = [
        rules.move_tables.allows(board, seats[place], Play(source, count, destination))
        for place, source, count, destination in tried
    ]
    return {
        "game": game.name,
        "seats": list(seats),
        "options": Options(game=game.name).model_dump(mode="json"),
        "cards": [list(pile) for pile in board.cards],
        "plays": tried,
        "legal": legal,
    }


@more_when_long
async def test_a_browser_judges_as_the_server_does(browser: Browser) -> None:
    """In random hands of all games that the moves cover, both allow the same plays between any two piles."""
    positions = [position for game in BUILDING_GAMES for position in _positions(game)]
    assert sum(sum(position["legal"]) for position in positions) > amount(50, 200)
    async with serving() as served, phone(browser, served.origin) as player:
        told = await player.page.evaluate(JUDGE, positions)
    for position, judged in zip(positions, told, strict=True):
        assert position["legal"] == judged, position["game"]
