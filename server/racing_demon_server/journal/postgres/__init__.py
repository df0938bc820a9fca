"""The journal in a PostgreSQL database: for many servers, each of which owns some of the tables."""

__all__ = ["connection", "nodes", "read_ahead", "reader", "schema", "statements", "store"]
