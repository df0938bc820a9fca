"""What the operator may ask of a running server."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_server.journal.interface import Fenced, JournalUnusable
from racing_demon_server.players.keeper import PlayersKeeper
from racing_demon_server.tables.registry import Registry, TableElsewhere, TableUnread
from racing_demon_server.tables.room import Room

from .bans import ServerBan, ServerBans
from .control_socket import ANSWER_SECONDS, Gone, RequestFailed

ONLY_HOSTED: Final = "this server opens a tunnel only when it starts: start it with --tunnel"
CLOSE_ALL: Final = "close_all"
NEW_TABLES: Final = "new_tables"
SAY: Final = "say"
"""What may be ordered for all tables of a server, or of all servers that share them."""
UNKNOWN: Final = "the server does not know this command: is it of another version?"
KICKED: Final = "The server's operator has kicked you"
CLOSED: Final = "The server's operator has closed this table"


class TunnelRequests(NamedTuple):
    """What may be asked of a tunnel.

    Attributes:
        switch: opens it, by what ``--tunnel`` takes and its address, or closes it if the first is ``None``.
        seat_link: returns the link to a seat at the table with a code, by the hash of its token.

    """

    switch: Callable[[str | None, str], Awaitable[None]]
    seat_link: Callable[[str, bytes], str | None]


class Order(NamedTuple):
    """What the operator wants of all tables.

    Attributes:
        kind: :data:`CLOSE_ALL`, :data:`NEW_TABLES` or :data:`SAY`; others are of a newer version.
        text: the reason; ``on`` or ``off``; or what is said.

    """

    kind: str
    text: str


class SharedModeration(Protocol):
    """The bans that several servers share, and what all of them are ordered to do."""

    async def keep(self, ban: ServerBan) -> None:
        """Keep a ban, in place of an earlier one of the same subject.

        Raises:
            JournalUnusable: they cannot be written now.

        """

    async def lift(self, kind: str, subject: str) -> int:
        """Remove the bans of a subject, and return how many there were.

        Raises:
            JournalUnusable: they cannot be written now.

        """

    async def order(self, order: Order) -> None:
        """Let all other servers carry out an order, too.

        Raises:
            JournalUnusable: they cannot be told now.

        """

    async def close(self) -> None:
        """Stop looking for what has changed."""


def obey(registry: Registry, order: Order) -> None:
    """Carry out what was ordered at another server."""
    match order:
        case Order(kind="close_all"):
            for room in registry.rooms:
                registry.close_table(room, _closing_text(order.text), lambda: None)
        case Order(kind="new_tables"):
            registry.takes_new = order.text == "on"
        case Order(kind="say"):
            for room in registry.rooms:
                room.broadcast.notify(order.text)


def _closing_text(reason: str) -> str:
    return f"{CLOSED}: {reason}" if reason else f"{CLOSED}."


class OperatorRequests:
    """Answers the operator. See :mod:`.control_socket`.

    Args:
        registry: the tables.
        bans: the operator's bans.
        disconnect_banned: closes the connections of those who are banned, and returns how many there were.
        players: keeps the players; ``None`` if all are guests.
        tunnel: what may be asked of the tunnel; ``None`` where there can be none.
        shared: keeps the bans that several servers share, and tells them what is ordered; ``None`` for a
            server alone, whose bans the command writes.

    """

    def __init__(  # noqa: PLR0913 - three that not all servers have, each passed by its name
        self,
        registry: Registry,
        bans: ServerBans,
        disconnect_banned: Callable[[], int],
        *,
        players: PlayersKeeper | None = None,
        tunnel: TunnelRequests | None = None,
        shared: SharedModeration | None = None,
    ) -> None:
        self._registry = registry
        self._players = players
        self._bans = bans
        self._disconnect_banned = disconnect_banned
        self._tunnel = tunnel
        self._shared = shared

    async def answer(self, request: Mapping[str, Any], gone: Gone) -> Mapping[str, Any]:
        """Carry out a request, and return its answer. What is held ends when whoever asks has gone.

        Raises:
            RequestFailed: it cannot be carried out.

        """
        match request:
            case {"command": "tables"}:
                return {"tables": [_overview(room) for room in self._registry.rooms]}
            case {"command": "close_all" | "new_tables" | "say" as kind, "text": str(text)}:
                return await self._order(Order(kind, text), everywhere=request.get("everywhere") is True)
            case {"code": str(code), "command": "table" | "close" | "host" | "kick"}:
                return await self._ask_table(request, code)
            case {"command": "reload_bans" | "ban" | "unban"}:
                return await self._ask_bans(request)
            case {
                "command": "players"
                | "devices"
                | "confirm_player"
                | "split_player"
                | "change_player"
                | "clear_players"
            }:
                return await self._ask_players(request, gone)
            case {"command": "tunnel" | "seat_links"}:
                return await self._ask_tunnel(request)
        raise RequestFailed(UNKNOWN)

    async def _ask_table(self, request: Mapping[str, Any], code: str) -> Mapping[str, Any]:
        room = self._room(code)
        match request:
            case {"command": "close", "reason": str(reason)}:
                if room is not None:
                    await self._close(room, reason)
                return {"closed": room is not None}
            case {"command": "kick", "seat": str(seat), "reason": str(reason)}:
                text = f"{KICKED}: {reason}" if reason else f"{KICKED}."
                kick = partial(Room.kick, text=text)
                return {"kicked": None if room is None else _change_seat(room, seat, kick)}
            case {"command": "host", "seat": str(seat)}:
                return {"host": None if room is None else _change_seat(room, seat, Room.make_host)}
        return {"table": None if room is None else {**_overview(room), "there": _there(room)}}

    async def _order(self, order: Order, *, everywhere: bool) -> Mapping[str, Any]:
        """Carry out an order here, and at all servers that share the tables if it is for all of them.

        Raises:
            RequestFailed: they cannot be told now, or what is ordered cannot be done.

        """
        shared, rooms = self._shared if everywhere else None, self._registry.rooms
        if shared is not None:
            try:
                await shared.order(order)
            except (JournalUnusable, Fenced) as error:
                raise RequestFailed(f"{error} Nothing is done; --here is for this server alone.") from error
        told = {"shared": shared is not None, "has_others": self._shared is not None}
        if order.kind == CLOSE_ALL:
            await asyncio.gather(*(self._close(room, order.text) for room in rooms))
            return {**told, "closed": len(rooms)}
        if order.kind == NEW_TABLES:
            self._registry.takes_new = order.text == "on"
            return told
        numbers = [room.broadcast.notify(order.text) for room in rooms]
        heard, older = (sum(each[part] for each in numbers) for part in (0, 1))
        return {**told, "tables": len(rooms), "heard": heard, "older": older}

    async def _ask_players(self, request: Mapping[str, Any], gone: Gone) -> Mapping[str, Any]:
        """Answer what is asked about players; ``None`` or ``False`` if this server does not know the player.

        Raises:
            RequestFailed: the players' keeper refuses it.

        """
        players = self._players
        try:
            match request:
                case {"command": "confirm_player", "player": str(player)}:
                    holder = gone if request.get("hold") else None
                    return {"confirmed": None if players is None else await players.confirm(player, holder)}
                case {"command": "devices", "player": str(player)}:
                    return {"devices": None} if players is None else await _devices(players, player)
                case {"command": "split_player", "player": str(player), "devices": list(devices)}:
                    numbers = [int(each) for each in devices]
                    return {"split": None if players is None else await players.split(player, numbers)}
                case {"command": "clear_players", "seconds": int(seconds), "played": bool(played)}:
                    return {"cleared": 0 if players is None else await players.clear(seconds, played=played)}
                case {"command": "change_player", "player": str(player)}:
                    is_known = players is not None and await _change(players, player, request)
                    return {"changed": is_known}
            return {"players": [] if players is None else await players.overview()}
        except CommandRefused as error:
            raise RequestFailed(error.text) from error

    async def _ask_tunnel(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._tunnel is None:
            raise RequestFailed(ONLY_HOSTED)
        match request:
            case {"code": str(code)}:
                return {"seats": self._seat_links(code, self._tunnel)}
            case {"tunnel": str() | None as text, "address": str(address)}:
                await self._tunnel.switch(text, address)
        return {}

    def _seat_links(self, code: str, tunnel: TunnelRequests) -> list[dict[str, Any]]:
        """Return the players of a table who are away, each with the link to their seat."""
        room = self._room(code)
        if room is None:
            return []
        seats, found = room.shown.view.seats, []
        for seat, token_hash in self._registry.token_hashes(code).items():
            state, link = seats.get(seat), tunnel.seat_link(code, token_hash)
            if state is not None and link is not None and not (state.connected or state.left or state.bot):
                found.append({"name": state.name, "link": link})
        return found

    def _room(self, code: str) -> Room | None:
        """Return a table's room; ``None`` if it is not here.

        Raises:
            RequestFailed: it is not read yet.

        """
        try:
            return self._registry.room(code)
        except (CommandRefused, TableElsewhere):
            return None
        except TableUnread:
            text = f"the table {code} is still being read from the journal: try again in a moment"
            raise RequestFailed(text) from None

    async def _close(self, room: Room, reason: str) -> None:
        closed = asyncio.Event()
        self._registry.close_table(room, _closing_text(reason), closed.set)
        try:
            await asyncio.wait_for(closed.wait(), ANSWER_SECONDS / 2)
        except TimeoutError:
            raise RequestFailed("what is left closes as soon as the journal can be written") from None

    async def _ask_bans(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Keep or lift a ban that several servers share, ``None`` if the command does; or read them anew."""
        shared = self._shared
        try:
            match request:
                case {"command": "ban", "ban": dict(fields)}:
                    if shared is not None:
                        await shared.keep(ServerBan.model_validate(fields))
                    return {"kept": shared is not None}
                case {"command": "unban", "kind": str(kind), "subject": str(subject)}:
                    return {"lifted": None if shared is None else await shared.lift(kind, subject)}
            self._bans.reload()
        except (JournalUnusable, Fenced) as error:
            raise RequestFailed(str(error)) from error
        return {"disconnected": self._disconnect_banned()}


