"""Each rule of the closed list, on boards made for it."""

import re
from dataclasses import replace

import pytest

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, name, parse, rank
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.games import GAMES
from tests.support.cases import for_each
from tests.support.dealt_hands import Dealt, stacked
from tests.support.solo import lay


class Scene:
    """A made board of one game, played alone with all cards known."""

    def __init__(self, game: str, **piles: list[str]) -> None:
        rules = make_rules(GAMES[game], (0,))
        assert isinstance(rules, BuildingRules)
        self.rules = rules
        self.board: Board = lay(rules, {group.replace("_", " "): texts for group, texts in piles.items()})

    def pile(self, group: str, index: int = 0) -> int:
        """Return the number of a group's pile."""
        return self.rules.layout.group_piles(0, group.replace("_", " "))[index]

    def plays(self, source: int) -> list[Play]:
        """Return the legal plays from a pile."""
        return [play for play in self.rules.legal_plays(self.board, 0) if play.source == source]

    def play(self, play: Play) -> None:
        """Make a play, and what follows by itself."""
        due: Play | None = self.rules.verify_play(self.board, 0, play)
        while due is not None:
            self.board.move(due)
            due = self.rules.automatic_play(self.board, 0)

    def text(self, group: str, index: int = 0) -> str:
        """Return the cards of a pile by their names."""
        return " ".join(name(card, ascii_only=True) for card in self.board.cards[self.pile(group, index)])


def test_a_covered_card_is_drawn_once() -> None:
    """In Paternal one buried card goes to its family, or in marriage, and no second one does (entry 4)."""
    scene = Scene("paternal", aces=["AS", "AH"], fans=["2S KD", "2H KC", "3H 9C"])
    first, second, third = (scene.pile("fans", index) for index in range(3))
    assert {Play(first, 1, scene.pile("aces"), 1)} == {p for p in scene.plays(first) if p.depth}
    scene.play(Play(first, 1, FOUNDATIONS, 1))
    assert (scene.text("aces"), scene.text("fans")) == ("AS 2S", "KD")
    assert [play for play in scene.plays(second) + scene.plays(third) if play.depth] == []
    married = Scene("paternal", aces=["AS"], fans=["3H 9C", "4H"])
    assert Play(married.pile("fans"), 1, married.pile("fans", 1), 1) in married.plays(married.pile("fans"))


def test_extra_cards_come_when_all_is_doubled() -> None:
    """In Grandfathers three cards are laid off once, when no place is left and nothing fits (entry 2)."""
    doubled = ["9S 9C"] * 20
    scene = Scene("grandfathers", places=[*doubled[:19], "9H"], stock=["KS 5S 4S 3S"])
    assert [p for p in scene.plays(scene.pile("stock")) if p.destination == scene.pile("extra")] == []
    scene = Scene("grandfathers", places=doubled, stock=["KS 5S 4S 3S"])
    scene.play(Play(scene.pile("stock"), 1, scene.pile("extra")))
    assert [scene.text("extra", index) for index in range(3)] == ["3S", "4S", "5S"]
    scene.board.cards[scene.pile("extra")] = ()
    assert [p for p in scene.plays(scene.pile("stock")) if p.destination == scene.pile("extra")] == []


def test_a_stuck_grandfather_draws_after_the_extra_cards() -> None:
    """The draw is for who is stuck with the extra cards laid, while the hand lasts."""
    scene = Scene("grandfathers", aces=["AS"], places=["2S 9C", *["9S 9D"] * 19], dealt=["8C"])
    place = scene.pile("places")
    assert scene.plays(place) == []
    scene.board.came = {**scene.board.came, scene.pile("extra"): 1}
    assert [Play(place, 1, scene.pile("aces"), 1)] == scene.plays(place)
    scene.board.liberties = {**scene.board.liberties, 0: 1}
    assert scene.plays(place) == []


@for_each("drawn_before", [0, 1])
def test_a_grandfather_whose_hand_is_out_draws_once(drawn_before: int) -> None:
    """When the hand is out any card goes to its family, once, whether one was drawn before or not."""
    scene = Scene("grandfathers", aces=["AS", "AH"], places=["2S 9C", "2H 8C", "7C"])
    scene.board.came = {**scene.board.came, scene.pile("extra"): 1}
    scene.board.liberties = {**scene.board.liberties, 0: drawn_before}
    place, drawn = scene.pile("places"), scene.pile("drawn")
    assert [Play(place, 1, drawn, 1)] == scene.plays(place)
    scene.play(Play(place, 1, drawn, 1))
    assert (scene.text("aces"), scene.text("places"), scene.text("drawn")) == ("AS 2S", "9C", "")
    assert scene.plays(scene.pile("places", 1)) == []


