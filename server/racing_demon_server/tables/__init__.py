"""The tables of a server: each with its room, commit queue, players and spectators."""
