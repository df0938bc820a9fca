"""The browser's scripts without a browser: their types, and what they make of what Python has played."""

import subprocess

from tests.support.nodes import TOOLS, node, tool


def test_types_are_right() -> None:
    """TypeScript, as strict as it can be, finds nothing wrong with the types that the comments tell."""
    compiler = tool("typescript/bin/tsc")
    told = subprocess.run(
        [node(), str(compiler), "-p", str(TOOLS)], capture_output=True, text=True, check=False
    )
    assert "" == told.stdout + told.stderr