@for_each("left", [["8C 8D 8H"], ["8S 8C 8D 8H"]], ids=["hand out", "a card left"])
def test_honors_draw_once_whether_the_extra_cards_were_the_last_or_not(left: list[str]) -> None:
    """Who has laid them may draw from the table when nothing else can be done (entry 24)."""
    upper, lower = ["2S", "KH", "AD", "QC"], ["KS", "QH", "JD", "TC"]
    scene = Scene("honors", upper=upper, lower=lower, places=["3S 6C", *["9S 6D"] * 19], stock=left)
    stock, place = scene.pile("stock"), scene.pile("places")
    scene.play(Play(stock, 1, scene.pile("extra")))
    if scene.board.cards[stock]:
        scene.play(Play(stock, 1, scene.pile("dealt")))
    assert [Play(place, 1, scene.pile("upper"), 1)] == scene.plays(place)
    scene.play(Play(place, 1, FOUNDATIONS, 1))
    assert (scene.text("upper"), scene.text("places")) == ("2S 3S", "6C")


def test_the_upper_card_of_a_double_place_fills_a_gap() -> None:
    """In Honors that is so when the hand is out, and not before (entry 24)."""
    scene = Scene("honors", places=["9S 8C", "", "7C"])
    fill = Play(scene.pile("places"), 1, scene.pile("places", 1))
    assert scene.rules.can_play(scene.board, 0, fill)
    scene.board.cards[scene.pile("stock")] = (5,)
    assert not scene.rules.can_play(scene.board, 0, fill)


def test_the_grace_is_for_the_blocked() -> None:
    """In Demon B a family's top goes to a column's foot or head, once, after a pass that led to nothing."""
    piles = {"foundation": ["5D 6D 7D"], "tableau": ["8S", "6C", "QC", "QS"], "stock": ["2C 2S 4C"]}
    scene = Scene("demon-b", **piles)
    family, foot, head = scene.pile("foundation"), scene.pile("tableau"), scene.pile("heads", 1)
    assert scene.plays(family) == []
    stock, waste = scene.pile("stock"), scene.pile("waste")
    scene.play(Play(stock, 3, waste))
    scene.play(Play(waste, 3, stock))
    assert {Play(family, 1, foot), Play(family, 1, head)} == set(scene.plays(family))
    scene.play(Play(family, 1, head))
    assert (scene.text("foundation"), scene.text("tableau", 1)) == ("5D 6D", "7D 6C")
    scene.board.came = {**scene.board.came, stock: 9}
    assert scene.plays(family) == []


def test_a_play_begins_the_pass_anew() -> None:
    """Turning counts for the grace only since the last card was played."""
    scene = Scene("demon-b", foundation=["5D 6D"], tableau=["JS", "TH", "QC", "2S"], stock=["2C 4S 4C"])
    scene.play(Play(scene.pile("stock"), 3, scene.pile("waste")))
    assert scene.board.came[scene.pile("stock")] == 1
    scene.play(Play(scene.pile("tableau", 1), 1, scene.pile("tableau")))
    assert scene.pile("stock") not in scene.board.came


def test_kings_open_columns() -> None:
    """In Salique Law a king dealt begins the next column, another card goes on the last (entry 10)."""
    scene = Scene("salique-law", kings=["KS 4D", "KH"], dealt=["9C"], stock=["2C"])
    dealt, columns = scene.pile("dealt"), [scene.pile("kings", index) for index in range(8)]
    assert [Play(dealt, 1, columns[1])] == scene.plays(dealt)
    scene.board.cards[dealt] = (parse("KD"),)
    assert [Play(dealt, 1, columns[2])] == scene.plays(dealt)
    assert scene.plays(columns[0]) == []


