"""What is counted at every play, as operators read it."""

from prometheus_client import CollectorRegistry

from racing_demon_server.play_counts import PlayCounts


def test_plays_are_counted_by_who_makes_them() -> None:
    """Each kind of player has a number of its own."""
    registry = CollectorRegistry()
    counts = PlayCounts(registry)
    counts.by["bot"] += 2
    assert 2 == registry.get_sample_value("racing_demon_plays_total", {"by": "bot"})
    assert 0 == registry.get_sample_value("racing_demon_plays_total", {"by": "person"})


def test_a_bucket_holds_all_that_took_no_longer() -> None:
    """A play that took just as long as a bucket's end belongs to it, and to all longer ones."""
    registry = CollectorRegistry()
    counts = PlayCounts(registry)
    for seconds in (0.0, 0.001, 0.0015, 7.0):
        counts.note("accepted", seconds)
    found = {
        end: registry.get_sample_value("racing_demon_play_seconds_bucket", {"result": "accepted", "le": end})
        for end in ("5e-05", "0.0005", "0.001", "0.002", "0.05", "+Inf")
    }
    assert {"5e-05": 1, "0.0005": 1, "0.001": 2, "0.002": 3, "0.05": 3, "+Inf": 4} == found
    assert 4 == registry.get_sample_value("racing_demon_play_seconds_count", {"result": "accepted"})
    assert 7.0025 == registry.get_sample_value("racing_demon_play_seconds_sum", {"result": "accepted"})
    assert 0 == registry.get_sample_value("racing_demon_play_seconds_count", {"result": "refused"})
