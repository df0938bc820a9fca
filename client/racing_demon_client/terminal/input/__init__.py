"""What a player can do, and which key does it."""

__all__ = ["actions", "keymap", "presets"]
