"""The client in JavaScript runs where Node.js is."""

import shutil

collect_ignore = [] if shutil.which("node") else ["test_foreign.py"]


def pytest_report_header() -> str | None:
    """Say what is left out."""
    return "no Node.js here: tests/lab/foreign/test_foreign.py is not collected" if collect_ignore else None
