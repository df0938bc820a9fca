"""The player's settings and their file: TOML, with a comment above every setting.

The file belongs to the player. Saving replaces the changed values and preserves order, comments and
everything else. Mistakes are reported with their line and never corrected silently.
"""

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any, Final, Literal, get_args

from platformdirs import user_config_path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from racing_demon_protocol.constants import MAX_NAME_LENGTH

from .errors import SettingsRefused
from .files import replace_file, shown

MAX_FILE_BYTES: Final = 64 * 1024
MAX_KEYS_LENGTH: Final = 64
MAX_BINDINGS: Final = 100
MAX_VOLUME: Final = 2
MAX_ADVICE: Final = 2
MAX_QUOTE: Final = 40
"""How much of an unknown setting's name an error message shows."""


PaletteName = Literal["auto", "dark", "light", "four-color", "high-contrast", "mono"]
GlyphSet = Literal["auto", "unicode", "ascii"]
DensitySetting = Literal["auto", "small", "medium", "large"]
Keyboard = Literal["qwerty", "qwertz", "azerty", "dvorak", "colemak", "left-handed", "digits"]


def _seen(text: str) -> str:
    if text and not text.strip():
        raise ValueError("only blanks")
    return text


Switch = Annotated[bool, Field(strict=True)]
ActionId = Annotated[str, Field(max_length=MAX_KEYS_LENGTH, pattern=r"^[a-z0-9-]+$")]
Keys = Annotated[str, Field(max_length=MAX_KEYS_LENGTH), AfterValidator(shown)]


class PlayerSettings(BaseModel):
    """A player's settings: see :data:`MEANINGS`."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    name: Annotated[str, Field(max_length=MAX_NAME_LENGTH), AfterValidator(shown), AfterValidator(_seen)] = ""
    palette: PaletteName = "auto"
    glyphs: GlyphSet = "auto"
    density: DensitySetting = "auto"
    keys: Keyboard = "qwerty"
    motion: Switch = True
    mark_red: Switch = False
    sound: Switch = True
    mouse: Switch = True
    volume: Annotated[int, Field(strict=True, ge=0, le=MAX_VOLUME)] = 1
    advice: Annotated[int, Field(strict=True, ge=0, le=MAX_ADVICE)] = MAX_ADVICE
    remember: Switch = True
    bindings: Annotated[dict[ActionId, Keys], Field(max_length=MAX_BINDINGS)] = {}


MEANINGS: Final = {
    "name": "Your name at the table; if empty, your login name.",
    "palette": 'The colors. "auto" follows your terminal; "mono" uses none.',
    "glyphs": 'The characters for cards and frames; with "ascii" suits are letters.',
    "density": 'The size of cards; with "auto" the largest that fits.',
    "keys": 'Your keyboard\'s layout; "left-handed" is QWERTY with the waste on the left.',
    "motion": "Whether changes flash and big words appear.",
    "mark_red": "Whether red cards are also drawn reversed, to tell them apart without color.",
    "sound": 'Whether the terminal\'s bell rings at the signal, after a lost race, and at "Demon!".',
    "mouse": "Whether the mouse plays cards; if not, it selects text in your terminal as usual.",
    "volume": "Which plays are reported: 0 only your own, 1 also plays to the foundations, 2 all.",
    "advice": "In how many more hands a line says what helps, where the table allows hints; 0 for none.",
    "remember": "Whether servers at home, which suggest it, may remember you; if not, you are a guest.",
    "bindings": (
        "Your own keys for actions, separated by spaces. They replace the layout's keys; empty means no key."
    ),
}
"""What each setting is for: its comment in the file.

Pydantic would find such texts below the fields, and read this file for them at every start of a program.
"""

ALLOWED: Final = {
    "name": f"up to {MAX_NAME_LENGTH} printable characters, or nothing",
    "volume": "0, 1 or 2",
    "advice": "0, 1 or 2",
    "bindings": f'a table of at most {MAX_BINDINGS} lines like hint = "h f9"',
}
"""Constraints that the types do not express in words."""

ALLOWED_BINDING: Final = (
    "an action in small letters, digits and hyphens, and its keys, separated by spaces, as a text of at most "
    f"{MAX_KEYS_LENGTH} characters"
)

HEADING: Final = "# Settings of Racing Demon. Change what you like. A missing line means the default.\n"

PIECE: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*"
    r"|.",
    re.DOTALL,
)
"""Whole strings and comments, so that brackets and newlines in them do not count; else one character."""


def settings_path() -> Path:
    """Return the path of the settings; ``RACING_DEMON_CONFIG`` overrides their folder."""
    own = os.environ.get("RACING_DEMON_CONFIG")
    return (Path(own) if own else user_config_path("racing-demon", appauthor=False)) / "settings.toml"


def login_name() -> str:
    """Return the user's login name if it is suitable for a player, otherwise ``Player``."""
    import getpass  # noqa: PLC0415 - unused when a name is given

    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "Player"
    return name if 1 <= len(name) <= 64 and name.isprintable() else "Player"


