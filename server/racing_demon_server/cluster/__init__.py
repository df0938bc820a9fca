"""Several servers on one database: who lives, who has which table, and how a table changes hands.

:mod:`.watch` takes silent nodes for dead. :mod:`.statements` has all SQL. :mod:`.member` beats and looks in a
thread of its own, :mod:`.membership` is the node on the event loop: it opens tables that have become its own,
answers where others are, drains, and ends when it is fenced. :mod:`.finder` finds tables of others.
"""

__all__ = [
    "adoption",
    "cli",
    "directory",
    "finder",
    "member",
    "membership",
    "peers",
    "statements",
    "watch",
    "worker",
]
