"""The journal: every accepted play is durable before anybody sees it.

:mod:`.interface` says what a journal is to the tables, and what a store is to a journal; :mod:`.operations`
what can be written. :mod:`.rows` makes operations of what happens, with plays that follow each other in one
(:mod:`.play_runs`), and :mod:`.compaction` says what need not be kept. :mod:`.writer` hands them to a store
in a thread of its own; :mod:`.immediate` keeps nothing. :mod:`.reader` reads them back, :mod:`.recovery` for
a restart. :mod:`.matches` tells matches, :mod:`.check` checks journals, and :mod:`.cli` is all that on the
command line. :mod:`.sqlite` is the store in one file; :mod:`.stores` chooses.
"""
