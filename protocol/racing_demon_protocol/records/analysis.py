"""What a hand was like beyond its points: plays, chances, races, and a short analysis for each player.

A *chance* is an available card that a foundation accepts. A chance that another player's card spoils is a
lost race: both could have played the same card, and one arrived first. Races follow from the public board, so
anybody finds the same races in the same record, whether or not the loser tried to play.

Pass every message to a :class:`HistoryTracker` after the view has applied it, with its time. At the end of a
hand its history is complete. Times are microseconds of the hand, from its signal, without its pauses.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Base, Foundations, Reserve
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.table.state import DEALT, HandView, TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused, Snapshot

from .moments import Dealt, HandMoment, dealt_to, dearest
from .waits import NO_PLAY, CardWait, Chance, PlayEffect, WaitTracker

FACES: Final = range(PACK_SIZE)


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


class ChanceTracker:
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
        self._accepted = {pile: self._accepted_by(pile) for pile in rules.layout.foundations}
        self._faces: dict[int | None, frozenset[Card]] = {}
        self._sources = {seat: tuple(_playable_piles(rules, seat)) for seat in rules.layout.seats}
        self._open: dict[int, Chance] = {}
        self._combine()
        self.refresh(at)

    @property
    def open(self) -> Iterator[Chance]:
        """The current chances."""
        return iter(self._open.values())

    def apply(self, event: ev.Played, at: int) -> tuple[Chance | None, list[Race]]:
        """Apply a play that the board has made before.

        Returns:
            The chance that it took, if it went up, and the races that others lost by it.

        """
        if not self._foundations[event.destination] and not self._foundations[event.source]:
            self._update_seat(event.seat, at)
            return None, []
        ready = self._open.get(event.source)
        taken = ready if self._foundations[event.destination] else None
        for pile in (event.source, event.destination):
            if self._foundations[pile]:
                self._update_foundation(pile)
        spoiled = self.refresh(at)
        races = [
            Race(at, chance.card, event.seat, chance.seat, max(0, at - chance.since))
            for chance in spoiled
            if chance.seat != event.seat
        ]
        return taken, races

    def refresh(self, at: int) -> list[Chance]:
        """Examine all available cards; return the chances that are gone."""
        return [gone for seat in self._sources for gone in self._update_seat(seat, at)]

    def _update_seat(self, seat: int, at: int) -> list[Chance]:
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
                self._open[pile] = Chance(seat, pile, card, at)
        return gone

    def _update_foundation(self, changed: int) -> None:
        """Update what a foundation accepts, and all others if its first card determines their rank."""
        group = self._rules.layout.groups[changed]
        fixes = (
            isinstance(group, Foundations)
            and group.base is Base.FIRST
            and len(self._board.cards[changed]) <= 1
        )
        for pile in self._accepted if fixes else [changed]:
            self._accepted[pile] = self._accepted_by(pile)
        self._combine()

    def _accepted_by(self, pile: int) -> frozenset[Card]:
        return frozenset(face for face in FACES if self._rules.accepts(self._board, pile, face))

    def _combine(self) -> None:
        """Combine what all foundations of an owner accept, including the table's first."""
        found: dict[int | None, set[Card]] = {None: set()}
        for pile, faces in self._accepted.items():
            found.setdefault(self._rules.layout.piles[pile].seat, set()).update(faces)
        self._faces = {owner: frozenset(faces) for owner, faces in found.items()}


def _playable_piles(rules: Rules, seat: int) -> Iterator[int]:
    """Yield a seat's piles whose top card can go up."""
    layout = rules.layout
    yield from layout.seat_piles(seat, Kind.WASTE)
    for pile in layout.seat_piles(seat, Kind.RESERVE):
        group = layout.groups[pile]
        if isinstance(group, Reserve) and group.playable:
            yield pile
    yield from layout.seat_piles(seat, Kind.TABLEAU)


class FoundationPlay(NamedTuple):
    """A card that went up: the seat, the card, when, and for how long it could have."""

    seat: int
    card: Card
    at: int
    waited_us: int


