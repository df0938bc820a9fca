"""The plan of the house: small folders and files, one name for one thing, and no insides of libraries."""

import ast
import importlib
import inspect
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
SOURCES: Final = {
    "racing_demon_protocol": ROOT / "protocol",
    "racing_demon_server": ROOT / "server",
    "racing_demon_client": ROOT / "client",
}
MOST_MODULES: Final = 16
MOST_LINES: Final = 400

DOCUMENTED: Final = {"_asdict", "_exit", "_fields", "_make", "_replace"}
"""Names with an underscore that the standard library documents."""

REACHES: Final = {"racing_demon_server/mqtt/broker_connection.py": {"_disconnected"}}
"""Names with an underscore that are not ours, in the adapters that use them."""

OVERRIDES: Final = {"racing_demon_client.terminal.app": {"TerminalApp._fatal_error"}}
"""Methods of libraries with an underscore that a class of ours has, too, by the class's module."""


@cache
def _trees() -> dict[str, ast.Module]:
    found = {}
    for name, folder in SOURCES.items():
        for path in sorted((folder / name).rglob("*.py")):
            found[path.relative_to(folder).as_posix()] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("_")


def _own_names(tree: ast.Module) -> Iterator[str]:
    """Yield every name with an underscore that a module itself gives to something."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.attr if isinstance(node, ast.Attribute) else node.id
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def test_folders_are_small() -> None:
    """No folder has more modules than a newcomer reads the names of."""
    sizes = Counter(path.rpartition("/")[0] for path in _trees() if not path.endswith("__init__.py"))
    assert {folder: size for folder, size in sizes.items() if size > MOST_MODULES} == {}


def test_files_are_short() -> None:
    """No file of the product is longer than its limit."""
    lengths = {}
    for name, folder in SOURCES.items():
        for path in (folder / name).rglob("*.py"):
            lengths[path.relative_to(folder).as_posix()] = len(path.read_text(encoding="utf-8").splitlines())
    assert {path: lines for path, lines in lengths.items() if lines > MOST_LINES} == {}


def test_every_public_class_has_a_name_of_its_own() -> None:
    """No two public classes of protocol, server and client share a name."""
    homes = defaultdict(list)
    for path, tree in _trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_every_package_says_what_it_is_for() -> None:
    """Each package has a docstring, and its place in the tree of ARCHITECTURE.md."""
    architecture = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    packages = {
        path.removesuffix("/__init__.py"): tree
        for path, tree in _trees().items()
        if path.endswith("/__init__.py")
    }
    assert [package for package, tree in packages.items() if not ast.get_docstring(tree)] == []
    assert [package for package in packages if f"{package.rpartition('/')[2]}/" not in architecture] == []


def test_nothing_reaches_into_libraries() -> None:
    """A name with an underscore that is used is one of ours, outside the adapters that are listed."""
    own = {name for tree in _trees().values() for name in _own_names(tree)}
    reaches = defaultdict(set)
    for path, tree in _trees().items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or node.attr in own or node.attr in DOCUMENTED:
                continue
            if _is_private(node.attr):
                reaches[path].add(node.attr)
    assert dict(reaches) == REACHES


@pytest.mark.parametrize("distribution", SOURCES)
def test_no_private_method_of_a_library_is_overridden(distribution: str) -> None:
    """No class of ours has a method with an underscore that its base in a library has."""
    overridden: dict[str, set[str]] = defaultdict(set)
    for path in _trees():
        module = _module(path)
        if not path.startswith(distribution) or module.endswith("__main__"):
            continue
        for _, cls in inspect.getmembers(importlib.import_module(module), inspect.isclass):
            if cls.__module__ != module:
                continue
            own = {
                name for name, value in vars(cls).items() if _is_private(name) and inspect.isfunction(value)
            }
            for base in cls.__mro__[1:]:
                if base.__module__.split(".")[0] not in SOURCES:
                    overridden[module] |= {f"{cls.__name__}.{name}" for name in own & vars(base).keys()}
    found = {module: names for module, names in overridden.items() if names}
    assert found == {module: names for module, names in OVERRIDES.items() if module.startswith(distribution)}
