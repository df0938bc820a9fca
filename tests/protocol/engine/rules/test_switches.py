"""Open questions answered differently by one attribute, and variants that do so."""

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from typing import Any

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, name, rank
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.mechanics.merging import Merging
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.specification import Game, Waits
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.dealt_hands import Dealt, stacked
from tests.support.solo import lay


def _with(game: Game, kind: str, **values: Any) -> Game:
    """Return a game with other values in the groups whose names begin so, or in the specials called so."""
    groups = tuple(
        replace(group, **values) if group.name.startswith(kind) else group for group in game.groups
    )
    specials = tuple(
        replace(special, **values) if type(special).__name__ == kind else special for special in game.specials
    )
    assert (groups, specials) != (game.groups, game.specials)
    return replace(game, groups=groups, specials=specials)


def _laid(game: Game, **piles: list[str]) -> tuple[BuildingRules, Board]:
    rules = make_rules(game, (0,))
    assert isinstance(rules, BuildingRules)
    return rules, lay(rules, {group.replace("_", " "): texts for group, texts in piles.items()})


def test_what_lies_below_must_be_remembered() -> None:
    """By the old rule of entry 1 a covered card is seen by nobody, until it is uncovered."""
    hand = stacked(GAMES["solitaire-memory"], "9S 5H AC")
    stock, dealt = hand.rules.layout.stock[0], hand.rules.layout.waste[0]
    pile = hand.rules.layout.group_piles(0, "piles")[0]
    for _ in range(2):
        hand.play(Play(stock, 1, dealt))
        hand.play(Play(dealt, 1, pile))
    assert [card if card == UNKNOWN else 1 for card in hand.board.cards[pile]] == [UNKNOWN, 1]
    assert [rank(card) for card in hand.dealer.open_board().cards[pile]] == [9, 5]
    plain = stacked(GAMES["solitaire"], "9S 5H AC")
    for play in (Play(stock, 1, dealt), Play(dealt, 1, pile)) * 2:
        plain.play(play)
    assert UNKNOWN not in plain.board.cards[pile]


def _another_order(
    turn: int = 3, columns: tuple[str, ...] = ("KS", "KC", "JS", "JC")
) -> tuple[BuildingRules, Board, Callable[[Play], None]]:
    """Return a Fooliana in which two passes have led to nothing, and what makes a play with all it brings."""
    game = declare(Options(game="fooliana-reorder", turn=turn), 1)
    rules, board = _laid(game, foundation=["5D"], tableau=list(columns), stock=["2C 4S 9C 2S 4C 9S"])

    def play(wanted: Play) -> None:
        due: Play | None = rules.verify_play(board, 0, wanted)
        while due is not None:
            board.move(due)
            due = rules.automatic_play(board, 0)

    while board.redeals.get(0, 0) < 2:
        turn_ = rules.stock_play(board, 0)
        assert turn_ is not None
        play(turn_)
    return rules, board, play


@for_each("order", list(permutations(range(3))))
def test_threes_in_another_order(order: tuple[int, ...]) -> None:
    """Entry 36: "dealing off the three cards in a different order", any, when a pass has led to nothing."""
    rules, board, play = _another_order()
    stock, waste, held = rules.layout.stock[0], rules.layout.waste[0], rules.layout.group_piles(0, "held")
    reorder = Play(stock, 1, held[0])
    play(reorder)
    assert [name(card) for cell in held for card in board.cards[cell]] == ["9♠", "4♣", "2♠"]
    assert {Play(cell, 1, waste) for cell in held} == set(rules.legal_plays(board, 0))
    assert rules.required_first(board, 0) != ""
    for number in order[:2]:
        play(Play(held[number], 1, waste))
    assert [("9♠", "4♣", "2♠")[number] for number in order] == [name(card) for card in board.cards[waste]]
    assert [board.cards[cell] for cell in held] == [(), (), ()]
    assert rules.can_play(board, 0, reorder)
    board.came = {**board.came, **dict.fromkeys(held, 12)}
    assert not rules.can_play(board, 0, reorder)


