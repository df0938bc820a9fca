"""A solo table: the list of all plays, and a position in it. Undo moves the position back.

Reads no clock and no randomness: seeds and times are arguments.
"""

import datetime as dt
from collections.abc import Iterable, Iterator
from typing import Final

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.commit_reveal import SEED_SIZE, commitment
from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.sliced_search import SlicedSearch
from racing_demon_protocol.engine.specification import Racing
from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.games import declare
from racing_demon_protocol.table.scoring import hand_points, match_winners
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options

CODE: Final = "SOLO"
HAND: Final = f"{CODE}-1"
MAX_AUTOMATIC: Final = 1_000
"""The maximum number of automatic plays in a row; a game that loops stops there."""


class SoloTable:
    """One deal of a solo game, with every play made on it.

    Attributes:
        seed: the 32 bytes that determine the deal.
        view: the table's current state. Undo replaces it.

    Args:
        options: the game and its options.
        seed: the seed of the deal.
        name: the player's name in a record.

    Raises:
        InvalidGame: there is no such game, or the options do not fit it.

    """

    view: TableState
    _dealer: Dealer

    def __init__(self, options: Options, seed: bytes, name: str) -> None:
        self.seed = seed
        self._options = options.model_copy(
            update={"hands": 1, "target": None, "countdown_ms": 0, "hints": True}
        )
        self._name = name
        game = declare(self._options, 1)
        self._seats = tuple(range(2 if game.racing is Racing.TOGETHER else 1))
        self._line: list[list[ev.Played | ev.StockShifted]] = []
        self._at = 0
        self._begun: list[Event] = []
        self._ends: list[Event] = []
        self._begin()

    # Queries.

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        assert self.view.hand is not None
        return self.view.hand.rules

    @property
    def board(self) -> Board:
        """The cards as the player sees them."""
        assert self.view.board is not None
        return self.view.board

    @property
    def plays(self) -> int:
        """The number of plays that led to the current state."""
        return self._at

    @property
    def undone(self) -> int:
        """The number of undone plays that can be redone."""
        return len(self._line) - self._at

    @property
    def is_won(self) -> bool:
        """Whether the game is won; where two hands play together, by both."""
        return all(self.rules.is_out(self.board, seat) for seat in self._seats)

    @property
    def caption(self) -> str:
        """The patter for a trick's next step; empty for a game."""
        return self.rules.caption(self.board, self.seat)

    @property
    def required_first(self) -> str:
        """What the player must do first; empty in most games."""
        return self.rules.required_first(self.board, self.seat)

    @property
    def is_over(self) -> bool:
        """Whether the hand has ended."""
        return not self.view.in_hand

    def is_stuck(self) -> bool:
        """Return whether no play leads any further. The search may take some tenths of a second."""
        return not self.is_won and self._dealer.is_dead(self.board, self._seats)

    def searches(self) -> list[SlicedSearch[bool]]:
        """Return a search for each seat that finds out whether it can get any further."""
        return [self._dealer.search(self.board, seat) for seat in self._seats]

    @property
    def seat(self) -> int:
        """The seat that has a play; where two hands play together, the one whose turn it is."""
        able = (seat for seat in self._seats if any(True for _ in self.rules.legal_plays(self.board, seat)))
        return next(able, self._seats[0])

    # Actions.

    def play(self, counter: int, play: Play) -> list[ev.Played]:
        """Carry out a play and all automatic plays that follow it.

        Args:
            counter: the number of the player's command.
            play: the play; several cards go to a foundation one by one, as far as possible.

        Raises:
            IllegalPlay: the play is illegal; nothing has changed.

        """
        if self.is_over:
            raise IllegalPlay("This deal is over.")
        played: list[ev.Played] = []
        upward = play.destination == FOUNDATIONS or self._is_foundation(play.destination)
        seat = self.seat
        times, one = (play.count, play._replace(count=1)) if upward else (1, play)
        for _ in range(max(1, times)):
            try:
                resolved = self.rules.verify_play(self.board, seat, one)
            except IllegalPlay:
                if played:
                    break
                raise
            played.append(self.view.play(seat, counter, resolved, self._dealer.move))
            played += self._settle()
        self._line[self._at :] = [[*played]]
        self._at += 1
        return played

    def shift(self) -> Event:
        """Move the stock's top card to its bottom; undo takes that back like a play.

        Raises:
            IllegalPlay: that is not allowed; nothing has changed.

        """
        if self.is_over:
            raise IllegalPlay("This deal is over.")
        seat = self.seat
        self.rules.verify_shift(self.board, seat)
        self._dealer.shift(self.rules.layout.stock[seat])
        event = ev.StockShifted(seq=self.view.seq + 1, seat=seat)
        self.view.apply(event)
        self._line[self._at :] = [[event]]
        self._at += 1
        return event

    def undo(self) -> bool:
        """Undo the last play; return whether there was one."""
        return self.go_to(self._at - 1)

    def redo(self) -> bool:
        """Redo the last undone play; return whether there was one."""
        return self.go_to(self._at + 1)

    def go_to(self, place: int) -> bool:
        """Go to the state after a number of plays; return whether it exists."""
        if not 0 <= place <= len(self._line):
            return False
        self._at = place
        self._begin()
        for played in self._line[:place]:
            for event in played:
                self.view.apply(event)
                if isinstance(event, ev.StockShifted):
                    self._dealer.shift(self.rules.layout.stock[event.seat])
                else:
                    self._dealer.move(event.play, [])
        return True

    def finish(self, elapsed_ms: int) -> list[Event]:
        """End the hand as it stands, won or left, and return the events."""
        won, ends = self.is_won, self._ends
        if not won:
            ends += self._apply(ev.Left(seq=1, seat=seat) for seat in self._seats)
        out = self._seats[0] if won else None
        over = ev.HandOver(
            seq=1,
            reason=EndReason.OUT if won else EndReason.ABANDONED,
            out=out,
            points=hand_points(self.view, out),
            seed=self.seed.hex(),
            elapsed_ms=elapsed_ms,
        )
        ends += self._apply([over])
        if won:  # giving up wins no match, although there are no other players
            ends += self._apply([ev.MatchOver(seq=1, winners=match_winners(self.view) or ())])
        return ends

    def log(self) -> Iterator[Snapshot | Event]:
        """Yield the events without undone plays, as a record contains them."""
        yield TableState(CODE, self._options).snapshot(0)
        yield from self._begun
        for played in self._line[: self._at]:
            yield from played
        yield from self._ends

    # Steps.

    def _begin(self) -> None:
        """Deal the cards."""
        self._ends = []
        self.view = TableState(CODE, self._options)
        rules = make_rules(declare(self._options, len(self._seats)), self._seats)
        self._dealer = Dealer(self.seed, rules)
        self._begun = self._apply(
            [
                *(ev.Joined(seq=1, seat=seat, name=self._name) for seat in self._seats),
                ev.Hosted(seq=1, seat=self._seats[0]),
                ev.Committed(seq=1, hand=1, hand_id=HAND, commitment=commitment(self.seed, HAND)),
                ev.Dealt(seq=1, seats=self._seats, shown=self._dealer.first_cards(), countdown_ms=0),
                ev.Signalled(seq=1),
            ]
        )
        self._begun += self._settle()

    def _apply(self, events: Iterable[Event]) -> list[Event]:
        """Apply events to the view with their numbers filled in, and return them."""
        numbered = []
        for event in events:
            numbered.append(event.model_copy(update={"seq": self.view.seq + 1}))
            self.view.apply(numbered[-1])
        return numbered

    def _settle(self) -> list[ev.Played]:
        """Make the automatic plays and return their events."""
        played: list[ev.Played] = []
        while len(played) < MAX_AUTOMATIC:
            plays = ((seat, self.rules.automatic_play(self.board, seat)) for seat in self._seats)
            found = next(((seat, play) for seat, play in plays if play is not None), None)
            if found is None:
                break
            played.append(self.view.play(found[0], 0, found[1], self._dealer.move))
        return played

    def _is_foundation(self, pile: int) -> bool:
        return 0 <= pile < len(self.board.piles) and self.board.piles[pile].kind is Kind.FOUNDATION


SOLO = bytes(SEED_SIZE)
"""The secret of all named deals. It is public: solo players have no opponents."""


def daily_seed(game: str, day: dt.date) -> bytes:
    """Return the seed of a game's daily deal: the same for everyone on the same date."""
    return subseed(SOLO, f"daily/{game}/{day.isoformat()}")


def named_seed(game: str, name: str) -> bytes:
    """Return the seed of a game's named deal."""
    return subseed(SOLO, f"deal/{game}/{name}")
