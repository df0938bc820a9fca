"""Connections to a server: dialing, joining, resuming, and local servers."""
