"""Each alert of ``deploy/monitoring``, on what real servers export in its fault, and silence without one."""

import asyncio
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.request import urlopen

import pytest
import yaml  # type: ignore[import-untyped]
from prometheus_client.parser import text_string_to_metric_families

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_server.journal.sqlite.backup_time import note_backup
from racing_demon_server.journal.sqlite.database import players_of
from racing_demon_server.journal.sqlite.store import SqliteStore
from tests.support.brokers import Broker
from tests.support.builds import pure
from tests.support.deployed import DEPLOY
from tests.support.ports import free_port
from tests.support.processes import server_process
from tests.support.receivers import SECRET, Receiver
from tests.support.servers import PATIENCE, Peer, deadline
from tests.support.whole_servers import whole_server

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool comes with the package prometheus"),
    pytest.mark.skipif(sys.platform != "linux", reason="changes the limits of programs that run"),
]

STEP: Final = 15
"""Seconds between two values of a series."""
HELD: Final = 4
"""How long each export stays, in steps, before the next one: a minute."""
LAST: Final = 80
"""The last one stays for twenty minutes, in which its counters go on as they went."""
LOOK: Final = 12
"""When the alerts are looked at: minutes after the last export began."""
OF_THE_MACHINE: Final = {"LoopSlow", "JournalSlow"}
"""Alerts that other programs on this machine may bring about."""
DAY: Final = 86_400


def exported(url: str) -> str:
    """Return what a server exports."""
    with urlopen(url.replace("ws:", "http:").removesuffix("v1") + "metrics", timeout=PATIENCE) as answer:  # noqa: S310 - our own server
        return str(answer.read().decode())


def samples(text: str) -> Iterator[tuple[str, bool, float]]:
    """Yield each sample of an export as promtool writes it: its series, whether it only rises, its value."""
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = {**sample.labels, "job": "racing-demon", "instance": "a"}
            named = ", ".join(f'{name}="{value}"' for name, value in labels.items())
            yield f"{sample.name}{{{named}}}", family.type in {"counter", "histogram"}, sample.value


def series_of(exports: Sequence[str]) -> list[dict[str, str]]:
    """Return the input of a test: an export after the other, and the last for longer."""
    found = [{series: (rises, value) for series, rises, value in samples(text)} for text in exports]
    lines = []
    for series in sorted({series for each in found for series in each}):
        parts = [f"{each[series][1]:f}x{HELD - 1}" if series in each else f"_x{HELD}" for each in found[:-1]]
        rises, value = found[-1].get(series, (False, 0.0))
        before = found[-2].get(series, (False, 0.0))[1] if len(found) > 1 else value
        rise = max(0.0, value - before) if rises else 0.0
        parts.append(f"{value:f}+{rise:f}x{LAST}" if series in found[-1] else f"_x{LAST}")
        lines.append({"series": series, "values": " ".join(parts)})
    return lines


def firing(folder: Path, *exports: str, up: int = 1) -> set[str]:
    """Return the alerts that fire in the end: promtool says what it got where something else was expected."""
    began = (len(exports) - 1) * HELD * STEP // 60
    is_up = {"series": 'up{job="racing-demon", instance="a"}', "values": f"1x{HELD} {up}x{LAST}"}
    test = {
        "interval": f"{STEP}s",
        "input_series": [*series_of(exports), is_up],
        "promql_expr_test": [
            {
                "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
                "eval_time": f"{began + LOOK}m",
                "exp_samples": [{"labels": '{alertname="none"}', "value": 1}],
            }
        ],
    }
    rules = str(DEPLOY / "monitoring" / "alerts.yaml")
    file = folder / "alerts_test.yaml"
    file.write_text(yaml.safe_dump({"rule_files": [rules], "evaluation_interval": "15s", "tests": [test]}))
    ended = subprocess.run(  # noqa: S603 - our own files
        ["promtool", "test", "rules", str(file)],  # noqa: S607
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    said = ended.stdout + ended.stderr
    assert "got:" in said, said
    got = said.partition("got:")[2]
    return {part.partition('"')[0].removeprefix("RacingDemon") for part in got.split('alertname="')[1:]}


async def export(url: str, fits: Callable[[Mapping[str, float]], bool] = bool) -> str:
    """Return what a server exports, once a condition holds for it. The server makes it once a second."""
    text = ""
    async with deadline(lambda: text):
        while True:
            text = await asyncio.to_thread(exported, url)
            found = {
                series.replace('job="racing-demon", instance="a"', ""): value
                for series, _, value in samples(text)
            }
            if fits(found):
                return text
            await asyncio.sleep(0.2)


def number(name: str, more_than: float = 0.0) -> Callable[[Mapping[str, float]], bool]:
    """Return the condition that a metric without labels is greater than a number."""
    return lambda found: found.get(f"racing_demon_{name}{{}}", 0.0) > more_than


async def test_all_is_silent_without_a_fault(tmp_path: Path) -> None:
    """A server with journal, broker, receiver and a fresh backup, at which people play."""
    journal, secret = tmp_path / "journal.sqlite", tmp_path / "secret"
    secret.write_text(SECRET)
    note_backup(journal, time.time())
    async with Broker.running(tmp_path) as broker, Receiver.running() as receiver:
        hook = ("--webhook", receiver.url, "--webhook-secret", str(secret))
        line = ("--journal", str(journal), "--mqtt", broker.url, "--node", "home", *hook)
        async with server_process(*line) as (_, url), Peer.hosting(url) as ann:
            before = await export(url, number("broker_connected"))
            assert "racing_demon_webhook_well 1.0" in before
            await ann.ask(cl.AddBot)
            await ann.ask(cl.Start)
            await receiver.until(lambda: receiver.taken)
            after = await export(url, lambda found: found['racing_demon_tables{phase="lobby", }'] == 0)
    assert firing(tmp_path, before, after) - OF_THE_MACHINE == set()


async def test_a_server_that_is_gone(tmp_path: Path) -> None:
    """It cannot be asked."""
    async with server_process() as (server, url):
        before = await export(url)
        server.stop()
        await server.end()
        with pytest.raises(URLError):
            exported(url)
    assert firing(tmp_path, before, up=0) == {"Down"}


async def test_a_disk_that_takes_nothing(tmp_path: Path) -> None:
    """Tables are halted."""
    journal = str(tmp_path / "journal.sqlite")
    async with server_process("--journal", journal) as (server, url), Peer.hosting(url) as ann:
        before = await export(url)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (0, 0))
        await ann.say(ann.next(cl.AddBot))
        after = await export(url, number("journal_errors_total"))
    assert firing(tmp_path, before, after) - OF_THE_MACHINE == {"Halted"}


