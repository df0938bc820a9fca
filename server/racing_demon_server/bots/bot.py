"""Bots: players who see only the public board and react at human speed.

A bot looks at the table, decides, and its play arrives some time later, on a board that may have changed.
It never sees the dealer. Randomness and time are arguments, so a match of bots can be repeated. Bots think
in slices, so that eight of them delay nobody.
"""

import random
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeGuard

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card, rank
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.sliced_search import SlicedSearch
from racing_demon_protocol.engine.specification import Tableau
from racing_demon_protocol.enums import BotLevel, Phase
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.client import Call, Command, PlayCards, Stuck
from racing_demon_protocol.wire.options import CallOut
from racing_demon_protocol.wire.serial_numbers import next_counter

UNCOVERS: Final = 110
"""A face-down card is turned up, or can be next: before everything else."""
WASTE_UP: Final = 90
COLUMN_UP: Final = 50
UP_UNCOVERS: Final = 60
UP_CLEARS: Final = 5
"""Added if a card that goes up uncovers a face-down card, or makes a space that a king waits for."""
PREPARES: Final = 50
CLEARS: Final = 50
"""A column becomes a space, and a king waits for it."""
IDLE: Final = -5
"""The same without a king: not urgent."""
KING: Final = 40
WASTE_DOWN: Final = 30
NEEDED: Final = 60
WASTE_NEEDED: Final = 20
"""Subtracted for each card still to come that could be built on the card that goes up."""
CONTESTED: Final = 60
"""Added for a column's card if another player has its twin ready for the only place."""
LOWEST_PLACE: Final = 2
"""No card needs a place on these ranks or lower ones, so they always go up."""


def knows(rules: Rules) -> TypeGuard[BuildingRules]:
    """Tell whether there are plans for a game: one that is built around shared foundations, from aces."""
    return isinstance(rules, BuildingRules) and rules.game.name == "racing-demon"


class Planner:
    """Values the plays of one seat on the current board, for an expert bot. It sees only the public board.

    Most hands around shared foundations die because columns are cleared too eagerly: a card on a foundation
    can hold no other card any more. So an expert uncovers face-down cards first. It keeps a card on which
    its own cards may still have to go, until it has waited long enough or somebody else could take the last
    column for it. The weights were found in thousands of simulated hands.

    Args:
        rules: the rules of a game for which :func:`knows` is true.
        board: the public board.
        seat: the seat.

    """

    def __init__(self, rules: BuildingRules, board: Board, seat: int) -> None:
        self._rules = rules
        self._board = board
        self._seat = seat
        self._columns = rules.layout.seat_piles(seat, Kind.TABLEAU)
        column = rules.layout.groups[self._columns[0]]
        assert isinstance(column, Tableau)
        self._column = column
        self._heads = [head for pile in self._columns if (head := _covering(board.cards[pile])) is not None]
        self._to_come = self._still_to_come()

    def worth(self, play: Play) -> float | None:
        """Return the value of a legal play: at 0 and below it can wait; ``None`` leads nowhere."""
        board = self._board
        source, destination = board.piles[play.source], board.piles[play.destination]
        if destination.kind is Kind.FOUNDATION:
            return self._up(play.source, len(board.cards[play.source]) - 1)
        if destination.kind is not Kind.TABLEAU:
            return None
        if source.kind is Kind.WASTE:
            return self._down(play)
        if board.is_progress(play):
            return self._across(play)
        return PREPARES if self._prepares(play) else None

    def _up(self, pile: int, index: int) -> float:
        """Return the value of moving a pile's card to the foundations."""
        cards = self._board.cards[pile]
        card = cards[index]
        needed = sum(self._lands(card, other) for other in self._to_come) if rank(card) > LOWEST_PLACE else 0
        if self._board.piles[pile].kind is not Kind.TABLEAU:
            return WASTE_UP - WASTE_NEEDED * needed
        worth = COLUMN_UP - NEEDED * needed + (CONTESTED if self._is_contested(card) else 0)
        if not index:
            return worth + (UP_CLEARS if self._king_waits() else 0)
        return worth + (UP_UNCOVERS + index if cards[index - 1] == UNKNOWN else 0)

    def _down(self, play: Play) -> float:
        """Return the value of moving the waste's card to a column."""
        if not self._board.cards[play.destination]:
            return KING
        card = self._board.cards[play.source][-1]
        return UNCOVERS - 5 if any(self._lands(card, head) for head in self._heads) else WASTE_DOWN

    def _across(self, play: Play) -> float:
        """Return the value of a tableau move that uncovers a card or gains a space."""
        left = len(self._board.cards[play.source]) - play.count
        if left:
            return UNCOVERS + left
        return CLEARS if self._king_waits() else IDLE

    def _prepares(self, play: Play) -> bool:
        """Tell whether a neutral tableau move uncovers a card that can go to the foundations now."""
        cards = self._board.cards[play.source]
        index = len(cards) - play.count - 1
        if self._board.piles[play.source].kind is not Kind.TABLEAU or index < 0 or cards[index] == UNKNOWN:
            return False
        return self._places(cards[index]) > 0 and self._up(play.source, index) > 0

    def _still_to_come(self) -> frozenset[Card]:
        """Return the seat's cards that are neither on the foundations nor face up in its columns."""
        rules, board = self._rules, self._board
        size = rules.game.packs * PACK_SIZE
        first = rules.layout.seats.index(self._seat) * size
        there = {card for pile in self._columns for card in board.cards[pile]}
        there.update(card for pile in rules.foundations.piles_of(self._seat) for card in board.cards[pile])
        return frozenset(range(first, first + size)) - there

    def _lands(self, below: Card, above: Card) -> bool:
        return self._rules.columns.continues(self._column, below, above)

    def _king_waits(self) -> bool:
        """Tell whether a king waits for a space: in the waste, or on top of face-down cards."""
        tops = (self._board.top(pile) for pile in self._rules.layout.seat_piles(self._seat, Kind.WASTE))
        waiting = [*self._heads, *(top for top in tops if top is not None)]
        return any(self._rules.columns.opens(self._column, card) for card in waiting)

    def _is_contested(self, card: Card) -> bool:
        """Tell whether there is only one place for a card, and another player has its twin ready."""
        if self._places(card) != 1:
            return False
        return any(
            pile.seat not in {None, self._seat} and cards and cards[-1] % PACK_SIZE == card % PACK_SIZE
            for pile, cards in zip(self._board.piles, self._board.cards, strict=True)
            if pile.kind in {Kind.TABLEAU, Kind.WASTE}
        )

    def _places(self, card: Card) -> int:
        return sum(1 for _ in self._rules.open_foundations(self._board, self._seat, card))


