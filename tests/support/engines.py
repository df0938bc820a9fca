"""Firefox and WebKitGTK, driven as their makers mean it: by WebDriver BiDi, and by WebDriver."""

import asyncio
import itertools
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from websockets.asyncio.client import ClientConnection, connect

from tests.support.ports import free_port
from tests.support.servers import deadline, timeout

PATIENCE: Final = 60.0
WIDTH, HEIGHT = 412, 730
PREFERENCES: Final = """
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("toolkit.telemetry.enabled", false);
"""


class Engine(NamedTuple):
    """A page in a browser.

    Attributes:
        evaluate: returns what an expression in the page comes to, as JSON.
        press: presses a pointer at a place on the page.

    """

    evaluate: Callable[[str], Awaitable[Any]]
    press: Callable[[float, float], Awaitable[None]]


def _program(name: str, package: str) -> str:
    path = shutil.which(name)
    if path is None:
        if os.environ.get("RACING_DEMON_BROWSER") == "required":
            pytest.fail(f"there is no {name}: apt-get install {package}")
        pytest.skip(f"there is no {name} here: apt-get install {package}")
    assert path is not None
    return path


@asynccontextmanager
async def _running(*command: str, **environment: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, **environment},
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


@asynccontextmanager
async def firefox(url: str) -> AsyncIterator[Engine]:
    """Open a page in Firefox, without a screen."""
    program, port = _program("firefox-esr", "firefox-esr"), free_port()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        (Path(profile) / "user.js").write_text(PREFERENCES)
        size = (f"--width={WIDTH}", f"--height={HEIGHT}")
        remote = ("--headless", "--no-remote", "--profile", profile, f"--remote-debugging-port={port}")
        async with _running(program, *remote, *size, HOME=profile):
            async with await _until_open(f"ws://127.0.0.1:{port}/session") as socket_:
                yield await _bidi(socket_, url)


async def _until_open(url: str) -> ClientConnection:
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await connect(url, max_size=None)
            except OSError:
                await asyncio.sleep(0.1)


async def _bidi(socket_: ClientConnection, url: str) -> Engine:
    numbers = itertools.count(1)

    async def ask(method: str, **parameters: Any) -> Any:
        number = next(numbers)
        await socket_.send(json.dumps({"id": number, "method": method, "params": parameters}))
        async with deadline(lambda: f"no answer to {method}"):
            while (answer := json.loads(await timeout(PATIENCE, socket_.recv()))).get("id") != number:
                pass
        assert answer["type"] == "success", answer
        return answer["result"]

    await ask("session.new", capabilities={})
    context = (await ask("browsingContext.getTree"))["contexts"][0]["context"]
    await ask("browsingContext.navigate", context=context, url=url, wait="complete")

    async def evaluate(expression: str) -> Any:
        told = await ask(
            "script.evaluate",
            expression=f"JSON.stringify(({expression}) ?? null)",
            target={"context": context},
            awaitPromise=True,
        )
        assert told["type"] == "success", told
        return json.loads(told["result"]["value"])

    async def press(x: float, y: float) -> None:
        source = {
            "type": "pointer",
            "id": "finger",
            "parameters": {"pointerType": "touch"},
            "actions": _pressed(x, y),
        }
        await ask("input.performActions", context=context, actions=[source])

    return Engine(evaluate, press)


@asynccontextmanager
async def webkit(url: str) -> AsyncIterator[Engine]:
    """Open a page in WebKitGTK's small browser, on a screen that nobody sees."""
    driver, screen = _program("WebKitWebDriver", "webkit2gtk-driver"), _program("Xvfb", "xvfb")
    (browser, *_) = [*Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"), None]
    if browser is None:
        pytest.skip("there is no MiniBrowser here: apt-get install webkit2gtk-driver")
    port, display = free_port(), f":{free_port() % 20_000 + 1_000}"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        where = {"DISPLAY": display, "HOME": home, "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        async with (
            _running(screen, display, "-screen", "0", "1024x1024x24", "-nolisten", "tcp"),
            _running(driver, f"--port={port}", "--host=127.0.0.1", **where),
        ):
            yield await _webdriver(port, str(browser), url)


async def _webdriver(port: int, browser: str, url: str) -> Engine:
    async def ask(method: str, path: str, **parameters: Any) -> Any:
        def asked() -> Any:
            connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            try:
                connection.request(method, path, json.dumps(parameters))
                answer = connection.getresponse()
                told = json.load(answer)["value"]
                assert answer.status == HTTPStatus.OK, told
                return told
            finally:
                connection.close()

        return await asyncio.to_thread(asked)

    options = {"binary": browser, "args": ["--automation"]}
    wanted = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                session = (await ask("POST", "/session", capabilities=wanted))["sessionId"]
                break
            except OSError:
                await asyncio.sleep(0.1)
    at = f"/session/{session}"
    await ask("POST", f"{at}/url", url=url)

    async def evaluate(expression: str) -> Any:
        script = f"return JSON.stringify(({expression}) ?? null)"
        return json.loads(await ask("POST", f"{at}/execute/sync", script=script, args=[]))

    async def press(x: float, y: float) -> None:
        source = {
            "type": "pointer",
            "id": "mouse",
            "parameters": {"pointerType": "mouse"},
            "actions": _pressed(x, y),
        }
        await ask("POST", f"{at}/actions", actions=[source])

    return Engine(evaluate, press)


def _pressed(x: float, y: float) -> Sequence[dict[str, Any]]:
    return (
        {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0},
        {"type": "pointerDown", "button": 0},
        {"type": "pointerUp", "button": 0},
    )
