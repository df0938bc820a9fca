"""The options of a table: what a host may change, with the rules' own defaults."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Final, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from racing_demon_protocol.constants import MAX_HANDS, MAX_SEATS, MAX_TEAMS
from racing_demon_protocol.engine.specification import StockShift, TailRule, TakeBack


class CallOut(StrEnum):
    """How going out ends the hand."""

    AUTO = "auto"
    """Automatically, with the card that goes out."""
    SHOUT = "shout"
    """When the player calls; unconfirmed cards may still land during the grace period."""


class StallRule(StrEnum):
    """What happens before a hand that nobody can continue is ended."""

    NONE = "none"
    """The hand ends at once."""
    ROTATE = "rotate"
    """Every waste is turned over and every stock's top card moves to its bottom, which shifts the threes."""


class TieBreak(StrEnum):
    """What equal totals at the end of a match mean."""

    JOINT = "joint"
    """Joint winners."""
    HAND = "hand"
    """Further hands, until one player leads."""


class SpaceFill(StrEnum):
    """How the reserve fills an empty column, where otherwise any card may."""

    AT_ONCE = "at_once"
    """Its top card fills a space automatically, as long as the reserve lasts."""
    RESERVE = "reserve"
    """Only its top card may be played to a space."""


class MatchScore(StrEnum):
    """What adds up to a player's total over the hands of a match."""

    POINTS = "points"
    """The points of each hand."""
    HANDS = "hands"
    """The hands in which nobody had more points."""


class OnLeave(StrEnum):
    """What a player who leaves during a hand keeps."""

    FREEZE = "freeze"
    """Their cards on the foundations count; their layout is frozen."""
    FORFEIT = "forfeit"
    """They score nothing in this hand; their cards stay where they are."""


class HandicapRule(StrEnum):
    """How handicaps change within a match."""

    FIXED = "fixed"
    """They stay as the host has set them."""
    AUTO = "auto"
    """Who went out, or else scored most, gets a reserve card more; who scored nothing, one fewer."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is to be known of an option beside its values.

    Attributes:
        since: the extension that it belongs to, a word in `capabilities`, if older programs do not know it.
        neutral: whether it affects neither play nor scoring, so that presets leave it alone.
        moves: whether it changes which cards fit where: other programs then leave that to the server, as
            ``moves.json`` has the moves of games as they are declared.

    """

    since: str = ""
    neutral: bool = False
    moves: bool = False