@dataclass(slots=True)
class HandHistory:
    """The history of one hand. Times are microseconds of the hand, without its pauses.

    Attributes:
        hand: its number in the match.
        is_whole: whether it was followed from its signal on without a gap.
        plays: how many plays each seat made, turns included.
        made: the cards that went up.
        races: the races for places on foundations.
        unused: the chances that were left when the hand was over.
        waits: every card that could once go up, and for how long.
        opened: how many cards of others each seat has made ready by bringing up its own.

    """

    hand: int
    is_whole: bool = False
    plays: dict[int, int] = field(default_factory=dict)
    made: list[FoundationPlay] = field(default_factory=list)
    races: list[Race] = field(default_factory=list)
    unused: tuple[Chance, ...] = ()
    waits: dict[Card, CardWait] = field(default_factory=dict)
    opened: dict[int, int] = field(default_factory=dict)

    def record_late(self, loser: int, refused: Refused) -> None:
        """Record by how much a card was late: for its race, or as a race that the board did not show."""
        assert refused.by is not None
        for place in range(len(self.races) - 1, -1, -1):
            race = self.races[place]
            if (race.winner, race.loser, race.late_us) == (refused.by, loser, None):
                self.races[place] = race._replace(late_us=refused.late_us)
                return
        at = self.races[-1].at if self.races else 0
        self.races.append(Race(at, UNKNOWN, refused.by, loser, 0, refused.late_us))


class HistoryTracker:
    """Follows one table.

    Attributes:
        hand: the current or last hand; ``None`` before the first.

    Args:
        follows_waits: whether the history is to have waits, and what each seat has opened: half of the work.

    """

    def __init__(self, *, follows_waits: bool = True) -> None:
        self.hand: HandHistory | None = None
        self._follows_waits = follows_waits
        self._chances: ChanceTracker | None = None
        self._waits: WaitTracker | None = None
        self._signal_us = 0

    def apply(self, message: Message, view: TableState, at_us: int, seat: int | None = None) -> None:
        """Apply a message that the view has applied before.

        Args:
            message: the message.
            view: the table after it.
            at_us: its time, in microseconds on one monotonic clock.
            seat: the seat whose command a refusal answers.

        """
        match message:
            case Snapshot():
                self._continue_from(message, view, at_us)
            case ev.Dealt():
                self.hand, self._chances = HandHistory(view.hand_number), None
            case ev.Signalled() if self.hand is not None:
                self._signal_us = at_us
                self.hand.is_whole = True
                self._watch_chances(view, 0)
                self._follow_waits(view, 0, message.seq)
            case ev.SeatSignalled():
                self._follow_waits(view, self._time(at_us), message.seq)
            case ev.Continued():
                self._signal_us = at_us - message.elapsed_ms * 1_000
            case ev.Played() if self.hand is not None:
                self._record_play(message, self.hand, view, at_us)
            case ev.Rotated() if self._chances is not None:
                self._chances.refresh(self._time(at_us))
                self._follow_waits(view, self._time(at_us), message.seq)
            case ev.HandOver() if self.hand is not None:
                self._end(self.hand, at_us)
            case Refused(reason=Reason.BEATEN) if self.hand and seat is not None and message.by is not None:
                self.hand.record_late(seat, message)

    def _continue_from(self, snapshot: Snapshot, view: TableState, at_us: int) -> None:
        """Continue from a table's current state; what happened in between is unknown."""
        self._signal_us = at_us - snapshot.elapsed_ms * 1_000
        self._chances = None
        if view.phase not in DEALT:
            return
        if self.hand is None or self.hand.hand != view.hand_number:
            self.hand = HandHistory(view.hand_number)
        self.hand.is_whole = False
        if view.in_hand:
            self._watch_chances(view, self._time(at_us))

    def _watch_chances(self, view: TableState, at: int) -> None:
        if view.hand is None or view.hand.rules.is_private:
            return
        rules, board = view.hand.rules, view.hand.board
        self._chances = ChanceTracker(rules, board, at)
        self._waits = WaitTracker(rules, board) if self._follows_waits else None
        if self.hand is not None and self._waits is not None:
            self.hand.waits, self.hand.opened = self._waits.cards, self._waits.opened

    def _end(self, hand: HandHistory, at_us: int) -> None:
        if self._chances is not None:
            hand.unused = tuple(self._chances.open)
        if self._chances is not None and self._waits is not None:
            self._waits.end(self._time(at_us))
        self._chances = self._waits = None

    def _follow_waits(self, view: TableState, at: int, seq: int, effect: PlayEffect = NO_PLAY) -> None:
        """Follow an event with the chances that it has left, of those seats that have had their signal."""
        if self._chances is not None and self._waits is not None:
            chances = (chance for chance in self._chances.open if chance.seat not in view.waiting)
            self._waits.follow(chances, at, seq, effect)

    def _time(self, at_us: int) -> int:
        return max(0, at_us - self._signal_us)

    def _record_play(self, event: ev.Played, hand: HandHistory, view: TableState, at_us: int) -> None:
        if event.counter:
            hand.plays[event.seat] = hand.plays.get(event.seat, 0) + 1
        if self._chances is None:
            return
        at = self._time(at_us)
        taken, races = self._chances.apply(event, at)
        hand.races += races
        lost = [(race.loser, race.card) for race in races]
        self._follow_waits(view, at, event.seq, PlayEffect(event.seat, taken, lost))
        if taken is not None:
            hand.made.append(FoundationPlay(event.seat, taken.card, at, max(0, at - taken.since)))


