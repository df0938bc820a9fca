"""The terminal table: a desk without a screen, pure drawings of it, and the Textual screens on top."""

import os

# Before Textual is imported: at its usual 60 a second painting, and not playing, would be what one waits for.
os.environ.setdefault("TEXTUAL_FPS", "240")
