"""The tunnel of this user's own server: opened, closed, and the invitation over the internet."""

import asyncio
import contextlib
from typing import Final

from pydantic import ValidationError

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.local_server import NO_JOURNAL, JournalConfig
from racing_demon_client.net.transport import fetch_page
from racing_demon_client.shared.invitation import MAX_TROUBLE, Invitation, SeatLink
from racing_demon_protocol.constants import WEBSOCKET_PATH

from .operator import UNKNOWN_FORMAT, command_server

POLL_SECONDS: Final = 2.0
ANSWER_SECONDS: Final = 5.0
STARTING: Final = Invitation(trouble="The tunnel is starting.")
CLOSED: Final = Invitation()
CLOSING: Final = Invitation(trouble="The tunnel is closing.")
FIXED: Final = (
    "A table without a journal is opened to the internet from the start, with --internet, and stays open "
    "until it ends."
)


class InternetAccess:
    """Opens the tunnel of a server on this machine, closes it, and asks for the invitation from time to time.

    Attributes:
        is_wanted: whether the tunnel is to be open.

    Args:
        url: the server's full address.
        code: the table's code.
        journal: the server's journal.
        tunnel: which tunnel, as for the server's ``--tunnel``.
        address: the tunnel's address, if its program does not print it.
        is_wanted: whether the server has started it.

    """

    def __init__(  # noqa: PLR0913 - which server, and which tunnel
        self,
        url: str,
        code: str,
        journal: JournalConfig,
        tunnel: str,
        address: str,
        *,
        is_wanted: bool,
    ) -> None:
        self.is_wanted = is_wanted
        self._page = f"{url.removesuffix(WEBSOCKET_PATH)}/internet/{code}.json"
        self._code = code
        self._journal = journal
        self._tunnel = tunnel
        self._address = address
        self._last = STARTING if is_wanted else CLOSED
        self._refusal = ""
        self._is_turned = False
        self._woken = asyncio.Event()

    @property
    def invitation(self) -> Invitation:
        """The server's last invitation, and why it could not open or close the tunnel."""
        return self._last.model_copy(update={"trouble": self._refusal}) if self._refusal else self._last

    @property
    def is_fixed(self) -> bool:
        """Whether the server takes no commands, so that the tunnel stays as it is."""
        return self._journal == NO_JOURNAL

    @property
    def is_open(self) -> bool:
        """Whether the tunnel is open, or is being opened."""
        return self.is_wanted or bool(self._last.link)

    def turn(self, *, on: bool) -> None:
        """Open the tunnel soon, or close it; say so where that cannot be."""
        if self.is_fixed:
            self._refusal = FIXED
            return
        self.is_wanted, self._is_turned, self._refusal = on, True, ""
        self._last = STARTING if on else CLOSING
        self._woken.set()

    async def run(self) -> None:
        """Do what was asked for, and ask for the invitation, until cancelled.

        A server that is being started again is asked again.
        """
        while True:
            self._woken.clear()
            if self._is_turned:
                self._is_turned = False
                await self._command(on=self.is_wanted)
            await self._look()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await self._woken.wait()

    async def _command(self, *, on: bool) -> None:
        """Tell the server to open the tunnel, or to close it."""
        address = [f"--address={self._address}"] * bool(self._address)
        words = [*address, "--", self._tunnel] if on else ["--close"]
        try:
            await command_server("tunnel", *words, code=self._code, journal=self._journal.path)
        except ConnectionFailed as error:
            if not self._is_turned:  # the other way, meanwhile
                self.is_wanted, self._refusal = False, str(error)[:MAX_TROUBLE]

    @property
    def has_seat_links(self) -> bool:
        """Whether those who are away can be given the links to their seats."""
        return self._last.link is not None and not self.is_fixed

    async def seat_links(self) -> list[SeatLink]:
        """Ask for the links by which those who are away return; none while nobody can follow one.

        Raises:
            ConnectionFailed: the server cannot be asked; the text says why.

        """
        if not self.has_seat_links:
            return []
        said = await command_server("tunnel", "--seats", code=self._code, journal=self._journal.path)
        try:
            return [SeatLink.model_validate_json(line) for line in said.splitlines()]
        except ValidationError:
            raise ConnectionFailed(UNKNOWN_FORMAT) from None

    async def _look(self) -> None:
        """Ask for the invitation."""
        try:
            body = await fetch_page(self._page, ANSWER_SECONDS)
            invitation = CLOSED if body is None else Invitation.model_validate_json(body)
        except (ConnectionFailed, ValidationError):
            invitation = STARTING if self.is_wanted else CLOSED
        if not self._is_turned:  # otherwise it is about to change
            self._last = invitation
            self.is_wanted = self.is_wanted or invitation.link is not None  # whoever has opened it
