"""The form for a table's options, built from their model."""

import enum
import types
import typing
from typing import Any

from pydantic import ValidationError
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import DescendantFocus
from textual.widgets import Button, Input, Label, Select

from racing_demon_client.shared.option_text import MEANINGS, called, read, refusal, usual, value_text
from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.wire.options import Options

from .dialogs import Dialog

USUAL = ""
"""Stands for the game's own default."""


class OptionsScreen(Dialog[Options]):
    """Shows the table's options and lets the host change them.

    Args:
        options: the current options.
        locked: why they cannot be changed now; empty if they can.

    """

    DEFAULT_CSS = """
    OptionsScreen { align: center middle; }
    OptionsScreen > Vertical { width: 76; max-width: 100%; height: 100%; max-height: 24; }
    OptionsScreen > Vertical { border: round $primary; }
    OptionsScreen VerticalScroll { height: 1fr; }
    OptionsScreen .row { height: 1; }
    OptionsScreen .row Label { width: 24; }
    OptionsScreen .row Input, OptionsScreen .row Select { width: 1fr; }
    OptionsScreen #wrong { color: $error; height: auto; width: 100%; }
    OptionsScreen #meaning { height: 2; width: 100%; color: $text-muted; }
    OptionsScreen #buttons { height: 1; }
    OptionsScreen Button { margin-right: 2; }
    """

    def __init__(self, options: Options, locked: str = "") -> None:
        super().__init__()
        self._options = options
        self._locked = locked

    def compose(self) -> ComposeResult:
        """Compose one row for each option."""
        with Vertical():
            if self._locked:
                yield Label(self._locked, markup=False)
            with VerticalScroll(can_focus=bool(self._locked)):
                for name in Options.model_fields:
                    with Horizontal(classes="row"):
                        yield Label(called(name), markup=False)
                        yield self._editor(name)
            yield Label("", id="meaning", markup=False)
            yield Label("", id="wrong", markup=False)
            with Horizontal(id="buttons"):
                if not self._locked:
                    yield Button("Play this", id="take", variant="primary", compact=True)
                yield Button("Back", id="back", compact=True)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Explain the focused option."""
        self.query_one("#meaning", Label).update(MEANINGS.get(event.widget.id or "", ""))

    def _editor(self, name: str) -> Select[str] | Input:
        value = getattr(self._options, name)
        choices = choices_of(name)
        written = USUAL if value is None else _written(value) if choices else value_text(name, value)
        editor: Select[str] | Input
        if choices:
            editor = Select(choices, value=written, allow_blank=False, id=name, compact=True)
        else:
            editor = Input(written, placeholder=usual(name), id=name, compact=True)
        editor.disabled = bool(self._locked)
        return editor

    @on(Button.Pressed, "#take")
    def _take(self) -> None:
        values: dict[str, Any] = {}
        for name in Options.model_fields:
            kind = Select if choices_of(name) else Input
            editor: Select[str] | Input = self.query_one(f"#{name}", kind)  # type: ignore[assignment]
            text = str(editor.value).strip()
            if text != USUAL:
                values[name] = read(name, text)
            elif Options.model_fields[name].default is None:
                values[name] = None
        try:
            options = Options.model_validate(values)
            declare(options, 2)
        except ValidationError as error:
            self._refuse(refusal(error))
            self._go_to(error.errors()[0]["loc"])
        except InvalidGame as error:
            self._refuse(str(error))
        else:
            self.dismiss(options)

    def _refuse(self, text: str) -> None:
        self.query_one("#wrong", Label).update(text)

    def _go_to(self, place: tuple[int | str, ...]) -> None:
        """Focus the invalid option."""
        for editor in self.query(f"#{place[0]}") if place else ():
            editor.focus()

    @on(Button.Pressed, "#back")
    def _leave(self) -> None:
        self.action_back()


def choices_of(name: str) -> list[tuple[str, str]]:
    """Return an option's choices as (label, value) pairs; empty for a number."""
    if name == "game":
        return [(game.title, game.name) for game in GAMES.values()]
    annotation = Options.model_fields[name].annotation
    kinds = typing.get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)
    own = [(usual(name), USUAL)] if types.NoneType in kinds else []
    for kind in kinds:
        if kind is bool:
            return [*own, ("yes", "true"), ("no", "false")]
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return [*own, *((value_text(name, member.value), str(member.value)) for member in kind)]
    return []


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
