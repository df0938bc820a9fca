"""For how long each card of a hand could have gone up, and what became of it."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Foundations


class Chance(NamedTuple):
    """A card that could go up: the seat, the pile, and since when."""

    seat: int
    pile: int
    card: Card
    since: int


class PlayEffect(NamedTuple):
    """What a play did: who played, the chance that it took, and who lost a race by it, with which card."""

    seat: int
    taken: Chance | None
    lost: Collection[tuple[int, Card]] = ()


NO_PLAY: Final = PlayEffect(-1, None)
"""What other events do."""


class Place(NamedTuple):
    """A place on a board: the pile, and how many cards lie below it there."""

    pile: int
    depth: int


@dataclass(slots=True)
class CardWait:
    """How long one card could have gone up. Times are microseconds of the hand.

    Attributes:
        seat: whose card it is.
        card: the card.
        waited_us: for how long it could have gone up, all times together.
        longest_us: for how long at a stretch, the longest time.
        seq: the event from which on it could go up that longest time.
        beneath: the card that was face down beneath it then; ``None`` where there was none.
        completes: whether it would have completed a foundation then.
        is_up: whether it went up.
        winner: whose card took its place the last time that it could go up; ``None`` if nobody's did.
        lost_seq: the event that did.

    """

    seat: int
    card: Card
    waited_us: int = 0
    longest_us: int = -1
    seq: int = 0
    beneath: Place | None = None
    completes: bool = False
    is_up: bool = False
    winner: int | None = None
    lost_seq: int = 0


class _Ready(NamedTuple):
    """A card that could go up: since when, by which event, and what it lay on."""

    since: int
    seq: int
    beneath: Place | None
    completes: bool


class WaitTracker:
    """Follows all cards of one hand that could go up.

    Attributes:
        cards: every card that could once go up.
        opened: how many cards of others each seat has made ready by bringing up its own.

    Args:
        rules: the rules of the hand.
        board: its board, on which the caller moves the cards.

    """

    def __init__(self, rules: Rules, board: Board) -> None:
        self.cards: dict[Card, CardWait] = {}
        self.opened: dict[int, int] = {}
        self._ready: dict[Card, _Ready] = {}
        self._rules = rules
        self._board = board

    def follow(self, chances: Iterable[Chance], at: int, seq: int, effect: PlayEffect = NO_PLAY) -> None:
        """Follow an event that the board has followed.

        Args:
            chances: the cards that can go up after it, of all who may play.
            at: its time.
            seq: its number.
            effect: what it did, if it is a play.

        """
        rules, board = self._rules, self._board
        now = {chance.card: chance for chance in chances}
        for card in [card for card in self._ready if card not in now]:
            self._end(card, at, seq, effect)
        for card, chance in now.items():
            if card in self._ready:
                continue
            self._ready[card] = _Ready(at, seq, _beneath(board, chance.pile), _completes(rules, board, card))
            self.cards.setdefault(card, CardWait(chance.seat, card))
            if effect.taken is not None and chance.seat != effect.seat:
                self.opened[effect.seat] = self.opened.get(effect.seat, 0) + 1

    def end(self, at: int) -> None:
        """Follow the end of the hand."""
        for card in list(self._ready):
            self._end(card, at, 0, NO_PLAY)

    def _end(self, card: Card, at: int, seq: int, effect: PlayEffect) -> None:
        """Let a card be ready no longer."""
        ready, wait = self._ready.pop(card), self.cards[card]
        waited = max(0, at - ready.since)
        wait.waited_us += waited
        wait.is_up = wait.is_up or (effect.taken is not None and effect.taken.card == card)
        if waited > wait.longest_us:
            wait.longest_us, wait.seq = waited, ready.seq
            wait.beneath, wait.completes = ready.beneath, ready.completes
        is_lost = (wait.seat, card) in effect.lost
        wait.winner, wait.lost_seq = (effect.seat, seq) if is_lost else (None, 0)


def _beneath(board: Board, pile: int) -> Place | None:
    """Return the place of the card beneath a pile's top, if that is face down there since the deal."""
    cards, kind = board.cards[pile], board.piles[pile].kind
    is_dealt = kind is Kind.TABLEAU or kind is Kind.RESERVE
    return Place(pile, len(cards) - 2) if is_dealt and len(cards) > 1 and cards[-2] == UNKNOWN else None


def _completes(rules: Rules, board: Board, card: Card) -> bool:
    """Return whether a card would complete a foundation, in games in which that counts."""
    return rules.game.scoring.king_bonus > 0 and any(
        isinstance(group := rules.layout.groups[pile], Foundations)
        and len(board.cards[pile]) == group.length - 1
        and rules.accepts(board, pile, card)
        for pile in rules.layout.foundations
    )
