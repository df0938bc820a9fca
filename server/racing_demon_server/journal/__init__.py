"""The journal: every accepted play on the disk before anybody sees it, in one file of SQLite.

:mod:`.keeping` makes rows of what happens, with plays that follow each other in one (:mod:`.runs`), and
:mod:`.folding` says what need not be kept. :mod:`.writer` writes the rows in a thread of its own.
:mod:`.reading` reads them back, :mod:`.past` for a restart. :mod:`.matches` tells matches, and
:mod:`.pruning` deletes old ones. :mod:`.checking` checks files, :mod:`.upkeep` copies them, and
:mod:`.command` is all that on the command line.
"""
