"""What holds for all tests."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from tests.support.namespaces import NetworkLink

# What programs print is compared in its colors, whatever the person who runs the tests prefers.
os.environ.pop("NO_COLOR", None)
# Programs are started hundreds of times: each module is compiled once, here and in them.
sys.dont_write_bytecode = False
# The tests alone are a million objects; looking through them time and again takes an eighth longer.
gc.set_threshold(50_000, 10, 10)

LIMITS: Final = pytest.StashKey[Any]()
DATA_FOLDERS: Final = count()
RINGS_AGAIN: Final = 60.0
"""Seconds: more than a busy machine takes to report what rang first, or all tests would end there."""


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> Generator[None, object, object]:
    """Let the alarm say where tasks wait, and ring again: what it raises may be lost in another task."""
    item.stash[LIMITS] = settings
    is_set = yield
    if settings.method == "signal":
        fail = signal.getsignal(signal.SIGALRM)

        def ring(number: int, frame: FrameType | None) -> None:
            with suppress(RuntimeError):  # no loop runs
                for task in asyncio.all_tasks():
                    task.print_stack(file=sys.stderr)
            assert callable(fail)
            fail(number, frame)

        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, settings.timeout, RINGS_AGAIN)
    return is_set


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Set the alarm for what a test leaves, too: the test's own is off as soon as it has failed."""
    if (settings := item.stash.get(LIMITS, None)) is not None:
        item.ihook.pytest_timeout_set_timer(item=item, settings=settings)
    return (yield)


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the settings, the tables and the network of whoever runs the tests out of them."""
    folder = tmp_path_factory.mktemp("player")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RACING_DEMON_CONFIG", str(folder / "config"))
        patch.setenv("RACING_DEMON_STATE", str(folder / "state"))
        patch.setenv("RACING_DEMON_DATA", str(folder / "data"))
        patch.setenv("RACING_DEMON_INTERFACES", "none")
        for name in ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"):  # programs run as they do at a user's
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(autouse=True)
def _no_table_to_go_on_with() -> None:
    """Let no test take up a table that another one has left open, or be refused its journal."""
    state = Path(os.environ["RACING_DEMON_STATE"])
    (state / "hosted.json").unlink(missing_ok=True)
    os.environ["RACING_DEMON_DATA"] = str(state.with_name(f"data-{next(DATA_FOLDERS)}"))


@pytest.fixture(scope="session", autouse=True)
def _no_hosts_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """End the servers of hosts that a test has left: they outlive their hosts, for some minutes."""
    yield
    own = str(tmp_path_factory.getbasetemp()).encode()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            is_host = b"--until-table-ends" in (process / "cmdline").read_bytes()
            if is_host and own in (process / "environ").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)


@pytest.fixture(scope="session", autouse=True)
def _prepared_programs() -> Iterator[None]:
    """End the processes from which tests fork programs: their time counts among that of the tests."""
    yield
    if (prepared := sys.modules.get("tests.support.prepared")) is not None:
        prepared.end_all()


STARTED: Final[list[object]] = []
"""The programs that have been started since :func:`_no_program_left` last looked."""
SHARED: Final[set[tuple[int, str]]] = set()
"""The running programs that tests share."""


def _watch_programs(event: str, arguments: tuple[object, ...]) -> None:
    if event in {"subprocess.Popen", "tests.fork"}:
        STARTED.append(arguments[0])


sys.addaudithook(_watch_programs)


@pytest.fixture(autouse=True)
def _no_program_left() -> Iterator[None]:
    """Fail the test that leaves a program behind; otherwise a later one would be blamed for it."""
    if STARTED:
        SHARED.update(_children())
        STARTED.clear()
    yield
    if STARTED and (left := _children() - SHARED):
        pytest.fail(f"it has left programs: {sorted(left)}", pytrace=False)


def _children() -> set[tuple[int, str]]:
    """Return the processes that this one has started and that run, but for the servers of hosts.

    Those of :mod:`tests.support.prepared` run until all tests have ended; what they have forked does not.
    """
    running = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, parent = (process / "stat").read_bytes().rpartition(b")")[2].split()[:2]
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            # One that ends has freed its command line before it is a zombie.
            if state != b"Z" and command and "--until-table-ends" not in command:
                running.append((int(parent), int(process.name), command))
    own = [(number, command) for parent, number, command in running if parent == os.getpid()]
    prepared = {number for number, command in own if "-m tests.support.prepared " in command}
    forked = {(number, command) for parent, number, command in running if parent in prepared}
    return {each for each in own if each[0] not in prepared} | forked


@pytest.fixture(scope="session", autouse=True)
def _heeded_signals() -> None:
    """Heed what ends a program, though the tests may be run where it is ignored (``nohup``)."""
    for name, usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)


@pytest.fixture(autouse=True)
def _seen_by_the_collector() -> Iterator[None]:
    """Leave nothing frozen, as the commands do: Hypothesis looks for what refers to what."""
    yield
    gc.unfreeze()


@pytest.fixture
def wire() -> "Iterator[NetworkLink]":
    """Lay a cable between two machines."""
    from tests.support.namespaces import cable  # noqa: PLC0415 - few tests need all that it imports

    with cable() as laid:
        yield laid
