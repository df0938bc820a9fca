"""A client in JavaScript, written from the wire's document, ``schema.json`` and ``games.json`` alone."""

import asyncio
import json
import os
import re
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.servers import PATIENCE, serving, timeout

pytestmark = pytest.mark.long

HANDS: Final = int(os.environ.get("RACING_DEMON_HANDS", "2"))
GAMES: Final = int(os.environ.get("RACING_DEMON_GAMES", "4"))
CLIENT: Final = Path(__file__).parent / "client"
WIDE: Final[dict[str, Any]] = {
    "bot_speed": 100.0,
    **dict.fromkeys(("commands_per_second", "command_burst", "frames_per_second", "frame_burst"), 1e6),
    **dict.fromkeys(("units_per_connection", "units_per_address", "units_per_table"), 1e6),
}
"""A server's settings for somebody who plays, and guesses, faster than people do."""

RACES: Final[tuple[tuple[str, dict[str, Any]], ...]] = (("racing-demon", {}), ("classic", {"shuffle": True}))
OTHERS: Final = (
    *(
        "old-stager",
        "paternal",
        "sympathy-alone",
        "demon-b-first",
    ),  # a laying that goes on by itself, shuffles, two packs, once
    *(
        "demon-a",
        "demon-b",
        "fooliana-reorder",
        "demon-a-first",
        "triangle",
        "sultan",
        "windmill",
        "st-helena",
    ),
    *(
        "nivernaise",
        "corners",
        "flower-garden",
        "fourteen",
        "little-lots",
        "push-pin",
        "travellers",
        "weavers",
    ),
    *("a-spell", "lady-of-the-manor"),
)
"""Games of all kinds of deals, and of moves."""
NOBODYS_FAULT: Final = {"beaten", "hand_over", "not_now"}
"""Why commands may be refused that were right on the table that their player saw."""


async def evening(*plan: dict[str, Any]) -> list[dict[str, Any]]:
    """Let the client play what a plan says, and return what it tells of each of its games."""
    async with serving(**WIDE) as served:
        told = json.dumps(plan)
        arguments = ("node", str(CLIENT / "main.js"), served.url, told)
        process = await asyncio.create_subprocess_exec(*arguments, stdout=asyncio.subprocess.PIPE)
        try:
            written, _ = await timeout(PATIENCE * max(1, HANDS), process.communicate())
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert process.returncode == 0
        return [json.loads(line) for line in written.decode().splitlines()]


async def test_a_stranger_plays_the_races() -> None:
    """By the document all plays are legal, the table is the server's, and each hand proves itself."""
    plan = [
        {"game": game, "hands": HANDS, "bots": 3, "level": "hard", "options": {"hands": HANDS, **options}}
        | {"cutEvery": 20, "guesses": False, "pace": 4}
        for game, options in RACES
    ]
    for told in await evening(*plan):
        assert HANDS == told["hands"] == told["contributions"], told
        assert told["refused"].keys() <= NOBODYS_FAULT, told
        assert told["own"] > 0 < told["cuts"], told
        assert told["compared"] > 0, told
        assert told["cards"] > 100 * HANDS, told


async def test_a_stranger_deals_every_hand_again() -> None:
    """Of games that nothing is known of but their piles and deals, all cards shown are those of the seed."""
    plan = [
        {"game": game, "hands": 1, "bots": number % 2, "level": "easy", "options": {"time_limit_ms": 3_000}}
        | {"cutEvery": 0, "guesses": True, "pace": 0}
        for number, game in enumerate(OTHERS[:GAMES])
    ]
    for told in await evening(*plan):
        assert 1 == told["hands"] == told["contributions"], told
        assert told["cards"] > 0 < told["moves"], told


async def test_a_stranger_follows_who_comes_late_and_comes_back() -> None:
    """By the document they start at the lowest total, return to their seat, and the last hand is the last."""
    (told,) = await evening({"comings": True, "game": "classic", "options": {"time_limit_ms": 3_000}})
    assert (told["hands"], told["seats"]) == (2, [2, 2, 2])
    assert told["starts"] == [[2, -26]], "who has played nothing keeps two for each of thirteen cards"
    assert [seat for seat, _ in told["totals"]] == [0, 1, 2]


def test_the_stranger_knows_the_documents_alone() -> None:
    """The client imports nothing but Node's own and itself, and reads two files: the schema and the games."""
    sources = [path.read_text(encoding="utf-8") for path in CLIENT.glob("*.js")]
    imported = {name for source in sources for name in re.findall(r'from "([^"]+)"', source)}
    own = {f"./{path.name}" for path in CLIENT.glob("*.js")}
    assert [name for name in imported - own if not name.startswith("node:")] == []
    named = {name for source in sources for name in re.findall(r'"([^"]+\.\w+)"', source)} - own
    assert {"schema.json", "games.json"} == named
    assert not json.loads((CLIENT / "package.json").read_text(encoding="utf-8")).get("dependencies")
