"""The screens of the terminal client, one module each."""

__all__ = ["dialogs", "games", "options", "picture", "players", "table", "tables", "welcome"]
