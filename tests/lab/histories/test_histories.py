"""Real histories of clients who fight for the same places while their lines are cut; and false ones."""

import asyncio
import contextlib
import os
import random
import sys
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.options import Options
from racing_demon_server.enums import Durability
from racing_demon_server.journal.reader import log_of, options_of
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.journal.writer import DurableJournal
from tests.lab.histories.arrival_order import check_arrivals, sent_and_answered
from tests.lab.histories.checker import check
from tests.lab.histories.client_log import ClientLog, Told, WrongHistory
from tests.lab.histories.mutations import MUTATIONS, with_unknown_outcome
from tests.lab.histories.recording_client import Contest, table_of_recorders
from tests.support.effort import amount, more_when_long
from tests.support.servers import PATIENCE, serving, serving_with, timeout

PLAYS: Final = amount(200, 800, "RACING_DEMON_PLAYS")
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "1"))
MUTANTS: Final = int(os.environ.get("RACING_DEMON_MUTANTS", "12"))
"""Of each kind."""
HANDS: Final = 3
FAULTS: Final = 0.02
"""How often a client's line is cut in a round."""

FAST: Final[dict[str, Any]] = {
    "commands_per_second": 1e6,
    "command_burst": 1e6,
    "frames_per_second": 1e6,
    "frame_burst": 1e6,
    "units_per_connection": 1e6,
}
CROWDED: Final = Options(
    game="classic",
    columns=9,
    turn=1,
    reserve=30,
    countdown_ms=0,
    tally_ms=600_000,
    hands=100,
    pause_after_ms=None,
)
"""Many cards at hand at a time, so that many are wanted for the same place."""
AGAINST_TIME: Final = CROWDED.model_copy(update={"time_limit_ms": 1_000})


async def play(
    seed: int, players: int, hands: int, options: Options = CROWDED
) -> tuple[list[ClientLog], Contest]:
    """Play some hands and a part of one, and return what the players tell."""
    rng = random.Random(seed)
    async with serving(seed=seed.to_bytes(32, "big"), kept_events=60, **FAST) as served:
        async with table_of_recorders(served.url, players, options) as recorders:
            contest = Contest(recorders, rng, FAULTS)
            for hand in range(1, hands + 1):
                await contest.play(hand, rounds=400)
            await contest.play(hands + 1, rounds=10)
            await contest.leave_in_doubt()
            return [recorder.client_log for recorder in recorders], contest


async def play_against_bots(seed: int, path: Path) -> tuple[list[ClientLog], int]:
    """Let some play against quick bots until the time is up, and return what they tell; check the order."""
    rng = random.Random(seed)
    journal = DurableJournal(SqliteStore(path, Durability.NORMAL))
    own_seed = seed.to_bytes(32, "big")
    try:
        async with serving_with(journal, seed=own_seed, bot_speed=150.0, **FAST) as served:
            async with table_of_recorders(served.url, 4, AGAINST_TIME) as recorders:
                host = recorders[0]
                for _ in range(3):
                    await host.say(cl.AddBot(counter=host.client.next_counter(), level="hard"))
                contest = Contest(recorders, rng, FAULTS)
                for hand in range(1, HANDS + 1):
                    await contest.play(hand, rounds=400)
                await host.until_phase(Phase.TALLY, hand=HANDS)
                code = host.client.code
                await timeout(PATIENCE, journal.drained())
                client_logs = [recorder.client_log for recorder in recorders]
    finally:
        await asyncio.to_thread(journal.close)
    with contextlib.closing(open_journal(path)) as db:
        (table,) = [table for table in db.tables() if table.code == code]
        check_arrivals(options_of(table), log_of(db, table.id), Told(client_logs).calls, sent_and_answered)
    return client_logs, contest.contended


@pytest.mark.long
async def test_bots_and_clocks_overtake_nobody(tmp_path: Path) -> None:
    """Whatever was read before a bot's hand arrived, or the time was up, was judged before that."""
    contended = beaten = 0
    for seed in range(SEED, SEED + max(2, PLAYS // 2_000)):
        client_logs, plays = await play_against_bots(seed, tmp_path / f"{seed}.db")
        beaten += check(client_logs).beaten
        contended += plays
    sys.stdout.write(f"\n{contended} contended plays against bots and time: {beaten} beaten\n")
    assert beaten > 0


@more_when_long
async def test_what_eight_clients_tell_is_true() -> None:
    """All orders are legal and agree with real time, each place was won once, nobody was refused wrongly."""
    contended = events = commands = beaten = unanswered = cuts = 0
    seed = SEED
    while contended < PLAYS:
        client_logs, contest = await play(seed, 8, HANDS)
        findings = check(client_logs)
        contended += contest.contended
        cuts += contest.cuts
        events += findings.events
        commands += findings.commands
        beaten += findings.beaten
        unanswered += findings.unanswered
        seed += 1
    sys.stdout.write(
        f"\n{contended} contended plays of {commands} commands, seeds {SEED} to {seed - 1}: "
        f"{beaten} beaten, {unanswered} never answered, {events} events, {cuts} cuts\n"
    )
    assert beaten > PLAYS // 10
    assert cuts > 0


@pytest.fixture(scope="module")
def histories() -> list[list[ClientLog]]:
    """Small histories to be made wrong."""
    small = CROWDED.model_copy(update={"reserve": 8, "columns": 4, "turn": 3})
    return [asyncio.run(play(seed, 4, 1, small))[0] for seed in (101, 102, 103)]


@pytest.mark.long
def test_a_play_without_an_answer_may_have_happened(histories: list[list[ClientLog]]) -> None:
    """A client that dies with a play on its way does not make the history wrong."""
    for number, client_logs in enumerate(histories):
        check(client_logs)
        check(with_unknown_outcome(client_logs, random.Random(number))[0])


@pytest.mark.long
@pytest.mark.timeout(900)
def test_no_false_history_is_believed(histories: list[list[ClientLog]]) -> None:
    """Every history that was made wrong is found to be."""
    believed = []
    for mutation, seed in product(MUTATIONS, range(MUTANTS)):
        client_logs = mutation(histories[seed % len(histories)], random.Random(seed))
        with contextlib.suppress(WrongHistory):
            check(client_logs)
            believed.append((mutation.__name__, seed))
    assert believed == []
