"""What holds for all tests."""

import signal
import sys
from collections.abc import Iterator

import pytest

# Programs are started hundreds of times: each module is compiled once, here and in them.
sys.dont_write_bytecode = False


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


@pytest.fixture(scope="session", autouse=True)
def _heeded_signals() -> None:
    """Heed what ends a program, though the tests may be run where it is ignored (``nohup``)."""
    for name, usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)
