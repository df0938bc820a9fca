"""The programs as users start them: a match of bots, its record, and the README's own player."""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.effort import amount, more_when_long, usually

HANDS = amount(1, 3)
BOTS = amount(2, 8)
NO_SUITS = usually(1, [([], {"LC_ALL": "C"}), ([], {"PYTHONIOENCODING": "latin-1"}), (["--ascii"], {})])


async def racing_demon(*arguments: str, stdin: bytes = b"", **surroundings: str) -> tuple[int, str, str]:
    """Run the players' program without a terminal; return exit code, output and complaints."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "racing_demon_client", *arguments),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env={**os.environ, **surroundings},
    )
    async with asyncio.timeout(120):
        output, complaints = await process.communicate(stdin)
    assert process.returncode is not None
    return process.returncode, output.decode(), complaints.decode()


async def test_without_a_terminal_bots_play_a_match_to_its_end() -> None:
    """`play` without a terminal plays a match of bots, prints its tally, and ends with 0."""
    code, output, complaints = await racing_demon("play", "--bots", "2", "--hands", "2", "--speed", "300")

    assert (code, complaints) == (0, "")
    assert re.search(r"^hand +1 +2   total\n.* won\n", output, re.MULTILINE)


@more_when_long
async def test_a_recorded_match_adds_up_and_verifies() -> None:
    """Bots play some hands: scores are 0 to 51 or 62 and add up to the cards; the record holds."""
    played = [
        "play",
        "--watch",
        "--plain",
        "--bots",
        str(BOTS),
        "--hands",
        str(HANDS),
        "--speed",
        "300",
        "--json",
    ]
    code, record, complaints = await racing_demon(*played)
    lines = [json.loads(line) for line in record.splitlines()]
    tally = lines[-1]

    assert (code, complaints, tally["message"], len(tally["hands"])) == (0, "", "tally", HANDS)
    up = 0
    hands = iter(tally["hands"])
    for line in lines:
        up += line["message"] == "played" and line["destination"] < 4 * BOTS
        if line["message"] == "hand_over":
            points = list(next(hands)["points"].values())
            assert points == line["points"]
            assert all(0 <= score <= 51 or score == 62 for score in points)
            assert sum(points) == up + (10 if line["out"] is not None else 0)
            up = 0
    assert "token" not in record
    assert (await racing_demon("verify", "-", stdin=record.encode()))[0] == 0


@pytest.mark.long
@pytest.mark.parametrize(("more", "env"), NO_SUITS)
async def test_terminals_that_know_no_suits_get_letters(more: list[str], env: dict[str, Any]) -> None:
    """In the C locale, with another encoding, or with --ascii, all that is printed is ASCII."""
    match = ["play", "--hands=1", "--bots=1", "--speed=1000", *more]
    code, output, complaints = await racing_demon(*match, **env)
    assert (code, output.isascii(), complaints) == (0, True, "")


@pytest.mark.long
async def test_one_seed_deals_the_same_cards_again() -> None:
    """`--seed` repeats the deals, whatever the bots then do."""
    command = ["play", "--json", "--bots", "2", "--hands", "1", "--speed", "1000", "--seed", "c0ffee"]
    deals = []
    for _ in range(2):
        _, record, _ = await racing_demon(*command)
        lines = map(json.loads, record.splitlines())
        deals.append([line["shown"] for line in lines if line["message"] == "dealt"])

    assert deals[0] == deals[1]


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments",
    usually(
        1,
        [
            ["racing_demon_client", "settings"],
            ["racing_demon_client", "rules", "weavers"],
            ["racing_demon_client", "host", "--help"],
            ["racing_demon_server", "--help"],
        ],
    ),
    ids=" ".join,
)
async def test_the_product_does_not_depend_on_docstrings(arguments: list[str], tmp_path: Path) -> None:
    """Python's -OO, which drops docstrings, changes nothing that a user reads."""
    told = []
    for number, flags in enumerate(((), ("-OO",))):
        folder = tmp_path / str(number)
        command = (sys.executable, *flags, "-m", *arguments)
        environment = {**os.environ, "RACING_DEMON_CONFIG": str(folder), "EDITOR": "true"}
        program = await asyncio.create_subprocess_exec(
            *command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment
        )
        output, _ = await program.communicate()
        written = [path.read_text(encoding="utf-8") for path in folder.glob("*")]
        told.append((program.returncode, output.decode().replace(str(folder), "FOLDER"), written))
    assert told[0] == told[1]
    assert told[0][0] == 0
