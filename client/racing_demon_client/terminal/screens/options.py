"""The form for a table's options, built from their model."""

import enum
import types
import typing
from dataclasses import replace
from typing import Any

from pydantic import ValidationError
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import DescendantFocus
from textual.widgets import Button, Input, Label, Select

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.server_query import fetch_presets
from racing_demon_client.saved_presets import save_preset, saved_presets
from racing_demon_client.shared.option_text import (
    GROUPS,
    MEANINGS,
    called,
    in_words,
    read,
    refusal,
    usual,
    value_text,
)
from racing_demon_client.terminal.style import screen_text
from racing_demon_protocol.errors import InvalidGame, InvalidPreset
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import NEUTRAL, PRESETS
from racing_demon_protocol.wire.saved_presets import MAX_TITLE

from .dialogs import Dialog

USUAL = ""
"""Stands for the game's own default."""
YOURS = "saved here"
THE_SERVERS = "of this server"
PRESET = "A well-known way to play, or one that you have saved. Choosing one fills in the options."


class TitleScreen(Dialog[str]):
    """Asks under which title to save options."""

    DEFAULT_CSS = """
    TitleScreen { align: center middle; }
    TitleScreen Vertical { width: 56; max-width: 100%; height: auto; border: round $primary; padding: 0 1; }
    """

    def compose(self) -> ComposeResult:
        """Compose the dialog."""
        with Vertical():
            yield Label("Save these options under which name?")
            yield Input(
                placeholder="such as At Grandma's (Enter; Escape: back)", max_length=MAX_TITLE, compact=True
            )

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())


class OptionsScreen(Dialog[Options]):
    """Shows the table's options and lets the host change them.

    Args:
        options: the current options.
        locked: why they cannot be changed now; empty if they can.
        server: the address of the server whose own presets are offered, too; empty if there is none.

    """

    DEFAULT_CSS = """
    OptionsScreen { align: center middle; }
    OptionsScreen > Vertical { width: 76; max-width: 100%; height: 100%; max-height: 24; }
    OptionsScreen > Vertical { border: round $primary; }
    OptionsScreen VerticalScroll { height: 1fr; }
    OptionsScreen .heading { color: $primary; }
    OptionsScreen .row { height: 1; }
    OptionsScreen .row Label { width: 34; }
    OptionsScreen #preset-row Label { width: 8; }
    OptionsScreen .row Input, OptionsScreen .row Select { width: 1fr; }
    OptionsScreen #wrong { color: $error; height: auto; width: 100%; }
    OptionsScreen #meaning { height: 2; width: 100%; color: $text-muted; }
    OptionsScreen #buttons { height: 1; }
    OptionsScreen Button { margin-right: 2; }
    """

    def __init__(self, options: Options, locked: str = "", server: str = "") -> None:
        super().__init__()
        self._options = options
        self._locked = locked
        self._server = server
        self._presets = PRESETS | saved_presets()[0]

    def compose(self) -> ComposeResult:
        """Compose one row for each option."""
        with Vertical():
            if self._locked:
                yield Label(self._locked, markup=False)
            with VerticalScroll(can_focus=bool(self._locked)):
                with Horizontal(classes="row", id="preset-row"):
                    yield Label("preset", markup=False)
                    yield self._preset_choice()
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
                    yield Button("Save as...", id="save", compact=True)
                yield Button("Back", id="back", compact=True)

    def on_mount(self) -> None:
        """Ask the server for its own presets."""
        if self._server and not self._locked:
            self.run_worker(self._offer_presets_of_server())

    async def _offer_presets_of_server(self) -> None:
        try:
            presets = await fetch_presets(self._server)
        except ConnectionFailed:
            return  # it can be played without them
        theirs = {name: replace(each, text=each.text or THE_SERVERS) for name, each in presets.items()}
        self._presets = theirs | self._presets
        chooser = self.query_one("#preset", Select)
        with self.prevent(Select.Changed):  # nothing that was entered meanwhile changes
            chosen = chooser.value
            chooser.set_options(self._preset_choices())
            chooser.value = chosen

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Explain the focused option."""
        name = event.widget.id or ""
        self.query_one("#meaning", Label).update(PRESET if name == "preset" else MEANINGS.get(name, ""))

    def _preset_choice(self) -> Select[str]:
        exact = [name for name, preset in self._presets.items() if not preset.deviations(self._options)]
        return Select(
            self._preset_choices(),
            value=exact[0] if exact else "",
            allow_blank=False,
            id="preset",
            compact=True,
            disabled=bool(self._locked),
        )

    def _preset_choices(self) -> list[tuple[str, str]]:
        named = [
            (f"{screen_text(each.title)}: {screen_text(each.text) or YOURS}", name)
            for name, each in self._presets.items()
        ]
        return [("none of these", ""), *named]

    @on(Select.Changed, "#preset")
    def _fill_in(self, event: Select.Changed) -> None:
        """Set every option that affects play or scoring to the chosen preset's, and others that it names."""
        if event.value in self._presets:
            options = self._presets[str(event.value)].options
            for name in (Options.model_fields.keys() - NEUTRAL) | options.model_fields_set:
                self._editor_of(name).value = _entered(name, options)

    @on(Select.Changed)
    @on(Input.Changed)
    def _deviate(self, event: Select.Changed | Input.Changed) -> None:
        """Name no preset any more once an option differs from it."""
        presets = self.query_one("#preset", Select)
        name = event.control.id or ""
        if presets.value in self._presets and name in Options.model_fields.keys() - NEUTRAL:
            wanted = _entered(name, self._presets[str(presets.value)].options)
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
            self._refuse(in_words(str(error)))
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
            self._refuse(in_words(str(error)))
        else:
            self.dismiss(options)

    @on(Button.Pressed, "#save")
    def _save(self) -> None:
        self.app.push_screen(TitleScreen(), self._save_as)

    def _save_as(self, title: str | None) -> None:
        if not title:
            return
        try:
            preset = save_preset(title, self._entered_options())
        except ValidationError as error:
            self._refuse(refusal(error))
        except InvalidGame as error:
            self._refuse(in_words(str(error)))
        except InvalidPreset as error:
            self._refuse(str(error))
        else:
            self._presets[preset.name] = preset
            chooser = self.query_one("#preset", Select)
            chooser.set_options(self._preset_choices())
            chooser.value = preset.name

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
    is_union = typing.get_origin(annotation) in {typing.Union, types.UnionType}
    kinds = typing.get_args(annotation) if is_union else (annotation,)
    own = [(usual(name), USUAL)] if types.NoneType in kinds else []
    for bounded in kinds:
        kind = typing.get_args(bounded)[0] if typing.get_origin(bounded) is typing.Annotated else bounded
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
