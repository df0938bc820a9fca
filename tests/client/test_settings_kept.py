"""How settings are kept: whole or not at all, and without touching what the player wrote."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from racing_demon_client.errors import SettingsRefused
from racing_demon_client.settings import (
    MEANINGS,
    DensitySetting,
    GlyphSet,
    Keyboard,
    PaletteName,
    PlayerSettings,
    load,
    save,
)
from tests.support.cases import for_each
from tests.support.effort import examples

LETTERS = st.characters(exclude_categories=["C", "Z"]) | st.sampled_from(" \"'\\#[]{}=")
IDS = st.sampled_from(["hint", "stuck", "1"]) | st.text("abyz019-", min_size=1, max_size=12)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "name": st.text(LETTERS, max_size=24).filter(lambda name: not name or bool(name.strip())),
    "palette": st.sampled_from(get_args(PaletteName)),
    "glyphs": st.sampled_from(get_args(GlyphSet)),
    "density": st.sampled_from(get_args(DensitySetting)),
    "keys": st.sampled_from(get_args(Keyboard)),
    "motion": st.booleans(),
    "mark_red": st.booleans(),
    "sound": st.booleans(),
    "mouse": st.booleans(),
    "volume": st.sampled_from([0, 1, 2]),
    "advice": st.sampled_from([0, 1, 2]),
    "bindings": st.dictionaries(IDS, st.text(LETTERS, max_size=64), max_size=6),
}

OWN_LINES = {
    "name": ["name = 'Ann'", 'name="""\\\n  Ann"""', "'name' = '''\nAnn'''", 'name = """#[bindings]"""'],
    "palette": ['palette = "light"', "palette='mono'", '"palette"   =   "dark"'],
    "motion": ["motion = false", "  motion=true"],
    "volume": ["volume = 2", "volume = 0b1", "\tvolume=+0"],
}
TABLES = [
    [],
    ["[bindings]"],
    ["[bindings]", "hint = 'h'", 'stuck = "x"'],
    [" [ 'bindings' ]", "  1 = '[1]'"],
]
TABLES_ABOVE = [
    ["bindings = {}"],
    ["bindings = { hint = 'h', stuck = \"x\" }"],
    ["bindings.hint = 'h'", "bindings . 'stuck' = \"x\""],
]


