"""What a client infers from a server's messages: helpful plays, lost races, who can go on, new devices.

Reads no clock: times are milliseconds on the caller's monotonic clock.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.specification import Stock, TailRule
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.formatting import printable
from racing_demon_protocol.records.analysis import HistoryTracker, SeatAnalysis, analyze
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.table.suggestions import helpful_play, opened_play
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Devices, Refused, Snapshot

NOTHING_HELPS: Final = "Nothing helps: stuck"
"""The hint for a player whom no play helps."""
ADDED: Final = (
    "another device is you now: {}. If it is yours, trust it with racing-demon you, or on the page /you; if "
    "not, remove it there"
)
SHIFT_HELPS: Final = "The stock's top card to its bottom"
"""The hint for such a player who may still shift the stock."""


class HintFinder:
    """Finds plays for one player, and follows how the stock is turned.

    Attributes:
        is_fruitless: whether the whole stock was turned and nothing helped. Where the hidden cards are known,
            as at a solo table, it may be set earlier.

    """

    def __init__(self) -> None:
        self.is_fruitless = False
        self._is_whole = False

    def observe(self, message: Message, view: TableState, seat: int | None) -> None:
        """Observe a message that the view has applied."""
        if view.hand is None or seat is None or seat not in view.hand.seats:
            return
        rules, board = view.hand.rules, view.hand.board
        if isinstance(message, ev.Played):
            kinds = board.piles[message.source].kind, board.piles[message.destination].kind
            if message.seat == seat and kinds in {(Kind.STOCK, Kind.WASTE), (Kind.WASTE, Kind.STOCK)}:
                self._follow_turn(rules, board, seat)
            elif message.seat == seat or Kind.FOUNDATION in kinds:
                self._begin(rules, board, seat)
        elif isinstance(message, Snapshot | ev.Dealt | ev.Rotated) or (
            isinstance(message, ev.StockShifted) and message.seat == seat
        ):
            self._begin(rules, board, seat)

    def play(self, rules: Rules, board: Board, seat: int) -> Play | None:
        """Return a play that helps, or that turns the stock; ``None`` if nothing helps."""
        (helpful, is_sure), turn = helpful_play(rules, board, seat), rules.stock_play(board, seat)
        if helpful is not None or turn is not None:
            return helpful or (None if self.is_fruitless else turn)
        plays = rules.legal_plays(board, seat)
        if is_sure and isinstance(rules, BuildingRules):  # these cards only wander, or come back
            plays = (p for p in plays if board.piles[p.source].kind not in {Kind.TABLEAU, Kind.FOUNDATION})
        return next(plays, None)

    def advises_shift(self, rules: Rules, board: Board, seat: int) -> bool:
        """Return whether, as no play helps, the stock's top card should go to its bottom."""
        return rules.may_shift(board, seat) and self.play(rules, board, seat) is None

    def _begin(self, rules: Rules, board: Board, seat: int) -> None:
        """Start a new pass through the stock: other cards may help now."""
        waste = rules.layout.waste.get(seat)
        self._is_whole = waste is not None and not board.cards[waste]
        self.is_fruitless = False

    def _follow_turn(self, rules: Rules, board: Board, seat: int) -> None:
        stock = rules.layout.stock[seat]
        group = rules.layout.groups[stock]
        shows_all = isinstance(group, Stock) and not group.shuffle and group.tail_rule is TailRule.TOP
        if not shows_all or helpful_play(rules, board, seat) != (None, True):
            self._begin(rules, board, seat)
        elif not board.cards[stock]:
            self.is_fruitless = self.is_fruitless or self._is_whole
        elif not board.cards[rules.layout.waste[seat]]:
            self._is_whole = True


MAX_MISSES: Final = 3
MISSES_WINDOW_MS: Final = 1_000
MISSES_PAUSE_MS: Final = 500


class BestPlayThrottle:
    """Ignores automatic choices for a moment after some in a row have found nothing.

    Moves with a source and a destination are free. Times are milliseconds on the caller's monotonic clock.
    """

    def __init__(self) -> None:
        self._misses: deque[int] = deque(maxlen=MAX_MISSES)
        self._rests_until = 0

    def allows(self, now: int) -> bool:
        """Return whether a choice is made now."""
        return now >= self._rests_until

    def record_miss(self, now: int) -> None:
        """Count a choice that found nothing."""
        self._misses.append(now)
        if len(self._misses) == MAX_MISSES and now - self._misses[0] < MISSES_WINDOW_MS:
            self._rests_until = now + MISSES_PAUSE_MS
            self._misses.clear()


RACE_WINDOW_MS: Final = 2_000
"""For how long after a foundation was played to a late play counts as a lost race."""
MAX_FILLED: Final = 64


class LostRace(NamedTuple):
    """A lost race: the late card, the faster seat, and the difference in microseconds."""

    card: Card
    seat: int
    late_us: int


