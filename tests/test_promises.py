"""What README and manuals promise is stated by tests that every run has."""

import ast
import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
ROW: Final = re.compile(r"^\| ([^|]+) \| `(tests/[\w/]+\.py)::(\w+)` \|$", re.MULTILINE)
LONG: Final = "pytest.mark.long"


def test_each_promise_has_a_test_that_is_not_long() -> None:
    """No test stands for two promises, and each is there, and runs in ``make test``."""
    rows = ROW.findall((ROOT / "tests" / "system" / "promises.md").read_text("utf-8"))
    tests = [(path, test) for _, path, test in rows]
    assert len(tests) == len({*tests}) > 60
    for promise, path, test in rows:
        module = ast.parse((ROOT / path).read_text("utf-8"))
        marks = [ast.unparse(each.value) for each in module.body if is_pytestmark(each)]
        functions = {each.name: each for each in module.body if isinstance(each, FUNCTIONS)}
        assert test in functions, f"{promise}: there is no {path}::{test}"
        marks += [ast.unparse(each) for each in functions[test].decorator_list]
        assert not [mark for mark in marks if LONG in mark], f"{promise}: {path}::{test} is long"


FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_pytestmark(node: ast.stmt) -> bool:
    """Tell whether a statement marks all tests of its module."""
    return isinstance(node, ast.Assign) and [ast.unparse(each) for each in node.targets] == ["pytestmark"]
