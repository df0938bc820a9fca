"""Dialogs over a screen: help, texts, chat and questions."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Button, Input, Label, OptionList
from textual.widgets.option_list import Option

from racing_demon_client.sources.replay import POSITIONS
from racing_demon_client.terminal.appearance import Appearance
from racing_demon_client.terminal.canvas_widget import CanvasWidget
from racing_demon_client.terminal.drawing.canvas import Canvas
from racing_demon_client.terminal.drawing.help import draw_help, draw_text
from racing_demon_client.terminal.style import wrapped
from racing_demon_protocol.constants import MAX_CHAT_LENGTH, MAX_REPORT_LENGTH
from racing_demon_protocol.enums import BotLevel

MIN_TEXT_WIDTH = 20
"""The minimum width of a text, on any terminal."""
Answer = TypeVar("Answer")


def is_on_top(screen: Screen[Any]) -> bool:
    """Return whether a screen is active; a closing one may still have keys queued."""
    return screen.app.screen_stack[-1:] == [screen]


def pass_on(screen: Screen[Any], event: events.Key) -> bool:
    """Pass a key on to the active screen if this one is closing; return whether it was passed on."""
    if is_on_top(screen):
        return False
    event.stop()
    event.prevent_default()
    screen.app.post_message(events.Key(event.key, event.character))
    return True


class Dialog(ModalScreen[Answer]):
    """A modal screen that is answered once, however many keys are queued for it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "back")]

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close with an answer; do nothing if already closed."""
        return super().dismiss(result) if is_on_top(self) else AwaitComplete()

    def action_back(self) -> None:
        """Close without an answer."""
        self.dismiss(None)

    def renew(self) -> None:
        """Show what has changed at the table; most dialogs have nothing to change."""


class HelpScreen(Dialog[None]):
    """The help: every key and its action; and how the game is played, if it is known.

    Args:
        lines: the help, line by line.
        appearance: returns the current appearance.
        guide: draws how the game is played, from one of its rows on, in a size.
        shows_guide: whether that is shown first.

    """

    AUTO_FOCUS = None

    def __init__(
        self,
        lines: list[tuple[str, str]],
        appearance: Callable[[], Appearance],
        guide: Callable[[int, tuple[int, int]], Canvas] | None = None,
        *,
        shows_guide: bool = False,
    ) -> None:
        super().__init__()
        self._lines = lines
        self._first = 0
        self._guide = guide
        self._shows_guide = shows_guide
        self.canvas = CanvasWidget(self._draw, appearance)

    def _draw(self, appearance: Appearance, width: int, height: int) -> Canvas:
        if self._guide is not None and self._shows_guide:
            return self._guide(self._first, (width, height))
        other = "" if self._guide is None else "tab: how to play   "
        return draw_help(self._lines, self._first, (width, height), appearance.glyphs, other)

    def compose(self) -> ComposeResult:
        """Compose the picture that fills the screen."""
        yield self.canvas

    def on_key(self, event: events.Key) -> None:
        """Scroll, or close."""
        if pass_on(self, event):
            return
        event.stop()
        event.prevent_default()
        steps = {"down": 1, "up": -1, "pagedown": 10, "pageup": -10}
        if event.key in steps:
            last = max(0, len(self._lines) - 1)
            self._first = min(last, max(0, self._first + steps[event.key]))
            self.canvas.redraw()
        elif event.key == "tab" and self._guide is not None:
            self._shows_guide, self._first = not self._shows_guide, 0
            self.canvas.redraw()
        else:
            self.dismiss()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Close."""
        self.dismiss()


class TextScreen(HelpScreen):
    """A text of several lines, the first of which is its title.

    Args:
        text: returns the lines for a width in cells; longer ones are wrapped.
        appearance: returns the current appearance.

    """

    def __init__(self, text: Callable[[int], Iterable[str]], appearance: Callable[[], Appearance]) -> None:
        super().__init__([], appearance)
        self._text = text

    def _draw(self, appearance: Appearance, width: int, height: int) -> Canvas:
        room = max(MIN_TEXT_WIDTH, width - 4)
        self._lines = [("", part) for line in self._text(room) for part in wrapped(line, room)]
        return draw_text(self._lines, self._first, (width, height), appearance.glyphs)


