"""The table's options as a form, made from the model of the options."""

import ast
import enum
import re
import types
import typing
from collections.abc import Mapping
from functools import cache
from inspect import getsource
from itertools import pairwise
from typing import Any, ClassVar

from pydantic import ValidationError
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import DescendantFocus
from textual.widgets import Button, Input, Label, Select

from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.options import Options

from ...explaining import explained
from .dialogs import Dialog

__all__ = ["OptionsScreen", "choices_of", "meanings"]

USUAL = ""
"""Stands for: as the game has it."""


class OptionsScreen(Dialog[Options]):
    """Shows what is played, and lets the host change it.

    Args:
        options: as they are.
        locked: why they cannot be changed now; empty: they can.

    """

    DEFAULT_CSS = """
    OptionsScreen { align: center middle; }
    OptionsScreen > Vertical { width: 76; height: auto; max-height: 100%; border: round $primary; }
    OptionsScreen VerticalScroll { height: auto; max-height: 18; }
    OptionsScreen .row { height: 1; }
    OptionsScreen .row Label { width: 24; }
    OptionsScreen .row Input, OptionsScreen .row Select { width: 1fr; }
    OptionsScreen #wrong { color: $error; height: auto; width: 100%; }
    OptionsScreen #meaning { height: 2; color: $text-muted; }
    OptionsScreen #buttons { height: 1; }
    OptionsScreen Button { margin-right: 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "back")]

    def __init__(self, options: Options, locked: str = "") -> None:
        super().__init__()
        self._options = options
        self._locked = locked

    def compose(self) -> ComposeResult:
        """Lay a row out for each option."""
        with Vertical():
            if self._locked:
                yield Label(self._locked, markup=False)
            with VerticalScroll(can_focus=bool(self._locked)):
                for name in Options.model_fields:
                    with Horizontal(classes="row"):
                        yield Label(name.replace("_", " "), markup=False)
                        yield self._editor(name)
            yield Label("", id="meaning", markup=False)
            yield Label("", id="wrong", markup=False)
            with Horizontal(id="buttons"):
                if not self._locked:
                    yield Button("Play this", id="take", variant="primary", compact=True)
                yield Button("Back", id="back", compact=True)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Say what the option means that is being looked at."""
        self.query_one("#meaning", Label).update(meanings().get(event.widget.id or "", ""))

    def _editor(self, name: str) -> Select[str] | Input:
        value = getattr(self._options, name)
        written = USUAL if value is None else _written(value)
        choices = choices_of(name)
        editor: Select[str] | Input
        if choices:
            editor = Select(choices, value=written, allow_blank=False, id=name, compact=True)
        else:
            editor = Input(written, placeholder="as the game has it", id=name, compact=True)
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
                values[name] = _read(text)
            elif Options.model_fields[name].default is None:
                values[name] = None
        try:
            options = Options.model_validate(values)
            declare(options, 2)
        except ValidationError as error:
            self._refuse(explained(error))
            self._go_to(error.errors()[0]["loc"])
        except InvalidGame as error:
            self._refuse(str(error))
        else:
            self.dismiss(options)

    def _refuse(self, text: str) -> None:
        self.query_one("#wrong", Label).update(text)

    def _go_to(self, place: tuple[int | str, ...]) -> None:
        """Look at the option that is wrong."""
        for editor in self.query(f"#{place[0]}") if place else ():
            editor.focus()

    @on(Button.Pressed, "#back")
    def action_back(self) -> None:
        """Change nothing."""
        self.dismiss(None)


def choices_of(name: str) -> list[tuple[str, str]]:
    """Return what an option may be, for people and as it is written; nothing for a number."""
    if name == "game":
        return [(game.title, game.name) for game in GAMES.values()]
    annotation = Options.model_fields[name].annotation
    kinds = typing.get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)
    usual = [("as the game has it", USUAL)] if types.NoneType in kinds else []
    for kind in kinds:
        if kind is bool:
            return [*usual, ("yes", "true"), ("no", "false")]
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return [*usual, *((str(member.value), str(member.value)) for member in kind)]
    return []


@cache
def meanings() -> Mapping[str, str]:
    """Return what each option means: the words beside it in the model, without where they come from."""
    (model,) = ast.parse(getsource(Options)).body
    assert isinstance(model, ast.ClassDef)
    return {
        field.target.id: re.sub(r" \(A\d+\)|``", "", text.value.value)
        for field, text in pairwise(model.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(text: str) -> object:
    if text in {"true", "false"}:
        return text == "true"
    return int(text) if text.lstrip("-").isdigit() and text.isascii() else text
