"""Sources of a table: a server, a broker, a record, or a solo game."""
