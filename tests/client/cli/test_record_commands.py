"""``racing-demon record``, ``scores`` and ``replay``: files and the journal of a real server."""

import codecs
import csv
import datetime as dt
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from racing_demon_client.cli import record_commands
from racing_demon_client.cli.arguments import parse
from racing_demon_client.cli.record_commands import NAME_WIDTH
from racing_demon_client.records import reader
from racing_demon_protocol.records.format import (
    USUAL_VERSION,
    VERSION,
    Record,
    TimedMessage,
    entry_line,
    message_line,
    read_records,
    record_lines,
    tally_line,
)
from racing_demon_protocol.table.scoring import totals
from racing_demon_protocol.wire.messages.events import HandOver, MatchOver
from racing_demon_protocol.wire.messages.server import Refused, Snapshot
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.effort import usually
from tests.support.journal_command import answered_here
from tests.support.journals import journaled, play_match
from tests.support.matches import final_view, log_of, options_of
from tests.support.processes import Ended, Here
from tests.support.recordings import kept_from, recording, recording_of
from tests.support.relay import table_of

FIXTURES = Path(__file__).parents[2] / "fixtures" / "records"


@pytest.fixture(autouse=True)
def _own_cache_and_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep digests and journals of tests apart from those of whoever runs them."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("RACING_DEMON_DATA", str(tmp_path / "data"))


@pytest.fixture(autouse=True)
def _no_process_for_each_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask the server's program in this process; tests of whole programs ask one of its own."""
    for module in (reader, record_commands):
        monkeypatch.setattr(module, "run_journal_command", answered_here)


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a journal in which a server has kept two matches of bots."""
    return tmp_path_factory.mktemp("data")


async def kept(folder: Path) -> str:
    """Return the file of a journal with two matches; the first who asks has them played."""
    path = folder / "journal.sqlite"
    if not path.exists():
        for number in (1, 2):
            await keep_match(path, number)
    return str(path)


async def keep_match(path: Path, number: int) -> None:
    """Let two bots play a match, which a server keeps in a journal."""
    async with journaled(path, bot_speed=500, seed=bytes([number] * 32)) as served:
        await play_match(served.url)


def file_of(folder: Path, *names: str) -> str:
    """Return a file with the records of some matches."""
    path = folder / f"{'-'.join(names).replace(' ', '_')}.jsonl"
    lines = [line for name in names for line in record_lines(recording_of(name))]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def records(path: str | Path) -> list[Record]:
    """Return the records of a file."""
    return records_of(Path(path).read_text(encoding="utf-8"))


def records_of(text: str) -> list[Record]:
    """Return the records of a file's text."""
    return list(read_records(text.splitlines()))


def failed(ended: Ended, sentence: str, code: int = 3) -> None:
    """Check that a program ended with its exit code and one sentence."""
    assert code == ended.code
    assert re.fullmatch(f"racing-demon: {sentence}\n", ended.err), ended.err


# Records that were cut off.


@pytest.mark.long
@for_each("behind", usually(1, ['{"message": "said", "text": "é'.encode()[:-1], b"{", b'{"message": "pla']))
async def test_a_record_that_is_cut_off_counts_as_far_as_it_is_whole(
    tmp_path: Path, here: Here, behind: bytes
) -> None:
    """Half a line at the end is left out with a sentence, by all who read records."""
    path = Path(file_of(tmp_path, "racing-demon"))
    with path.open("ab") as file:
        file.write(behind)
    for command in (("verify",), ("scores",), ("replay", "--plain"), ("record", "export")):
        ended = await here(*command, str(path))
        assert ended.code == 0, ended.err
        assert "stops in the middle of a line" in ended.err


async def test_a_hand_whose_end_is_cut_off_is_not_false(tmp_path: Path, here: Here) -> None:
    """Nothing is proven of it, and nothing said against it."""
    lines = Path(file_of(tmp_path, "racing-demon")).read_text(encoding="utf-8").splitlines()
    ends = next(number for number, line in enumerate(lines) if '"hand_over"' in line)
    path = tmp_path / "cut.jsonl"
    path.write_text("\n".join(lines[: ends + 1])[:-20], encoding="utf-8")
    ended = await here("verify", str(path))
    assert (ended.code, ended.out.startswith("nothing to check")) == (1, True)
    assert "is not proven" in ended.err