def test_a_bare_king_is_a_cell_when_the_hand_is_out() -> None:
    """Then he takes the last card of any other column, as often as he lies bare."""
    scene = Scene("salique-law", kings=["KS 4D 7C", "KH"])
    move = Play(scene.pile("kings"), 1, scene.pile("kings", 1))
    assert move in scene.plays(scene.pile("kings"))
    scene.play(move)
    assert scene.text("kings", 1) == "KH 7C"


def test_grid_edges_are_free() -> None:
    """In Blockade a card between two others is blocked; gaps are filled in order (entry 15)."""
    scene = Scene("blockade", aces=["AS", "AH", "AC"])
    cells = [scene.pile("rows", index) for index in range(30)]
    for cell in cells:
        scene.board.cards[cell], scene.board.came = (parse("9D"),), {**scene.board.came, cell: 1}
    scene.board.cards[cells[3]] = (parse("2S"),)
    scene.board.cards[cells[13]] = (parse("2H"),)
    assert [[Play(cells[3], 1, scene.pile("aces"))], []] == [scene.plays(cells[n]) for n in (3, 13)]
    scene.play(Play(cells[3], 1, FOUNDATIONS))
    assert [Play(cells[13], 1, scene.pile("aces", 1))] == scene.plays(cells[13])
    stock = scene.pile("stock")
    scene.board.cards[stock] = (parse("6C"), parse("7C"))
    assert [Play(stock, 1, cells[3])] == scene.plays(stock)
    scene.play(Play(stock, 1, cells[3]))
    assert [Play(stock, 1, scene.pile("rows", 30))] == scene.plays(stock)


def test_rows_are_laid_whole() -> None:
    """A command in Blockade lays ten cards, and the next lays the row below."""
    hand = Dealt(GAMES["blockade"])
    for count in (10, 20):
        turn = hand.rules.stock_play(hand.board, 0)
        assert turn is not None
        hand.play(turn)
        assert count == sum(len(pile) for pile in hand.named("rows"))


def test_a_blocked_card_is_drawn_when_the_hand_is_out() -> None:
    """It goes through a place of its own to its family, and no other follows."""
    scene = Scene("blockade", aces=["AS", "AH"])
    cells = [scene.pile("rows", index) for index in (3, 13, 23, 4, 14, 24)]
    for cell, face in zip(cells, ("9D", "2S", "9C", "8D", "2H", "8C"), strict=True):
        scene.board.cards[cell], scene.board.came = (parse(face),), {**scene.board.came, cell: 1}
    scene.play(Play(cells[1], 1, scene.pile("drawn")))
    assert (scene.text("aces"), scene.text("drawn")) == ("AS 2S", "")
    assert scene.plays(cells[4]) == []


def test_families_take_from_their_side_at_first() -> None:
    """At St. Helena the upper piles serve kings, the lower aces, in the first laying only (entry 14)."""
    scene = Scene(
        "st-helena", aces=["AS"], kings=["KS"], upper=["2S", "QS"], lower=["2S'", "QS'"], sides=["2H"]
    )
    found = {(p.source, scene.board.piles[p.destination].group) for p in _upward(scene)}
    assert found == {(scene.pile("upper", 1), "kings"), (scene.pile("lower"), "aces")}
    scene.board.redeals = {**scene.board.redeals, 0: 1}
    assert len(list(_upward(scene))) == 4


def _upward(scene: Scene) -> list[Play]:
    plays = scene.rules.legal_plays(scene.board, 0)
    return [play for play in plays if scene.board.piles[play.destination].kind is Kind.FOUNDATION]


def test_the_hub_waits_for_the_arms() -> None:
    """In the Windmill a king goes to the hub only when four lie on the arms (entry 9)."""
    scene = Scene("windmill", hub=["AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS"], arms=["KH"], sails=["KS"])
    assert [scene.board.piles[p.destination].group for p in scene.plays(scene.pile("sails"))] == ["arms"]
    for index, face in enumerate(("KD", "KC", "KH'"), 1):
        scene.board.cards[scene.pile("arms", index)] = (parse(face.rstrip("'"), 1),)
    assert [scene.board.piles[p.destination].group for p in scene.plays(scene.pile("sails"))] == ["hub"]


def test_puzzle_lays_itself_out() -> None:
    """Four piles are dealt round and round, and every king lies above them by then (entry 25)."""
    hand = Dealt(GAMES["puzzle"])
    assert [len(pile) for pile in hand.named("piles")] == [7] * 4
    assert [rank(family[0]) for family in hand.named("kings")] == [13] * 4


