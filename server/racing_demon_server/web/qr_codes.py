"""QR codes of tables' addresses."""

import io
import re
from functools import lru_cache
from typing import Final

QR_PATH: Final = re.compile(r"/qr/([A-Z]{4,16})\.svg")
"""The path of a code's picture. It does not reveal whether the table exists."""
QUIET_ZONE: Final = 2
"""The width of the margin, in modules."""
MAX_CACHED: Final = 256


@lru_cache(maxsize=MAX_CACHED)
def qr_code(address: str) -> bytes:
    """Return the QR code of a table's address as SVG, which is kept."""
    return draw(address)


def draw(address: str) -> bytes:
    """Return the QR code of an address as SVG, which is not kept."""
    import segno  # noqa: PLC0415 - a server starts without it

    drawn = io.BytesIO()
    segno.make_qr(address, error="m").save(drawn, kind="svg", border=QUIET_ZONE, xmldecl=False)
    return drawn.getvalue()
