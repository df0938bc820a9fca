"""Somebody who knows a game by the sentences of its lesson alone: what is tried in vain, what is missed?"""

import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from racing_demon_client.shared.lesson import LESSONS, OWN, TEACHER, lesson_options
from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import ACE, KING, UNKNOWN, rank, suit
from racing_demon_protocol.engine.layout import Layout
from racing_demon_protocol.table.state import hand_rules
from tests.support.dealt_hands import Dealt

HANDS: Final = int(os.environ.get("RACING_DEMON_TRIALS", "5"))
MAX_PLAYS: Final = 150
MAX_TURNS: Final = 40

Try = tuple[int, int, int]


def test_the_sentences_of_a_lesson_are_the_rules() -> None:
    """Nothing that they say is refused in a first hand, and they leave out no play but turning the stock."""
    for game in LESSONS:
        refused: Counter[tuple[Kind, Kind]] = Counter()
        missed: Counter[tuple[Kind, Kind]] = Counter()
        played = 0
        for seed in range(HANDS):
            rules = hand_rules(lesson_options(game), (OWN, TEACHER), ())
            hand = Dealt(rules.game, random.Random(seed).randbytes(32), (OWN, TEACHER), rules=rules)
            turns = 0
            for _ in range(MAX_PLAYS):
                kinds = [pile.kind for pile in hand.board.piles]
                allowed = {
                    (play.source, play.count, play.destination)
                    for play in rules.resolved_plays(hand.board, OWN)
                }
                known = set(_known(game, rules.layout, hand.board))
                refused.update((kinds[source], kinds[to]) for source, _, to in known - allowed)
                missed.update((kinds[source], kinds[to]) for source, _, to in allowed - known)
                useful = [
                    Play(*each) for each in sorted(known & allowed) if hand.board.is_progress(Play(*each))
                ]
                useful.sort(key=lambda play: kinds[play.destination] is not Kind.FOUNDATION)
                play = useful[0] if useful else rules.stock_play(hand.board, OWN)
                turns = 0 if useful else turns + 1
                if play is None or turns > MAX_TURNS:
                    break
                played += bool(useful)
                hand.play(rules.verify_play(hand.board, OWN, play), OWN)
        assert refused == {}, game
        assert set(missed) == {(Kind.STOCK, Kind.WASTE), (Kind.WASTE, Kind.STOCK)}, game
        print(f"{game}: {played} plays of {HANDS} hands, none refused")  # noqa: T201


def _free(layout: Layout, board: Board) -> list[int]:
    """Return the piles whose top card is free."""
    piles = [*layout.seat_piles(OWN, Kind.TABLEAU), layout.waste[OWN], *layout.seat_piles(OWN, Kind.RESERVE)]
    return [pile for pile in piles if board.cards[pile] and board.cards[pile][-1] != UNKNOWN]


def _known(game: str, layout: Layout, board: Board) -> Iterator[Try]:
    """Yield what somebody may try by the sentences."""
    columns = layout.seat_piles(OWN, Kind.TABLEAU)
    middle = [pile.number for pile in board.piles if pile.kind is Kind.FOUNDATION]
    empty = [pile for pile in middle if not board.cards[pile]]
    for pile in _free(layout, board):
        cards = board.cards[pile]
        if rank(cards[-1]) == ACE and empty:  # aces start the middle
            yield pile, 1, empty[0]
        for place in middle:  # same suit, one higher
            if board.cards[place] and _is_next(board.cards[place][-1], cards[-1]):
                yield pile, 1, place
        shown = sum(card != UNKNOWN for card in cards) if pile in columns else 1
        for count in range(1, shown + 1):  # a run moves as a whole
            for column in columns:
                if column != pile and _fits(game, cards[-count], board.cards[column]):
                    yield pile, count, column


def _is_next(top: int, card: int) -> bool:
    return suit(top) == suit(card) and rank(card) == rank(top) + 1


def _fits(game: str, card: int, column: Sequence[int]) -> bool:
    if not column:  # an empty column takes a king, or any card
        return game == "classic" or rank(card) == KING
    is_other = suit(column[-1]) % 2 != suit(card) % 2  # red on black, one lower
    return is_other and rank(card) + 1 == rank(column[-1])
