"""The QR code of a table's address."""

import io
import re
from functools import lru_cache
from http import HTTPStatus
from typing import Final

from .assets import ALONE, HttpResponse

PATH: Final = re.compile(r"/qr/([A-Z]{4,16})\.svg")
"""The path of a code's picture. It does not reveal whether the table exists."""
QUIET: Final = 2
MOST_KEPT: Final = 256
HEADERS: Final = (
    ("Content-Type", "image/svg+xml"),
    ("Cache-Control", "no-cache"),
    *ALONE,
)


def invitation(origin: str, code: str) -> HttpResponse:
    """Return the QR code of a table's address.

    Args:
        origin: the scheme, host and port at which others reach the server.
        code: the table's code.

    """
    return HttpResponse(HTTPStatus.OK, HEADERS, _drawn(f"{origin}/{code}"))


@lru_cache(maxsize=MOST_KEPT)
def _drawn(address: str) -> bytes:
    import segno  # noqa: PLC0415 - a server starts without it

    # An address in capitals makes a smaller picture; schemes, hosts and codes ignore case.
    drawn = io.BytesIO()
    segno.make_qr(address.upper(), error="m").save(drawn, kind="svg", border=QUIET, xmldecl=False)
    return drawn.getvalue()
