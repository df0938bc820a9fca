"""Connections of players and spectators to the tables of this server."""

import asyncio
import contextlib
import math
import re
import secrets
from collections.abc import Collection, Coroutine, Iterator
from functools import lru_cache
from typing import Any, Final

from websockets.http11 import Request

from racing_demon_protocol.constants import MAX_REPORT_LENGTH
from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.errors import CommandRefused, RacingDemonError
from racing_demon_protocol.formatting import pluralize
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.capabilities import (
    FORGETS,
    PLAYS_BY_ITSELF,
    PROGRAMS,
    PROVES,
    REMEMBERS,
    RETURNS,
    lacking,
    needed,
    understands,
    verify_understood,
)
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Accepted, Elsewhere
from racing_demon_protocol.wire.options import Options
from racing_demon_server.match.names import INSTEAD, ForbiddenNames, clean_words
from racing_demon_server.match.seat_tokens import Actor, hash_token
from racing_demon_server.moderation.bans import Caller
from racing_demon_server.moderation.reports import Person
from racing_demon_server.players.directory import CODE_MS, SignedIn
from racing_demon_server.players.keeper import Identity, PlayersKeeper
from racing_demon_server.rate_limits import MINUTE, TokenBucket, networks_of
from racing_demon_server.tables.passphrase import SALT_SIZE, Passphrase, PassphraseHasher, Unchecked
from racing_demon_server.tables.registry import Registry, TableElsewhere, TableUnread
from racing_demon_server.tables.room import TOO_DEAR, Room

from .connection import Connection
from .handler import Handler, ServerContext
from .http import SCHEMES
from .origin import Origin
from .sign_in import SignInHeader

PORT: Final = re.compile(r":\d+$")
USUAL_PORTS: Final = frozenset({80, 443})
"""The ports that browsers leave out of a host."""
NO_REPORTS: Final = "Nobody reads reports here. Talk to whoever runs this server."
TOO_MANY_REPORTS: Final = "You have made many reports; whoever runs this server reads them. Wait ten minutes."
TOO_MANY_PLAYERS: Final = (
    "Many people have become known at your address today. Play as a guest, or come back tomorrow."
)
SEATED: Final = "You have a seat at this table already: go on there, leave it, or let the host remove it."
OLDER_PROOF: Final = (
    "Your program is too old for this server to know who you are: update it, or reload. Until then you are a "
    "guest."
)
MOST_OPTIONS: Final = 512
"""The most tables' options that are kept as lists tell them."""
NO_NEW_TABLES: Final = "No new tables are opened on this server for now. Try again later."
UNREAD: Final = "The server still reads this table from its journal. Come back in a moment."


class UnknownPlayers(RacingDemonError):
    """Who sat at a table before a restart must be read before somebody takes a seat there."""

    def __init__(self, room: Room) -> None:
        super().__init__("who sat here is not known yet")
        self.room = room


