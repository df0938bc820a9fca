"""What README and manuals promise is stated by tests that every run has."""

import ast
import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
ROW: Final = re.compile(r"^\| ([^|]+) \| `(tests/[\w/]+\.py)::(\w+)` \|$", re.MULTILINE)
ENTRY: Final = re.compile(r"^- ([^`]+?):\s+`(tests/[\w/]+\.py)::(\w+)`$", re.MULTILINE)
NAMED: Final = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
LAST: Final = "## What the long run alone states"
LONG: Final = "pytest.mark.long"


def test_each_promise_has_a_test_that_is_not_long() -> None:
    """No test stands for two promises, and each is there, and runs in ``make test``.

    Those of the last heading are there, too, and ``long``, as is said of them.
    """
    usual, _, long = (ROOT / "tests" / "system" / "promises.md").read_text("utf-8").partition(LAST)
    rows = [(promise, path, test, False) for promise, path, test in ROW.findall(usual)]
    rows += [(promise, path, test, True) for promise, path, test in ENTRY.findall(long)]
    tests = [(path, test) for _, path, test, _ in rows]
    assert len(tests) == len({*tests}) > 60
    assert long.count("\n- ") == len(ENTRY.findall(long)) > 0
    for promise, path, test, is_long in rows:
        module = ast.parse((ROOT / path).read_text("utf-8"))
        marks = [ast.unparse(each.value) for each in module.body if is_pytestmark(each)]
        functions = {each.name: each for each in module.body if isinstance(each, FUNCTIONS)}
        assert test in functions, f"{promise}: there is no {path}::{test}"
        marks += [ast.unparse(each) for each in functions[test].decorator_list]
        assert any(LONG in mark for mark in marks) == is_long, f"{promise}: {path}::{test}"


def test_each_test_that_a_document_names_is_there() -> None:
    """Whoever reads by which test something is shown can look at it."""
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
    named = {found for each in documents for found in NAMED.findall(each.read_text("utf-8"))}
    assert len(named) > 10
    for path, test in named:
        text = (ROOT / path).read_text("utf-8") if (ROOT / path).is_file() else ""
        assert re.search(rf"^(async )?def {test}\b" if test else ".", text, re.MULTILINE), (path, test)


FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_pytestmark(node: ast.stmt) -> bool:
    """Tell whether a statement marks all tests of its module."""
    return isinstance(node, ast.Assign) and [ast.unparse(each) for each in node.targets] == ["pytestmark"]
