"""Tell a server who somebody is, without taking a seat: for a token, or to become known by a code."""

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.saved_people import DeviceLink, NameSource, PlayerCredentials, kept_names
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.formatting import printable
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Challenge, Identified, Refused

from .transport import ServerConnection

REMEMBERS_NOBODY = "This server remembers nobody: it keeps no journal, or is older."


class _Introduction:
    """Passes on what a server asks, and keeps what it answers."""

    def __init__(self, person: PlayerCredentials) -> None:
        self._person = person
        self.known: Identified | None = None
        self.refusal: Refused | None = None

    def answer(self, challenge: Challenge, *, is_older: bool) -> cl.PlayerRequest | None:
        """Return the person's answer; nobody becomes a new player here."""
        answer = self._person.answer(challenge, is_older=is_older)
        return None if isinstance(answer, cl.Enroll) else answer

    def identified(self, answer: Identified) -> None:
        """Keep what the server knows."""
        self._person.identified(answer)
        self.known = answer

    def refused(self, refusal: Refused) -> None:
        """Keep why the server refuses."""
        self._person.refused(refusal)
        self.refusal = refusal

    def name_at_table(self, name: str) -> str:
        """Return the person's name; nobody takes a seat here."""
        return self._person.name_at_table(name)


async def _introduced(url: str, person: PlayerCredentials) -> _Introduction:
    introduction = _Introduction(person)
    connection = ServerConnection(url, Encoding.MSGPACK, lambda: False, person=introduction)
    try:
        await connection.open()
    finally:
        await connection.close()
    return introduction


async def player_token(url: str) -> str:
    """Return the token that identifies this user in HTTP requests to a server; empty for a guest.

    If that server knows several people on this machine, it is the one who was chosen last.

    Raises:
        ConnectionFailed: the server cannot be reached.

    """
    if not kept_names(url):
        return ""
    found = await _introduced(url, PlayerCredentials(url, "", source=NameSource.LOGIN))
    return "" if found.known is None else found.known.token


async def link_device(url: str, name: str, code: str) -> Identified:
    """Become another device of a person, with a code that a known device or the server's host shows.

    Raises:
        CommandRefused: the server refuses the code.
        ConnectionFailed: the server cannot be reached, or remembers nobody.

    """
    found = await _introduced(url, DeviceLink(url, name, code))
    if found.refusal is not None:
        raise CommandRefused(found.refusal.reason, printable(found.refusal.text))
    if found.known is None:
        raise ConnectionFailed(REMEMBERS_NOBODY)
    return found.known
