"""Mutants: one small mistake in one function, named by the function and the kind of the mistake.

Such a name means the same in two trees of the same code, though files have moved and lines have changed:
``find_twin`` looks a mutant up in another tree.
"""

import ast
import difflib
import keyword
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

PACKAGES: Final = ("protocol/racing_demon_protocol", "server", "client")
PAGE: Final = "client/racing_demon_web"
MIN_SIMILAR: Final = 0.55
"""A renamed function is taken for the same if so much of its shape is."""

COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
}

SCRIPT_TOKENS: Final = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"""
    r"""|=>|[=!]==|[<>]=?|&&|\|\||[\w$.]+""",
    re.DOTALL,
)
"""What is looked at in a script; comments and texts, so that nothing in them is."""
SCRIPT_CHANGES: Final[dict[str, tuple[str, str]]] = {
    "===": ("comparison", "!=="),
    "!==": ("comparison", "==="),
    "<": ("comparison", "<="),
    "<=": ("comparison", "<"),
    ">": ("comparison", ">="),
    ">=": ("comparison", ">"),
    "&&": ("and or", "||"),
    "||": ("and or", "&&"),
    "true": ("truth", "false"),
    "false": ("truth", "true"),
}

SCRIPT_CONDITIONS: Final = re.compile(r"^ +(?:\} else )?if \((.+?)\)(?= [^&|?=<>])", re.MULTILINE)
"""What stands behind ``if``, as far as it stands in one line."""
SCRIPT_CALLS: Final = re.compile(
    r"^ +((?!(?:if|for|while|return|throw|super|export|const|let)\b)[\w$.#?]+\(.*\);)$", re.MULTILINE
)
"""A statement of one line that calls something."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef
Change = tuple[str, ast.expr | ast.stmt, str]


class Function(NamedTuple):
    """A function of the product, or a whole script of the page.

    Attributes:
        path: its file, relative to the tree.
        name: its name, with that of its class.
        node: its syntax; ``None`` of a script.
        source: the text of its file.

    """

    path: str
    name: str
    node: Definition | None
    source: str


class Mutant(NamedTuple):
    """One mistake, planted in one function.

    Attributes:
        function: the function.
        kind: the kind of the mistake.
        line: the line where it begins.
        start: where the replaced text begins in the file.
        before: the replaced text.
        after: what stands there instead.

    """

    function: Function
    kind: str
    line: int
    start: int
    before: str
    after: str

    @property
    def name(self) -> str:
        """The function and the kind."""
        return f"{self.function.name} {self.kind}"

    @property
    def text(self) -> str:
        """The text of the file with the mistake."""
        source = self.function.source
        return source[: self.start] + self.after + source[self.start + len(self.before) :]

    def __str__(self) -> str:
        where = f"{self.function.path}:{self.line}"
        return f"{where} {self.name}: {' '.join(self.before.split())} -> {' '.join(self.after.split())}"


