"""Who may speak for a seat, and what was answered to whom: the part of a table that nobody sees."""

import hmac
from collections.abc import Collection
from dataclasses import dataclass

from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.messages.server import Accepted, Refused
from racing_demon_protocol.reasons import Reason

__all__ = ["Actor", "Claims"]

Actor = int | None
"""Who gives a command: a seat, or ``None`` for a host without one."""


@dataclass(slots=True)
class Claim:
    """One actor's: the hash of the token, and the last command that was answered, with its answer."""

    token_hash: bytes
    counter: int = 0
    reply: Accepted | Refused | None = None


class Claims:
    """The claims of one table. Of a token only the hash is kept."""

    def __init__(self) -> None:
        self._claims: dict[Actor, Claim] = {}

    def __contains__(self, actor: Actor) -> bool:
        return actor in self._claims

    def add(self, actor: Actor, token_hash: bytes) -> None:
        """Let the bearer of a token speak for an actor; an empty hash lets nobody (a bot's)."""
        self._claims[actor] = Claim(token_hash)

    def drop(self, actor: Actor) -> None:
        """Forget an actor."""
        del self._claims[actor]

    def keep(self, seats: Collection[int]) -> None:
        """Forget all seats but these."""
        self._claims = {a: claim for a, claim in self._claims.items() if a is None or a in seats}

    def actor(self, token_hash: bytes) -> Actor:
        """Return whom a token belongs to.

        Raises:
            CommandRefused: to nobody at this table.

        """
        for actor, claim in self._claims.items():
            if claim.token_hash and hmac.compare_digest(claim.token_hash, token_hash):
                return actor
        raise CommandRefused(Reason.BAD_TOKEN, "That token opens no seat at this table.")

    def counter(self, actor: Actor) -> int:
        """Return the last counter that was answered for an actor."""
        return self._claims[actor].counter

    def earlier(self, actor: Actor, counter: int) -> Accepted | Refused | None:
        """Return the answer to a command that was sent before; ``None`` for a new one."""
        claim = self._claims[actor]
        if counter > claim.counter:
            return None
        if counter == claim.counter and claim.reply is not None:
            return claim.reply
        return Refused(counter=counter, reason=Reason.REPEATED, text="That command was answered before.")

    def remember(self, actor: Actor, reply: Accepted | Refused) -> None:
        """Keep the answer to an actor's newest command."""
        claim = self._claims.get(actor)
        if claim is not None:
            claim.counter, claim.reply = reply.counter, reply
