"""Summaries of matches for standings, small enough to read a thousand of them at once."""

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import replace
from typing import Annotated, Final, TypeGuard

from pydantic import BaseModel, ConfigDict, Field

from racing_demon_protocol.engine.commit_reveal import is_further_draw, match_of
from racing_demon_protocol.enums import EndReason, Phase
from racing_demon_protocol.table.appearance import seat_colors
from racing_demon_protocol.table.scoring import teams_of
from racing_demon_protocol.table.state import DEALT, TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.base import Name, Seat, SeatColor, Team
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import HandResult, Points, Snapshot
from racing_demon_protocol.wire.options import MatchScore
from racing_demon_protocol.wire.presets import preset_of

from .analysis import HandHistory, HistoryTracker
from .format import Correction, Record, TimedMessage, next_state
from .notes import HandNotes, notes_of
from .verify import HandName, VerificationReport, verify

VERSION: Final = 12
"""Incremented with every change of summaries or of their computation; then all are recomputed."""

IN_MATCH: Final = DEALT | {Phase.SHUFFLING, Phase.TALLY}
"""The phases within a match."""

Amount = Annotated[int, Field(ge=0)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PlayerSummary(_Part):
    """A player: ``bot`` is the level of a bot, ``left`` tells whether the player left.

    ``team`` is the player's team; ``None`` where there were no teams. ``program``: no person played.
    ``start`` is the total at which a late player started; it counts in the match alone.
    ``color`` is the number of the color in which the player was shown; ``None``: that of the seat.
    ``player`` is the id of a player whom the server remembers; it is in no record.
    """

    seat: Seat
    name: Name
    bot: str = ""
    left: bool = False
    team: Team | None = None
    program: bool = False
    player: str = ""
    start: Points = 0
    color: SeatColor | None = None

    @property
    def kind(self) -> str:
        """A bot's level, ``program`` for a program of somebody else, or empty for a person."""
        return self.bot or ("program" if self.program else "")


class HandSummary(_Part):
    """One hand: its tally, the plays of each seat, and its races.

    ``races`` holds winner, loser, for how many microseconds the loser could have played the card, and by how
    many it was late, or ``None``. A hand before the record's beginning has only its tally. ``on_trust``: the
    record lacks the plays of some layouts on identical deals. ``with_bots``: a bot played in it, or stood in
    for a player. ``handicaps`` has those of its seats; it is empty where nobody had any.
    """

    hand: int
    reason: EndReason
    out: Seat | None
    elapsed_ms: int
    points: dict[Seat, Points]
    plays: dict[Seat, Amount]
    races: tuple[tuple[Seat, Seat, Amount, Amount | None], ...] = ()
    on_trust: bool = False
    with_bots: bool = False
    handicaps: dict[Seat, Handicap] = {}


class MatchSummary(_Part):
    """One match. Times are wall time in milliseconds since 1970; ``None`` if unknown.

    ``preset`` names the preset that its options belong to; empty if there is none. ``promises`` are the
    commitments of the recorded hands: two records of one match have some in common. ``spectators``: whether
    others might watch. ``casual``: whether the table kept it out of standings. ``early``: whether it was
    ended before it was played out. ``known_deal``: whether everybody could know its cards; such a match is
    always casual.
    """

    id: str = ""
    promises: tuple[str, ...] = ()
    code: str = ""
    game: str = ""
    preset: str = ""
    started_ms: int | None = None
    ended_ms: int | None = None
    players: tuple[PlayerSummary, ...] = ()
    hands: tuple[HandSummary, ...] = ()
    winners: tuple[Seat, ...] = ()
    finished: bool = False
    corrections: tuple[Correction, ...] = ()
    match_score: MatchScore = MatchScore.POINTS
    spectators: bool = True
    casual: bool = False
    known_deal: bool = False
    early: bool = False

    @property
    def counts(self) -> bool:
        """Whether the match counts in standings, ratings and pages of players: neither casual nor void."""
        return not self.casual and not any(correction.void for correction in self.corrections)

    @property
    def handicaps(self) -> dict[Seat, Handicap]:
        """The handicap of each seat in the last hand with handicaps; empty if no hand had any."""
        return next((hand.handicaps for hand in reversed(self.hands) if hand.handicaps), {})


def summarize(records: Iterable[Record], *, verified: bool = False) -> Iterator[MatchSummary]:
    """Yield the summary of each match in records; an unfinished match has one of what was played.

    Corrections apply to the last match of their record.

    Args:
        records: the records.
        verified: whether to verify them, because anybody may have written them. Then only proven hands count,
            and a match has winners only if all of its hands are proven.

    Raises:
        InvalidRecord: a record contradicts itself or, if it is verified, is not valid.

    """
    for record in records:
        report = verify(entry.message for entry in record.entries) if verified else None
        summarizer = Summarizer(record.header.id if record.header else "", report)
        summaries = [summary for entry in record.entries for summary in summarizer.apply(entry)]
        summaries += summarizer.rest()
        if summaries and record.corrections:
            summaries[-1] = summaries[-1].model_copy(update={"corrections": tuple(record.corrections)})
        yield from summaries


class Summarizer:
    """Follows one table, and summarizes its matches.

    Args:
        name: the name of its matches; see :class:`.format.Header`.
        report: names the hands that count; ``None`` if all do.
        noting: is called with the number and the notes of each hand that ends; ``None`` if nobody needs them.
        rest: is called between steps of what takes longer than an event.

    """

    def __init__(
        self,
        name: str = "",
        report: VerificationReport | None = None,
        noting: Callable[[int, HandNotes], None] | None = None,
        rest: Callable[[], None] = lambda: None,
    ) -> None:
        self._noting = noting
        self._rest = rest
        self._name = name
        self._report = report
        self._view: TableState | None = None
        self._at_ms: int | None = None
        self._history = HistoryTracker(follows_waits=noting is not None)
        self._histories: dict[int, HandHistory] = {}
        self._stood_in: set[int] = set()
        self._promises: list[str] = []
        self._match = ""
        self._started_ms: int | None = None
        self._is_on = False
        self._is_early = False

    def apply(self, entry: TimedMessage) -> list[MatchSummary]:
        """Apply the next message of the table, and return the summaries of matches that end with it.

        Usually that is none. A match whose end is missing ends where the next one begins.

        Raises:
            InvalidRecord: the message does not fit.

        """
        message, ended = entry.message, list[MatchSummary]()
        if _is_of_hand(message):
            if self._is_next(message):
                ended = self.rest()
            self._begin_hand(message, entry.at_ms)
        self._view, self._at_ms = view, _ = next_state(self._view, message), entry.at_ms
        self._history.apply(message, view, entry.at_us, entry.seat)
        if isinstance(message, ev.Dealt | ev.StoodIn | Snapshot) and _has_stand_in(view):
            self._stood_in.add(view.hand_number)
        if isinstance(message, ev.HandOver) and self._history.hand is not None:
            if self._noting is not None and view.hand is not None:
                seed = view.deal_seed(bytes.fromhex(message.seed))
                self._noting(view.hand_number, notes_of(self._history.hand, view.hand, seed, self._rest))
            # Without what only an analysis needs: a match may have very many hands.
            self._histories[self._history.hand.hand] = replace(
                self._history.hand, made=[], unused=(), waits={}
            )
        elif isinstance(message, ev.MatchOver):
            self._is_early = message.closed
            ended += self.rest()
            self._is_on = False
        return ended

    def rest(self) -> list[MatchSummary]:
        """Return the summary of the match that is being played, as far as it was; none between matches."""
        if not self._is_on or self._view is None:
            return []
        return [self._summary(self._view, self._name, self._at_ms)]

    def _is_next(self, message: ev.Committed | Snapshot) -> bool:
        """Return whether a message belongs to another match than before; the end may be missing."""
        is_first = (
            isinstance(message, ev.Committed) and message.hand == 1 and not is_further_draw(message.hand_id)
        )
        return is_first or match_of(message.hand_id) != self._match

    def _begin_hand(self, message: ev.Committed | Snapshot, at_ms: int | None) -> None:
        """Record a hand, and the match that begins with it or is joined in it."""
        if self._is_next(message) or not self._is_on:
            self._histories = {}
            self._stood_in = set()
            self._promises = []
            self._match = match_of(message.hand_id)
            self._started_ms = at_ms
        if message.commitment and message.commitment not in self._promises:
            self._promises.append(message.commitment)
        self._is_on = True
        self._is_early = False

    def _summary(self, view: TableState, name: str, ended_ms: int | None) -> MatchSummary:
        counting = [result for result in view.results if self._counts(result)]
        bots = {seat for seat, state in view.seats.items() if state.bot or state.program}
        hands = tuple(self._hand(result, bots) for result in counting)
        winners = view.winners if len(counting) == len(view.results) else ()
        teams, colors = teams_of(view), seat_colors(view.seats)
        players = [
            PlayerSummary(
                seat=state.seat,
                name=state.name,
                bot=state.bot,
                left=state.left,
                team=teams.get(state.seat),
                program=state.program,
                start=view.starts.get(state.seat, 0),
                color=colors[state.seat] if colors[state.seat] != state.seat else None,
            )
            for state in view.seats.values()
            if any(state.seat in hand.points for hand in hands)
        ]
        return MatchSummary(
            id=name,
            promises=tuple(self._promises),
            code=view.code,
            game=view.options.game,
            preset=preset.name if (preset := preset_of(view.options)) else "",
            started_ms=self._started_ms,
            ended_ms=ended_ms,
            players=tuple(players),
            hands=hands,
            winners=winners,
            finished=bool(winners),
            match_score=view.options.match_score,
            spectators=view.options.spectators,
            casual=view.options.casual or view.known_deal is not None,
            known_deal=view.known_deal is not None,
            early=self._is_early,
        )

    def _counts(self, result: HandResult) -> bool:
        return self._report is None or HandName(self._match, result.hand) in self._report.proven

    def _hand(self, result: HandResult, bots: Set[int]) -> HandSummary:
        name = HandName(self._match, result.hand)
        on_trust = self._report is not None and name in self._report.on_trust
        with_bots = result.hand in self._stood_in or not bots.isdisjoint(result.seats)
        summary = _hand(result, self._histories.get(result.hand))
        return summary.model_copy(update={"on_trust": on_trust, "with_bots": with_bots})


def _is_of_hand(message: Message) -> TypeGuard[ev.Committed | Snapshot]:
    """Return whether a message commits to a hand, or shows a table within a match."""
    return isinstance(message, ev.Committed) or (isinstance(message, Snapshot) and message.phase in IN_MATCH)


def _has_stand_in(view: TableState) -> bool:
    """Return whether a bot stands in for a player of the hand that is being played."""
    return view.phase in DEALT and any(view.seats[seat].stand_in for seat in view.hand_seats)


def _hand(result: HandResult, history: HandHistory | None) -> HandSummary:
    races = (
        [(race.winner, race.loser, race.open_us, race.late_us) for race in history.races] if history else []
    )
    return HandSummary(
        hand=result.hand,
        reason=result.reason,
        out=result.out,
        elapsed_ms=max(0, result.elapsed_ms),
        points=dict(zip(result.seats, result.points, strict=True)),
        plays={seat: history.plays.get(seat, 0) for seat in result.seats} if history else {},
        races=tuple(races),
        handicaps=dict(zip(result.seats, result.handicaps, strict=False)),
    )