class Options(BaseModel):
    """All options of a table. Those from ``turn`` on are ``None`` where the game decides."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    def changed_by(self, changes: Self) -> Self:
        """Return these options with every option that ``changes`` names, even one set to its default."""
        named = {name: getattr(changes, name) for name in changes.model_fields_set}
        return self.model_copy(update=named)

    def changes_from(self, before: Self) -> Self:
        """Return options that name what differs from earlier ones, and nothing else."""
        named = {name: getattr(self, name) for name in type(self).model_fields}
        changed = {name: value for name, value in named.items() if value != getattr(before, name)}
        return type(self).model_validate(changed)

    def extended(self) -> list[str]:
        """Return the names of the later options that are not at their defaults."""
        return [name for name in LATER if getattr(self, name) != type(self).model_fields[name].default]

    @property
    def watch_delay_us(self) -> int:
        """The delay with which spectators see events, in microseconds."""
        return self.watch_delay_ms * 1_000

    @model_serializer(mode="wrap")
    def _omit_later(self, dump: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        """Leave out later options at their defaults, unless only those that were named are asked for."""
        named: dict[str, Any] = dump(self)
        if not info.exclude_unset:
            for name in set(LATER).difference(self.extended()):
                named.pop(name, None)
        return named

    game: Annotated[str, Field(min_length=1, max_length=32, pattern=r"^[a-z0-9-]+$")] = "racing-demon"
    """Which game is played."""
    hands: Annotated[int, Field(strict=True, ge=1, le=MAX_HANDS)] = 5
    """How many hands make a match."""
    target: Annotated[int, Field(strict=True, ge=1, le=10_000)] | None = None
    """A total that ends the match early, of what ``match_score`` counts; none: there is no such total."""
    tie_break: TieBreak = TieBreak.JOINT
    """What equal totals at the end of a match mean."""
    call_out: CallOut = CallOut.AUTO
    """How going out ends the hand."""
    grace_ms: Annotated[int, Field(strict=True, ge=0, le=5_000)] = 1_000
    """How long cards may still land after a call, in milliseconds."""
    stall_rule: StallRule = StallRule.NONE
    """What is tried before a hand that nobody can continue is ended."""
    auto_first_turn: Annotated[bool, Field(strict=True)] = False
    """Whether the first cards are turned for everybody at the signal."""
    on_leave: OnLeave = OnLeave.FREEZE
    """What a player who leaves during a hand keeps."""
    late_join: Annotated[bool, Field(strict=True), Facts(neutral=True)] = True
    """Whether players may join between the hands of a match."""
    seats: Annotated[int, Field(strict=True, ge=1, le=MAX_SEATS), Facts(neutral=True)] = MAX_SEATS
    """How many seats the table has."""
    spectators: Annotated[bool, Field(strict=True), Facts(neutral=True)] = True
    """Whether people may watch without a seat."""
    watch_delay_ms: Annotated[int, Field(strict=True, ge=0, le=60_000), Facts(neutral=True)] = 0
    """The delay with which spectators see events, in milliseconds."""
    pause_after_ms: Annotated[int | None, Field(strict=True, ge=0, le=600_000), Facts(neutral=True)] = 10_000
    """How long fewer than two players may be connected before the hand pauses, in ms; none: forever."""
    time_limit_ms: Annotated[int, Field(strict=True, ge=1_000, le=86_400_000)] | None = None
    """The time limit of a hand, in ms; none: no limit, but ten minutes on identical deals."""
    hints: Annotated[bool, Field(strict=True), Facts(neutral=True)] = False
    """Whether clients may show which plays fit. The server does not use it."""
    countdown_ms: Annotated[int, Field(strict=True, ge=0, le=30_000), Facts(neutral=True)] = 3_000
    """The time from the deal to the signal, in milliseconds."""
    tally_ms: Annotated[int, Field(strict=True, ge=0, le=600_000), Facts(neutral=True)] = 20_000
    """The time from a hand's end to the next deal, in ms; less if all are ready. One person is waited for."""

    turn: Annotated[int, Field(strict=True, ge=1, le=5)] | None = None
    """How many cards are turned from the stock at a time."""
    redeals: Annotated[int, Field(strict=True, ge=0, le=100)] | None = None
    """How many redeals there are."""
    shuffle: Annotated[bool, Field(strict=True)] | None = None
    """Whether each redeal shuffles the stock; otherwise its cards keep their order."""
    tail_rule: TailRule | None = None
    """What is available when fewer cards are left than a turn takes."""
    waste_view: Annotated[int, Field(strict=True, ge=1, le=5)] | None = None
    """How many cards of the waste lie face up."""
    take_back: Annotated[TakeBack | None, Facts(moves=True)] = None
    """Whether cards may leave foundations again; never those that others build on, too."""
    forced_bases: Annotated[bool | None, Field(strict=True), Facts(moves=True)] = None
    """Whether a card that opens a foundation must be played first."""
    columns: Annotated[int, Field(strict=True, ge=1, le=9)] | None = None
    """How many columns, in games that deal one card to each."""
    columns_by_players: Annotated[bool, Field(strict=True)] = False
    """Six columns for one or two players, five for three, four for more; in the same games."""
    reserve: Annotated[int, Field(strict=True, ge=1, le=30)] | None = None
    """How many cards each reserve gets, in games that have one."""
    reserve_card: Annotated[int, Field(strict=True, ge=-10, le=0)] | None = None
    """The points for each card left in the reserve."""
    out_bonus: Annotated[int, Field(strict=True, ge=0, le=100)] | None = None
    """The points for going out."""

    # Older clients do not know the options below. They are omitted at their defaults.

    win_lead: Annotated[int | None, Field(strict=True, ge=1, le=10_000), Facts("house-rules")] = None
    """A lead over all others that ends the match early; none: there is no such lead."""
    handicap: Annotated[HandicapRule, Facts("handicaps")] = HandicapRule.FIXED
    """How handicaps change within a match."""
    teams: Annotated[int | None, Field(strict=True, ge=2, le=MAX_TEAMS), Facts("teams")] = None
    """How many teams there are, whose points add up; none: everybody plays for themselves."""
    king_bonus: Annotated[int, Field(strict=True, ge=0, le=10), Facts("house-rules")] = 0
    """The points for each of the player's own cards that completes a foundation: mostly a king."""
    spaces: Annotated[SpaceFill | None, Facts("house-rules")] = None
    """How the reserve fills an empty column, in games in which otherwise any card may."""
    reserve_up: Annotated[bool, Field(strict=True), Facts("house-rules")] = False
    """Whether all cards of the reserves lie face up; only the top one can be played."""
    stock_shift: Annotated[StockShift | None, Facts("house-rules")] = None
    """When players may move the top card of their stock to its bottom; none: never, as on identical deals."""
    turn_by_players: Annotated[bool, Field(strict=True), Facts("house-rules")] = False
    """Whether one card is turned at a time where one or two play; more turn as many as the game says."""
    match_score: Annotated[MatchScore, Facts("house-rules")] = MatchScore.POINTS
    """What adds up over the hands of a match, and is compared with ``target``."""
    casual: Annotated[bool, Field(strict=True), Facts("casual", neutral=True)] = False
    """Whether the table's matches count in no standings and ratings."""


_FACTS: Final = {
    name: facts
    for name, field in Options.model_fields.items()
    for facts in field.metadata
    if isinstance(facts, Facts)
}
NEEDED_BY: Final = {name: facts.since for name, facts in _FACTS.items() if facts.since}
"""The extension that each option belongs to, for those that older clients do not know."""
LATER: Final = tuple(NEEDED_BY)
"""The options that older clients do not know."""
NEUTRAL: Final = frozenset(name for name, facts in _FACTS.items() if facts.neutral)
"""The options that affect neither play nor scoring; presets leave them alone."""
CHANGES_MOVES: Final = tuple(name for name, facts in _FACTS.items() if facts.moves)
"""The options that change which cards fit where."""
