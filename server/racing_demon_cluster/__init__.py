"""Several servers that share a database: which are alive, which owns each table, and how tables move.

:mod:`.heartbeat` writes heartbeats and reads those of others, in its own thread, and decides which silent
nodes are dead. :mod:`.statements` has all SQL about nodes. :mod:`.membership` is the node on the event loop:
it opens the tables that the node receives, locates others, drains, and stops when it is fenced.
:mod:`.table_lookup` finds tables of other nodes.
"""
