"""How the table looks: inks, palettes, glyphs and densities."""
