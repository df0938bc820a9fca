"""Push Pin and Double Jump (Cheney 11 and 19)."""

from dataclasses import replace

from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.engine.cards import name
from racing_demon_protocol.engine.mechanics.line import PushPin
from racing_demon_protocol.games import GAMES
from tests.support.dealt_hands import Dealt, stacked


def _lay(game: str, cards: str) -> Dealt:
    """Lay cards out in a line without playing any."""
    dealt = stacked(GAMES[game], cards)
    stock = dealt.rules.layout.stock[0]
    for _ in cards.split():
        dealt.play(next(play for _, play in dealt.plays() if play.source == stock))
    return dealt


def _line(dealt: Dealt) -> str:
    return " ".join(
        "".join(name(card, ascii_only=True) for card in cards) for cards in dealt.named("line") if cards
    )


def _places(dealt: Dealt) -> tuple[int, ...]:
    return dealt.rules.layout.group_piles(0, "line")


def _plays(dealt: Dealt) -> set[tuple[int, int]]:
    """Return the plays within the line, or out of it (-1), by the numbers of the places."""
    places = _places(dealt)
    numbers = {pile: number for number, pile in enumerate(places)}
    return {
        (numbers[p.source], numbers.get(p.destination, -1)) for _, p in dealt.plays() if p.source in numbers
    }


def test_a_card_between_two_of_a_suit_or_rank_leaves() -> None:
    """Entry 11: of one suit, or of one value."""
    assert {(1, -1)} == _plays(_lay("push-pin", "2S 9H KS 4D"))
    assert {(1, -1)} == _plays(_lay("push-pin", "2S 9H 2D 4C"))


def test_a_block_of_one_suit_leaves_from_between_two_of_a_rank() -> None:
    """Several cards of a suit leave in one play, named by their ends; the line closes up behind them."""
    dealt = _lay("push-pin", "2S 9H KH 4H 2D 9C")
    assert {(2, -1), (3, 1)} == _plays(dealt)  # the king lies between two hearts, too
    dealt.play(Play(_places(dealt)[3], 1, _places(dealt)[1]))
    assert _line(dealt) == "2S 2D 9C"
    assert dealt.rules.progress(dealt.board, 0) == 3


def test_a_block_with_a_card_of_the_rank_is_two_plays() -> None:
    """Of 7♠ 7♥ 3♥ 7♦ the three leaves first, and then the seven: they are no block."""
    dealt = _lay("push-pin", "7S 7H 3H 7D 9C")
    assert {(2, -1)} == _plays(dealt)
    out = dealt.rules.layout.seat_piles(0, Kind.OUT)[0]
    dealt.play(Play(_places(dealt)[2], 1, out))
    assert {(1, -1)} == _plays(dealt)


def test_a_block_of_several_suits_stays() -> None:
    """Between two of a rank, but of two suits: nothing leaves."""
    assert set() == _plays(_lay("push-pin", "2S 9H KC 2D"))


def test_the_first_card_may_go_to_the_end_once() -> None:
    """Entry 11: when all cards are laid, and only once."""
    dealt = Dealt(GAMES["push-pin"])
    while dealt.named("stock")[0]:
        assert all(play.destination != _places(dealt)[-1] for _, play in dealt.plays())
        dealt.play(next(play for _, play in dealt.plays() if play.source == dealt.rules.layout.stock[0]))
    shift = Play(_places(dealt)[0], 1, _places(dealt)[-1])
    first = dealt.named("line")[0][0]
    dealt.play(shift)
    assert dealt.named("line")[-1] == (first,)
    assert all(play.destination != _places(dealt)[-1] for _, play in dealt.plays())


def test_pushing_may_wait_until_all_cards_are_laid() -> None:
    """Where it may not be done before, nothing but laying is a play while there is a stock."""
    game = replace(GAMES["push-pin"], mechanic=PushPin(while_laying=False))
    dealt = Dealt(game)
    while dealt.named("stock")[0]:
        ((_, play),) = dealt.plays()
        dealt.play(play)
    assert any(play.destination == dealt.rules.layout.group_piles(0, "out")[0] for _, play in dealt.plays())


def test_push_pin_is_won_with_two_cards() -> None:
    """Two cards of the line are left, and no stock: won; with three it is not."""
    dealt = Dealt(GAMES["push-pin"])
    board, places, out = dealt.board, _places(dealt), dealt.rules.layout.group_piles(0, "out")[0]
    board.cards[dealt.rules.layout.stock[0]] = ()
    for left, is_won in ((3, False), (2, True)):
        for number, place in enumerate(places):
            board.cards[place] = (number,) if number < left else ()
        board.cards[out] = tuple(range(left, 104))
        assert is_won is dealt.rules.is_out(board, 0)


def test_a_pile_jumps_over_two() -> None:
    """Entry 19: to the right, over just two, upon one of its suit or rank, with all its cards."""
    dealt = _lay("double-jump", "2S 9H KC 2D 4D")
    assert {(0, 3)} == _plays(dealt)
    dealt.play(Play(_places(dealt)[0], 1, _places(dealt)[3]))
    assert _line(dealt) == "9H KC 2D2S 4D"
    assert set() == _plays(dealt)
    assert dealt.rules.progress(dealt.board, 0) == 1


def test_the_last_piles_are_joined_when_all_cards_are_laid() -> None:
    """Three piles may jump over one, and two upon each other, if they agree; then the game is won."""
    dealt = Dealt(GAMES["double-jump"])
    board, places = dealt.board, _places(dealt)
    board.cards[dealt.rules.layout.stock[0]] = ()
    spades, hearts = tuple(range(13)), tuple(range(13, 26))
    for place, cards in zip(places, (spades[:6], hearts, spades[6:]), strict=False):
        board.cards[place] = cards
    assert {(0, 2)} == _plays(dealt)
    board.cards[places[0]], board.cards[places[2]] = (), (*spades[6:], *spades[:6])
    assert set() == _plays(dealt)
    assert not dealt.rules.is_out(board, 0)
    *rest, last = reversed(board.cards[places[2]])
    board.cards[places[1]] += (last,)
    board.cards[places[2]] = tuple(rest)
    assert {(1, 2)} == _plays(dealt)
    board.cards[places[2]] += board.cards[places[1]]
    board.cards[places[1]] = ()
    assert dealt.rules.is_out(board, 0)


def test_three_piles_wait_while_there_is_a_stock() -> None:
    """Three piles do not jump over one before all cards are laid."""
    assert set() == _plays(_lay("double-jump", "2S 9H KS"))
