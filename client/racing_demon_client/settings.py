"""What a player may set, and the file that keeps it: TOML, with a comment over every setting.

The file is the player's own. Saving exchanges the values that changed, and leaves order, comments and all
else as they were. A mistake in the file is told by its line, and never mended behind the player's back.
"""

import os
import re
import tomllib
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any, Final

from platformdirs import user_config_path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from racing_demon_protocol.errors import LONGEST_NAME

from .errors import SettingsRefused
from .files import replace_file, shown

__all__ = [
    "DensitySetting",
    "GlyphSet",
    "Keyboard",
    "PaletteName",
    "PlayerSettings",
    "load",
    "save",
    "settings_path",
]

LARGEST_FILE: Final = 64 * 1024
LONGEST_KEYS: Final = 64
MOST_BINDINGS: Final = 100
LOUDEST: Final = 2
LONGEST_QUOTE: Final = 40
"""What is shown of a setting's name that somebody made up."""


class PaletteName(StrEnum):
    """The colours."""

    AUTO = "auto"
    DARK = "dark"
    LIGHT = "light"
    FOUR_COLOUR = "four-colour"
    HIGH_CONTRAST = "high-contrast"
    MONO = "mono"


class GlyphSet(StrEnum):
    """The signs that cards are drawn with."""

    AUTO = "auto"
    UNICODE = "unicode"
    ASCII = "ascii"


class DensitySetting(StrEnum):
    """How large cards are drawn."""

    AUTO = "auto"
    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


class Keyboard(StrEnum):
    """The keyboards that the keys of plays are laid out for."""

    QWERTY = "qwerty"
    QWERTZ = "qwertz"
    AZERTY = "azerty"
    DVORAK = "dvorak"
    COLEMAK = "colemak"
    LEFT_HANDED = "left-handed"
    DIGITS = "digits"


def _seen(text: str) -> str:
    if text and not text.strip():
        raise ValueError("only blanks")
    return text


Switch = Annotated[bool, Field(strict=True)]
ActionId = Annotated[str, Field(max_length=LONGEST_KEYS, pattern=r"^[a-z0-9-]+$")]
Keys = Annotated[str, Field(max_length=LONGEST_KEYS), AfterValidator(shown)]


class PlayerSettings(BaseModel):
    """A player's settings. What stands under a field here stands over it in the file."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_default=True, use_attribute_docstrings=True
    )

    name: Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(shown), AfterValidator(_seen)] = ""
    """What you are called at the table; empty for the name that you are logged in with."""
    palette: PaletteName = PaletteName.AUTO
    """The colours. With "auto" your terminal decides; "mono" has none."""
    glyphs: GlyphSet = GlyphSet.AUTO
    """The signs of cards and frames; with "ascii" suits are letters."""
    density: DensitySetting = DensitySetting.AUTO
    """How large cards are drawn; with "auto" as large as they fit."""
    keys: Keyboard = Keyboard.QWERTY
    """The keyboard under your hands; "left-handed" is QWERTY with the waste on the left."""
    motion: Switch = True
    """Whether changes flash, and big words are shown."""
    mark_red: Switch = False
    """Whether red cards are also drawn reversed, so that not only their colour tells them."""
    sound: Switch = True
    """Whether the terminal's bell rings: for the signal, a lost race and Demon."""
    mouse: Switch = True
    """Whether cards can be played with the mouse; without, your terminal selects text with it as ever."""
    volume: Annotated[int, Field(strict=True, ge=0, le=LOUDEST)] = 1
    """How much you are told of plays: 0 only your own, 1 also what reaches the foundations, 2 everything."""
    bindings: Annotated[dict[ActionId, Keys], Field(max_length=MOST_BINDINGS)] = {}
    """Keys of your own for actions, separated by blanks; they go before the keyboard's. Empty is no key."""


ALLOWED: Final = {
    "name": f"a text of at most {LONGEST_NAME} characters that can be seen, or an empty one",
    "volume": "0, 1 or 2",
    "bindings": f'a table of at most {MOST_BINDINGS} lines like hint = "h f9"',
}
"""What the types do not say in words."""

