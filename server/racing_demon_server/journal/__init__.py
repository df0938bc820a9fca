"""The journal: every accepted play on the disk before anybody sees it, in one file of SQLite.

:mod:`.journal.rows` makes rows of what happens, with plays that follow each other in one
(:mod:`.journal.play_runs`), and :mod:`.journal.compaction` says what need not be kept. :mod:`.journal.writer`
writes the rows in a thread of its own. :mod:`.journal.reader` reads them back, :mod:`.journal.recovery` for a
restart. :mod:`.journal.matches` tells matches, and :mod:`.journal.retention` deletes old ones.
:mod:`.journal.check` checks files, :mod:`.journal.backup` copies them, and :mod:`.journal.cli` is all that on
the command line.
"""
