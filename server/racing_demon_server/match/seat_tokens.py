"""Seat tokens, and each actor's last answer: the private part of a table."""

import hashlib
import hmac
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_protocol.wire.serial_numbers import is_newer

Actor = int | None
"""Who sends a command: a seat, or ``None`` for a host without one."""
GONE: Final = "You have left this table."
FOUNDER: Final = -2
"""Stands in the journal for the founder: the row has the hash of the token of whoever opened the table."""


@dataclass(slots=True)
class SeatToken:
    """The token hash of one actor, and its last answered command with the answer.

    The event answers an accepted play: then ``reply`` is ``None``, and ``seq`` is the last event that the
    play led to. ``address_hash`` is the hash of the actor's last address; empty if unknown, as after a
    restart. ``is_retired`` tells that the player has left: the token opens the seat no more, and gives it
    back within the match.
    """

    token_hash: bytes
    counter: int = 0
    reply: Accepted | Refused | None = None
    seq: int = 0
    address_hash: bytes = b""
    is_retired: bool = False

    def answer(self) -> Accepted | Refused | None:
        """Return the answer to the last command; ``None`` if there was none."""
        if self.reply is None and self.counter:
            return Accepted(counter=self.counter, seq=self.seq)
        return self.reply


Tokens = tuple[Mapping[Actor, SeatToken], bytes]
"""A copy of a table's tokens: those of its actors, and the founder's."""


def hash_token(token: str) -> bytes:
    """Return the hash of a token."""
    return hashlib.sha256(token.encode()).digest()


