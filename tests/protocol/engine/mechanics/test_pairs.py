"""Little Lots and Sympathy (Cheney 12 and 53)."""

import random

import pytest

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.cards import UNKNOWN, pack, rank
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.games import GAMES
from tests.support.dealt_hands import Dealt, random_hands, stacked
from tests.support.inside import hidden_board

GAME = GAMES["sympathy"]


def test_equal_tops_leave_and_the_next_are_turned_up() -> None:
    """Entry 12: two equal tops leave, and the cards below them show."""
    dealt = stacked(GAMES["little-lots"], "AS 7S 8S KS", "AH 7H 8H KH", "9S TS JS QS")
    lots = dealt.rules.layout.group_piles(0, "lot")
    dealt.play(Play(lots[0], 1, lots[1]))
    assert [rank(cards[-1]) for cards in dealt.named("lot")[:3]] == [8, 8, 12]
    assert dealt.rules.progress(dealt.board, 0) == 2


def _lots(*lots: tuple[list[int], list[int]]) -> Dealt:
    """Return a hand in the middle: of each lot all cards, and those that everybody sees."""
    dealt = Dealt(GAMES["little-lots"])
    numbers, out = dealt.rules.layout.group_piles(0, "lot"), dealt.rules.layout.group_piles(0, "out")[0]
    lying = {card for cards, _ in lots for card in cards}
    gone = sorted(
        (card for card in range(52) if rank(card) in dealt.rules.game.ranks and card not in lying), key=rank
    )
    # This position is one that no play leads to.
    for board, which in ((hidden_board(dealt.dealer), 0), (dealt.board, 1)):
        for number, pile in enumerate(numbers):
            board.cards[pile] = tuple(lots[number][which]) if number < len(lots) else ()
        board.cards[out] = tuple(gone)
    return dealt


SEVENS, EIGHTS = [6, 19, 32, 45], [7, 20, 33, 46]


def test_a_pile_of_two_may_be_turned_up_when_nothing_else_is_left() -> None:
    """If its cards match they leave; then the table is empty, and the game is won."""
    dealt = _lots((SEVENS[:2], [UNKNOWN, SEVENS[1]]))
    ((_, play),) = dealt.plays()
    dealt.play(play)
    assert dealt.rules.is_out(dealt.board, 0)


def test_a_pile_of_two_that_does_not_match_stays_turned_up() -> None:
    """It comes back, face up, and cannot be turned up again: the game is lost."""
    dealt = _lots(([SEVENS[0], EIGHTS[0]], [UNKNOWN, EIGHTS[0]]), ([SEVENS[1], 12], [SEVENS[1], 12]))
    ((_, play),) = dealt.plays()
    dealt.play(play)
    assert [(SEVENS[0], EIGHTS[0]), (SEVENS[1], 12)] == dealt.named("lot")[:2]
    assert dealt.is_over()
    assert not dealt.rules.is_out(dealt.board, 0)


def test_no_pile_of_two_is_turned_up_while_a_couple_lies_there() -> None:
    """The privilege waits until no two tops are equal."""
    dealt = _lots((SEVENS[:2], [UNKNOWN, SEVENS[1]]), ([SEVENS[2]], [SEVENS[2]]))
    assert {1} == {play.count for _, play in dealt.plays()}


def test_the_second_player_turns_all_packets_up_first() -> None:
    """Entry 53: B turns up the top card of each pile, then A begins."""
    dealt = Dealt(GAME, seats=(0, 1))
    for _ in range(17):
        ((seat, play),) = dealt.plays()
        assert seat == 1
        dealt.play(play, seat)
    assert all(cards[-1] != UNKNOWN for cards in dealt.named("packet", 1))
    assert {0} == {seat for seat, _ in dealt.plays()}


