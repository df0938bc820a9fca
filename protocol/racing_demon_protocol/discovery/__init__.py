"""Discovery of tables: the directory at a broker, a broker's address, and mDNS announcements."""

__all__ = ["broker_address", "directory", "mdns"]
