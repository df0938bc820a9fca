"""The limits of clients' requests. Times are microseconds on a monotonic clock.

A household behind a router is one address, so the limits of addresses allow a large party.

Costs are counted in units. One unit is the cost of a ping: about 40 microseconds of CPU. The kind
of a message determines its cost, so clients can know it: ``docs/wire.md`` has a list. A play also costs one
for each further event that it causes, whatever ends a hand pays for the result that is made of its match, and
whoever opened a table pays for what nobody commands there. Costs were
measured with a journal, and rounded. The last ``ready`` or ``stuck`` of eight deals or ends a hand, so each
of the eight pays a part of that.
"""

import ipaddress
import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Final

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.formatting import pluralize
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl

from .settings import ServerSettings

ROUNDING_US: Final = 1
"""A token may be taken this much early, because the refill per microsecond is fractional."""


class TokenBucket:
    """A token bucket.

    Attributes:
        per_second: the refill rate.

    Args:
        per_second: the refill rate.
        burst: the most tokens it holds.

    """

    def __init__(self, per_second: float, burst: float) -> None:
        self.per_second = per_second
        self._each_us = 1_000_000 / per_second
        self._burst_us = burst * self._each_us
        self._spent_until = -inf

    def take(self, at: int, units: int = 1) -> bool:
        """Take tokens if there are enough; otherwise take none."""
        spent_until, full_until = self._spent_until, at - self._burst_us
        # ``max`` would take the interpreter ten times as long, for every frame.
        spent_until = (spent_until if spent_until > full_until else full_until) + self._each_us * units
        if spent_until > at + ROUNDING_US:
            return False
        self._spent_until = spent_until
        return True

    def is_empty(self, at: int, units: int = 1) -> bool:
        """Return whether there are fewer tokens than that."""
        spent_until = max(self._spent_until, at - self._burst_us) + self._each_us * units
        return spent_until > at + ROUNDING_US

    def wait_us(self, at: int, units: int = 1) -> int:
        """Return the microseconds until there are so many tokens."""
        spent_until = max(self._spent_until, at - self._burst_us) + self._each_us * units
        return max(0, math.ceil(spent_until - at))

    def used(self, at: int) -> float:
        """Return how many tokens are missing until it is full."""
        return max(0.0, (self._spent_until - at + self._burst_us) / self._each_us)

    def overdraw(self, at: int, units: int = 1) -> int:
        """Take tokens in advance. Return the microseconds until the debt is paid."""
        self._spent_until = max(self._spent_until, at - self._burst_us) + self._each_us * units
        return max(0, round(self._spent_until - at))


class Allowance:
    """The units that one connection may use: its own share, which others cannot use up, and shared pools.

    Args:
        share: its own bucket.
        pools: buckets for everything beyond the share; each use takes from all of them.

    """

    def __init__(self, share: TokenBucket, pools: Sequence[TokenBucket]) -> None:
        self._share = share
        self._pools = list(pools)
        self._owed = 0

    def add_pool(self, pool: TokenBucket) -> None:
        """Add another pool."""
        self._pools.append(pool)

    def charge(self, units: int) -> None:
        """Charge units whose number became known only after their use. The next use pays for them, too."""
        self._owed += units

    def take(self, at: int, units: int = 1) -> bool:
        """Take units if there are enough; otherwise take none."""
        if self._owed:
            units += self._owed
        if not self._share.take(at, units) and not _take(self._pools, at, units):
            return False
        self._owed = 0
        return True

    def drop_debt(self) -> int:
        """Return what is owed, which somebody else pays."""
        owed, self._owed = self._owed, 0
        return owed

    def settle(self, at: int) -> bool:
        """Pay what is owed, if there is enough. Return whether nothing is owed any more."""
        return not self._owed or self.take(at, 0)

    def overdraw(self, at: int) -> int:
        """Take a unit and the debt from the share in advance, but no more than a second's refill.

        Return the microseconds until the share has paid for that.
        """
        part = min(self._owed, max(1, int(self._share.per_second)))
        self._owed -= part
        return self._share.overdraw(at, 1 + part)


