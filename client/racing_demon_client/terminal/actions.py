"""The registry of actions at the table. Keys, footer and help are generated from it.

Keys of plays are named by their position on the keyboard, so that one rule serves every preset: a column's
key is on the home row, and the key above it plays the column's top card to a foundation.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from racing_demon_client.shared.message_text import REACTIONS
from racing_demon_protocol.engine.cards import RANK_NAMES
from racing_demon_protocol.enums import BOTS_PLAY, BotLevel

MAX_COLUMNS: Final = 19
MAX_PILES: Final = 52
"""The number of letters, small and capital."""
MAX_FOUNDATIONS: Final = 10


class ActionGroup(StrEnum):
    """The headings of the help."""

    PLAY = "Play"
    LOBBY = "Before and between the hands"
    SAY = "Say"
    SEE = "See"
    REPLAY = "Replay"
    SOLO = "Alone"


class KeyRow(StrEnum):
    """The rows of a keyboard."""

    UPPER = "upper"
    HOME = "home"
    LOWER = "lower"


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a player can do.

    Attributes:
        id: its name in the settings.
        description: its effect, for the help.
        summary: its effect in a word, for the footer; empty to leave it out.
        keys: its keys, where they are the same on every keyboard.
        position: its key by position: the row, and the name of the place in it.
        group: its heading in the help.

    """

    id: str
    description: str
    summary: str = ""
    keys: tuple[str, ...] = ()
    position: tuple[KeyRow, str] | None = None
    group: ActionGroup = ActionGroup.PLAY


def _under(group: ActionGroup, *actions: Action) -> tuple[Action, ...]:
    """Return actions under their heading in the help."""
    return tuple(replace(action, group=group) for action in actions)


ACTIONS: Final = (
    Action("turn", "turn the stock, or turn the waste over", "turn", keys=("space",)),
    Action(
        "shift",
        "the stock's top card to its bottom, when nothing else helps",
        "shift",
        position=(KeyRow.LOWER, "shift"),
    ),
    Action(
        "waste",
        "pick up the waste's top card; twice: its best play",
        "waste",
        position=(KeyRow.HOME, "waste"),
    ),
    Action("waste-up", "waste's top card to the foundations", position=(KeyRow.UPPER, "waste")),
    Action(
        "reserve",
        "pick up the reserve's top card; twice: its best play",
        "reserve",
        position=(KeyRow.HOME, "reserve"),
    ),
    Action("reserve-up", "reserve's top card to the foundations", position=(KeyRow.UPPER, "reserve")),
    Action("drop", "put back what you hold", keys=("backspace",), position=(KeyRow.LOWER, "drop")),
    Action("left", "cursor to the next pile on the left", keys=("left",)),
    Action("right", "cursor to the next pile on the right", keys=("right",)),
    Action("more", "one card more under the cursor", keys=("up",)),
    Action("fewer", "one card fewer under the cursor", keys=("down",)),
    Action("enter", "deal, or be ready or not; with the cursor: pick up, put down", keys=("enter",)),
    *_under(
        ActionGroup.SAY,
        Action(
            "stuck",
            "say that you are stuck; when everybody is, the hand ends",
            "stuck",
            position=(KeyRow.LOWER, "stuck"),
        ),
        Action(
            "call",
            'call "Demon!" when you are out, if the table plays that way',
            position=(KeyRow.LOWER, "call"),
        ),
        Action("chat", "say something to the table", keys=("/",)),
        *(
            Action(f"react-{reaction}", f'show the others "{text}"', keys=(str(number),))
            for number, (reaction, text) in enumerate(REACTIONS.items(), start=1)
        ),
        Action("players", "the players: mute, kick, let a bot stand in", keys=("f8",)),
        Action("pause", "pause or resume the hand (host)", keys=("f9",)),
    ),
    *_under(
        ActionGroup.SEE,
        Action("hint", "a hint, if the table allows hints", "hint", position=(KeyRow.LOWER, "hint")),
        Action("watch", "as a spectator: the next player's layout", keys=("tab",)),
        Action("rotate", "as a spectator: one player after the other", keys=("f10",)),
        Action("tally", "the tally so far", keys=("f6",)),
        Action("lobby", "seats, bots and options", keys=("f7",)),
        Action("density", "small, medium or large cards", keys=("f2",)),
        Action("colors", "other colors", keys=("f3",)),
        Action("motion", "flashes and sounds on or off", keys=("f4",)),
        Action("volume", "show more or less of the others' plays", keys=("f5",)),
        Action("help", "this help", "help", keys=("?", "f1")),
        Action("leave", "leave the table (asks first)", keys=("ctrl+c", "ctrl+q")),
    ),
)