@for_each(("turn", "aside"), [(1, 0), (2, 2), (4, 3), (5, 3)])
def test_other_turns_in_another_order(turn: int, aside: int) -> None:
    """Of two turned together either comes first, of more the first three in any order; one has no order."""
    rules, board, play = _another_order(turn)
    held = rules.layout.group_piles(0, "held")
    for reorder in [play for play in rules.legal_plays(board, 0) if play.destination in held]:
        play(reorder)
    assert aside == sum(len(board.cards[cell]) for cell in held)


def test_an_order_comes_after_a_pass() -> None:
    """Entry 36: "when the first one has failed to give any help", and not before."""
    game = GAMES["fooliana-reorder"]
    rules, board = _laid(game, foundation=["5D"], tableau=["KS", "KC", "JS", "JC"], stock=["2C 4S 9C 2S"])
    assert not rules.can_play(
        board, 0, Play(rules.layout.stock[0], 1, rules.layout.group_piles(0, "held")[0])
    )


def test_a_move_that_leads_nowhere_does_not_take_the_chance() -> None:
    """Entry 36: a pass "has failed to give any help" also where a card can still go to and fro."""
    rules, board, _ = _another_order(columns=("KS TD", "KC", "JS", "JC"))
    stock, held = rules.layout.stock[0], rules.layout.group_piles(0, "held")
    to_and_fro = [
        play for play in rules.legal_plays(board, 0) if play.source in rules.layout.group_piles(0, "tableau")
    ]
    assert to_and_fro
    assert not any(board.is_progress(play) for play in to_and_fro)
    assert rules.can_play(board, 0, Play(stock, 1, held[0]))


def test_fooliana_without_heap_and_hand() -> None:
    """Then the top of the waste fills a space, and no card of another column does (D5)."""
    rules, board = _laid(GAMES["fooliana"], foundation=["5D"], tableau=["KS 2S", ""], waste=["9C"])
    column, space = rules.layout.group_piles(0, "tableau")[:2]
    assert rules.can_play(board, 0, Play(rules.layout.waste[0], 1, space))
    assert not rules.can_play(board, 0, Play(column, 1, space))


@for_each(("game", "free"), [("judges", [9, 10]), ("judges-free", [0, 9, 10])])
def test_the_ends_of_a_row_of_judges(game: str, free: list[int]) -> None:
    """Two cards at the right-hand end are free, and in the variant of the appendix the left one, too."""
    faces = [f"{rank}{suit}" for suit in "SH" for rank in (2, 3, 4, 5, 6, 7)][:11]
    rules, board = _laid(GAMES[game], columns=["9D"] * 11, row=faces, stock=["9C"] * 1)
    row = rules.layout.group_piles(0, "row")
    board.came = {**board.came, row[0]: 1}
    aces = rules.layout.group_piles(0, "aces")
    reachable = []
    for place, pile in enumerate(row):
        below = board.cards[pile][-1] - 1
        board.cards[aces[0]] = tuple(range(below - rank(below) + 1, below + 1))
        if any(rules.can_play(board, 0, Play(pile, 1, foundation)) for foundation in aces):
            reachable.append(place)
    assert free == reachable


@for_each(("game", "fills"), [("judges", False), ("judges-free", True)])
def test_aces_in_the_spaces_of_judges(game: str, fills: bool) -> None:
    """Only a king fills a space; in the variant of the appendix an ace does, too."""
    rules, board = _laid(GAMES[game], columns=["", "9C AS", "9D KS"])
    space, ace, king = rules.layout.group_piles(0, "columns")[:3]
    assert (fills, True) == (
        rules.can_play(board, 0, Play(ace, 1, space)),
        rules.can_play(board, 0, Play(king, 1, space)),
    )


def test_the_strict_rule_of_nivernaise() -> None:
    """By the appendix's stricter rule an empty side place must be filled before anything else."""
    piles = {"aces": ["AS"], "piles": ["9C", "2S"], "sides": ["", *["KH"] * 7], "stock": ["9D 8D"]}
    for name_, legal in (("nivernaise", True), ("nivernaise-strict", False)):
        rules, board = _laid(GAMES[name_], **piles)
        pile, ace = rules.layout.group_piles(0, "piles")[1], rules.layout.group_piles(0, "aces")[0]
        assert legal is rules.can_play(board, 0, Play(pile, 1, ace))
        assert rules.can_play(board, 0, Play(pile, 1, rules.layout.group_piles(0, "sides")[0]))


