"""What holds of every declared building game."""

import random
import sys
from collections.abc import Iterator

from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.engine.cards import PACK_SIZE, RANK_NAMES, rank
from racing_demon_protocol.engine.deal import reshuffle, subseed
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.rules import special_rules as privileges
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.specification import Base, Deals, Foundations, Game, Goal, Racing, Special
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.dealt_hands import Dealt, random_hands
from tests.support.solo import CHANCE_GAMES, all_plays, broken, chance_game, lay, named
from tests.support.typical import BUILDING_GAMES, of_games

every_game = for_each("game", BUILDING_GAMES, ids=lambda game: game.name)
typical_games = of_games(BUILDING_GAMES)
CHECKED = 10 if CHANCE_GAMES == 1 else 25
"""The invariants are asked after so many plays, and in the end: what is broken once mostly stays so."""
LARGE = 60
"""Piles above which asking for every pair of them takes long, and is done once."""


def _own_foundations(rules: BuildingRules) -> Iterator[tuple[int, Foundations]]:
    for pile in rules.layout.foundations:
        group = rules.layout.groups[pile]
        assert isinstance(group, Foundations)
        yield pile, group


def _won(game: Game) -> tuple[BuildingRules, Board]:
    """Return a board on which every foundation was filled, and the cards that are left in no pile."""
    rules = make_rules(game, (0,))
    assert isinstance(rules, BuildingRules)
    board = Dealt(game).dealer.open_board()
    left = sorted(card for cards in board.cards for card in cards)
    full = Board(rules.layout.piles)
    for pile, cards in enumerate(board.cards):  # those that the deal put there
        if rules.layout.piles[pile].kind is Kind.FOUNDATION:
            full.cards[pile] = tuple(cards)
            left = [card for card in left if card not in cards]
    for pile, group in _own_foundations(rules):
        while len(full.cards[pile]) < group.length:
            chosen = group.base is Base.FIRST and not any(full.cards[p] for p in rules.layout.foundations)
            card = next((card for card in left if chosen or rules.accepts(full, pile, card)), None)
            assert card is not None, f"{group.name} ends with {full.cards[pile]}"
            full.cards[pile] += (card,)
            left.remove(card)
    for card in left:
        column = next(pile for pile in rules.layout.seat_piles(0, Kind.TABLEAU) if not full.cards[pile])
        full.cards[column] += (card,)
    return rules, full


@typical_games
def test_chance_games_break_nothing(game: Game) -> None:
    """Cards are conserved, every invariant holds all along, and the moves replay to the same board."""
    played = 0
    for hand, rng in random_hands(game, CHANCE_GAMES):
        assert broken(hand) == []
        for step, _ in enumerate(chance_game(hand, rng)):
            assert step % CHECKED or broken(hand) == []
            played += 1
        assert broken(hand) == []
        assert hand.replay() == hand.board
        assert hand.plays() or hand.rules.is_out(hand.board, 0) or hand.dealer.is_dead(hand.board, (0,))
    sys.stdout.write(f"{game.name}: {CHANCE_GAMES} hands, {played} plays\n")