class Tree:
    """A checkout, and the functions of its product."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @cached_property
    def functions(self) -> list[Function]:
        """All functions and methods, in the order of their files."""
        found = []
        for package in PACKAGES:
            for path in sorted((self.root / package).rglob("*.py")):
                source = path.read_text(encoding="utf-8")
                for name, node in _functions(ast.parse(source)):
                    found.append(Function(str(path.relative_to(self.root)), name, node, source))
        return found

    @cached_property
    def scripts(self) -> list[Function]:
        """All scripts of the page, in the order of their files."""
        paths = sorted((self.root / PAGE).rglob("*.js"))
        return [
            Function(str(path.relative_to(self.root)), path.stem, None, path.read_text(encoding="utf-8"))
            for path in paths
        ]

    @cached_property
    def shapes(self) -> list[tuple[list[str], Function]]:
        """All functions, each with its shape."""
        return [(_shape(ast.unparse(each.node)), each) for each in self.functions if each.node]

    def below(self, folder: str) -> list[Function]:
        """Return the functions and scripts of a folder."""
        return [each for each in [*self.functions, *self.scripts] if each.path.startswith(f"{folder}/")]


def _functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Definition]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{prefix}{child.name}", child


def mutants(function: Function) -> list[Mutant]:
    """Return all mutants of a function, in the order of its lines."""
    if function.node is None:
        return list(_script_mutants(function))
    found = [
        _mutant(function, kind, old, new)
        for statement in function.node.body
        for node in _judged(statement)
        for kind, old, new in _changes(node)
    ]
    return sorted(found, key=lambda each: (each.start, each.kind, each.after))


def _script_mutants(script: Function) -> Iterator[Mutant]:
    for token in SCRIPT_TOKENS.finditer(script.source):
        before = token.group()
        kind, after = SCRIPT_CHANGES.get(
            before, ("number", str(int(before) + 1) if before.isdecimal() else "")
        )
        if after:
            yield _in_script(script, kind, token.start(), before, after)
    for condition in SCRIPT_CONDITIONS.finditer(script.source):
        before = condition[1]
        if before.count("(") == before.count(")"):
            yield _in_script(script, "condition", condition.start(1), before, f"!({before})")
    for call in SCRIPT_CALLS.finditer(script.source):
        yield _in_script(script, "call", call.start(1), call[1], ";")


def _in_script(script: Function, kind: str, start: int, before: str, after: str) -> Mutant:
    return Mutant(script, kind, script.source.count("\n", 0, start) + 1, start, before, after)


def _judged(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all below it, but for annotations, and for f-strings, which have no places."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns"} or isinstance(node, ast.JoinedStr):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _judged(child)


def _mutant(function: Function, kind: str, old: ast.expr | ast.stmt, new: str) -> Mutant:
    lines = function.source.splitlines(keepends=True)
    before = ast.get_source_segment(function.source, old)
    assert before is not None
    column = len(lines[old.lineno - 1].encode()[: old.col_offset].decode())
    start = sum(map(len, lines[: old.lineno - 1])) + column
    return Mutant(function, kind, old.lineno, start, before, new)


def _changes(node: ast.AST) -> Iterator[Change]:
    """Yield the kind of each mistake to make of a node, the node to replace, and the text to put there."""
    if isinstance(node, ast.expr):
        yield from _expression_changes(node)
    else:
        yield from _statement_changes(node)
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "condition", node.test, f"(not ({ast.unparse(node.test)}))"


def _expression_changes(node: ast.expr) -> Iterator[Change]:
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in COMPARISONS:
            other = ast.Compare(node.left, [COMPARISONS[type(operator)]()], node.comparators)
            yield "comparison", node, f"({ast.unparse(other)})"
        case ast.BoolOp(op=operator):
            swapped = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield "and or", node, f"({ast.unparse(ast.BoolOp(swapped, node.values))})"
        case ast.UnaryOp(op=ast.Not()):
            yield "not", node, f"({ast.unparse(node.operand)})"
        case ast.BinOp(op=operator) if type(operator) in OPERATORS and not _is_text(node):
            other_sum = ast.BinOp(node.left, OPERATORS[type(operator)](), node.right)
            yield "arithmetic", node, f"({ast.unparse(other_sum)})"
        case ast.Constant(value=bool(value)):
            yield "truth", node, str(not value)
        case ast.Constant(value=int(value)):
            yield "number", node, str(value + 1)


def _statement_changes(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield "return", node, "return None"
        case ast.Expr(value=ast.Call() as call) if not ast.unparse(call.func).startswith("log."):
            yield "call", node, "pass"
        case ast.AugAssign(op=operator) if type(operator) in OPERATORS:
            changed = ast.AugAssign(node.target, OPERATORS[type(operator)](), node.value)
            yield "arithmetic", node, ast.unparse(changed)
        case ast.Continue():
            yield "loop", node, "break"
        case ast.Break():
            yield "loop", node, "continue"


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(each, ast.JoinedStr) or _is_string(each) for each in ast.walk(node))


def _is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def find_twin(mutant: Mutant, tree: Tree) -> Mutant | None:
    """Return the same mutant in another tree; ``None`` if its function, or the place in it, is gone."""
    shape = _shape(mutant.before)
    for function in _namesakes(mutant.function, tree):
        alike = [each for each in mutants(function) if each.kind == mutant.kind]
        exact = [each for each in alike if _shape(each.before) == shape]
        if exact:
            place = _place(mutant)
            return min(exact, key=lambda each: abs(_place(each) - place))
    return None


def _place(mutant: Mutant) -> float:
    """Return how far down in its function a mutant is, from 0 to 1."""
    node = mutant.function.node
    if node is None:
        return mutant.start / len(mutant.function.source)
    return (mutant.line - node.lineno) / max(1, (node.end_lineno or node.lineno) - node.lineno)


def _namesakes(function: Function, tree: Tree) -> Iterator[Function]:
    """Yield those functions of a tree that may be the same, the likeliest first."""
    if function.node is None:
        yield from (each for each in tree.scripts if each.name == function.name)
        return
    shape, short = _shape(ast.unparse(function.node)), function.name.rpartition(".")[2]
    for is_same in (function.name.__eq__, lambda name: name.rpartition(".")[2] == short):
        same = [(_likeness(shape, other), each) for other, each in tree.shapes if is_same(each.name)]
        yield from (each for _, each in sorted(same, key=lambda pair: -pair[0]))
    rest = [(_likeness(shape, other), each) for other, each in tree.shapes]
    yield from (
        each for similar, each in sorted(rest, key=lambda pair: -pair[0])[:3] if similar >= MIN_SIMILAR
    )


def _shape(code: str) -> list[str]:
    """Return the tokens of code without its names: what stays when things are renamed."""
    tokens = re.findall(r"\"[^\"]*\"|'[^']*'|\w+|[^\w\s]", code)
    return ["name" if each.isidentifier() and not keyword.iskeyword(each) else each for each in tokens]


def _likeness(one: list[str], other: list[str]) -> float:
    if min(len(one), len(other)) * 3 < max(len(one), len(other)):
        return 0.0
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= MIN_SIMILAR else 0.0
