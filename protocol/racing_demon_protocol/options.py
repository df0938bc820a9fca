"""The options of a table: what a host may change, with the rules' own defaults."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from .declaration import TailRule, TakeBack

__all__ = ["CallOut", "OnLeave", "Options", "StallRule", "TieBreak"]


class CallOut(StrEnum):
    """How going out ends the hand (A12, A13)."""

    AUTO = "auto"
    """By itself, with the card that goes out."""
    SHOUT = "shout"
    """When the player calls; cards in the air may still land during the grace."""


class StallRule(StrEnum):
    """What happens before a hand that nobody can continue is ended (catalogue 1.8.1)."""

    NONE = "none"
    ROTATE = "rotate"
    """Everybody turns the waste over and moves the stock's top card to its bottom: it shifts the threes."""


class TieBreak(StrEnum):
    """What equal totals at the end of a match mean (A17)."""

    JOINT = "joint"
    """Joint winners."""
    HAND = "hand"
    """Another hand, until one is ahead."""


class OnLeave(StrEnum):
    """What a player who leaves in the middle of a hand keeps (A21)."""

    FREEZE = "freeze"
    """The cards on the foundations count, the layout freezes."""
    FORFEIT = "forfeit"
    """Nothing of this hand counts for the leaver; the cards stay where they are."""


class Options(BaseModel):
    """All options of a table. Where ``None`` is the default, the game's own declaration decides."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    game: Annotated[str, Field(min_length=1, max_length=32, pattern=r"^[a-z0-9-]+$")] = "racing-demon"
    """Which game; ``racing-demon games`` lists them."""
    hands: Annotated[int, Field(strict=True, ge=1, le=100)] = 5
    """How many hands make a match (A18)."""
    target: Annotated[int, Field(strict=True, ge=1, le=10_000)] | None = None
    """A total that ends the match before that."""
    tie_break: TieBreak = TieBreak.JOINT
    """What equal totals mean (A17)."""
    call_out: CallOut = CallOut.AUTO
    """How going out ends the hand (A12)."""
    grace_ms: Annotated[int, Field(strict=True, ge=0, le=5_000)] = 1_000
    """How long cards in the air may land after the call, in milliseconds (A13)."""
    stall_rule: StallRule = StallRule.NONE
    """What is tried before a hand is ended as dead or stuck."""
    auto_first_turn: Annotated[bool, Field(strict=True)] = False
    """Whether the first cards are turned for everybody at the signal (A2)."""
    on_leave: OnLeave = OnLeave.FREEZE
    """What a leaver keeps (A21)."""
    late_join: Annotated[bool, Field(strict=True)] = True
    """Whether players may come between the hands of a match (A23)."""
    seats: Annotated[int, Field(strict=True, ge=1, le=8)] = 8
    """How many seats the table has."""
    spectators: Annotated[bool, Field(strict=True)] = True
    """Whether people may look on without a seat."""
    watch_delay_ms: Annotated[int, Field(strict=True, ge=0, le=60_000)] = 0
    """How much later spectators see what happens, in milliseconds."""
    pause_after_ms: Annotated[int, Field(strict=True, ge=0, le=600_000)] | None = 10_000
    """How long fewer than two may be connected before the hand pauses, in ms; none: it never does."""
    time_limit_ms: Annotated[int, Field(strict=True, ge=1_000, le=86_400_000)] | None = None
    """How long a hand may take, in ms; none: as long as it takes, and ten minutes on identical deals."""
    hints: Annotated[bool, Field(strict=True)] = False
    """Whether clients may show what fits: for beginners' tables."""
    countdown_ms: Annotated[int, Field(strict=True, ge=0, le=30_000)] = 3_000
    """From the deal to the signal, in milliseconds."""
    tally_ms: Annotated[int, Field(strict=True, ge=0, le=600_000)] = 20_000
    """From a hand's end to the next deal, in milliseconds, unless everybody is ready before."""

    turn: Annotated[int, Field(strict=True, ge=1, le=5)] | None = None
    """How many cards are turned at a time."""
    redeals: Annotated[int, Field(strict=True, ge=0, le=100)] | None = None
    """How often the waste may be turned over (A6)."""
    tail_rule: TailRule | None = None
    """What is available when fewer cards are left than a turn takes (A3)."""
    waste_view: Annotated[int, Field(strict=True, ge=1, le=5)] | None = None
    """How many cards of the waste can be seen (A22)."""
    take_back: TakeBack | None = None
    """Whether cards may leave one's own foundations, or those of a table of one (A9)."""
    forced_bases: Annotated[bool, Field(strict=True)] | None = None
    """Whether an ace at hand must be played first (A1)."""
    columns: Annotated[int, Field(strict=True, ge=1, le=9)] | None = None
    """How many columns, in games that deal one card to each."""
    columns_by_players: Annotated[bool, Field(strict=True)] = False
    """Six columns for one or two players, five for three, four for more; in the same games."""
    reserve: Annotated[int, Field(strict=True, ge=1, le=30)] | None = None
    """The cards of the reserve, in games that have one."""
    reserve_card: Annotated[int, Field(strict=True, ge=-10, le=0)] | None = None
    """The points for each card left in the reserve."""
    out_bonus: Annotated[int, Field(strict=True, ge=0, le=100)] | None = None
    """The points for going out."""
