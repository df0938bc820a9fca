"""What the tests of the client share."""

import asyncio

import pytest

from racing_demon_client.cli.main import main
from tests.support.processes import Ended, Here
from tests.support.servers import PATIENCE, timeout


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    """Run the program to its end in a thread of this process: the same as a process, and quicker."""

    async def run_here(*arguments: str) -> Ended:
        code = await timeout(PATIENCE, asyncio.to_thread(main, arguments))
        return Ended(code, *capsys.readouterr())

    return run_here
