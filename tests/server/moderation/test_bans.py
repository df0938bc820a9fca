"""Which addresses a ban is for, and what becomes of its file."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.moderation.bans import (
    ADDRESS,
    ServerBan,
    ServerBans,
    add_ban,
    banned_network,
    lift_bans,
    read_bans,
)
from tests.support.cases import for_each


def ban(subject: str, until: int = 2_000, kind: str = ADDRESS) -> ServerBan:
    """Return a ban that was made at second 1,000."""
    return ServerBan(kind=kind, subject=subject, made=1_000, until=until, reason="spam")


@pytest.mark.parametrize(
    ("subject", "address", "is_banned"),
    [
        ("203.0.113.0/24", "203.0.113.9", True),
        ("203.0.113.0/24", "203.0.114.9", False),
        ("203.0.113.9", "203.0.113.9", True),
        ("2001:db8::1", "2001:db8::/64", True),  # whoever has an address there has them all
        ("2001:db8::/48", "2001:db8:0:7::/64", True),
        ("2001:db8::/48", "2001:db8:1::/64", False),
        ("203.0.113.0/24", "unknown", False),  # a proxy does not say who this is
        ("203.0.113.0/24", "", False),  # this machine
    ],
)
def test_whom_a_ban_is_for(tmp_path: Path, subject: str, address: str, is_banned: bool) -> None:
    """A network covers its addresses, and no others."""
    add_ban(tmp_path / "bans", ban(str(banned_network(subject))))
    assert (ServerBans(tmp_path / "bans", lambda: 1_500).of_address(address) is not None) is is_banned


def test_a_ban_expires(tmp_path: Path) -> None:
    """To the second, also in a server that has read it long ago."""
    now = [1_999.9]
    add_ban(tmp_path / "bans", ban("203.0.113.9/32"))
    bans = ServerBans(tmp_path / "bans", lambda: now[0])
    assert bans.of_address("203.0.113.9") is not None
    now[0] = 2_000
    assert bans.of_address("203.0.113.9") is None


@for_each("text", ["127.0.0.1", "::1", "0.0.0.0/0", "10.0.0.0/7", "2000::/3", "Ann", ""])
def test_what_cannot_be_banned(text: str) -> None:
    """Neither this machine, nor half of the world, nor what is no address."""
    with pytest.raises(ValueError, match=r"address|too wide|this machine"):
        banned_network(text)


def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    """Nobody else on the machine learns who is banned."""
    add_ban(tmp_path / "bans", ban("203.0.113.9/32"))
    assert stat.S_IMODE((tmp_path / "bans").stat().st_mode) == 0o600


def test_bans_of_other_kinds_are_kept(tmp_path: Path) -> None:
    """What a newer program has banned stays banned for it."""
    newer = {"kind": "player", "subject": "K7", "made": 1, "until": 5_000, "reason": "", "device": 3}
    (tmp_path / "bans").write_text(json.dumps([newer]))
    add_ban(tmp_path / "bans", ban("203.0.113.9/32"))
    assert lift_bans(tmp_path / "bans", ADDRESS, "203.0.113.9/32", 1_500) == 1
    assert json.loads((tmp_path / "bans").read_text()) == [newer]


def test_none_is_lost_of_many_at_a_time(tmp_path: Path) -> None:
    """Programs that ban at once wait for each other."""
    with ThreadPoolExecutor(8) as threads:
        for number in range(40):
            threads.submit(add_ban, tmp_path / "bans", ban(f"203.0.113.{number}/32"))
    assert len(read_bans(tmp_path / "bans")) == 40


@pytest.mark.parametrize("text", ["", "{", "[1]", '[{"kind": "address"}]'])
def test_a_damaged_file_bans_nobody_in_secret(tmp_path: Path, text: str) -> None:
    """It is an error that says so: neither overwritten nor taken for an empty one."""
    (tmp_path / "bans").write_text(text)
    with pytest.raises(JournalUnusable, match="damaged"):
        ServerBans(tmp_path / "bans", lambda: 0)
    with pytest.raises(JournalUnusable, match="damaged"):
        add_ban(tmp_path / "bans", ban("203.0.113.9/32"))
    assert (tmp_path / "bans").read_text() == text
