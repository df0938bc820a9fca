"""What an operator may set, with every limit in one place."""

from dataclasses import dataclass, field

__all__ = ["Settings"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The server's settings.

    Attributes:
        host: the address to listen on.
        port: the port; 0 for any free one.
        seed: 32 bytes that all deals follow from, for repeatable games; ``None`` for secret ones.
        bot_speed: bots think so many times faster than people.
        max_tables: tables at a time.
        max_connections: connections at a time, players and spectators.
        entry_seconds: how long a connection may take to say who it is.
        idle_table_seconds: how long a table is kept with nobody connected.
        commands_per_second: what one connection may send for long; beyond that, refusals.
        command_burst: what it may send at once.
        frames_per_second: what one connection may send at all; beyond that it is closed.
        frame_burst: the same at once.
        backlog_bytes: what may wait for a slow reader before it is cut off.
        kept_events: the newest events of a table that a returning client can still be given.
        ping_seconds: how often connections are asked for a sign of life, and how long they may take.
        metrics_public: whether ``/metrics`` is for everybody, and not for this machine only.
        mqtt_url: the broker that is told of all tables, like ``mqtt://host:port``; empty for none.
        node: this server's name there: 1 to 32 small letters and digits; empty for a random one.
        homeassistant: whether Home Assistant is told of the tables there.
        public_urls: where the tables can be joined, as it is told there; empty for what can be guessed.

    """

    host: str = "127.0.0.1"
    port: int = 5252
    seed: bytes | None = None
    bot_speed: float = 1.0
    max_tables: int = 500
    max_connections: int = 4_000
    entry_seconds: float = 5.0
    idle_table_seconds: float = 300.0
    commands_per_second: float = 30.0
    command_burst: float = 60.0
    frames_per_second: float = 300.0
    frame_burst: float = 600.0
    backlog_bytes: int = 256 * 1024
    kept_events: int = 2_048
    ping_seconds: float = 2.5
    metrics_public: bool = False
    mqtt_url: str = field(default="", repr=False)  # it may hold a password
    node: str = ""
    homeassistant: bool = False
    public_urls: tuple[str, ...] = ()
