"""A power cut: of a log that is not whole, what comes back is a beginning that holds all that was told."""

import os
import random
import sys
from pathlib import Path
from typing import Final

from racing_demon_protocol.wire.codec import pack
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Event
from tests.lab.torn.power_cuts import Recording, fast_folder, recovered, remove, tear
from tests.support.effort import amount, more_when_long
from tests.support.journals import journaled
from tests.support.servers import Peer, deadline

IMAGES: Final = amount(60, 300, "RACING_DEMON_IMAGES")
EVENTS: Final = 120
"""So many are told before the power fails."""
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "1"))


async def record(folder: Path) -> tuple[Recording, list[bytes]]:
    """Let bots play for a while; return the journal, and the events that were told."""
    path = folder / "journal.sqlite"
    told: list[bytes] = []
    async with journaled(path, bot_speed=100.0, seed=bytes(32)) as served:
        async with Peer.hosting(served.url, seated=False, hands=1) as host:
            for _ in range(2):
                await host.say(host.next(cl.AddBot, level="hard"))
            await host.say(host.next(cl.Start))
            async with deadline(lambda: f"{len(told)} events"):
                while len(told) < EVENTS:
                    told.append(pack(await host.until(Event)))
            log = path.with_name("journal.sqlite-wal").read_bytes()
            return Recording.of(path.read_bytes(), log, folder / "images"), told


@more_when_long
async def test_what_was_told_survives_a_power_cut(tmp_path: Path) -> None:
    """Cut, zeroed, filled with garbage or with other sectors behind what was synced: nothing told is lost."""
    (tmp_path / "images").mkdir()
    recording, told = await record(tmp_path)
    whole = recovered(tmp_path / "images", recording, recording.log) or []
    assert told == whole[: len(told)]
    assert recording.instants[-1].told == len(whole)
    rng, folder = random.Random(SEED), fast_folder(tmp_path / "images")
    lost = otherwise = shorter = 0
    try:
        for _ in range(IMAGES):
            log, safe = tear(recording, rng)
            frames = recovered(folder, recording, log) or []
            lost += len(frames) < safe.told
            shorter += len(frames) < len(whole)
            otherwise += frames != whole[: len(frames)]
    finally:
        remove(folder)
    sys.stdout.write(
        f"\n{IMAGES} images, seed {SEED}: {lost} lost something told, {otherwise} were no beginning, "
        f"{shorter} lost something that nobody had been told\n"
    )
    assert (lost, otherwise) == (0, 0)
    assert shorter > IMAGES / 4
