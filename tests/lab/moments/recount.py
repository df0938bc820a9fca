"""Moments and what titles need, counted again from records alone, by what `docs/records.md` says.

It follows no chances: after every event it asks the rules for the plays of each seat, keeps which cards were
ready, and looks at all that when the hand is over. Kings complete foundations, as in games built from aces
on; of cards beneath others it knows only what an independent dealer deals.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.records.format import Record, TimedMessage, next_state
from racing_demon_protocol.table.state import HandView, TableState
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused
from tests.support.independent_dealer import deal

MOST: Final = 3
KING: Final = 12
SECOND: Final = 1_000_000
LOOKED_AT: Final = ev.Signalled | ev.SeatSignalled | ev.Played | ev.Rotated

Row = tuple[int, int, int, int, int, int | None, int | None]
"""Seat, card, points, microseconds waited, event, whose card went instead, the card beneath."""


class Look(NamedTuple):
    """The table after an event: when, who played, what went up, and the ready cards with what they lie on."""

    at: int
    seq: int
    player: int | None
    went_up: int | None
    changes_foundations: bool
    ready: Mapping[int, tuple[int, int] | None]
    fitting: Mapping[int, int]
    """The cards that lie ready, with their seats, of those who wait for their signal, too."""


class Spell(NamedTuple):
    """A time for which a card was ready: its first look, and the first without it; ``None``: to the end."""

    begin: Look
    end: Look | None

    def length(self, over_at: int) -> int:
        """Return how long it was."""
        return (over_at if self.end is None else self.end.at) - self.begin.at


class Counted(NamedTuple):
    """What one hand was like."""

    moments: list[Row]
    up: dict[int, int]
    first: int | None
    patience: dict[int, int]
    opened: dict[int, int]
    points: dict[int, int]
    """With those of handicaps."""
    out: int | None
    elapsed_ms: int
    plays: dict[int, int]
    races: list[tuple[int, int, int | None]]
    """Winner, loser, and by how many microseconds the loser was late."""


def counted(record: Record) -> Iterator[Counted]:
    """Yield what each hand of a record was like."""
    view: TableState | None = None
    looks: list[Look] = []
    races: list[tuple[int, int, int | None]] = []
    plays = Counter[int]()
    signal = 0
    for entry in record.entries:
        view = next_state(view, entry.message)
        if isinstance(entry.message, ev.Signalled):
            looks, races, plays, signal = [], [], Counter(), entry.at_us
        elif isinstance(entry.message, ev.Continued):
            signal = entry.at_us - entry.message.elapsed_ms * 1_000
        if isinstance(entry.message, LOOKED_AT) and view.hand is not None:
            looks.append(_look(view, view.hand, entry, max(0, entry.at_us - signal)))
            races += _races(looks[-2:])
            if isinstance(entry.message, ev.Played) and entry.message.counter:
                plays[entry.message.seat] += 1
        elif isinstance(entry.message, Refused) and entry.seat is not None:
            _be_late(races, (entry.message.by, entry.seat, entry.message.late_us))
        elif isinstance(entry.message, ev.HandOver) and view.hand is not None:
            seed = view.deal_seed(bytes.fromhex(entry.message.seed))
            hand = _hand(view, view.hand, looks, max(0, entry.at_us - signal), seed)
            extra = [each.points for each in view.hand.handicaps] or [0] * len(view.hand.seats)
            points = map(sum, zip(entry.message.points, extra, strict=True))
            yield hand._replace(
                points=dict(zip(view.hand.seats, points, strict=True)),
                out=entry.message.out,
                elapsed_ms=entry.message.elapsed_ms,
                plays=dict(plays),
                races=races,
            )


def _races(looks: Sequence[Look]) -> Iterator[tuple[int, int, int | None]]:
    """Yield the races that the newest play has won: others' cards do not fit any more."""
    before, after = looks[0], looks[-1]
    for card, seat in before.fitting.items():
        if after.changes_foundations and card not in after.fitting and seat != after.player:
            assert after.player is not None
            yield after.player, seat, None


def _be_late(races: list[tuple[int, int, int | None]], late: tuple[int | None, int, int | None]) -> None:
    """Note by how much somebody was late for the last such race, or for one that the board did not show."""
    winner, loser, late_us = late
    assert winner is not None
    alike = [at for at, race in enumerate(races) if race == (winner, loser, None)]
    if alike:
        races[alike[-1]] = (winner, loser, late_us)
    else:
        races.append((winner, loser, late_us))


