"""Desks to test with: what a player does, sees and hears at a table, without screen and server."""

import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, Self

from hypothesis import strategies as st
from rich.cells import cell_len

from racing_demon_client.shared.pile_names import actions_with_keys
from racing_demon_client.terminal.drawing.canvas import Canvas
from racing_demon_client.terminal.drawing.scene import Scene
from racing_demon_client.terminal.drawing.table import draw_table
from racing_demon_client.terminal.keymap import KEYBOARD_LAYOUTS, Keymap, game_keymap, table_keymap
from racing_demon_client.terminal.style import SMALLEST, UNICODE, Glyphs, choose
from racing_demon_client.terminal.view_model import SoundCue, ViewModel
from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table.state import HandView, TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import SeatState
from racing_demon_protocol.wire.options import Options
from tests.support.boards import Position, build, deal_seed, rules_of
from tests.support.matches import log_of, options_of
from tests.support.playouts import play_on

SIZES: Final = ((80, 24), (120, 40), (200, 60))
"""The terminals that the three densities are made for."""

SEAT_NAMES: Final = ("Ann", "Ben", "Cat", "Don", "Emy", "Flo", "Gil", "Ian")

HOSTILE: Final = (
    "\x1b[2J\x1b[31mred\x07",
    "\u202egnirts\u202c\u2066x",
    "Z\u0351\u0352\u0353\u0354\u0355\u0356\u0357a\u0300\u0301\u0302\u0303l\u0316\u0317\u0318\u0319go",
    "\u0301\u0302\u0303\u0304",
    "漢字" * 12,
    "x" + "漢字" * 12,
    "❤\ufe0f❤\ufe0f❤\ufe0f❤\ufe0f❤\ufe0f❤\ufe0f❤\ufe0f❤\ufe0f",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 5,
    "\U0001f44d\U0001f3fd" * 9,
    "\U0001f1e9\U0001f1ea" * 7,
    "W" * 64,
    "漢" * 64,
    "[/]",
    "[@click=app.bell]x[/]",
    "\t\r\n\x00\x7f\x9b1m",
    "한글한글 한글",
    "\u1112\u1161\u11ab\u1100\u1173\u11af",
    "e\u0301 \u0645\u064f\u062d\u064e",
    "\U0001f3fd\u200b\u2060\ufeff",
    " ",
)
"""Names that a server should never have let in."""

SETUPS: Final[dict[str, tuple[str, int, dict[str, object]]]] = {
    "racing-demon": ("racing-demon", 2, {}),
    "one": ("racing-demon", 1, {"take_back": "free", "turn": 1, "redeals": 2}),
    "eight": ("racing-demon", 8, {"waste_view": 3}),
    "classic": ("classic", 3, {"waste_view": 5}),
    "nine": ("classic", 2, {"columns": 9, "reserve": 7, "forced_bases": True}),
    "demon-a": ("demon-a", 2, {}),
    "demon-b": ("demon-b", 1, {"take_back": "free"}),
    "fooliana": ("fooliana", 2, {"redeals": 1}),
}
"""Hands by name: the game, how many play, and the options."""


class FakeClient:
    """A place at a table: what a desk needs of a client.

    Attributes:
        seat: the player's.
        view: the table.
        watchers: how many watch it.
        in_doubt: the commands that nobody has answered.

    """

    def __init__(self, view: TableState, seat: int | None) -> None:
        self.seat = seat
        self.view = view
        self.watchers = 0
        self.unanswered: list[cl.Command] = []

    def doubt(self, *plays: Play) -> None:
        """Put plays into the air, beside those that are there."""
        for source, count, destination, _ in plays:
            counter = len(self.unanswered) + 1
            command = cl.PlayCards(
                counter=counter, source=source, count=count, destination=destination, seen=self.view.seq
            )
            self.unanswered.append(command)


