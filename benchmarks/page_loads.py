"""Loads the browser's page and all its files, like phones that scan a table's code at the same time.

python -m benchmarks.page_loads HOST PORT PHONES
"""

import asyncio
import posixpath
import re
import sys
from asyncio.subprocess import Process
from http.client import HTTPConnection, HTTPException
from threading import Thread
from typing import Final

PATIENCE: Final = 20.0
IMPORT: Final = re.compile(r'^import .* from "(\.[^"]+)"', re.MULTILINE)


async def start_loading(url: str, phones: int) -> Process:
    """Start a program that loads the page of a server; a process of its own spares the caller."""
    host, _, port = url.removeprefix("ws://").partition("/")[0].rpartition(":")
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.page_loads", host, port, str(phones)
    )


def _get(host: str, port: int, path: str, coding: str = "gzip") -> bytes:
    connection = HTTPConnection(host, port, timeout=PATIENCE)
    try:
        connection.request("GET", path, headers={"Accept-Encoding": coding})
        return connection.getresponse().read()
    finally:
        connection.close()


def main(host: str, port: int, phones: int) -> None:
    """Load everything several times at once."""
    page = _get(host, port, "/", "identity").decode()
    (folder, *_) = re.findall(r"/web/[0-9a-f]+", page)
    scripts = ["main.js"]
    for name in scripts:  # it grows: by what each of them imports
        text = _get(host, port, f"{folder}/{name}", "identity").decode()
        imported = (posixpath.join(posixpath.dirname(name), path) for path in IMPORT.findall(text))
        scripts += dict.fromkeys(path for path in map(posixpath.normpath, imported) if path not in scripts)
    names = ["style.css", *scripts]
    refused: list[str] = []

    def load() -> None:
        for path in ("/", *(f"{folder}/{name}" for name in names)):
            try:
                _get(host, port, path)
            except (OSError, HTTPException):
                refused.append(path)

    threads = [Thread(target=load) for _ in range(phones)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if refused:
        sys.stderr.write(f"{len(refused)} files were not loaded\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
