import json
from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.errors import InvalidRecord
from racing_demon_protocol.records.format import (
    message_line,
    parse_message,
    parse_row,
    read_messages,
    tally_line,
)
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.scoring import match_winners
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import FROM_SERVER, Event, Message
from racing_demon_protocol.wire.messages import events as ev
from tests.support.cases import for_each
from tests.support.effort import examples, more_when_long
from tests.support.frames import messages
from tests.support.matches import final_view, log_of, of_matches, options_of

NAME = "racing-demon"


def _record(log: Sequence[Event], name: str = NAME, after: int = 0) -> list[Message]:
    """Return a record: the snapshot after so many events, then the others."""
    view = TableState("SIM", options_of(name))
    for event in log[:after]:
        view.apply(event)
    return [view.snapshot(0), *log[after:]]


def _place(cls: type[Event], nth: int = 0) -> int:
    return [place for place, event in enumerate(log_of(NAME)) if isinstance(event, cls)][nth]


def _numbered(log: Sequence[Event]) -> list[Event]:
    """Return a log with its numbers made whole again, as a careful forger would."""
    return [event.model_copy(update={"seq": number}) for number, event in enumerate(log, 1)]


# Lines.


@more_when_long
@for_each("cls", FROM_SERVER.values())
def test_lines_keep_messages(cls: type[Message]) -> None:
    """Every message of the server comes out of its line as it went in."""

    @examples(20, 2)
    @given(messages(cls))
    def check(message: Message) -> None:
        line = message_line(message, at_ms=5)
        assert "\n" not in line
        assert message == parse_message(parse_row(line))

    check()


def test_a_line_is_an_object_that_says_what_it_is() -> None:
    """A line holds the message's name, then its fields by name, then what stands beside them."""
    expected = {"message": "stuck_said", "seq": 3, "seat": 1, "at_ms": 12}
    assert expected == json.loads(message_line(ev.StuckSaid(seq=3, seat=1), at_ms=12))


def test_no_line_steers_a_terminal() -> None:
    """What is no sign is escaped, and is read as it was; letters of all scripts stay."""
    said = ev.Joined(seq=1, seat=0, name="Zoë 漢字\x9b2J\u202e\U000e0041", bot="")
    line = message_line(said)
    assert line.isprintable()
    assert "Zoë 漢字" in line
    assert said == parse_message(parse_row(line))


def test_other_lines_are_passed_over() -> None:
    """Lines of other kinds, and empty ones, are no messages."""
    other = ['{"message":"weather","rain":true}', "", tally_line(final_view(NAME))]
    lines = [*other, message_line(ev.Signalled(seq=1)), *other]
    assert [ev.Signalled(seq=1)] == list(read_messages(lines))


@for_each(
    "line",
    [
        "{",
        "[1]",
        "7",
        '{"name":1}',
        '{"message":[]}',
        '{"message":"signalled"}',
        '{"message":"signalled","seq":-1}',
        '{"message":"signalled","seq":' + "9" * 5_000 + "}",
        "[" * 5_000,
        "x" * 70_000,
    ],
    ids=lambda line: line[:32],
)
def test_lines_that_are_none(line: str) -> None:
    """A broken line is refused, and the error says which it is."""
    with pytest.raises(InvalidRecord, match="Line 2: "):
        list(read_messages([message_line(ev.Signalled(seq=1)), line]))


@examples(200)
@given(st.text(max_size=80))
def test_any_line_is_a_message_or_invalid(line: str) -> None:
    """Random lines raise nothing but InvalidRecord."""
    with suppress(InvalidRecord):
        parse_message(parse_row(line))


# The proof.


@of_matches
def test_true_records_are_found_true(name: str) -> None:
    """A whole match of any kind is found to be right in every event."""
    log = log_of(name)
    verdict = verify(_record(log, name))
    plays = sum(isinstance(event, ev.Played) for event in log)
    hands = sum(isinstance(event, ev.HandOver) for event in log)
    assert (hands, plays, 0, 1) == (verdict.hands, verdict.plays, verdict.skipped, verdict.matches)


def test_a_record_from_the_middle() -> None:
    """Of a hand that the record does not hold from its deal, nothing is said but that it was skipped."""
    verdict = verify(_record(log_of(NAME), after=_place(ev.Played, 20)))
    assert (verdict.hands, verdict.skipped, verdict.matches) == (1, 1, 1)


def test_a_record_of_nothing() -> None:
    """A record without a table is refused."""
    with pytest.raises(InvalidRecord, match="no table"):
        verify([])


def _changed(cls: type[Event], nth: int = 0, **fields: object) -> Callable[[list[Event]], None]:
    def forge(log: list[Event]) -> None:
        place = _place(cls, nth)
        log[place] = log[place].model_copy(update=fields)

    return forge


def _without(cls: type[Event], nth: int = 0) -> Callable[[list[Event]], None]:
    return lambda log: log.__delitem__(_place(cls, nth))


def _twice(cls: type[Event], nth: int = 0) -> Callable[[list[Event]], None]:
    return lambda log: log.insert(_place(cls, nth), log[_place(cls, nth)])


def _backwards(log: list[Event]) -> None:
    place = _place(ev.Dealt)
    dealt = log[place]
    assert isinstance(dealt, ev.Dealt)
    log[place] = dealt.model_copy(update={"shown": dealt.shown[::-1]})


