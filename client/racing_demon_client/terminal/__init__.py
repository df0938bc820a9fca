"""The terminal table: a view model, pure drawings of it, and the Textual screens on top."""

import os

# Set before Textual is imported: at its default of 60 frames a second a player would wait for painting.
os.environ.setdefault("TEXTUAL_FPS", "240")
