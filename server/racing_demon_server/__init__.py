"""The authoritative server: deals, judges plays in order of arrival, and broadcasts the results."""

__all__ = [
    "app",
    "arguments",
    "bots",
    "cli",
    "durability",
    "frames",
    "journal",
    "match",
    "mqtt",
    "net",
    "network_interfaces",
    "ops",
    "rate_limit",
    "settings",
    "sharding",
    "tables",
    "wakeup",
    "web",
    "workers",
]
