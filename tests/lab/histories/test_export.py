"""What was told of lost races, in the export of a match."""

import contextlib
import random
from pathlib import Path

import pytest

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.records.format import read_records
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.matches import export, matches
from racing_demon_server.journal.sqlite.database import open_journal
from tests.lab.histories.client_log import ClientLog, Heard
from tests.lab.histories.recording_client import Contest, table_of_recorders
from tests.support.journals import journaled


def beaten(client_log: ClientLog) -> list[tuple[int, int, Refused]]:
    """Return what a seat was told whenever its card came too late, with the event heard before."""
    told, seq = [], 0
    for message in [entry.message for entry in client_log.entries if isinstance(entry, Heard)]:
        if isinstance(message, ev.Event):
            seq = message.seq
        elif isinstance(message, Refused) and message.reason is Reason.BEATEN:
            told.append((seq, client_log.seat, message))
    return told


@pytest.mark.long
async def test_an_export_tells_who_was_beaten(tmp_path: Path) -> None:
    """Each refusal stands as it was told, behind the event that its player had heard last."""
    path = tmp_path / "journal.sqlite"
    options = Options(game="classic", columns=9, turn=1, reserve=30, countdown_ms=0)
    async with journaled(path, seed=bytes(32), command_burst=1e6, commands_per_second=1e6) as served:
        async with table_of_recorders(served.url, 4, options) as recorders:
            await Contest(recorders, random.Random(1), faults=0).play(1, rounds=40)
            told = [each for recorder in recorders for each in beaten(recorder.client_log)]
    with contextlib.closing(open_journal(path)) as db:
        lines = [line for match in matches(db) for line in export(db, match)]
    (record,) = read_records(lines)
    kept, seq = [], 0
    for entry in record.entries:
        if isinstance(entry.message, ev.Event):
            seq = entry.message.seq
        elif isinstance(entry.message, Refused):
            kept.append((seq, entry.seat, entry.message))
    assert told
    assert sorted(told, key=str) == sorted(kept, key=str)