class Budget:
    """What an address pays with for what nobody commands at the tables that it opened.

    Its bots think there, and time runs out.

    Args:
        units: the units that its connections share.
        kept: what counts the bytes on the disk that it causes.

    """

    def __init__(self, units: TokenBucket, kept: Sequence[TokenBucket] = ()) -> None:
        self._units = units
        self._kept = kept

    def pay(self, at: int, units: int = 0, kept: int = 0) -> None:
        """Pay for work, and for bytes on the disk; in advance if there are not enough units."""
        units += dear_bytes(self._kept, at, kept)
        if units:
            self._units.overdraw(at, units)

    def wait_us(self, at: int) -> int:
        """Return the microseconds until everything is paid for."""
        return self._units.wait_us(at, 0)


def dear_bytes(buckets: Sequence[TokenBucket], at: int, kept: int) -> int:
    """Count bytes that stay on the disk, and return the units that they cost: none before they are many."""
    return sum(DEAR_BYTE * kept for bucket in buckets if not bucket.take(at, kept))


# What messages cost.

REQUEST: Final = 10
"""An HTTP request."""
PICTURE: Final = 60
"""A request for the QR code of a table's address, which is drawn."""
STANDINGS: Final = 60
"""A request for a page of standings."""
RECORD: Final = 1_000
"""A request for the record of a match, which is made from its events."""
DEAR_BYTE: Final = 2
"""The extra cost of each byte that stays on the disk, once an address has caused very many of them."""
HAND_OVER: Final = 100
"""The extra cost of the end of a hand: the result of its match is made."""
HAND_BEFORE: Final = 10
"""What the end of a hand costs more for each hand of the match before it, which is read again."""
MAX_HAND_OVER: Final = 1_000
"""The most that the end of a hand costs: less than a table's pool holds."""
HANDSHAKE: Final = 15
"""The handshake of a WebSocket, with its connection."""

_BY_COST: Final = (
    (1, (cl.Hello, cl.Ping, cl.PlayCards)),
    (5, (cl.Call, cl.Kick, cl.MakeHost, cl.Mute, cl.Pause, cl.React, cl.Relaying, cl.Say)),
    (5, (cl.SetTeam, cl.ShiftStock, cl.Unban)),
    (10, (cl.CloseEntry, cl.ListSpectators, cl.ListTable, cl.RemoveSpectator, cl.Report)),
    (10, (cl.EndMatch, cl.SetLastHand, cl.SetLateStart)),
    (10, (cl.Contribute, cl.PlayBest, cl.Ready, cl.Reveal, cl.Stuck)),
    (10, (cl.AddBot, cl.Leave, cl.RemoveBot, cl.SetHandicap, cl.SetOptions, cl.StandIn, cl.Watch)),
    (10, (cl.SetAppearance,)),
    (20, (cl.Join, cl.Resume, cl.Identify, cl.ListDevices)),
    (30, (cl.Create,)),
    (100, (cl.Start, cl.RemoveDevice, cl.Rename, cl.TrustDevice, cl.ForgetMe)),
    (1_000, (cl.Enroll, cl.Link)),
)
COSTS: Final[dict[type[Message], int]] = {kind: cost for cost, kinds in _BY_COST for kind in kinds}
"""The cost of each message of a client, including its frame."""


def hand_over_cost(hand: int) -> int:
    """Return the extra cost of the end of a hand, by its number in the match."""
    return min(HAND_OVER + HAND_BEFORE * (hand - 1), MAX_HAND_OVER)


# The limits of addresses.

NOT_SAID: Final = "unknown"
"""Stands for all clients that a proxy names by no address."""
SHARED_BITS: Final = 64
"""The bits of an IPv6 address that identify a household; a household chooses the rest."""
WIDER: Final = {56: 2, 48: 4}
"""How many times the limits of a household the wider IPv6 networks have that firms and hosters are given."""
MAX_REMEMBERED: Final = 10_000
MANY_SEARCHES: Final = "Too many tables are looked for; come back in a moment."
MINUTE: Final = 60.0
"""Seconds."""
HOUR: Final = 3_600.0
DAY: Final = 86_400.0
REPORTS_PER_HOUR: Final = 6
"""The reports of an address, sustained and at once."""
KEPT_PER_SECOND: Final = 2_000.0
KEPT_BURST: Final = 200_000_000.0
"""The bytes on the disk that an address may cause, sustained and at once, before each costs more. With what
its units then pay for, that is less than half a gigabyte a day. A play has some 45 bytes: 250 people behind
one router need hours of nonstop play to use up the burst."""
UNITS_PER_CPU_SECOND: Final = 25_000
"""How many units a second of the processor is."""
POOL_SECONDS: Final = 5.0
"""A pool holds this many seconds' worth of refill."""


