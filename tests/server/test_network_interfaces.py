"""At which of the machine's addresses a server can be reached."""

import ipaddress
from typing import Any

import ifaddr
import pytest

from racing_demon_server import network_interfaces
from racing_demon_server.network_interfaces import is_private, own_urls, reachable
from tests.support.cases import for_each


@for_each("host", ["", "0.0.0.0", "::"])  # noqa: S104
def test_a_server_that_listens_everywhere_names_no_loopback(host: str) -> None:
    """Nobody else can use a loopback address, nor a link's without its interface."""
    assert not [each for each in reachable(host, {}) if each.is_loopback or each.is_link_local]


@pytest.mark.parametrize("wanted", ["", "127.0.0.1,::1,fe80::1", "127.0.0.1,192.0.2.7"])
def test_a_machine_s_loopback_is_never_named_for_all(wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither where the machine has no other address, nor where somebody has chosen it among others."""
    addresses: list[tuple[Any, int]] = [("127.0.0.1", 8), (("::1", 0, 0), 128), (("fe80::1", 0, 0), 64)]
    if "192.0.2.7" in wanted:
        addresses.append(("192.0.2.7", 24))
    found = [ifaddr.Adapter("eth0", "eth0", [ifaddr.IP(ip, bits, "eth0") for ip, bits in addresses])]
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: found)
    environ = {"RACING_DEMON_INTERFACES": wanted}
    named = {str(each.ip) for host in ("", "0.0.0.0", "::") for each in reachable(host, environ)}  # noqa: S104
    assert named == ({"192.0.2.7"} if "192.0.2.7" in wanted else set())


def test_a_server_that_listens_on_loopback_is_reached_there() -> None:
    """Where loopback was asked for, and is used, it is named."""
    there = reachable("127.0.0.1", {"RACING_DEMON_INTERFACES": "127.0.0.1"})
    assert [str(each.ip) for each in there] == ["127.0.0.1"]


def test_a_service_that_may_not_ask_for_addresses_knows_its_usual_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without netlink, as in a hardened unit, the address on the way to others is left."""

    def refuse() -> None:
        raise OSError(97, "Address family not supported by protocol")

    monkeypatch.setattr(ifaddr, "get_adapters", refuse)
    assert len(reachable("0.0.0.0", {})) <= 1  # noqa: S104
    assert reachable("::", {}) == []


@for_each(
    ("host", "private"),
    [
        ("0.0.0.0", True),  # noqa: S104
        ("", True),
        ("::", True),
        ("192.168.1.5", True),
        ("fd00::5", True),
        ("127.0.0.1", False),
        ("::1", False),
        ("8.8.8.8", False),
        ("localhost", False),
        ("cards.example.org", False),
    ],
)
def test_private_hosts_are_known(host: str, private: bool) -> None:
    """Private addresses are, and what stands for all; loopback, public addresses and names are not."""
    assert is_private(host) is private


def test_addresses_for_players_are_the_machine_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four at most, IPv6 in brackets; one that was chosen stands alone."""
    found = [ipaddress.ip_interface(text) for text in ("192.0.2.1/24", "2001:db8::1/64", *["10.0.0.9/8"] * 3)]
    monkeypatch.setattr(
        network_interfaces, "reachable", lambda host, environ: [] if None in (host, environ) else found
    )
    known = ("ws://192.0.2.1:5252", "ws://[2001:db8::1]:5252", "ws://10.0.0.9:5252", "ws://10.0.0.9:5252")
    for host in ("", "0.0.0.0", "::"):  # noqa: S104
        assert known == own_urls(host, 5252)
    assert own_urls("203.0.113.7", 1) == ("ws://203.0.113.7:1",)
    assert own_urls("2001:db8::2", 1) == ("ws://[2001:db8::2]:1",)