def _overview(room: Room) -> dict[str, Any]:
    """Return what the operator sees of each table."""
    view = room.shown.view
    seated = [state for state in view.seats.values() if not state.left]
    return {
        "code": view.code,
        "game": view.options.game,
        "host": view.host_name,
        "people": sum(not (state.bot or state.program) for state in seated),
        "bots": sum(bool(state.bot or state.program) for state in seated),
        "spectators": room.broadcast.spectators.people,
        "phase": view.phase.value,
        "opened": room.opened_ms // 1_000,
    }


async def _devices(players: PlayersKeeper, player: str) -> dict[str, Any]:
    """Return a player's devices, and by which id connections know the player, who may have been merged."""
    return {"devices": await players.devices(player), "canonical": await players.canonical(player)}


async def _change(players: PlayersKeeper, player: str, request: Mapping[str, Any]) -> bool:
    """Merge, rename or forget a player, undo or trust a device; return whether there was anything to do."""
    match request:
        case {"into": str(into)}:
            return await players.change(player, into=into)
        case {"name": str(name)}:
            return await players.change(player, name=name)
        case {"undo": int(device)}:
            return await players.undo_device(player, device)
        case {"end_code": True}:
            return await players.end_code(player)
        case {"trust": int(device)}:
            return await players.trust_device(player, device)
        case _:
            return await players.change(player)


