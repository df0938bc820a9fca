"""The connection to a server: dialing, joining, resuming, and a server of one's own."""