WAITING_ACTIONS: Final = (
    Action(
        "learn",
        "learn the game until the next deal",
        "learn",
        keys=("n",),
        group=ActionGroup.SEE,
    ),
)
"""What somebody can do besides who waits for the next deal."""

LOBBY_ACTIONS: Final = (
    *_under(
        ActionGroup.LOBBY,
        *(
            Action(
                f"bot-{level}",
                f"add a bot that {BOTS_PLAY[level]}",
                keys=(str(key),),
            )
            for key, level in enumerate(BotLevel)
        ),
        Action("bots", "add a bot of a level from a list", "add a bot", keys=("b",)),
        Action("bot-away", "remove the last bot", "remove bot", keys=("-",)),
        Action("qr", "the table's link as a QR code", keys=("q",)),
        Action("internet", "let others join over the internet, or no longer", keys=("i",)),
        Action("people", "let a new phone be somebody's whom your server knows", keys=("p",)),
    ),
    Action(
        "analysis",
        "the last hand: races, plays that waited, cards still buried",
        "analysis",
        keys=("f12",),
        group=ActionGroup.SEE,
    ),
    Action("options", "game and options", "options", keys=("o",), group=ActionGroup.LOBBY),
    Action("back", "back to the cards", "to the cards", keys=("escape",), group=ActionGroup.SEE),
)
"""The actions in the lobby and the tally, beside those that always apply."""
BOT_ACTIONS: Final = frozenset({"bots", "bot-away", *(f"bot-{level}" for level in BotLevel)})
"""Those of them that add or remove bots."""

REPLAY_ACTIONS: Final = _under(
    ActionGroup.REPLAY,
    Action("replay-pause", "pause, or play on", "pause", keys=("space",)),
    Action("replay-back", "one event back, and pause", "back", keys=(",", "left")),
    Action("replay-step", "one event on, and pause", "step", keys=(".", "right")),
    Action("replay-slower", "slower", "slower", keys=("-",)),
    Action("replay-faster", "faster", "faster", keys=("+", "=")),
    Action("replay-hand-back", "to the deal, or to the hand before", "hand", keys=("[", "pageup")),
    Action("replay-hand-next", "to the next hand", "next", keys=("]", "pagedown")),
    Action("replay-seek", "go to a hand, an event or a time", "go to", keys=("g",)),
)
"""The actions of a replay, beside those of spectators."""

SOLO_ACTIONS: Final = _under(
    ActionGroup.SOLO,
    Action("solo-undo", "undo the last play; again: the one before it", "undo", keys=(",", "ctrl+z")),
    Action("solo-redo", "redo the play that was undone", "redo", keys=(".", "ctrl+y")),
    Action("hint", "show a play", "hint", keys=("/",)),
    Action("solo-up", "send up all cards that can go up", "all up", keys=("'",)),
    Action("solo-restart", "the same deal again", keys=("f8",)),
    Action("solo-deal", "another deal", "deal", keys=("f9",)),
    Action("solo-rules", "the rules of the game", "rules", keys=("f7",)),
    Action("solo-statistics", "how often you have played and won", keys=("f6",)),
)
"""The actions of a solo table, beside plays."""


def column_actions(columns: int) -> Iterator[Action]:
    """Yield each column's actions: pick up or put down, play to a foundation, put a single card down."""
    for number in range(1, columns + 1):
        position = f"column-{number}"
        yield Action(
            position,
            f"pick up from column {number}, or put down there; twice: its best play",
            position=(KeyRow.HOME, position),
        )
        yield Action(
            f"{position}-up",
            f"top card of column {number} to the foundations",
            position=(KeyRow.UPPER, position),
        )
        yield Action(f"{position}-one", f"only the top card to column {number}, not the run that could go")


def pile_actions(piles: int, foundations: int, places: int = 0) -> Iterator[Action]:
    """Yield the actions of rank places, of piles with a letter, and of foundations with a digit."""
    named = [(f"place-{number}", f"place {rank}") for number, rank in enumerate(RANK_NAMES[:places], start=1)]
    named += [(f"pile-{number}", f"pile {number}") for number in range(1, min(piles, MAX_PILES) + 1)]
    for name, pile in named:
        yield Action(name, f"pick up from {pile}, or put down there; twice: its best play")
        yield Action(f"{name}-up", f"top card of {pile} to the foundations")
    for number in range(1, min(foundations, MAX_FOUNDATIONS) + 1):
        yield Action(f"foundation-{number}", f"put down on foundation {number}, or take back from it")