ALLOWED_BINDING: Final = (
    "an action in small letters, digits and hyphens, and its keys, separated by blanks, as a text of at most "
    f"{LONGEST_KEYS} characters"
)

HEADING: Final = (
    "# Settings of Racing Demon. Change what you like; a line that is deleted means what it means at first.\n"
)

PIECE: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*"
    r"|.",
    re.DOTALL,
)
"""Texts and comments as wholes, so that no bracket or line end in them counts; else single characters."""


def settings_path() -> Path:
    """Return where the settings are kept; ``RACING_DEMON_CONFIG`` names another folder."""
    own = os.environ.get("RACING_DEMON_CONFIG")
    return (Path(own) if own else user_config_path("racing-demon", appauthor=False)) / "settings.toml"


def load(path: Path) -> PlayerSettings:
    """Return the settings that a file holds; without a file, those that hold at first.

    Raises:
        SettingsRefused: the file cannot be read, or something in it is wrong.

    """
    text = _read(path)
    return PlayerSettings() if text is None else _understood(path, text)


def save(path: Path, **changes: Any) -> PlayerSettings:
    """Keep changed settings, and return all that hold now.

    An existing file keeps its order, its comments and its mode. Without one, a file of all settings is made.

    Raises:
        SettingsRefused: a change is not allowed, what stands in the file is wrong, or it cannot be written.

    """
    text = _read(path)
    old = PlayerSettings() if text is None else _understood(path, text)
    try:
        new = PlayerSettings.model_validate({**old.model_dump(), **changes})
    except ValidationError as error:
        raise SettingsRefused(_why(_places_of(error)[0])) from None
    if text is not None and new == old:
        return new
    data = (_whole(new) if text is None else _changed(text, old, new)).encode()
    _verify_size(path, data)
    try:
        replace_file(path, data)
    except OSError as error:
        raise _failed(path, "written", error) from error
    return new


def _read(path: Path) -> str | None:
    """Return what stands in the file, without the mark that some editors put first."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _failed(path, "read", error) from error
    _verify_size(path, data)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SettingsRefused(
            f"{path}, line {line}: this is not text in UTF-8. Save the file in that encoding, or delete it."
        ) from None


def _verify_size(path: Path, data: bytes) -> None:
    if len(data) > LARGEST_FILE:
        raise SettingsRefused(
            f"{path}: settings have at most {LARGEST_FILE // 1024} KiB, and these are more. "
            "Shorten the file, or delete it."
        )


def _failed(path: Path, what: str, error: OSError) -> SettingsRefused:
    return SettingsRefused(
        f"{path}: the settings cannot be {what}: {error.strerror or error}. "
        "See to the file, or let RACING_DEMON_CONFIG name another folder."
    )


def _understood(path: Path, text: str) -> PlayerSettings:
    values = _parsed(path, text)
    try:
        return PlayerSettings.model_validate(values)
    except ValidationError as error:
        lines = _lines(text)
        line, place = min((lines[place], place) for place in _places_of(error))
        raise SettingsRefused(f"{path}, line {line}: {_why(place)} Mend the line, or delete it.") from None


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        said = str(error)
        found = re.search(r"\(at line (\d+), column \d+\)$", said)
        line = found[1] if found else text.rstrip().count("\n") + 1
        # Numbers of thousands of digits and lists in lists in lists are refused without a place.
        where = f"{path}, line {line}" if found or said.endswith("(at end of document)") else f"{path}"
        raise SettingsRefused(
            f"{where}: this is not TOML. A setting stands once, as name, equals sign and value, and "
            'texts stand in quotation marks, like palette = "dark". Mend the line, or delete it.'
        ) from None


def _places_of(error: ValidationError) -> list[tuple[str, ...]]:
    """Return which settings are wrong: by their names, or by ``bindings`` and the action's."""
    return [tuple(map(str, each["loc"][:2])) for each in error.errors(include_url=False, include_input=False)]


