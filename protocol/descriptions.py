"""Descriptions of the wire's fields, options and words, for ``schema.json`` and the documents of the wire.

They stand below their definitions in the package.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import zip_longest
from types import ModuleType
from typing import Any, get_args

from racing_demon_protocol.enums import BotLevel
from racing_demon_protocol.formatting import join_words
from racing_demon_protocol.wire.messages import base


def kinds_of(annotation: Any) -> Iterator[Any]:
    """Yield an annotation, and all that it is made of."""
    yield annotation
    for part in get_args(annotation):
        yield from kinds_of(part)


@cache
def beside(cls: type) -> dict[str, str]:
    """Return the descriptions below the options, fields or members of a class.

    A field that has none is described by its type, such as ``Seat``.
    """
    (model,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(model, ast.ClassDef)
    words = {}
    for member, text in _described(model.body):
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            kind = ast.unparse(member.annotation).removesuffix(" | None")
            if text or kind in _types():
                words[member.target.id] = _with_levels(kind, text or _types()[kind])
        elif isinstance(member, ast.Assign) and isinstance(member.value, ast.Constant) and text:
            words[str(member.value.value)] = text
    return words


def meanings(cls: type[base.WireModel]) -> dict[str, str]:
    """Return the meaning of each field of a message or row.

    Raises:
        KeyError: a field is not described.

    """
    models = [model for model in cls.__mro__[::-1] if issubclass(model, base.WireModel)]
    words = {name: text for model in models for name, text in beside(model).items()}
    return {name: words[name] for name in cls.model_fields}


def words_of(module: ModuleType) -> dict[str, str]:
    """Return the descriptions below a module's constants that are words, by these words."""
    return {
        str(member.value.value): text
        for member, text in _described(ast.parse(inspect.getsource(module)).body)
        if isinstance(member, ast.AnnAssign) and isinstance(member.value, ast.Constant)
    }


@cache
def _types() -> dict[str, str]:
    """Return the descriptions of the types of fields."""
    return {
        ast.unparse(member.targets[0]): text
        for member, text in _described(ast.parse(inspect.getsource(base)).body)
        if isinstance(member, ast.Assign) and text
    }


def _described(body: Sequence[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Yield each statement with the docstring below it; empty if there is none."""
    for member, below in zip_longest(body, body[1:]):
        match below:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield member, plain(text)
            case _:
                yield member, ""


def _with_levels(kind: str, text: str) -> str:
    """Return a description, with the levels of bots if these are the field's values."""
    if kind != BotLevel.__name__:
        return text
    return f"{text.removesuffix('.')}: {join_words([f'`{level}`' for level in BotLevel], 'or')}."


def plain(text: str) -> str:
    """Return a docstring as Markdown for readers who do not know Python or these sources."""
    text = re.sub(r" \((?:A\d+)\b[^)]*\)", "", inspect.cleandoc(text))
    text = re.sub(r":\w+:`[\w.~]*?(\w+)`", lambda link: f"`{wire_name(link[1])}`", text)
    return text.replace("``None``", "null").replace("``", "`")


def wire_name(name: str) -> str:
    """Return the name of a class on the wire, such as ``hand_over``."""
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")