def test_turns_go_as_told() -> None:
    """Who turns cards up goes on until all their packets lie face up; each couple is one card of each."""
    for dealt, rng in random_hands(GAME, 12, seats=(0, 1)):
        turn = 1
        for _ in dealt.play_on(rng):
            seat, move = next(
                (seat, m)
                for seat, m in reversed(dealt.log)
                if m.destination in _lifted(dealt) or m.source in _packets(dealt)
            )
            open_, other_open = (_are_up(dealt, player) for player in (turn, 1 - turn))
            if move.destination in _lifted(dealt):
                assert dealt.board.piles[move.source].seat == turn == seat
            waits = any(dealt.board.cards[pile] for pile in _lifted(dealt))
            if open_ and not other_open and not waits:
                turn = 1 - turn
        gone = dealt.named("out")[0]
        for one, other in zip(gone[::2], gone[1::2], strict=True):
            assert rank(one) == rank(other)
            assert pack(one) != pack(other)


def _lifted(dealt: Dealt) -> set[int]:
    return {pile.number for pile in dealt.board.piles if pile.group == "lifted"}


def _packets(dealt: Dealt) -> set[int]:
    return {pile.number for pile in dealt.board.piles if pile.group == "packet"}


def _are_up(dealt: Dealt, seat: int) -> bool:
    return all(not cards or cards[-1] != UNKNOWN for cards in dealt.named("packet", seat))


def test_sympathy_is_won_and_lost_together() -> None:
    """Both are out with all cards gone, or neither; the grace cards leave like all others."""
    results = set()
    for dealt, rng in random_hands(GAME, 12, seats=(0, 1)):
        for _ in dealt.play_on(rng):
            pass
        won = {dealt.rules.is_out(dealt.board, seat) for seat in dealt.seats}
        assert len(won) == 1
        assert won == {len(dealt.named("out")[0]) == 104}
        results |= won
    assert {True, False} == results


def test_the_grace_card_needs_an_empty_front() -> None:
    """Who has a card lying face up cannot use the grace card; who has none can, in their turn."""
    used = 0
    for dealt, rng in random_hands(GAME, 6, seats=(0, 1)):
        for _ in dealt.play_on(rng):
            for seat in dealt.seats:
                grace = dealt.named("grace", seat)[0]
                lie_open = any(cards and cards[-1] != UNKNOWN for cards in dealt.named("packet", seat))
                lifted = any(cards for player in dealt.seats for cards in dealt.named("lifted", player))
                wants = [play for player, play in dealt.plays() if player == seat]
                uses = [play for play in wants if dealt.board.piles[play.destination].group == "out"]
                if lie_open and not lifted:
                    assert not uses
                used += bool(uses and grace and not lifted)
    assert used


def test_without_a_partner_there_is_nothing_to_play() -> None:
    """Sympathy needs two; a third at the table waits."""
    assert Dealt(GAME, seats=(0,)).plays() == []
    assert {1, 3} >= {seat for seat, _ in Dealt(GAME, seats=(0, 1, 3)).plays()}


def test_piles_of_strangers_stay_theirs() -> None:
    """A partner's packet is no stranger's; a third player's is, and there is no pile beyond the last."""
    dealt = Dealt(GAME, seats=(0, 1, 2, 3))
    out = dealt.rules.layout.group_piles(0, "out")[0]
    for seat, reason in ((1, Reason.ILLEGAL), (2, Reason.NOT_YOUR_PILE)):
        with pytest.raises(IllegalPlay) as refused:
            dealt.rules.verify_play(
                dealt.board, 0, Play(dealt.rules.layout.group_piles(seat, "packet")[-1], 1, out)
            )
        assert refused.value.reason is reason
    with pytest.raises(IllegalPlay, match="no such pile"):
        dealt.rules.verify_play(dealt.board, 0, Play(10_000, 1, out))


def test_one_player_may_have_both_hands() -> None:
    """Each hand has a pack of its own, and couples are one card of each."""
    dealt = Dealt(GAMES["sympathy-alone"], bytes([4] * 32))
    cards = dealt.dealer.open_board().cards
    for number, group in enumerate(("packet", "packet-left")):
        packs = {pack(card) for pile in dealt.rules.layout.group_piles(0, group) for card in cards[pile]}
        assert {number} == packs
    for _ in dealt.play_on(random.Random(4)):
        gone = dealt.named("out")[0]
    assert gone
    assert all(pack(one) != pack(other) for one, other in zip(gone[::2], gone[1::2], strict=True))
