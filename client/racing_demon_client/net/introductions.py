"""Tell a server who somebody is, without taking a seat: for a token, or to become known by a code."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from websockets.exceptions import ConnectionClosed

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.saved_people import DeviceLink, NameSource, PlayerCredentials, kept_names
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.formatting import printable
from racing_demon_protocol.wire.capabilities import ERASES
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Challenge, Identified, Refused

from .transport import ServerConnection

ANSWER_SECONDS = 15.0
KNOWS_NOBODY = "This server knows nobody on this machine."
REMEMBERS_NOBODY = "This server remembers nobody: it keeps no journal, or is older."


class _Introduction:
    """Passes on what a server asks, and keeps what it answers."""

    def __init__(self, person: PlayerCredentials) -> None:
        self._person = person
        self.identity: Identified | None = None
        self.refusal: Refused | None = None

    def answer(self, challenge: Challenge, *, is_older: bool) -> cl.PlayerRequest | None:
        """Return the person's answer; nobody becomes a new player here."""
        answer = self._person.answer(challenge, is_older=is_older)
        return None if isinstance(answer, cl.Enroll) else answer

    def identified(self, answer: Identified) -> None:
        """Keep what the server knows."""
        self._person.identified(answer)
        self.identity = answer

    def refused(self, refusal: Refused) -> None:
        """Keep why the server refuses."""
        self._person.refused(refusal)
        self.refusal = refusal

    def name_at_table(self, name: str) -> str:
        """Return the person's name; nobody takes a seat here."""
        return self._person.name_at_table(name)


@asynccontextmanager
async def _connected(
    url: str, person: PlayerCredentials
) -> AsyncIterator[tuple[ServerConnection, _Introduction]]:
    introduction = _Introduction(person)
    connection = ServerConnection(url, Encoding.MSGPACK, lambda: False, person=introduction)
    try:
        await connection.open()
        yield connection, introduction
    finally:
        await connection.close()


async def _introduced(url: str, person: PlayerCredentials) -> _Introduction:
    async with _connected(url, person) as (_, introduction):
        return introduction


async def identity_at(url: str) -> Identified | None:
    """Return who this user is to a server; ``None`` for a guest.

    If that server knows several people on this machine, it is the one who was chosen last.

    Raises:
        ConnectionFailed: the server cannot be reached.

    """
    if not kept_names(url):
        return None
    return (await _introduced(url, PlayerCredentials(url, "", source=NameSource.LOGIN))).identity


async def player_token(url: str) -> str:
    """Return the token that identifies this user in HTTP requests to a server; empty for a guest.

    Raises:
        ConnectionFailed: the server cannot be reached.

    """
    identity = await identity_at(url)
    return "" if identity is None else identity.token


async def ask_as(
    url: str, name: str, request: cl.PlayerRequest, *, is_own: bool = False
) -> tuple[Identified, Message]:
    """Ask a server something as somebody whom it knows on this machine.

    Args:
        url: the server's address.
        name: the name of the person; empty for the one who was chosen last.
        request: the question, or the change.
        is_own: whether the server is this user's own.

    Returns:
        who that is, and the answer.

    Raises:
        CommandRefused: the server refuses it.
        ConnectionFailed: the server cannot be reached, or knows nobody here.

    """
    source = NameSource.TYPED if name else NameSource.LOGIN
    person = PlayerCredentials(url, name, source=source, is_own=is_own)
    try:
        async with _connected(url, person) as (connection, introduction):
            if introduction.identity is None:
                text = f"This server knows no {printable(name)} here." if name else KNOWS_NOBODY
                raise ConnectionFailed(text)
            connection.verify_known({ERASES} if isinstance(request, cl.ForgetMe) else ())
            await connection.send(request)
            async with asyncio.timeout(ANSWER_SECONDS):
                answer = await connection.receive()
    except (ConnectionClosed, TimeoutError):
        raise ConnectionFailed("The server does not answer.") from None
    if isinstance(answer, Refused):
        raise CommandRefused(answer.reason, printable(answer.text))
    if isinstance(answer, Identified):  # under another name
        person.identified(answer)
    elif isinstance(request, cl.ForgetMe):
        person.forget()
    return introduction.identity, answer


async def link_device(url: str, name: str, code: str) -> Identified:
    """Become another device of a person, with a code that a known device or the server's host shows.

    Raises:
        CommandRefused: the server refuses the code.
        ConnectionFailed: the server cannot be reached, or remembers nobody.

    """
    found = await _introduced(url, DeviceLink(url, name, code))
    if found.refusal is not None:
        raise CommandRefused(found.refusal.reason, printable(found.refusal.text))
    if found.identity is None:
        raise ConnectionFailed(REMEMBERS_NOBODY)
    return found.identity
