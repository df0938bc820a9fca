"""Presets that this user has saved, in the folder beside the settings."""

import codecs
from pathlib import Path

import pytest

from racing_demon_client.cli.arguments import parse
from racing_demon_client.saved_presets import folder, save_preset, saved_presets
from racing_demon_protocol.errors import InvalidPreset
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.saved_presets import MAX_SAVED

OURS = Options(game="classic", reserve=10)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test begin without saved presets."""
    monkeypatch.setenv("RACING_DEMON_CONFIG", str(tmp_path / "config"))


def test_saved_options_are_found_again() -> None:
    """Under their title's name, on the next day and in the next command; saving again replaces them."""
    save_preset("Our Nerts", OURS.model_copy(update={"reserve": 9}))
    preset = save_preset("Our Nerts", OURS)
    assert saved_presets() == ({"our-nerts": preset}, [])
    options = parse(["host", "--preset", "our-nerts", "--hands", "3"]).options
    assert (options.game, options.reserve, options.hands) == ("classic", 10, 3)


def test_a_damaged_file_is_told_and_passed_over() -> None:
    """The others are still there."""
    save_preset("Ours", OURS)
    (folder() / "bad.json").write_text("{", encoding="utf-8")
    presets, [wrong] = saved_presets()
    assert list(presets) == ["ours"]
    assert "bad.json" in wrong


def test_what_lies_beside_presets_hides_none() -> None:
    """Folders and hidden files, which others leave there; a byte-order mark changes nothing."""
    save_preset("Ours", OURS)
    (folder() / "._ours.json").write_bytes(b"\0\5\26\7")
    (folder() / "a-folder.json").mkdir()
    (folder() / "ours-2.json").write_bytes(codecs.BOM_UTF8 + (folder() / "ours.json").read_bytes())
    presets, wrong = saved_presets()
    assert sorted(presets) == ["ours", "ours-2"]
    assert wrong == [f"{folder() / 'a-folder.json'}: It is no file."]


def test_stray_files_are_no_saved_presets() -> None:
    """However many they are, what was saved is found."""
    save_preset("Ours", OURS)
    for number in range(MAX_SAVED):
        (folder() / f"a-stray-{number}.json").touch()
    assert list(saved_presets()[0]) == ["ours"]


def test_there_is_an_end_to_saving() -> None:
    """One too many is refused, and what is there can still be replaced."""
    for number in range(MAX_SAVED):
        save_preset(f"Ours {number}", OURS)
    with pytest.raises(InvalidPreset, match="Delete one"):
        save_preset("One more", OURS)
    save_preset("Ours 7", Options(hands=1))
    assert saved_presets()[0]["ours-7"].options.hands == 1


def test_a_folder_that_cannot_be_written_is_told() -> None:
    """The sentence names it."""
    folder().parent.mkdir(parents=True, exist_ok=True)
    folder().write_text("a file", encoding="utf-8")
    with pytest.raises(InvalidPreset, match="presets"):
        save_preset("Ours", OURS)
