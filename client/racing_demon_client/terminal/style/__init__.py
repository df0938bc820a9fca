"""The style of the table: inks, palettes, glyphs and densities."""

__all__ = ["densities", "glyphs", "ink", "look", "palette", "signs"]