def test_bases_in_their_order() -> None:
    """With the strict reading of entry 7 a six does not begin its family before the seven has."""
    game = _with(GAMES["legitimist"], "from", waits=Waits.OPEN)
    for order, legal in ((GAMES["legitimist"], True), (game, False)):
        rules, board = _laid(order, **{"from K": ["KS"]}, waste=["JS"])
        knave = rules.layout.group_piles(0, "from J")[0]
        assert legal is rules.can_play(board, 0, Play(rules.layout.waste[0], 1, knave))
        board.cards[rules.layout.group_piles(0, "from Q")[0]] = (11,)
        assert rules.can_play(board, 0, Play(rules.layout.waste[0], 1, knave))


def test_row_by_row() -> None:
    """With the strict reading of entry 42 a family waits until all others hold as many cards."""
    game = _with(GAMES["louise"], "by", waits=Waits.ROWS)
    bases = {f"by {step}": [f"{'A2345678'[step - 1]}S"] for step in range(1, 9)}
    rules, board = _laid(game, **bases, waste=["2H"])
    play = Play(rules.layout.waste[0], 1, rules.layout.group_piles(0, "by 1")[0])
    assert rules.can_play(board, 0, play)
    board.cards[rules.layout.group_piles(0, "by 8")[0]] = ()
    assert not rules.can_play(board, 0, play)


def test_gaps_before_plays() -> None:
    """Where Blockade wants gaps filled first, nothing is played before, while there is a hand."""
    game = _with(GAMES["blockade"], "GridEdges", fill_first=True)
    for game_, legal in ((GAMES["blockade"], True), (game, False)):
        rules, board = _laid(game_, aces=["AS"], rows=["2S", "", *["9D"] * 8], stock=["KH"])
        cells = rules.layout.group_piles(0, "rows")
        board.came = {**board.came, **dict.fromkeys(cells[:10], 1)}
        play = Play(cells[0], 1, rules.layout.group_piles(0, "aces")[0])
        assert legal is rules.can_play(board, 0, play)
        board.cards[rules.layout.stock[0]] = ()
        assert rules.can_play(board, 0, play)


def test_how_far_a_rescue_goes() -> None:
    """In Fifteen a base is rescued from under one card; where it is declared so, from under two."""
    plain = GAMES["fifteen-in-a-row"]
    for game, rescued in ((plain, False), (_with(plain, "OpeningRescue", under=2), True)):
        rules, board = _laid(game, columns=["AS 9D 5C", "2H 7C"])
        column, ace = rules.layout.group_piles(0, "columns")[0], rules.layout.group_piles(0, "aces")[0]
        assert rescued is rules.can_play(board, 0, Play(column, 1, ace, 2))


def test_four_that_came_together() -> None:
    """Where Gambler's Patience counts four equal cards upon one pile, they leave, too (entry 45)."""
    mechanic = Merging(gathered=True)
    for game, thrown in ((GAMES["gamblers"], 0), (replace(GAMES["gamblers"], mechanic=mechanic), 4)):
        hand = stacked(game, "2C 3C 7S 4C 7H 5C 7D 7C")
        for _ in range(12):
            plays = [p for _, p in hand.plays()]
            if (
                hand.board.piles[plays[0].source].kind is Kind.STOCK
                and len(hand.board.cards[plays[0].source]) == 44
            ):
                break
            hand.play(plays[0])
        assert thrown == hand.rules.progress(hand.board, 0)


def test_every_doubt_has_its_switch() -> None:
    """No doubt of any game is settled without a word of the declaration, or of the options, that says so."""
    for game in GAMES.values():
        assert all(doubt.field for doubt in game.doubts), game.name


def test_dealt_hands_of_the_variants_begin() -> None:
    """Each variant is dealt, and something can be played or turned."""
    for name_ in ("solitaire-memory", "fooliana-reorder", "judges-free", "nivernaise-strict"):
        assert Dealt(GAMES[name_]).plays()
