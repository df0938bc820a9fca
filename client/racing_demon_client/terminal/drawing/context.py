"""The context that all drawings of one picture share."""

from dataclasses import dataclass

from racing_demon_client.terminal.style.densities import Density
from racing_demon_client.terminal.style.glyphs import Glyphs
from racing_demon_protocol.engine.board import Board
from racing_demon_protocol.engine.rules.base import Rules

from .canvas import Canvas
from .scene import Scene


@dataclass(frozen=True, slots=True)
class DrawContext:
    """A canvas, the scene to draw on it, and the style.

    Attributes:
        canvas: the canvas.
        scene: the scene.
        density: the density.
        glyphs: the glyphs.
        width: the columns for the cards; the other players are to the right.
        left: the left margin, which centers the cards of a solo player.

    """

    canvas: Canvas
    scene: Scene
    density: Density
    glyphs: Glyphs
    width: int
    left: int = 0

    @property
    def rules(self) -> Rules:
        """The rules of the hand, which must exist."""
        assert self.scene.rules is not None
        return self.scene.rules

    @property
    def board(self) -> Board:
        """The board of the hand, which must exist."""
        assert self.scene.board is not None
        return self.scene.board
