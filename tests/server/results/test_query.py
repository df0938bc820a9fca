"""Questions about results, as an address asks them."""

from racing_demon_server.results.query import QUARTER_MS, StandingsQuery

MIDNIGHT_IN_NEPAL = 1_790_014_500_000
"""A local midnight that is no full hour of UTC."""


def test_times_of_a_quarter_of_an_hour_are_one_question() -> None:
    """Whoever asks for each millisecond anew asks for no new sums; local midnights are what they were."""
    for name in ("since_ms", "until_ms"):
        asked = {
            StandingsQuery.of({name: str(MIDNIGHT_IN_NEPAL + more)})
            for more in range(0, QUARTER_MS, QUARTER_MS // 10)
        }
        assert [getattr(query.only, name) for query in asked] == [MIDNIGHT_IN_NEPAL]
