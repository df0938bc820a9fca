"""Programs that know the same rules have the same digests."""

import subprocess
import sys
from dataclasses import replace

import pytest

from racing_demon_cluster.postgres import rules_digests as rules
from racing_demon_cluster.postgres.rules_digests import rules_digests
from racing_demon_protocol.games import GAMES


@pytest.mark.long
def test_digests_are_the_same_in_every_process() -> None:
    """No order of a set and no address is part of a digest, and no two games share one."""
    module = "racing_demon_cluster.postgres.rules_digests"
    script = f"from {module} import rules_digests; print(*rules_digests())"
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert printed.stdout.split() == rules_digests()
    assert len(set(rules_digests())) == len(GAMES)


@pytest.mark.parametrize(("change", "differs"), [({"packs": 2}, True), ({"text": "Other words."}, False)])
def test_a_digest_follows_from_the_rules(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, object], differs: bool
) -> None:
    """Another rule changes the digest of its game alone; other words for people change none."""
    before = set(rules_digests())
    changed = {**GAMES, "classic": replace(GAMES["classic"], **change)}  # type: ignore[arg-type]
    monkeypatch.setattr(rules, "GAMES", changed)
    assert len(before - set(rules_digests())) == differs


def test_attributes_that_no_game_uses_change_no_digest() -> None:
    """Servers of an older version, which do not know them, have the same digest of the classic game."""
    assert "764d75cbe844384c" in rules_digests()
