import importlib.util
import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from racing_demon_protocol import games
from racing_demon_protocol.engine.board import Kind, Shows
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.specification import (
    Foundations,
    Game,
    Geometry,
    Goal,
    Group,
    Reserve,
    Stock,
    Tableau,
    TailRule,
    TakeBack,
    Unit,
    Waste,
)
from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.wire.options import Options
from tests.support.boards import RACES, deal_seed, rules_of
from tests.support.cases import for_each


def _declared(options: dict[str, object], players: int = 1) -> Game:
    return declare(Options.model_validate(options), players)


def _group(game: Game, kind: type[Group]) -> Group:
    return next(group for group in game.groups if isinstance(group, kind))


def test_the_games() -> None:
    """The races are declared; the first game is the default."""
    assert set(RACES) <= set(GAMES)
    assert next(iter(GAMES)) == Options().game


def test_a_game_is_found_by_its_name() -> None:
    """Each game is declared in the module with its name, and every module is a game that is listed."""
    modules = {path.stem for path in Path(games.__file__).parent.glob("*.py")} - {"__init__", "common"}
    assert modules == {name.replace("-", "_") for name in GAMES}
    assert [game.name for game in GAMES.values()] == list(GAMES)


def test_every_source_is_documented() -> None:
    """Each game names a source that docs/rules-sources.md describes."""
    page = (Path(__file__).parents[3] / "docs" / "rules-sources.md").read_text(encoding="utf-8")
    cited = {re.match(r"Cheney|[^,]+", game.source).group() for game in GAMES.values()}  # type: ignore[union-attr]
    assert [source for source in sorted(cited) if source not in page] == []


def test_no_text_lets_any_card_into_a_space_that_is_for_some_cards() -> None:
    """A game whose columns take some ranks alone does not say that any card fills a space."""
    chosen = {
        game.name: game.text
        for game in GAMES.values()
        if any(isinstance(group, Tableau) and group.space.ranks for group in game.groups)
    }
    assert "racing-demon" in chosen
    assert [name for name, text in chosen.items() if "any card fills" in text.lower()] == []


@for_each("name", RACES)
def test_without_options_a_game_is_as_declared(name: str) -> None:
    """A table that changes nothing plays the declaration itself."""
    assert GAMES[name] == _declared({"game": name})


@for_each("name", RACES)
@for_each("players", [1, 2, 8])
def test_every_pack_is_dealt_whole(name: str, players: int) -> None:
    """Deal and stock together are the pack, for every player."""
    rules = rules_of(name, players)
    held = deal_seed(rules).hidden.cards
    dealt = sorted(card for pile in held for card in pile)
    assert list(range(52 * players)) == dealt


@for_each(
    ("name", "stock", "reserve", "columns", "on_foundations"),
    [
        ("racing-demon", 24, [], [1, 2, 3, 4, 5, 6, 7], 0),
        ("classic", 35, [13], [1, 1, 1, 1], 0),
        ("demon-a", 34, [13], [1, 1, 1, 1], 1),
        ("demon-b", 34, [13], [1, 1, 1, 1], 1),
        ("fooliana", 34, [13], [1, 1, 1, 1], 1),
    ],
)
def test_what_is_dealt(
    name: str, stock: int, reserve: list[int], columns: list[int], on_foundations: int
) -> None:
    """Each game deals what its source says, and the rest is the stock."""
    rules = rules_of(name)
    board = rules.deal()
    sizes = {kind: [len(board.cards[pile]) for pile in rules.layout.seat_piles(0, kind)] for kind in Kind}
    raised = sum(len(board.cards[pile]) for pile in rules.layout.foundations)
    assert ([stock], reserve, columns, on_foundations) == (
        sizes[Kind.STOCK],
        sizes[Kind.RESERVE],
        sizes[Kind.TABLEAU],
        raised,
    )


def test_the_heap_of_demon_a_is_hidden_and_only_fills() -> None:
    """In Demon A the heap lies face down, and nothing is played from it (D1)."""
    reserve = _group(GAMES["demon-a"], Reserve)
    assert isinstance(reserve, Reserve)
    assert (reserve.shows, reserve.playable) == (Shows.NONE, False)


@for_each(("name", "unit"), [("demon-a", Unit.WHOLE), ("demon-b", Unit.WHOLE), ("fooliana", Unit.TAIL)])
def test_what_moves_in_the_demons(name: str, unit: Unit) -> None:
    """Whole columns move in the two demons, any tail in Fooliana (D3)."""
    tableau = _group(GAMES[name], Tableau)
    assert isinstance(tableau, Tableau)
    assert (unit, True) == (tableau.unit, tableau.wrap)


@for_each(
    ("name", "rule"),
    [
        ("demon-a", TailRule.TOP),
        ("demon-b", TailRule.EITHER2),
        ("fooliana", TailRule.TOP),
        ("fooliana-reorder", TailRule.TOP),
    ],
)
def test_only_seed_001_lets_either_of_two_last_cards_be_used(name: str, rule: TailRule) -> None:
    """Cheney 36: "You can use only the top card of this stock"; Demon B: "build with either of them"."""
    stock = _group(GAMES[name], Stock)
    assert isinstance(stock, Stock)
    assert rule == stock.tail_rule