class TableService:
    """Opens and finds tables for connections. See :class:`.handler.Service`.

    Attributes:
        context: what all connections share.
        registry: keeps the tables.
        players: keeps the players; ``None`` if all are guests.
        hasher: hashes passphrases.
        sign_in: tells who has signed in at a trusted proxy.
        forbidden_names: the names that nobody may have.

    """

    def __init__(
        self, context: ServerContext, registry: Registry, players: PlayersKeeper | None = None
    ) -> None:
        self.context = context
        self.registry = registry
        self.players = players
        self.hasher = PassphraseHasher()
        self.sign_in = SignInHeader(context.settings)
        self.forbidden_names = ForbiddenNames(context.settings.forbidden_names)

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self.registry)

    @property
    def listeners(self) -> int:
        """The number of players and spectators at all tables."""
        return self.registry.listeners

    @property
    def is_halted(self) -> bool:
        """Whether nothing can be written, so that all tables are halted."""
        return self.registry.is_halted

    @property
    def needs(self) -> str:
        """What an operator must give the journal's store before tables go on; empty if that is unknown."""
        return self.registry.needs

    def listing(self) -> Iterator[dict[str, Any]]:
        """Yield what browsers may list of the open tables."""
        for room in self.registry.rooms:
            if room.is_listed:
                yield list_entry(room.shown.view)

    def entry(self, code: str, address: str) -> dict[str, Any] | None:
        """Return what whoever has a table's code is told, listed or not; those who guess are told nothing."""
        addresses, now = self.context.addresses, self.context.clock()
        if not addresses.may_miss(address, now):
            return None
        with contextlib.suppress(TableElsewhere, TableUnread):
            try:
                return list_entry(self.registry.room(code).shown.view)
            except CommandRefused:
                addresses.count_miss(address, now)
        return None

    def has_table(self, code: str) -> bool:
        """Return whether a table is open here, listed or not."""
        return self.registry.number_of(code) is not None

    def handler(self, connection: Connection, request: Request, origin: Origin) -> Handler:
        """Return the handler of a connection whose handshake is complete."""
        handler = TableHandler(connection, self, origin, request.headers.get("Host", ""))
        handler.signed_in = self.sign_in.of(request.headers, connection.address)
        handler.schemes = self.context.dialled_schemes(request, connection.address)
        return handler

    def same_hosts(self, host: str) -> tuple[str, ...]:
        """Return a host and port that lead here, and the same host with the ports of all processes."""
        shards, shared = self.context.settings.shards, self.context.settings.port
        if shards.is_alone:
            return (host,)
        name = PORT.sub("", host)
        usual = (name,) if shared in USUAL_PORTS else ()
        return (host, *usual, *(f"{name}:{port}" for port in (shared, *shards.ports)))

    def close(self) -> None:
        """Stop hashing passphrases."""
        self.hasher.close()

    def count_table(self, address: str, at: int) -> None:
        """Count a table that an address opens.

        Raises:
            CommandRefused: there are too many, or the server is stopping.

        """
        self.check_opening(address)
        if not self.context.addresses.count_table(address, at):
            wait = pluralize(math.ceil(MINUTE / self.context.settings.tables_per_minute), "second")
            text = f"Too many tables from your address: the next one may be opened in {wait}."
            raise CommandRefused(Reason.TOO_FAST, text)

    def open(
        self,
        address: str,
        options: Options,
        lock: Passphrase,
        *,
        listed: bool = True,
        known_deal: str | None = None,
    ) -> Room:
        """Open a table for an address, which :meth:`count_table` has counted.

        Raises:
            CommandRefused: the options cannot be played, there are too many tables, or the server stops.

        """
        self.check_opening(address)
        return self.registry.open(
            *(options, lock, address, self.context.addresses.budget(address)),
            listed=listed,
            known_deal=known_deal,
        )

    def check_opening(self, address: str) -> None:
        """Check that an address may open another table.

        Raises:
            CommandRefused: it may not.

        """
        registry = self.registry
        if not registry.takes_new:
            raise CommandRefused(Reason.NOT_NOW, NO_NEW_TABLES)
        for name, times in networks_of(address) if address else ():
            most = self.context.settings.tables_per_address * times
            if sum((name, times) in networks_of(opener) for opener in registry.openers()) < most:
                continue
            tables = pluralize(most, "table")
            text = f"Your address has {tables} here, and gets no more until one of them is closed."
            raise CommandRefused(Reason.SERVER_FULL, text)

    def find(self, address: str, code: str, at: int, token_hash: bytes = b"") -> Room:
        """Return a table's room.

        An address that guesses codes is refused for a while, except at its own seats.

        Args:
            address: the client's address.
            code: the table's code.
            at: the time.
            token_hash: the hash of a seat's token, if the client sent one.

        Raises:
            CommandRefused: there is no such table, or this address has sent too many wrong codes.
            TableElsewhere: another process has the table.
            TableUnread: the table is still being read from the journal.

        """
        addresses = self.context.addresses
        may_miss, room = addresses.may_miss(address, at), None
        try:
            room = self.registry.room(code)
        except CommandRefused as unknown:
            if may_miss:
                self.miss(address, code, at, unknown)
        except TableUnread:
            if may_miss:
                raise
        if room is None or not (may_miss or room.table.seat_tokens.has_heard_of(token_hash)):
            raise addresses.too_many_misses()
        room.catch_up()  # an earlier command may have given up the seat
        return self.registry.room(code)  # judging it may have failed

    def token_hash(self, _code: str, token: str) -> bytes:
        """Return the hash by which a table knows the seat of a token."""
        return hash_token(token)

    def miss(self, address: str, _code: str, at: int, unknown: CommandRefused) -> None:
        """Count the code of a table that is not here, and raise the refusal."""
        self.context.addresses.count_miss(address, at)
        raise unknown


