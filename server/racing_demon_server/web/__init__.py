"""The browser table: its files, and the answers to requests for them."""

__all__ = ["assets", "invitation", "site", "table_list"]
