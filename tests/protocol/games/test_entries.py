"""What the sources say of each building game, in numbers and single plays."""

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.games import GAMES
from tests.support.cases import for_each
from tests.support.dealt_hands import Dealt
from tests.support.solo import lay
from tests.support.typical import BUILDING_GAMES

LAID = {
    "racing-demon": "foundation 0 stock 24 waste 0 tableau 28",
    "classic": "foundation 0 stock 35 waste 0 reserve 13 tableau 4",
    "demon-a": "foundation 1 stock 34 waste 0 reserve 13 tableau 4",
    "demon-b": "foundation 1 stock 34 waste 0 reserve 13 tableau 4 heads 0",
    "fooliana": "foundation 1 stock 34 waste 0 reserve 13 tableau 4",
    "fooliana-reorder": "foundation 1 stock 34 waste 0 reserve 13 tableau 4 held 0",
    "demon-a-aces": "foundation 0 stock 35 waste 0 reserve 13 tableau 4",
    "demon-a-first": "foundation 1 stock 34 waste 0 reserve 13 tableau 4",
    "demon-b-aces": "foundation 0 stock 35 waste 0 reserve 13 tableau 4",
    "demon-b-first": "foundation 1 stock 34 waste 0 reserve 13 tableau 4",
    "triangle": "aces 0 tableau 28 open-hand 24",
    "staircase": "aces 0 stock 49 dealt 0 buried 0 tableau 55",
    "solitaire": "aces 0 stock 52 dealt 0 piles 0",
    "solitaire-aces": "aces 4 stock 48 dealt 0 piles 0",
    "solitaire-suits": "aces 0 stock 52 dealt 0 piles 0",
    "solitaire-memory": "aces 0 stock 52 dealt 0 piles 0",
    "grandfathers": "aces 0 kings 0 stock 84 dealt 0 places 20 extra 0 drawn 0",
    "honors": "upper 4 lower 4 stock 76 dealt 0 places 20 extra 0",
    "toad": "aces 0 stock 91 dealt 0 toad 13 piles 0",
    "bethel": "by-1 1 by-2 1 by-3 1 by-4 1 stock 48 dealt 0 piles 0",
    "paternal": "aces 4 stock 0 fans 48",
    "paternal-down": "aces 4 stock 0 fans 48",
    "paternal-kings": "aces 4 fans 48 kings'-places 0",
    "trios": "aces 0 fans 52",
    "fours": "aces 0 stock 0 fans 52",
    "flower-garden": "aces 0 garden 36 bouquet 16",
    "legitimist": "from-K 1 stock 103 waste 0",
    "queens-cotillon": "aces 4 deuces 4 stock 68 waste 0 left 12 right 16",
    "sultan": "sultan 1 first-king 1 ace-of-hearts 1 kings 6 stock 87 waste 0 divan 8",
    "windmill": "hub 1 arms 0 stock 95 waste 0 sails 8",
    "picture": "kings 4 aces 4 stock 87 waste 0 picture 9",
    "lady-of-the-manor": "aces 0 heaps 48 semicircle 56",
    "queens-party": "royal 0 imperial 0 stock 36 dealt 0 waiting 0 antechamber 16",
    "bridal-wreath": "aces 0 stock 73 waste 0 wreath 21 bridesmaids 10",
    "salique-law": "aces 0 queens 0 stock 103 dealt 0 kings 1",
    "st-helena": "kings 4 aces 4 stock 96 lower 0 upper 0 sides 0",
    "blockade": "aces 0 kings 0 stock 104 rows 0 drawn 0",
    "nivernaise": "aces 0 kings 0 stock 72 piles 24 sides 8",
    "nivernaise-strict": "aces 0 kings 0 stock 72 piles 24 sides 8",
    "duchess-of-luynes": "aces 0 kings 0 stock 104 piles 0 aside 0",
    "puzzle": "kings 4 stock 0 piles 28",
    "puzzle-all-piles": "kings 4 stock 0 piles 28",
    "judges": "aces 0 kings 0 stock 93 columns 11 row 0",
    "judges-free": "aces 0 kings 0 stock 93 columns 11 row 0",
    "egyptian": "aces 4 wings 48",
    "egyptian-draw": "aces 4 wings 48",
    "brunette-and-blonde": "aces 0 stock 96 waste 0 columns 8",
    "square": "aces 0 stock 92 waste 0 columns 12",
    "fifteen-in-a-row": "aces 0 kings 0 columns 104",
    "napoleon": "aces 0 stock 64 waste 0 columns 40",
    "pet": "aces 0 stock 64 waste 0 columns 40",
    "old-stager": "aces 0 stock 65 waste 0 columns 39",
    "corners": "corners 1 stock 46 waste 0 columns 5",
    "seven": "foundation 0 stock 45 waste 0 columns 7",
    "reversible-sequences": "aces 0 kings 0 stock 52 waste 0 columns 52",
    "intervale": "aces 0 stock 71 waste 0 columns 33",
    "beleaguered-castle": "aces 4 tableau 48",
    "knaves-dial": "stock 52 waste 0",
    "knaves-dial-double": "stock 104 waste 0",
    "louise": "stock 104 waste 0",
    "musical": "stock 44 waste 0",
}
"""How many cards lie where before the first play, by the text of each entry."""


