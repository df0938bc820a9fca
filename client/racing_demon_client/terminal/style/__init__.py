"""The style of the table: inks, palettes, glyphs and densities."""
