"""Changes of a deal or a log that must not matter, or whose effect is known."""

import random
from dataclasses import replace

from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card, card, pack, rank, suit
from racing_demon_protocol.engine.deal import deck
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Game, Racing, Reserve, Stock, Tableau, TailRule, Unit
from racing_demon_protocol.games import GAMES
from tests.support.boards import RACES, Position, deal, deal_seed, rules_of
from tests.support.cases import for_each
from tests.support.dealt_hands import Dealt
from tests.support.klondike import klondike_plays
from tests.support.perft import perft
from tests.support.playouts import play_on
from tests.support.solo import CHANCE_GAMES
from tests.support.typical import of_games

SEED = bytes(range(32))

RELABELLED = {
    "spades and clubs change": (2, 1, 0, 3),
    "hearts and diamonds change": (0, 3, 2, 1),
    "the colors change": (1, 0, 3, 2),
    "both change round": (3, 2, 1, 0),
}
"""For each suit, the one that takes its place: always within a color, or color for color."""


def _relabelled(number: Card, suits: tuple[int, ...]) -> Card:
    return card(rank(number), suits[suit(number)], pack(number))


@for_each("suits", RELABELLED.values(), ids=list(RELABELLED))
@for_each(("game", "depth"), list(zip(RACES, (6, 4, 6, 6, 5), strict=True)))
def test_suits_may_change_places(game: str, depth: int, suits: tuple[int, ...]) -> None:
    """A deal with its suits relabelled has just as many rows of plays."""
    rules = rules_of(game)
    cards = deck(SEED, 0)
    relabelled = deal(rules, [[_relabelled(number, suits) for number in cards]])
    assert perft(deal(rules, [cards]), depth) == perft(relabelled, depth)


@for_each("game", RACES)
def test_a_relabelled_hand_is_the_same_hand(game: str) -> None:
    """The plays of a long hand stay legal one by one when all suits change places."""
    rules = rules_of(game)
    suits = RELABELLED["both change round"]
    position = deal_seed(rules, SEED)
    twin = deal(rules, [[_relabelled(number, suits) for number in deck(SEED, 0)]])
    for _, moves in play_on(position, random.Random(3), 150):
        first = moves[0]
        twins = twin.play(0, Play(first.source, first.count, first.destination))
        expected = [tuple(_relabelled(number, suits) for number in move.shown) for move in moves]
        assert expected == [move.shown for move in twins]
        assert set(position.plays()) == set(twin.plays())


TWINS = [
    game
    for game in GAMES.values()
    if game.racing is not Racing.SOLO and game.name not in {"sultan", "honors", "lady-of-the-manor"}
]
"""Games whose deals know no suit: two lay cards of certain suits, one sorts its cards, tricks are stacked."""


