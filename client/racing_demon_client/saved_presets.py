"""The presets that this user has saved: a file each, in a folder beside the settings."""

import json
from pathlib import Path

from racing_demon_protocol.errors import InvalidPreset
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import Preset
from racing_demon_protocol.wire.saved_presets import (
    MAX_BYTES,
    MAX_SAVED,
    as_data,
    is_preset_file,
    new_preset,
    read_preset,
)

from .files import replace_file
from .settings import settings_path


def folder() -> Path:
    """Return the folder of the saved presets."""
    return settings_path().parent / "presets"


def saved_presets() -> tuple[dict[str, Preset], list[str]]:
    """Return the saved presets by name, and a sentence for each file that holds none."""
    presets: dict[str, Preset] = {}
    wrong: list[str] = []
    try:
        paths = sorted(path for path in folder().iterdir() if is_preset_file(path.name))
    except OSError:  # nothing has been saved yet
        return presets, wrong
    for path in paths:
        if len(presets) == MAX_SAVED:
            wrong.append(f"{path}: only the first {MAX_SAVED} presets of a folder are shown.")
            continue
        try:
            if not path.is_file():  # a folder, or a pipe, whose opening would wait for a writer
                raise InvalidPreset("It is no file.")
            with path.open("rb") as file:
                presets[path.stem] = read_preset(path.stem, file.read(MAX_BYTES + 1))
        except InvalidPreset as error:
            wrong.append(f"{path}: {error}")
        except OSError as error:
            wrong.append(f"{path} cannot be read: {error.strerror}.")
    return presets, wrong


def save_preset(title: str, options: Options) -> Preset:
    """Save options under a title, in place of what was saved under it.

    Raises:
        InvalidPreset: the title cannot be one, there are too many, or the file cannot be written.

    """
    preset = new_preset(title, options)
    known, _ = saved_presets()
    if preset.name not in known and len(known) >= MAX_SAVED:
        raise InvalidPreset(f"There are {MAX_SAVED} saved presets. Delete one in {folder()} first.")
    try:
        replace_file(folder() / f"{preset.name}.json", json.dumps(as_data(preset), indent=2).encode() + b"\n")
    except OSError as error:
        raise InvalidPreset(f"{folder()} cannot be written: {error.strerror}.") from error
    return preset
