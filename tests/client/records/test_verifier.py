"""The proof of each hand."""

from racing_demon_client.records.verifier import Verifier
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import events as ev
from tests.support.matches import log_of, options_of


async def _proved(*, falsely: bool = False, begin: int = 0) -> str:
    """Return what comes of the first hand of a match, seen from an event on; falsely with another secret."""
    view, verifier = TableState("SIM", options_of("shouted")), Verifier()
    for number, event in enumerate(log_of("shouted")):
        is_over = isinstance(event, ev.HandOver)
        told = event.model_copy(update={"seed": "00" * 32}) if is_over and falsely else event
        if number == begin:
            verifier.observe(view.snapshot(0), view)
        view.apply(told)
        if number >= begin:
            verifier.observe(told, view)
        if is_over:
            break
    await verifier.verify()
    return verifier.proof


async def test_a_hand_that_is_right_is_said_to_be() -> None:
    """The promise, the deal and every play are checked when the secret is told."""
    assert (await _proved()).startswith("Checked: the server alone shuffled")


async def test_a_server_that_cheats_is_found_out() -> None:
    """A secret that is not the one that was promised is no proof."""
    assert (await _proved(falsely=True)).startswith("NOT RIGHT: ")


async def test_a_hand_that_was_not_seen_whole_cannot_be_checked() -> None:
    """Whoever has come in the middle of it is told so."""
    assert await _proved(begin=60) == "You came after the deal, so this hand's shuffle can't be checked here."
