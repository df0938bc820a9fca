"""What a player may set, and how mistakes in it are told: by line and name, with what is allowed."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from racing_demon_client.errors import SettingsRefused
from racing_demon_client.settings import Keyboard, PaletteName, PlayerSettings, load, settings_path
from racing_demon_client.terminal.appearance import NAMES
from racing_demon_client.terminal.keymap import KEYBOARD_LAYOUTS
from tests.support.cases import for_each
from tests.support.effort import examples

KNOWN = (
    "name, palette, glyphs, density, keys, motion, mark_red, sound, mouse, volume, advice, remember, bindings"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where settings may be; neither the file nor its folder is there."""
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
    return re.sub("^(, |: )", "", text.removeprefix(str(path)))


# What may be set.


def test_settings_do_not_change() -> None:
    """Settings are values: another palette makes other settings."""
    with pytest.raises(ValidationError):
        PlayerSettings().palette = "dark"  # type: ignore[misc]


def test_the_lists_are_those_of_the_table() -> None:
    """Each palette and each keyboard that can be set is there, and there are no others."""
    assert {"auto", *NAMES} == set(get_args(PaletteName))
    assert set(KEYBOARD_LAYOUTS) == set(get_args(Keyboard))


def test_bindings_are_limited(path: Path) -> None:
    """There may be a hundred bindings, and not one more."""
    lines = [f'a-{number} = "x"' for number in range(101)]
    assert len(load(written(path, "\n".join(["[bindings]", *lines[1:]]))).bindings) == 100
    said = refusal(written(path, "\n".join(["[bindings]", *lines])))
    assert said.startswith(
        "line 1: 'bindings' cannot have that value. Allowed: a table of at most 100 lines like "
    )


# Where it is kept.


def test_the_folder_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """RACING_DEMON_CONFIG says in which folder the settings are."""
    monkeypatch.setenv("RACING_DEMON_CONFIG", str(tmp_path))
    assert tmp_path / "settings.toml" == settings_path()


def test_else_the_system_says_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """If RACING_DEMON_CONFIG is empty, settings are where this system keeps those of programs."""
    monkeypatch.setenv("RACING_DEMON_CONFIG", "")
    assert settings_path().is_absolute()
    assert settings_path().parts[-2:] == ("racing-demon", "settings.toml")


# What is read.


def test_no_file_means_the_defaults(path: Path) -> None:
    """Whoever never set anything plays with what holds at first, and no file is made."""
    assert PlayerSettings() == load(path)
    assert not path.parent.exists()


@for_each("text", ["", "# nothing yet\n", "\ufeff\r\n", "[bindings]"])
def test_what_is_not_set_has_its_default(path: Path, text: str) -> None:
    """A file needs no setting at all; nor does the mark hurt that some editors put first."""
    assert PlayerSettings() == load(written(path, text))


def test_what_is_set_holds(path: Path) -> None:
    """The values in the file are those of the settings."""
    text = 'name = "Zoë"\npalette = "four-color"\nmotion = false\nvolume = 0\n[bindings]\nhint = "h f9"\n'
    palette, bindings = "four-color", {"hint": "h f9"}
    wanted = PlayerSettings(name="Zoë", palette=palette, motion=False, volume=0, bindings=bindings)
    assert wanted == load(written(path, text))


# What is refused.


@for_each(
    ("text", "line", "key"),
    [
        ("pallete = 'dark'", 1, "pallete"),
        ("# one\n\nmotion = true\n'Motion' = true\n", 4, "Motion"),
        ("name = '''\n#\"\"\"'''\nx = 1\n", 3, "x"),
        ('name = """\\\n[x] \\""""\nx = 1\n', 3, "x"),
        ('name = """"Ann""""\nx = 1\n', 2, "x"),
        ("palette = 'dark'\r\n[bindings]\r\nhint = 'h'\r\n[more]\r\npalette = 1\r\n", 4, "more"),
        ("[bindings]\n[[more]]\nhint = 1", 2, "more"),
        ("list.of.things = [\n1, # ]\n']'\n]", 1, "list"),
        ("motion = true\nlist = [\n1, # ]\n']'\n]\nb = 1", 2, "list"),
        ("'\u200b' = 1", 1, "\\u200b"),
        ("'' = 1", 1, ""),
        (f"volume = 1\n{'x' * 60} = 1", 2, "x" * 40 + "…"),
    ],
)
def test_an_unknown_setting_is_told_by_its_line(path: Path, text: str, line: int, key: str) -> None:
    """A slip in a name does not pass in silence: the sentence has its line, and all known names."""
    known = f"The settings are: {KNOWN}. Correct the line, or delete it."
    said = f"line {line}: there is no setting '{key}'. {known}"
    assert said == refusal(written(path, text))


@for_each(
    ("key", "values", "allowed"),
    [
        ("name", ["5", "true", '"\\u001b[31m"', '" "', f'"{"x" * 25}"'], "up to 24 printable characters"),
        ("palette", ['"pink"', "1", '"Dark"', '""', "['dark']"], '"auto", "dark", "light", "four-color", '),
        ("glyphs", ['"emoji"'], '"auto", "unicode" or "ascii".'),
        ("density", ['"tiny"', "{ x = 1 }"], '"auto", "small", "medium" or "large".'),
        (
            "keys",
            ['"qwertx"'],
            '"qwerty", "qwertz", "azerty", "dvorak", "colemak", "left-handed" or "digits".',
        ),
        ("motion", ["1", '"yes"', "0.0", '"true"'], "true or false."),
        ("mark_red", ["0"], "true or false."),
        ("sound", ["[]"], "true or false."),
        ("mouse", ["1979-05-27"], "true or false."),
        ("volume", ["3", "-1", "true", "1.0", '"1"', "nan"], "0, 1 or 2."),
        ("bindings", ["3", '"hint"', "[]", "true"], "a table of at most 100 lines like "),
    ],
)
def test_a_wrong_value_is_told_with_those_allowed(
    path: Path, key: str, values: list[str], allowed: str
) -> None:
    """A wrong value is told by line and setting, with what may stand there; nothing is guessed."""
    for value in values:
        said = refusal(written(path, f"# mine\n\n{key} = {value}\n"))
        assert said.startswith(f"line 3: '{key}' cannot have that value. Allowed: {allowed}")
        assert said.endswith(". Correct the line, or delete it.")


