"""The look on this terminal: palette, glyphs and density, from the settings and the terminal."""

from dataclasses import dataclass, replace

from racing_demon_client.streams import is_poor

from .densities import fitting_in
from .glyphs import ASCII, UNICODE, Glyphs
from .palette import NAMES, Depth, Palette, palette


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """How the table looks.

    Attributes:
        palette_name: the chosen palette; ``auto`` for the dark one.
        depth: the terminal's color depth.
        density: the chosen density, or ``auto``.
        glyphs: the glyphs.
        mark_red: whether red cards have a second cue beside their color.
        motion: whether changes flash and banners are shown.

    """

    palette_name: str = "auto"
    depth: Depth = Depth.TRUE
    density: str = "auto"
    glyphs: Glyphs = UNICODE
    mark_red: bool = False
    motion: bool = True

    @property
    def palette(self) -> Palette:
        """The palette in use."""
        name = "dark" if self.palette_name == "auto" else self.palette_name
        return palette(name, self.depth, mark_red=self.mark_red)

    def next_palette(self) -> "Look":
        """Return this look with the next palette."""
        name = self.palette.name
        return replace(self, palette_name=NAMES[(NAMES.index(name) + 1) % len(NAMES)])

    def next_density(self, width: int, height: int) -> "Look":
        """Return this look with the next density that fits the terminal and changes the picture.

        Return it unchanged if there is none: a choice without effect must not be saved.
        """
        fitting = ["auto", *(density.name for density in fitting_in(width, height))]
        if len(fitting) <= len(("auto", "small")):
            return self
        place = fitting.index(self.density) if self.density in fitting else 0
        return replace(self, density=fitting[(place + 1) % len(fitting)])

    def other_motion(self) -> "Look":
        """Return this look with motion toggled."""
        return replace(self, motion=not self.motion)


def glyphs_for(wanted: str, encoding: str) -> Glyphs:
    """Return the glyphs for a terminal.

    Args:
        wanted: ``unicode``, ``ascii`` or ``auto``.
        encoding: the encoding of the terminal's output.

    """
    return ASCII if wanted == "ascii" or (wanted == "auto" and is_poor(encoding)) else UNICODE
