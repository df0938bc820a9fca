"""The journal: every accepted play is durable before anybody sees it.

:mod:`.interface` defines what a journal offers to tables, and a store to a journal; :mod:`.operations`
defines what can be written. :mod:`.table_journal` turns events into operations, with consecutive plays in
one row (:mod:`.play_runs`), and deletes what is no longer needed. :mod:`.writer` passes operations to a
store in a thread; :mod:`.null_journal` keeps nothing. :mod:`.reader` reads them back, and :mod:`.recovery`
restores tables. :mod:`.matches` lists and exports matches, :mod:`.check` checks journals, and :mod:`.cli` is
the command line. :mod:`.sqlite` is the store in one file.
"""