class ChatScreen(Dialog[str]):
    """A dialog for one line of chat."""

    DEFAULT_CSS = """
    ChatScreen { align: center bottom; background: transparent; }
    ChatScreen Input { width: 100%; }
    """

    def compose(self) -> ComposeResult:
        """Compose the dialog."""
        yield Input(
            placeholder="say something (Enter; Escape: back)", max_length=MAX_CHAT_LENGTH, compact=True
        )

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())


class ReportScreen(ChatScreen):
    """A dialog for what is reported to whoever runs the server.

    Args:
        whom: whom it is about.

    """

    def __init__(self, whom: str) -> None:
        super().__init__()
        self._whom = whom

    def compose(self) -> ComposeResult:
        """Compose the dialog."""
        placeholder = f"report {self._whom} to who runs the server: what happened? (Escape: back)"
        yield Input(placeholder=placeholder, max_length=MAX_REPORT_LENGTH, compact=True)


class SeekScreen(ChatScreen):
    """A dialog for the place that a replay seeks to."""

    def compose(self) -> ComposeResult:
        """Compose the dialog."""
        yield Input(placeholder=f"{POSITIONS} (Escape: back)", max_length=16, compact=True)


class QuestionScreen(Dialog[bool]):
    """A yes-or-no question.

    Args:
        text: the question.
        yes: the label for yes.
        no: the label for no.

    """

    DEFAULT_CSS = """
    QuestionScreen { align: center middle; }
    QuestionScreen Vertical { width: 64; max-width: 100%; height: auto; }
    QuestionScreen Vertical { border: round $primary; padding: 1 2; }
    QuestionScreen Label { width: 100%; }
    QuestionScreen Horizontal { height: auto; margin-top: 1; }
    QuestionScreen Button { margin-right: 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes"),
        Binding("n", "answer(False)", "no"),
    ]

    def __init__(self, text: str, yes: str, no: str) -> None:
        super().__init__()
        self._text = text
        self._yes = yes
        self._no = no

    def compose(self) -> ComposeResult:
        """Compose the question."""
        with Vertical():
            yield Label(self._text, markup=False)
            with Horizontal():
                yield Button(f"{self._yes} (y)", id="yes", variant="warning", compact=True)
                yield Button(f"{self._no} (n)", id="no", compact=True)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        """Answer by key."""
        self.dismiss(answer)


class BotsScreen(Dialog[BotLevel]):
    """A list of the levels of bots: one is chosen with Enter, its digit, or a click.

    Args:
        plays: what a bot of each level does.

    """

    AUTO_FOCUS = "OptionList"
    DEFAULT_CSS = """
    BotsScreen { align: center middle; }
    BotsScreen Vertical { width: 64; max-width: 100%; height: auto; }
    BotsScreen Vertical { border: round $primary; padding: 0 1; }
    BotsScreen OptionList { height: auto; border: none; padding: 0; }
    BotsScreen OptionList:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(str(digit), f"choose({digit})", level) for digit, level in enumerate(BotLevel)
    ]

    def __init__(self, plays: Mapping[BotLevel, str]) -> None:
        super().__init__()
        self._levels = list(BotLevel)
        width = max(map(len, BotLevel)) + 1
        self._lines = [f"{digit} {level:{width}} {plays[level]}" for digit, level in enumerate(BotLevel)]

    def compose(self) -> ComposeResult:
        """Compose the list."""
        with Vertical():
            yield Label("A bot (Enter; Escape: back)", markup=False)
            yield OptionList(*(Option(Content(line)) for line in self._lines))

    def on_mount(self) -> None:
        """Begin at the level that is nobody's extreme."""
        self.query_one(OptionList).highlighted = self._levels.index(BotLevel.MEDIUM)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.action_choose(event.option_index)

    def action_choose(self, place: int) -> None:
        """Answer with a level, by its place in the list."""
        self.dismiss(self._levels[place])
