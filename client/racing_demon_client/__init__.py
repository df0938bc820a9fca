"""Thin clients: they draw the board and send intents; the server decides."""
