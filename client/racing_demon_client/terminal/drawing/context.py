"""What all drawings of one picture share."""

from dataclasses import dataclass

from racing_demon_client.terminal.style.densities import Density
from racing_demon_client.terminal.style.glyphs import Glyphs
from racing_demon_protocol.engine.board import Board
from racing_demon_protocol.engine.rules.base import Rules

from .canvas import Canvas
from .scene import Scene

__all__ = ["DrawContext"]


@dataclass(frozen=True, slots=True)
class DrawContext:
    """A canvas, what is to be drawn on it, and how.

    Attributes:
        canvas: where to draw.
        scene: what.
        density: how roomy.
        glyphs: with which signs.
        width: the columns for the cards; the players' part is to their right.
        left: the columns that stay free on the left: who plays alone has the cards in the middle.

    """

    canvas: Canvas
    scene: Scene
    density: Density
    glyphs: Glyphs
    width: int
    left: int = 0

    @property
    def rules(self) -> Rules:
        """The rules of the hand; there must be one."""
        assert self.scene.rules is not None
        return self.scene.rules

    @property
    def board(self) -> Board:
        """The board of the hand; there must be one."""
        assert self.scene.board is not None
        return self.scene.board
