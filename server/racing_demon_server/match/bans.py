"""The players who were kicked from a table and may not return yet.

Only hashes of tokens and addresses are kept.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence
from typing import Final

from racing_demon_protocol.constants import MAX_NAME_LENGTH
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.table.state import MAX_BANNED

from .names import folded
from .state import Ban, JudgeState

BANNED: Final = "The host kicked you. You can come back after the match, or when the host lets you back in."
SALT_SIZE: Final = 16


class Bans:
    """The bans of one table, which decides how long each lasts.

    Args:
        state: the state of the table's judge. The names that count are those ``banned`` at the table.

    """

    def __init__(self, state: JudgeState) -> None:
        self._state = state

    def add(self, ban: Ban) -> None:
        """Ban a player. Call this before the view applies the kick."""
        self._change([*self._in_force(), ban][-MAX_BANNED:])

    def lift(self, name: str) -> None:
        """Lift the bans of a name."""
        self._change([ban for ban in self._in_force() if ban.name != name])

    def restore(self, bans: Iterable[Ban]) -> None:
        """Replace the bans by those of the journal."""
        self._state.record = self._state.record._replace(bans=tuple(bans))

    def verify(self, name: str, token_hash: bytes, address_hash: bytes) -> None:
        """Check that somebody may take a seat.

        Raises:
            CommandRefused: the token, or the name and the address, belong to a banned player.

        """
        for ban in self._in_force():
            is_same_token = bool(token_hash) and hmac.compare_digest(ban.token_hash, token_hash)
            is_same_address = bool(address_hash) and hmac.compare_digest(ban.address_hash, address_hash)
            if is_same_token or (is_same_address and _stem(ban.name) == _stem(name)):
                raise CommandRefused(Reason.BANNED, BANNED)

    def changes(self) -> Sequence[Ban] | None:
        """Return all bans if they have changed since that was drained, else ``None``."""
        return self._state.record.bans if self._state.has_new_bans else None

    def drain_changes(self) -> Sequence[Ban] | None:
        """Return all bans if they have changed, else ``None``, and forget that."""
        bans = self.changes()
        self._state.has_new_bans = False
        return bans

    def _change(self, bans: Iterable[Ban]) -> None:
        self.restore(bans)
        self._state.has_new_bans = True

    def _in_force(self) -> list[Ban]:
        return [ban for ban in self._state.record.bans if ban.name in self._state.view.banned]


def hash_address(address: str, salt: bytes) -> bytes:
    """Return the salted hash of an address."""
    return hashlib.blake2b(address.encode(), salt=salt[:SALT_SIZE], digest_size=32).digest()


def _stem(name: str) -> str:
    """Return a name without the number that makes it unique: see :func:`~.names.unique`."""
    return folded(re.sub(r" \d+$", "", name))[: MAX_NAME_LENGTH - 2]
