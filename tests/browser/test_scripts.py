"""The browser's scripts without a browser: their types, and what they make of what Python has played."""

import asyncio

from tests.support.nodes import TOOLS, node, tool


async def run(*arguments: str) -> tuple[int | None, str]:
    """Run Node.js, and return how it has ended and what it has told."""
    process = await asyncio.create_subprocess_exec(
        node(), *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    told, _ = await process.communicate()
    return process.returncode, told.decode()


async def test_types_are_right() -> None:
    """TypeScript, as strict as it can be, finds nothing wrong with the types that the comments tell."""
    compiler = tool("typescript/bin/tsc")
    assert (0, "") == await run(str(compiler), "-p", str(TOOLS))