@for_each(
    ("text", "line", "key"),
    [
        ("[bindings]\n\nhint = 3", 3, "hint"),
        ("[bindings]\nhint = 'h'\n'Hint' = 'h'", 3, "Hint"),
        ("sound = true\nbindings = { 'no id' = 'h' }", 2, "no id"),
        ("bindings.a = 'x'\nbindings.b = '\\u0007'\nbindings.c = \"\\u0007\"", 3, "c"),
        ("[bindings]\nhint = '" + "h" * 65 + "'", 2, "hint"),
        ("[bindings.hint]\nkey = 'h'", 1, "hint"),
        ("[bindings]\n" + "a" * 65 + " = 'h'", 2, "a" * 40 + "…"),
    ],
)
def test_a_wrong_binding_is_told_by_its_line(path: Path, text: str, line: int, key: str) -> None:
    """Actions are named by small letters, digits and hyphens, and their keys are a short text."""
    said = (
        f"line {line}: '{key}' in 'bindings' cannot have that value. Allowed: an action in small "
        "letters, digits and hyphens, and its keys, separated by spaces, as a text of at most 64 characters. "
        "Correct the line, or delete it."
    )
    assert said == refusal(written(path, text))


def test_the_first_mistake_is_told(path: Path) -> None:
    """Of several mistakes the uppermost is told, so that they are mended from the top."""
    text = "# mine\nvolume = 9\nwhat = 1\npalette = 'pink'\nname = 1\n"
    assert refusal(written(path, text)).startswith("line 2: 'volume'")


@for_each(
    ("text", "where"),
    [
        ("motion = true\npalette = dark\n", "line 2: "),
        ("motion = true\n\npalette: dark\nsound = true\n", "line 3: "),
        ("motion = true\nmotion = false\nsound = true\n", "line 2: "),
        ("# mine\n['(at line 9, column 9)']\n['(at line 9, column 9)']\n", "line 3: "),
        ("motion = true\nlist = [1,\n2\n\n", "line 3: "),
        ("motion = true\npalette =", "line 2: "),
        ("volume = 1\x00", "line 1: "),
        ("list = " + "[" * 20_000, ""),
        ("volume = 1" + "0" * 5_000, ""),
    ],
    ids=["bare", "colon", "twice", "devious", "open", "no value", "zero byte", "deep", "long number"],
)
def test_what_is_no_toml_is_told_by_its_line(path: Path, text: str, where: str) -> None:
    """Where the file is not TOML, the sentence says how a setting is written."""
    said = (
        "this is not TOML. A setting stands once, as name, equals sign and value, and texts stand in "
        'quotation marks, like palette = "dark". Correct the line, or delete it.'
    )
    assert f"{where}{said}" == refusal(written(path, text))


def test_other_encodings_are_refused(path: Path) -> None:
    """A file that is not UTF-8 is told by the line where that shows."""
    said = "line 2: this is not text in UTF-8. Save the file in that encoding, or delete it."
    assert said == refusal(written(path, b"motion = true\nname = 'Zo\xeb'\n"))


def test_large_files_are_refused(path: Path) -> None:
    """Settings fit into 64 KiB; what is longer is not even read."""
    assert PlayerSettings() == load(written(path, "#" * 64 * 1024))
    said = "settings may take at most 64 KiB. Shorten the file, or delete it."
    assert said == refusal(written(path, "#" * 64 * 1024 + "#"))


def test_a_file_that_cannot_be_read_is_told(path: Path) -> None:
    """A folder where the file should be is told in a sentence, too."""
    path.mkdir(parents=True)
    said = "the settings cannot be read: Is a directory. Check the file, or set RACING_DEMON_CONFIG to "
    assert f"{said}another folder." == refusal(path)


FRAGMENTS = [
    "bindings",
    "palette",
    "[bindings]\n",
    "name = 'x'\n",
    "[a.b]\n",
    "[[c]]\n",
    "hint = 3\n",
    *"[]{}=.",
]
STATEMENTS = [
    "bindings.a.b = 1\n",
    "[bindings.q]\n",
    "[[bindings]]\n",
    "palette.x = 2\n",
    "z = [\n1, # ]\n']'\n]\n",
]
OTHERS = [
    '"',
    '"""',
    "'",
    "'''",
    "\\",
    "#",
    "\n",
    "\r\n",
    "1",
    " ",
    "é",
    "x = '''a\n''''\n",
    '"\\u0041b" = 1\n',
]


@examples(300)
@given(st.lists(st.sampled_from([*FRAGMENTS, *STATEMENTS, *OTHERS]), max_size=12).map("".join))
def test_no_text_is_too_odd(text: str) -> None:
    """Whatever stands in the file is understood, or refused by its line."""
    with TemporaryDirectory() as folder:
        path = written(Path(folder) / "settings.toml", text)
        try:
            load(path)
        except SettingsRefused as refused:
            assert str(refused).startswith(f"{path}, line ")