class TableHandler(Handler):
    """Handles the messages of a player or a spectator.

    Attributes:
        identity: who uses the connection; ``None`` until the client was asked.
        schemes: those with which the client may have dialled.

    Args:
        connection: the connection's bytes.
        service: finds the tables.
        origin: where the client comes from.
        host: the host and port that it has dialled.
        identity: who uses the connection, if another server has asked that already.

    """

    def __init__(
        self,
        connection: Connection,
        service: TableService,
        origin: Origin,
        host: str = "",
        identity: Identity | None = None,
    ) -> None:
        super().__init__(connection, service.context, origin)
        self._host = host.strip().lower()
        self.identity = identity
        settings = service.context.settings
        self._tables = service
        self._commands = TokenBucket(settings.commands_per_second, settings.command_burst)
        self._new_lock: Passphrase | None = None
        self._room: Room | None = None
        self._actor: Actor = None
        self.signed_in: SignedIn | None = None
        self.schemes: Collection[str] = SCHEMES
        self._is_spectator = True
        self._is_code_over = False

    @property
    def remembers(self) -> bool:
        """Whether the server asks who uses the connection."""
        return self._tables.players is not None

    @property
    def person(self) -> Caller:
        """Who uses the connection, as far as bans are concerned."""
        device = None if self.identity is None else self.identity.device
        who = () if device is None else (device.player, device.number)
        return Caller(self.address, *who)

    def lose_seat(self, text: str) -> None:
        """Give up the seat at a table, if there is one, because the operator sends the player away."""
        room, seat = self._room, self._actor
        if room is not None and seat is not None and room.broadcast.connections.get(seat) is self:
            with contextlib.suppress(CommandRefused):  # the seat is kept while nothing can be written
                room.kick(seat, text)

    @property
    def has_entered(self) -> bool:
        """Whether the connection has a place at a table."""
        return self._room is not None

    @property
    def may_wait(self) -> bool:
        """Whether the connection needs no place at a table: it has one, or shows a code of its player."""
        players = self._tables.players
        shows_code = players is not None and players.holds_code(self) and not self._is_code_over
        return self.has_entered or shows_code

    def greet(self, hello: cl.Hello) -> None:
        """Accept a client, and ask who uses it if it says that it can tell."""
        super().greet(hello)
        players = self._tables.players
        if players is None or self.identity is not None:
            return
        if self.signed_in is not None:
            self.identity = Identity(self._addresses)
            self.identity.signed_in = self.signed_in
            self.identity.name = self._first_name(self.signed_in)
            self.answer_later(self.recognize(players, self.identity))
        elif understands(hello.software, REMEMBERS):
            self.identity = Identity(self._addresses)
            self.reply(players.challenge(self.identity))

    @property
    def _addresses(self) -> tuple[str, ...]:
        """The addresses that the client may have dialled."""
        hosts = self._tables.same_hosts(self._host)
        return tuple(f"{scheme}://{host}" for scheme in self.schemes for host in hosts)

    def _first_name(self, who: SignedIn) -> str:
        """Return what somebody is called who signs in for the first time; nobody is refused for a name."""
        try:
            return self._tables.forbidden_names.replaced(who.name)
        except CommandRefused:
            return INSTEAD

    async def recognize(self, players: PlayersKeeper, identity: Identity) -> None:
        """Find out who uses the connection, of whom another server or a proxy has told."""
        await players.recognize(identity)
        self._check_ban()

    def identify(self, request: cl.PlayerRequest) -> None:
        """Answer a request about the connection's player.

        An address that guesses the codes of devices is refused others for a while. Nothing else can be
        guessed: many people may share an address, and whoever has a secret is believed at any time.
        """
        players, addresses = self._tables.players, self.context.addresses
        if players is None or self.identity is None:
            super().identify(request)
            return
        if isinstance(request, cl.Enroll | cl.Identify | cl.Link) and not understands(self.software, PROVES):
            raise CommandRefused(Reason.BAD_TOKEN, OLDER_PROOF)
        if isinstance(request, cl.Link) and not addresses.may_guess(self.address, self.arrived):
            raise addresses.too_many_misses()
        if isinstance(request, cl.Enroll | cl.Rename):
            name = self._tables.forbidden_names.replaced(request.name)
            request = request.model_copy(update={"name": name})
        if isinstance(request, cl.Enroll) and not self.may_enroll():
            raise CommandRefused(Reason.TOO_FAST, TOO_MANY_PLAYERS)
        answer = self._answer_identity(players, self.identity, request)
        if self.has_entered:  # who plays goes on meanwhile
            self.context.start_task(self.answer_aside(answer))
        else:  # who takes a seat has said before who that is
            self.answer_later(answer)

    def may_enroll(self) -> bool:
        """Count a player who becomes known on this connection. Return whether one may."""
        return self.context.addresses.count_player(self.address, self.arrived)

    def take_seat(self, room: Room, seat: int, name: str) -> None:
        """Record who has taken a seat, under the name that was asked for."""
        if self._tables.players is not None:
            # Not the name at the table, which may have a number to make it differ from others.
            self._tables.players.seat(self.identity, room.journal.number, seat, name)

    async def _answer_identity(
        self, players: PlayersKeeper, identity: Identity, request: cl.PlayerRequest
    ) -> None:
        try:
            await players.answer(self, identity, request)
        except CommandRefused as error:
            if isinstance(request, cl.Link) and error.reason is Reason.BAD_TOKEN:
                self.context.addresses.count_guess(self.address, self.context.clock())
            is_older = error.reason is Reason.UNKNOWN_PLAYER and not understands(self.software, FORGETS)
            raise CommandRefused(Reason.BAD_TOKEN if is_older else error.reason, error.text) from None
        finally:
            if self.is_closing:
                self.part()
        if players.holds_code(self):
            asyncio.get_running_loop().call_later(CODE_MS / 1_000, self._end_code)
        self._check_ban()

    def _end_code(self) -> None:
        """Close a connection that was there for a code alone, which is over by now."""
        self._is_code_over = True
        if self.is_entry_due and not self.is_closing:
            self.check_entry()

    def _check_ban(self) -> None:
        """Close the connection if it turns out to be that of somebody who is banned."""
        if (ban := self.context.bans.of(self.person)) is not None:
            self.close(CloseCode.KICKED, ban.text, "banned")

    def command(self, command: cl.Command) -> None:
        """Put a player's command into the inbox of the table."""
        if self._room is None or self._is_spectator:
            super().command(command)
        elif not self._commands.take(self.arrived):
            self.refuse(Reason.TOO_FAST, "Too many commands a second. Slow down.", command.counter)
        elif not self.pay(command):
            self.refuse(Reason.TOO_FAST, TOO_DEAR, command.counter)
        elif isinstance(command, cl.Say | cl.React) and (mute := self.context.bans.mute_of(self.person)):
            self.refuse(Reason.NOT_NOW, mute.text, command.counter)
        else:
            if isinstance(command, cl.SetAppearance):
                command = command.model_copy(
                    update={"name": self._tables.forbidden_names.instead(command.name)}
                )
            self._room.put(self, self._actor, command, self.arrived)

    def command_aside(self, command: cl.Command) -> None:
        """Carry out a command that concerns no seat."""
        if isinstance(command, cl.Report):
            self._report(command)
        elif self._room is None or self._is_spectator:
            super().command_aside(command)
        elif not (self._commands.take(self.arrived) and self.pay(command)):
            self.refuse(Reason.TOO_FAST, TOO_DEAR, command.counter)
        else:
            self._room.command_aside(self, self._actor, command)

    def count_relayed(self, count: int, lacks: Collection[str]) -> None:
        """Count the spectators of a relay that watches here, in its place."""
        if self._room is not None:
            self._room.broadcast.count_relayed(self, count, lacks)

    def leave(self) -> None:
        """Leave the table, because the connection is lost. Its address pays what it still owes."""
        super().leave()
        self.part()
        room = self._room
        if room is not None:
            room.leave(self, self._actor)
            self.context.addresses.charge_debt(self.address, self.context.clock(), self.allowance.drop_debt())
            if room.is_deserted:
                self._tables.registry.expire(room)

    def part(self) -> None:
        """Forget who uses the connection, which is lost."""
        if self._tables.players is not None:
            self._tables.players.leave(self)

    def _report(self, command: cl.Report) -> None:
        """Keep a report for the operator, and answer when it is kept."""
        room, reports = self._room, self.context.reports
        try:
            self.pay_or_refuse(command)
            if room is None or reports is None:
                raise CommandRefused(Reason.NOT_NOW, NO_REPORTS)
            about, text = _reported(room, command.seat), clean_words(command.text, MAX_REPORT_LENGTH)
            if not self.context.addresses.count_report(self.address, self.arrived):
                raise CommandRefused(Reason.TOO_FAST, TOO_MANY_REPORTS)
        except CommandRefused as refused:
            self.refuse(refused.reason, refused.text, command.counter)
        else:
            keeping = reports.keep(room.shown, self._person(room), about, text)
            self.context.start_task(self._answer_report(keeping, command.counter, room))

    async def _answer_report(self, keeping: Coroutine[Any, Any, None], counter: int, room: Room) -> None:
        try:
            await keeping
        except CommandRefused as refused:
            self.refuse(refused.reason, refused.text, counter)
        else:
            self.reply(Accepted(counter=counter, seq=room.shown.view.seq))

    def _person(self, room: Room) -> Person:
        """Return who this is at a table."""
        if room.broadcast.connections.get(self._actor) is not self:
            return Person(who="a spectator", seat=None, address=self.address)
        state = None if self._actor is None else room.shown.view.seats.get(self._actor)
        name = "the host" if state is None else state.name
        return Person(who=name, seat=self._actor, address=self.address)

    # Entering.

    def enter(self, request: Message) -> None:
        """Open a table, or join, watch or return to one."""
        if (waiting := self.attempt(request)) is not None:
            self.answer_later(self._enter_after(waiting, request))

    async def _enter_after(self, waiting: Coroutine[Any, Any, bool], request: Message) -> None:
        """Enter once everything is known, however often that takes.

        Meanwhile the table may have closed, moved, or filled, so nothing of an earlier attempt counts.
        """
        is_due = await waiting
        while is_due and not self.is_closing:
            self.arrived = self.context.clock()
            further = self.attempt(request)
            is_due = further is not None and await further

    def attempt(self, request: Message) -> Coroutine[Any, Any, bool] | None:
        """Give the connection the place that it asks for, if that can be decided now.

        Returns:
            What has to be awaited first: a coroutine that finds it out, and returns whether another attempt
            is due; ``None`` when the request is answered.

        Raises:
            CommandRefused: it gets none.

        """
        try:
            match request:
                case cl.Create():
                    self._create(request)
                case cl.Join():
                    self._join_or_return(request)
                case cl.Watch():
                    self._watch(request)
                case cl.Resume():
                    self._resume(request)
        except TableElsewhere as elsewhere:
            self.reply(Elsewhere(port=elsewhere.port))
        except TableUnread:
            self.close(CloseCode.TRY_AGAIN, UNREAD)
        except UnknownPlayers as unknown:
            return self._learn_players(unknown.room)
        except Unchecked as unchecked:
            return self._check(unchecked.lock, unchecked.passphrase)
        self._show_untrusted()
        return None

    def _show_untrusted(self) -> None:
        """Show a device that has a place the others of its player, if one of them is not trusted yet."""
        players, identity, room = self._tables.players, self.identity, self._room
        if players is None or identity is None or identity.device is None or room is None:
            return
        # Whoever asks for a place hears first that it is there.
        room.when_sent(lambda: self.context.start_task(players.show_untrusted(self, identity)))

    async def _check(self, lock: Passphrase, passphrase: str) -> bool:
        """Check a passphrase, or make the lock of a new table. Return whether to go on."""
        hash_ = await self._tables.hasher.hash(passphrase, lock.salt, self.address)
        if self.is_closing:
            return False
        if lock.hash is None:  # of a table that is not open yet
            self._new_lock = Passphrase(lock.salt, hash_, passphrase)
        else:
            lock.check(passphrase, hash_, self.address, self.context.clock())
        return True

    def _create(self, request: cl.Create) -> None:
        verify_understood(self.software, needed(request.options, request.known_deal))
        lock, self._new_lock = self._new_lock, None
        if lock is None:
            self._tables.count_table(self.address, self.arrived)
            lock = Passphrase(secrets.token_bytes(SALT_SIZE))
            if request.passphrase:
                raise Unchecked(lock, request.passphrase)
        room = self._tables.open(
            *(self.address, request.options, lock), listed=request.listed, known_deal=request.known_deal
        )
        if request.seated:
            try:
                self._join(room, request.name, secrets.token_hex(32))
            except CommandRefused:
                self._tables.registry.discard(room)
                raise
        else:
            token = secrets.token_hex(32)
            room.add_host(hash_token(token))
            self._share_units(room, None)
            room.attach(self, None, token)

    def _watch(self, request: cl.Watch) -> None:
        room = self._tables.find(self.address, request.code, self.arrived)
        room.watch(self, request.passphrase, self.address)
        self._room = room

    def _join_or_return(self, request: cl.Join) -> None:
        token = request.token or secrets.token_hex(32)
        token_hash = self._tables.token_hash(request.code, token)
        room = self._tables.find(self.address, request.code, self.arrived, token_hash)
        if room.table.seat_tokens.knows(token_hash):
            self._return(room, token, token_hash, "", 0)
        elif (seat := self._seat_left(room, token_hash)) is not None:
            self._take_back(room, seat, token, token_hash, request.name)
        else:
            room.verify_passphrase(request.passphrase, self.address)
            self._join(room, request.name, token)

    def _seat_left(self, room: Room, token_hash: bytes) -> int | None:
        """Return the seat that the connection's player has left in this match, and gets back.

        Raises:
            UnknownPlayers: who sat at the table before a restart must be read first.

        """
        if self._player and not room.knows_players:
            raise UnknownPlayers(room)
        if lacking(self.software, [RETURNS]):
            return None
        program = understands(self.software, PLAYS_BY_ITSELF)
        return room.seat_of_leaver(token_hash, self._player, program=program)

    async def _learn_players(self, room: Room) -> bool:
        """Find out who sat at a table before a restart. Return whether to go on."""
        players = self._tables.players
        with contextlib.suppress(CommandRefused):  # nobody is refused a seat for it
            seated = {} if players is None else await players.seated(room.journal.number)
            room.players = seated | room.players
        room.knows_players = True
        return not self.is_closing

    def _take_back(self, room: Room, seat: int, token: str, token_hash: bytes, name: str) -> None:
        room.verify_understood(self.software)
        self._verify_only_seat(room)
        room.take_back(seat, token_hash, self.address)
        if self._player:
            self.take_seat(room, seat, name)
            self._record_player(room, seat)
        self._share_units(room, seat)
        room.attach(self, seat, token)

    def _join(self, room: Room, name: str, token: str) -> None:
        room.verify_understood(self.software)
        program = understands(self.software, PLAYS_BY_ITSELF)
        if program:
            verify_understood(self.software, [PROGRAMS])
        self._verify_only_seat(room)
        name = self._tables.forbidden_names.replaced(name)
        seat = room.join(name, hash_token(token), self.address, program=program)
        self.take_seat(room, seat, name)
        self._record_player(room, seat)
        self._share_units(room, seat)
        room.attach(self, seat, token)

    def _verify_only_seat(self, room: Room) -> None:
        """Check that the connection's player has no other seat at a table.

        Raises:
            CommandRefused: there is one.

        """
        player, seats = self._player, room.table.view.seats
        for seat, seated in room.players.items():
            state = seats.get(seat)
            if player and seated == player and state is not None and not (state.left or state.bot):
                raise CommandRefused(Reason.NOT_NOW, SEATED)

    def _record_player(self, room: Room, seat: int) -> None:
        """Remember who has a seat; after a restart, since the seat was returned to."""
        room.players[seat] = self._player

    @property
    def _player(self) -> str:
        """The player who uses the connection; empty for a guest."""
        device = None if self.identity is None else self.identity.device
        return "" if device is None else device.player

    def _resume(self, request: cl.Resume) -> None:
        token_hash = self._tables.token_hash(request.code, request.token)
        room = self._tables.find(self.address, request.code, self.arrived, token_hash)
        self._return(room, request.token, token_hash, request.epoch, request.seq)

    def _return(self, room: Room, token: str, token_hash: bytes, epoch: str, seq: int) -> None:
        actor = room.table.seat_tokens.actor(token_hash)
        room.verify_understood(self.software)
        if room.is_halted:
            self.close(CloseCode.TRY_AGAIN, "The server cannot write to its disk. Come back in a moment.")
            return
        if actor is not None and self._player:
            self._record_player(room, actor)
        self._share_units(room, actor)
        room.resume(self, actor, token, self.address, epoch, seq)

    def _share_units(self, room: Room, actor: Actor) -> None:
        self._is_spectator, self._actor, self._room = False, actor, room
        self.allowance.add_pool(room.units)