async def test_what_is_written_behind_half_a_line_is_read(tmp_path: Path, here: Here) -> None:
    """The next record in the same file begins on a line of its own."""
    path = Path(file_of(tmp_path, "racing-demon"))
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"message": "pla\n' + whole)
    ended = await here("verify", str(path))
    assert (ended.code, "in its middle" in ended.err) == (0, True)


async def test_a_broken_line_in_the_middle_is_an_error(tmp_path: Path, here: Here) -> None:
    """Nobody can tell what else is missing there."""
    path = Path(file_of(tmp_path, "racing-demon"))
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[5] = lines[5][:-9]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    ended = await here("verify", str(path))
    assert (ended.code, ended.out.startswith("damaged: Line 6: a line is not a message")) == (1, True)


@for_each("behind", usually(1, [b"\0\0\n\0", b'{"message": "pla\n', b"\0" * 4_096, b"no record\n", b"{}\n"]))
async def test_a_damaged_end_hides_nothing_that_is_whole(tmp_path: Path, here: Here, behind: bytes) -> None:
    """After a power loss a file may end with NULs: what is before and behind them counts."""
    path = Path(file_of(tmp_path, "racing-demon"))
    whole = path.read_bytes()
    for rest in (b"", b"\n" + codecs.BOM_UTF8 + whole):
        path.write_bytes(whole + behind + rest)
        for command in (("scores",), ("scores",), ("replay", "--plain"), ("record", "export")):
            ended = await here(*command, str(path))
            assert (ended.code, "is damaged. Line" in ended.err) == (0, True), (command, ended.err)
        assert len(records_of(ended.out)) == 1 + bool(rest)
        verified = await here("verify", str(path))
        assert (verified.code, verified.out.startswith("damaged: Line")) == (1, True)


async def test_a_stray_file_hides_no_other(tmp_path: Path, here: Here) -> None:
    """It is named. Where there is nothing else, nothing can be counted."""
    good, stray, picture = file_of(tmp_path, "racing-demon"), tmp_path / "notes.txt", tmp_path / "cards.png"
    stray.write_text("Ann won.\n", encoding="utf-8")
    picture.write_bytes(b"\x89PNG\r\n\xff")
    ended = await here("scores", str(picture), good, str(stray))
    assert (ended.code, ended.out) == (0, (await here("scores", good)).out)
    assert "notes.txt is damaged, and cannot be counted: Line 1" in ended.err
    assert "cards.png cannot be read" in ended.err
    failed(await here("scores", str(stray)), r".*notes\.txt is damaged, and cannot be counted: Line 1: .*")


# Exports.


async def test_an_older_record_is_exported_in_the_new_form(tmp_path: Path, here: Here) -> None:
    """A file without a header gets one; its messages and its tally stay the same."""
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    lines = [message_line(table_of(code="SIM", options=options_of("shouted")), at_ms=0)]
    lines += [message_line(event, at_ms=number) for number, event in enumerate(log_of("shouted"))]
    old.write_text("\n".join(lines), encoding="utf-8")
    ended = await here("record", "export", str(old), "--to", str(new))
    assert (ended.code, ended.out) == (0, "")
    (record,) = records(new)
    assert record.header is not None
    assert log_of("shouted") == [entry.message for entry in record.entries[1:]]
    assert tally_line(final_view("shouted")) in new.read_text(encoding="utf-8")


@pytest.mark.long
async def test_a_match_of_another_process_is_named_like_the_others(
    journal: Path, tmp_path: Path, here: Here
) -> None:
    """What a second process has kept is exported, checked, counted and replayed, alone and with all."""
    path, both = await kept(journal), str(tmp_path / "journal.sqlite")
    for copy in (both, str(tmp_path / "journal-process-2.sqlite")):
        shutil.copy(path, copy)
    told = await here("record", "export", "2-1.1", "--journal", both)
    assert [[record.header.id for record in read_records(told.out.splitlines()) if record.header]] == [
        ["2-1.1"]
    ]
    assert (await here("verify", "2-1.1", "--journal", both)).out.startswith("valid: 1 hand")
    assert (await here("replay", "2-1.1", "--plain", "--journal", both)).code == 0
    assert (await here("scores", "--journal", both)).code == 0


