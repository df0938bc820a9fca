"""What a program can do beyond the protocol's version: words behind its name in ``software``.

Some words name extensions: what a table may use and older clients do not understand. A table that uses one
admits only clients that announce it.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.formatting import join_words

from .messages import Message
from .messages import events as ev
from .options import NEEDED_BY, Options

FOLLOWS_MOVED: Final = "moved"
"""The word in a client's ``software`` that says that it follows ``moved``."""
COUNTS_RELAYED: Final = "relaying"
"""The word in a server's ``software`` that says that relays may send ``relaying``."""
PLAYS_BY_ITSELF: Final = "program"
"""The word in a client's ``software`` that says that no person plays with it."""
SHOWS_RACES: Final = "races"
"""The word in a client's ``software`` that says that it understands ``race_lost``."""
HEARS_NOTICES: Final = "notices"
"""The word in a client's ``software`` that says that it understands ``server_notice``."""

REMEMBERS: Final = "players"
"""The word in ``software``: of a server that asks who somebody is, and of a client that answers."""
FORGETS: Final = "forgets"
"""The word in a client's ``software`` that says that it understands the reason ``unknown_player``."""
PROVES: Final = "proves"
"""The word in ``software`` of both ends that know proofs which nobody can make of what a server keeps. Older
clients stay guests: what they prove is not believed any more."""

ERASES: Final = "erases"
"""The word in a server's ``software`` that says that it knows ``forget_me``."""

UNLISTED: Final = "unlisted"
"""The word in a server's ``software`` that says that it knows ``listed`` of ``create``."""

LISTS: Final = "lists"
"""The word in a server's ``software`` that says that it knows ``list_table``."""

# The extensions. docs/wire.md lists what each covers, as it stands here.

HOUSE_RULES: Final = "house-rules"
"""the options from ``win_lead`` on that no other word covers; ``shift_stock``, ``stock_shifted``, and
``shifts`` in snapshots"""
HANDICAPS: Final = "handicaps"
"""the option ``handicap``; ``set_handicap``, ``handicap_set``, ``seat_signalled``; rows ``handicap``"""
TEAMS: Final = "teams"
"""the option ``teams``, ``set_team`` and ``team_set``, and in snapshots ``team`` and ``teams``"""
PROGRAMS: Final = "programs"
"""``program`` of ``joined`` and of seats in snapshots"""
MODERATION: Final = "moderation"
"""``close_entry``, ``entry_closed``, and ``entry_closed`` in snapshots; ``list_spectators``,
``remove_spectator``, ``spectator_list``; ``report``"""
CASUAL: Final = "casual"
"""the option ``casual``"""
KNOWN_DEALS: Final = "known-deals"
"""``known_deal`` of ``create``, ``committed`` and snapshots: see *Known deals*"""
RETURNS: Final = "returns"
"""``set_last_hand``, ``last_hand_set``, and ``last_hand`` in snapshots; ``returned``, and ``sitting_out`` in
snapshots; ``set_late_start``, ``late_start_set``, ``start`` of ``joined``, and ``late_start`` and ``starts``
in snapshots; ``absent_host`` and ``absent_watcher`` of ``hosted`` and snapshots; servers with it know
``end_match``"""
APPEARANCE: Final = "appearance"
"""``set_appearance``, ``appearance_set``, and ``color`` of seats in snapshots"""
EXTENSIONS: Final = {
    HOUSE_RULES: "house rules",
    HANDICAPS: "handicaps",
    TEAMS: "teams",
    PROGRAMS: "programs that play",
    MODERATION: "a lock against newcomers",
    CASUAL: "casual matches",
    KNOWN_DEALS: "a known deal",
    RETURNS: "last hands, late starts and people who return",
    APPEARANCE: "names and colors that change",
}
"""The extensions that this version understands, and what people call them; both ends announce them."""
EXTENDED: Final[Mapping[type[Message], Callable[[Any], bool]]] = {
    **dict.fromkeys(
        (
            ev.AppearanceSet,
            ev.EntryClosed,
            ev.HandicapSet,
            ev.LastHandSet,
            ev.LateStartSet,
            ev.Returned,
            ev.SeatSignalled,
            ev.StockShifted,
            ev.TeamSet,
        ),
        lambda _: True,
    ),
    ev.Committed: lambda committed: committed.known_deal is not None,
    ev.Dealt: lambda dealt: bool(dealt.handicaps),
    ev.Hosted: lambda hosted: hosted.absent_host is not None or hosted.absent_watcher,
    ev.Joined: lambda joined: joined.program or joined.start != 0,
    ev.OptionsSet: lambda options_set: bool(options_set.options.extended()),
}
"""The events that may use an extension, and whether one does."""


def uses_extension(message: Message) -> bool:
    """Return whether a message is an event that a client without extensions does not understand.

    A table's extensions become more with such events, and with snapshots, alone.
    """
    uses = EXTENDED.get(type(message))
    return uses is not None and uses(message)


def understands(software: str, word: str) -> bool:
    """Return whether a program's ``software`` has a word behind its name."""
    return word in software.split()[1:]


def announced(program: str, *words: str) -> str:
    """Return the ``software`` of a program that knows all extensions, with other words."""
    return " ".join((program, *words, *EXTENSIONS))


def needed(options: Options, known_deal: str | None = None) -> frozenset[str]:
    """Return the extensions that a table with these options uses, and with a given deal."""
    words = {NEEDED_BY[name] for name in options.extended()}
    return frozenset(words if known_deal is None else words | {KNOWN_DEALS})


def lacking(software: str, words: Collection[str]) -> list[str]:
    """Return which of these extensions a program does not understand, by its ``software``."""
    return sorted(word for word in words if not understands(software, word))


def verify_understood(software: str, words: Collection[str]) -> None:
    """Check that a client understands the extensions that a table uses, by its ``software``.

    Raises:
        CommandRefused: it does not.

    """
    if lacks := lacking(software, words):
        raise CommandRefused(Reason.NOT_NOW, refusal(lacks))


def refusal(words: Collection[str]) -> str:
    """Return why a client that lacks these extensions cannot be at a table, and what helps."""
    return f"This table has {in_words(words)}, which your program does not know: update it, or reload."


def in_words(words: Collection[str]) -> str:
    """Return what people call these extensions."""
    others = {
        UNLISTED: "tables that are in no list",
        LISTS: "listing a table later",
        ERASES: "how a player is forgotten",
    }
    names = {**EXTENSIONS, **others}
    return join_words([names.get(word, word) for word in sorted(words)])
