"""What an operator may set, with every limit that has a name."""

from dataclasses import dataclass, field, fields
from pathlib import Path

from .durability import Durability
from .sharding import ALONE, Shards

__all__ = ["OWN_PROXIES", "ServerSettings", "limit", "limits"]

OWN_PROXIES = ("127.0.0.0/8", "::1/128")
"""Proxies on this machine: who can put one there can do more than that."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerSettings:
    """The server's settings.

    Attributes:
        host: the address to listen on.
        port: the port; 0 for any free one.
        seed: 32 bytes that all deals follow from, for repeatable games; ``None`` for secret ones.
        contributions: whether players contribute to the deals; ``None``: unless these are to be repeatable.
        journal: the file that the tables are kept in; ``None`` keeps them in memory alone.
        durability: what is certain of a play when it is told.
        code_letters: letters of a table's code. Short ones are easily typed, and sooner found by trying.
        bot_speed: bots think so many times faster than people.
        max_tables: tables at a time.
        tables_per_minute: tables that one address may open for long.
        table_burst: what it may open at once.
        tables_per_address: tables at a time that one address has opened.
        max_bots: bots at a time, at all tables together; those who stand in for somebody count, too.
        max_connections: connections at a time, players and spectators.
        connections_per_address: connections at a time from one address, which may be a whole household's.
        max_handshakes: connections at a time that have not asked for anything yet; the oldest goes first.
        entry_seconds: how long a connection may take to say who it is.
        idle_table_seconds: how long a table is kept with nobody connected.
        commands_per_second: what one connection may send for long; beyond that, refusals.
        command_burst: what it may send at once.
        frames_per_second: what one connection may send at all; beyond that it is closed.
        frame_burst: the same at once.
        units_per_connection: what one connection may use for long, in units a second (see ``costs``), that
            nobody else can use up.
        units_per_address: what all connections of an address may use together beyond that.
        units_per_table: what all players of a table may use together beyond that.
        units_per_server: what all connections may use together beyond that.
        misses_per_minute: codes of tables that are not there that one address may ask for, for long.
        miss_burst: the same at once.
        controls_per_second: pings and pongs that one connection may send; beyond that it is closed.
        control_burst: the same at once.
        max_fragments: fragments that one message may come in.
        backlog_bytes: what may wait for a slow reader before it is cut off.
        kept_events: the newest events of a table that a returning client can still be given.
        delayed_bytes_of_table: what may wait for spectators who see a table later. Where it is more they
            get a snapshot instead.
        delayed_bytes: the same for all tables together.
        ping_seconds: how often connections are asked for a sign of life, and how long they may take.
        proxies: the networks of proxies that are believed when they say for whom they ask.
        hosts: the names under which the server may be asked for; empty for any.
        metrics_public: whether ``/metrics`` is for everybody, and not for this machine only.
        mqtt_url: the broker that is told of all tables, like ``mqtt://host:port``; empty for none.
        node: this server's name there: 1 to 32 small letters and digits; empty for a random one.
        homeassistant: whether Home Assistant is told of the tables there.
        public_urls: where the tables can be joined, as it is told there; empty for what can be guessed.
        web: whether the browser's table is served.
        lists_tables: whether browsers are told which tables there are.
        announces: whether the tables are announced on the local network.
        shards: the processes of the server, as this one sees them.

    """

    host: str = "127.0.0.1"
    port: int = 5252
    seed: bytes | None = None
    contributions: bool | None = None
    journal: Path | None = None
    durability: Durability = Durability.FULL
    code_letters: int = 8
    bot_speed: float = 1.0
    max_tables: int = 500
    tables_per_minute: float = 10.0
    table_burst: float = 20.0
    tables_per_address: int = 50
    max_bots: int = 800
    max_connections: int = 4_000
    connections_per_address: int = 250
    max_handshakes: int = 500
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
    controls_per_second: float = 10.0
    control_burst: float = 50.0
    max_fragments: int = 16
    backlog_bytes: int = 256 * 1024
    kept_events: int = 2_048
    delayed_bytes_of_table: int = 1024 * 1024
    delayed_bytes: int = 64 * 1024 * 1024
    ping_seconds: float = 2.5
    proxies: tuple[str, ...] = OWN_PROXIES
    hosts: tuple[str, ...] = ()
    metrics_public: bool = False
    mqtt_url: str = field(default="", repr=False)  # it may hold a password
    node: str = ""
    homeassistant: bool = False
    public_urls: tuple[str, ...] = ()
    web: bool = True
    lists_tables: bool = False
    announces: bool = False
    shards: Shards = ALONE

    @property
    def takes_contributions(self) -> bool:
        """Whether players contribute to the deals."""
        return self.seed is None if self.contributions is None else self.contributions


def limits() -> dict[str, float]:
    """Return all limits with their defaults: the settings that are numbers, but for what is no limit."""
    defaults: dict[str, float] = {
        item.name: item.default for item in fields(ServerSettings) if isinstance(item.default, int | float)
    }
    return {
        name: value
        for name, value in defaults.items()
        if name not in {"port", "code_letters", "bot_speed"} and not isinstance(value, bool)
    }


def limit(text: str) -> tuple[str, float]:
    """Return the limit that somebody writes as ``name=number``, and its new value.

    Raises:
        ValueError: there is no such limit, or it cannot be that; the text says so.

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