async def test_several_files_become_one(tmp_path: Path, here: Here) -> None:
    """What is exported together is one file, and on standard output where no other is named."""
    ended = await here("record", "export", file_of(tmp_path, "demon-a"), file_of(tmp_path, "demon-b"))
    assert (ended.code, ended.err) == (0, "")
    found = list(read_records(ended.out.splitlines()))
    assert [recording_of("demon-a"), recording_of("demon-b")] == found


async def test_half_an_export_is_none(tmp_path: Path, here: Here) -> None:
    """Where a source is not right nothing is written, and nothing is left lying about."""
    bad, new = tmp_path / "bad.jsonl", tmp_path / "new.jsonl"
    lines = list(record_lines(recording_of("demon-a")))
    newer = lines[0].replace('"version": 2', '"version": 99')
    bad.write_text("\n".join([*lines[:50], newer]), encoding="utf-8")
    ended = await here("record", "export", file_of(tmp_path, "demon-b"), str(bad), "--to", str(new))
    failed(ended, f"{bad} cannot be exported: Line 51: .*")
    assert {"bad.jsonl", "demon-b.jsonl"} == {path.name for path in tmp_path.glob("*.*")}


async def test_an_export_that_finds_no_room(tmp_path: Path, here: Here) -> None:
    """A place that cannot be written to is named."""
    ended = await here("record", "export", file_of(tmp_path, "demon-a"), "--to", "/nowhere/x.jsonl")
    failed(ended, "The record cannot be written to /nowhere/x.jsonl: No such file or directory.")


@pytest.mark.parametrize("name", ["new.jsonl", "demon-a.jsonl", "link"])
async def test_an_export_overwrites_nothing(name: str, tmp_path: Path, here: Here) -> None:
    """Where something is already, be it what is exported itself, nothing is written, and nothing lost."""
    source, new = file_of(tmp_path, "demon-a"), tmp_path / "new.jsonl"
    new.write_text("precious", encoding="utf-8")
    (tmp_path / "new.jsonl.part").write_text("precious, too", encoding="utf-8")
    (tmp_path / "link").symlink_to("nowhere")
    there = {path.name: path.read_bytes() for path in tmp_path.glob("*.*")}
    ended = await here("record", "export", source, "--to", str(tmp_path / name))
    wanted = f"The record cannot be written to {tmp_path / name}: the file exists, and was not changed"
    failed(ended, f"{wanted}; name another file.")
    assert there == {path.name: path.read_bytes() for path in tmp_path.glob("*.*")}
    assert (await here("record", "export", source, "--to", f"{new}l")).code == 0
    assert (tmp_path / "new.jsonl.part").read_text(encoding="utf-8") == "precious, too"


# The journal.


@pytest.mark.long
async def test_journals_of_earlier_versions_are_named_once(
    journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: Here
) -> None:
    """A second host had one of its own. Each has its command, and what is no journal is passed over."""
    monkeypatch.setenv("RACING_DEMON_STATE", str(tmp_path / "state"))
    data = tmp_path / "data"
    data.mkdir()
    for name in ("journal.sqlite", "journal-3.sqlite"):
        shutil.copy(await kept(journal), data / name)
    (data / "journal-2.sqlite").write_text("something else")
    first, second = await here("record", "list"), await here("record", "list")
    assert f"\n  racing-demon record list --journal {data / 'journal-3.sqlite'}\n" in first.err
    assert "journal-2" not in first.err
    assert (second.out, second.err) == (first.out, "")


@pytest.mark.long
async def test_the_journal_is_listed_and_exported(journal: Path, tmp_path: Path, here: Here) -> None:
    """Every match of a server is there, with names; all together are one file that proves itself."""
    path, new = await kept(journal), str(tmp_path / "all.jsonl")
    told = await here("record", "list", "--journal", path)
    assert len(told.out.splitlines()) == 2
    assert "classic, 1 hand: Ada, Bob" in told.out
    rows = [
        json.loads(line)
        for line in (await here("record", "list", "--json", "--journal", path)).out.splitlines()
    ]
    assert (await here("record", "export", "all", "--to", new, "--journal", path)).code == 0
    found = records(new)
    assert [row["id"] for row in rows] == [record.header.id for record in found if record.header]
    assert (await here("verify", new)).out.startswith("valid: 2 hands, ")
    assert (await here("verify", rows[0]["id"], "--journal", path)).out.startswith("valid: 1 hand, ")


