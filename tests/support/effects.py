"""Hands of every game, played until each of its ways to move cards has occurred, redeals among them."""

import random
from collections.abc import Iterator
from typing import Final

from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.engine.specification import Stock
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.tables import Sitting

PLAYS: Final = 150
HANDS: Final = 4
LONGER: Final = {"fooliana": (12, 300), "salique-law": (16, 300), "fourteen": (16, 300)}
"""Games some of whose moves come late or seldom: how many hands of them are played, and how far."""
TURNS: Final = 0.6
"""How often the stock is turned, or redealt, where that is legal."""
UP: Final = 0.15
"""How often a card may go up: games last longer without."""

Way = tuple[Kind, Kind, bool, bool, bool]
"""A way to move cards: from a kind of pile, to one, from the bottom, from below others, and as a redeal."""


def way_of(sitting: Sitting, seat: int, play: Play) -> Way:
    """Return in which way a legal play is carried out."""
    source, count, destination, depth = sitting.rules.verify_play(sitting.board, seat, play)
    piles = sitting.board.piles
    return piles[source].kind, piles[destination].kind, count < 0, depth > 0, source == destination


def hands_of(game: str) -> Iterator[Sitting]:
    """Yield finished hands of a game, of two seats and of one in turn."""
    known: set[Way] = set()
    hands, plays = LONGER.get(game, (HANDS, PLAYS))
    for number in range(hands):
        seats = min(2, GAMES[game].max_seats) if number % 2 == 0 else GAMES[game].min_seats
        seed, rng = subseed(bytes(32), f"effects/{game}/{number}"), random.Random(number)
        sitting = Sitting.playing(seats, seed, game=game, hands=1, countdown_ms=0)
        for _ in range(plays):
            able = [seat for seat in sitting.rules.layout.seats if sitting.plays(seat)]
            if not (able and sitting.mirror.in_hand):
                break
            _play(sitting, rng.choice(able), rng, known)
        for seat in sitting.mirror.hand_seats:
            if sitting.mirror.in_hand:
                sitting.events(seat, cl.Stuck)
        yield sitting


def may_redeal(game: str) -> bool:
    """Tell whether a game has redeals."""
    return any(isinstance(group, Stock) and group.redeals != 0 for group in GAMES[game].groups)


def _play(sitting: Sitting, seat: int, rng: random.Random, known: set[Way]) -> None:
    """Make a play, in a new way if there is one."""
    plays, piles = sitting.plays(seat), sitting.board.piles
    new = [play for play in plays if way_of(sitting, seat, play) not in known]
    turns = [play for play in plays if Kind.STOCK in {piles[play.source].kind, piles[play.destination].kind}]
    low = [play for play in plays if piles[play.destination].kind is not Kind.FOUNDATION]
    likely = (turns if rng.random() < TURNS else []) or (low if rng.random() > UP else []) or plays
    chosen = rng.choice(new or likely)
    known.add(way_of(sitting, seat, chosen))
    answer = sitting.send(seat, cl.PlayCards, **chosen._asdict(), seen=sitting.seq)
    assert any(isinstance(event, ev.Played) for event in answer.events), answer.reply
