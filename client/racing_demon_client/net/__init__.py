"""Connections to a server: dialing, joining, resuming, and local servers."""

__all__ = [
    "connection",
    "contributor",
    "dialer",
    "local_server",
    "probe",
    "seat_store",
    "table_source",
    "transport",
]
