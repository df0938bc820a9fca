import random

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.deal import decks
from racing_demon_protocol.engine.dealer import Dealer
from tests.support.boards import RACES, deal, deal_seed, rules_of
from tests.support.cases import for_each
from tests.support.moves import carried
from tests.support.playouts import play_on

SEED = bytes(range(32))


@for_each("game", RACES)
def test_the_deal_is_that_of_the_decks(game: str) -> None:
    """The dealer deals each seat the deck of the seed and of its place."""
    rules = rules_of(game, 3)
    expected = rules.deal(decks(SEED, rules.game, 3))
    assert expected == Dealer(SEED, rules).open_board()


@for_each("game", RACES)
def test_the_dealer_follows_every_play(game: str) -> None:
    """Through a random hand the dealer names just the cards that really lie where a play turns up."""
    rules = rules_of(game, 2)
    dealer, board = Dealer(SEED, rules), rules.deal()
    board.reveal(board.all_unnamed(), dealer.first_cards())
    position = deal_seed(rules, SEED)
    for seat, moves in play_on(position, random.Random(4), 120):
        for move in moves:
            play = Play(move.source, move.count, move.destination)
            assert move == carried(rules, board, play, dealer.move), seat
    assert (position.board, position.hidden) == (board, dealer.open_board())


def test_the_open_board_is_a_copy() -> None:
    """Whatever is done to the open board does not reach the dealer's cards."""
    dealer = Dealer(SEED, rules_of())
    dealer.open_board().cards[6] = ()
    assert len(dealer.open_board().cards[6]) == 1


def test_rotation_shifts_the_hidden_stock() -> None:
    """The dealer rotates its stock as the public board's is rotated."""
    rules = rules_of()
    dealer = Dealer(SEED, rules)
    before = dealer.open_board().cards[rules.layout.stock[0]]
    dealer.rotate()
    assert (before[-1], *before[:-1]) == dealer.open_board().cards[rules.layout.stock[0]]


def test_a_hand_is_dead_when_all_are() -> None:
    """A hand is dead only if none of those who still play can go on."""
    rules = rules_of("racing-demon", 2)
    dealer = Dealer(SEED, rules)
    board = rules.deal()
    board.reveal(board.all_unnamed(), dealer.first_cards())
    position = deal_seed(rules, SEED)
    alive = [seat for seat in (0, 1) if position.can_progress(seat)]
    assert (not alive, True) == (dealer.is_dead(board, (0, 1)), dealer.is_dead(board, ()))


@for_each("game", RACES)
@for_each("seed", range(3))
def test_what_was_not_shown_could_be_anything(game: str, seed: int) -> None:
    """If the cards never shown had lain otherwise, nobody could have seen any difference."""
    rules = rules_of(game, 2)
    dealt = decks(bytes([seed]) * 32, rules.game, 2)
    position = deal(rules, dealt)
    start = position.board.copy()
    shown = {card for pile in start.cards for card in pile}
    log = list(play_on(position, random.Random(seed), 60))
    shown |= {card for _, moves in log for move in moves for card in move.shown}
    twin = deal(rules, [_hidden_reversed(cards, shown) for cards in dealt])
    assert (start, False) == (twin.board, twin.hidden == deal(rules, dealt).hidden)
    for seat, moves in log:
        first = moves[0]
        assert moves == twin.play(seat, Play(first.source, first.count, first.destination))
    assert position.board == twin.board


def _hidden_reversed(cards: list[int], shown: set[int]) -> list[int]:
    """Return a deck in which the cards that were never shown lie in the opposite order."""
    hidden = [card for card in cards if card not in shown]
    return [card if card in shown else hidden.pop() for card in cards]
