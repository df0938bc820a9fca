"""Libraries are loaded without what they would load for nothing."""

import importlib
import sys

import pytest

from racing_demon_server.ops.optional_imports import without_modules


def test_what_is_spared_is_not_found() -> None:
    """Only as long as it is spared, though."""
    sys.modules.pop("sched", None)
    with without_modules("sched"):
        with pytest.raises(ImportError):
            importlib.import_module("sched")
    assert importlib.import_module("sched").scheduler


def test_what_is_loaded_already_stays() -> None:
    """Whoever uses it goes on."""
    with without_modules("json"):
        assert importlib.import_module("json") is sys.modules["json"]
    assert sys.modules["json"] is not None
