"""Who may speak for a seat, and what was answered to whom: the part of a table that nobody sees."""

import hmac
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.reasons import Reason
from racing_demon_protocol.wire.counters import is_newer
from racing_demon_protocol.wire.messages.server import Accepted, Refused

__all__ = ["Actor", "SeatToken", "SeatTokens"]

Actor = int | None
"""Who gives a command: a seat, or ``None`` for a host without one."""


@dataclass(slots=True)
class SeatToken:
    """One actor's: the hash of the token, and the last command that was answered, with its answer.

    A play that was carried out was answered by its event: then ``reply`` is ``None``, and ``seq`` is the last
    event that it led to. ``address_hash`` is the hash of the address that the actor came from last; empty
    where that is not known, as after a restart.
    """

    token_hash: bytes
    counter: int = 0
    reply: Accepted | Refused | None = None
    seq: int = 0
    address_hash: bytes = b""

    def answer(self) -> Accepted | Refused | None:
        """Return the answer to the last command; ``None`` where there was none yet."""
        if self.reply is None and self.counter:
            return Accepted(counter=self.counter, seq=self.seq)
        return self.reply


class SeatTokens:
    """The claims of one table. Of a token only the hash is kept."""

    def __init__(self) -> None:
        self._seat_tokens: dict[Actor, SeatToken] = {}
        self._changed: set[Actor] = set()
        self._played: set[Actor] = set()

    def __contains__(self, actor: Actor) -> bool:
        return actor in self._seat_tokens

    def add(self, actor: Actor, token_hash: bytes) -> None:
        """Let the bearer of a token speak for an actor; an empty hash lets nobody (a bot's)."""
        self.restore(actor, SeatToken(token_hash))
        self._changed.add(actor)

    def note_address(self, actor: Actor, address_hash: bytes) -> None:
        """Note where an actor came from last."""
        self._seat_tokens[actor].address_hash = address_hash

    def origin(self, actor: Actor) -> tuple[bytes, bytes]:
        """Return the hashes of an actor's token, and of the address that the actor came from last."""
        seat_token = self._seat_tokens[actor]
        return seat_token.token_hash, seat_token.address_hash

    def restore(self, actor: Actor, seat_token: SeatToken) -> None:
        """Take up a claim as it was kept."""
        self._seat_tokens[actor] = seat_token

    def drop(self, actor: Actor) -> None:
        """Forget an actor."""
        del self._seat_tokens[actor]
        self._changed.add(actor)

    def keep(self, seats: Collection[int]) -> None:
        """Forget all seats but these."""
        for actor in [a for a in self._seat_tokens if a is not None and a not in seats]:
            self.drop(actor)

    def people(self) -> list[Actor]:
        """Return the actors that somebody has a token for: all but bots."""
        return [actor for actor, seat_token in self._seat_tokens.items() if seat_token.token_hash]

    def actor(self, token_hash: bytes) -> Actor:
        """Return whom a token belongs to.

        Raises:
            CommandRefused: to nobody at this table.

        """
        for actor in self._opened_by(token_hash):
            return actor
        raise CommandRefused(Reason.BAD_TOKEN, "That token opens no seat at this table.")

    def knows(self, token_hash: bytes) -> bool:
        """Tell whether a token belongs to anybody at this table."""
        return any(True for _ in self._opened_by(token_hash))

    def _opened_by(self, token_hash: bytes) -> Iterator[Actor]:
        for actor, seat_token in self._seat_tokens.items():
            if seat_token.token_hash and hmac.compare_digest(seat_token.token_hash, token_hash):
                yield actor

    def counter(self, actor: Actor) -> int:
        """Return the last counter that was answered for an actor."""
        return self._seat_tokens[actor].counter

    def earlier(self, actor: Actor, counter: int) -> Accepted | Refused | None:
        """Return the answer to a command that was sent before; ``None`` for a new one."""
        seat_token = self._seat_tokens[actor]
        if is_newer(counter, seat_token.counter):
            return None
        answer = seat_token.answer()
        if counter == seat_token.counter and answer is not None:
            return answer
        text = f"The counter {counter} does not come after the last one, {seat_token.counter}."
        return Refused(counter=counter, reason=Reason.REPEATED, text=text)

    def remember(self, actor: Actor, reply: Accepted | Refused) -> None:
        """Keep the answer to an actor's newest command."""
        seat_token = self._seat_tokens.get(actor)
        if seat_token is not None:
            seat_token.counter, seat_token.reply = reply.counter, reply
            self._changed.add(actor)
            self._played.discard(actor)

    def remember_play(self, actor: Actor, counter: int, seq: int) -> None:
        """Keep that an actor's newest command was a play that was carried out, and its last event.

        The log has it, so nothing is to be written down before the log is cut: see :meth:`take_changed`.
        """
        seat_token = self._seat_tokens.get(actor)
        if seat_token is not None and is_newer(counter, seat_token.counter):
            seat_token.counter, seat_token.reply, seat_token.seq = counter, None, seq
            self._played.add(actor)

    def take_changed(self, *, with_plays: bool) -> list[tuple[Actor, SeatToken | None]]:
        """Return the claims that have changed since this was asked last; ``None`` for one that is gone.

        Args:
            with_plays: also those that have changed by plays alone, which are read from the log else.

        """
        if with_plays:
            self._changed |= self._played
            self._played.clear()
        if not self._changed:
            return []
        changed = [(actor, self._seat_tokens.get(actor)) for actor in self._changed]
        self._changed.clear()
        return changed
