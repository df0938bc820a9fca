"""Where connections come from, and what one address may have."""

import ipaddress

from racing_demon_server.net.origin import named_clients, networks, origin
from racing_demon_server.rate_limits import MAX_REMEMBERED, AddressLimits
from racing_demon_server.settings import OWN_PROXIES, ServerSettings
from tests.support.cases import for_each

MINUTE = 60_000_000
OURS = networks(OWN_PROXIES)


@for_each(
    ("peer", "forwarded", "counted_as"),
    [
        ("127.0.0.1", [], ""),
        ("::1", [], ""),
        ("::ffff:127.0.0.1", [], ""),
        ("", [], ""),
        ("192.168.1.7", [], "192.168.1.7"),
        ("::ffff:192.168.1.7", [], "192.168.1.7"),
        ("2001:db8:1:2:3:4:5:6", [], "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", [], "2001:db8:1:2::/64"),
        ("fe80::1%eth0", [], "fe80::/64"),
        ("127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["127.0.0.1"], ""),
        ("127.0.0.1", ["10.0.0.1, 203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["10.0.0.1", "203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["203.0.113.9:50321"], "203.0.113.9"),
        ("127.0.0.1", ["[2001:db8:1:2::9]:50321"], "2001:db8:1:2::/64"),
        ("127.0.0.1", ["[2001:db8:1:2::9]"], "2001:db8:1:2::/64"),
        ("127.0.0.1", ["not an address"], "unknown"),
        ("127.0.0.1", [""], "unknown"),
        ("192.168.1.7", ["203.0.113.9"], "192.168.1.7"),
    ],
)
def test_what_an_address_is_counted_as(peer: str, forwarded: list[str], counted_as: str) -> None:
    """A house of IPv6 is one address, this machine none; our proxy is believed, and its own word alone."""
    assert counted_as == origin(peer, forwarded, OURS).counted_as


@for_each(
    ("value", "counted_as"),
    [
        ("for=203.0.113.9", "203.0.113.9"),
        ('For="203.0.113.9:4711"; proto=https', "203.0.113.9"),
        ('for="[2001:db8:1:2::9]:4711"', "2001:db8:1:2::/64"),
        ("for=198.51.100.1, for=203.0.113.9;by=10.0.0.1", "203.0.113.9"),
        ("for=_hidden", "unknown"),
        ("for=unknown", "unknown"),
        ("proto=https", "unknown"),
        ('for="', "unknown"),
    ],
)
def test_a_proxy_may_name_its_client_by_the_standard(value: str, counted_as: str) -> None:
    """RFC 7239; who sends X-Forwarded-For too is believed in that, because proxies pass the other on."""
    assert counted_as == origin("127.0.0.1", named_clients([], [value]), OURS).counted_as
    assert origin("127.0.0.1", named_clients(["192.0.2.1"], [value]), OURS).counted_as == "192.0.2.1"
    assert origin("192.168.1.7", named_clients([], [value]), OURS).counted_as == "192.168.1.7"


def test_a_proxy_elsewhere_is_believed_if_it_is_named() -> None:
    """A proxy in a container is not on this machine."""
    both = networks([*OWN_PROXIES, "172.16.0.0/12"])
    assert origin("172.18.0.3", ["203.0.113.9"], both).counted_as == "203.0.113.9"
    assert ipaddress.ip_network("172.16.0.0/12") in both


@for_each(
    ("hops", "counted_as"),
    [
        ("203.0.113.9, 172.18.0.3", "203.0.113.9"),
        ("127.0.0.1, 203.0.113.9, 172.18.0.3, 127.0.0.1", "203.0.113.9"),
        ("172.18.0.9, 172.18.0.3", "172.18.0.9"),
        ("203.0.113.9, unknown, 172.18.0.3", "unknown"),
    ],
)
def test_a_client_is_found_behind_several_proxies(hops: str, counted_as: str) -> None:
    """From the right, the first who is no proxy is the client; if all are proxies, the leftmost is."""
    both = networks([*OWN_PROXIES, "172.16.0.0/12"])
    standard = ", ".join(f"for={hop}" for hop in hops.split(", "))
    for named in ([hops], hops.split(", "), named_clients([], [standard])):
        assert origin("127.0.0.1", named, both).counted_as == counted_as


def test_a_relay_behind_proxies_names_one_spectator() -> None:
    """Whom a relay names is counted as it says, and what stands before can be forged."""
    both, relays = networks([*OWN_PROXIES, "172.16.0.0/12"]), networks(["10.0.0.0/8"])
    found = origin("127.0.0.1", ["198.51.100.1, 172.18.0.9, 10.1.2.3, 172.18.0.3"], both, relays)
    assert found == ("172.18.0.9, 10.1.2.3", True)


def test_connections_of_one_address_are_counted() -> None:
    """So many and no more, until one of them goes; others are not concerned."""
    addresses = AddressLimits(ServerSettings(connections_per_address=2))
    assert [addresses.enter("a") for _ in range(3)] == [True, True, False]
    assert addresses.enter("b")
    addresses.leave("a")
    assert not addresses.enter("a")
    addresses.leave("a")
    addresses.leave("a")
    assert addresses.enter("a")


def test_this_machine_is_free() -> None:
    """A server on one's own machine, and its tests, know no limits of addresses."""
    addresses = AddressLimits(ServerSettings(connections_per_address=1, table_burst=1))
    assert all(addresses.enter("") and addresses.count_table("", 0) for _ in range(100))


def test_tables_of_one_address_are_counted() -> None:
    """Some at once, then so many a minute."""
    addresses = AddressLimits(ServerSettings(tables_per_minute=2, table_burst=3))
    assert sum(addresses.count_table("a", MINUTE) for _ in range(10)) == 3
    assert addresses.count_table("b", MINUTE)
    assert sum(addresses.count_table("a", 2 * MINUTE) for _ in range(10)) == 2


def test_no_more_addresses_are_remembered_than_are_useful() -> None:
    """Whoever comes from a million addresses fills no memory, and pushes nobody out who is connected."""
    addresses = AddressLimits(ServerSettings(connections_per_address=1))
    addresses.enter("mine")
    for number in range(MAX_REMEMBERED + 500):
        addresses.count_table(str(number), 0)
    assert len(addresses) == MAX_REMEMBERED
    assert not addresses.enter("mine")


def test_a_wide_network_is_no_way_around_the_limits() -> None:
    """Who has 256 networks of IPv6, or 65,536, may have twice and four times as much as one."""
    limits = AddressLimits(ServerSettings(table_burst=2, connections_per_address=2, miss_burst=2))
    for bits, most in ((0, 4), (8, 8)):
        home = [f"2001:db8:{bits}:{number << bits:x}::/64" for number in range(2**8)]
        assert most == sum(limits.count_table(address, 0) for address in home)
        assert most == sum(limits.enter(address) for address in home)
        for address in home[:most]:
            assert limits.may_miss(address, 0)
            limits.count_miss(address, 0)
        assert not limits.may_miss(home[-1], 0)
    assert limits.count_table("2001:db9::/64", 0)
    assert limits.enter("2001:db9::/64")
    for address in home:
        limits.leave(address)
    assert limits.enter(home[0])


def test_a_wide_network_shares_what_its_connections_use() -> None:
    """Requests of many addresses of one /48 take from one pool."""
    limits = AddressLimits(ServerSettings(units_per_address=10))
    home = [f"2001:db8:1:{number:x}::/64" for number in range(0, 2**16, 256)]
    assert sum(limits.count_request(address, 0, 50) * 50 for address in home) == 4 * 50
    assert limits.count_request("2001:db8:2::/64", 0, 50)


def test_what_questions_have_cost_is_paid_before_the_next() -> None:
    """A dear question makes its own address wait, for that alone: its players go on."""
    limits = AddressLimits(ServerSettings(units_per_address=10))
    limits.charge_reading("a", 0, cpu_seconds=0.01)  # 250 units
    assert not limits.may_read("a", 19 * 1_000_000)
    assert limits.may_read("a", 21 * 1_000_000)
    assert limits.may_read("b", 0)
    assert limits.count_request("a", 0, 50)
