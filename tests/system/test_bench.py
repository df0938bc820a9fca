"""The benchmark of the server measures all that it says; how quick anything is, no test asks."""

import asyncio
import json
import os
import shutil
import signal
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest
from benchmarks.yardsticks.beside_colyseus import DEFAULT, FASTEST, rooms
from benchmarks.yardsticks.colyseus_room import NotThere
from benchmarks.yardsticks.fairness import MATTERS, Dealt, after_stall
from benchmarks.yardsticks.fanout import encodings
from benchmarks.yardsticks.isolation import Signalled, added_by
from benchmarks.yardsticks.loading import Load, ours, program
from benchmarks.yardsticks.memory import log_bytes
from benchmarks.yardsticks.racing import Track, p_value, track_of_ours, track_of_relay
from benchmarks.yardsticks.script import Recorder, rounds, singles
from benchmarks.yardsticks.sizes import sizes
from benchmarks.yardsticks.throughput import contestants
from benchmarks.yardsticks.whole import disk_folder

ROOT = Path(__file__).parents[2]
MOST_BYTES = 98 * 1_024
"""A fifth more than a table took with the events of a hand when this was written."""

needs_load = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="the load is compiled, and made for Linux"
)


async def run(*arguments: str) -> str:
    """Run the benchmark, and return what it prints."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(ROOT / "benchmarks" / "server.py"), *arguments), stdout=pipe, stderr=pipe
    )
    try:
        async with asyncio.timeout(150):
            output, complaints = await process.communicate()
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
    assert process.returncode == 0, complaints.decode()
    return output.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="journals are measured on POSIX systems")
def test_journals_need_no_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the user has no folder, the journals of a benchmark are on another disk."""
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))

    with disk_folder() as folder:
        assert Path(folder).is_dir()


@needs_load
@pytest.mark.parametrize(
    "name", [pytest.param("R1, the floor", marks=pytest.mark.long), "ours, uvloop, durability full"]
)
def test_a_load_measures_a_relay_and_ours(name: str) -> None:
    """Plays by script go through sockets to a server of its own; all that is to be measured is."""
    contestant = next(each for each in contestants() if each.name == name)

    measured = contestant.run(1, Load(steps=rounds(), seconds=0.3, warm_up=0.1, phases=2))

    assert measured.plays > 0
    assert measured.server_us > measured.delivery_us > 0
    assert 0 < measured.p50 <= measured.p99 <= measured.p999 <= measured.most
    assert measured.load_busy > 0
    assert len(measured.phases) == 2


@pytest.mark.long
@needs_load
@pytest.mark.skipif(shutil.which("npm") is None, reason="Colyseus runs on Node, and comes by npm")
@pytest.mark.parametrize("title", [DEFAULT, FASTEST])
def test_colyseus_has_the_same_load(title: str) -> None:
    """Its clients see each play once, whether they are told of each or of many together."""
    try:
        room = next(each for each in rooms() if each.name == title)
    except NotThere as error:
        pytest.skip(str(error))

    measured = room.run(1, Load(steps=rounds(), seconds=0.3, warm_up=0.2))

    assert measured.plays > 0
    assert measured.p50 > 0


async def test_the_table_and_the_numbers_have_the_same_rows(tmp_path: Path) -> None:
    """What is printed for people is written for machines, with the machine and the commit."""
    file = tmp_path / "numbers.json"

    output = await run("--only", "sizes", "--json", str(file))

    numbers = json.loads(file.read_text(encoding="utf-8"))
    assert numbers["surroundings"] in output
    assert len(numbers["rows"]) == 4
    for row in numbers["rows"]:
        assert row["name"] in output
        assert row["low"] <= row["median"] <= row["high"]


@pytest.mark.long
@needs_load
def test_who_was_first_is_known_at_a_relay_and_at_ours() -> None:
    """At plays 50 ms apart the earlier one is first on both; a busy connection passes nobody on ours."""
    relay, _, own, *_ = contestants()
    with program(*relay.command) as server, track_of_relay(server) as track:
        assert_the_earlier_is_first(track)
    with program(*own.command) as server:
        with track_of_ours(server) as track:
            assert_the_earlier_is_first(track)
            assert {place.number for place in track.places[2]} == set(range(8))
            assert [place.number for place in track.places[2]] != [place.seat for place in track.places[2]]
            assert [place.age for place in track.places[1]] != [place.number for place in track.places[1]]
        table = Dealt(own.enter(server.url, 1))
        assert after_stall(server, table, 5, 4) == 0
        for taken in table.sockets:
            taken.close()


def assert_the_earlier_is_first(track: Track) -> None:
    """Run some races."""
    races = track.run(50_000, 4, 60, 0)
    assert races.won == races.of
    races = track.run(0, 40, 60, 0)
    assert 0 < races.of <= 40
    for matter in MATTERS.values():
        assert 0 < p_value([*races.pairs(track.places, matter).values()]) <= 1


def test_an_event_is_encoded_once_for_each_kind() -> None:
    """It does not matter how many listen, players and spectators: msgpack once, JSON once."""
    assert encodings(2, 2) == encodings(30, 2) == 2


def test_a_table_and_its_log_do_not_grow_unnoticed() -> None:
    """Its objects take no more than they did, with the events of a hand; connections are not counted."""
    assert log_bytes(300) <= MOST_BYTES


@pytest.mark.long
@needs_load
def test_what_happens_elsewhere_has_phases_of_its_own() -> None:
    """The load tells the phases apart, and something happens in every second one of them."""
    with program(*ours(durability="normal")) as server:
        os.kill(server.pid, signal.SIGUSR2)
        disturbances: dict[str, AbstractContextManager[object]] = {
            "nothing": nullcontext(),
            "checkpoints": Signalled(server, signal.SIGUSR2),
            "collections": Signalled(server, signal.SIGUSR1),
        }
        added, base = added_by(server, disturbances, 2, 0.1)
    assert {name: len(values) for name, values in added.items()} == dict.fromkeys(disturbances, 2)
    assert len(base) == 6
    assert float(server.last_words) >= 0


def test_a_bias_that_is_chance_has_a_large_p() -> None:
    """Even pairs are likely, lopsided ones are not; who was sent first more often does not matter."""
    assert p_value([((80, 100), (800, 1_000))] * 20) > 0.99
    assert p_value([((52, 100), (47, 100)), ((55, 100), (49, 100))]) > 0.5
    assert p_value([((80, 100), (50, 100))] * 20) < 1e-6
    assert p_value([((100, 100), (1_000, 1_000))] * 20) == 1


def test_bytes_and_calls_do_not_grow_unnoticed() -> None:
    """Over a whole hand, plays, events, snapshots and the way of a play stay as small as they were."""
    found = sizes(rounds())

    assert [row.verdict for row in found if "MISSED" in row.verdict] == []
    assert len(found) == 4


def test_plays_of_a_round_may_arrive_in_any_order() -> None:
    """Backwards, too, every play of the script is legal and leads to as many events."""
    recorder, script = Recorder(), rounds()

    for step in script:
        events = [event for written in reversed(step.plays) for event in recorder.carry_out(written)]
        assert len(events) == step.frames

    assert len(script) > 40
    assert sum(step.frames for step in singles(script)) == sum(step.frames for step in script)
