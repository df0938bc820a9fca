"""How long something took, as plain numbers and as operators read it."""

from prometheus_client.parser import text_string_to_metric_families

from racing_demon_server.ops import prometheus
from racing_demon_server.ops.histogram import Histogram


def test_a_bucket_holds_what_took_no_longer_than_its_bound() -> None:
    """What took just as long as a bound belongs to its bucket; the last has all that took longer."""
    durations = Histogram([0.001, 0.002])
    for seconds in (0.0, 0.001, 0.0015, 7.0):
        durations.observe(seconds)
    assert durations.counts == [2, 1, 1]
    assert durations.seconds == 7.0025


def test_as_operators_read_it_a_bucket_holds_all_shorter_ones_too() -> None:
    """Prometheus adds buckets up, whatever the label's value."""
    some, none = Histogram([0.001, 0.002]), Histogram([0.001, 0.002])
    for seconds in (0.0005, 0.0015, 7.0):
        some.observe(seconds)
    durations = {"accepted": some, "refused": none}
    page = prometheus.formatted([prometheus.histogram("play_seconds", "Plays.", durations, "result")])
    found = {
        (sample.name, sample.labels["result"], sample.labels.get("le", "")): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
        if sample.name.startswith("racing_demon_play")
    }
    assert found == {
        ("racing_demon_play_seconds_bucket", "accepted", "0.001"): 1,
        ("racing_demon_play_seconds_bucket", "accepted", "0.002"): 2,
        ("racing_demon_play_seconds_bucket", "accepted", "+Inf"): 3,
        ("racing_demon_play_seconds_count", "accepted", ""): 3,
        ("racing_demon_play_seconds_sum", "accepted", ""): 7.002,
        ("racing_demon_play_seconds_bucket", "refused", "0.001"): 0,
        ("racing_demon_play_seconds_bucket", "refused", "0.002"): 0,
        ("racing_demon_play_seconds_bucket", "refused", "+Inf"): 0,
        ("racing_demon_play_seconds_count", "refused", ""): 0,
        ("racing_demon_play_seconds_sum", "refused", ""): 0,
    }