class BuriedCard(NamedTuple):
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
        moments: what cost the player most; empty if the hand was not seen whole.
        faster: what being faster would have been worth, for each of :data:`FASTER_US`.

    """

    seat: int
    won: tuple[Race, ...]
    lost: tuple[Race, ...]
    waits: tuple[FoundationPlay, ...]
    unused: tuple[Chance, ...]
    face_down: int
    in_hand: int
    buried: tuple[BuriedCard, ...]
    moments: tuple[HandMoment, ...] = ()
    faster: tuple["Faster", ...] = ()


FASTER_US: Final = (100_000, 200_000, 500_000)
"""By how much faster somebody might be."""


class Faster(NamedTuple):
    """What being faster would have been worth, had nobody answered.

    Attributes:
        by_us: by how many microseconds.
        races: how many of the lost races were that close.
        cards: how many of their cards never went up.

    """

    by_us: int
    races: int
    cards: int


def moments_of(
    history: HandHistory, hand: HandView, seed: bytes = b"", rest: Callable[[], None] = lambda: None
) -> list[HandMoment]:
    """Return the moments of a finished hand, seat by seat, the one that cost most first.

    There are none of identical deals, and of hands of which not all was seen.

    Args:
        history: the hand's history.
        hand: its cards as it ended.
        seed: the hand's seed; without it nothing hidden is told.
        rest: is called between steps of some tenths of a millisecond.

    """
    dealt = partial(dealt_to, hand, seed=seed)
    return dearest(history.waits.values(), hand, dealt, rest) if history.is_whole else []


def faster(history: HandHistory, seat: int) -> tuple[Faster, ...]:
    """Return what being faster would have been worth to a seat. Only races that it tried have a lateness."""
    tried = [(race.late_us, race.card) for race in history.races if race.loser == seat]
    found = []
    for by_us in FASTER_US:
        cards = [card for late_us, card in tried if late_us is not None and late_us <= by_us]
        never_up = {card for card in cards if card in history.waits and not history.waits[card].is_up}
        found.append(Faster(by_us, len(cards), len(never_up)))
    return tuple(found)


def analyze(history: HandHistory, hand: HandView, seed: bytes = b"") -> list[SeatAnalysis]:
    """Return the analysis of the finished hand, in the order of its seats.

    Args:
        history: the hand's history.
        hand: its cards as it ended.
        seed: the hand's seed, if known.

    """
    # In building games a card that is face down in a column has been there since the deal.
    dealt = {seat: dealt_to(hand, seat, seed) for seat in hand.seats}
    moments = dearest(history.waits.values(), hand, dealt.__getitem__) if history.is_whole else []
    return [
        _seat(history, hand, dealt[seat], seat)._replace(
            moments=tuple(each for each in moments if each.seat == seat), faster=faster(history, seat)
        )
        for seat in hand.seats
    ]


def _seat(history: HandHistory, hand: HandView, dealt: Dealt, seat: int) -> SeatAnalysis:
    own, cards = hand.rules.layout.seat_piles, hand.board.cards
    columns = own(seat, Kind.TABLEAU)
    loose = [pile for kind in (Kind.STOCK, Kind.WASTE, Kind.RESERVE) for pile in own(seat, kind)]
    buried: list[BuriedCard] = []
    for number, pile in enumerate(columns):
        hidden = cards[pile].count(UNKNOWN)
        known = dealt.get(pile, ())[:hidden]
        buried += [BuriedCard(card, number, len(cards[pile]) - depth - 1) for depth, card in enumerate(known)]
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