@for_each("name", LAID)
def test_the_lay_out(name: str) -> None:
    """So many cards are laid to each group, and so many stay in the hand."""
    words = LAID[name].split()
    expected = {
        group.replace("-", " "): int(count) for group, count in zip(words[::2], words[1::2], strict=True)
    }
    hand = Dealt(GAMES[name])
    while name == "old-stager" and len(hand.named("stock")[0]) > expected["stock"]:
        hand.play(hand.plays()[-1][1])  # a king stays where he lies
    laid = {group: sum(len(pile) for pile in hand.named(group)) for group in expected}
    assert expected == laid
    named_by_number = len(GAMES[name].groups) > len(expected)
    assert named_by_number or sum(laid.values()) == GAMES[name].deck_size


def test_every_lay_out_is_known() -> None:
    """No building game is left out."""
    assert {game.name for game in BUILDING_GAMES} == LAID.keys()


PLAYS = [
    # game, board, source, destination, legal: one thing that the entry says
    ("solitaire", {"aces": ["AS"], "dealt": ["2H"]}, "dealt", "aces", True),
    ("solitaire", {"piles": ["9C"], "dealt": ["2H"]}, "dealt", "piles", True),
    ("solitaire", {"piles": ["9C", "2H"]}, "piles/1", "piles", False),
    ("solitaire-suits", {"aces": ["AS"], "dealt": ["2H"]}, "dealt", "aces", False),
    ("toad", {"aces": ["AS"], "toad": ["9C 2H"], "stock": ["3C"]}, "toad", "aces", True),
    ("toad", {"piles": ["9C"], "toad": ["8C 8D"]}, "toad", "piles", False),
    ("triangle", {"tableau": ["9H", "8C 8S"]}, "tableau/1", "tableau", True),
    ("triangle", {"tableau": ["9H"], "open hand": ["8C"]}, "open hand", "tableau", True),
    ("triangle", {"tableau": ["3H"], "aces": ["AC 2C"]}, "aces", "tableau", True),
    ("flower-garden", {"garden": ["9H"], "bouquet": ["8D"]}, "bouquet", "garden", True),
    ("flower-garden", {"garden": ["9H", "TD"]}, "garden/1", "garden", False),
    ("egyptian", {"wings": ["9H", "TH"]}, "wings/1", "wings", True),
    ("egyptian", {"wings": ["9H", "TD"]}, "wings/1", "wings", False),
    ("egyptian", {"wings": ["", "TD"]}, "wings/1", "wings", True),
    ("paternal", {"fans": ["", "TD"]}, "fans/1", "fans", False),
    ("nivernaise", {"piles": ["9C"], "sides": [""]}, "piles", "sides", True),
    ("nivernaise", {"stock": ["9C"], "sides": [""]}, "stock", "sides", True),
    ("nivernaise", {"piles": ["", "9C"]}, "piles/1", "piles", False),
    ("duchess-of-luynes", {"aces": ["AC"], "aside": ["2C"]}, "aside", "aces", True),
    ("duchess-of-luynes", {"piles": ["", "9C"]}, "piles/1", "piles", False),
    ("picture", {"kings": ["KC"], "picture": ["QC"]}, "picture", "kings", True),
    ("picture", {"waste": ["9C"], "picture": [""]}, "waste", "picture", True),
    ("lady-of-the-manor", {"aces": ["AC"], "semicircle": ["2H"]}, "semicircle", "aces", True),
    ("lady-of-the-manor", {"heaps": ["", "9C"]}, "heaps/1", "heaps", False),
    ("brunette-and-blonde", {"aces": ["AC"], "waste": ["2S"]}, "waste", "aces", False),
    ("brunette-and-blonde", {"columns": ["9C"], "waste": ["8H"]}, "waste", "columns", True),
    ("brunette-and-blonde", {"columns": ["9C", "8H"]}, "columns/1", "columns", False),
    ("square", {"columns": ["9C", "8C"]}, "columns/1", "columns", True),
    ("square", {"columns": ["9C", "8S"]}, "columns/1", "columns", False),
    ("square", {"columns": ["", "8S 7S"]}, "columns/1", "columns", False),
    ("napoleon", {"columns": ["9C"], "waste": ["8C"]}, "waste", "columns", False),
    ("napoleon", {"columns": [""], "waste": ["8C"]}, "waste", "columns", True),
    ("napoleon", {"columns": ["", "8C"]}, "columns/1", "columns", False),
    ("pet", {"columns": ["9C"], "waste": ["8C"]}, "waste", "columns", True),
    ("pet", {"columns": ["", "8C"]}, "columns/1", "columns", True),
    ("pet", {"columns": [""], "waste": ["8C"]}, "waste", "columns", True),
    ("pet", {"columns": [""], "stock": ["8C"]}, "stock", "columns", True),
    ("pet", {"columns": ["9C"], "stock": ["8C"]}, "stock", "columns", False),
    ("old-stager", {"columns": ["", "8C"]}, "columns/1", "columns", False),
    ("reversible-sequences", {"columns": ["9C", "TC"]}, "columns/1", "columns", True),
    ("reversible-sequences", {"columns": ["", "TC"]}, "columns/1", "columns", False),
    ("reversible-sequences", {"aces": ["AC"], "waste": ["AC'"]}, "waste", "aces/1", False),
    ("corners", {"corners": ["9C"], "waste": ["9H"]}, "waste", "corners/1", True),
    ("corners", {"corners": ["KC"], "waste": ["AC"]}, "waste", "corners", True),
    ("fooliana", {"tableau": ["AC", "KH"]}, "tableau/1", "tableau", True),
    ("demon-a", {"foundation": ["5C"], "reserve": ["6C"]}, "reserve", "foundation", False),
    ("demon-b", {"foundation": ["5C"], "reserve": ["6C"]}, "reserve", "foundation", True),
    ("demon-a-first", {"foundation": ["5C"], "tableau": ["5H"]}, "tableau", "foundation/1", True),
    ("demon-a-aces", {"tableau": ["5H"]}, "tableau", "foundation", False),
    ("beleaguered-castle", {"tableau": ["9C", "8S"]}, "tableau/1", "tableau", True),
    ("beleaguered-castle", {"tableau": ["", "8S"]}, "tableau/1", "tableau", True),
]


