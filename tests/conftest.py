"""What holds for all tests."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the settings, the tables and the network of whoever runs the tests out of them."""
    folder = tmp_path_factory.mktemp("player")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RACING_DEMON_CONFIG", str(folder / "config"))
        patch.setenv("RACING_DEMON_STATE", str(folder / "state"))
        patch.setenv("RACING_DEMON_DATA", str(folder / "data"))
        patch.setenv("RACING_DEMON_INTERFACES", "none")
        patch.delenv("PYTHONUNBUFFERED", raising=False)  # programs write as they do at a user's
        yield
