"""One request to a receiver: the smallest HTTP client that suffices. It follows no redirects."""

import asyncio
import re
import ssl
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from racing_demon_protocol import __version__

from .endpoint import Endpoint

ANSWER_SECONDS: Final = 10.0
"""How long a receiver may take to answer."""
MAX_LINE: Final = 4_096
MAX_ANSWER: Final = 16_384
"""The most bytes that are read of an answer."""
REST_SECONDS: Final = 1.0
"""How long the rest of an answer may take; only the receiver's log is better for reading it."""


class NoAnswer(Exception):
    """A receiver cannot be reached, or does not answer as HTTP servers do. The text says why."""


async def post(
    to: Endpoint, headers: Mapping[str, str], body: bytes, tls: ssl.SSLContext | None = None
) -> int:
    """Send a request, and return the status of the answer.

    Args:
        to: the receiver.
        headers: headers of the request, besides those of every request.
        body: its JSON.
        tls: checks the receiver's certificate.

    Raises:
        NoAnswer: there is none in time.

    """
    lines = {
        "Host": to.authority,
        "User-Agent": f"racing-demon/{__version__}",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **headers,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            reader, writer = await asyncio.open_connection(to.host, to.port, ssl=tls, limit=MAX_LINE)
            try:
                writer.write(f"POST {to.path} HTTP/1.1\r\n{head}\r\n".encode() + body)
                status = _status(await reader.readuntil(b"\n"))
                with suppress(TimeoutError, OSError):
                    await _read_rest(reader)
            finally:
                writer.transport.abort()
    except TimeoutError:
        raise NoAnswer(f"no answer within {ANSWER_SECONDS:g} seconds") from None
    except ssl.SSLCertVerificationError as error:
        raise NoAnswer(f"its certificate is not valid: {error.verify_message}") from None
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        raise NoAnswer("it answers as no HTTP server does") from None
    except (OSError, UnicodeError) as error:
        raise NoAnswer(getattr(error, "strerror", None) or "it cannot be reached") from None
    return status


async def _read_rest(reader: asyncio.StreamReader) -> None:
    async with asyncio.timeout(REST_SECONDS):
        left = MAX_ANSWER
        while left > 0 and (part := await reader.read(left)):
            left -= len(part)


def _status(line: bytes) -> int:
    """Return the status in the first line of an answer.

    Raises:
        NoAnswer: there is none.

    """
    match = re.match(rb"HTTP/1\.[01] ([2-5]\d\d)\b", line)
    if match is None:
        raise NoAnswer("it answers as no HTTP server does")
    return int(match[1])


async def connection_problem(to: Endpoint) -> str:
    """Connect to the receiver, and leave again. Return why that is not possible; empty if it is."""
    tls = ssl.create_default_context() if to.is_tls else None
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            _, writer = await asyncio.open_connection(to.host, to.port, ssl=tls)
    except TimeoutError:
        return "it does not answer"
    except ssl.SSLCertVerificationError as error:
        return f"its certificate is not valid: {error.verify_message}"
    except (OSError, UnicodeError) as error:
        return getattr(error, "strerror", None) or str(error)
    writer.transport.abort()
    return ""
