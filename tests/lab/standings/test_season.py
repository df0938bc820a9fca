"""A club's standings on a server are those that an independent count finds.

``RACING_DEMON_MATCHES`` says how many matches are played, and ``RACING_DEMON_SEED`` what happens.
"""

import os
import random
import sys
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from tests.lab.standings.season import Season

pytestmark = pytest.mark.long

MATCHES: Final = int(os.environ.get("RACING_DEMON_MATCHES", "300"))
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "0"))
LOOKS: Final = 10
"""The server is asked so many times."""
FEWEST: Final = 12
"""Nobody is merged or forgotten when there are so few members."""
MAX_TEAMS: Final = 50
NEWEST: Final = 50


def test_standings_equal_an_independent_count(tmp_path: Path) -> None:
    """While matches are played and corrected, players renamed, merged and forgotten, all rows are equal."""
    rng, done = random.Random(SEED), dict.fromkeys(("rename", "merge", "forget", "correct"), 0)
    with closing(Season(tmp_path, SEED)) as season:
        for number in range(1, MATCHES + 1):
            season.play()
            for name in done:
                is_rare = name in {"merge", "forget"}
                chance = 0.1 if not is_rare else 0 if len(season.members) <= FEWEST else 8 / MATCHES
                if rng.random() < chance:
                    getattr(season, name)()
                    done[name] += 1
            if number % -(-MATCHES // LOOKS) == 0 or number == MATCHES:
                compare(season, rng)
    sys.stdout.write(f"{MATCHES} matches, {done}: all rows are equal\n")
    assert any(match.casual for match in season.club.matches.values())
    assert all(done.values()), done


def compare(season: Season, rng: random.Random) -> None:
    """Compare all rows, the teams, and the pages of some players."""
    rows, expected = season.rows(), season.club.rows()
    best_first = sorted(
        expected, key=lambda who: (-expected[who]["wins"], -_points_a_hand(expected[who]), who)
    )
    assert list(rows) == best_first
    for who, counted in expected.items():
        assert {key: rows[who][key] for key in counted} == counted, who
    teams, all_teams = season.teams(), season.club.teams()
    assert len(teams) == min(MAX_TEAMS, all_teams.total())
    assert not [team for team in teams if not all_teams[team]]
    for player in rng.sample(season.members, 3):
        assert season.of_player(player) == season.club.of_player(player)[:NEWEST]


def _points_a_hand(row: dict[str, Any]) -> float:
    return row["points"] / row["hands"] if row["hands"] else 0.0
