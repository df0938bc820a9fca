"""Whose questions about results are answered when, and who pays for them."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from racing_demon_server.enums import StandingsAccess
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.rate_limits import AddressLimits
from racing_demon_server.results.keeper import ResultsKeeper
from racing_demon_server.results.query import Filter, ResultsUnusable, TooManyQuestions
from racing_demon_server.settings import ServerSettings
from tests.support.servers import PATIENCE


@asynccontextmanager
async def keeping(
    unfinished: Callable[[], list[int]] = list,
    add_to_sums: Callable[..., int | None] = lambda _only: None,
) -> AsyncIterator[ResultsKeeper]:
    """Start a keeper that has nothing to do but answer."""
    maker = SimpleNamespace(
        unfinished=unfinished, apply_corrections=lambda: None, close=lambda: None, is_shared=False
    )
    worker = SimpleNamespace(
        close=lambda: None, reload_names=lambda: None, add_to_sums=add_to_sums, shared_seconds=0.0
    )
    keeper = ResultsKeeper(StandingsAccess.OFF, lambda: cast("Any", (maker, worker)))
    keeper.start()
    try:
        yield keeper
    finally:
        await keeper.close()


async def test_the_questions_of_an_address_take_turns_with_others() -> None:
    """Whoever asks five things at a time keeps nobody waiting for more than one of them."""
    answered: list[str] = []
    async with keeping() as keeper:
        asked = [
            keeper.ask(address, lambda _, address=address: answered.append(address))  # type: ignore[misc]
            for address in ("a", "a", "a", "b")
        ]
        await asyncio.gather(*asked)
    assert answered == ["a", "b", "a", "a"]


async def test_what_is_being_made_keeps_no_answer_waiting() -> None:
    """Making and answering have a thread each."""
    is_answered = threading.Event()

    def make() -> list[int]:
        assert is_answered.wait(PATIENCE)
        return []

    async with keeping(make) as keeper:
        assert await keeper.ask("a", lambda _: "answer") == "answer"
        is_answered.set()


async def test_whether_results_can_be_read_is_known() -> None:
    """A server whose file of results is damaged while it runs says so, until it can read it again."""

    def read(_: object) -> None:
        raise JournalUnusable("it is damaged")

    async with keeping() as keeper:
        with pytest.raises(ResultsUnusable):
            await keeper.ask("ann", read)
        assert keeper.is_unusable
        await keeper.ask("ann", lambda _: None)
        assert not keeper.is_unusable


async def test_a_dear_question_is_paid_before_the_next_of_its_address() -> None:
    """Also when the next one was asked before anybody knew what the first would cost."""
    async with keeping() as keeper:
        first, second, other = await asked_dearly(keeper, "a", "a", "b", shared=False)
    assert (first, type(second), other) == ("answer", TooManyQuestions, "answer")


async def test_nobody_pays_for_what_is_made_for_everybody() -> None:
    """Whoever asks first after a start, or after players were merged, asks again like the others."""
    async with keeping() as keeper:
        assert await asked_dearly(keeper, "a", "a", shared=True) == ["answer", "answer"]


async def test_sums_of_one_keep_others_waiting_for_a_slice() -> None:
    """Whoever asks for a season that takes long to add up lets others' questions be answered meanwhile."""
    is_answered = threading.Event()

    def add_to_sums(_only: Filter, sums: int | None = None) -> int | None:
        return None if is_answered.is_set() else (sums or 0) + 1

    async with keeping(add_to_sums=add_to_sums) as keeper:
        dear = asyncio.ensure_future(keeper.ask("a", lambda _: "season", sums=[Filter(game="klondike")]))
        assert await keeper.ask("b", lambda _: "answer") == "answer"
        assert not dear.done()
        is_answered.set()
        assert await dear == "season"


async def asked_dearly(keeper: ResultsKeeper, *addresses: str, shared: bool) -> list[object]:
    """Let addresses ask what takes long, or takes long because it makes what all others are shown, too."""
    limits = AddressLimits(ServerSettings(units_per_address=10))

    def dear(worker: Any) -> str:
        began = time.thread_time()
        while time.thread_time() < began + 0.02:
            pass
        worker.shared_seconds += shared * (time.thread_time() - began)
        return "answer"

    asked = [
        keeper.ask(
            address,
            dear,
            lambda address=address: limits.may_read(address, 0),  # type: ignore[misc]
            lambda seconds, address=address: limits.charge_reading(address, 0, seconds),  # type: ignore[misc]
        )
        for address in addresses
    ]
    return await asyncio.gather(*asked, return_exceptions=True)
