"""What a player may set: read, refused with the line that is wrong, and kept without touching the rest."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from racing_demon_client.errors import SettingsRefused
from racing_demon_client.settings import (
    Density,
    GlyphSet,
    Keyboard,
    PaletteName,
    Settings,
    load,
    save,
)

KNOWN = "name, palette, glyphs, density, keys, motion, mark_red, sound, mouse, volume, bindings"
NO_TOML = (
    "this is not TOML. A setting stands once, as name, equals sign and value, and texts stand in quotation "
    'marks, like palette = "dark".'
)

PRINTABLE = st.characters(exclude_categories=["C", "Z"]) | st.sampled_from(" \"'\\#[]{}=")
TEXTS = st.text(PRINTABLE, max_size=24).filter(str.isprintable)
BINDINGS = st.dictionaries(
    st.text("abyz019-", min_size=1, max_size=12),
    st.text(PRINTABLE, max_size=64).filter(str.isprintable),
    max_size=6,
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "name": TEXTS.filter(lambda text: not text or bool(text.strip())),
    "palette": st.sampled_from(PaletteName),
    "glyphs": st.sampled_from(GlyphSet),
    "density": st.sampled_from(Density),
    "keys": st.sampled_from(Keyboard),
    "motion": st.booleans(),
    "mark_red": st.booleans(),
    "sound": st.booleans(),
    "mouse": st.booleans(),
    "volume": st.sampled_from([0, 1, 2]),
    "bindings": BINDINGS,
}
CHANGES = st.fixed_dictionaries({}, optional=VALUES)

COMMENTS = st.sampled_from(["", "# mine", '  # a [table] = "no"', "\t#'''", "# größer", "#"])
OWN_LINES = {
    "name": ["name = 'Ann'", 'name="""\\\n  Ann\\\n  """', '\'name\' = """Ann"""', "name = '''\nAnn'''"],
    "palette": ['palette = "light"', "palette='mono'", '"palette"   =   "dark"'],
    "motion": ["motion = false", "  motion=true"],
    "volume": ["volume = 2", "volume = 0b1", "\tvolume=+0"],
}
OWN_BINDINGS = [
    [],
    ["[bindings]"],
    ["[bindings]", "hint = 'h'", "# between", 'stuck = "x" # ex'],
    [" [ 'bindings' ] # own", "  1 = '''[1]'''"],
]
TOP_BINDINGS = [
    [],
    ["bindings = {}"],
    ["bindings = { hint = 'h', stuck = \"x\" }"],
    ["bindings.hint = 'h'", "bindings . 'stuck' = \"x\""],
]


@st.composite
def own_files(draw: st.DrawFn) -> str:
    """Draw a file as people write them: their own order, comments, line ends and ways to write a value."""
    texts = ["name = 'Ann'"]
    chosen = draw(st.lists(st.sampled_from(sorted(OWN_LINES)), unique=True))
    texts = [draw(st.sampled_from(OWN_LINES[key])) for key in chosen]
    top = draw(st.sampled_from(TOP_BINDINGS))
    for text in top:
        texts.insert(draw(st.integers(0, len(texts))), text)
    texts += [] if top else draw(st.sampled_from(OWN_BINDINGS))
    lines: list[str] = []
    for text in texts:
        lines += draw(st.lists(COMMENTS, max_size=2))
        lines.append(text + ("" if "#" in text else draw(st.sampled_from(["", "  # why not", " "]))))
    lines += draw(st.lists(COMMENTS, max_size=2))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return end.join(lines).replace("\r\n", "\n").replace("\n", end) + draw(st.sampled_from(["", end]))


def comments(text: str) -> list[str]:
    """Return the comments of a file that ``own_files`` drew."""
    return re.findall(r"# why not|# mine|  # a \[table\] = \"no\"|\t#'''|# größer|# between|# ex|# own", text)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A place for settings, where neither file nor folder is."""
    return tmp_path / "config" / "racing-demon" / "settings.toml"


def written(path: Path, text: str | bytes) -> Path:
    """Write a file as its player did."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refusal(path: Path) -> str:
    """Return why settings are refused, without the file's name."""
    with pytest.raises(SettingsRefused) as refused:
        load(path)
    text = str(refused.value)
    assert text.startswith(str(path))
    assert not re.search(r"pydantic|Input should|type=", text)
    return text.removeprefix(str(path)).removeprefix(", ").removeprefix(": ")


from hypothesis import settings as hs


@hs(max_examples=3000, deadline=None)
@given(own_files(), CHANGES)
def test_fuzz(text: str, changes: dict[str, Any]) -> None:
    """Saving changes the values that changed: the player's comments and order stay."""
    with TemporaryDirectory() as folder:
        path = written(Path(folder) / "settings.toml", text)
        old = load(path)
        wanted = Settings.model_validate({**old.model_dump(), **changes})
        assert wanted == save(path, **changes)
        assert wanted == load(path)
        after = path.read_bytes().decode()
        if wanted == old:
            assert after == text
        mine = comments(text)
        if "bindings" in changes:
            assert set(mine) - {"# ex", "# why not"} <= set(comments(after))
        else:
            it = iter(comments(after))
            assert all(c in it for c in mine), (mine, comments(after))
