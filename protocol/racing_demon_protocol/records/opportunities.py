"""Chances to play cards to the foundations, and the races for places there.

A *chance* is an available card that a foundation accepts. A chance that another player's card spoils is a
lost race: both could have played the same card, and one arrived first. Races follow from the public board, so
anybody finds the same races in the same record, whether or not the loser tried to play.

Times are microseconds of the hand, from its signal, without its pauses.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card
from racing_demon_protocol.engine.enums import Base
from racing_demon_protocol.engine.groups import Foundations, Reserve
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.wire.messages.events import Played

FACES: Final = range(PACK_SIZE)


class Opportunity(NamedTuple):
    """A card that could go up: the seat, the pile, and since when."""

    seat: int
    pile: int
    card: Card
    since: int


class Race(NamedTuple):
    """A place on a foundation that one player took before another.

    Attributes:
        at: when the winner's card arrived.
        card: the loser's card.
        winner: the winner's seat.
        loser: the loser's seat.
        open_us: for how long the loser could have played the card.
        late_us: by how much the loser's card was late; ``None`` if unknown, or if the loser never played it.

    """

    at: int
    card: Card
    winner: int
    loser: int
    open_us: int
    late_us: int | None = None


class Opportunities:
    """All chances of one hand, updated with its plays.

    Args:
        rules: the rules of the hand.
        board: its board at the start; the caller moves the cards on it.
        at: the time of the start.

    """

    def __init__(self, rules: Rules, board: Board, at: int = 0) -> None:
        self._rules = rules
        self._board = board
        self._foundations = [Kind.FOUNDATION is pile.kind for pile in board.piles]
        self._wanted = {pile: self._wanted_by(pile) for pile in rules.layout.foundations}
        self._faces: dict[int | None, frozenset[Card]] = {}
        self._sources = {seat: tuple(_sources(rules, seat)) for seat in rules.layout.seats}
        self._open: dict[int, Opportunity] = {}
        self._gather()
        self.refresh(at)

    @property
    def open(self) -> Iterator[Opportunity]:
        """The current chances."""
        return iter(self._open.values())

    def follow(self, event: Played, at: int) -> tuple[Opportunity | None, list[Race]]:
        """Follow a play that the board has applied.

        Returns:
            The chance that it took, if it went up, and the races that others lost by it.

        """
        if not self._foundations[event.destination] and not self._foundations[event.source]:
            self._look(event.seat, at)
            return None, []
        ready = self._open.get(event.source)
        taken = ready if self._foundations[event.destination] else None
        for pile in (event.source, event.destination):
            if self._foundations[pile]:
                self._renew(pile)
        spoilt = self.refresh(at)
        races = [
            Race(at, chance.card, event.seat, chance.seat, max(0, at - chance.since))
            for chance in spoilt
            if chance.seat != event.seat
        ]
        return taken, races

    def refresh(self, at: int) -> list[Opportunity]:
        """Examine all available cards; return the chances that are gone."""
        return [gone for seat in self._sources for gone in self._look(seat, at)]

    def _look(self, seat: int, at: int) -> list[Opportunity]:
        cards, gone = self._board.cards, []
        faces = self._faces[None] | self._faces.get(seat, frozenset())
        for pile in self._sources[seat]:
            card = cards[pile][-1] if cards[pile] else UNKNOWN
            fits = card != UNKNOWN and card % PACK_SIZE in faces
            known = self._open.get(pile)
            if known is not None and (not fits or known.card != card):
                gone.append(self._open.pop(pile))
                known = None
            if fits and known is None:
                self._open[pile] = Opportunity(seat, pile, card, at)
        return gone

    def _renew(self, changed: int) -> None:
        """Update what a foundation accepts, and all others if its first card determines their rank."""
        group = self._rules.layout.groups[changed]
        fixes = (
            isinstance(group, Foundations)
            and group.base is Base.FIRST
            and len(self._board.cards[changed]) <= 1
        )
        for pile in self._wanted if fixes else [changed]:
            self._wanted[pile] = self._wanted_by(pile)
        self._gather()

    def _wanted_by(self, pile: int) -> frozenset[Card]:
        return frozenset(face for face in FACES if self._rules.accepts(self._board, pile, face))

    def _gather(self) -> None:
        """Combine what all foundations of an owner accept, including the table's first."""
        found: dict[int | None, set[Card]] = {None: set()}
        for pile, faces in self._wanted.items():
            found.setdefault(self._rules.layout.piles[pile].seat, set()).update(faces)
        self._faces = {owner: frozenset(faces) for owner, faces in found.items()}


def _sources(rules: Rules, seat: int) -> Iterator[int]:
    """Yield a seat's piles whose top card can go up."""
    layout = rules.layout
    yield from layout.own(seat, Kind.WASTE)
    for pile in layout.own(seat, Kind.RESERVE):
        group = layout.groups[pile]
        if isinstance(group, Reserve) and group.playable:
            yield pile
    yield from layout.own(seat, Kind.TABLEAU)
