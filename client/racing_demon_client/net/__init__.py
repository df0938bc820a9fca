"""Connections to a server: dialing, joining, resuming, and local servers."""

__all__ = [
    "base_source",
    "connection",
    "contributor",
    "dialer",
    "local_server",
    "probe",
    "seat_store",
    "transport",
]