def _look(view: TableState, hand: HandView, entry: TimedMessage, at: int) -> Look:
    board, piles = hand.board, hand.board.piles
    ready: dict[int, tuple[int, int] | None] = {}
    fitting: dict[int, int] = {}
    for seat in hand.seats:
        for play in hand.rules.legal_plays(board, seat):
            source, kind = board.cards[play.source], piles[play.source].kind
            if piles[play.destination].kind is not Kind.FOUNDATION or kind is Kind.FOUNDATION:
                continue
            fitting[source[-1]] = seat
            if seat not in view.waiting:
                is_dealt = kind is not Kind.WASTE and len(source) > 1 and source[-2] == -1
                ready[source[-1]] = (play.source, len(source) - 2) if is_dealt else None
    message = entry.message
    assert isinstance(message, ev.Event)
    if not isinstance(message, ev.Played):
        return Look(at, message.seq, None, None, changes_foundations=False, ready=ready, fitting=fitting)
    kinds = piles[message.source].kind, piles[message.destination].kind
    is_up = kinds[1] is Kind.FOUNDATION and kinds[0] is not Kind.FOUNDATION
    went_up = board.cards[message.destination][-1] if is_up else None
    changes = Kind.FOUNDATION in kinds
    return Look(
        at, message.seq, message.seat, went_up, changes_foundations=changes, ready=ready, fitting=fitting
    )


def _hand(view: TableState, hand: HandView, looks: Sequence[Look], over_at: int, seed: bytes) -> Counted:
    size = 52 * hand.rules.game.packs
    owner = {card: hand.seats[card // size] for look in looks for card in look.ready}
    ups = {look.went_up: look.player for look in looks if look.went_up is not None}
    options = view.options.model_dump(mode="json", exclude_defaults=True)
    dealt = deal(seed, view.options.game, len(hand.seats), options, [each.heap for each in hand.handicaps])
    found: list[Row] = []
    patience: dict[int, int] = {}
    for card, seat in owner.items():
        spells = list(_spells(card, looks))
        waited = sum(spell.length(over_at) for spell in spells)
        longest = max(spells, key=lambda spell: spell.length(over_at))  # the first of equal ones
        points, seq, winner = 0, longest.begin.seq, None
        if card in ups:
            patience[seat] = max(patience.get(seat, 0), waited)
        else:
            points = _points(hand, seat, card)
            end = spells[-1].end
            if end is not None and end.changes_foundations and end.player != seat:
                seq, winner = end.seq, end.player
        beneath = longest.begin.ready[card]
        opened = None if beneath is None else dealt[beneath[0]][beneath[1]]
        if points or waited >= SECOND:
            found.append((seat, card, points, waited, seq, winner, opened))
    found.sort(key=lambda row: (-row[2], -row[3], row[4], row[1]))
    own = ([row for row in found if row[0] == seat][:MOST] for seat in hand.seats)
    return Counted(
        moments=[row for rows in own for row in rows],
        up=dict(Counter(owner[card] for card in ups if card in owner)),
        first=next((look.player for look in looks if look.went_up is not None), None),
        patience=patience,
        opened=dict(Counter(_openings(looks, owner))),
        points={},
        out=None,
        elapsed_ms=0,
        plays={},
        races=[],
    )


def _spells(card: int, looks: Sequence[Look]) -> Iterator[Spell]:
    begin: Look | None = None
    for look in looks:
        if card in look.ready:
            begin = begin or look
        elif begin is not None:
            yield Spell(begin, look)
            begin = None
    if begin is not None:
        yield Spell(begin, None)


def _points(hand: HandView, seat: int, card: int) -> int:
    scoring, reserve = hand.rules.game.scoring, hand.rules.layout.seat_piles(seat, Kind.RESERVE)
    bonus = scoring.king_bonus if card % 13 == KING else 0
    return 1 + bonus - sum(scoring.reserve_card for pile in reserve if card in hand.board.cards[pile])


def _openings(looks: Sequence[Look], owner: Mapping[int, int]) -> Iterator[int]:
    for before, look in pairwise(looks):
        for card in look.ready if look.went_up is not None and look.player is not None else ():
            if card not in before.ready and owner[card] != look.player:
                yield look.player or 0