def test_a_family_of_puzzle_takes_from_its_pile() -> None:
    """The queen of another pile does not go on a king."""
    scene = Scene("puzzle", kings=["KS", "KH"], piles=["7S", "QS"])
    assert [Play(scene.pile("piles", 1), 1, scene.pile("kings", 1))] == _upward(scene)


@for_each(
    ("game", "dealt"),
    [("puzzle", ["", "7H JD", "QC", "TD"]), ("puzzle-all-piles", ["QC", "7H", "JD", "TD"])],
)
def test_how_a_puzzle_is_dealt_again(game: str, dealt: list[str]) -> None:
    """Entry 25: "take up the piles and re-lay them": each from its top, none below a family that is full."""
    full = "KS QS JS TS 9S 8S 7S AS"
    scene = Scene(game, kings=[full, "KH", "KC", "KD"], piles=["", "QC 7H", "", "JD TD"])
    stock = scene.pile("stock")
    scene.play(Play(stock, 1, stock))
    assert dealt == [scene.text("piles", index) for index in range(4)]


def test_one_suit_opens_the_dial() -> None:
    """Knaves' Dial is opened by the suit of the first card; then colors alternate (entry 26)."""
    opening = {f"rank_{number}": [f"{face}S"] for number, face in enumerate("A23456789TJQ", 1)}
    scene = Scene("knaves-dial", **opening, waste=["KH"])
    assert _upward(scene) == []
    scene.board.cards[scene.pile("waste")] = (parse("4H"),)
    assert _upward(scene) == []
    scene.board.cards[scene.pile("rank_13")] = (parse("KS"),)
    assert len(_upward(scene)) == 1
    scene.board.cards[scene.pile("waste")] = (parse("4C"),)
    assert _upward(scene) == []


def test_pairs_enter_together() -> None:
    """King and queen of a suit enter from the antechamber; a card just dealt has to wait (entry 29)."""
    scene = Scene("queens-party", antechamber=["KS", "QH", "AD", "JD"], dealt=["QS"])
    assert [Play(scene.pile("antechamber", 2), 1, scene.pile("imperial"))] == _upward(scene)
    scene.play(Play(scene.pile("antechamber", 2), 1, FOUNDATIONS))
    assert scene.text("imperial") == "AD JD"
    scene.play(Play(scene.pile("dealt"), 1, scene.pile("antechamber", 2)))
    scene.play(Play(scene.pile("antechamber"), 1, FOUNDATIONS))
    assert scene.text("royal") == "KS QS"


def test_what_waits_aside_only_fills_the_antechamber() -> None:
    """A card put aside at the Queen's Party does not enter the hall by itself (entry 29)."""
    scene = Scene("queens-party", imperial=["AD JD"], waiting=["TD"])
    assert [scene.pile("antechamber")] == [p.destination for p in scene.plays(scene.pile("waiting"))][:1]
    assert _upward(scene) == []


def test_a_king_is_rescued_from_under_one_card() -> None:
    """In Fifteen in a Row a first base is drawn from under a card, if no marriage frees one (entry 30)."""
    scene = Scene("fifteen-in-a-row", columns=["KS 4D", "9C 7H"])
    rescue = Play(scene.pile("columns"), 1, scene.pile("kings"), 1)
    assert [rescue] == scene.plays(scene.pile("columns"))
    married = Scene("fifteen-in-a-row", columns=["KS 4D", "9C 5D"])
    assert rescue not in married.plays(married.pile("columns"))
    opened = Scene("fifteen-in-a-row", kings=["KH"], aces=["AH"], columns=["KS 4D", "9C 7H"])
    assert [play for play in opened.plays(opened.pile("columns")) if play.depth] == []


def test_before_the_opening_there_are_marriages_only() -> None:
    """Families grow, and streets are filled, when an ace and a king are out."""
    scene = Scene("fifteen-in-a-row", aces=["AH"], columns=["2H", "4D 8C 3C", ""])
    assert list(scene.rules.legal_plays(scene.board, 0)) == []
    scene.board.cards[scene.pile("kings")] = (parse("KC"),)
    assert list(scene.rules.legal_plays(scene.board, 0)) != []