def _why(place: tuple[str, ...]) -> str:
    """Say in words for people what is wrong with a setting."""
    key = place[0]
    if key not in PlayerSettings.model_fields:
        return f"there is no setting {_quoted(key)}. Known are: {', '.join(PlayerSettings.model_fields)}."
    if len(place) > 1:
        return f"{_quoted(place[1])} in {key!r} cannot be that. Allowed: {ALLOWED_BINDING}."
    return f"{key!r} cannot be that. Allowed: {_allowed(key)}."


def _quoted(key: str) -> str:
    return repr(key if len(key) <= LONGEST_QUOTE else f"{key[:LONGEST_QUOTE]}…")


def _allowed(key: str) -> str:
    kind = PlayerSettings.model_fields[key].annotation
    if kind is bool:
        return "true or false"
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        *words, last = (f'"{word}"' for word in kind)
        return f"{', '.join(words)} or {last}"
    return ALLOWED[key]


def _statements(text: str) -> Iterator[str]:
    """Yield the statements of valid TOML one by one, each with its lines' ends."""
    statement, depth = "", 0
    for piece in PIECE.findall(text):
        statement += piece
        depth += (piece in "[{") - (piece in "]}")
        if piece == "\n" and depth == 0:
            yield statement
            statement = ""
    yield statement


def _is_header(statement: str) -> bool:
    return statement.lstrip(" \t").startswith("[")


def _lines(text: str) -> dict[tuple[str, ...], int]:
    """Return on which line of valid TOML each setting stands first, and each action in a table."""
    lines: dict[tuple[str, ...], int] = {}
    above: tuple[str, ...] = ()
    line = 1
    for statement in _statements(text):
        said = tomllib.loads(statement)
        above = () if _is_header(statement) else above
        for key, value in said.items():
            inner = value if isinstance(value, dict) else {}
            for place in [(*above, key), *((*above, key, other) for other in inner)]:
                lines.setdefault(place[:2], line)
        if _is_header(statement):
            above = tuple(said)
        line += statement.count("\n")
    return lines


def _whole(settings: PlayerSettings) -> str:
    values = settings.model_dump(mode="json")
    return "\n".join([HEADING, *(_block(key, value) for key, value in values.items())])


def _block(key: str, value: Any) -> str:
    """Return a setting as it is written where none stood: its comment over it."""
    from tomlkit import dumps  # noqa: PLC0415 - a twentieth of a second, which only writing needs

    said = f"{PlayerSettings.model_fields[key].description}\nAllowed: {_allowed(key)}."
    comment = [f"# {line}" for paragraph in said.splitlines() for line in wrap(paragraph, 78)]
    return "\n".join([*comment, dumps({key: value})])


def _changed(text: str, old: PlayerSettings, new: PlayerSettings) -> str:
    """Return a file with the values that changed; settings that it did not have come with their comments."""
    from tomlkit import dumps, parse  # noqa: PLC0415

    before, after = old.model_dump(mode="json"), new.model_dump(mode="json")
    changed = {key: value for key, value in after.items() if value != before[key]}
    document = parse(text if text.endswith("\n") or not text else f"{text}\n")
    added = [key for key in changed if key not in document]
    for key, value in changed.items():
        if key in added:
            continue
        if isinstance(value, dict):
            _exchange(document, key, value)
        else:
            document[key] = value
    text = dumps(document)
    for key in added:
        block = _block(key, changed[key])
        text = f"{text}\n{block}" if key == "bindings" else _inserted(text, block)
    return text


def _exchange(document: Any, key: str, values: dict[str, str]) -> None:
    """Exchange what differs in a table."""
    # It is asked for anew each time: tomlkit's view of a table in pieces is stale after a change.
    for name in [name for name in document[key] if name not in values]:
        del document[key][name]
    for name, value in values.items():
        if document[key].get(name) != value:
            document[key][name] = value


def _inserted(text: str, block: str) -> str:
    """Return a file with a setting more: behind the last one that stands before all tables."""
    place = end = 0
    for statement in _statements(text):
        if _is_header(statement):
            break
        end += len(statement)
        if tomllib.loads(statement):
            place = end
    else:
        place = end
    return f"{text[:place]}\n{block}{text[place:]}" if place else f"{block}\n{text}"
