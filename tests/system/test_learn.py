"""The lesson in the terminal, started without a server, as plain text."""

import asyncio
import re
import sys

import pytest
from benchmarks.pty_program import children_of, end_all

TURN = re.compile(r"^(\d)/8 .*Type: (.+)$")


@pytest.mark.long
@pytest.mark.parametrize(("game", "points"), [("racing-demon", 4), ("classic", -12)])
async def test_the_first_hand_is_learned_in_plain_text(game: str, points: int) -> None:
    """Whoever types what each step says comes to what the hand scores; the teacher wins one of two races.

    Who types their card a moment after the teacher is told so. The lesson goes on where its server is killed.
    """
    pipe = asyncio.subprocess.PIPE
    program = (sys.executable, "-m", "racing_demon_client", "learn", game, "--plain", "--name", "Ann")
    process = await asyncio.create_subprocess_exec(*program, stdin=pipe, stdout=pipe)
    assert process.stdin is not None
    assert process.stdout is not None
    told: list[str] = []
    late = ""
    async with asyncio.timeout(120):
        while line := await process.stdout.readline():
            told.append(line.decode().rstrip("\n"))
            found = TURN.match(told[-1])
            if found and found[1] == "4":
                end_all(children_of(process.pid))
            if found and "again" in told[-1]:
                late = found[2]
            elif found:
                process.stdin.write(f"{found[2]}\n".encode())
            elif told[-1].startswith("Ada was first"):
                process.stdin.write(f"{late}\n".encode())
            elif told[-1] == f"You have {points} points.":
                process.stdin.write(b"q\n")
        assert await process.wait() == 0
    numbers = [found[1] for each in told if (found := TURN.match(each))]
    assert "".join(numbers) == "1234567788"
    assert "The middle is for both of you; each card of yours there is a point." in told
    assert "reconnected" in told
    assert any(each.startswith("You were first") for each in told)
    assert any(each.startswith("Ada was first") for each in told)
    assert any(re.search("^refused: .* Ada was .* faster$", each) for each in told)
