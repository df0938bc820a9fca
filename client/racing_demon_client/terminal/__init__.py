"""The terminal table: a desk without a screen, pure drawings of it, and the Textual screens on top."""