@pytest.mark.long
async def test_a_server_tells_by_how_much_races_were_lost(journal: Path, tmp_path: Path, here: Here) -> None:
    """Who was beaten, by whom and by how much is in the record, and so in the standings."""
    path = await kept(journal)
    exported = await here("record", "export", "all", "--journal", path)
    beaten = [
        entry
        for record in read_records(exported.out.splitlines())
        for entry in record.entries
        if isinstance(entry.message, Refused)
    ]
    told = json.loads((await here("scores", "--json", "--journal", path)).out)
    known = {player["player"]: player["lost_by_ms"] for player in told["players"]}
    assert {name for name, late in known.items() if late is not None} == {
        {0: "Ada", 1: "Bob"}[entry.seat] for entry in beaten if entry.seat is not None
    }


async def test_scores_count_proven_hands_only(tmp_path: Path, here: Here) -> None:
    """Of a hand whose points only a table tells, nobody gets any, nor wins the match by it."""
    record = recording_of("racing-demon")
    end = 1 + next(n for n, entry in enumerate(record.entries) if isinstance(entry.message, HandOver))
    path = tmp_path / "late.jsonl"
    path.write_text("\n".join(record_lines(kept_from(record, end))), encoding="utf-8")
    ended = await here("scores", "--json", str(path))
    assert ended.code == 0, ended.err
    told = json.loads(ended.out)
    (over,) = (entry.message for entry in record.entries[end:] if isinstance(entry.message, HandOver))
    assert [player["hands"] for player in told["players"]] == [1, 1, 1]
    assert sorted(over.points) == sorted(player["points"] for player in told["players"])
    assert [player["wins"] for player in told["players"]] == [0, 0, 0]


async def test_scores_refuse_a_table_that_contradicts_its_events(tmp_path: Path, here: Here) -> None:
    """Points that a later snapshot gives a proven hand count nowhere."""
    record = recording_of("racing-demon")
    place = next(n for n, entry in enumerate(record.entries) if isinstance(entry.message, MatchOver))
    table = kept_from(record, place).entries[0].message
    assert isinstance(table, Snapshot)
    results = [result.model_copy(update={"points": (500, -400, -100)}) for result in table.results]
    forged = TimedMessage(table.model_copy(update={"results": tuple(results)}))
    path = tmp_path / "forged.jsonl"
    whole = Record(record.header, [*record.entries[:place], forged, *record.entries[place:]])
    path.write_text("\n".join(map(entry_line, whole.entries)), encoding="utf-8")
    failed(await here("scores", str(path)), r".* is not valid, and cannot be counted: .* made\.")


async def test_corrections_are_entries(journal: Path, tmp_path: Path, here: Here) -> None:
    """A correction changes no line of the journal's record; it stands behind it, and in the standings."""
    await kept(journal)
    path = str(shutil.copytree(journal, tmp_path / "own") / "journal.sqlite")
    before = await here("record", "export", "1.1", "--journal", path)
    said = ("--seat", "1", "--points=-7", "--why", "A slip.", "--name", "Ann", "--hand", "1")
    assert (await here("record", "correct", "1.1", *said, "--journal", path)).code == 0
    assert (await here("record", "correct", "2.1", "--void", "--why", "A try.", "--journal", path)).code == 0
    after = await here("record", "export", "1.1", "--journal", path)
    assert before.out.splitlines() == after.out.splitlines()[:-1]
    told = json.loads((await here("scores", "--json", "--journal", path)).out)
    assert (
        told["matches"],
        [each["what"] for each in told["corrections"]],
    ) == (1, ["-7 points for Ada in hand 1", "the match does not count"])
    assert "corrected" in (await here("record", "list", "--journal", path)).out
    failed(
        await here("record", "correct", "9.1", "--void", "--why", "x", "--journal", path),
        r"there is no match 9.1 in \S+; racing-demon record list shows all\.",
    )


async def test_a_correction_of_a_file(tmp_path: Path, here: Here) -> None:
    """A correction is appended to a file, whose other lines stay; the table says who, when and why."""
    path = file_of(tmp_path, "demon-a")
    before = Path(path).read_bytes()
    assert (await here("record", "correct", path, "--void", "--why", "A try-out.", "--name", "Ann")).code == 0
    assert Path(path).read_bytes().startswith(before)
    (record,) = records(path)
    assert [(each.by, each.why, each.void) for each in record.corrections] == [("Ann", "A try-out.", True)]
    told = (await here("scores", path)).out
    assert re.search(r"demon-a: the match does not count, by Ann on \d{4}-\d\d-\d\d: A try-out\.", told)
    assert (await here("verify", path)).code == 0


