"""Keeps the players of a server: answers their devices in a thread, from a store that others may share."""

import asyncio
import logging
import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from functools import partial
from typing import Final, NamedTuple, Protocol, TypeVar

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.formatting import printable
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Challenge, DeviceRow, Devices, Identified
from racing_demon_protocol.wire.player_proof import secret_hash
from racing_demon_server.journal.interface import Fenced, JournalUnusable, UnstorableValue
from racing_demon_server.match.names import clean

from .directory import CODE_MS, FOR_HTTP, FOR_SERVERS, SIGNED_IN, ChallengeFacts, Directory, Guess, SignedIn
from .store import Device, Linked, PlayersStore, Seating

WATCH_SECONDS: Final = 1.0
"""The interval at which the keeper looks for what other processes or servers have changed."""
TIDY_SECONDS: Final = 10.0
"""The interval at which nothing is left in the store of who was forgotten."""
CLOSE_SECONDS: Final = 5.0
"""How long a stopping server waits for the store."""
RANDOM_BYTES: Final = 16
KEY_BYTES: Final = 32
SIGN_IN: Final = "sign-in"
"""What a player's devices are called by which a trusted proxy names them."""
MAX_SHOWN: Final = 32
"""The most devices that a player is shown: merged players may have more."""
NO_PLAYER: Final = "Tell the server first who you are."
UNSTORABLE: Final = "The server cannot keep that text."
UNUSABLE: Final = "The server cannot read its players now. You can play as a guest."

Answer = TypeVar("Answer")

log = logging.getLogger("racing_demon_server")


class Visitor(Protocol):
    """A connection, as far as its player is concerned.

    Attributes:
        address: where it comes from; empty for this machine.

    """

    address: str

    def reply(self, message: Message) -> None:
        """Send a message to this connection only."""


class Identity:
    """Who uses one connection.

    Attributes:
        nonce: what the proof of this connection is made of.
        addresses: those that the client may have dialled, with their schemes.
        handover: a token of another server that identifies the device.
        signed_in: what a trusted proxy says of who uses the connection; ``None`` if it says nothing.
        name: what somebody is called at first who has signed in there.
        device: the device that was proven, perhaps removed since; ``None`` for a guest.

    Args:
        addresses: those that the client may have dialled.
        handover: what another server says of the connection, which it has from the client; empty for nothing.

    """

    def __init__(self, addresses: tuple[str, ...], handover: str = "") -> None:
        self.nonce = secrets.token_hex(32)
        self.addresses = addresses
        self.device: Device | None = None
        self.handover = handover
        self.signed_in: SignedIn | None = None
        self.name = ""


class _Answer(NamedTuple):
    """The answer to a request: a message, and the device that uses the connection from now on."""

    message: Message | None
    device: Device | None


class _Change(NamedTuple):
    """A change of a player: the devices that the player has now, and the numbers of those that were added."""

    player: str
    devices: tuple[DeviceRow, ...]
    added: set[int]