def _reported(room: Room, seat: int | None) -> Person | None:
    """Return whom a report is about; ``None`` for the whole table.

    Raises:
        CommandRefused: nobody has that seat.

    """
    if seat is None:
        return None
    state = room.shown.view.seats.get(seat)
    if state is None or state.bot:
        raise CommandRefused(Reason.NOT_SEATED, "No person has that seat.")
    there = room.broadcast.connections.get(seat)
    return Person(who=state.name, seat=seat, address=None if there is None else there.address)


def list_entry(view: TableState) -> dict[str, Any]:
    """Return what is listed of a table."""
    here = [state for state in view.seats.values() if not state.left]
    players = len(here)
    return {
        "code": view.code,
        "game": view.options.game,
        "host": view.host_name,
        "players": players,
        "seats": players if view.entry_closed else view.options.seats,  # nobody new takes one
        "locked": view.locked,
        "running": not view.between_matches,
        "names": [] if view.locked else [[state.seat, state.name] for state in here],
        "options": _options_told(view.options),
    }


@lru_cache(maxsize=MOST_OPTIONS)
def _options_told(options: Options) -> dict[str, Any]:
    """Return options as a list tells them. It is asked for with each list, of every table in it."""
    return options.model_dump(mode="json", exclude_defaults=True)
