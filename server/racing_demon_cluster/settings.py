"""The settings of a server that shares a database with others."""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterSettings:
    """The settings of a server of a cluster, besides those of any server.

    Attributes:
        database: the URL of the PostgreSQL database.
        keys: encrypt the seeds of running hands: the first one writes, all read.
        needs_standby: whether a database without a synchronous standby is refused.
        inside: where other servers reach this one, as ``host:port``; empty for its address.
        lease_seconds: a server that was silent for this long is dead, and others take over its tables.
        drain_seconds: how long a draining server waits for hands to end.

    """

    database: str
    keys: tuple[bytes, ...] = field(repr=False)
    needs_standby: bool = True
    inside: str = ""
    lease_seconds: float = 2.0
    drain_seconds: float = 600.0
