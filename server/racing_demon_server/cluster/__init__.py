"""Several servers on one database: which are alive, which owns each table, and how tables move.

:mod:`.watch` decides which silent nodes are dead. :mod:`.statements` has all SQL. :mod:`.member` writes
beats and reads those of others, in its own thread. :mod:`.membership` is the node on the event loop: it opens
tables that the node has received, says where other tables are, drains, and stops when it is fenced.
:mod:`.finder` finds tables of other nodes.
"""
