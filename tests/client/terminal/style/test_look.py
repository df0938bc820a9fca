"""How everything looks: palette, glyphs, density."""

import pytest

from racing_demon_client.terminal.style.glyphs import ASCII, UNICODE
from racing_demon_client.terminal.style.look import Look, glyphs_for
from racing_demon_client.terminal.style.palette import NAMES, Depth, palette


@pytest.fixture
def utf8(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Pretend a locale that is not poor."""
    for name in ("LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    return monkeypatch


def test_the_dark_palette_is_the_first() -> None:
    """Nothing asked for is the dark palette in all colors."""
    assert palette("dark", Depth.TRUE) is Look().palette


def test_palettes_go_round() -> None:
    """Asking for the next palette as often as there are some comes back, and shows each once."""
    look, seen = Look(), []
    for _ in NAMES:
        seen.append(look.palette.name)
        look = look.next_palette()
    assert sorted(NAMES) == sorted(seen)
    assert look.palette.name == "dark"


def test_the_next_palette_keeps_everything_else() -> None:
    """Depth, second cue for red, density, glyphs and motion stay."""
    look = Look(depth=Depth.STANDARD, mark_red=True, density="large", glyphs=ASCII, motion=False)
    other = look.next_palette()
    assert (
        other.depth,
        other.mark_red,
        other.density,
        other.glyphs,
        other.motion,
    ) == (Depth.STANDARD, True, "large", ASCII, False)
    assert other.palette.red_reversed


def test_densities_go_round() -> None:
    """Automatic, and all that there is room for, and automatic again."""
    for size, expected in (((200, 60), ["small", "medium", "large"]), ((120, 40), ["small", "medium"])):
        look, seen = Look(), []
        for _ in range(len(expected) + 2):
            seen.append(look.density)
            look = look.next_density(*size)
        assert ["auto", *expected, "auto"] == seen


def test_a_density_without_effect_is_not_taken() -> None:
    """Where there is room for but one, what was chosen stays, for terminals where it can be seen."""
    assert [Look()] * 2 == [Look().next_density(*size) for size in ((80, 24), (119, 60))]
    assert Look(density="large").next_density(80, 24).density == "large"
    assert Look(density="large").next_density(120, 40).density == "small"


def test_motion_is_off_and_on_again() -> None:
    """Twice is as before."""
    assert not Look().other_motion().motion
    assert Look() == Look().other_motion().other_motion()


def test_glyphs_that_were_asked_for(utf8: pytest.MonkeyPatch) -> None:
    """What the player wants is given, whatever the terminal says."""
    assert UNICODE is glyphs_for("unicode", "ascii")
    assert ASCII is glyphs_for("ascii", "utf-8")


@pytest.mark.parametrize(
    ("encoding", "poor"), [("utf-8", False), ("UTF8", False), ("cp437", True), ("", True)]
)
def test_glyphs_of_an_encoding(utf8: pytest.MonkeyPatch, encoding: str, poor: bool) -> None:
    """Left open, signs are for terminals with UTF-8."""
    assert (ASCII if poor else UNICODE) is glyphs_for("auto", encoding)


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_glyphs_of_a_poor_locale(utf8: pytest.MonkeyPatch, locale: str) -> None:
    """Where the locale knows no signs, letters are used; the first variable that is set decides."""
    utf8.setenv("LC_CTYPE", locale)
    assert ASCII is glyphs_for("auto", "utf-8")
    utf8.setenv("LC_ALL", "C.UTF-8")
    assert UNICODE is glyphs_for("auto", "utf-8")
