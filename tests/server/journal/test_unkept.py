"""A server that keeps nothing makes no rows of what happens."""

from racing_demon_server.journal.clock_watermark import ClockWatermark
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.table_journal import TableJournal


def test_secrets_make_no_rows_where_nothing_is_kept() -> None:
    """The journal of a table at such a server has nothing to write after a secret was noted."""
    journal = NullJournal()
    table = TableJournal(journal, 1, lambda: 0, ClockWatermark(journal, lambda: 0))
    table.append_details(1, seeds=[("hand", bytes(32))])
    assert not table.has_pending