@pytest.mark.long
@for_each(
    ("said", "objection"),
    usually(
        1,
        [
            (("--seat", "8", "--points", "5"), "Match {} has no seat 8: there are 1 Ada, .*"),
            (("--seat", "1", "--points", "5", "--hand", "9"), "Match {} has [1-8] hands?, and no hand 9."),
            (("--void", "--hand", "9"), "Match {} has [1-8] hands?, and no hand 9."),
        ],
    ),
)
async def test_a_correction_is_of_what_there_is(
    journal: Path, tmp_path: Path, here: Here, said: tuple[str, ...], objection: str
) -> None:
    """A seat or a hand that the match has not is refused, with those that it has; nothing is written."""
    await kept(journal)
    path = str(shutil.copytree(journal, tmp_path / "own", dirs_exist_ok=True) / "journal.sqlite")
    file = file_of(tmp_path, "demon-a")
    for source, more, name in (("1.1", ("--journal", path), "1.1"), (file, (), "demon-a")):
        before = await here("record", "export", source, *more)
        failed(await here("record", "correct", source, "--why", "x", *said, *more), objection.format(name))
        assert before == await here("record", "export", source, *more)


@for_each("said", [(), ("--seat", "1"), ("--points", "5"), ("--seat", "1", "--points", "0")])
def test_a_correction_changes_something(said: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """A correction without points for somebody is refused, if the match is to count."""
    with pytest.raises(SystemExit) as ended:
        parse(["record", "correct", "1.1", "--why", "x", *said])
    assert ended.value.code == 2
    assert "--seat N and --points N, or --void" in capsys.readouterr().err


async def test_what_is_no_record_is_not_corrected(tmp_path: Path, here: Here) -> None:
    """A text that is no record stays as it is."""
    other = tmp_path / "notes.txt"
    other.write_text("milk", encoding="utf-8")
    failed(await here("record", "correct", str(other), "--void", "--why", "x"), "Line 1: .*", 1)
    assert other.read_text(encoding="utf-8") == "milk"


@pytest.mark.long
@for_each("command", usually(1, ["record list", "scores", "record export all", "replay", "verify 1.1"]))
async def test_no_journal_has_a_sentence(here: Here, command: str) -> None:
    """Without a journal every command says where there is none, and how to get one."""
    failed(
        await here(*command.split()),
        r"There is no journal at \S+\. Hosting a table creates it\. .* name its file\.",
    )


# Standings.


@pytest.mark.long
async def test_standings_are_the_same_in_all_forms(tmp_path: Path, here: Here) -> None:
    """Table, CSV and JSON hold the same players in the same order, and the same numbers."""
    files = [file_of(tmp_path, name) for name in ("racing-demon", "shouted", "rotated")]
    rows = list(csv.DictReader((await here("scores", *files, "--csv")).out.splitlines()))
    players = json.loads((await here("scores", *files, "--json")).out)["players"]
    table = (await here("scores", *files)).out.splitlines()
    assert [{name: "" if value is None else str(value) for name, value in p.items()} for p in players] == rows
    for line, player in zip(table[1:], players, strict=False):
        assert line.startswith(player["player"][: NAME_WIDTH - 1])
        assert f"{player['wins']}/{player['matches']}" in line
        assert f"{player['races_won']}-{player['races_lost']}" in line
    assert max(map(len, table)) <= 80


async def test_scores_list_handicaps(here: Here) -> None:
    """A match with handicaps is listed with them, as text and as JSON, and its players have no rating."""
    file = str(FIXTURES / "version-4.jsonl")
    text = (await here("scores", file)).out
    assert "with handicaps, and not rated:" in text
    assert "FIX-4: Ann 1 fewer in the reserve; Ben 2 more in the reserve, -4 points a hand; Cat" in text
    told = json.loads((await here("scores", file, "--json")).out)
    assert told["handicapped"][0]["players"][0] == {"player": "Ann", "heap": -1, "delay_s": 0, "points": 0}
    assert all(player["rating"] is None for player in told["players"])


@pytest.mark.long
async def test_scores_say_how_many_casual_matches_they_left_out(tmp_path: Path, here: Here) -> None:
    """A casual match has no line; that it was there is said, beside others and alone, as text and as JSON."""
    counted, casual = file_of(tmp_path, "demon-a"), tmp_path / "casual.jsonl"
    record = recording(bytes([1] * 32), ["hard", "easy"], Options(hands=1, casual=True))
    casual.write_text("".join(f"{line}\n" for line in record_lines(record)), encoding="utf-8")
    lines = (await here("scores", counted, str(casual))).out.splitlines()
    assert "not counted: 1 casual match" in lines[lines.index("matches: 1") :]
    assert (await here("scores", str(casual))).out.splitlines() == [
        "No finished hand matches.",
        "not counted: 1 casual match",
    ]
    told = json.loads((await here("scores", counted, str(casual), "--json")).out)
    assert (told["matches"], told["casual"]) == (1, 1)
    assert "not counted" not in (await here("scores", counted)).out


async def test_what_is_not_right_is_not_counted(tmp_path: Path, here: Here) -> None:
    """A file in which points were changed is refused, also when it was counted before."""
    path = file_of(tmp_path, "racing-demon")
    assert (await here("scores", path)).code == 0
    forged = re.sub(r'"points": \[\d+', '"points": [5000', Path(path).read_text(encoding="utf-8"))
    Path(path).write_text(forged, encoding="utf-8")
    wrong = rf"{re.escape(path)} is not valid, and cannot be counted: Event \d+: the points are wrong\."
    failed(await here("scores", path), wrong)


async def test_no_hand_yet_has_a_sentence(tmp_path: Path, here: Here) -> None:
    """Where no hand was played to its end, that is said, and no table without a line is shown."""
    path = file_of(tmp_path, "demon-a")
    lines = Path(path).read_text(encoding="utf-8").splitlines(keepends=True)
    end = next(number for number, line in enumerate(lines) if '"hand_over"' in line)
    Path(path).write_text("".join(lines[:end]), encoding="utf-8")
    assert await here("scores", path) == (
        0,
        "No finished hand matches.\n",
        "",
    )


async def test_digests_are_made_once(tmp_path: Path, here: Here) -> None:
    """The second time nothing is read but the digests; a file that has changed is read anew."""
    path = file_of(tmp_path, "demon-b")
    first = await here("scores", path, "--json")
    kept_digests = tmp_path / "cache" / "racing-demon" / "digests"
    written = kept_digests.read_text(encoding="utf-8")
    told = written.replace('"name":"Ada"', '"name":"Eve"')
    kept_digests.write_text(told, encoding="utf-8")
    assert first.out.replace('"Ada"', '"Eve"') == (await here("scores", path, "--json")).out
    with open(path, "a", encoding="utf-8") as file:
        file.write("\n")
    assert first.out == (await here("scores", path, "--json")).out


@pytest.mark.long
@for_each("damage", [b"", b"x", b"\xff\xfe", b"abc [1]\n" * 3, b"\n\n"])
async def test_damaged_digests_are_made_anew(damage: bytes, tmp_path: Path, here: Here) -> None:
    """Whatever has become of the file with the digests, standings come out right."""
    path = file_of(tmp_path, "demon-b")
    first = await here("scores", path, "--json")
    kept_digests = tmp_path / "cache" / "racing-demon" / "digests"
    kept_digests.write_bytes(damage + kept_digests.read_bytes()[:100])
    assert first == await here("scores", path, "--json")


async def test_periods_groups_and_bots(tmp_path: Path, here: Here) -> None:
    """Matches of a period or a group, and lines without bots, are chosen by options."""
    path = file_of(tmp_path, "demon-a")

    async def numbers(*arguments: str) -> tuple[int, int]:
        told = json.loads((await here("scores", path, "--json", *arguments)).out)
        return told["matches"], len(told["players"])

    assert await numbers() == (1, 2)
    assert await numbers("--no-bots") == (1, 0)
    assert await numbers("--since", "1d") == (0, 0)
    assert await numbers("--until", "1d", "--names", "Zoe") == (1, 2)
    assert await numbers("--game", "demon-a") == (1, 2)
    assert await numbers("--game", "classic") == await numbers("--preset", "identical") == (0, 0)
    assert await numbers("--with-bots") == (1, 2)
    assert await numbers("--people") == (0, 0)


async def test_a_season_is_a_name_for_two_days(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: Here
) -> None:
    """A season lasts from its first day to its last; one that is not understood is told with an example."""
    monkeypatch.setenv("RACING_DEMON_CONFIG", str(tmp_path))
    path, seasons = file_of(tmp_path, "demon-a"), tmp_path / "seasons.toml"
    noon = int(dt.datetime(2026, 9, 1, 12).astimezone().timestamp() * 1_000)
    later = re.sub(r'"at_ms": (\d+)', lambda at: f'"at_ms": {noon + int(at[1])}', Path(path).read_text())
    Path(path).write_text(later)
    seasons.write_text("then = [2026-09-01, 2026-09-01]\nlater = [2026-09-02, 2199-12-31]\n")
    for season, matches in (("then", 1), ("later", 0)):
        ended = await here("scores", path, "--json", "--season", season)
        assert matches == json.loads(ended.out)["matches"]
    example = r"Write one line for each season, like: autumn = \[2026-09-01, 2026-11-30\]"
    failed(
        await here("scores", path, "--season", "soon"),
        rf"There is no season 'soon' in .*\. There are: then, later\. {example}",
    )
    for days in ("[2026-09-01]", '["2026-09-01", "2026-09-01"]', "[1788220800, 1788220800]"):
        seasons.write_text(f"then = {days}\n")
        failed(
            await here("scores", path, "--season", "then"),
            rf".*: the season 'then' has not a first and a last day, in this order\. {example}",
        )
    seasons.unlink()
    failed(await here("scores", path, "--season", "then"), rf"There are no seasons yet: .* {example}")


@pytest.mark.long
async def test_standings_as_csv_have_teams(tmp_path: Path, here: Here) -> None:
    """Teams are the last rows, named in a last column that there is only with teams."""
    path = tmp_path / "teams.jsonl"
    options = Options(teams=2, hands=1, countdown_ms=0)
    record = recording(bytes(32), ["hard", "easy", "hard", "easy"], options)
    path.write_text("\n".join(record_lines(record)), encoding="utf-8")
    rows = list(csv.DictReader((await here("scores", str(path), "--csv")).out.splitlines()))
    teams = json.loads((await here("scores", str(path), "--json")).out)["teams"]
    assert [row["team"] for row in rows[:-2]] == [""] * 4
    told = [tuple(row[name] for name in ("player", "matches", "wins", "points")) for row in rows[-2:]]
    assert told == [("", *(str(team[name]) for name in ("matches", "wins", "points"))) for team in teams]
    for row, team in zip(rows[-2:], teams, strict=True):
        assert all(player["player"] in row["team"] for player in team["players"])


async def test_a_name_is_no_formula(tmp_path: Path, here: Here) -> None:
    """In CSV a name that a spreadsheet would calculate with is marked as a text."""
    path = Path(file_of(tmp_path, "demon-a"))
    path.write_text(path.read_text(encoding="utf-8").replace('"Ada"', '"=1+1"'), encoding="utf-8")
    assert "'=1+1" in (await here("scores", str(path), "--csv")).out


# Replays.


async def test_a_replay_tells_what_was_played(tmp_path: Path, here: Here) -> None:
    """Line by line comes what was played, with the tally and the analysis of each hand."""
    ended = await here("replay", file_of(tmp_path, "racing-demon"))
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    view = final_view("racing-demon")
    by_name = {view.seats[seat].name: total for seat, total in totals(view).items()}
    for name, total in by_name.items():
        assert any(re.match(rf"{name} .* {total}( +won)?$", line) for line in lines)
    assert sum(line.startswith(("hand 1 is over", "hand 2 is over")) for line in lines) == 2
    assert sum(" buried" in line for line in lines) == 6


@pytest.mark.long
async def test_a_replay_from_anywhere(tmp_path: Path, here: Here) -> None:
    """A replay may begin at a hand, at an event or at a time, and be seen from a seat."""
    path = file_of(tmp_path, "racing-demon")
    whole = await here("replay", path)
    second = await here("replay", path, "--at", "h2")
    assert len(second.out) < len(whole.out)
    assert "hand 1 is over" not in second.out
    later = await here("replay", path, "--at", "1:00", "--seat", "Bob")
    assert "stock" in later.out.splitlines()[5] + later.out.splitlines()[6]
    own = [line for line in later.out.splitlines() if line.startswith("races: ")]
    assert len(own) == 2
    assert (await here("replay", path, "--at", "e10")).out.count("\n") > second.out.count("\n")


@for_each(
    ("arguments", "sentence", "code"),
    [
        (["--at", "h9"], "There is no h9 in this record.", 1),
        (["--at", "noon"], "'noon' is not a position: write one like h2, .*", 1),
        (["--seat", "Zoe"], "Nobody is called 'Zoe' there: ada, bob.", 1),
        (["--match", "2"], r"\S+ cannot be played back: there is no record number 2 in it.", 3),
    ],
)
async def test_a_place_that_is_none(
    arguments: list[str], sentence: str, code: int, tmp_path: Path, here: Here
) -> None:
    """What a record does not have is said, and what there is."""
    failed(await here("replay", file_of(tmp_path, "demon-a"), *arguments), sentence, code)


async def test_an_empty_file_has_no_match(tmp_path: Path, here: Here) -> None:
    """What is no record at all is not said to lack its first one."""
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    failed(await here("replay", str(empty)), r"\S+ cannot be played back: there is no match in it.")


async def test_a_replay_of_the_last_match(journal: Path, here: Here) -> None:
    """Without a name the journal's last match is played back."""
    path = await kept(journal)
    last = await here("replay", "--journal", path)
    assert last == await here("replay", "2.1", "--journal", path)
    assert "the match is over" in last.out


@pytest.mark.long
async def test_a_replay_alone_is_of_the_last_match_hosted_or_practised(tmp_path: Path, here: Here) -> None:
    """Whoever has practised and hosted in turn, or beside another, need not know which journal has it."""
    data = tmp_path / "data"
    data.mkdir()
    hosts, practice, beside = (data / f"{name}.sqlite" for name in ("journal", "practice", "practice-2"))
    for number, journal in enumerate((practice, hosts, beside)):
        await keep_match(journal, number)
        assert await here("replay") == await here("replay", "1.1", "--journal", str(journal))
    practice.write_bytes(b"no journal")
    failed(await here("replay"), rf"{practice} is no journal of Racing Demon\. .*")


def without_a_table(lines: list[str]) -> list[str]:
    """Leave the snapshot out."""
    return [lines[0], *lines[2:]]


def of_tomorrow(lines: list[str]) -> list[str]:
    """Let a newer version have written it."""
    return [lines[0].replace(f'"version": {USUAL_VERSION}', f'"version": {VERSION + 1}'), *lines[1:]]


def with_a_gap(lines: list[str]) -> list[str]:
    """Leave an event out."""
    return [*lines[:60], *lines[61:]]


def of_nothing(lines: list[str]) -> list[str]:
    """Leave everything out."""
    return []


@pytest.mark.long
@for_each("forge", [without_a_table, with_a_gap])
async def test_missing_events_hide_nothing_that_is_whole(
    forge: Callable[[list[str]], list[str]], tmp_path: Path, here: Here
) -> None:
    """What comes before them, and the next table, is read; the rest is named, and no text hides a record."""
    path, picture = tmp_path / "match.jsonl", tmp_path / "cards.png"
    picture.write_bytes(b"\x89PNG\r\n\xff")
    whole = list(record_lines(recording_of("demon-a")))
    forged = forge(list(record_lines(recording_of("racing-demon"))))
    path.write_text("\n".join([*forged, *whole]), encoding="utf-8")
    for command in (("scores", str(picture)), ("replay", "--plain"), ("record", "export", str(picture))):
        ended = await here(*command, str(path))
        assert (ended.code, "is damaged. Event" in ended.err) == (0, True), (command, ended.err)
        assert ("cards.png cannot be read" in ended.err) == (str(picture) in command)
    assert [each.header is not None for each in records_of(ended.out)] == [True] * (1 + (forge is with_a_gap))
    assert (await here("verify", str(path))).code == 1


@for_each("forge", [of_tomorrow, of_nothing])
@for_each("command", ["replay", "scores", "record export"])
async def test_a_record_that_cannot_be_used_has_a_sentence(
    command: str, forge: Callable[[list[str]], list[str]], tmp_path: Path, here: Here
) -> None:
    """Whatever is wrong with a file: one sentence that names it, and no traceback."""
    path = tmp_path / "match.jsonl"
    path.write_text("\n".join(forge(list(record_lines(recording_of("demon-a"))))), encoding="utf-8")
    ended = await here(*command.split(), str(path))
    if forge is of_nothing and command == "scores":
        assert (ended.code, ended.err) == (0, "")
        return
    assert (ended.code, len(ended.err.splitlines())) == (3, 1)
    assert ended.err.startswith("racing-demon: ")
