"""The players of a cluster, in its database, so that somebody is one player at all servers."""

import hmac
import secrets
from collections.abc import Iterator
from typing import Final

from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.reader import UnknownContents
from racing_demon_server.players.store import PlayersStore

from .seed_encryption import ClusterKeys
from .side_store import SideStore

PLAYERS_LOCK: Final = 6


class PostgresPlayers(SideStore, PlayersStore):
    """The players in the database. See :class:`~racing_demon_server.players.store.PlayersStore`.

    Args:
        url: the database.
        node: the number of this incarnation.
        keys: encrypt the hashes of devices' secrets, and codes; those that sign tokens are made of them.

    Raises:
        JournalUnusable: the database cannot be used.

    """

    def __init__(self, url: str, node: int, keys: ClusterKeys) -> None:
        super().__init__(url, node, PLAYERS_LOCK, waits=True)
        self._keys, self.token_keys = keys, keys.derived(b"tokens")
        self._user_keys = keys.derived(b"users")
        with self.transaction():
            sql = "INSERT INTO player_server SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM player_server)"
            self.rows(sql, secrets.token_hex(32))
            ((self.server,),) = self.rows("SELECT id FROM player_server")

    def sealed(self, secret: bytes) -> bytes:
        """Return a secret as the database keeps it: nobody can read it without the cluster's key."""
        return self._keys.sealed(secret)

    def sealings(self, secret: bytes) -> Iterator[bytes]:
        """Yield all ways in which the database may keep a secret, while the cluster's key is changed."""
        return self._keys.sealings(secret)

    def user_marks(self, user: bytes) -> Iterator[bytes]:
        """Yield marks by which nobody finds out a user's name without the cluster's key.

        The last is of earlier versions, until the user's next visit.
        """
        for key in self._user_keys:
            yield hmac.digest(key, user, "sha256")
        yield from super().user_marks(user)

    def opened(self, kept: bytes) -> bytes:
        """Return a secret that the database has kept.

        Raises:
            JournalUnusable: the key is missing.

        """
        try:
            return self._keys.opened(kept)
        except UnknownContents as error:
            raise JournalUnusable(f"A player cannot be read: {error}.") from error


class ListedPlayers(SideStore, PlayersStore):
    """The players in the database, for who only reads their names and seats: without the cluster's key.

    Args:
        url: the database.
        node: the number by which the connection is called.

    """

    def __init__(self, url: str, node: int) -> None:
        super().__init__(url, node, PLAYERS_LOCK, waits=False)
        self.server = ""

    def sealed(self, secret: bytes) -> bytes:
        """Return a secret as it is: none is written."""
        return secret

    def opened(self, kept: bytes) -> bytes:
        """Return a secret as it is kept: none is needed."""
        return kept