@for_each(
    "forge",
    [
        _changed(ev.HandOver, seed="00" * 32),
        _changed(ev.Committed, commitment="00" * 32),
        _changed(ev.Committed, hand_id="SIM/1/9"),
        _changed(ev.HandOver, points=(99, 0, 0)),
        _changed(ev.HandOver, out=0),
        _changed(ev.HandOver, reason=EndReason.OUT),
        _changed(ev.MatchOver, winners=(0, 1, 2)),
        _backwards,
        _changed(ev.Dealt, seats=(0, 1)),
        _changed(ev.Played, 30, source=3),
        _changed(ev.Played, 30, seat=7),
        _changed(ev.Played, 30, shown=(1, 2, 3)),
        _changed(ev.Played, 30, count=-1),
        _without(ev.Played, 30),
        _without(ev.Signalled),
        _without(ev.Dealt),
        _without(ev.HandOver),
        _twice(ev.HandOver),
        _twice(ev.Dealt),
        _twice(ev.Played, 30),
    ],
)
def test_forgeries_are_found(forge: Callable[[list[Event]], None]) -> None:
    """A record with any change to what was dealt, played or counted is refused."""
    log = list(log_of(NAME))
    forge(log)
    with pytest.raises(InvalidRecord):
        verify(_record(_numbered(log)))


def _forged(name: str, forge: Callable[[list[Event]], list[Event]]) -> list[Message]:
    """Return a record of changed events, with numbers and winners that agree with them."""
    view = TableState("SIM", options_of(name))
    start = view.snapshot(0)
    events = _numbered([event for event in forge(list(log_of(name))) if not isinstance(event, ev.MatchOver)])
    for event in events:
        view.apply(event)
    winners = match_winners(view)
    return [start, *events, ev.MatchOver(seq=view.seq + 1, winners=winners or ())]


def test_a_hand_counted_twice_is_found() -> None:
    """A tally cannot be repeated in the place of another hand."""
    first = _place(ev.HandOver)
    record = _forged(NAME, lambda log: [*log[: first + 1], log[first]])
    with pytest.raises(InvalidRecord, match="no hand was being played"):
        verify(record)


def test_a_play_after_the_hand_is_found() -> None:
    """Nothing is played after the end of a hand."""
    first = _place(ev.HandOver)
    turn = next(event for event in log_of(NAME) if isinstance(event, ev.Played))
    log = [*log_of(NAME)[: first + 1], turn]
    with pytest.raises(InvalidRecord, match="played outside a hand"):
        verify(_record(_numbered(log)))


def _without_bonus(over: ev.HandOver) -> ev.HandOver:
    points = tuple(own - 10 * (seat == over.out) for seat, own in enumerate(over.points))
    return over.model_copy(update={"reason": EndReason.STUCK, "out": None, "points": points})


def test_another_card_turned_up_is_found() -> None:
    """A play that names another card than the seed put there is refused."""
    log = list(log_of(NAME))
    place = next(number for number, event in enumerate(log) if isinstance(event, ev.Played) and event.shown)
    played = log[place]
    assert isinstance(played, ev.Played)
    log[place] = played.model_copy(update={"shown": tuple(card ^ 1 for card in played.shown)})
    with pytest.raises(InvalidRecord):
        verify(_record(log))


def test_a_bonus_that_was_not_given_is_found() -> None:
    """A record cannot keep silent about who went out."""

    def forge(log: list[Event]) -> list[Event]:
        return [_without_bonus(event) if isinstance(event, ev.HandOver) else event for event in log]

    with pytest.raises(InvalidRecord, match="somebody was out"):
        verify(_forged("eight", forge))


@for_each(
    ("changes", "message"),
    [
        ({"out": 5, "reason": EndReason.OUT}, "was not in the hand"),
        ({"out": 1, "reason": EndReason.OUT}, "the points are wrong"),
        ({"reason": EndReason.OUT}, "the reason is another"),
    ],
    ids=["a stranger", "without the bonus", "nobody"],
)
def test_who_went_out_is_checked(changes: dict[str, object], message: str) -> None:
    """Whoever went out sat in the hand, and had the bonus; and without anybody the reason is another."""
    log = list(log_of(NAME))
    log[_place(ev.HandOver)] = log[_place(ev.HandOver)].model_copy(update=changes)
    with pytest.raises(InvalidRecord, match=message):
        verify(_record(log))


def test_a_tally_without_a_deal_is_found() -> None:
    """A hand that was announced and never dealt has no end, nor one that was not even announced."""
    promised, over = _place(ev.Committed), _place(ev.HandOver)
    log = log_of(NAME)
    with pytest.raises(InvalidRecord, match="no hand was being played"):
        verify(_record(_numbered([*log[:promised], log[over]])))
    with pytest.raises(InvalidRecord, match="a promise and its deal are not together"):
        verify(_record(_numbered([*log[: promised + 1], log[over]])))


def test_a_gap_is_found() -> None:
    """A record that leaves an event out is refused by its numbers alone."""
    log = list(log_of(NAME))
    del log[_place(ev.StuckSaid)]
    with pytest.raises(InvalidRecord, match="are missing"):
        verify([TableState("SIM", options_of(NAME)).snapshot(0), *log])


@examples(150, 15)
@given(st.data())
def test_any_messages_are_a_record_or_invalid(data: st.DataObject) -> None:
    """However its messages are mixed up, a record raises nothing but InvalidRecord."""
    kinds = [cls for cls in FROM_SERVER.values() if issubclass(cls, Event)]
    log = log_of(NAME)
    true = st.sampled_from([event for event in log if not isinstance(event, ev.Played)] + list(log[:40]))
    drawn = data.draw(st.lists(true | st.sampled_from(kinds).flatmap(messages), max_size=12))
    events = _numbered([event for event in drawn if isinstance(event, Event)])
    with suppress(InvalidRecord):
        verify([*_record([]), *events])
