"""Where a table comes from: a server, a broker, a record, or a game alone."""