class RaceTracker:
    """Recent foundation plays of others, and this player's unanswered plays."""

    def __init__(self) -> None:
        self._filled: deque[tuple[int, int, int, int]] = deque(maxlen=MAX_FILLED)
        """The cards played to foundations: the pile, its height before, the seat and the time."""
        self._tried: dict[int, tuple[Play, int]] = {}

    def record_play(self, counter: int, play: Play, now: int) -> None:
        """Record a play that the player makes, under its counter."""
        self._tried[counter] = play, now

    def play(self, counter: int) -> Play | None:
        """Return the unanswered play with a counter."""
        return self._tried[counter][0] if counter in self._tried else None

    def observe(self, message: Message, view: TableState, seat: int | None, now: int) -> LostRace | None:
        """Observe a message that the view has applied; if it refuses a play, return the race it lost."""
        match message:
            case Snapshot() | ev.Dealt():
                self._filled.clear()
                self._tried.clear()
            case ev.Played():
                self._record_play(message, view, now)
                if message.seat == seat:
                    self._tried.pop(message.counter, None)
            case Refused():
                tried = self._tried.pop(message.counter, None)
                if tried is not None and message.reason is Reason.ILLEGAL:
                    return self._faster(view, seat, *tried)
        return None

    def _record_play(self, event: ev.Played, view: TableState, now: int) -> None:
        board = view.board
        if board is not None and board.piles[event.destination].kind is Kind.FOUNDATION:
            height = len(board.cards[event.destination]) - 1
            self._filled.append((event.destination, height, event.seat, now))

    def _faster(self, view: TableState, seat: int | None, play: Play, pressed_at: int) -> LostRace | None:
        """Return the race that a refused play lost: another seat filled its place a moment before."""
        if view.hand is None or not 0 <= play.source < len(view.hand.board.piles):
            return None
        rules, board = view.hand.rules, view.hand.board
        card = board.top(play.source)
        if card is None or card == UNKNOWN:
            return None
        for pile, height, rival, at in reversed(self._filled):
            is_meant = play.destination in {pile, FOUNDATIONS} and rival != seat
            if not (is_meant and 0 <= pressed_at - at <= RACE_WINDOW_MS and height < len(board.cards[pile])):
                continue
            if rules.follows_on(board, pile, board.cards[pile][:height], card):
                return LostRace(card, rival, 1_000 * (pressed_at - at))
        return None


class DeviceTracker:
    """Follows which devices are added to this player, of which the server tells at each connection."""

    def __init__(self) -> None:
        self._told: set[int] = set()

    def observe(self, message: Message) -> list[str]:
        """Return a line for each device that was added and that nobody trusts yet; once for each."""
        if not isinstance(message, Devices):
            return []
        added = [each for each in message.devices if each.is_new and each.device not in self._told]
        self._told |= {each.device for each in added}
        return [ADDED.format(printable(each.label) or "?") for each in added]


class StuckTracker:
    """Follows the messages of one table.

    Attributes:
        opened: for each seat that the last message freed, a play that it made possible.

    """

    def __init__(self) -> None:
        self.opened: dict[int, Play] = {}
        self._stuck: set[int] = set()

    def observe(self, message: Message, view: TableState) -> bool:
        """Observe a message that the view has applied. Return False if it only repeats "stuck"."""
        self.opened = {}
        if isinstance(message, ev.StuckSaid):
            is_news = message.seat not in self._stuck
            self._stuck.add(message.seat)
            return is_news
        stuck = set(view.stuck_seats())
        if isinstance(message, ev.Played) and view.hand is not None:
            for seat in self._stuck - stuck - {message.seat}:
                play = opened_play(view.hand.rules, view.hand.board, seat, [message.destination])
                if play is None:
                    stuck.add(seat)  # it will be said again
                else:
                    self.opened[seat] = play
        self._stuck = stuck
        return True


class Meaning(NamedTuple):
    """What a message means to a player, beside what it changes at the table.

    Attributes:
        refused: the player's play that it refuses, if it does.
        lost: the race that this play has lost, if it was one.
        devices: a line for each new device of the player.
        is_news: whether it says more than that somebody is still stuck.
        opened: for each seat that it freed, a play that it made possible.

    """

    refused: Play | None
    lost: LostRace | None
    devices: Sequence[str]
    is_news: bool
    opened: Mapping[int, Play]


class TableTracker:
    """Follows the messages of one table for a player, whatever shows them: a screen or lines of text.

    Attributes:
        hints: finds plays that help.
        analysis: the analysis of the last hand, for each player.

    """

    def __init__(self, hints: HintFinder) -> None:
        self.hints = hints
        self.analysis: Sequence[SeatAnalysis] = ()
        self._races = RaceTracker()
        self._stuck = StuckTracker()
        self._devices = DeviceTracker()
        self._history = HistoryTracker()

    def record_play(self, counter: int, play: Play, now: int) -> None:
        """Record a play that the player makes, under its counter, to explain a refusal."""
        self._races.record_play(counter, play, now)

    def observe(self, message: Message, view: TableState, seat: int | None, now: int) -> Meaning:
        """Observe a message that the view has applied, and return what it means."""
        refused = self._races.play(message.counter) if isinstance(message, Refused) else None
        if view.options.hints:
            self.hints.observe(message, view, seat)
        lost = self._races.observe(message, view, seat, now)
        is_news = self._stuck.observe(message, view)
        return Meaning(refused, lost, self._devices.observe(message), is_news, self._stuck.opened)

    def analyze(self, message: Message, view: TableState, seat: int | None, now_us: int) -> None:
        """Follow a message for the analysis, which is complete when the hand is over."""
        self._history.apply(message, view, now_us, seat)
        if isinstance(message, ev.HandOver) and self._history.hand is not None and view.hand is not None:
            seed = view.deal_seed(bytes.fromhex(message.seed))
            self.analysis = analyze(self._history.hand, view.hand, seed)