def _change_seat(room: Room, seat: str, change: Callable[[Room, int], None]) -> str:
    """Change something about the seat of a person, by its number or their name. Return the name.

    Raises:
        RequestFailed: no person has that seat.

    """
    view = room.shown.view
    seats = [number for number, state in view.seats.items() if seat in {str(number), state.name}]
    try:
        if not seats:
            raise CommandRefused(Reason.NOT_SEATED, f"nobody has the seat {seat}")
        name = view.seats[seats[0]].name
        change(room, seats[0])
    except CommandRefused as error:
        raise RequestFailed(error.text) from error
    return name


def _there(room: Room) -> list[dict[str, Any]]:
    """Return who is at a table, and from where."""
    view, broadcast = room.shown.view, room.broadcast
    players = [
        {
            "who": state.name,
            "seat": seat,
            "bot": bool(state.bot),
            "player": room.players.get(seat, ""),
            "address": broadcast.connections[seat].address if seat in broadcast.connections else None,
        }
        for seat, state in view.seats.items()
        if not state.left
    ]
    host = broadcast.connections.get(None)
    hosts = [] if host is None else [{"who": "the host", "address": host.address}]
    return [
        *hosts,
        *players,
        *({"who": "a spectator", "address": each.address} for each in broadcast.spectators),
    ]
