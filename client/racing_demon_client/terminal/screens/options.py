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

from racing_demon_client.shared.option_text import GROUPS, MEANINGS, called, read, refusal, usual, value_text
from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import NEUTRAL, PRESETS

from .dialogs import Dialog

USUAL = ""
"""Stands for the game's own default."""
PRESET = "A well-known way to play. Choosing one fills in the options."


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
    OptionsScreen .heading { color: $primary; }
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
                with Horizontal(classes="row"):
                    yield Label("preset", markup=False)
                    yield self._presets()
                for group, names in GROUPS.items():
                    yield Label(group, classes="heading", markup=False)
                    for name in names:
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
        name = event.widget.id or ""
        self.query_one("#meaning", Label).update(PRESET if name == "preset" else MEANINGS.get(name, ""))

    def _presets(self) -> Select[str]:
        exact = [preset.name for preset in PRESETS.values() if not preset.deviations(self._options)]
        choices = [
            ("none of these", ""),
            *((f"{each.title}: {each.text}", name) for name, each in PRESETS.items()),
        ]
        return Select(
            choices,
            value=exact[0] if exact else "",
            allow_blank=False,
            id="preset",
            compact=True,
            disabled=bool(self._locked),
        )

    @on(Select.Changed, "#preset")
    def _fill_in(self, event: Select.Changed) -> None:
        """Set every option that affects play or scoring to the chosen preset's."""
        if event.value in PRESETS:
            options = PRESETS[str(event.value)].options
            for name in Options.model_fields.keys() - NEUTRAL:
                self._editor_of(name).value = _entered(name, options)

    @on(Select.Changed)
    @on(Input.Changed)
    def _deviate(self, event: Select.Changed | Input.Changed) -> None:
        """Name no preset any more once an option differs from it."""
        presets = self.query_one("#preset", Select)
        name = event.control.id or ""
        if presets.value in PRESETS and name in Options.model_fields.keys() - NEUTRAL:
            wanted = _entered(name, PRESETS[str(presets.value)].options)
            if self._editor_of(name).value != wanted:
                presets.value = ""

    def _editor_of(self, name: str) -> Select[str] | Input:
        kind = Select if choices_of(name) else Input
        return self.query_one(f"#{name}", kind)  # type: ignore[return-value]

    def _editor(self, name: str) -> Select[str] | Input:
        choices = choices_of(name)
        written = _entered(name, self._options)
        editor: Select[str] | Input
        if choices:
            editor = Select(choices, value=written, allow_blank=False, id=name, compact=True)
        else:
            editor = Input(written, placeholder=usual(name), id=name, compact=True)
        editor.disabled = bool(self._locked)
        return editor

    @on(Select.Changed)
    @on(Input.Changed)
    def _warn(self) -> None:
        """Say at once what cannot be played together. What is being typed may still become a value."""
        try:
            self._entered_options()
        except ValidationError:
            self._refuse("")
        except InvalidGame as error:
            self._refuse(str(error))
        else:
            self._refuse("")

    @on(Button.Pressed, "#take")
    def _apply_form(self) -> None:
        try:
            options = self._entered_options()
        except ValidationError as error:
            self._refuse(refusal(error))
            self._go_to(error.errors()[0]["loc"])
        except InvalidGame as error:
            self._refuse(str(error))
        else:
            self.dismiss(options)

    def _entered_options(self) -> Options:
        """Return the options as they are entered.

        Raises:
            InvalidGame: they cannot be played together.
            ValidationError: a value is invalid.

        """
        values: dict[str, Any] = {}
        for name in Options.model_fields:
            text = str(self._editor_of(name).value).strip()
            if text != USUAL:
                values[name] = read(name, text)
            elif Options.model_fields[name].default is None:
                values[name] = None
        options = Options.model_validate(values)
        declare(options, 2)
        return options

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


def _entered(name: str, options: Options) -> str:
    """Return what the editor of an option holds."""
    value = getattr(options, name)
    if value is None:
        return USUAL
    return _written(value) if choices_of(name) else value_text(name, value)


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
