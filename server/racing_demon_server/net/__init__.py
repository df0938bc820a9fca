"""The server's edge: connections, sessions, HTTP, limits by address, and the announcement by mDNS."""

__all__ = ["address_limits", "announcer", "costs", "gateway", "http", "service", "session", "transport"]
