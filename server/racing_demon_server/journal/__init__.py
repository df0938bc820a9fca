"""The journal: every accepted play on the disk before anybody sees it, in one file of SQLite.

:mod:`.keeping` makes rows of what happens, with plays that follow each other in one (:mod:`.runs`);
:mod:`.writer` writes them in a thread of its own, :mod:`.reading` reads tables back after a restart,
:mod:`.matches` tells matches, :mod:`.upkeep` copies and checks files, and :mod:`.command` is all that on the
command line.
"""