def _covering(cards: list[Card]) -> Card | None:
    """Return the lowest face-up card of a column with face-down cards."""
    covered = cards.count(UNKNOWN)
    return cards[covered] if 0 < covered < len(cards) else None


@dataclass(frozen=True, slots=True)
class Level:
    """How well a bot plays.

    Attributes:
        play_ms: the median time from seeing a play to making it, in milliseconds.
        turn_ms: the same for turning the stock.
        overlooks: the probability of overlooking a play.
        looks_ahead: whether it finds moves that only prepare a play to the foundations.
        plans: whether it keeps cards that it may still need, in games for which there are plans.

    """

    play_ms: int
    turn_ms: int
    overlooks: float
    looks_ahead: bool
    plans: bool = False


LEVELS: Final[dict[str, Level]] = {
    BotLevel.EASY: Level(play_ms=2_800, turn_ms=600, overlooks=0.35, looks_ahead=False),
    BotLevel.MEDIUM: Level(play_ms=2_000, turn_ms=1_200, overlooks=0.1, looks_ahead=False),
    BotLevel.HARD: Level(play_ms=1_150, turn_ms=700, overlooks=0.0, looks_ahead=True),
    BotLevel.EXPERT: Level(play_ms=650, turn_ms=350, overlooks=0.0, looks_ahead=True, plans=True),
}
"""The levels by name, weakest first."""

IDLE_MS: Final = 500
"""How often a waiting bot looks at the table."""
LOOKED_THROUGH: Final = 2
"""After this many passes through the stock without anybody's progress a bot considers every play. After
one more pass it is stuck."""
IMPATIENCE: Final = 20
"""Added to the value of plays that can wait, for each pass that went by without a play."""

PILES_A_UNIT: Final = 12
"""Piles searched for one unit of work: see :mod:`.engine.sliced_search`."""
PLAY_UNITS: Final = 3
"""The work of finding and weighing a play."""

Decision = tuple[Command | None, int]
"""What a bot sends, if anything, and the milliseconds until then. Its next look follows."""

Weigh = Callable[[Play], float | None]
"""Returns the value of a play: at 0 and below it can wait; ``None`` leads nowhere."""

Standing = tuple[int, int, int]
"""Everybody's progress: cards on foundations, cards still to be turned or in reserves, face-down cards."""