@of_games(TWINS)
def test_every_game_is_the_same_with_other_suits(game: Game) -> None:
    """A hand of any game, with all its suits in other places, has the same plays all along."""
    suits = RELABELLED["both change round"]
    seats = (0, 1) if game.racing is Racing.TOGETHER else (0,)
    for number in range(max(1, CHANCE_GAMES // 20)):
        rng = random.Random(number)
        decks = [rng.sample(pack_of(game, seat), game.deck_size) for seat in range(len(seats))]
        hand = Dealt(game, seats=seats, decks=decks)
        twin = Dealt(
            game, seats=seats, decks=[[_relabelled(card, suits) for card in cards] for cards in decks]
        )
        shuffles = any(isinstance(group, Stock) and group.shuffle for group in game.groups)
        for _ in range(40):
            if shuffles and hand.board.redeals:  # by keys of the cards' own: then they are different deals
                break
            mine, theirs = _kinds_of_plays(hand, suits), _kinds_of_plays(twin)
            assert mine.keys() == theirs.keys()
            if not mine:
                break
            kind = rng.choice(sorted(mine))
            hand.play(mine[kind], kind[0])
            twin.play(theirs[kind], kind[0])


def pack_of(game: Game, seat: int) -> list[Card]:
    """Return the cards of a seat in their order."""
    size = PACK_SIZE * game.packs
    return [card for card in range(seat * size, (seat + 1) * size) if rank(card) in game.ranks]


def _kinds_of_plays(
    hand: Dealt, suits: tuple[int, ...] | None = None
) -> dict[tuple[int, tuple[Card, ...], str, str, int], Play]:
    """Return the plays by seat, cards that move, whence and whither: one foundation is as good as its kin."""
    found = {}
    for seat, play in hand.plays():
        end = len(hand.board.cards[play.source]) - play.depth
        moved = hand.board.cards[play.source][max(0, end - abs(play.count)) : end]
        if suits is not None:
            moved = tuple(card if card == UNKNOWN else _relabelled(card, suits) for card in moved)
        source, target = (
            pile.group if pile.kind is Kind.FOUNDATION else str(pile.number)
            for pile in (hand.board.piles[play.source], hand.board.piles[play.destination])
        )
        found[seat, tuple(moved), source, target, play.depth] = play
    return found


def test_suits_may_not_change_color_alone() -> None:
    """Relabeling across the colors is another deal: this one has fewer plays."""
    rules = rules_of("classic")
    cards = deck(SEED, 0)
    mixed = deal(rules, [[_relabelled(number, (1, 0, 2, 3)) for number in cards]])
    assert perft(deal(rules, [cards]), 3) != perft(mixed, 3)


@for_each("seed", range(12))
def test_alone_racing_demon_is_klondike(seed: int) -> None:
    """With one player the legal plays are those of Klondike, written down a second time."""
    position = deal_seed(rules_of(), bytes([seed]) * 32)
    for _ in play_on(position, random.Random(seed), 150):
        assert klondike_plays(position.board) == _with_twins(position)


def _with_twins(position: Position) -> set[Play]:
    """Return the legal plays, those to later twin foundations included."""
    plays = position.plays()
    named = {play._replace(destination=pile) for play in plays for pile in position.rules.layout.foundations}
    return set(plays) | {play for play in named if position.rules.can_play(position.board, 0, play)}


@for_each("seed", range(10))
def test_a_hand_without_the_other_player(seed: int) -> None:
    """Without another's plays that a player did not build upon, the player's log stays legal."""
    rules = rules_of("racing-demon", 2)
    position = deal_seed(rules, bytes([seed]) * 32)
    alone = position.copy()
    own: list[Play] = []
    rng = random.Random(seed)
    for step in range(240):
        seat = step % 2
        plays = [play for play in position.plays(seat) if seat == 1 or not _builds_on_others(position, play)]
        play = rng.choice(plays)
        position.play(seat, play)
        own += [play] if seat == 0 else []
    for play in own:
        alone.play(0, play)
    piles = [pile.number for pile in rules.layout.piles if pile.seat == 0]
    assert [position.board.cards[pile] for pile in piles] == [alone.board.cards[pile] for pile in piles]


def _builds_on_others(position: Position, play: Play) -> bool:
    cards = position.board.cards[play.destination]
    return position.board.piles[play.destination].kind is Kind.FOUNDATION and any(pack(c) for c in cards)


def test_seats_do_not_matter() -> None:
    """The seats of a hand are names: other seats with the same packs have the same plays."""
    first, other = (
        deal_seed(make_rules(GAMES["classic"], (0, 1))),
        deal_seed(make_rules(GAMES["classic"], (3, 6))),
    )
    assert perft(first, 3) == perft(other, 3)


def _fooliana_like() -> Rules:
    """Return Demon B with the tails of Fooliana."""
    game = GAMES["demon-b"]
    groups = (replace(g, unit=Unit.TAIL) if isinstance(g, Tableau) else g for g in game.groups)
    return make_rules(replace(game, groups=tuple(groups)), (0,))


def test_fooliana_is_demon_while_the_heap_lasts() -> None:
    """With tails movable, Demon B has the plays of Fooliana, dealt in another order."""
    cards = deck(SEED, 0)
    heap, base, row, rest = cards[:13], cards[13:14], cards[14:18], cards[18:]
    fooliana = deal(rules_of("fooliana"), [cards])
    demon = deal(_fooliana_like(), [[*heap, *row, *base, *rest]])
    assert perft(fooliana, 6) == perft(demon, 6)


@for_each(
    ("plain", "wider"),
    [
        ({"redeals": 0}, {"redeals": 1}),
        ({"redeals": 2}, {}),
        ({}, {"take_back": "free"}),
        ({}, {"tail_rule": TailRule.EITHER2}),
        ({"forced_bases": True}, {}),
    ],
    ids=str,
)
def test_a_wider_rule_takes_no_play_away(plain: dict[str, object], wider: dict[str, object]) -> None:
    """What is legal under a narrower rule stays legal under the wider one."""
    narrow = deal_seed(_rules(plain), SEED)
    wide = deal_seed(_rules(wider), SEED)
    for _, moves in play_on(narrow, random.Random(5), 200):
        wide.play(0, Play(*moves[0][:3]))
        assert set(narrow.plays()) <= set(wide.plays())


def _rules(options: dict[str, object]) -> Rules:
    return rules_of("racing-demon", 1, **options)


def test_a_playable_heap_takes_no_play_away() -> None:
    """Demon A with a playable heap has all plays that it had, and more (D1)."""
    game = GAMES["demon-a"]
    groups = (replace(g, playable=True) if isinstance(g, Reserve) else g for g in game.groups)
    open_rules = make_rules(replace(game, groups=tuple(groups)), (0,))
    narrow, wide = deal_seed(rules_of("demon-a"), SEED), deal_seed(open_rules, SEED)
    for _, moves in play_on(narrow, random.Random(5), 100):
        wide.play(0, Play(*moves[0][:3]))
        assert set(narrow.plays()) <= set(wide.plays())


@for_each("game", RACES)
def test_more_cards_never_come_from_nowhere(game: str) -> None:
    """The points of all hands together are the cards on the foundations."""
    rules = rules_of(game, 3)
    position = deal_seed(rules, SEED)
    for _ in play_on(position, random.Random(6), 100):
        board = position.board
        expected = sum(len(board.cards[pile]) for pile in rules.layout.foundations)
        assert expected == sum(rules.on_foundations(board).values()) <= 3 * PACK_SIZE