@for_each(("name", "piles", "source", "destination", "legal"), PLAYS)
def test_what_an_entry_says(
    name: str, piles: dict[str, list[str]], source: str, destination: str, legal: bool
) -> None:
    """A play that the entry describes is legal, and one that it rules out is not."""
    rules = make_rules(GAMES[name], (0,))
    board: Board = lay(rules, piles)

    def pile(word: str) -> int:
        group, _, index = word.partition("/")
        return rules.layout.group_piles(0, group)[int(index or 0)]

    assert legal is rules.can_play(board, 0, Play(pile(source), 1, pile(destination)))


def test_rounds_of_the_duchess() -> None:
    """Six at a time: one on each of four piles, and two aside; the last round fills the first places."""
    hand = Dealt(GAMES["duchess-of-luynes"])
    for number in range(1, 19):
        turn = hand.rules.stock_play(hand.board, 0)
        assert turn is not None
        hand.play(turn)
        assert [min(number, 18 if n < 2 else 17) for n in range(4)] == [len(p) for p in hand.named("piles")]
    assert [len(pile) for pile in hand.named("aside")] == [34]


def test_the_last_laying_of_the_duchess_has_nothing_aside() -> None:
    """Twice all is dealt as before, and then once more in fours."""
    hand = Dealt(GAMES["duchess-of-luynes"])
    for _ in range(18 + 3 * 19 + 9):
        turn = hand.rules.stock_play(hand.board, 0)
        if turn is None:
            break
        hand.play(turn)
    assert ([len(p) for p in hand.named("piles")], [len(p) for p in hand.named("aside")]) == ([26] * 4, [0])
    assert hand.rules.stock_play(hand.board, 0) is None
    assert hand.board.redeals[0] == 3


def test_the_manor_is_sorted() -> None:
    """The semicircle lies in the order of its ranks (entry 23)."""
    ranks = [pile[0] % 13 for pile in Dealt(GAMES["lady-of-the-manor"]).named("semicircle")]
    assert sorted(ranks) == ranks


def test_triangles_turn_up_what_is_bared() -> None:
    """Only the ends of columns are face up at first, and a bared card is turned (entry 37)."""
    hand = Dealt(GAMES["triangle"])
    assert [sum(card >= 0 for card in column) for column in hand.named("tableau")] == [1] * 7
    assert all(pile.kind is not Kind.STOCK for pile in hand.rules.layout.piles)