def test_the_classic_game_is_won_by_the_reserve() -> None:
    """Catalogue 1.9: out is who empties the reserve; its cards cost two points each."""
    game = GAMES["classic"]
    assert (game.goal, game.scoring.reserve_card, game.scoring.out_bonus) == (Goal.RESERVE_EMPTY, -2, 10)


@for_each(
    ("options", "kind", "field", "value"),
    [
        ({"turn": 1}, Stock, "turn", 1),
        ({"redeals": 0}, Stock, "redeals", 0),
        ({"shuffle": True}, Stock, "shuffle", True),
        ({"tail_rule": "either2"}, Stock, "tail_rule", TailRule.EITHER2),
        ({"waste_view": 3}, Waste, "view", 3),
        ({"take_back": "free"}, Foundations, "take_back", TakeBack.FREE),
        ({"forced_bases": True}, Foundations, "forced_bases", True),
        ({"game": "classic", "reserve": 20}, Reserve, "size", 20),
        ({"game": "classic", "columns": 6}, Tableau, "shape", (1,) * 6),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_an_option_changes_its_field_and_nothing_else(
    options: dict[str, object], kind: type[Group], field: str, value: object
) -> None:
    """Each option for a group of piles changes one field of the declaration."""
    game = _declared(options)
    plain = GAMES[game.name]
    changed = _group(game, kind)
    assert value == getattr(changed, field)
    assert value != getattr(_group(plain, kind), field)
    groups = tuple(group for group in game.groups if group is not changed)
    assert [group for group in plain.groups if not isinstance(group, kind)] == list(groups)
    assert replace(game, groups=()) == replace(plain, groups=())


def test_the_bonus_is_an_option() -> None:
    """``out_bonus`` changes the points for going out, and no others."""
    scoring = _declared({"out_bonus": 20}).scoring
    assert replace(GAMES["racing-demon"].scoring, out_bonus=20) == scoring


def test_the_price_of_reserve_cards_is_an_option() -> None:
    """``reserve_card`` changes the points for cards left in the reserve, and no others."""
    scoring = _declared({"game": "classic", "reserve_card": -1}).scoring
    assert replace(GAMES["classic"].scoring, reserve_card=-1) == scoring


@for_each(("players", "columns"), [(1, 6), (2, 6), (3, 5), (4, 4), (8, 4)])
def test_columns_may_depend_on_the_players(players: int, columns: int) -> None:
    """With ``columns_by_players`` few players get more columns."""
    tableau = _group(_declared({"game": "classic", "columns_by_players": True}, players), Tableau)
    assert isinstance(tableau, Tableau)
    assert (1,) * columns == tableau.shape


@for_each(
    ("options", "message"),
    [
        ({"game": "whist"}, "no game 'whist'; racing-demon games lists all that there are."),
        ({"game": "fliwer-garten"}, "no game 'fliwer-garten'; did you mean flower-garden\\?"),
        ({"columns": 5}, "columns of its own shape"),
        ({"columns_by_players": True}, "columns of its own shape"),
        ({"reserve": 13}, "nothing that the option 'reserve' could change"),
        ({"reserve_card": -1}, "nothing that the option 'reserve_card' could change"),
    ],
    ids=str,
)
def test_options_that_contradict_their_game(options: dict[str, object], message: str) -> None:
    """An option that speaks of what the game does not have is refused, with a sentence."""
    with pytest.raises(InvalidGame, match=message):
        _declared(options)


@for_each("name", [name for name in RACES if name != "racing-demon"])
@for_each("players", [1, 8])
def test_the_largest_layout_can_be_dealt(name: str, players: int) -> None:
    """The most columns and the largest reserve that options allow still fit one pack."""
    rules = make_rules(_declared({"game": name, "columns": 9, "reserve": 30}, players), range(players))
    assert all(len(rules.deal().cards[stock]) >= 12 for stock in rules.layout.stock.values())


@for_each("game", GAMES.values(), ids=list(GAMES))
def test_the_places_of_a_group_close(game: Game) -> None:
    """Where a group names its rows, or its columns, they have room for all its piles, and an hour is one."""
    for group in game.groups:
        match group.geometry:
            case Geometry.GRID | Geometry.FANS | Geometry.COLUMN if group.rows:
                assert sum(group.rows[:-1]) < group.pile_spec.piles <= sum(group.rows), group.name
            case Geometry.DIAL if group.rows:
                assert (group.pile_spec.piles, len(group.rows)) == (1, 1)
                assert 1 <= group.rows[0] <= 12
            case Geometry.GRID | Geometry.FANS:
                raise AssertionError(f"{group.name} has no rows")
            case Geometry.CROSS:
                assert group.pile_spec.piles == 5
            case _:
                assert group.rows == ()


def test_the_table_of_all_games_is_current() -> None:
    """``docs/games.md`` is what ``make schema-write`` would write, with every rule set of the seeds."""
    table = _games_table()
    assert table.PAGE.read_text(encoding="utf-8") == table.page()
    numbers = {f"{number:02}" for number in range(1, 54)}
    assert {*table.NAMED, *numbers, "31b"} == set(table.rule_sets())


def _games_table() -> ModuleType:
    path = Path(__file__).parents[3] / "protocol" / "games_table.py"
    spec = importlib.util.spec_from_file_location("games_table", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
