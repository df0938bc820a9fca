"""Sources of a table: a server, a broker, a record, or a solo game."""

__all__ = ["broker", "broker_connection", "openers", "replay", "solo"]
