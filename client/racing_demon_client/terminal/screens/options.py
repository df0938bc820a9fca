"""A table's options: one list of them, and one editor for the one that is chosen."""

import enum
import types
import typing
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import ClassVar

from pydantic import ValidationError
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Label, OptionList
from textual.widgets.option_list import Option

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.server_query import fetch_presets
from racing_demon_client.saved_presets import save_preset, saved_presets
from racing_demon_client.shared.match_text import DOT, group_phrases, title_text, usual_text
from racing_demon_client.shared.option_text import (
    GROUPS,
    TEXTS,
    called,
    in_words,
    read,
    refusal,
    usual,
    value_text,
)
from racing_demon_client.terminal.drawing.pages import ROOMY, is_roomy
from racing_demon_client.terminal.style import UNICODE, cut, screen_text, shortened
from racing_demon_client.terminal.workers import deferred
from racing_demon_protocol.errors import InvalidGame, InvalidPreset
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.wire.options import NEUTRAL, Options
from racing_demon_protocol.wire.presets import PRESETS, Preset
from racing_demon_protocol.wire.saved_presets import MAX_TITLE

from .dialogs import Dialog, QuestionScreen

USUAL = ""
"""Stands for no value, or for the usual one of an option that must have one."""
YOURS = "saved here"
THE_SERVERS = "of this server"
PRESET = (
    "A well-known way to play, one that you have saved, or another game. Choosing one fills in the options."
)
PRESET_ROW, GROUP_ROW = "preset", "group:"
GAME = "game:"
"""Stands before a game's name among the presets, and alone for the heading above those games."""
NAME_WIDTH = 36
WIDTH, AROUND = 80, 4
"""The width of the form, and of its frame and the bar that scrolls it."""
GROUP_NAME_WIDTH = 23
GROUP_LINES = 2
"""How much a folded group tells of what is in it, where one line is not enough."""
FIND = "Type to find a rule. Enter changes it, or ← →."
YES_OR_NO = 2
"""The number of choices between which Enter changes at once."""


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


class ValueScreen(Dialog[str]):
    """The editor of one option: a list of what can be chosen, or a field for a number.

    Args:
        name: what it is called.
        choices: what can be chosen, each with its value; none for a number.
        value: what holds now.
        hint: what no value means.

    """

    DEFAULT_CSS = """
    ValueScreen { align: center middle; }
    ValueScreen Vertical { width: 60; max-width: 100%; height: auto; max-height: 90%; }
    ValueScreen Vertical { border: round $primary; padding: 0 1; }
    ValueScreen OptionList { height: auto; max-height: 16; border: none; padding: 0; }
    ValueScreen OptionList:focus { border: none; }
    """

    def __init__(self, name: str, choices: list[tuple[str, str]], value: str, hint: str) -> None:
        super().__init__()
        self._called, self._choices, self._value, self._hint = name, choices, value, hint

    def compose(self) -> ComposeResult:
        """Compose the dialog."""
        with Vertical():
            yield Label(f"{self._called} (Enter; Escape: back)", markup=False)
            if self._choices:
                yield OptionList(
                    *(Option(Text(text), disabled=value == GAME) for text, value in self._choices)
                )
            else:
                yield Input(self._value, placeholder=self._hint, compact=True, id="value")

    def on_mount(self) -> None:
        """Mark what holds now."""
        values = [value for _, value in self._choices]
        if self._value in values:
            self.query_one(OptionList).highlighted = values.index(self._value)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._choices[event.option_index][1])

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())


