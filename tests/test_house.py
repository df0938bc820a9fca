"""The plan of the house: one name for one thing, and no private parts of libraries.

``python -m tests.test_house`` prints what these tests count.
"""

import ast
import asyncio
import importlib
import importlib.util
import inspect
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Final

import aiomqtt
from textual.app import App
from websockets.asyncio.client import connect

from tests.support.cases import for_each

METHODS: Final = (FunctionType, classmethod, property, staticmethod)
DUNDER: Final = re.compile(r"__\w+__$")

ROOT: Final = Path(__file__).parents[1]
ARCHITECTURE: Final = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
CONTRIBUTING: Final = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
STEPS: Final = CONTRIBUTING.partition("## Change one thing")[2].partition("\n## ")[0]
"""The lists of steps of changes."""
SOURCES: Final = {
    "racing_demon_protocol": ROOT / "protocol",
    "racing_demon_server": ROOT / "server",
    "racing_demon_cluster": ROOT / "server",
    "racing_demon_client": ROOT / "client",
    "racing_demon_web": ROOT / "client",
}
FOLDERS: Final = ("protocol", "server", "client", "tests", "benchmarks", "deploy", "docs")
"""Where the places are that ARCHITECTURE.md names."""

TEXTS: Final = {".py", ".js", ".css", ".html", ".md", ".service"}
DOCUMENTED: Final = {"_asdict", "_exit", "_fields", "_make", "_replace"}
"""Names with an underscore that the standard library documents."""

REACHES: Final = {
    "racing_demon_client/sources/broker.py": {"_disconnected"},
    "racing_demon_server/mqtt/broker_connection.py": {"_disconnected"},
}
"""Private attributes of libraries, by the adapter that uses them. ARCHITECTURE.md gives the reasons."""

OVERRIDES: Final = {
    "racing_demon_client.net.transport": {"NoRedirectConnect.process_redirect"},
    "racing_demon_client.terminal.app": {"TerminalApp._fatal_error"},
}
"""Undocumented methods of libraries that our classes override. ARCHITECTURE.md gives the reasons."""

OVERRIDABLE: Final = {
    "prometheus_client": {"collect"},
    "pydantic": {"__get_pydantic_json_schema__"},
    "textual": {
        "action_cursor_down",
        "action_cursor_up",
        "apply",
        "compose",
        "dismiss",
        "get_line_filters",
        "render_line",
    },
}
"""Methods that libraries document, and that our classes override."""

PYTHONS: Final = {
    name
    for thing in (BaseException(), asyncio, dict, inspect.signature, type, AbstractAsyncContextManager)
    for name in dir(thing)
}
"""Names with two underscores that the language defines."""


@cache
def _trees() -> dict[str, ast.Module]:
    found = {}
    for name, folder in SOURCES.items():
        for path in sorted((folder / name).rglob("*.py")):
            found[path.relative_to(folder).as_posix()] = ast.parse(path.read_text(encoding="utf-8"))
    return found


@cache
def _nodes() -> dict[str, list[ast.AST]]:
    """Return all nodes of each module: to walk a tree takes longer than what is asked of its nodes."""
    return {path: list(ast.walk(tree)) for path, tree in _trees().items()}


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _is_private(name: str) -> bool:
    if name.startswith("__") and name.endswith("__"):
        return name not in PYTHONS
    return name.startswith("_") and not name.endswith("_")


def _own_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield every name that a module itself, or a class, gives to something."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.attr if isinstance(node, ast.Attribute) else node.id
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _sizes() -> Counter[str]:
    """Return the number of modules of each folder."""
    return Counter(path.rpartition("/")[0] for path in _trees() if not path.endswith("__init__.py"))


def _lengths() -> dict[str, int]:
    """Return the number of lines of each module, of Python and of the page."""
    return {
        path.relative_to(folder).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for name, folder in SOURCES.items()
        for suffix in ("py", "js")
        for path in (folder / name).rglob(f"*.{suffix}")
    }


def _homonyms() -> dict[str, list[str]]:
    """Return the files of each name that several public classes have."""
    homes = defaultdict(list)
    for path, nodes in _nodes().items():
        for node in nodes:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path)
    return {name: paths for name, paths in homes.items() if len(paths) > 1}


def test_every_public_class_has_a_name_of_its_own() -> None:
    """No two public classes of protocol, server and client share a name."""
    assert _homonyms() == {}


