"""Whose card came to which foundation, and when."""

from racing_demon_server.match.hand import MAX_ARRIVALS, Arrival, RaceLog


def _race_log(*noted: Arrival) -> RaceLog:
    race_log = RaceLog()
    for arrival in noted:
        race_log.append(*arrival)
    return race_log


def test_what_came_after_an_event_is_found_by_its_foundation() -> None:
    """Of each foundation the newest is first, and what was there at the event is left out."""
    old, first = Arrival(3, 7, 0, 10), Arrival(3, 8, 1, 20)
    other, last = Arrival(4, 9, 0, 30), Arrival(3, 10, 2, 2**40)
    assert {3: [last, first], 4: [other]} == _race_log(old, first, other, last).since(7)


def test_the_first_arrival_of_a_hand_is_found() -> None:
    """Whoever is beaten by the first card of all is told so."""
    first = Arrival(3, 1, 0, 10)
    assert {3: [first]} == _race_log(first).since(0)


def test_nothing_is_newer_than_the_newest() -> None:
    """Who has seen all was beaten by nobody."""
    assert {} == _race_log(Arrival(3, 7, 0, 10)).since(7) == _race_log().since(0)


def test_a_hand_that_goes_on_for_ever_takes_no_more_room() -> None:
    """The oldest half is forgotten where there are too many, and the newest are known."""
    race_log = _race_log(*(Arrival(0, seq, 0, seq) for seq in range(1, 3 * MAX_ARRIVALS + 1)))
    kept = [each.seq for each in race_log.since(0)[0]]
    assert MAX_ARRIVALS // 2 <= len(kept) <= MAX_ARRIVALS
    assert (
        len(_race_log(*(Arrival(0, seq, 0, seq) for seq in range(1, MAX_ARRIVALS + 1))).since(0)[0])
        == MAX_ARRIVALS
    )
    assert list(range(3 * MAX_ARRIVALS, 3 * MAX_ARRIVALS - len(kept), -1)) == kept


def test_what_was_taken_back_never_arrived() -> None:
    """It is cut to its former length, also if the oldest half was forgotten meanwhile."""
    race_log = _race_log(*(Arrival(0, seq, 0, seq) for seq in range(1, MAX_ARRIVALS + 1)))
    before, newest = len(race_log), race_log.since(MAX_ARRIVALS - 9)
    for seq in range(MAX_ARRIVALS + 1, MAX_ARRIVALS + 20):
        race_log.append(*Arrival(0, seq, 0, seq))
    race_log.cut(before)
    assert (len(race_log), race_log.since(MAX_ARRIVALS - 9)) == (before, newest)
