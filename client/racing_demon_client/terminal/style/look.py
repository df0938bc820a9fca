"""How everything looks on this terminal: palette, glyphs and density, from settings and surroundings."""

from dataclasses import dataclass, replace

from racing_demon_client.environment import is_poor

from .densities import fitting_in
from .glyphs import ASCII, UNICODE, Glyphs
from .palette import NAMES, Depth, Palette, palette

__all__ = ["Look", "glyphs_for"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """How the table looks.

    Attributes:
        palette_name: the palette that was chosen; ``auto`` for the dark one.
        depth: how many colours the terminal has.
        density: the density that was chosen, or ``auto``.
        glyphs: the signs.
        mark_red: whether red cards have a second cue beside their colour.
        motion: whether changes flash, and big words are shown.

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
        """Return the same with the next palette."""
        name = self.palette.name
        return replace(self, palette_name=NAMES[(NAMES.index(name) + 1) % len(NAMES)])

    def next_density(self, width: int, height: int) -> "Look":
        """Return the same with the next density that a terminal has room for, and that changes something.

        Where there is but one, it stays as it is: what has no effect here is not to be kept for elsewhere.
        """
        fitting = ["auto", *(density.name for density in fitting_in(width, height))]
        if len(fitting) <= len(("auto", "small")):
            return self
        place = fitting.index(self.density) if self.density in fitting else 0
        return replace(self, density=fitting[(place + 1) % len(fitting)])

    def other_motion(self) -> "Look":
        """Return the same with motion off, or on again."""
        return replace(self, motion=not self.motion)


def glyphs_for(wanted: str, encoding: str) -> Glyphs:
    """Return the signs that a terminal can show.

    Args:
        wanted: ``unicode``, ``ascii`` or ``auto``.
        encoding: that of the terminal's output.

    """
    return ASCII if wanted == "ascii" or (wanted == "auto" and is_poor(encoding)) else UNICODE
