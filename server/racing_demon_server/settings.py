"""The settings of a server, with every limit that has a name."""

from dataclasses import dataclass, field, fields
from pathlib import Path
from urllib.parse import urlsplit

from racing_demon_protocol.constants import DEFAULT_PORT
from racing_demon_protocol.wire.presets import Preset
from racing_demon_protocol.wire.redirects import is_below

from .enums import Durability, StandingsAccess
from .sharding import ALONE, Shards

OWN_PROXIES = ("127.0.0.0/8", "::1/128")
"""Proxies on this machine are trusted: a user who can run one can do more anyway."""

NO_LIMITS = frozenset({"port", "code_letters", "bot_speed"})
"""Numbers that limit nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerSettings:
    """The server's settings.

    Attributes:
        host: the address to listen on.
        port: the port; 0 for any free one.
        seed: 32 bytes that determine all deals, for repeatable games; ``None`` for secret ones.
        contributions: whether players contribute to the deals; ``None``: unless they are repeatable.
        journal: the file of the journal; ``None`` keeps tables in memory only.
        first_journal: the journal of the first of several processes, beside which bans are kept for all;
            ``None`` if there is one process.
        results: the file of the results, which all processes share; ``None`` keeps none.
        players: the file of the players, which all processes share; ``None`` remembers none.
        remembers_people: whether people are usually remembered, as at a table at home.
        standings: who may see the standings.
        forbidden_names: words that no name may have, as the operator's list has them.
        keep_days: the days after which the events of a match are deleted; ``None`` keeps them.
        control: the file beside which the operator's commands reach a server whose journal is no file;
            ``None`` if they do not.
        durability: how durable a play is when it is sent.
        code_letters: letters of a table's code; short ones are easier to type, and to guess.
        bot_speed: how many times faster than people bots play.
        max_tables: tables at a time.
        tables_per_minute: tables that one address may open, sustained.
        table_burst: the same in a burst.
        matches_per_hour: matches of one table, sustained and at once.
        tables_per_address: tables at a time that one address has opened.
        max_bots: bots at a time at all tables, including stand-ins.
        max_connections: connections at a time, players and spectators.
        connections_per_address: connections at a time from one address, which may be a household.
        relayed_spectators: spectators that are counted for one relay, whatever it reports.
        max_handshakes: connections at a time that have sent no request yet; the oldest is closed first.
        handshakes_per_address: the same from one address.
        entry_seconds: the time for a connection to enter a table.
        idle_table_seconds: how long a table without connections stays open.
        commands_per_second: commands of one connection, sustained; beyond that they are refused.
        command_burst: the same in a burst.
        frames_per_second: frames of one connection, sustained; beyond that it is closed.
        frame_burst: the same in a burst.
        units_per_connection: one connection's own share, in units a second (see ``costs``).
        units_per_address: what all connections of an address may use beyond their shares.
        units_per_table: what all players of a table may use beyond their shares.
        units_per_server: what all connections may use beyond their shares.
        misses_per_minute: wrong table codes of one address, sustained.
        miss_burst: the same in a burst.
        players_per_day: players who may become known at one address in a day, and at once.
        controls_per_second: pings and pongs of one connection, sustained; beyond that it is closed.
        control_burst: the same in a burst.
        max_fragments: most fragments of one message.
        backlog_bytes: bytes that may wait for a slow reader before it is disconnected.
        kept_events: the newest events of a table that are held for clients that resume.
        delayed_bytes_of_table: bytes that may wait for a table's delayed spectators; beyond that a snapshot
            replaces them. delayed_bytes: the same for all tables.
        ping_seconds: the interval of heartbeats, and the time to answer one.
        proxies: the networks of trusted proxies.
        relays: the networks of trusted relays.
        identity_header: the header in which a proxy says who has signed in there; empty for none.
        identity_proxies: the networks of the proxies that are believed that.
        hosts: the host names that the server answers to; empty for any.
        metrics_public: whether ``/metrics`` is open to everybody, not to this machine only.
        mqtt_url: the broker to publish to, like ``mqtt://host:port``; empty for none.
        node: this server's name there: 1 to 32 lower-case letters and digits; empty for a random one.
        homeassistant: whether to describe the tables to Home Assistant there.
        webhook_url: the address that gets the notices of matches; empty for none.
        webhook_secret: the file with the secret that signs them.
        webhook_names: whether they have the players' names.
        public_urls: the addresses to publish for joining; empty to guess them.
        presets: presets of the operator's own, shown to everybody who opens a table.
        web: whether to serve the browser table.
        base_path: the path below which all pages are, like ``/games/cards``; empty for none.
        embeds: the origins whose pages may show tables in a frame, like ``https://club.example.org``.
        lists_tables: whether browsers can list the tables.
        announces: whether to announce the tables on the local network.
        needs_players: whether a table that only spectators watch closes like one without connections.
        shards: the processes of the server, seen from this one.
        tunnel_port: the port of the tunnel's listener, on this machine; 0 for any free one, ``None`` for no
            listener.
        tunnel_address: the public address of the tunnel; empty to read it from the program.
        tunnel_command: the tunnel's program with its arguments, in which ``{port}`` stands for the
            listener's; empty if it runs by itself.
        tunnel_key: the secret of the invitations; empty for a random one.

    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    seed: bytes | None = None
    contributions: bool | None = None
    journal: Path | None = None
    first_journal: Path | None = None
    control: Path | None = None
    results: Path | None = None
    players: Path | None = None
    remembers_people: bool = False
    standings: StandingsAccess = StandingsAccess.OFF
    forbidden_names: tuple[str, ...] = ()
    keep_days: int | None = None
    durability: Durability = Durability.FULL
    code_letters: int = 8
    bot_speed: float = 1.0
    max_tables: int = 500
    tables_per_minute: float = 10.0
    table_burst: float = 20.0
    matches_per_hour: float = 120.0
    tables_per_address: int = 50
    max_bots: int = 800
    max_connections: int = 4_000
    connections_per_address: int = 250
    relayed_spectators: int = 10_000
    max_handshakes: int = 500
    handshakes_per_address: int = 100
    entry_seconds: float = 5.0
    idle_table_seconds: float = 300.0
    commands_per_second: float = 30.0
    command_burst: float = 60.0
    frames_per_second: float = 300.0
    frame_burst: float = 600.0
    units_per_connection: float = 3.0
    units_per_address: float = 2_000.0
    units_per_table: float = 500.0
    units_per_server: float = 8_000.0
    misses_per_minute: float = 12.0
    miss_burst: float = 30.0
    players_per_day: float = 50.0
    controls_per_second: float = 10.0
    control_burst: float = 50.0
    max_fragments: int = 16
    backlog_bytes: int = 256 * 1024
    kept_events: int = 2_048
    delayed_bytes_of_table: int = 1024 * 1024
    delayed_bytes: int = 64 * 1024 * 1024
    ping_seconds: float = 2.5
    proxies: tuple[str, ...] = OWN_PROXIES
    relays: tuple[str, ...] = ()
    identity_header: str = ""
    identity_proxies: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    metrics_public: bool = False
    mqtt_url: str = field(default="", repr=False)  # it may hold a password
    node: str = ""
    homeassistant: bool = False
    webhook_url: str = field(default="", repr=False)  # its path may be secret
    webhook_secret: Path | None = None
    webhook_names: bool = False
    presets: tuple[Preset, ...] = ()
    public_urls: tuple[str, ...] = ()
    web: bool = True
    base_path: str = ""
    embeds: tuple[str, ...] = ()
    lists_tables: bool = False
    announces: bool = False
    needs_players: bool = False
    shards: Shards = ALONE
    tunnel_port: int | None = None
    tunnel_address: str = ""
    tunnel_command: tuple[str, ...] = ()
    tunnel_key: bytes = field(default=b"", repr=False)

    @property
    def own_host(self) -> str:
        """The host at which players reach this server and no other; empty if it is not known."""
        return (urlsplit(self.public_urls[0]).hostname or "") if self.public_urls else ""

    @property
    def common_host(self) -> str:
        """The name that this server shares with others, the parent of its own; empty if there is none."""
        own, names = self.own_host, (name.lower() for name in self.hosts)
        return next((name for name in names if name != own and is_below(own, name)), "")

    @property
    def join_urls(self) -> tuple[str, ...]:
        """The addresses to publish for joining, at the name that all servers share: it outlives this one."""
        if not self.common_host:
            return self.public_urls
        return tuple(url.replace(self.own_host, self.common_host, 1) for url in self.public_urls)

    @property
    def takes_contributions(self) -> bool:
        """Whether players contribute to the deals."""
        return self.seed is None if self.contributions is None else self.contributions


def limits() -> dict[str, float]:
    """Return all limits with their defaults: the numeric settings except those that are no limits."""
    return {
        item.name: item.default
        for item in fields(ServerSettings)
        if isinstance(item.default, int | float)
        and not isinstance(item.default, bool)
        and item.name not in NO_LIMITS
    }


def limit(text: str) -> tuple[str, float]:
    """Return the name and new value of a limit that is written as ``name=number``.

    Raises:
        ValueError: there is no such limit, or it cannot have that value.

    """
    name, _, number = text.partition("=")
    default = limits().get(name)
    if default is None:
        raise ValueError(f"there is no limit {name!r}; there are {', '.join(limits())}")
    try:
        value = type(default)(number)
    except ValueError:
        value = type(default)(0)
    if not 0 < value < float("inf"):
        raise ValueError(f"{name} must be a {'whole ' * isinstance(default, int)}number above 0")
    return name, value
