"""Patience alone: a table in this process, over the same rules, dealer and events as a server's."""