class Bot:
    """One bot.

    Args:
        seat: its seat.
        level: its level of skill.
        rng: its source of randomness; the cards never depend on it.
        counter: the number of the seat's last command.

    """

    def __init__(self, seat: int, level: Level, rng: random.Random, counter: int = 0) -> None:
        self.seat = seat
        self.level = level
        self._rng = rng
        self._counter = counter
        self._fruitless = self._turns = 0
        self._hand = (0, "")
        self._standing: Standing = (0, 0, 0)
        self._gave_up_at: Standing | None = None

    def look(self, view: TableState) -> SlicedSearch[Decision]:
        """Look at the table, and return a generator that thinks in slices and returns a decision.

        It considers the cards as they lie now, whatever changes meanwhile.
        """
        return SlicedSearch(self._think(view))

    def _think(self, view: TableState) -> Generator[int, None, Decision]:
        if (view.hand_number, view.hand_id) != self._hand:
            self._hand, self._fruitless, self._turns = (view.hand_number, view.hand_id), 0, 0
            self._gave_up_at = None
        if view.phase is not Phase.PLAYING or view.paused or self.seat not in view.hand_seats:
            return None, self._wait(IDLE_MS)
        assert view.hand is not None
        rules, board = view.hand.rules, view.hand.board
        if view.options.call_out is CallOut.SHOUT and rules.is_out(board, self.seat):
            return Call(counter=self.next_counter(), seen=view.seq), self._wait(self.level.turn_ms)
        is_stuck = view.seats[self.seat].stuck
        if is_stuck and (view.is_private or _standing(rules, board) == self._gave_up_at):
            self._fruitless = 0
            return None, self._wait(IDLE_MS)
        return (yield from self._choose(rules, board.copy(), view.seq, is_stuck=is_stuck))

    def _choose(
        self, rules: Rules, board: Board, seen: int, *, is_stuck: bool
    ) -> Generator[int, None, Decision]:
        """Choose a play. Who is stuck looks through the cards again when others have got further."""
        yield len(board.piles) // PILES_A_UNIT
        if (standing := _standing(rules, board)) != self._standing:
            self._standing, self._fruitless = standing, 0
        turn = rules.stock_play(board, self.seat)
        turns = self._turns_of_pass(rules, board)
        is_attentive = self._fruitless > LOOKED_THROUGH * turns
        patience = float("inf") if is_attentive else IMPATIENCE * self._turns / turns
        weigh, useful = self._weigh(rules, board, is_attentive=is_attentive), list[tuple[float, Play]]()
        for play in rules.legal_plays(board, self.seat):
            yield PLAY_UNITS
            worth = weigh(play)
            if worth is not None and worth + patience > 0:
                useful.append((worth, play))
        if useful and (is_attentive or self._rng.random() >= self.level.overlooks):
            self._fruitless = self._turns = 0
            best = max(useful, key=lambda item: (item[0], self._rng.random()))[1]
            return self._send(best, seen), self._wait(self.level.play_ms)
        if self._fruitless > (LOOKED_THROUGH + 1) * turns:
            self._gave_up_at = standing
            if is_stuck:
                return None, self._wait(IDLE_MS)
            return Stuck(counter=self.next_counter(), seen=seen), self._wait(self.level.turn_ms)
        self._fruitless += 1
        self._turns += 1
        command = None if turn is None else self._send(turn, seen)
        return command, self._wait(self.level.turn_ms)

    def _weigh(self, rules: Rules, board: Board, *, is_attentive: bool) -> Weigh:
        """Return the function that values plays."""
        if self.level.plans and knows(rules):
            return Planner(rules, board, self.seat).worth
        return partial(self._worth, rules, board, sees_ahead=self.level.looks_ahead or is_attentive)

    def _worth(self, rules: Rules, board: Board, play: Play, *, sees_ahead: bool) -> float | None:
        source, destination = board.piles[play.source], board.piles[play.destination]
        if not board.is_progress(play):
            return 50 if sees_ahead and self._prepares(rules, board, play) else None
        if destination.kind is Kind.FOUNDATION:
            return 120 if source.kind is Kind.RESERVE else 100
        if source.kind is Kind.RESERVE:
            return 90
        if source.kind is Kind.TABLEAU:
            return 60 + board.cards[play.source].count(UNKNOWN)
        return 30

    def _prepares(self, rules: Rules, board: Board, play: Play) -> bool:
        """Tell whether a neutral tableau move uncovers a card that a foundation accepts."""
        cards = board.cards[play.source]
        if board.piles[play.source].kind is not Kind.TABLEAU or len(cards) <= play.count:
            return False
        bared = cards[-play.count - 1]
        return bared != UNKNOWN and bool(list(rules.open_foundations(board, self.seat, bared)))

    def _turns_of_pass(self, rules: Rules, board: Board) -> int:
        """Return the most turns of one pass, including the one that turns the waste over."""
        layout = rules.layout
        piles = (own.get(self.seat) for own in (layout.stock, layout.waste))
        left = sum(len(board.cards[pile]) for pile in piles if pile is not None)
        return left // rules.turn_size + 2

    def _send(self, play: Play, seen: int) -> PlayCards:
        return PlayCards.of(play, counter=self.next_counter(), seen=seen)

    def next_counter(self) -> int:
        """Return the number of the seat's next command."""
        self._counter = next_counter(self._counter)
        return self._counter

    def _wait(self, median_ms: int) -> int:
        """Return a random time around a median, distributed like human reactions: a few are very slow."""
        return max(1, int(median_ms * self._rng.lognormvariate(0, 0.35)))


def _standing(rules: Rules, board: Board) -> Standing:
    """Return everybody's progress. On identical deals only this seat's own cards matter."""
    if rules.is_private:
        return 0, 0, 0
    up = to_come = covered = 0
    for pile, cards in zip(board.piles, board.cards, strict=True):
        if pile.kind is Kind.FOUNDATION:
            up += len(cards)
        elif pile.kind is Kind.TABLEAU:
            covered += cards.count(UNKNOWN)
        else:
            to_come += len(cards)
    return up, to_come, covered
