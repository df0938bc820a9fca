"""A short analysis of a hand for each player: races, late plays, cards still face down.

Face-down cards are named only if the server's secret has been revealed.
"""

from collections.abc import Sequence
from typing import NamedTuple

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.table.state import TableState

from .history import HandHistory, Made
from .opportunities import Opportunity, Race


class Buried(NamedTuple):
    """A card that stayed face down: its column, counted from 0, and how many cards lay on it."""

    card: Card
    column: int
    below: int


class SeatAnalysis(NamedTuple):
    """The analysis of one player's hand.

    Attributes:
        seat: the player's seat.
        won: the races won.
        lost: the races lost.
        waits: the cards that went up, the one that could have for the longest time first.
        unused: the cards that could have gone up when the hand ended, oldest chance first.
        face_down: how many cards lay face down in the columns.
        in_hand: how many lay in stock, waste and reserve.
        buried: the cards face down in the columns, lowest first; empty without the secret.

    """

    seat: int
    won: tuple[Race, ...]
    lost: tuple[Race, ...]
    waits: tuple[Made, ...]
    unused: tuple[Opportunity, ...]
    face_down: int
    in_hand: int
    buried: tuple[Buried, ...]


def analyze(history: HandHistory, view: TableState, seed: bytes = b"") -> list[SeatAnalysis]:
    """Return the analysis of the finished hand, in the order of its seats.

    Args:
        history: the hand's history.
        view: the table, with its board as the hand ended.
        seed: the hand's seed, if known.

    """
    assert view.rules is not None
    assert view.board is not None
    # In building games a card that is face down in a column has been there since the deal.
    is_known = seed and isinstance(view.rules, BuildingRules)
    deal = Dealer(seed, view.rules).open_board().cards if is_known else None
    return [_seat(history, view, deal, seat) for seat in view.hand_seats]


def _seat(
    history: HandHistory, view: TableState, deal: Sequence[Sequence[Card]] | None, seat: int
) -> SeatAnalysis:
    assert view.rules is not None
    assert view.board is not None
    own, cards = view.rules.layout.own, view.board.cards
    columns = own(seat, Kind.TABLEAU)
    loose = [pile for kind in (Kind.STOCK, Kind.WASTE, Kind.RESERVE) for pile in own(seat, kind)]
    buried: list[Buried] = []
    for number, pile in enumerate(columns):
        hidden = cards[pile].count(UNKNOWN)
        known = deal[pile][:hidden] if deal is not None else ()
        buried += [Buried(card, number, len(cards[pile]) - depth - 1) for depth, card in enumerate(known)]
    return SeatAnalysis(
        seat=seat,
        won=tuple(race for race in history.races if race.winner == seat),
        lost=tuple(race for race in history.races if race.loser == seat),
        waits=tuple(sorted((m for m in history.made if m.seat == seat), key=lambda made: -made.waited_us)),
        unused=tuple(sorted((c for c in history.unused if c.seat == seat), key=lambda chance: chance.since)),
        face_down=sum(cards[pile].count(UNKNOWN) for pile in columns),
        in_hand=sum(len(cards[pile]) for pile in loose),
        buried=tuple(sorted(buried, key=lambda each: (each.card % PACK_SIZE % 13, each.below))),
    )