class RuleList(OptionList):
    """A list whose rows are changed by the keys that scroll others to the side."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "screen.step(-1)", "less"),
        Binding("right", "screen.step(1)", "more"),
    ]


class OptionsScreen(Dialog[Options]):
    """Shows the table's options and lets the host change them.

    First stands the preset, then what differs from it, then all options in groups that open. What is typed
    finds some.

    Args:
        options: the current options.
        locked: why they cannot be changed now; empty if they can.
        server: the address of the server whose own presets are offered, too; empty if there is none.

    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("backspace", "forget", "find others"),
    ]
    AUTO_FOCUS = "#rules"
    DEFAULT_CSS = """
    OptionsScreen { align: center middle; background: $background; }
    OptionsScreen > Vertical { width: 80; max-width: 100%; height: 100%; max-height: 30; }
    OptionsScreen > Vertical { border: round $primary; }
    OptionsScreen #rules { height: 1fr; border: none; padding: 0; background: transparent; }
    OptionsScreen #rules:focus { border: none; background-tint: transparent; }
    OptionsScreen #wrong { color: $error; height: auto; width: 100%; }
    OptionsScreen #meaning { height: 2; width: 100%; color: $text-muted; }
    OptionsScreen #find { width: 100%; height: 1; color: $text-muted; }
    OptionsScreen #buttons { height: 1; }
    OptionsScreen Button { margin-right: 2; }
    OptionsScreen #about { display: none; }
    OptionsScreen.-broad.-tall > Vertical { width: 118; max-height: 38; padding: 0 1; }
    OptionsScreen.-broad.-tall #about { display: block; dock: right; width: 38; height: 100%; }
    OptionsScreen.-broad.-tall #about { padding: 0 2; border-left: solid $primary; }
    OptionsScreen.-broad.-tall #meaning { display: none; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (ROOMY[0], "-broad")]  # noqa: RUF012 - as Textual does
    VERTICAL_BREAKPOINTS = [(0, "-low"), (ROOMY[1], "-tall")]  # noqa: RUF012 - as Textual does

    def __init__(self, options: Options, locked: str = "", server: str = "") -> None:
        super().__init__()
        self._options = self._before = options
        self._locked = locked
        self._server = server
        self._presets = PRESETS | saved_presets()[0]
        self._preset = self._exact()
        self._open: set[str] = set()
        self._sought = ""
        self._seeks_anew = False

    @property
    def options(self) -> Options:
        """The options as they are chosen here, and not yet played."""
        return self._options

    @property
    def presets(self) -> dict[str, Preset]:
        """What can be chosen at once, by name."""
        return self._presets

    @property
    def preset(self) -> str:
        """The name of the preset that they follow; empty if they follow none."""
        return self._preset

    def compose(self) -> ComposeResult:
        """Compose the list, what is told below it, and the buttons."""
        with Vertical():
            if self._locked:
                yield Label(self._locked, markup=False)
            yield Label("", id="find", markup=False)
            yield RuleList(id="rules")
            yield Label("", id="meaning", markup=False)
            yield Label("", id="wrong", markup=False)
            with Horizontal(id="buttons"):
                if not self._locked:
                    yield Button("Play this", id="take", variant="primary", compact=True)
                    yield Button("Save as...", id="save", compact=True)
                yield Button("Back", id="back", compact=True)
            yield Label("", id="about")

    def on_mount(self) -> None:
        """Show the list, and ask the server for its own presets."""
        self._show(PRESET_ROW)
        if self._server and not self._locked:
            self.run_worker(deferred(self._offer_presets_of_server))

    def on_resize(self) -> None:
        """Tell of folded groups what fits."""
        self._show(self._row)

    async def _offer_presets_of_server(self) -> None:
        try:
            presets = await fetch_presets(self._server)
        except ConnectionFailed:
            return  # it can be played without them
        theirs = {name: replace(each, text=each.text or THE_SERVERS) for name, each in presets.items()}
        self._presets = theirs | self._presets
        self._show(self._row)

    # The list.

    @property
    def _rules(self) -> OptionList:
        return self.query_one("#rules", OptionList)

    @property
    def _row(self) -> str:
        """What is highlighted: an option's name, a group, or the preset."""
        at = self._rules.highlighted
        return "" if at is None else (self._rules.get_option_at_index(at).id or "").removeprefix("changed:")

    def _show(self, row: str) -> None:
        """Fill the list anew, and highlight a row of it."""
        rules = self._rules
        rules.clear_options()
        rules.add_options(self._rows())
        ids = [option.id for option in rules.options]
        wanted = next((ids.index(each) for each in (row, f"changed:{row}") if each in ids), None)
        first = next((at for at, option in enumerate(rules.options) if not option.disabled), 0)
        rules.highlighted = first if wanted is None else wanted
        head = "found for" if ids else "no rule has"
        find = f"{head} {self._sought!r} (Backspace: other rules)" if self._sought else FIND
        self.query_one("#find", Label).update(find)

    def _rows(self) -> Iterator[Option | None]:
        """Yield the rows; where there is room, a line stands between groups."""
        line = [None] if is_roomy(self.app.size) else []
        if self._sought:
            yield from map(self._option, found(self._sought))
            return
        chosen = self._presets.get(self._preset)
        title = screen_text(chosen.title) if chosen else title_text(self._options)
        yield Option(Text(f"{'preset':{GROUP_NAME_WIDTH}}{title}"), id=PRESET_ROW)
        yield from line
        if differing := self._differing():
            yield Option(Text("changed here", style="bold"), disabled=True)
            for name in differing:
                yield self._option(name, "changed:")
            yield from line
        for group, names in GROUPS.items():
            is_open = group in self._open
            told = "" if is_open else self._told(names)
            mark = "▾" if is_open else "▸"
            yield Option(Text(f"{mark} {group:{GROUP_NAME_WIDTH - 2}}{told}"), id=f"{GROUP_ROW}{group}")
            if is_open:
                yield from (self._option(name) for name in names)
            yield from line

    @property
    def _width(self) -> int:
        """The width of a row."""
        return min(WIDTH, self.app.size.width) - AROUND

    def _told(self, names: Collection[str]) -> str:
        """Return what the options of a folded group come to, in a line or two below each other."""
        room = self._width - GROUP_NAME_WIDTH
        told = DOT.join(group_phrases(self._options, names))
        most = 2 * GROUP_LINES if is_roomy(self.app.size) else GROUP_LINES
        return f"\n{'':{GROUP_NAME_WIDTH}}".join(shortened(told, room, most, UNICODE))

    def _option(self, name: str, prefix: str = "") -> Option:
        mark = "≠" if name in self._differing() else " "
        outcome, value = self._outcome(name), self._value(name)
        told = outcome if outcome == value else f"{outcome} ({value})"
        text = f"{mark} {called(name):{NAME_WIDTH - 2}}{told}"
        return Option(Text(cut(text, self._width, UNICODE)), id=f"{prefix}{name}")

    def _value(self, name: str) -> str:
        """Return what is chosen, in words."""
        value = getattr(self._options, name)
        return GAMES[value].title if name == "game" and value in GAMES else value_text(name, value)

    def _outcome(self, name: str) -> str:
        """Return what an option comes to, where it leaves that to the game, too."""
        is_open = getattr(self._options, name) is None
        return (usual_text(name, self._options) if is_open else "") or self._value(name)

    def _differing(self) -> list[str]:
        """Return the options that differ from the nearest preset, or from what is usual at any table."""
        nearest = self._nearest()
        rules = nearest.deviations(self._options) if nearest else ()
        usual_ones = Options()
        return [
            name
            for name in Options.model_fields
            if name in rules
            or (name in NEUTRAL and getattr(self._options, name) != getattr(usual_ones, name))
        ]

    def _nearest(self) -> Preset | None:
        same = [each for each in self._presets.values() if each.options.game == self._options.game]
        return min(same, key=lambda each: len(each.deviations(self._options)), default=None)

    def _exact(self) -> str:
        """Return the name of the preset that the options are; empty if they are none."""
        exact = (name for name, each in self._presets.items() if not each.deviations(self._options))
        return next(exact, "")

    @on(OptionList.OptionHighlighted)
    def _explain(self) -> None:
        """Explain the highlighted option."""
        row = self._row
        self.query_one("#meaning", Label).update(
            PRESET if row == PRESET_ROW else TEXTS[row].meaning if row in TEXTS else ""
        )
        title, *paragraphs = self._about(row)
        text = "".join(f"\n\n{screen_text(each)}" for each in paragraphs)
        self.query_one("#about", Label).update(Content.assemble((title, "bold"), text))

    def _about(self, row: str) -> list[str]:
        """Return what a row is called, and what to know of it, for where there is room."""
        if row == PRESET_ROW:
            chosen = self._presets.get(self._preset)
            return ["preset", PRESET, *([f"{chosen.title}: {chosen.text or YOURS}"] if chosen else [])]
        if row.startswith(GROUP_ROW):
            group = row.removeprefix(GROUP_ROW)
            return [group, *(f"{called(name)}: {self._outcome(name)}" for name in GROUPS[group])]
        if row not in TEXTS:
            return [""]
        outcome = self._outcome(row)
        here = [f"Here it comes to {outcome}."] if outcome != self._value(row) else []
        choices = ", ".join(text for text, _ in choices_of(row)) if row != "game" else ""
        return [called(row), TEXTS[row].meaning, *here, *([f"To choose from: {choices}."] if choices else [])]

    def on_key(self, event: events.Key) -> None:
        """Find options by what is typed."""
        if event.is_printable and event.character and self.focused is self._rules and event.key != "enter":
            event.stop()
            event.prevent_default()
            self.seek(("" if self._seeks_anew else self._sought) + event.character)

    def action_forget(self) -> None:
        """Find with a letter less."""
        self.seek(self._sought[:-1])

    def seek(self, text: str) -> None:
        """Show the options that have a text in their names, or in what is told of them."""
        self._sought, self._seeks_anew = text.casefold().lstrip(), False
        self._show("")

    # Changing.

    @on(OptionList.OptionSelected)
    def _edit(self) -> None:
        """Open the editor of the chosen row, or a group; one of two values becomes the other."""
        row = self._row
        if row.startswith(GROUP_ROW):
            self._open ^= {row.removeprefix(GROUP_ROW)}
            self._show(row)
        elif row in TEXTS and len(choices_of(row)) == YES_OR_NO:
            self.action_step(1)
        elif row and not self._locked:
            self.app.push_screen(self._editor(row), lambda text: self._enter(row, text))

    def _editor(self, row: str) -> ValueScreen:
        if row == PRESET_ROW:
            choices = [
                (f"{screen_text(each.title)}: {screen_text(each.text) or YOURS}", name)
                for name, each in self._presets.items()
            ]
            named = {each.title for each in PRESETS.values()}
            others = [(each.title, GAME + each.name) for each in GAMES.values() if each.title not in named]
            chosen = self._preset or GAME + self._options.game
            return ValueScreen("preset", [*choices, ("other games:", GAME), *others], chosen, "")
        value = getattr(self._options, row)
        choices = choices_of(row)
        text = USUAL if value is None else written(value) if choices else value_text(row, value)
        return ValueScreen(called(row), choices, text, usual(row))

    def _enter(self, row: str, text: str | None) -> None:
        """Take what an editor holds; nothing if it was left."""
        if text is None:
            return
        if row != PRESET_ROW:
            self._set(row, text)
        elif text.startswith(GAME):
            self._set("game", text.removeprefix(GAME))
        else:
            self._fill_in(text)

    def _fill_in(self, name: str) -> None:
        """Set every option that affects play or scoring to a preset's, and others that it names."""
        options = self._presets[name].options
        changed = (Options.model_fields.keys() - NEUTRAL) | options.model_fields_set
        self._options = self._options.model_copy(update={each: getattr(options, each) for each in changed})
        self._preset = name
        self._warn()
        self._show(PRESET_ROW)

    def _set(self, name: str, text: str) -> None:
        """Set an option to what was typed or chosen; say what is wrong with it."""
        usual_one = None if may_be_open(name) else Options.model_fields[name].default
        value = usual_one if text == USUAL else read(name, text)
        try:
            self._options = Options.model_validate({**self._options.model_dump(), name: value})
        except ValidationError as error:
            return self._refuse(refusal(error))
        self._preset = self._exact()
        self._seeks_anew = True
        self._warn()
        return self._show(name)

    def action_step(self, by: int) -> None:
        """Take the next value of the highlighted option, or the one before."""
        name = self._row
        if self._locked or name not in Options.model_fields:
            return
        value, choices = getattr(self._options, name), [each for _, each in choices_of(name)]
        if choices:
            now = choices.index(USUAL if value is None else written(value))
            self._set(name, choices[(now + by) % len(choices)])
        else:
            self._set(name, self._next_number(name, by))

    def _next_number(self, name: str, by: int) -> str:
        """Return the next number offered, or the one before; beyond the last one there may be none at all."""
        now, offered = read(name, self._outcome(name)), TEXTS[name].offered
        if not isinstance(now, int):
            return value_text(name, min(offered) if by > 0 else max(offered))
        if beyond := [each for each in offered if by * (each - now) > 0]:
            return value_text(name, min(beyond, key=lambda each: abs(each - now)))
        return USUAL if may_be_open(name) else value_text(name, now)

    def _warn(self) -> bool:
        """Say at once what cannot be played together. Return whether it can."""
        try:
            declare(self._options, 2)
        except InvalidGame as error:
            self._refuse(in_words(str(error)))
            return False
        self._refuse("")
        return True

    def _refuse(self, text: str) -> None:
        self.query_one("#wrong", Label).update(text)

    # Leaving.

    @on(Button.Pressed, "#take")
    def _take(self) -> None:
        if self._warn():
            self.dismiss(self._options)
        else:
            self._rules.focus()

    def action_back(self) -> None:
        """Leave; if nothing has been changed, first find nothing any more."""
        if not self._sought or self._options != self._before:
            return self._leave()
        row, self._sought = self._row, ""
        return self._show(row)

    @on(Button.Pressed, "#save")
    def _save(self) -> None:
        self.app.push_screen(TitleScreen(), self._save_as)

    def _save_as(self, title: str | None) -> None:
        if not title or not self._warn():
            return
        try:
            preset = save_preset(title, self._options)
        except InvalidPreset as error:
            self._refuse(str(error))
        else:
            self._presets[preset.name] = preset
            self._preset = preset.name
            self._show(PRESET_ROW)

    @on(Button.Pressed, "#back")
    def _leave(self) -> None:
        """Leave, but ask what becomes of changes first."""
        if self._options == self._before:
            self.dismiss(None)
        else:
            question = QuestionScreen("Play with what you have changed?", "Play this", "Discard it")
            self.app.push_screen(question, self._left)

    def _left(self, is_played: bool | None) -> None:
        if is_played:
            self._take()
        elif is_played is not None:
            self.dismiss(None)
        else:
            row, self._sought = self._row, ""
            self._show(row)


