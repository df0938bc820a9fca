"""Solo games: a table in this process, with the same rules, dealer and events as a server's."""
