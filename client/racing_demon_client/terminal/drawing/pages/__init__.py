"""Pictures shown between hands: lobby, tally, analysis and help."""

__all__ = ["analysis", "frame", "help", "lobby", "tally"]
