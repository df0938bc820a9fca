"""The interface of every game's rules: legal plays, their effects, the end of a hand, and its points.

Rules look at the public :class:`~.engine.board.Board` only, never at hidden cards, so clients and the server
get the same answers. Each mechanic extends these rules: those of the building games are in :mod:`.building`.
:mod:`.engine.factory` chooses the rules for a declaration.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import ClassVar, Final

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, CardRef, Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card
from racing_demon_protocol.engine.deal import deal_out
from racing_demon_protocol.engine.layout import layout_of
from racing_demon_protocol.engine.sliced_search import SearchSteps
from racing_demon_protocol.engine.specification import Deals, Foundations, Game, Goal, Tableau
from racing_demon_protocol.errors import IllegalPlay

from .pile_moves import verify_piles

Revealer = Callable[[Play, Sequence[CardRef]], Sequence[Card]]
"""The dealer's part in a play: makes it among the hidden cards, and returns those that were turned up."""

LOOK_UNITS: Final = 35
"""The work of finding a first legal play in a game that is not built in sequences."""


class Rules:
    """One game's rules for the seats of one hand. A mechanic implements at least :meth:`legal_plays`.

    Attributes:
        game: the declaration.
        layout: the piles.
        is_private: whether each seat plays alone and unseen, because others hold the same cards.
        plays_automatically: whether a seat may have an automatic play.

    Raises:
        InvalidGame: the declaration is inconsistent.

    """

    refusal: ClassVar[str] = "That is no play of this game."
    """The message for a play that is not among the legal ones."""

    def __init__(self, game: Game, seats: Sequence[int], extra_heap: Sequence[int] = ()) -> None:
        self.game = game
        self.layout = layout_of(game, tuple(seats), tuple(extra_heap))
        kinds = {Kind.RESERVE} if game.goal is Goal.RESERVE_EMPTY else set(Kind) - {Kind.FOUNDATION, Kind.OUT}
        self._to_empty = {
            seat: [pile for kind in kinds for pile in self.layout.seat_piles(seat, kind)] for seat in seats
        }
        self.is_private = game.deals is Deals.IDENTICAL and len(seats) > 1
        self.plays_automatically = True

    def deal(self, decks: Sequence[Sequence[Card]] | None = None) -> Board:
        """Return a freshly dealt board.

        Args:
            decks: each seat's shuffled cards, in the order of the deal, for the dealer's board with all cards
                known. Without them, the result is the public board with no card known.

        """
        if decks is None:
            return self.layout.dealt_board.copy()
        board = self.layout.empty_board.copy()
        for seat, deck in zip(self.layout.seats, decks, strict=True):
            for pile, cards in deal_out(self.layout, seat, self.arrange(deck)):
                board.cards[pile] += tuple(cards)
        return board

    def arrange(self, deck: Sequence[Card]) -> Sequence[Card]:
        """Return a seat's shuffled cards in the order in which they are dealt."""
        return deck

    # Legal plays.

    def verify_play(self, board: Board, seat: int, play: Play) -> Play:
        """Return the play with its foundation resolved, if it is legal for the seat.

        Raises:
            IllegalPlay: it is illegal; the error has the reason.

        """
        self._verify_piles(seat, play)
        for legal in self.legal_plays(board, seat):
            upward = (
                play.destination == FOUNDATIONS and board.piles[legal.destination].kind is Kind.FOUNDATION
            )
            if legal == play or (upward and legal._replace(destination=FOUNDATIONS) == play):
                return legal
        raise IllegalPlay(self.refusal)

    def can_play(self, board: Board, seat: int, play: Play) -> bool:
        """Return whether a play is legal for a seat."""
        try:
            self.verify_play(board, seat, play)
        except IllegalPlay:
            return False
        return True

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield a seat's legal plays lazily, starting with those that advance the hand."""
        raise NotImplementedError

    def resolved_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield a seat's legal plays as they are carried out."""
        return map(partial(self.verify_play, board, seat), self.legal_plays(board, seat))

    def rule_state(self, board: Board, seat: int) -> tuple[int, ...]:
        """Return what a seat's future plays depend on beside the cards, as numbers."""
        came = (board.came.get(pile.number, 0) for pile in self.layout.piles if pile.seat == seat)
        return board.redeals.get(seat, 0), board.liberties.get(seat, 0), *came

    @staticmethod
    def carry_out(board: Board, play: Play, reveal: Revealer) -> tuple[Card, ...]:
        """Make a legal or automatic play, and return the cards that it turned up."""
        refs = board.move(play)
        shown = tuple(reveal(play, refs))
        if refs or shown:
            board.reveal(refs, shown)
        return shown

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Return a seat's next automatic play, which follows from the board alone.

        Call it after the signal, and after every play until it returns ``None``.
        """
        return None

    @property
    def turn_size(self) -> int:
        """How many cards of the stock are turned at a time."""
        return 1

    def stock_play(self, board: Board, seat: int) -> Play | None:
        """Return the play that uses the stock: turn it, deal a round, or redeal."""
        return None

    @property
    def allows_shifts(self) -> bool:
        """Whether players may move the top card of their stock to the bottom, now or at other times."""
        return False

    def verify_shift(self, board: Board, seat: int) -> None:
        """Check that a seat may move the top card of its stock to the bottom.

        Raises:
            IllegalPlay: it may not; the error has the reason.

        """
        raise IllegalPlay("Here, the stock's top card cannot go to its bottom.")

    def may_shift(self, board: Board, seat: int) -> bool:
        """Return whether a seat may move the top card of its stock to the bottom now."""
        try:
            self.verify_shift(board, seat)
        except IllegalPlay:
            return False
        return True

    def caption(self, board: Board, seat: int) -> str:
        """Return what is said with a trick's next step; empty for a game."""
        return ""

    def required_first(self, board: Board, seat: int) -> str:
        """Return what must be done first, in words; empty if nothing."""
        return ""

    def is_irreversible(self, board: Board, seat: int, play: Play) -> bool:
        """Return whether no earlier position can come again after a legal play that is yet to be made."""
        return True

    # The end of a hand and its points.

    def is_out(self, board: Board, seat: int) -> bool:
        """Return whether a seat has reached the game's goal."""
        cards = board.cards
        for pile in self._to_empty[seat]:  # noqa: SIM110 - called after every play, and any() is slower
            if cards[pile]:
                return False
        return True

    def can_progress(self, board: Board, seat: int, hidden: Board) -> SearchSteps:
        """Find out step by step whether a seat can get any further.

        The building games have a search of their own, in :mod:`.dead_hand`.

        Args:
            board: the public board.
            seat: the seat.
            hidden: the same board with all cards known, for games that may loop.

        """
        yield LOOK_UNITS
        return any(True for _ in self.legal_plays(board, seat))

    def progress(self, board: Board, seat: int) -> int:
        """Return a seat's progress, which decides races on identical deals; more is better."""
        return self.on_foundations(board)[seat]

    def goal(self, seat: int) -> int:
        """Return the progress of a finished game."""
        if self.game.goal is not Goal.FOUNDATIONS_FULL:
            return self.game.deck_size
        groups = (group for group in self.game.groups if isinstance(group, Foundations))
        return sum(group.count * group.length for group in groups)

    def all_progress(self, board: Board) -> dict[int, int]:
        """Return the progress of each seat."""
        return {seat: self.progress(board, seat) for seat in self.layout.seats}

    def points(self, board: Board, out: int | None = None) -> dict[int, int]:
        """Return each seat's points for the hand as it stands, with a bonus for the seat that is out."""
        scoring = self.game.scoring
        completed = self.completed(board) if scoring.king_bonus else Counter[int]()
        points = {}
        for seat, reached in self.all_progress(board).items():
            left = sum(len(board.cards[pile]) for pile in self.layout.seat_piles(seat, Kind.RESERVE))
            bonus = scoring.out_bonus if seat == out else 0
            kings = completed[seat] * scoring.king_bonus
            points[seat] = reached * scoring.foundation_card + left * scoring.reserve_card + kings + bonus
        return points

    def completed(self, board: Board) -> Counter[int]:
        """Return how many foundations each seat has completed with a card of its own."""
        layout = self.layout
        full = (
            board.cards[pile]
            for pile in layout.foundations
            if isinstance(group := layout.groups[pile], Foundations)
            and len(board.cards[pile]) == group.length
        )
        return Counter(layout.owner(cards[-1]) for cards in full)

    def on_foundations(self, board: Board) -> dict[int, int]:
        """Return the number of each seat's cards on the foundations."""
        size = self.game.packs * PACK_SIZE
        counts = Counter(card // size for pile in self.layout.foundations for card in board.cards[pile])
        return {seat: counts[at] for at, seat in enumerate(self.layout.seats)}

    # What clients need for hints; mechanics without these keep the defaults.

    def movable_counts(self, column: Tableau, cards: Sequence[Card]) -> Iterator[int]:
        """Yield how many cards may move together from the end of a column, fewest first."""
        if cards and cards[-1] != UNKNOWN:
            yield 1

    def open_foundations(self, board: Board, seat: int, card: Card) -> Iterator[int]:
        """Yield the foundations that accept a seat's card now."""
        yield from ()

    def accepts(self, board: Board, foundation: int, card: Card) -> bool:
        """Return whether a foundation accepts a card now."""
        return self.follows_on(board, foundation, board.cards[foundation], card)

    def follows_on(self, board: Board, foundation: int, cards: Sequence[Card], card: Card) -> bool:
        """Return whether a foundation would accept a card if it held these cards."""
        return False

    def may_take_back(self, seat: int, foundation: int) -> bool:
        """Return whether a seat may take cards back from a foundation."""
        return False

    # Verification.

    def _verify_piles(self, seat: int, play: Play) -> None:
        """Check that a play's piles exist, and that the seat may use them."""
        verify_piles(self.layout, seat, play)
