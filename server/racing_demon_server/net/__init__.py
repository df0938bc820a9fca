"""The server's edge: connections, sessions, HTTP, limits by address, and the announcement by mDNS."""
