"""The arithmetic of colors: how well one is read on another, how far two are apart for all kinds of sight.

Contrast is that of WCAG 2.2 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio). Color blindness is simulated
after Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
Deficiency" (IEEE TVCG 15, 2009), at full severity, on linear light. Distances are CIE 1976: straight lines in
L*a*b* under D65, where 2 is just seen, and 20 is told at a glance.
"""

from enum import Enum
from itertools import combinations, product

Light = tuple[float, float, float]
"""Red, green and blue, linear, 0 to 1."""

D65: Light = (0.95047, 1.0, 1.08883)

XYZ = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
"""From linear sRGB (IEC 61966-2-1)."""


class Sight(Enum):
    """A kind of sight, with its matrix from Machado's table for severity 1."""

    FULL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    PROTAN = (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    )
    DEUTAN = (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    )
    TRITAN = (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    )


def contrast(one: str, other: str) -> float:
    """Return the WCAG contrast of two colors: 1 (none) to 21 (black on white)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def difference(one: str, other: str, sight: Sight = Sight.FULL) -> float:
    """Return Delta E (CIE 1976) of two colors as that sight has them."""
    pairs = zip(_lab(_seen(one, sight)), _lab(_seen(other, sight)), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)


def families(red: tuple[str, str], black: tuple[str, str]) -> float:
    """Return the least Delta E of any red and any black suit, over all kinds of sight."""
    return min(difference(*pair, sight) for sight in Sight for pair in product(red, black))


def apart(*colors: str) -> float:
    """Return the least Delta E of any two of these colors, over all kinds of sight."""
    return min(difference(*pair, sight) for sight in Sight for pair in combinations(colors, 2))


def _linear(color: str) -> Light:
    red, green, blue = (_unbend(int(color[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return red, green, blue


def _unbend(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def _luminance(color: str) -> float:
    red, green, blue = _linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _seen(color: str, sight: Sight) -> Light:
    red, green, blue = (min(max(value, 0.0), 1.0) for value in _times(sight.value, _linear(color)))
    return red, green, blue


def _lab(light: Light) -> Light:
    x, y, z = (_root(value / white) for value, white in zip(_times(XYZ, light), D65, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _root(value: float) -> float:
    return float(value ** (1 / 3)) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116


def _times(matrix: tuple[Light, Light, Light], light: Light) -> Light:
    red, green, blue = (sum(a * b for a, b in zip(row, light, strict=True)) for row in matrix)
    return red, green, blue
