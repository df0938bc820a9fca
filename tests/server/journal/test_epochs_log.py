"""Which starts of a server have written a table's log."""

from racing_demon_server.journal.table_journal import Epochs
from tests.support.cases import for_each


@for_each(
    ("epoch", "seq", "is_there"),
    [
        ("first", 10, True),
        ("first", 11, False),
        ("second", 9, True),
        ("second", 10, True),
        ("second", 11, False),
        ("third", 31, True),
        ("elsewhere", 1, False),
        ("", 1, False),
    ],
)
def test_an_event_is_known_up_to_the_end_of_its_epoch(epoch: str, seq: int, is_there: bool) -> None:
    """An epoch ends where the next one begins; the second one here wrote nothing, and the third goes on."""
    epochs = Epochs([("first", 0), ("second", 10), ("third", 10)])
    assert epochs.current == "third"
    assert is_there is epochs.contain(epoch, seq)