@typical_games
def test_chance_games_of_three_break_nothing(game: Game) -> None:
    """The same, with three seats at one table, whose foundations are shared or everybody's own."""
    for hand, rng in random_hands(game, max(1, CHANCE_GAMES // 10), seats=(1, 4, 6)):
        for step, _ in enumerate(chance_game(hand, rng, 90 if CHANCE_GAMES == 1 else 2_000)):
            assert step % 30 or broken(hand) == []
        assert broken(hand) == []
        assert hand.replay() == hand.board


@typical_games
def test_legal_plays_are_all_that_are_allowed(game: Game) -> None:
    """What is generated is what the rules allow when asked for every pair of piles."""
    for hand, rng in random_hands(game, max(1, CHANCE_GAMES // 50)):
        often = rng.randint(20, 40) if len(hand.board.piles) > LARGE or CHANCE_GAMES > 1 else 12
        for step, _ in enumerate(chance_game(hand, rng, 2 * often)):
            if step % often == often - 1:
                _assert_all_are_legal(hand, 0)


def _assert_all_are_legal(hand: Dealt, seat: int) -> None:
    legal = list(hand.rules.legal_plays(hand.board, seat))
    assert named(hand.board, all_plays(hand.rules, hand.board, seat)) == named(hand.board, legal)
    assert all(hand.rules.can_play(hand.board, seat, play) for play in legal)


@of_games(game for game in BUILDING_GAMES if game.racing is Racing.SHARED)
def test_legal_plays_around_shared_foundations(game: Game) -> None:
    """The same for both of two who share their foundations: on these, too, and not on the other's piles."""
    for hand, rng in random_hands(game, max(1, CHANCE_GAMES // 50), seats=(0, 3)):
        for _ in chance_game(hand, rng, rng.randint(10, 60)):
            pass
        for seat in hand.seats:
            _assert_all_are_legal(hand, seat)


@every_game
def test_the_counts_close(game: Game) -> None:
    """All of a player's cards, bases included, can come to rest where winning wants them."""
    rules, board = _won(game)
    assert game.deck_size == sum(len(cards) for cards in board.cards)
    capacity = sum(group.length for _, group in _own_foundations(rules))
    assert game.goal is Goal.FOUNDATIONS_FULL or capacity == game.deck_size


@every_game
def test_a_win_is_recognized(game: Game) -> None:
    """Out is who has everything there, and not before the last card is."""
    rules, board = _won(game)
    assert rules.is_out(board, 0)
    assert rules.progress(board, 0) == sum(len(board.cards[pile]) for pile in rules.layout.foundations)
    last = max(rules.layout.foundations, key=lambda pile: len(board.cards[pile]))
    home = next(
        pile.number
        for pile in rules.layout.piles
        if pile.seat == 0 and pile.kind not in {Kind.FOUNDATION, Kind.HEAD}
    )
    *rest, card = board.cards[last]
    board.cards[home] += (card,)
    board.cards[last] = tuple(rest)
    assert game.goal is Goal.RESERVE_EMPTY or not rules.is_out(board, 0)


@typical_games
def test_a_loss_is_recognized(game: Game) -> None:
    """Who has a play to a foundation is not dead; that whoever has none at all is, chance games show."""
    hand, rng = next(random_hands(game, 1))
    for _ in chance_game(hand, rng, 150):
        plays = list(hand.rules.legal_plays(hand.board, 0))
        if any(hand.board.piles[play.destination].kind is Kind.FOUNDATION for play in plays):
            assert not hand.dealer.is_dead(hand.board, (0,))
            return
    assert not hand.rules.is_out(hand.board, 0)


@every_game
def test_a_game_says_what_it_is(game: Game) -> None:
    """Name, title, source, skill, a paragraph are there; every doubt names the attribute that settles it."""
    assert game.title
    assert game.source
    assert len(game.text) > 40
    assert game.skill in range(4)
    groups = {group.name: group for group in game.groups}
    specials = {type(special).__name__: special for special in game.specials}
    for doubt in game.doubts:
        assert doubt.question[-1] in "?.)"
        owner, _, attributes = doubt.field.partition(".")
        if owner == "options":
            assert attributes in Options.model_fields
            continue
        known: object = groups.get(owner) or specials.get(owner) or game
        assert doubt.field, doubt.question
        for name in (attributes if known is not game else doubt.field).split("."):
            assert not name or hasattr(known, name), doubt.field
            known = getattr(known, name) if name else known


def test_every_special_rule_is_used() -> None:
    """The closed list holds nothing that no game declares."""
    used = {type(special) for game in GAMES.values() for special in game.specials}
    rules = {rule for rule in vars(privileges).values() if isinstance(rule, type)}
    assert {rule for rule in rules if issubclass(rule, Special)} - {Special} <= used


@of_games(game for game in BUILDING_GAMES if game.deals is Deals.IDENTICAL)
def test_identical_deals(game: Game) -> None:
    """Every seat gets the same faces at the same places, and can play the same."""
    assert game.racing is not Racing.SHARED
    hand = Dealt(game, bytes(32), (2, 5))
    first, second = (
        [
            [card % PACK_SIZE for card in hand.board.cards[pile.number] if card >= 0]
            for pile in hand.rules.layout.piles
            if pile.seat == seat
        ]
        for seat in (2, 5)
    )
    assert first == second
    plays = [len(list(hand.rules.legal_plays(hand.board, seat))) for seat in (2, 5)]
    assert plays[0] == plays[1]


def test_shuffled_redeals_are_fair() -> None:
    """Who holds the same faces gets the same order; who holds fewer gets theirs in that order, too."""
    seed, rng = bytes(range(32)), random.Random(7)
    mine = rng.sample(range(104), 60)
    theirs = [card + 104 for card in mine if card % 3]
    faces = [card % PACK_SIZE for card in reshuffle(seed, "redeal/0/1", mine)]
    others = [card % PACK_SIZE for card in reshuffle(seed, "redeal/0/1", reversed(theirs))]
    kept = iter(faces)
    assert all(face in kept for face in others if faces.count(face) == 1)
    assert faces != [card % PACK_SIZE for card in reshuffle(seed, "redeal/0/2", mine)]


def test_a_redeal_is_in_the_order_of_the_seed() -> None:
    """Two players who gathered the same cards of Paternal find them laid alike again."""
    hand = Dealt(GAMES["paternal"], subseed(bytes(32), "fair"), (0, 1))
    for seat in (0, 1):
        stock = hand.rules.layout.stock[seat]
        hand.play(next(p for p in hand.rules.legal_plays(hand.board, seat) if p.destination == stock), seat)
    fans = [[[c % PACK_SIZE for c in pile] for pile in hand.named("fans", seat)] for seat in (0, 1)]
    assert fans[0] == fans[1]
    assert {3} == {len(pile) for pile in fans[0]}


SEQUENCES = {
    ("musical", "by 2"): "4 6 8 T Q A 3 5 7 9 J K",
    ("musical", "by 3"): "6 9 Q 2 5 8 J A 4 7 T K",
    ("musical", "by 4"): "8 Q 3 7 J 2 6 T A 5 9 K",
    ("louise", "by 2"): "2 4 6 8 T Q A 3 5 7 9 J K",
    ("louise", "by 3"): "3 6 9 Q 2 5 8 J A 4 7 T K",
    ("louise", "by 4"): "4 8 Q 3 7 J 2 6 T A 5 9 K",
    ("louise", "by 5"): "5 T 2 7 Q 4 9 A 6 J 3 8 K",
    ("louise", "by 6"): "6 Q 5 J 4 T 3 9 2 8 A 7 K",
    ("louise", "by 7"): "7 A 8 2 9 3 T 4 J 5 Q 6 K",
    ("louise", "by 8"): "8 3 J 6 A 9 4 Q 7 2 T 5 K",
    ("bethel", "by 4"): "4 8 Q 3 7 J 2 6 T A 5 9 K",
    ("queens-cotillon", "aces"): "A 3 5 7 9 J K 2 4 6 8 T Q",
    ("queens-cotillon", "deuces"): "2 4 6 8 T Q A 3 5 7 9 J K",
    ("legitimist", "from 6"): "6 5 4 3 2 A K Q J T 9 8 7",
    ("queens-party", "imperial"): "A J T 9 8 7 6 5 4 3 2",
    ("demon-a", "foundation"): "6 7 8 9 T J Q K A 2 3 4 5",
    ("puzzle", "kings"): "K Q J T 9 8 7 A",
    ("sultan", "kings"): "K A 2 3 4 5 6 7 8 9 T J Q",
    ("knaves-dial", "rank 5"): "5 5 5 5",
}


@for_each(("name", "group"), SEQUENCES)
def test_the_sequence_of_a_family(name: str, group: str) -> None:
    """A family takes just these ranks, one after the other."""
    rules = make_rules(GAMES[name], (0,))
    expected = [RANK_NAMES.index(letter) + 1 for letter in SEQUENCES[name, group].split()]
    board = lay(rules, {group: [f"{RANK_NAMES[expected[0] - 1]}S"]})
    pile = rules.layout.group_piles(0, group)[0]
    for wanted in expected[1:]:
        taken = {rank(card): card for card in range(PACK_SIZE) if rules.accepts(board, pile, card)}
        assert {wanted} == taken.keys()
        board.cards[pile] += (taken[wanted],)
    assert not any(rules.accepts(board, pile, card) for card in range(PACK_SIZE))


def test_fours_keeps_its_order() -> None:
    """Taken up and laid again, the cards of Fours follow each other as before, four to a fan (entry 46)."""
    hand = Dealt(GAMES["fours"])
    for _ in chance_game(hand, random.Random(4), 12):
        pass
    before = [card for fan in hand.named("fans") for card in fan]
    stock = hand.rules.layout.stock[0]
    hand.play(next(play for play in hand.plays() if play[1].destination == stock)[1])
    fans = [fan for fan in hand.named("fans") if fan]
    assert before == [card for fan in fans for card in fan]
    assert all(len(fan) == 4 for fan in fans[:-1])


def test_pet_allows_all_that_napoleon_does() -> None:
    """In the first pass Pet has every play of Napoleon but of the stock's unseen card."""
    hand = Dealt(GAMES["napoleon"])
    pet = make_rules(GAMES["pet"], (0,))
    for _ in chance_game(hand, random.Random(1), 40):
        stock = hand.rules.layout.stock[0]
        narrow = {
            play
            for _, play in hand.plays()
            if play.destination != stock
            and (play.source != stock or hand.board.piles[play.destination].kind is Kind.WASTE)
        }
        assert narrow <= set(pet.legal_plays(hand.board, 0))
