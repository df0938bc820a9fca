"""Benchmarks as the programs that they are."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, Final

BENCHMARKS: Final = Path(__file__).parents[2] / "benchmarks"
MOST_SECONDS: Final = 100


async def measured(script: str, folder: Path, *arguments: str) -> tuple[dict[str, Any], str]:
    """Run a benchmark to its end; return the numbers that it writes, and what it prints."""
    file = folder / "numbers.json"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(BENCHMARKS / script), *arguments, "--json", str(file)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(MOST_SECONDS):
            output, complaints = await process.communicate()
    finally:
        if process.returncode is None:
            process.terminate()  # which stops all that it has started
            await process.wait()
    assert process.returncode == 0, complaints.decode()
    return json.loads(file.read_text(encoding="utf-8")), output.decode()
