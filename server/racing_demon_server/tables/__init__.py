"""All tables of a server: each with its room, its commit queue, its players and its spectators."""
