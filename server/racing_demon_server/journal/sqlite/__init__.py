"""The journal in one SQLite file: for a server on one machine, with nothing to install."""

__all__ = ["backup", "database", "file", "lock_file", "retention", "sql_schema", "statements", "store"]