def _with_a_king(place: int) -> Dealt:
    """Return the Old Stager with a king of spades at a place of the laying, and lower spades before him."""
    faces = ["2S", *["2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "TH", "JH", "QH"], "3S"]
    rest = [f"{rank}{suit}" for suit in "CDH" for rank in "23456789TJQ"]
    return stacked(GAMES["old-stager"], *faces, *rest[: place - 13], "KS", *rest[place - 13 :])


def test_a_king_may_be_moved_on() -> None:
    """Entry 32: from a lower card of his suit "you have the privilege of removing it to the next place"."""
    hand = _with_a_king(13)
    stock, columns = hand.rules.layout.stock[0], hand.rules.layout.group_piles(0, "columns")
    move, leave = Play(columns[0], 1, columns[1]), Play(stock, 1, columns[1])
    assert [move, leave] == [play for _, play in hand.plays()]
    assert leave == hand.rules.stock_play(hand.board, 0)
    with pytest.raises(IllegalPlay, match=re.escape(hand.rules.required_first(hand.board, 0))):
        hand.play(Play(columns[2], 1, columns[3]))
    hand.play(move)
    assert hand.rules.required_first(hand.board, 0) == ""
    assert [_texts(hand, index)[:6] for index in (0, 1)] == ["2♠ 2♣ ", "2♥ K♠ "]
    left = _with_a_king(13)
    left.play(leave)
    assert [_texts(left, index)[:6] for index in (0, 1)] == ["2♠ K♠ ", "2♥ 2♣ "]
    assert [[len(column) for column in each.named("columns")] for each in (hand, left)] == [[3] * 13] * 2


def test_a_king_may_go_on_again_to_the_end_of_the_rows() -> None:
    """From the thirteenth column he goes to the first of the next row; the last place of all he keeps."""
    hand = _with_a_king(25)
    columns = hand.rules.layout.group_piles(0, "columns")
    for move in (Play(columns[12], 1, columns[0]), Play(columns[0], 1, columns[1])):
        assert move in [play for _, play in hand.plays()]
        hand.play(move)
    assert name(hand.named("columns")[1][-1]) == "K♠"
    last = _with_a_king(38)
    assert name(last.named("columns")[12][-1]) == "K♠"
    assert [[len(column) for column in each.named("columns")] for each in (hand, last)] == [[3] * 13] * 2


def _texts(hand: Dealt, index: int) -> str:
    return " ".join(name(card) for card in hand.named("columns")[index]) + " "


def test_three_cards_from_the_bottom() -> None:
    """At the end of the Old Stager the three undermost cards are turned once more, in their order."""
    scene = Scene("old-stager", waste=["2S 3S 4S 9C 9D"], columns=["KS"] * 13)
    stock, waste = scene.pile("stock"), scene.pile("waste")
    scene.play(Play(waste, 3, stock))
    scene.play(Play(stock, 1, waste))
    assert scene.text("waste") == "9C 9D 2S"
    scene.play(Play(stock, 1, waste))
    scene.play(Play(stock, 1, waste))
    assert [play for play in scene.plays(waste) if play.destination == stock] == []


def test_the_row_of_judges() -> None:
    """Of a newer row only the last two cards are free; the row before lies on the columns then (entry 34)."""
    hand = Dealt(GAMES["judges"])
    stock = hand.rules.layout.stock[0]
    while gap := [p for _, p in hand.plays() if p.source == stock and not _is_round(hand, p)]:
        hand.play(gap[0])
    first = hand.named("columns")
    turn = hand.rules.stock_play(hand.board, 0)
    assert turn is not None
    hand.play(turn)
    row = [cell[-1] for cell in hand.named("row")]
    free = {p.source for _, p in hand.plays() if hand.board.piles[p.source].group == "row"}
    assert free <= set(hand.rules.layout.group_piles(0, "row")[-2:])
    hand.play(turn)
    assert [(*old, new) for old, new in zip(first, row, strict=True)] == hand.named("columns")


def _is_round(hand: Dealt, play: Play) -> bool:
    return hand.board.piles[play.destination].group == "row"


def test_the_first_card_may_choose() -> None:
    """In Bridal Wreath the first card turned may open the families; a later one must be an ace (entry 47)."""
    hand = Dealt(GAMES["bridal-wreath"], bytes([3]) * 32)
    stock, waste = hand.rules.layout.stock[0], hand.rules.layout.waste[0]
    hand.play(Play(stock, 1, waste))
    chosen = Play(waste, 1, FOUNDATIONS)
    assert hand.rules.can_play(hand.board, 0, chosen)
    hand.play(Play(stock, 1, waste))
    if rank(hand.board.cards[waste][-1]) > 1:
        with pytest.raises(IllegalPlay):
            hand.rules.verify_play(hand.board, 0, chosen)


def test_no_ace_opens_the_families_before_the_first_card_is_turned() -> None:
    """In Bridal Wreath the choice is made when the next card is turned (Cheney 47)."""
    wreath = ["3H " * 20 + "4C"]
    before = Scene("bridal-wreath", wreath=wreath, bridesmaids=["AS"], stock=["9S " * 73])
    assert before.plays(before.pile("bridesmaids")) == []
    before.play(Play(before.pile("stock"), 1, before.pile("waste")))
    assert [before.pile("aces")] == [play.destination for play in before.plays(before.pile("bridesmaids"))]


def test_a_single_card_or_a_single_target() -> None:
    """In Intervale a run goes upon a single card, a single card upon a run, never two upon two (entry 51)."""
    scene = Scene("intervale", columns=["9S 8S", "TS", "KH 7S", "6S 5S", "2C JS TS'"])
    pair, single, other = (scene.pile("columns", index) for index in (0, 1, 2))
    assert scene.rules.can_play(scene.board, 0, Play(pair, 2, single))
    assert scene.rules.can_play(scene.board, 0, Play(other, 1, pair))
    assert not scene.rules.can_play(scene.board, 0, Play(pair, 2, scene.pile("columns", 4)))


def test_trios_hold_three() -> None:
    """A fan of the Trios never holds more than three; court cards marry their like (entry 5)."""
    scene = Scene("trios", fans=["9S 8D", "7C", "2C 3D QS", "QH KC", "KD 4C QD"])
    seven, queen = scene.pile("fans", 1), scene.pile("fans", 2)
    assert [scene.pile("fans")] == [play.destination for play in scene.plays(seven)]
    assert [scene.pile("fans", 3)] == [play.destination for play in scene.plays(queen)]
    scene.play(Play(seven, 1, scene.pile("fans")))
    assert [p for p in scene.rules.legal_plays(scene.board, 0) if p.destination == scene.pile("fans")] == []


def test_the_divan_must_be_kept_full() -> None:
    """While a place of the divan is empty, only filling it is legal, from waste or hand (entry 3)."""
    scene = Scene("sultan", divan=["5S"] * 7, waste=["9C"], stock=["8C"], kings=["KS"])
    plays = list(scene.rules.legal_plays(scene.board, 0))
    empty = scene.pile("divan", 7)
    assert {(scene.pile("waste"), empty), (scene.pile("stock"), empty)} == {
        (p.source, p.destination) for p in plays
    }


def test_what_is_buried_stays_until_the_hand_is_out() -> None:
    """In Staircase the buried cards come to life from the top when nothing is left to deal (entry 38)."""
    scene = Scene("staircase", aces=["AS"], buried=["9C 2S"], stock=["8C"])
    assert scene.plays(scene.pile("buried")) == []
    scene.board.cards[scene.pile("stock")] = ()
    assert scene.plays(scene.pile("buried")) != []


def test_a_family_gives_back_to_a_space_only() -> None:
    """In the Game of Seven a top may fill a space, and is not built on a card (entry 39)."""
    scene = Scene("seven", foundation=["AS 2S"], columns=["3H", "", *["KS"] * 5])
    assert [scene.pile("columns", 1)] == [p.destination for p in scene.plays(scene.pile("foundation"))]


def test_a_doubt_can_be_settled_otherwise() -> None:
    """What a declaration says of a doubt is what decides: with wrap, a king goes on an ace in Corners."""
    game = GAMES["corners"]
    scene = Scene("corners", columns=["AS", "KH"])
    move = Play(scene.pile("columns", 1), 1, scene.pile("columns"))
    assert not scene.rules.can_play(scene.board, 0, move)
    wide = replace(
        game,
        groups=tuple(replace(g, wrap=True) if g.name == "columns" else g for g in game.groups),  # type: ignore[call-arg]
    )
    assert make_rules(wide, (0,)).can_play(scene.board, 0, move)
    assert game.deck_size == PACK_SIZE
