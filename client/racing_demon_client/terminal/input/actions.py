"""The registry of actions at the table. Keys, footer and help are generated from it.

Keys of plays are named by their position on the keyboard, so that one rule serves every preset: a column's
key is on the home row, and the key above it plays the column's top card to a foundation.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from racing_demon_client.shared.message_text import REACTIONS
from racing_demon_protocol.engine.cards import RANK_NAMES
from racing_demon_protocol.reasons import BotLevel

MOST_COLUMNS: Final = 19
MOST_PILES: Final = 52
"""The number of letters, small and capital."""
MOST_FOUNDATIONS: Final = 10


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Action:
    """Something that a player can do.

    Attributes:
        id: its name in the settings.
        does: its effect, for the help.
        brief: its effect in a word, for the footer; empty to leave it out.
        group: its heading in the help.
        keys: its keys, where they are the same on every keyboard.
        spot: its key by position: the row, and the spot in it that the preset names.

    """

    id: str
    does: str
    brief: str = ""
    group: ActionGroup = ActionGroup.PLAY
    keys: tuple[str, ...] = ()
    spot: tuple[KeyRow, str] | None = None


ACTIONS: Final = (
    Action(id="turn", does="turn the stock, or turn the waste over", brief="turn", keys=("space",)),
    Action(
        id="waste",
        does="pick up the waste's top card; twice: its best play",
        brief="waste",
        spot=(KeyRow.HOME, "waste"),
    ),
    Action(id="waste-up", does="waste's top card to the foundations", spot=(KeyRow.UPPER, "waste")),
    Action(
        id="reserve",
        does="pick up the reserve's top card; twice: its best play",
        brief="reserve",
        spot=(KeyRow.HOME, "reserve"),
    ),
    Action(
        id="reserve-up",
        does="reserve's top card to the foundations",
        spot=(KeyRow.UPPER, "reserve"),
    ),
    Action(
        id="drop",
        does="put back what you hold",
        brief="drop",
        keys=("backspace",),
        spot=(KeyRow.LOWER, "drop"),
    ),
    Action(id="left", does="cursor to the next pile on the left", keys=("left",)),
    Action(id="right", does="cursor to the next pile on the right", keys=("right",)),
    Action(id="more", does="one card more under the cursor", keys=("up",)),
    Action(id="fewer", does="one card fewer under the cursor", keys=("down",)),
    Action(
        id="enter",
        does="deal, or be ready or not; with the cursor: pick up, put down",
        keys=("enter",),
    ),
    Action(
        id="stuck",
        does="say that you are stuck; when everybody is, the hand ends",
        brief="stuck",
        group=ActionGroup.SAY,
        spot=(KeyRow.LOWER, "stuck"),
    ),
    Action(
        id="call",
        does='call "Demon!" when you are out, if the table plays that way',
        group=ActionGroup.SAY,
        spot=(KeyRow.LOWER, "call"),
    ),
    Action(id="chat", does="say something to the table", group=ActionGroup.SAY, keys=("/",)),
    *(
        Action(
            id=f"react-{reaction}",
            does=f'show the others "{text}"',
            group=ActionGroup.SAY,
            keys=(str(number),),
        )
        for number, (reaction, text) in enumerate(REACTIONS.items(), start=1)
    ),
    Action(
        id="players", does="the players: mute, kick, let a bot stand in", group=ActionGroup.SAY, keys=("f8",)
    ),
    Action(id="pause", does="pause or resume the hand (host)", group=ActionGroup.SAY, keys=("f9",)),
    Action(
        id="hint",
        does="a hint, if the table allows hints",
        brief="hint",
        group=ActionGroup.SEE,
        spot=(KeyRow.LOWER, "hint"),
    ),
    Action(id="watch", does="as a spectator: the next player's layout", group=ActionGroup.SEE, keys=("tab",)),
    Action(
        id="rotate", does="as a spectator: one player after the other", group=ActionGroup.SEE, keys=("f10",)
    ),
    Action(id="tally", does="the tally so far", group=ActionGroup.SEE, keys=("f6",)),
    Action(id="lobby", does="seats, bots and options", group=ActionGroup.SEE, keys=("f7",)),
    Action(id="density", does="small, medium or large cards", group=ActionGroup.SEE, keys=("f2",)),
    Action(id="colors", does="other colors", group=ActionGroup.SEE, keys=("f3",)),
    Action(id="motion", does="flashes and sounds on or off", group=ActionGroup.SEE, keys=("f4",)),
    Action(id="volume", does="show more or less of the others' plays", group=ActionGroup.SEE, keys=("f5",)),
    Action(id="help", does="this help", brief="help", group=ActionGroup.SEE, keys=("?", "f1")),
    Action(id="leave", does="leave the table (asks first)", group=ActionGroup.SEE, keys=("ctrl+c", "ctrl+q")),
)


LOBBY_ACTIONS: Final = (
    *(
        Action(
            id=f"bot-{level}",
            does=f"add a bot that {does}",
            brief=brief,
            keys=(key,),
            group=ActionGroup.LOBBY,
        )
        for key, level, does, brief in (
            ("1", BotLevel.EASY, "plays slowly", "easy bot"),
            ("2", BotLevel.MEDIUM, "plays well", "medium"),
            ("3", BotLevel.HARD, "plays fast", "hard"),
            ("4", BotLevel.EXPERT, "plans to go out", "expert"),
        )
    ),
    Action(
        id="bot-away", does="remove the last bot", brief="remove bot", keys=("-",), group=ActionGroup.LOBBY
    ),
    Action(id="qr", does="the table's link as a QR code", keys=("q",), group=ActionGroup.LOBBY),
    Action(
        id="analysis",
        does="the last hand: races, plays that waited, cards still buried",
        brief="analysis",
        keys=("f12",),
        group=ActionGroup.SEE,
    ),
    Action(id="options", does="game and options", brief="options", keys=("o",), group=ActionGroup.LOBBY),
    Action(
        id="back", does="back to the cards", brief="to the cards", keys=("escape",), group=ActionGroup.SEE
    ),
)
"""The actions in the lobby and the tally, beside those that always apply."""
BOT_ACTIONS: Final = frozenset({"bot-away", *(f"bot-{level}" for level in BotLevel)})
"""Those of them that add or remove bots."""


def _replay(name: str, does: str, brief: str, *keys: str) -> Action:
    return Action(id=f"replay-{name}", does=does, brief=brief, keys=keys, group=ActionGroup.REPLAY)


REPLAY_ACTIONS: Final = (
    _replay("pause", "pause, or play on", "pause", "space"),
    _replay("back", "one event back, and pause", "back", ",", "left"),
    _replay("step", "one event on, and pause", "step", ".", "right"),
    _replay("slower", "slower", "slower", "-"),
    _replay("faster", "faster", "faster", "+", "="),
    _replay("hand-back", "to the deal, or to the hand before", "hand", "[", "pageup"),
    _replay("hand-next", "to the next hand", "next", "]", "pagedown"),
    _replay("seek", "go to a hand, an event or a time", "go to", "g"),
)
"""The actions of a replay, beside those of spectators."""


SOLO_ACTIONS: Final = (
    Action(
        id="solo-undo",
        does="undo the last play; again: the one before it",
        brief="undo",
        group=ActionGroup.SOLO,
        keys=(",", "ctrl+z"),
    ),
    Action(
        id="solo-redo",
        does="redo the play that was undone",
        brief="redo",
        group=ActionGroup.SOLO,
        keys=(".", "ctrl+y"),
    ),
    Action(
        id="solo-up",
        does="send up all cards that can go up",
        brief="all up",
        group=ActionGroup.SOLO,
        keys=("'",),
    ),
    Action(id="hint", does="show a play", brief="hint", group=ActionGroup.SOLO, keys=("/",)),
    Action(id="solo-restart", does="the same deal again", group=ActionGroup.SOLO, keys=("f8",)),
    Action(id="solo-deal", does="another deal", brief="deal", group=ActionGroup.SOLO, keys=("f9",)),
    Action(
        id="solo-rules", does="the rules of the game", brief="rules", group=ActionGroup.SOLO, keys=("f7",)
    ),
    Action(
        id="solo-statistics", does="how often you have played and won", group=ActionGroup.SOLO, keys=("f6",)
    ),
)
"""The actions of a solo table, beside plays."""


def column_actions(columns: int) -> Iterator[Action]:
    """Yield each column's actions: pick up or put down, play to a foundation, put a single card down."""
    for number in range(1, columns + 1):
        spot = f"column-{number}"
        yield Action(
            id=spot,
            does=f"pick up from column {number}, or put down there; twice: its best play",
            spot=(KeyRow.HOME, spot),
        )
        yield Action(
            id=f"{spot}-up", does=f"top card of column {number} to the foundations", spot=(KeyRow.UPPER, spot)
        )
        yield Action(
            id=f"{spot}-one",
            does=f"only the top card to column {number}, not the run that could go",
        )


def pile_actions(piles: int, foundations: int, places: int = 0) -> Iterator[Action]:
    """Yield the actions of rank places, of piles with a letter, and of foundations with a digit."""
    for number in range(1, places + 1):
        rank = RANK_NAMES[number - 1]
        yield Action(
            id=f"place-{number}", does=f"pick up from place {rank}, or put down there; twice: its best play"
        )
        yield Action(id=f"place-{number}-up", does=f"top card of place {rank} to the foundations")
    for number in range(1, min(piles, MOST_PILES) + 1):
        yield Action(
            id=f"pile-{number}", does=f"pick up from pile {number}, or put down there; twice: its best play"
        )
        yield Action(id=f"pile-{number}-up", does=f"top card of pile {number} to the foundations")
    for number in range(1, min(foundations, MOST_FOUNDATIONS) + 1):
        yield Action(id=f"foundation-{number}", does=f"put down on foundation {number}, or take back from it")