async def test_what_a_server_goes_on_without(tmp_path: Path) -> None:
    """Its file of players is damaged, the broker is away, the receiver is away, the last backup is old."""
    journal, secret = tmp_path / "journal.sqlite", tmp_path / "secret"
    secret.write_text(SECRET)
    players_of(journal).write_text("no database at all, but longer than its header" * 99)
    async with server_process("--journal", str(journal)) as (_, url):
        degraded = await export(url)
    away = f"127.0.0.1:{free_port()}"
    async with server_process("--mqtt", f"mqtt://{away}", "--node", "home") as (_, url):
        brokerless = await export(url)
    hook = ("--webhook", f"http://{away}/hush", "--webhook-secret", str(secret))
    async with server_process(*hook) as (_, url), Peer.hosting(url) as ann:
        await ann.ask(cl.AddBot)
        await ann.ask(cl.Start)
        unheard = await export(url, lambda found: found["racing_demon_webhook_well{}"] == 0)
    kept = tmp_path / "kept.sqlite"
    note_backup(kept, time.time() - 3 * DAY)
    async with server_process("--journal", str(kept)) as (_, url):
        old = await export(url, number("backup_age_seconds", DAY))
    assert [firing(tmp_path, text) for text in (degraded, brokerless, unheard, old)] == [
        {"Degraded"},
        {"BrokerLost"},
        {"WebhookLost"},
        {"BackupOld"},
    ]


async def test_a_server_that_is_nearly_full(tmp_path: Path) -> None:
    """Tables, bots, connections or files: whatever is at its limit first."""
    found = []
    for limit in ("max_tables=1", "max_bots=1", "max_connections=1"):
        async with server_process(f"--limit={limit}") as (_, url), Peer.hosting(url) as ann:
            await ann.ask(cl.AddBot)
            found.append(await export(url))
    async with server_process() as (server, url):
        used = len(os.listdir(f"/proc/{server.pid}/fd"))
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (used + 2, used + 2))
        found.append(await export(url))
    assert [firing(tmp_path, text) for text in found] == [{"Full"}] * 4


async def test_a_server_that_starts_again_and_again(tmp_path: Path) -> None:
    """Each start has a time of its own; a single restart is nothing."""
    starts = []
    for _ in range(4):
        async with server_process() as (_, url):
            starts.append(await export(url))
    assert firing(tmp_path, *starts) - OF_THE_MACHINE == {"Restarting"}
    assert firing(tmp_path, *starts[2:]) - OF_THE_MACHINE == set()


async def test_a_server_that_is_flooded(tmp_path: Path) -> None:
    """Somebody sends what no client sends."""
    async with server_process() as (_, url):
        before = await export(url)
        for _ in range(30):
            async with Peer.connect(url) as stranger:
                await stranger.greet()
                await stranger.send(b"\xff\xff")
                await stranger.closed()
        cuts = 'racing_demon_cuts_total{why="bad_frame", }'
        after = await export(url, lambda found: found.get(cuts, 0) >= 30)
    assert firing(tmp_path, before, after) - OF_THE_MACHINE == {"Abuse"}


@pure("replaces a method")
async def test_a_disk_and_a_loop_that_are_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plays wait 60 ms for the disk; something keeps the loop for as long."""
    commit = SqliteStore.commit

    def late(self: SqliteStore, changes: Any) -> None:
        time.sleep(0.06)
        commit(self, changes)

    with monkeypatch.context() as planting:
        planting.setattr(SqliteStore, "commit", late)
        async with whole_server(tmp_path / "journal.sqlite") as (_, url), Peer.hosting(url) as ann:
            before = await export(url)
            for _ in range(3):
                await ann.ask(cl.Say, text="Hello")
            after = await export(url, number("journal_seconds_count", 4))
    assert "JournalSlow" in firing(tmp_path, before, after)

    async def hog() -> None:
        while True:
            time.sleep(0.06)  # noqa: ASYNC251 - that is the fault
            await asyncio.sleep(0)

    async with whole_server() as (_, url):
        before = await export(url)
        hogging = asyncio.create_task(hog())
        after = await export(url, number("loop_lag_seconds_count", 8))
        hogging.cancel()
    assert "LoopSlow" in firing(tmp_path, before, after)
