"""``racing-demon verify``: what it says of true and of false records."""

import asyncio
import re
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable
from pathlib import Path

import pytest

from racing_demon_protocol.records.format import message_line
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from tests.support.cases import for_each
from tests.support.matches import log_of, options_of
from tests.support.processes import Here
from tests.support.records import record as recorded
from tests.support.relay import table_of
from tests.support.tables import Sitting


def record() -> list[str]:
    """Return the record of a match of two hands."""
    return [
        message_line(table_of(code="SIM", options=options_of("shouted"))),
        *map(message_line, log_of("shouted")),
    ]


async def test_a_true_record_is_found_right(tmp_path: Path, here: Here) -> None:
    """A record in a file is checked, and what it proves is said."""
    file = tmp_path / "match.jsonl"
    file.write_text("\n".join(record()), encoding="utf-8")
    ended = await here("verify", str(file))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("valid: 2 hands, ")


async def test_a_record_from_within_a_hand_checks_the_others(tmp_path: Path, here: Here) -> None:
    """The hand that is not there from its deal on is told as one."""
    view, log = TableState("SIM", options_of("shouted")), log_of("shouted")
    for event in log[:60]:
        view.apply(event)
    file = tmp_path / "match.jsonl"
    file.write_text("\n".join(map(message_line, [view.snapshot(0), *log[60:]])), encoding="utf-8")
    ended = await here("verify", str(file))
    assert ended.code == 0
    told = ended.out.splitlines()
    assert told[0] == "1 hand is incomplete in this record, and was not checked"
    assert told[1] == "not proven, so not counted by racing-demon scores: hand 1 of match SIM/1"
    assert told[2].startswith("valid: 1 hand, ")


@for_each(("plays", "layouts"), [(0, "2 layouts"), (1, "1 layout")])
async def test_a_layout_without_a_play_is_told_as_such(
    plays: int, layouts: str, tmp_path: Path, here: Here
) -> None:
    """On identical deals a record does not tell who played nothing from whose plays were told to nobody."""
    sitting = Sitting.playing(2, hands=1, game="flower-garden", countdown_ms=0)
    for play in sitting.plays(0)[:plays]:
        sitting.play(0, play.source, play.destination, play.count)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    file = tmp_path / "match.jsonl"
    file.write_text("\n".join(map(message_line, recorded(sitting.options, sitting.log))), encoding="utf-8")
    ended = await here("verify", str(file))
    assert ended.code == 0
    said = f"on identical deals: this record holds no play on {layouts}, whether there was none or"
    assert said in ended.out


@pytest.mark.long
@for_each("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
async def test_a_record_in_another_encoding_is_read(encoding: str, tmp_path: Path, here: Here) -> None:
    """PowerShell's > writes UTF-16, and editors put a byte order mark before UTF-8; a correction fits in."""
    file = tmp_path / "match.jsonl"
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    file.write_bytes((mark + "\r\n".join([*record(), ""])).encode(encoding))
    ended = await here("verify", str(file))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("valid: 2 hands, ")
    said = ("--seat", "1", "--points=3", "--why", "A slip.", "--name", "Ann")
    assert (await here("record", "correct", str(file), *said)).code == 0
    assert "+3 points for" in (await here("scores", str(file))).out


@pytest.mark.long
async def test_a_line_without_an_end_is_not_read_whole(tmp_path: Path) -> None:
    """However long a line is, no more of it is held in memory than shows that it is too long."""
    file = tmp_path / "match.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        lines.write('{"message": "')
        for _ in range(150):
            lines.write("a" * 1_000_000)
    # Not getrusage: its peak is that of the process that started this one, too.
    code = (
        "import sys; from racing_demon_client.cli.main import main\n"
        f"try: main(['verify', {str(file)!r}])\n"
        "finally: sys.stderr.write(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=PIPE, stderr=PIPE)
    out, err = await process.communicate()
    assert b"damaged: Line 1: a line is longer than 65536 characters" in out
    assert int(err.split()[-1]) < 150_000, err


def without_a_play(lines: list[str]) -> list[str]:
    """Drop one play."""
    place = next(n for n, line in enumerate(lines) if '"played"' in line)
    return lines[:place] + lines[place + 1 :]


def with_other_points(lines: list[str]) -> list[str]:
    """Give somebody more points."""
    return [re.sub(r'"points": \[-?(\d+)', r'"points": [5\1', line) for line in lines]


def from_the_middle(lines: list[str]) -> list[str]:
    """Keep no hand whole."""
    return lines[:1] + lines[1:60]


@for_each(
    ("forge", "verdict"),
    [
        (without_a_play, r"damaged: Event \d+ follows event \d+: those between are missing"),
        (with_other_points, r"not valid: Event \d+: the points are wrong"),
        (from_the_middle, "nothing to check: this record contains no complete hand"),
        (lambda lines: lines[1:], "damaged: Event 1 comes before any table"),
        (
            lambda lines: [*lines[:9], "x", *lines[9:]],
            "damaged: Line 10: a line is not a message of a record",
        ),
        (lambda lines: [], "not valid: There is no table in this record"),
    ],
    ids=["without a play", "other points", "cut short", "without a table", "a torn line", "nothing"],
)
async def test_a_false_record_ends_with_1(
    forge: Callable[[list[str]], list[str]], verdict: str, tmp_path: Path, here: Here
) -> None:
    """A record that does not hold is called not right, and where."""
    file = tmp_path / "match.jsonl"
    file.write_text("\n".join(forge(record())), encoding="utf-8")
    ended = await here("verify", str(file))
    assert (ended.code, ended.err) == (1, "")
    assert re.match(verdict, ended.out)


async def test_a_record_that_cannot_be_read_has_a_sentence(tmp_path: Path, here: Here) -> None:
    """No file, a folder and noise end with 3 and a sentence."""
    noise = tmp_path / "noise"
    noise.write_bytes(b"\xff\x00\xfe")
    for path in (tmp_path / "none", tmp_path, noise):
        ended = await here("verify", str(path))
        assert ended.code == 3
        assert ended.err.startswith(f"racing-demon: {path} cannot be read: ")
        assert len(ended.err.splitlines()) == 1