@dataclass(slots=True)
class _Entry:
    """One address: its open connections, and its limits.

    Attributes:
        tables: limits the tables that it opens.
        units: limits what its connections use beyond their shares.
        misses: limits the wrong codes of tables that it sends.
        guesses: limits the wrong codes of players' devices that it sends.
        players: limits the players who become known there.
        reports: limits what it reports to the operator.
        kept: counts the bytes on the disk that it causes.
        readings: what its questions about results have really cost, beside their price.
        times: how many times the limits of an address it has.
        connections: the number of open ones.
        searches: the number of running ones, any of which may be for a wrong code.

    """

    tables: TokenBucket
    units: TokenBucket
    misses: TokenBucket
    guesses: TokenBucket
    players: TokenBucket
    reports: TokenBucket
    kept: TokenBucket
    readings: TokenBucket
    times: int
    connections: int = 0
    searches: int = 0


class AddressLimits:
    """The limits of all addresses. The empty address is this machine, and not limited."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._searches = 0

    def __len__(self) -> int:
        return len(self._entries)

    def enter(self, address: str) -> bool:
        """Count a connection of an address. Return whether it may."""
        entries, most = self._entries_of(address), self._settings.connections_per_address
        for entry in entries:
            entry.connections += 1
        return not address or all(entry.connections <= most * entry.times for entry in entries)

    def leave(self, address: str) -> None:
        """Stop counting a connection."""
        for entry in self._entries_of(address):
            entry.connections -= 1

    def count_table(self, address: str, at: int) -> bool:
        """Count a table that an address opens. Return whether it may."""
        return not address or _take([entry.tables for entry in self._entries_of(address)], at)

    def pools(self, address: str) -> list[TokenBucket]:
        """Return the units that the connections of an address share, also with its wider networks."""
        return [entry.units for entry in self._entries_of(address)] if address else []

    def kept(self, address: str) -> list[TokenBucket]:
        """Return what counts the bytes on the disk that an address causes, also with its wider networks."""
        return [entry.kept for entry in self._entries_of(address)] if address else []

    def budget(self, address: str) -> "Budget | None":
        """Return what an address pays with for what nobody commands; ``None`` for this machine."""
        return Budget(self._entries_of(address)[0].units, self.kept(address)) if address else None

    def charge_debt(self, address: str, at: int, units: int) -> None:
        """Charge an address what one of its connections owed when it ended."""
        for bucket in self.pools(address):
            bucket.overdraw(at, units)

    def count_request(self, address: str, at: int, units: int) -> bool:
        """Count the cost of an HTTP request. Return whether its address may make it."""
        return not address or _take(self.pools(address), at, units)

    def may_read(self, address: str, at: int) -> bool:
        """Return whether what the questions of an address about results have cost is paid."""
        return not address or not any(entry.readings.is_empty(at) for entry in self._entries_of(address))

    def reading_wait_us(self, address: str, at: int) -> int:
        """Return the microseconds until what the questions of an address have cost is paid."""
        return max((entry.readings.wait_us(at) for entry in self._entries_of(address) if address), default=0)

    def charge_reading(self, address: str, at: int, cpu_seconds: float) -> None:
        """Charge what a question about results has really cost. Later ones wait until it is paid.

        Only those: players behind the same router go on.
        """
        for entry in self._entries_of(address) if address else ():
            entry.readings.overdraw(at, round(cpu_seconds * UNITS_PER_CPU_SECOND))

    def may_miss(self, address: str, at: int) -> bool:
        """Return whether an address may try another unknown code of a table."""
        return not address or not any(entry.misses.is_empty(at) for entry in self._entries_of(address))

    def count_miss(self, address: str, at: int) -> None:
        """Count an unknown code of a table."""
        if address:
            _take([entry.misses for entry in self._entries_of(address)], at)

    def may_guess(self, address: str, at: int) -> bool:
        """Return whether an address may try another code of a player's device."""
        return not address or not any(entry.guesses.is_empty(at) for entry in self._entries_of(address))

    def count_guess(self, address: str, at: int) -> None:
        """Count a wrong code of a player's device."""
        if address:
            _take([entry.guesses for entry in self._entries_of(address)], at)

    def too_many_misses(self) -> CommandRefused:
        """Return the refusal of an address that has tried too many codes."""
        seconds = math.ceil(MINUTE / self._settings.misses_per_minute)
        wait = pluralize(seconds, "second")
        text = f"Too many wrong codes from your address: wait {wait}, and try again."
        return CommandRefused(Reason.TOO_FAST, text)

    def count_player(self, address: str, at: int) -> bool:
        """Count a player who becomes known at an address. Return whether one may."""
        return not address or _take([entry.players for entry in self._entries_of(address)], at)

    def count_report(self, address: str, at: int) -> bool:
        """Count a report of an address. Return whether it may."""
        return not address or _take([entry.reports for entry in self._entries_of(address)], at)

    def begin_search(self, address: str, at: int, shared: TokenBucket | None = None) -> bool:
        """Count a search for a table. Return whether its address may, if all running ones are misses.

        Args:
            address: the address.
            at: the time.
            shared: misses that all addresses share; each leaves the others twice what it has used.

        """
        entries = self._entries_of(address)
        entry = entries[0]
        if address and any(each.misses.is_empty(at, each.searches + 1) for each in entries):
            return False
        if address and shared is not None:
            used = entry.misses.used(at) + entry.searches
            if shared.is_empty(at, self._searches + math.ceil(2 * used) + 1):
                return False
        for each in entries:
            each.searches += 1
        self._searches += 1
        return True

    def end_search(self, address: str) -> None:
        """Stop counting a search."""
        for entry in self._entries_of(address):
            entry.searches -= 1
        self._searches -= 1

    def _entries_of(self, address: str) -> list[_Entry]:
        """Return the limits of an address, and those of the wider networks that it is in."""
        return [self._entry(name, times) for name, times in networks_of(address)]

    def _entry(self, address: str, times: int) -> _Entry:
        entry = self._entries.get(address)
        if entry is None:
            self._forget()
            settings = self._settings
            per_second, burst = settings.misses_per_minute * times / MINUTE, settings.miss_burst * times
            entry = self._entries[address] = _Entry(
                tables=TokenBucket(settings.tables_per_minute * times / MINUTE, settings.table_burst * times),
                units=pool(settings.units_per_address * times),
                misses=TokenBucket(per_second, burst),
                guesses=TokenBucket(per_second, burst),
                players=TokenBucket(settings.players_per_day * times / DAY, settings.players_per_day * times),
                reports=TokenBucket(REPORTS_PER_HOUR * times / HOUR, REPORTS_PER_HOUR * times),
                kept=TokenBucket(KEPT_PER_SECOND * times, KEPT_BURST * times),
                readings=pool(settings.units_per_address * times),
                times=times,
            )
        self._entries.move_to_end(address)
        return entry

    def _forget(self) -> None:
        """Make room: forget addresses that are not in use, the longest unseen first."""
        if len(self._entries) < MAX_REMEMBERED:
            return
        for address, entry in self._entries.items():
            if not (entry.connections or entry.searches):
                del self._entries[address]
                return


def pool(units_per_second: float) -> TokenBucket:
    """Return units that several connections share."""
    return TokenBucket(units_per_second, units_per_second * POOL_SECONDS)


def _take(buckets: Sequence[TokenBucket], at: int, units: int = 1) -> bool:
    """Take tokens from all buckets if there are enough in each; otherwise take none."""
    if any(bucket.is_empty(at, units) for bucket in buckets):
        return False
    for bucket in buckets:
        bucket.take(at, units)
    return True


@lru_cache(maxsize=MAX_REMEMBERED)
def networks_of(address: str) -> tuple[tuple[str, int], ...]:
    """Return an address and the wider networks that it is in, and how many times as much each may have."""
    if not address.endswith(f"/{SHARED_BITS}"):
        return ((address, 1),)
    network = ipaddress.ip_network(address)
    wider = ((str(network.supernet(new_prefix=bits)), times) for bits, times in WIDER.items())
    return ((address, 1), *wider)
