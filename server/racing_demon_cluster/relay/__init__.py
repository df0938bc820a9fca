"""A server that shows the tables of another one to spectators, and holds none of its own."""