class Player:
    """Somebody at a desk, with a keyboard, on a clock that stands still until it is told to move.

    Attributes:
        chair: the place.
        desk: the desk.
        glyphs: the signs on the screen.
        now: the time, in milliseconds.
        cues: the sounds so far.

    """

    def __init__(
        self,
        view: TableState,
        seat: int | None = 0,
        *,
        glyphs: Glyphs = UNICODE,
        volume: int = 1,
        motion: bool = True,
        preset: str = "qwerty",
    ) -> None:
        self.chair = FakeClient(view, seat)
        self.model = ViewModel(self.chair, volume=volume, motion=motion, glyphs=glyphs)
        self.glyphs = glyphs
        self.now = 1_000_000
        self.cues: list[SoundCue] = []
        self._preset = KEYBOARD_LAYOUTS[preset]

    @classmethod
    def at_match(cls, name: str, seat: int | None, *, glyphs: Glyphs = UNICODE, volume: int = 1) -> Self:
        """Return somebody at the table of a match, before its first event."""
        return cls(TableState("TEST", options_of(name)), seat, glyphs=glyphs, volume=volume)

    @classmethod
    def at_position(
        cls, position: Position, seat: int | None = 0, *, glyphs: Glyphs = UNICODE, **options: object
    ) -> Self:
        """Return somebody in the middle of a hand; the position is not to be played on."""
        player = cls(view_of(position, **options), seat, glyphs=glyphs)
        player.model.activity.start_from(player.view, player.now, 0)
        return player

    @property
    def view(self) -> TableState:
        """The table."""
        return self.chair.view

    @property
    def board(self) -> Board:
        """The table's board."""
        assert self.view.board is not None
        return self.view.board

    @property
    def rules(self) -> Rules:
        """The rules of the hand."""
        assert self.view.hand is not None
        return self.view.hand.rules

    def hear(self, *messages: Message, ms: int = 50) -> None:
        """Follow messages, one after the other, so many milliseconds between them."""
        for message in messages:
            self.now += ms
            if isinstance(message, ev.Event):
                self.view.apply(message)
            cue = self.model.observe(message, self.now)
            if cue is not None:
                self.cues.append(cue)

    def told(self) -> list[str]:
        """Return the lines of the feed."""
        return [line.text for line in self.model.activity.feed]

    @property
    def keymap(self) -> Keymap:
        """The keys of the game on the table."""
        focus, hand = self.model.focus, self.view.hand
        if hand is None or focus is None:
            return table_keymap(self._preset, {})
        return game_keymap(self._preset, {}, actions_with_keys(hand.rules, self.board, focus))

    def type(self, keys: str) -> list[Play]:
        """Press keys, separated by blanks, and return the plays that came of it."""
        plays = [self._press(key) for key in keys.split()]
        return [play for play in plays if play is not None]

    def _press(self, key: str) -> Play | None:
        action = self.keymap.action(key)
        assert action is not None, key
        hands = self.model.selection
        return hands.use_cursor(self.now) if action == "enter" else hands.press(action, self.now)

    def column(self, number: int) -> int:
        """Return the pile of one of the player's columns, from 1."""
        assert self.chair.seat is not None
        return self.rules.layout.seat_piles(self.chair.seat, Kind.TABLEAU)[number - 1]

    def scene(self) -> Scene:
        """Return what is to be drawn."""
        keymap = self.keymap
        return self.model.scene(self.now, keymap.labels, keymap.footer(hints=self.view.options.hints))

    def draw(self, size: tuple[int, int] = SMALLEST) -> Canvas:
        """Return the picture on a terminal of a size."""
        return draw_table(self.scene(), size, choose("auto", *size), self.glyphs)


def view_of(position: Position, **options: object) -> TableState:
    """Return the view of a table in the middle of a hand."""
    game = position.rules.game.name
    view = TableState("TEST", Options.model_validate({"game": game, **options}))
    view.hand = HandView(position.rules, position.board, {})
    view.record = view.record._replace(
        phase=Phase.PLAYING,
        hand_number=1,
        seats={seat: SeatState(seat=seat, name=SEAT_NAMES[seat]) for seat in position.rules.layout.seats},
    )
    return view


def rows_of(canvas: Canvas) -> list[str]:
    """Return the rows of a picture, each as wide as it is."""
    return ["".join(text for text, _ in canvas.runs(y)) for y in range(canvas.height)]


def divider_of(size: tuple[int, int]) -> int:
    """Return the column between the cards and the players on a terminal of a size."""
    return choose("auto", *size).divider(size[0])


def cells_of(canvas: Canvas) -> list[list[str]]:
    """Return the cells of each row: marks with their sign, an empty cell behind a wide one."""
    rows: list[list[str]] = []
    for row in rows_of(canvas):
        cells: list[str] = []
        for char in row:
            width = cell_len(char)
            if width == 0 and cells:
                cells[-1 if cells[-1] else -2] += char
            else:
                cells += [char, *[""] * (width - 1)]
        rows.append(cells)
    return rows


def left_part(canvas: Canvas) -> str:
    """Return the picture as far as the cards reach."""
    edge = divider_of((canvas.width, canvas.height))
    return "\n".join("".join(cells[:edge]) for cells in cells_of(canvas))


def right_part(canvas: Canvas) -> list[str]:
    """Return the rows of the players' and the feed's part."""
    edge = divider_of((canvas.width, canvas.height))
    return ["".join(cells[edge + 1 :]) for cells in cells_of(canvas)]


def marks_of(canvas: Canvas, mark: int) -> list[str]:
    """Return the stretches of a picture that have a mark, from the top."""
    return [text for y in range(canvas.height) for text, ink in canvas.runs(y) if ink & mark]


# Hands that were played so far, at random and by the rules.

STEPS: Final = 160
SEEDS: Final = 4


@cache
def _played(setup: str, number: int) -> tuple[Position, ...]:
    game, players, options = SETUPS[setup]
    position = deal_seed(rules_of(game, players, **options), bytes([number]) * 32)
    first = position.copy()
    return first, *(position.copy() for _ in play_on(position, random.Random(number), STEPS))


@st.composite
def positions(draw: st.DrawFn, setups: Sequence[str] = tuple(SETUPS)) -> tuple[str, Position]:
    """Draw a position that legal plays lead to, and the name of its set-up."""
    setup = draw(st.sampled_from(setups))
    states = _played(setup, draw(st.integers(0, SEEDS - 1)))
    return setup, states[draw(st.integers(0, len(states) - 1))].copy()


def moments(name: str, seat: int | None, step: int, *, glyphs: Glyphs = UNICODE) -> Iterator[Player]:
    """Yield a player of a match after every so many events, and after the last one."""
    player = Player.at_match(name, seat, glyphs=glyphs)
    log = log_of(name)
    for number, event in enumerate(log, start=1):
        player.hear(event)
        if number % step == 0 or number == len(log):
            yield player


def klondike(*tableau: str, players: int = 1, hints: bool = False, **piles: str) -> Player:
    """Return the first player of a hand of Racing Demon."""
    position = build(rules_of(players=players), tableau=tableau, **piles)  # type: ignore[arg-type]
    return Player.at_position(position, hints=hints)


def message(player: Player) -> str:
    """Return the line that the player is shown."""
    return player.model.selection.message(player.now)[0]