@st.composite
def own_files(draw: st.DrawFn) -> str:
    """Draw a file as people write them: their order, comments, line ends and ways to write a value."""
    keys = draw(st.lists(st.sampled_from(sorted(OWN_LINES)), unique=True))
    lines = [draw(st.sampled_from(OWN_LINES[key])) for key in keys]
    if draw(st.booleans()):
        for line in draw(st.sampled_from(TABLES_ABOVE)):
            lines.insert(draw(st.integers(0, len(lines))), line)
    else:
        lines += draw(st.sampled_from(TABLES))
    text = ""
    for number, line in enumerate(lines):
        text += draw(st.sampled_from(["", "\n", f"# over {number} [table]\n"]))
        text += line + draw(st.sampled_from(["\n", f" # beside {number} = 'é'\n"]))
    text += draw(st.sampled_from(["", "\n", "\n# end\n", "# end"]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


def comments(text: str) -> list[str]:
    """Return the comments that ``own_files`` wrote into a file."""
    return re.findall(r"# (?:over|beside|end)\b[^\r\n]*", text)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where settings may be; neither the file nor its folder is there."""
    return tmp_path / "config" / "racing-demon" / "settings.toml"


def written(path: Path, text: str) -> Path:
    """Write a file as its player did."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


# Whatever is set.


@examples(100)
@given(st.fixed_dictionaries(VALUES))
def test_what_is_kept_is_read_again(values: dict[str, Any]) -> None:
    """All settings that can be are the same after they were kept and read."""
    wanted = PlayerSettings(**values)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "settings.toml"
        assert wanted == save(path, **values)
        assert wanted == load(path)


@pytest.mark.long
@examples(300)
@given(own_files(), st.fixed_dictionaries({}, optional=VALUES))
def test_the_players_own_words_stay(text: str, changes: dict[str, Any]) -> None:
    """Whatever is changed, comments stay in their order; only with a binding goes what stood beside it."""
    with TemporaryDirectory() as folder:
        path = written(Path(folder) / "settings.toml", text)
        wanted = PlayerSettings.model_validate({**load(path).model_dump(), **changes})
        assert wanted == save(path, **changes)
        assert wanted == load(path)
        mine, kept = comments(text), comments(path.read_bytes().decode())
    if "bindings" in changes:
        mine = [comment for comment in mine if comment in kept or not comment.startswith("# beside")]
    assert mine == kept


# New files.


def test_a_new_file_explains_every_setting(path: Path) -> None:
    """Whoever opens the file finds all settings, over each what it is for and what is allowed."""
    assert PlayerSettings(name="Ann") == save(path, name="Ann")
    blocks = path.read_text(encoding="utf-8").split("\n\n")[1:]
    for block, key in zip(blocks, PlayerSettings.model_fields, strict=True):
        said = block.replace("\n# ", " ").removeprefix("# ")
        assert said.startswith(f"{MEANINGS[key]} Allowed: ")
        assert re.search(rf"\n(\[{key}\]|{key} = .+)\n?$", said)


# Files that are there.


def test_only_the_changed_value_changes(path: Path) -> None:
    """A line keeps its indentation and what is said beside it, and all other lines are untouched."""
    written(path, "\n  palette  =  'dark'  # or light\nname = 'Ann'\n[bindings]\nhint='h'\nturn='t'")
    save(path, palette="mono", name="Ann", bindings={"hint": "h", "stuck": "x"})
    text = "\n  palette  =  \"mono\"  # or light\nname = 'Ann'\n[bindings]\nhint='h'\nstuck = \"x\"\n"
    assert text == path.read_text(encoding="utf-8")


def test_a_setting_more_comes_before_the_tables(path: Path) -> None:
    """What the file did not have comes behind its settings, with its comment, and not into a table."""
    written(path, "# mine\nmotion = false # slow\n\n# keys\n[bindings]\nhint = 'h'\n")
    save(path, volume=2)
    before, _, after = path.read_text(encoding="utf-8").partition("volume = 2\n")
    assert before.startswith("# mine\nmotion = false # slow\n\n# Which plays are reported: ")
    assert after == "\n# keys\n[bindings]\nhint = 'h'\n"


def test_where_nothing_changes_nothing_is_written(path: Path) -> None:
    """A file that says already what is to be kept is not even written anew."""
    before = written(path, "\ufeffvolume = 0x2").stat()
    assert PlayerSettings(volume=2) == save(path, volume=2, motion=True)
    assert (before.st_ino, before.st_mtime_ns) == (path.stat().st_ino, path.stat().st_mtime_ns)


def test_the_mode_is_kept(path: Path) -> None:
    """A file that others may not read stays so, and nothing stays beside it."""
    written(path, "volume = 1\n").chmod(0o640)
    save(path, volume=2)
    assert path.stat().st_mode & 0o777 == 0o640
    assert [path] == list(path.parent.iterdir())


def test_a_link_stays_a_link(path: Path, tmp_path: Path) -> None:
    """Settings that live elsewhere, and are only linked to, are changed there."""
    real = written(tmp_path / "own" / "demon.toml", "volume = 1\n")
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    save(path, volume=2)
    assert path.is_symlink()
    assert real.read_text(encoding="utf-8") == "volume = 2\n"


# What is refused.


@for_each(
    ("changes", "said"),
    [
        ({"palette": "pink"}, "'palette' cannot have that value. Allowed: \"auto\", "),
        ({"name": "x" * 25}, "'name' cannot have that value. Allowed: up to 24 printable characters"),
        ({"name": "\ud800"}, "'name' cannot have that value. Allowed: up to 24 printable characters"),
        ({"volume": True}, "'volume' cannot have that value. Allowed: 0, 1 or 2."),
        ({"bindings": {"Hint": "h"}}, "'Hint' in 'bindings' cannot have that value. Allowed: an action "),
        ({"pallete": "dark"}, "there is no setting 'pallete'. The settings are: name, palette, "),
    ],
)
def test_a_wrong_change_is_refused(path: Path, changes: dict[str, Any], said: str) -> None:
    """What may not stand in the file is not written into it."""
    with pytest.raises(SettingsRefused) as refused:
        save(path, **changes)
    assert str(refused.value).startswith(said)
    assert not path.exists()


@for_each(
    ("text", "said"),
    [("palette = dark", r"settings\.toml, line 1: "), ("#" * 64 * 1024, "at most 64 KiB")],
    ids=["a mistake", "full"],
)
def test_what_could_not_be_read_again_is_not_written(path: Path, text: str, said: str) -> None:
    """A file with a mistake, or with no room, is told of, and stays as it is."""
    written(path, text)
    with pytest.raises(SettingsRefused, match=said):
        save(path, volume=2)
    assert text == path.read_text(encoding="utf-8")


def test_a_file_in_the_folders_place_is_told(path: Path) -> None:
    """Where no folder can be, a sentence says so."""
    path.parent.parent.mkdir()
    path.parent.touch()
    with pytest.raises(SettingsRefused, match="the settings cannot be read: Not a directory"):
        save(path, volume=2)


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    """If the file cannot be written, a sentence says so, and no part of it stays."""
    with pytest.raises(SettingsRefused, match=r"the settings cannot be written: .+\. Check the file, or set"):
        save(tmp_path / ("x" * 250), volume=2)  # too long a name only with what a file in the making adds
    assert list(tmp_path.iterdir()) == []