def test_nothing_is_called_the_own_one() -> None:
    """It is one's own, theirs or this player's: "the own seat" is German."""
    texts = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    texts += [path for name in SOURCES for path in (SOURCES[name] / name).rglob("*.*")]
    read = [path for path in texts if path.suffix in {".py", ".js", ".html", ".md"}]
    stiff = re.compile(r"\bthe\s+own\b", re.IGNORECASE)
    assert [str(path) for path in read if stiff.search(path.read_text(encoding="utf-8"))] == []


def test_every_package_says_what_it_is_for() -> None:
    """Each package has a docstring, and its place in the tree of ARCHITECTURE.md."""
    packages = {
        path.removesuffix("/__init__.py"): tree
        for path, tree in _trees().items()
        if path.endswith("/__init__.py")
    }
    assert [package for package, tree in packages.items() if not ast.get_docstring(tree)] == []
    assert [package for package in packages if f"{package.rpartition('/')[2]}/" not in ARCHITECTURE] == []


@for_each("distribution", SOURCES)
def test_every_package_lists_what_it_offers(distribution: str) -> None:
    """A package with names of its own lists them in its ``__all__``; whatever is listed exists, in public."""
    for path, tree in _trees().items():
        if not (path.startswith(distribution) and path.endswith("/__init__.py")):
            continue
        package = importlib.import_module(_module(path))
        offered = getattr(package, "__all__", [])
        wrong = [
            name
            for name in offered
            if name.startswith("_")
            or not (hasattr(package, name) or importlib.util.find_spec(f"{package.__name__}.{name}"))
        ]
        own = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
        unlisted = {name for name in own if not name.startswith("_")} - set(offered)
        assert (path, wrong, unlisted) == (path, [], set())


def _foreign_names(path: str) -> Iterator[str]:
    """Yield each private name that is used on an object other than its class's own."""
    homes: dict[int, set[str]] = {}
    for cls in [node for node in _nodes()[path] if isinstance(node, ast.ClassDef)]:
        inside = list(ast.walk(cls))
        names = set(_own_names(inside))
        homes |= {id(node): names for node in inside}
    module = {node.name for node in _trees()[path].body if isinstance(node, ast.ClassDef)}
    for node in _nodes()[path]:
        if not isinstance(node, ast.Attribute) or not _is_private(node.attr) or node.attr in DOCUMENTED:
            continue
        is_own_object = isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"} | module
        if not is_own_object and node.attr not in homes.get(id(node), module):
            yield node.attr


def _reaches() -> dict[str, set[str]]:
    """Return the private names that each file uses on objects that are not its own, or spells as text."""
    own = {name for nodes in _nodes().values() for name in _own_names(nodes)} | DOCUMENTED
    reaches: dict[str, set[str]] = defaultdict(set)
    for path, nodes in _nodes().items():
        reaches[path] |= set(_foreign_names(path))
        for node in nodes:
            if isinstance(node, ast.Attribute) and _is_private(node.attr) and node.attr not in own:
                reaches[path].add(node.attr)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and DUNDER.match(node.value):
                reaches[path] |= {node.value} - PYTHONS - {"__main__"}
    return {path: names for path, names in reaches.items() if names}


def _overrides() -> dict[str, set[str]]:
    """Return the methods of libraries that the classes of each module override, unless documented.

    Of the standard library these are the private ones.
    """
    overridden: dict[str, set[str]] = defaultdict(set)
    for module in [_module(path) for path in _trees() if not path.endswith("__main__.py")]:
        for _, cls in inspect.getmembers(importlib.import_module(module), inspect.isclass):
            if cls.__module__ != module:
                continue
            own = {name for name, value in vars(cls).items() if isinstance(value, METHODS)}
            for base in cls.__mro__[1:]:
                library = base.__module__.split(".")[0]
                if library in SOURCES:
                    continue
                names = (own & vars(base).keys()) - PYTHONS - OVERRIDABLE.get(library, set())
                if library in sys.stdlib_module_names:
                    names = {name for name in names if _is_private(name) and not DUNDER.match(name)}
                overridden[module] |= {f"{cls.__name__}.{name}" for name in names}
    return {module: names for module, names in overridden.items() if names}


def test_nothing_reaches_into_libraries() -> None:
    """A private name is used by its own class only, outside the adapters that are listed."""
    assert _reaches() == REACHES


