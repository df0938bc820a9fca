"""One test for many cases: it tries them all, and tells each that failed."""

import reprlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, iscoroutinefunction, signature
from typing import Any, Final, NamedTuple, TypeVar

import pytest

F = TypeVar("F", bound=Callable[..., Any])

AT_ONCE_WHEN_LONG: Final = 10
"""So many of the cases that are marked ``long`` are one test: each of them may take its time."""


class Case(NamedTuple):
    """What a test is tried with, under the name that is told when it fails."""

    name: str
    values: dict[str, Any]
    is_long: bool


def for_each(
    names: str | Sequence[str],
    values: Iterable[Any],
    ids: Iterable[object] | Callable[[Any], object] | None = None,
) -> Callable[[F], F]:
    """Try a test with each of these values, as ``pytest.mark.parametrize`` would, but in one test.

    Its cases share what pytest prepares for a test: a folder, a monkeypatch. What is marked ``long`` is left
    to tests of its own.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = list(_cases(arguments, list(values), ids))
    usual, long = ([case for case in cases if case.is_long is is_long] for is_long in (False, True))
    parts = [long[at : at + AT_ONCE_WHEN_LONG] for at in range(0, len(long), AT_ONCE_WHEN_LONG)]

    def decorate(test: F) -> F:
        if not long:
            return _looping(test, arguments, usual)
        part = "_".join(arguments) + "_part"
        choices = [pytest.param(usual, id="usual")] if usual else []
        choices += [pytest.param(some, id=some[0].name, marks=pytest.mark.long) for some in parts]
        marked: F = pytest.mark.parametrize(part, choices)(_looping(test, arguments, part))
        return marked

    return decorate


def _cases(arguments: Sequence[str], values: Sequence[Any], ids: Any) -> Iterator[Case]:
    names = [None] * len(values) if ids is None or callable(ids) else map(str, ids)
    for value, name in zip(values, names, strict=True):
        is_marked = isinstance(value, type(pytest.param()))
        parts = value.values if is_marked else value if len(arguments) > 1 else (value,)
        tell = ids if callable(ids) else reprlib.repr
        said = name or (is_marked and value.id) or ", ".join(str(tell(part)) for part in parts)
        is_long = is_marked and any(mark.name == "long" for mark in value.marks)
        yield Case(said, dict(zip(arguments, parts, strict=True)), is_long)


def _looping(test: F, arguments: Sequence[str], cases: list[Case] | str) -> F:
    """Return a test that tries these cases, or those that its argument with this name holds."""

    def chosen(given: dict[str, Any]) -> list[Case]:
        some: list[Case] = given.pop(cases) if isinstance(cases, str) else cases
        return some

    def loop(**given: Any) -> None:
        with _told_together() as tried:
            for case in chosen(given):
                with tried(case):
                    test(**case.values, **given)

    async def loop_async(**given: Any) -> None:
        with _told_together() as tried:
            for case in chosen(given):
                with tried(case):
                    await test(**case.values, **given)

    # What Hypothesis notes at a test is not to be found at this one: it runs the former by itself.
    looping: Any = wraps(test, updated=())(loop_async if iscoroutinefunction(test) else loop)
    looping.pytestmark = list(getattr(test, "pytestmark", []))
    shape = signature(test)
    others = [argument for name, argument in shape.parameters.items() if name not in arguments]
    part = [Parameter(cases, Parameter.KEYWORD_ONLY)] if isinstance(cases, str) else []
    looping.__signature__ = shape.replace(parameters=[*others, *part])
    result: F = looping
    return result


@contextmanager
def _told_together() -> Iterator[Callable[[Case], Any]]:
    """Collect what fails, and fail with all of it in the end."""
    failures: list[BaseException] = []

    @contextmanager
    def tried(case: Case) -> Iterator[None]:
        try:
            yield
        except (Exception, pytest.fail.Exception) as failure:
            failure.add_note(f"case: {case.name}")
            failures.append(failure)
            if str(failure).startswith("Timeout"):  # the limit is that of the whole test
                raise BaseExceptionGroup("cases failed, and the last took too long", failures) from None

    yield tried
    if failures:
        raise BaseExceptionGroup(f"{len(failures)} cases failed", failures)
