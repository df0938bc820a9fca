"""Presets of one's own, as JSON: in a host's folder, in a server's, and in what a server lists.

A file's name is the preset's, and the file holds a title, maybe a sentence, and options:
``{"title": "At Grandma's", "text": "A short reserve.", "options": {"game": "classic", "reserve": 10}}``.
"""

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from racing_demon_protocol.errors import InvalidPreset
from racing_demon_protocol.formatting import is_printable

from .options import Options
from .presets import PRESETS, Preset

MAX_SAVED: Final = 32
"""The most presets in a folder, or in a list."""
MAX_BYTES: Final = 4_096
"""The most bytes of a preset."""
MAX_TITLE: Final = 40
MAX_SENTENCE: Final = 100
NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MAX_NAME: Final = 32


def _printable(text: str) -> str:
    if text != text.strip() or not all(map(is_printable, text)):
        raise ValueError("not printable")
    return text


class _Saved(BaseModel):
    """What a file holds, and a list of each."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    title: Annotated[str, Field(min_length=1, max_length=MAX_TITLE), AfterValidator(_printable)]
    text: Annotated[str, Field(max_length=MAX_SENTENCE), AfterValidator(_printable)] = ""
    options: Options


class _Listed(_Saved):
    """What a list holds."""

    name: Annotated[str, Field(max_length=MAX_NAME, pattern=f"^{NAME.pattern}$")]


def name_of(title: str) -> str:
    """Return the name of a preset with this title: its letters and digits; empty if it has none.

    >>> name_of("At Grandma's, 2")
    'at-grandma-s-2'
    """
    return "-".join(re.findall("[a-z0-9]+", title.lower()))[:MAX_NAME].strip("-")


def new_preset(title: str, options: Options) -> Preset:
    """Return a preset with all options that differ from the defaults.

    Raises:
        InvalidPreset: the title cannot be one, or is that of a well-known preset.

    """
    title = title.strip()
    changed = options.model_dump(mode="json", exclude_defaults=True)
    return read_preset(name_of(title), json.dumps({"title": title, "options": changed}).encode())


def is_preset_file(name: str) -> bool:
    """Return whether a file of this name is meant as a preset: what systems leave beside it is hidden.

    >>> [name for name in ("club.json", "._club.json", "club.txt") if is_preset_file(name)]
    ['club.json']
    """
    return name.endswith(".json") and not name.startswith(".")


def read_preset(name: str, data: bytes) -> Preset:
    """Return the preset in a file.

    Args:
        name: the file's name without its ending.
        data: what the file holds, or one byte more than is allowed.

    Raises:
        InvalidPreset: it is no preset. Whether its options can be played together is not asked here.

    """
    if not (NAME.fullmatch(name) and len(name) <= MAX_NAME):
        raise InvalidPreset(f"A preset needs a name of 1 to {MAX_NAME} letters, digits and hyphens.")
    if name in PRESETS:
        raise InvalidPreset(f"The name {name} is that of a well-known preset. Choose another.")
    if len(data) > MAX_BYTES:
        raise InvalidPreset(f"{name}: a preset has at most {MAX_BYTES:,} bytes.")
    try:
        saved = _Saved.model_validate_json(data.removeprefix(codecs.BOM_UTF8))
    except ValidationError as error:
        places = [".".join(map(str, each["loc"])) for each in error.errors(include_url=False)]
        raise InvalidPreset(
            f"{name}: not understood: {', '.join(filter(None, places)) or 'no JSON'}."
        ) from None
    return _preset(name, saved)


def _preset(name: str, saved: _Saved) -> Preset:
    return Preset(name, saved.title, saved.text, "saved by a host", saved.options)


def as_data(preset: Preset) -> dict[str, Any]:
    """Return a preset as JSON has it, without its name."""
    options = preset.options.model_dump(mode="json", exclude_unset=True)
    return {"title": preset.title, "text": preset.text, "options": options}


def listed(presets: Iterable[Preset]) -> list[dict[str, Any]]:
    """Return the list that a server shows."""
    return [{"name": preset.name, **as_data(preset)} for preset in presets]


def read_list(entries: Iterable[object]) -> Iterator[Preset]:
    """Yield the presets of a server's list, but not those that this version does not understand."""
    for entry in entries:
        try:
            saved = _Listed.model_validate(entry)
        except ValidationError:
            continue
        if saved.name not in PRESETS:
            yield _preset(saved.name, saved)
