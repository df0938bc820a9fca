"""``racing-demon settings``."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.effort import usually
from tests.support.processes import CLIENT, Here, text_of


def env(folder: Path, **more: str) -> dict[str, str]:
    """Return variables that keep the settings in a folder."""
    return {"RACING_DEMON_CONFIG": str(folder), "VISUAL": "", "EDITOR": "", **more}


def keep_in(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Keep the settings of this process in a folder."""
    for name, value in env(folder).items():
        monkeypatch.setenv(name, value)


async def test_a_file_of_all_settings_is_written(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no file one is made, with a comment over each setting, and its place is told."""
    keep_in(monkeypatch, tmp_path / "new")
    told = await here("settings")
    path = tmp_path / "new" / "settings.toml"
    assert (told.code, told.err) == (0, "")
    assert str(path) in told.out
    written = path.read_text()
    assert 'palette = "auto"' in written
    assert "# The colors." in written


async def test_a_file_that_is_there_stays(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the player wrote is not touched, not even what is wrong in it."""
    path = tmp_path / "settings.toml"
    path.write_text("palette = 7\n")
    keep_in(monkeypatch, tmp_path)
    told = await here("settings")
    assert (told.code, told.err) == (0, "")
    assert path.read_text() == "palette = 7\n"


async def test_only_the_place_is_told(tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --path one line says where the file is or would be, and nothing is written."""
    keep_in(monkeypatch, tmp_path / "new")
    told = await here("settings", "--path")
    assert (0, f"{tmp_path / 'new' / 'settings.toml'}\n", "") == (told.code, told.out, told.err)
    assert not (tmp_path / "new").exists()


async def test_what_cannot_be_written_is_told(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that cannot be made ends with 3 and a sentence."""
    (tmp_path / "file").write_text("")
    keep_in(monkeypatch, tmp_path / "file" / "folder")
    told = await here("settings")
    assert told.code == 3
    assert "RACING_DEMON_CONFIG" in told.err


async def test_the_help_has_examples() -> None:
    """``--help`` shows how it goes, and what the exit codes mean."""
    told = await text_of(CLIENT, "settings", "--help")
    assert told.code == 0
    assert "racing-demon settings --path" in told.out
    assert "exit codes" in told.out


EDITS = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text({!r})"
CASES = {
    "edited": (EDITS.format('name = "Zoe"\n'), 0, "your settings"),
    "wrong": (EDITS.format("palette = 7\n"), 3, "'palette' cannot have that value"),
    "failed": ("raise SystemExit(3)", 1, "it ended with 3"),
}


def at_a_terminal(folder: Path, editor: str) -> tuple[int, str]:
    """Run the command on a pseudo-terminal; return its exit code, and what it said."""
    ours, theirs = os.openpty()
    variables = {**os.environ, **env(folder, EDITOR=editor)}
    try:
        ended = subprocess.run(  # noqa: S603
            [sys.executable, "-m", CLIENT, "settings"],
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.PIPE,
            env=variables,
            timeout=60,
            check=False,
        )
        said = os.read(ours, 10_000)
    finally:
        os.close(ours)
        os.close(theirs)
    return ended.returncode, (said + ended.stderr).decode()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(("does", "code", "text"), usually(2, CASES.values()), ids=list(CASES))
def test_the_editor_is_opened(tmp_path: Path, does: str, code: int, text: str) -> None:
    """At a terminal $EDITOR is given the file; a file that it spoiled, and its own failure, are told."""
    editor = shlex.join([sys.executable, "-c", does])
    ended, said = at_a_terminal(tmp_path, editor)
    assert code == ended
    assert text in said


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_an_editor_that_is_not_there_is_told(tmp_path: Path) -> None:
    """A name that no program has ends with 1, and with what can be done."""
    ended, said = at_a_terminal(tmp_path, "no-such-editor")
    assert ended == 1
    assert "set EDITOR to another one" in said
