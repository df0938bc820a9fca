"""Gambler's Patience (Cheney 45)."""

import random
from dataclasses import replace

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import rank
from racing_demon_protocol.engine.mechanics.merging import Merging
from racing_demon_protocol.games import GAMES
from tests.support.cases import for_each
from tests.support.dealt_hands import Dealt

GAME = GAMES["gamblers"]


def _pass(pack: list[int]) -> list[int]:
    """Deal and merge a whole pack of ranks, the first one to deal first; return it as it is taken up."""
    piles: list[list[int]] = [[], [], [], []]
    while pack:
        for pile in piles:
            pile.append(pack.pop(0))
        moved = True
        while moved:
            moved = False
            tops = [pile[-1] if pile else None for pile in piles]
            if tops[0] and tops == [tops[0]] * 4:
                for pile in piles:
                    pile.pop()
                moved = True
                continue
            for right in range(3, 0, -1):
                lefts = [left for left in range(right) if tops[right] and tops[left] == tops[right]]
                if lefts:
                    piles[lefts[0]].append(piles[right].pop())
                    moved = True
                    break
    return [card for pile in piles for card in pile]


@for_each("number", range(6))
def test_the_game_goes_as_told(number: int) -> None:
    """Played with ranks on lists, from the right and not by chance, each laying comes to the same pack."""
    deal = list(range(52))
    rng = random.Random(number)
    rng.shuffle(deal)
    dealt, pack = Dealt(GAME, decks=[deal]), [rank(card) for card in deal]
    stock = dealt.rules.layout.stock[0]
    for laying in range(1, 9):
        pack = _pass(pack)
        while dealt.board.redeals.get(0, 0) < laying and not dealt.rules.is_out(dealt.board, 0):
            dealt.play(rng.choice(dealt.plays())[1])
        assert pack == [rank(card) for card in reversed(dealt.dealer.open_board().cards[stock])]


def test_hands_are_won_and_lost_as_told() -> None:
    """A hand is lost when the pack comes back in an order that it had, and won when none is left."""
    results = set()
    for number in range(12):
        deal = list(range(52))
        random.Random(number).shuffle(deal)
        pack, seen = [rank(card) for card in deal], set()
        while pack and tuple(pack) not in seen:
            seen.add(tuple(pack))
            pack = _pass(pack)
        dealt = Dealt(GAME, decks=[deal])
        while not dealt.is_over():
            for _ in range(40):
                for _, play in dealt.plays()[:1]:
                    dealt.play(play)
        assert dealt.rules.is_out(dealt.board, 0) is (not pack)
        assert dealt.rules.progress(dealt.board, 0) == 52 - len(pack)
        results.add(not pack)
    assert {True, False} == results


def test_gaps_close_up_where_that_is_declared() -> None:
    """With ``close_up`` no pile lies to the right of a gap when a row is dealt."""
    dealt = Dealt(replace(GAME, mechanic=Merging(close_up=True)), bytes([1] * 32))
    closed = 0
    for _ in range(200):
        dealt.play(dealt.plays()[0][1])
        heights = [bool(cards) for cards in dealt.named("pile")]
        assert heights == sorted(heights, reverse=True)
        closed += not all(heights) and any(heights)
    assert closed


def test_only_throwing_out_leads_on() -> None:
    """Dealing, merging and taking up may come round; throwing out does not."""
    dealt = Dealt(GAME)
    kinds = {True: set(), False: set()}  # type: dict[bool, set[Kind]]
    for _ in range(600):
        _, play = dealt.plays()[0]
        kinds[dealt.rules.is_irreversible(dealt.board, 0, play)].add(dealt.board.piles[play.destination].kind)
        dealt.play(play)
    assert {True: {Kind.OUT}, False: {Kind.PACKET, Kind.WASTE}} == kinds