def load(path: Path) -> PlayerSettings:
    """Return the settings in a file; the defaults if there is none.

    Raises:
        SettingsRefused: the file cannot be read or is invalid.

    """
    text = _read(path)
    return PlayerSettings() if text is None else _understood(path, text)


def save(path: Path, **changes: Any) -> PlayerSettings:
    """Save changed settings and return all settings.

    An existing file keeps its order, comments and mode. A new one lists all settings.

    Raises:
        SettingsRefused: a change is not allowed, or the file is invalid or cannot be written.

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
    """Return the file's text without a byte order mark."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
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
    if len(data) > MAX_FILE_BYTES:
        raise SettingsRefused(
            f"{path}: settings may take at most {MAX_FILE_BYTES // 1024} KiB. Shorten the file, or delete it."
        )


def _failed(path: Path, what: str, error: OSError) -> SettingsRefused:
    return SettingsRefused(
        f"{path}: the settings cannot be {what}: {error.strerror or error}. "
        "Check the file, or set RACING_DEMON_CONFIG to another folder."
    )


def _understood(path: Path, text: str) -> PlayerSettings:
    values = _parsed(path, text)
    try:
        return PlayerSettings.model_validate(values)
    except ValidationError as error:
        lines = _lines(text)
        line, place = min((lines[place], place) for place in _places_of(error))
        raise SettingsRefused(f"{path}, line {line}: {_why(place)} Correct the line, or delete it.") from None


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        said = str(error)
        match = re.search(r"\(at line (\d+), column \d+\)$", said)
        line = match[1] if match else text.rstrip().count("\n") + 1
        # Errors about huge numbers and deep nesting have no position.
        where = f"{path}, line {line}" if match or said.endswith("(at end of document)") else f"{path}"
        raise SettingsRefused(
            f"{where}: this is not TOML. A setting stands once, as name, equals sign and value, and "
            'texts stand in quotation marks, like palette = "dark". Correct the line, or delete it.'
        ) from None


def _places_of(error: ValidationError) -> list[tuple[str, ...]]:
    """Return the invalid settings: their names, or ``bindings`` and the action."""
    return [tuple(map(str, each["loc"][:2])) for each in error.errors(include_url=False, include_input=False)]


def _why(place: tuple[str, ...]) -> str:
    """Return in words what is wrong with a setting."""
    key = place[0]
    if key not in PlayerSettings.model_fields:
        return (
            f"there is no setting {_quoted(key)}. The settings are: {', '.join(PlayerSettings.model_fields)}."
        )
    if len(place) > 1:
        return f"{_quoted(place[1])} in {key!r} cannot have that value. Allowed: {ALLOWED_BINDING}."
    return f"{key!r} cannot have that value. Allowed: {_allowed(key)}."


def _quoted(key: str) -> str:
    return repr(key if len(key) <= MAX_QUOTE else f"{key[:MAX_QUOTE]}…")


def _allowed(key: str) -> str:
    kind = PlayerSettings.model_fields[key].annotation
    if kind is bool:
        return "true or false"
    if key in ALLOWED:
        return ALLOWED[key]
    *words, last = (f'"{word}"' for word in get_args(kind))
    return f"{', '.join(words)} or {last}"


def _statements(text: str) -> Iterator[str]:
    """Yield the statements of valid TOML one by one, each with its line endings."""
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
    """Return the line on which each setting, and each action in a table, first occurs in valid TOML."""
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
    """Return a new setting as text, with its comment above it."""
    from tomlkit import dumps  # noqa: PLC0415 - takes 50 ms to import, and only writing needs it

    said = f"{MEANINGS[key]}\nAllowed: {_allowed(key)}."
    comment = [f"# {line}" for paragraph in said.splitlines() for line in wrap(paragraph, 78)]
    return "\n".join([*comment, dumps({key: value})])


def _changed(text: str, old: PlayerSettings, new: PlayerSettings) -> str:
    """Return the file's text with the changed values; new settings come with their comments."""
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
    """Replace the values of a table that differ."""
    # Look the table up each time: tomlkit's view of a split table is stale after a change.
    for name in [name for name in document[key] if name not in values]:
        del document[key][name]
    for name, value in values.items():
        if document[key].get(name) != value:
            document[key][name] = value


def _inserted(text: str, block: str) -> str:
    """Return the file's text with a new setting after the last one that precedes all tables."""
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