def test_nothing_undocumented_is_overridden() -> None:
    """No class of ours has a method of its base in a library that the library does not document."""
    assert _overrides() == OVERRIDES


async def test_the_private_parts_that_are_used_are_still_there() -> None:
    """The private attribute of aiomqtt, and the methods that we override, are as we expect them."""
    client = aiomqtt.Client("127.0.0.1")
    assert isinstance(client._disconnected, asyncio.Future)
    assert [*inspect.signature(App._fatal_error).parameters] == ["self"]
    assert [*inspect.signature(connect.process_redirect).parameters] == ["self", "exc"]


def test_private_parts_are_documented() -> None:
    """ARCHITECTURE.md names each private attribute or method of a library that is used."""
    names = {
        name.rpartition(".")[2] for found in (REACHES, OVERRIDES) for part in found.values() for name in part
    }
    assert [name for name in sorted(names) if f"`{name}`" not in ARCHITECTURE] == []


def _report() -> Iterator[str]:
    """Yield the lines of ``python -m tests.test_house``."""
    sizes, lengths = _sizes(), _lengths()
    for folder in sorted(sizes):
        lines = sum(length for path, length in lengths.items() if path.rpartition("/")[0] == folder)
        yield f"{folder:48}{sizes[folder]:4} modules{lines:8} lines"
    yield f"product: {len(lengths)} files, {sum(lengths.values())} lines"
    yield f"public class names that occur twice: {_homonyms() or 'none'}"
    for name, found in (("private parts of libraries", _reaches()), ("undocumented overrides", _overrides())):
        yield f"{name}:"
        yield from (f"  {place}: {', '.join(sorted(names))}" for place, names in found.items())


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in _report())


def test_places_that_the_architecture_names_exist() -> None:
    """Every path between backticks there, and in the lists of steps, ends a file's or a folder's path."""
    named = re.findall(r"`([\w.]+/[\w./]*\w)`", ARCHITECTURE + STEPS)
    paths = {path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*")}
    known = {form for path in paths for form in (f"/{path}", f"/{path.with_suffix('')}")}
    missing = [place for place in named if not any(form.endswith(f"/{place}") for form in known)]
    assert missing == []


def test_names_that_the_architecture_gives_are_where_it_says() -> None:
    """In each row of *Where to change what*, and each list of steps, names are in one of its files."""
    table = ARCHITECTURE.partition("## Where to change what")[2].partition("\n## ")[0]
    folders = [
        *SOURCES.values(),
        ROOT / "tests" / "support",
        ROOT / "deploy",
        ROOT / "docs",
        ROOT / "examples",
    ]
    files = [
        path for folder in dict.fromkeys(folders) for path in folder.rglob("*.*") if path.suffix in TEXTS
    ]
    missing = []
    for row in [*table.splitlines(), *STEPS.split("\n### ")]:
        named = set(re.findall(r"`([#\w./]+)`", row))
        ends = "|".join(map(re.escape, named))
        found = {path: re.search(rf"/({ends})(\.\w+$|/|$)", str(path)) for path in files}
        words = {
            word for path in files if found[path] for word in re.findall(r"#?\w+", path.read_text("utf-8"))
        }
        places = {match[1] for match in found.values() if match}
        names = [name for name in named - places if "/" not in name and re.search(r"[A-Z_#]", name)]
        missing += [name for name in names if not words.issuperset(re.findall(r"#?\w+", name))]
    assert missing == []


def test_the_example_of_a_game_is_the_game() -> None:
    """The first declaration in docs/add-a-game.md is that of Beleaguered Castle, but for its text."""
    page = (ROOT / "docs" / "add-a-game.md").read_text(encoding="utf-8")
    example, _ = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    castle = (ROOT / "protocol" / "racing_demon_protocol" / "games" / "beleaguered_castle.py").read_text(
        encoding="utf-8"
    )
    assert _declaration(example) in [_declaration(ast.unparse(node)) for node in ast.parse(castle).body]


def _declaration(code: str) -> str:
    """Return a statement without the text of a game."""
    [statement] = ast.parse(code).body
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "text"]
    return ast.unparse(statement)


def test_every_experiment_is_explained() -> None:
    """The laboratory's README has a row for each target of its Makefile, and no other."""
    lab = ROOT / "tests" / "lab"
    targets = re.findall(r"^([a-z]+):.*##", (lab / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    rows = re.findall(r"^\| `([a-z]+)`", (lab / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted({*targets} - {"list"})
