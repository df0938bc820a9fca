"""Asks this user's own server for the invitation to its table over the internet."""

import asyncio
from typing import Final

from pydantic import ValidationError

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.transport import fetch_page
from racing_demon_client.shared.invitation import Invitation
from racing_demon_protocol.constants import WEBSOCKET_PATH

POLL_SECONDS: Final = 2.0
ANSWER_SECONDS: Final = 5.0
STARTING: Final = Invitation(trouble="The tunnel is starting.")
NO_TUNNEL: Final = Invitation(
    trouble="The table was opened without a tunnel: leave it, or open another with racing-demon host --new."
)


class InvitationPoll:
    """Asks a server on this machine for the invitation from time to time.

    Args:
        url: the server's full address.
        code: the table's code.

    """

    def __init__(self, url: str, code: str) -> None:
        self._page = f"{url.removesuffix(WEBSOCKET_PATH)}/internet/{code}.json"
        self._last = STARTING

    def __call__(self) -> Invitation:
        """Return the last answer."""
        return self._last

    async def run(self) -> None:
        """Ask until cancelled. A server that is being started again is asked again."""
        while True:
            try:
                body = await fetch_page(self._page, ANSWER_SECONDS)
                self._last = NO_TUNNEL if body is None else Invitation.model_validate_json(body)
            except (ConnectionFailed, ValidationError):
                self._last = STARTING
            await asyncio.sleep(POLL_SECONDS)
