"""Keeps the players of a server: answers their devices, and writes what changes in a thread."""

import asyncio
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Final, Protocol

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.formatting import printable
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Challenge, DeviceRow, Devices, Identified
from racing_demon_protocol.wire.player_proof import secret_hash
from racing_demon_server.match.names import clean
from racing_demon_server.match.seat_tokens import hash_token

from .directory import CODE_MS, ChallengeFacts, Device, Directory, Player
from .file import PlayersFile, Seating

MAX_TOKENS: Final = 10_000
"""The most tokens for requests over HTTP that are remembered; the oldest are forgotten first."""
SEEN_MS: Final = 3_600_000
"""How much older than now the time may be when a device was last seen: it is not written each time."""
RANDOM_BYTES: Final = 16
MAX_SHOWN: Final = 32
"""The most devices that a player is shown: merged players may have more."""
NO_PLAYER: Final = "Tell the server first who you are."

log = logging.getLogger("racing_demon_server")


class Visitor(Protocol):
    """A connection, as far as its player is concerned."""

    def reply(self, message: Message) -> None:
        """Send a message to this connection only."""


class Identity:
    """Who uses one connection.

    Attributes:
        nonce: what the proof of this connection is made of.
        host: the host and port that the client has dialled.
        device: the device that was proven, perhaps removed since; ``None`` for a guest.

    """

    def __init__(self, host: str) -> None:
        self.nonce = secrets.token_hex(32)
        self.host = host
        self.device: Device | None = None