class SeatTokens:
    """The seat tokens of one table. Only their hashes are kept."""

    def __init__(self) -> None:
        self._seat_tokens: dict[Actor, SeatToken] = {}
        self._changed: set[Actor] = set()
        self._played: set[Actor] = set()
        self._founder = b""

    def copy(self) -> Tokens:
        """Return who has which token. Later answers are in the copy, too."""
        return self._seat_tokens.copy(), self._founder

    def take(self, tokens: Tokens) -> None:
        """Go back to a copy."""
        self._seat_tokens, self._founder = dict(tokens[0]), tokens[1]

    @property
    def founder_seat(self) -> int | None:
        """The seat of whoever opened the table; ``None`` if they have none, or not that one any more.

        Not the seat makes the founder, which others can take, but the token.
        """
        own = (actor for actor, each in self._seat_tokens.items() if each.token_hash == self._founder)
        return next(own, None) if self._founder else None

    def restore_founder(self, token_hash: bytes | None) -> None:
        """Restore whose token the founder's is; ``None`` if an older journal does not tell."""
        if token_hash is None:  # it assumed that they sit on the first seat, if not without one
            first = self._seat_tokens.get(None) or self._seat_tokens.get(0)
            token_hash = b"" if first is None else first.token_hash
            self._changed.add(FOUNDER)
        self._founder = token_hash

    def __contains__(self, actor: Actor) -> bool:
        seat_token = self._seat_tokens.get(actor)
        return seat_token is not None and not seat_token.is_retired

    def add(self, actor: Actor, token_hash: bytes) -> None:
        """Set an actor's token. An empty hash matches no token (a bot's)."""
        if token_hash and (former := self.left_with(token_hash)) is not None:
            self.drop(former)  # nobody has two seats with one token
        if not (self._seat_tokens or self._founder):
            self._set_founder(token_hash)
        self.restore(actor, SeatToken(token_hash))
        self._changed.add(actor)

    def _set_founder(self, token_hash: bytes) -> None:
        self._founder = token_hash
        self._changed.add(FOUNDER)

    def record_address(self, actor: Actor, address_hash: bytes) -> None:
        """Record the address that an actor last came from."""
        self._seat_tokens[actor].address_hash = address_hash

    def origin(self, actor: Actor) -> tuple[bytes, bytes]:
        """Return the hashes of an actor's token and of its last address."""
        seat_token = self._seat_tokens[actor]
        return seat_token.token_hash, seat_token.address_hash

    def restore(self, actor: Actor, seat_token: SeatToken) -> None:
        """Restore a seat token from the journal."""
        self._seat_tokens[actor] = seat_token

    def drop(self, actor: Actor) -> None:
        """Forget an actor."""
        del self._seat_tokens[actor]
        self._changed.add(actor)

    def retire(self, seat: int) -> None:
        """Let a token open its seat no more, and keep it for the return of the player who leaves."""
        self._change(seat, is_retired=True)

    def take_back(self, seat: int, token_hash: bytes) -> None:
        """Let a token open a seat again whose player left it; a new one replaces it, from another device."""
        if hmac.compare_digest(self._seat_tokens[seat].token_hash, token_hash):
            self._change(seat, is_retired=False)
            return
        if seat == self.founder_seat:
            self._set_founder(token_hash)
        self.add(seat, token_hash)

    def _change(self, seat: int, *, is_retired: bool) -> None:
        # Replaced, as copies share what is changed.
        self.restore(seat, replace(self._seat_tokens[seat], is_retired=is_retired))
        self._changed.add(seat)

    def is_retired(self, seat: int) -> bool:
        """Return whether the player who had a seat has left it, and may return."""
        seat_token = self._seat_tokens.get(seat)
        return seat_token is not None and seat_token.is_retired

    def left_with(self, token_hash: bytes) -> int | None:
        """Return the seat that was left by whoever has a token; ``None`` if there is none."""
        for actor, seat_token in self._seat_tokens.items():
            if seat_token.is_retired and hmac.compare_digest(seat_token.token_hash, token_hash):
                return actor
        return None

    def has_heard_of(self, token_hash: bytes) -> bool:
        """Return whether a token belongs to somebody at this table, or who has left it within the match."""
        return self.knows(token_hash) or self.left_with(token_hash) is not None

    def forget_leavers(self) -> None:
        """Forget who has left: nobody returns after the match."""
        for actor in [actor for actor, seat_token in self._seat_tokens.items() if seat_token.is_retired]:
            self.drop(actor)

    def retain(self, seats: Collection[int]) -> None:
        """Forget all seats but these."""
        for actor in [a for a in self._seat_tokens if a is not None and a not in seats]:
            self.drop(actor)

    def people(self) -> list[Actor]:
        """Return the actors that have a token: all but bots."""
        return [actor for actor, each in self._seat_tokens.items() if each.token_hash and not each.is_retired]

    def actor(self, token_hash: bytes) -> Actor:
        """Return the actor that a token belongs to.

        Raises:
            CommandRefused: nobody at this table has it.

        """
        for actor in self._opened_by(token_hash):
            return actor
        raise CommandRefused(Reason.BAD_TOKEN, "That token belongs to no seat at this table.")

    def knows(self, token_hash: bytes) -> bool:
        """Return whether a token belongs to somebody at this table."""
        return any(True for _ in self._opened_by(token_hash))

    def _opened_by(self, token_hash: bytes) -> Iterator[Actor]:
        for actor, seat_token in self._seat_tokens.items():
            opens = bool(seat_token.token_hash) and not seat_token.is_retired
            if opens and hmac.compare_digest(seat_token.token_hash, token_hash):
                yield actor

    def counter(self, actor: Actor) -> int:
        """Return the last counter that was answered for an actor."""
        return self._seat_tokens[actor].counter

    def ready_answer(self, actor: Actor, counter: int) -> Accepted | Refused | None:
        """Return the answer to a repeated command, or to whoever has left; ``None`` for a new command."""
        seat_token = self._seat_tokens.get(actor)
        if seat_token is None or seat_token.is_retired:
            return Refused(counter=counter, reason=Reason.NOT_SEATED, text=GONE)
        if is_newer(counter, seat_token.counter):
            return None
        answer = seat_token.answer()
        if counter == seat_token.counter and answer is not None:
            return answer
        text = f"The counter {counter} does not come after the last one, {seat_token.counter}."
        return Refused(counter=counter, reason=Reason.REPEATED, text=text)

    def remember(self, actor: Actor, reply: Accepted | Refused) -> None:
        """Store the answer to an actor's newest command."""
        seat_token = self._seat_tokens.get(actor)
        if seat_token is not None:
            self._changed.add(actor)
            self._played.discard(actor)
            seat_token.counter, seat_token.reply = reply.counter, reply

    def remember_play(self, actor: Actor, counter: int, seq: int) -> None:
        """Record that an actor's newest command was an accepted play, and its last event.

        The log holds the play, so the journal needs no row before the log is cut: see :meth:`drain_changes`.
        """
        self._played.add(actor)
        seat_token = self._seat_tokens[actor]
        seat_token.counter, seat_token.reply, seat_token.seq = counter, None, seq

    def restore_play(self, actor: Actor, counter: int, seq: int) -> None:
        """Record an accepted play of the log, unless a later command was answered."""
        seat_token = self._seat_tokens.get(actor)
        if seat_token is not None and is_newer(counter, seat_token.counter):
            self.remember_play(actor, counter, seq)

    @property
    def have_changed(self) -> bool:
        """Whether :meth:`changes` has any without plays."""
        return bool(self._changed)

    def changes(self, *, with_plays: bool) -> list[tuple[Actor, SeatToken | None]]:
        """Return the tokens that have changed since that was drained; ``None`` for one that was dropped.

        Args:
            with_plays: include tokens that only plays have changed; a restart reads these from the log.

        """
        changed = self._changed | self._played if with_plays else self._changed
        return [(actor, self._stored(actor)) for actor in changed] if changed else []

    def _stored(self, actor: Actor) -> SeatToken | None:
        return SeatToken(self._founder) if actor == FOUNDER else self._seat_tokens.get(actor)

    def drain_changes(self, *, with_plays: bool) -> list[tuple[Actor, SeatToken | None]]:
        """Return the tokens that have changed, and forget that: see :meth:`changes`."""
        changed = self.changes(with_plays=with_plays)
        self._changed.clear()
        if with_plays:
            self._played.clear()
        return changed