def found(text: str) -> list[str]:
    """Return the options of which a text is told: first those whose names begin with it, or have it."""
    ranks: dict[str, int] = {}
    for name in TEXTS:
        title = called(name).casefold()
        places = (title.startswith(text), f" {text}" in title, text in title)
        if any(places) or text in TEXTS[name].meaning.casefold():
            ranks[name] = [*places, True].index(True)
    return sorted(ranks, key=lambda name: ranks[name])


def choices_of(name: str) -> list[tuple[str, str]]:
    """Return an option's choices as (label, value) pairs; empty for a number."""
    if name == "game":
        return [(game.title, game.name) for game in GAMES.values()]
    own = [(usual(name), USUAL)] if may_be_open(name) else []
    for bounded in _kinds(name):
        kind = typing.get_args(bounded)[0] if typing.get_origin(bounded) is typing.Annotated else bounded
        if kind is bool:
            return [*own, ("yes", "true"), ("no", "false")]
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return [*own, *((value_text(name, member.value), str(member.value)) for member in kind)]
    return []


def may_be_open(name: str) -> bool:
    """Return whether an option may have no value."""
    return types.NoneType in _kinds(name)


def _kinds(name: str) -> tuple[typing.Any, ...]:
    """Return the types that an option's value may have."""
    annotation = Options.model_fields[name].annotation
    is_union = typing.get_origin(annotation) in {typing.Union, types.UnionType}
    return typing.get_args(annotation) if is_union else (annotation,)


def written(value: object) -> str:
    """Return a value as it is typed."""
    return str(value).lower() if isinstance(value, bool) else str(value)