class PlayersKeeper:
    """The players of a server.

    Args:
        file: keeps them.
        is_suggested: whether people are usually remembered here.
        now_ms: returns the milliseconds since 1970.

    """

    def __init__(
        self,
        file: PlayersFile,
        *,
        is_suggested: bool,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self.directory: Directory = file.directory()
        self._file = file
        self._is_suggested = is_suggested
        self._now_ms = now_ms
        self._visitors: dict[Visitor, Device] = {}
        self._tokens: OrderedDict[bytes, Device] = OrderedDict()
        self._thread = ThreadPoolExecutor(1, "players")

    async def close(self) -> None:
        """Write what waits, and close the file."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._file.close)
        self._thread.shutdown()

    # Connections.

    def challenge(self, identity: Identity) -> Challenge:
        """Return the question who uses a connection."""
        return Challenge(server=self._file.server, nonce=identity.nonce, suggested=self._is_suggested)

    def answer(self, visitor: Visitor, identity: Identity, request: cl.PlayerRequest) -> None:
        """Carry out the request of a connection, and answer it.

        Raises:
            CommandRefused: it is refused; with ``bad_token``, a guess was wrong.

        """
        now = self._now_ms()
        match request:
            case cl.Enroll():
                name, key, label = clean(request.name), secret_hash(request.secret), printable(request.device)
                randomness = secrets.token_bytes(RANDOM_BYTES)
                if idle := self.directory.to_make_room():
                    self.forget(idle)
                player, device = self.directory.enroll(name, key, label, now, randomness)
                self._save(player, device)
                self._welcome(visitor, identity, device)
            case cl.Identify():
                self._identify(visitor, identity, request, now)
            case cl.Link():
                key, label = secret_hash(request.secret), printable(request.device)
                device = self.directory.link(clean(request.name), request.code, key, label, now)
                self._save(device)
                self._tell_others(device)
                self._welcome(visitor, identity, device)
            case _:
                self._change(visitor, identity, request, now)

    def _identify(self, visitor: Visitor, identity: Identity, request: cl.Identify, now: int) -> None:
        if identity.device is not None:
            raise CommandRefused(Reason.NOT_NOW, "This connection has a player already.")
        player, number, proof = request.player, request.device, request.proof
        challenge = ChallengeFacts(self._file.server, identity.nonce, identity.host)
        device = self.directory.identify(player, number, proof, challenge)
        self._see(device, now)
        self._welcome(visitor, identity, device)

    def _change(self, visitor: Visitor, identity: Identity, request: cl.PlayerRequest, now: int) -> None:
        """Carry out what only a player's device may ask for."""
        own = self._device_of(identity)
        if own is None:
            raise CommandRefused(Reason.NOT_NOW, NO_PLAYER)
        match request:
            case cl.ListDevices():
                self._list(visitor, own, now, with_code=request.with_code)
            case cl.RemoveDevice():
                removed = self.directory.remove(own, request.device, now)
                self._write(partial(self._file.remove_device, removed.number))
                self._disconnect(removed)
                if removed is not own:
                    self._list(visitor, own, now, with_code=False)
            case cl.Rename():
                self._save(self.directory.rename(own, clean(request.name), now))
                self._welcome(visitor, identity, own)

    def leave(self, visitor: Visitor) -> None:
        """Forget a connection."""
        self._visitors.pop(visitor, None)

    def of_token(self, token: str) -> str:
        """Return the player whose token came with a request over HTTP; empty for a guest."""
        device = self._tokens.get(hash_token(token))
        return device.player if device is not None and self.directory.knows(device) else ""

    # The operator.

    def overview(self) -> list[dict[str, object]]:
        """Return what the operator sees of each player."""
        return [
            {
                "id": player.id,
                "name": player.name,
                "devices": len(self.directory.devices(player.id)),
                "seen": player.seen_ms // 1_000,
                "merged_into": player.merged_into,
            }
            for player in self.directory
        ]

    def merge(self, player: str, into: str) -> None:
        """Let a player's devices and results be another's.

        Raises:
            CommandRefused: there are no two such players.

        """
        merged = self.directory.merge(player, into)
        self._save(merged, *self.directory.devices(merged.merged_into))

    def rename(self, player: str, name: str) -> None:
        """Change a player's name.

        Raises:
            CommandRefused: it is no name.

        """
        known = self.directory.player(player)
        assert known is not None
        known.name = clean(name)
        self._save(known)

    def forget(self, player: str) -> None:
        """Forget a player with all devices; results keep the id, and show a former player."""
        for each in (*self.directory.merged_into(player), player):
            for device in self.directory.forget(each):
                self._disconnect(device)
            self._write(partial(self._file.remove_player, each))

    # Tables.

    def seat(self, identity: Identity | None, table_id: int, seat: int, name: str) -> None:
        """Record who took a seat: the player of a connection, or a guest."""
        now, device = self._now_ms(), None if identity is None else self._device_of(identity)
        if device is not None:
            player = self.directory.see(device, now, plays=True)
            if not device.is_on_trial(now):
                player.name = name
            self._save(player)
        known = ("", 0) if device is None else (device.player, device.number)
        seating = Seating(table_id, seat, now, *known)
        self._write(partial(self._file.add_seating, seating))

    def _device_of(self, identity: Identity) -> Device | None:
        """Return the device that uses a connection; ``None`` for a guest, and after it was removed."""
        device = identity.device
        return device if device is not None and self.directory.knows(device) else None

    def _welcome(self, visitor: Visitor, identity: Identity, device: Device) -> None:
        identity.device = device
        self._visitors[visitor] = device
        token = secrets.token_hex(32)
        self._tokens[hash_token(token)] = device
        while len(self._tokens) > MAX_TOKENS:
            self._tokens.popitem(last=False)
        player = self.directory.player(device.player)
        assert player is not None
        visitor.reply(Identified(player=player.id, device=device.number, name=player.name, token=token))

    def _disconnect(self, removed: Device) -> None:
        """Forget the connections of a device that was removed."""
        for visitor in [each for each, device in self._visitors.items() if device is removed]:
            self.leave(visitor)

    def _list(self, visitor: Visitor, own: Device, now: int, *, with_code: bool) -> None:
        code, seconds = "", 0
        if with_code:
            code = self.directory.new_code(own, now, secrets.token_bytes(RANDOM_BYTES)).code
            seconds = CODE_MS // 1_000
        visitor.reply(Devices(devices=self._rows(own.player, now), code=code, seconds=seconds))

    def _tell_others(self, added: Device) -> None:
        """Show all connected devices of a player that one was added."""
        rows = self._rows(added.player, self._now_ms())
        for visitor, device in self._visitors.items():
            if device.player == added.player:
                visitor.reply(Devices(devices=rows))

    def _rows(self, player: str, now: int) -> tuple[DeviceRow, ...]:
        return tuple(
            DeviceRow(
                device=each.number,
                label=each.label,
                added_ms=each.added_ms,
                seen_ms=each.seen_ms,
                is_new=each.is_on_trial(now),
            )
            for each in self.directory.devices(player)[-MAX_SHOWN:]
        )

    def _see(self, device: Device, now: int) -> None:
        if now - device.seen_ms >= SEEN_MS:
            self._save(self.directory.see(device, now), device)

    def _save(self, *changed: Player | Device) -> None:
        """Write players and devices as they are now."""
        for each in changed:
            if isinstance(each, Player):
                self._write(partial(self._file.save_player, replace(each)))
            else:
                self._write(partial(self._file.save_device, replace(each)))

    def _write(self, change: Callable[[], None]) -> None:
        self._thread.submit(self._attempt, change)

    @staticmethod
    def _attempt(change: Callable[[], None]) -> None:
        try:
            change()
        except Exception:
            log.exception("a player could not be written")