class PlayersKeeper:
    """The players of a server, or of one of several that share the store.

    The thread reads the store for each request, so what another process or server has changed counts at once.

    Args:
        store: keeps them.
        journal: the name of this server's journal among those that share the store.
        is_suggested: whether people are usually remembered here.
        now_ms: returns the milliseconds since 1970.

    """

    def __init__(
        self,
        store: PlayersStore,
        journal: str,
        *,
        is_suggested: bool,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._store = store
        self._directory = Directory(store)
        self._journal = journal
        self._is_suggested = is_suggested
        self._now_ms = now_ms
        self._visitors: dict[Visitor, Device] = {}
        self._held: dict[object, tuple[str, str]] = {}  # players and codes that end with a connection
        self._seen = store.last_change()
        self._is_usable = True
        self._thread = ThreadPoolExecutor(1, "players")
        self._watching = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Write what waits, and close the store. Nobody looks at a code any more."""
        self._watching.cancel()
        for holder in list(self._held):
            self.release(holder)
        await asyncio.gather(self._watching, return_exceptions=True)
        closing = asyncio.get_running_loop().run_in_executor(self._thread, self._store.close)
        done, _ = await asyncio.wait([closing], timeout=CLOSE_SECONDS)
        if not done:
            self._store.interrupt()
            await closing
        self._thread.shutdown()

    # Connections.

    def challenge(self, identity: Identity) -> Challenge:
        """Return the question who uses a connection."""
        return Challenge(server=self._store.server, nonce=identity.nonce, suggested=self._is_suggested)

    async def answer(self, visitor: Visitor, identity: Identity, request: cl.PlayerRequest) -> None:
        """Carry out the request of a connection, and answer it.

        Raises:
            CommandRefused: it is refused; with ``bad_token``, a guess was wrong.

        """
        answer = await self._ask(partial(self._answer, identity, request, visitor.address))
        identity.device = answer.device
        if answer.device is None:
            self.leave(visitor)
        else:
            self._visitors[visitor] = answer.device
        if isinstance(request, cl.ListDevices) and request.held and isinstance(answer.message, Devices):
            self._hold(visitor, identity, answer.message.code)
        if answer.message is not None:
            visitor.reply(answer.message)
        if isinstance(request, cl.Link | cl.RemoveDevice | cl.ForgetMe):
            await self._tell()

    def leave(self, visitor: Visitor) -> None:
        """Forget a connection. The code that somebody looked at there ends."""
        self._visitors.pop(visitor, None)
        self.release(visitor)

    def release(self, holder: object) -> None:
        """End the code that somebody looked at, if one was held for them."""
        if holder in self._held:
            ending = partial(self._directory.end_code, *self._held.pop(holder))
            self._thread.submit(self._attempt, ending)

    def forget_new(self, visitor: Visitor, identity: Identity, *, unless_seated: bool) -> None:
        """Forget the player who became known on a connection, whose user is a guest then.

        Args:
            visitor: the connection.
            identity: who uses it.
            unless_seated: whether to keep somebody who has had a seat meanwhile.

        """
        if identity.device is None:
            return
        player, identity.device = identity.device.player, None
        self.leave(visitor)

        def forget() -> None:
            if not (unless_seated and self._store.tables_of(self._journal, player)):
                self._directory.forget(player)

        self._thread.submit(self._attempt, forget)

    def holds_code(self, visitor: Visitor) -> bool:
        """Return whether a code ends with a connection."""
        return visitor in self._held

    def _hold(self, visitor: Visitor, identity: Identity, code: str) -> None:
        if code and identity.device is not None:
            self._held[visitor] = identity.device.player, code

    def _answer(self, identity: Identity, request: cl.PlayerRequest, address: str) -> _Answer:
        now, directory = self._now_ms(), self._directory
        match request:
            case cl.Enroll():
                name, key, label = clean(request.name), secret_hash(request.secret), printable(request.device)
                _, device = directory.enroll(name, key, label, now, secrets.token_bytes(RANDOM_BYTES))
                return self._welcome(device, now)
            case cl.Identify():
                if identity.device is not None:
                    raise CommandRefused(Reason.NOT_NOW, "This connection has a player already.")
                player, number, proof = request.player, request.device, request.proof
                challenge = ChallengeFacts(self._store.server, identity.nonce, identity.addresses)
                device = directory.identify(player, number, proof, challenge)
                directory.see(device, now)
                return self._welcome(device, now)
            case cl.Link():
                key, label = secret_hash(request.secret), printable(request.device)
                guess = Guess(clean(request.name), request.code, address)
                return self._welcome(directory.link(guess, key, label, now), now)
        return self._change(identity, request, now)

    def _change(self, identity: Identity, request: cl.PlayerRequest, now: int) -> _Answer:
        """Carry out what only a player's device may ask for."""
        own = self._device_of(identity, now)
        if own is None:
            raise CommandRefused(Reason.NOT_NOW, NO_PLAYER)
        match request:
            case cl.ListDevices(with_code=True):
                code = self._directory.new_code(own, now, secrets.token_bytes(RANDOM_BYTES))
                rows = self._rows(own, now)
                return _Answer(Devices(devices=rows, code=code, seconds=CODE_MS // 1_000), own)
            case cl.RemoveDevice():
                self._directory.remove(own, request.device, now)
                if request.device == own.number:
                    return _Answer(None, None)
            case cl.TrustDevice():
                self._directory.trust(own, request.device, now)
            case cl.Rename():
                self._directory.rename(own, clean(request.name), now)
                return self._welcome(own, now)
            case cl.ForgetMe():
                self._directory.forget_me(own, now)
                return _Answer(Devices(devices=()), None)
        return _Answer(Devices(devices=self._rows(own, now)), own)

    def _welcome(self, device: Device, now: int) -> _Answer:
        player, token = self._directory.player_of(device), self._directory.token(device, now, FOR_HTTP)
        message = Identified(player=player.id, device=device.number, name=player.name, token=token)
        return _Answer(message, device)

    def _rows(self, viewer: Device, now: int) -> tuple[DeviceRow, ...]:
        """Return the devices that one of them may see: all, or itself while nobody trusts it."""
        rows = self._rows_of(viewer.player, now)
        own = self._store.device(viewer.number)
        if own is not None and own.is_trusted(now):
            return rows
        return tuple(each for each in rows if each.device == viewer.number)

    def _rows_of(self, player: str, now: int) -> tuple[DeviceRow, ...]:
        return tuple(
            DeviceRow(
                device=each.number,
                label=_label(each),
                added_ms=each.added_ms,
                seen_ms=each.seen_ms,
                is_new=not each.is_trusted(now),
            )
            for each in self._store.devices(player)[-MAX_SHOWN:]
        )

    # What others change.

    async def _watch(self) -> None:
        tidied = -TIDY_SECONDS  # a crash may have left something
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            try:
                await self._tell()
                if time.monotonic() - tidied >= TIDY_SECONDS:
                    tidied = time.monotonic()
                    await self._ask(self._store.tidy, writes=False)
            except CommandRefused:
                continue  # the log has the reason

    async def _tell(self) -> None:
        """Show the connected devices of a player that one was added, and forget those that were removed."""
        for player, rows, added in await self._ask(self._changes, writes=False):
            numbers = {each.device for each in rows}
            untrusted = {each.device for each in rows if each.is_new}
            for visitor in [each for each, device in self._visitors.items() if device.player == player]:
                own = self._visitors[visitor].number
                if own not in numbers:
                    self.leave(visitor)
                elif max(added, default=0) > own and own not in untrusted:  # not what was there before
                    visitor.reply(Devices(devices=rows))

    async def show_untrusted(self, visitor: Visitor, identity: Identity) -> None:
        """Show a device that comes to a table the others of its player, if nobody trusts one of them yet."""
        with suppress(CommandRefused):
            rows = await self._ask(partial(self._with_untrusted, identity), writes=False)
            if rows:
                visitor.reply(Devices(devices=rows))

    def _with_untrusted(self, identity: Identity) -> tuple[DeviceRow, ...]:
        """Return a player's devices if one of them is not trusted; that one itself learns nothing."""
        now = self._now_ms()
        own = self._device_of(identity, now)
        rows = () if own is None else self._rows(own, now)
        is_due = own is not None and any(each.is_new and each.device != own.number for each in rows)
        return rows if is_due else ()

    def _changes(self) -> list[_Change]:
        """Return what has changed since the last call, or some of it."""
        changes = self._store.changes(self._seen)
        if not changes:
            return []
        self._seen, now = changes[-1][0], self._now_ms()
        added: defaultdict[str, set[int]] = defaultdict(set)
        for _, player, number in changes:
            added[player] |= {number} - {0}
        return [_Change(player, self._rows_of(player, now), numbers) for player, numbers in added.items()]

    # The operator.

    async def overview(self) -> list[dict[str, object]]:
        """Return what the operator sees of each player."""
        return [
            {
                "id": id_,
                "name": name,
                "devices": devices,
                "seen": seen_ms // 1_000,
                "merged_into": merged_into,
            }
            for id_, name, seen_ms, merged_into, devices in await self._ask(
                self._store.overview, writes=False
            )
        ]

    async def confirm(
        self, player: str, holder: asyncio.Future[None] | None = None
    ) -> dict[str, object] | None:
        """Return a player's name, and a code that lets a device be theirs; ``None`` if nobody has the id.

        Args:
            player: the player's id.
            holder: is done when nobody looks at the code any more; ``None`` if that does not matter.

        Raises:
            CommandRefused: the store cannot be used.

        """
        randomness, now = secrets.token_bytes(RANDOM_BYTES), self._now_ms()
        confirmed = await self._ask(partial(self._directory.confirm, player, now, randomness))
        if confirmed is None:
            return None
        known, code = confirmed
        if holder is not None:
            self._held[holder] = known.id, code.code
            holder.add_done_callback(self.release)
        return {"name": known.name, "code": code.code, "seconds": (code.until_ms - now) // 1_000}

    async def end_code(self, player: str) -> bool:
        """End the code that lets a device be a player's; return whether the player is known.

        Raises:
            CommandRefused: the store cannot be used.

        """
        return await self._ask(partial(self._directory.end_code, player))

    async def change(self, player: str, *, into: str | None = None, name: str | None = None) -> bool:
        """Merge a player into another one, change the name, or forget the player; return whether it is known.

        Raises:
            CommandRefused: the change is refused.

        """
        return await self._ask(partial(self._change_player, player, into, name))

    async def clear(self, seconds: int, *, played: bool) -> int:
        """Forget who was not seen for so long, and return how many that were.

        Args:
            seconds: the time.
            played: whether also those who finished a hand with another player.

        Raises:
            CommandRefused: the store cannot be used.

        """
        since_ms = self._now_ms() - seconds * 1_000
        return await self._ask(partial(self._directory.clear, since_ms, played=played))

    def _change_player(self, player: str, into: str | None, name: str | None) -> bool:
        if self._store.player(player) is None:
            return False
        if into is not None:
            self._directory.merge(player, into)
        elif name is not None:
            self._directory.set_name(player, clean(name))
        else:
            self._directory.forget(player)
        return True

    async def canonical(self, player: str) -> str | None:
        """Return the id of who a player is by now, merged or not; ``None`` if nobody has the id.

        Raises:
            CommandRefused: the store cannot be used.

        """

        def find() -> str | None:
            return None if self._store.player(player) is None else self._directory.canonical(player)

        return await self._ask(find, writes=False)

    async def devices(self, player: str) -> list[dict[str, object]] | None:
        """Return what the operator sees of a player's devices; ``None`` if nobody has the id.

        Raises:
            CommandRefused: the store cannot be used.

        """
        return await self._ask(partial(self._overview_of, player), writes=False)

    def _overview_of(self, player: str) -> list[dict[str, object]] | None:
        if self._store.player(player) is None:
            return None
        now = self._now_ms()
        return [
            {
                "device": each.number,
                "label": _label(each),
                "added": each.added_ms // 1_000,
                "seen": each.seen_ms // 1_000,
                "linked": each.linked is not Linked.NO,
                "trusted": each.is_trusted(now),
            }
            for each in self._store.devices(self._directory.canonical(player))
        ]

    async def undo_device(self, player: str, device: int) -> bool:
        """Remove a device that is not a player's, and take its results away; return whether there was one.

        Raises:
            CommandRefused: the store cannot be used.

        """
        randomness = secrets.token_bytes(RANDOM_BYTES)
        return await self._ask(partial(self._directory.undo_device, player, device, randomness))

    async def trust_device(self, player: str, device: int) -> bool:
        """Trust a device that was added to a player by a code; return whether the player has it.

        Raises:
            CommandRefused: the store cannot be used.

        """
        return await self._ask(partial(self._directory.trust_device, player, device))

    async def split(self, player: str, devices: Sequence[int]) -> str | None:
        """Let devices be another player's, and return who that is; ``None`` if the player is not known.

        Raises:
            CommandRefused: there are no such devices, or the store cannot be used.

        """
        randomness = secrets.token_bytes(RANDOM_BYTES)
        return await self._ask(partial(self._directory.split, player, devices, self._now_ms(), randomness))

    # Tables.

    def seat(self, identity: Identity | None, table_id: int, seat: int, name: str) -> None:
        """Record who took a seat: the player of a connection, or a guest."""
        self._thread.submit(
            self._attempt, partial(self._seat, identity, table_id, seat, name, self._now_ms())
        )

    async def seated(self, table_id: int) -> dict[int, str]:
        """Return who took each seat of a table last: the player's id by now, or an empty one for a guest.

        Raises:
            CommandRefused: the store cannot be used.

        """
        return await self._ask(partial(self._seated, table_id), writes=False)

    def _seated(self, table_id: int) -> dict[int, str]:
        last = {each.seat: each.player for each in self._store.seatings(self._journal, table_id)}
        return {seat: player and self._directory.canonical(player) for seat, player in last.items()}

    def _seat(self, identity: Identity | None, table_id: int, seat: int, name: str, now: int) -> None:
        device = None if identity is None else self._device_of(identity, now)
        if identity is not None and device is not None:
            self._directory.take_seat(device, name, now, identity.name)
        player, number = ("", 0) if device is None else (device.player, device.number)
        self._store.add_seating(self._journal, Seating(table_id, seat, now, player, number))

    # Other servers.

    async def handover(self, identity: Identity | None) -> str:
        """Return what tells another server with the same store who uses a connection; empty for a guest."""
        try:
            return (
                "" if identity is None else await self._ask(partial(self._handover, identity), writes=False)
            )
        except CommandRefused:
            return ""

    async def recognize(self, identity: Identity) -> None:
        """Find out who uses a connection of which another server has told; somebody unknown is a guest."""
        writes = identity.signed_in is not None
        with suppress(CommandRefused):
            await self._ask(partial(self._device_of, identity, self._now_ms()), writes=writes)

    def _handover(self, identity: Identity) -> str:
        now = self._now_ms()
        device = self._device_of(identity, now)
        return "" if device is None else self._directory.token(device, now, FOR_SERVERS)

    # The thread.

    def _device_of(self, identity: Identity, now: int) -> Device | None:
        """Return the device that uses a connection; ``None`` for a guest, and after it was removed."""
        if identity.device is None and identity.handover:
            identity.device = self._directory.of_token(identity.handover, now, FOR_SERVERS)
            identity.handover = ""
        if identity.device is None and identity.signed_in is not None:
            who, random = identity.signed_in, secrets.token_bytes(RANDOM_BYTES + KEY_BYTES)
            identity.device = self._directory.sign_in(who, identity.name, now, random)
            identity.signed_in = None
        return None if identity.device is None else self._directory.current(identity.device)

    async def _ask(self, work: Callable[[], Answer], *, writes: bool = True) -> Answer:
        """Do some work in the thread, in one transaction if it writes.

        Raises:
            CommandRefused: it is refused, or the store cannot be used.

        """
        attempt = partial(self._attempt, work, writes=writes)
        done = await asyncio.get_running_loop().run_in_executor(self._thread, attempt)
        if isinstance(done, CommandRefused):
            raise done
        return done

    def _attempt(self, work: Callable[[], Answer], *, writes: bool = True) -> Answer | CommandRefused:
        try:
            with self._store.transaction() if writes else nullcontext():
                try:
                    done: Answer | CommandRefused = work()
                except CommandRefused as refused:
                    done = refused
        except (JournalUnusable, Fenced) as error:
            if self._is_usable:
                log.error("the players cannot be used now", extra={"why": str(error)})
            self._is_usable = False
            return CommandRefused(Reason.NOT_NOW, UNUSABLE)
        except UnstorableValue:
            return CommandRefused(Reason.BAD_TEXT, UNSTORABLE)
        except Exception:
            log.exception("the players cannot be used")
            return CommandRefused(Reason.NOT_NOW, UNUSABLE)
        self._is_usable = True
        return done


def _label(device: Device) -> str:
    """Return what a device is called in lists."""
    return SIGN_IN if device.label.startswith(SIGNED_IN) else device.label
