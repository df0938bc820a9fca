"""Digests: what remains of a match is what its table told."""

from racing_demon_protocol.records.format import Correction, Header, Record, TimedMessage, next_state
from racing_demon_protocol.records.summary import MatchSummary, summarize
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot
from tests.support.cases import for_each
from tests.support.matches import final_view, of_matches
from tests.support.recordings import kept_from, recording_of

NOTE = Correction(at_ms=1, by="Ann", why="x", seat=0, points=2)


def places_of(record: Record, cls: type[ev.Event]) -> list[int]:
    """Return where the events of a kind stand."""
    return [place for place, entry in enumerate(record.entries) if isinstance(entry.message, cls)]


@of_matches
def test_it_has_the_tally(name: str) -> None:
    """Points, reasons, winners and names are those of the judge's own view."""
    (digest,) = summarize([recording_of(name)])
    view = final_view(name)
    assert [result.points for result in view.results] == [tuple(h.points.values()) for h in digest.hands]
    assert [result.reason for result in view.results] == [hand.reason for hand in digest.hands]
    assert [result.out for result in view.results] == [hand.out for hand in digest.hands]
    assert (view.winners, True, view.options.game) == (digest.winners, digest.finished, digest.game)
    assert {state.seat: (state.name, state.bot) for state in view.seats.values()} == {
        player.seat: (player.name, player.bot) for player in digest.players
    }


def test_it_comes_back_from_json() -> None:
    """A digest is the same after it was written down."""
    (digest,) = summarize([recording_of("eight")])
    assert digest == MatchSummary.model_validate_json(digest.model_dump_json())


def test_a_match_that_has_not_ended() -> None:
    """A record that stops within a match has its whole hands, and no winner."""
    record = recording_of("racing-demon")
    end = places_of(record, ev.HandOver)[0]
    (digest,) = summarize([Record(record.header, record.entries[: end + 40])])
    assert (len(digest.hands), digest.winners, digest.finished) == (1, (), False)


def test_hands_before_the_record_have_their_tally() -> None:
    """Who came in the second hand knows the first one's points, and nothing of its plays."""
    record = recording_of("racing-demon")
    (whole,), (late,) = (
        summarize([record]),
        summarize([kept_from(record, places_of(record, ev.HandOver)[0] + 1)]),
    )
    assert [hand.points for hand in whole.hands] == [hand.points for hand in late.hands]
    assert (late.hands[0].plays, late.hands[0].races) == ({}, ())
    assert whole.hands[1] == late.hands[1]


def test_it_has_the_commitments_of_all_hands() -> None:
    """Each hand that was promised while the record was kept is told by its commitment, in their order."""
    record = recording_of("racing-demon")
    told = [entry.message for entry in record.entries if isinstance(entry.message, ev.Committed)]
    (digest,) = summarize([record])
    assert tuple(event.commitment for event in told) == digest.promises
    assert len(set(digest.promises)) == 2


@for_each("cls", [ev.Signalled, ev.HandOver])
def test_who_comes_late_knows_the_commitment_of_the_hand(cls: type[ev.Event]) -> None:
    """The table that a record begins with has the commitment of its hand, the last one's too."""
    record = recording_of("racing-demon")
    (whole,) = summarize([record])
    first, last = (summarize([kept_from(record, place)]) for place in places_of(record, cls))
    assert [whole.promises] == [digest.promises for digest in first]
    assert [whole.promises[1:]] == [digest.promises for digest in last]


def test_a_new_match_after_a_break_is_another() -> None:
    """Who was away from one match's first hand until the next match's last has kept two, and not one."""
    record = recording_of("racing-demon")
    (whole,) = summarize([record])
    rest = kept_from(record, places_of(record, ev.Dealt)[1]).entries
    table = rest[0].message
    assert isinstance(table, Snapshot)
    later = {"hand_id": "SIM/2/2", "commitment": "ab" * 32}
    again = [TimedMessage(table.model_copy(update=later), rest[0].at_us), *rest[1:]]
    broken = record.entries[: places_of(record, ev.Signalled)[0]]
    first, second = summarize([Record(None, [*broken, *again])])
    assert (whole.promises[:1], ()) == (first.promises, first.hands)
    assert (("ab" * 32,), whole.winners) == (second.promises, second.winners)


def test_a_break_within_a_match_parts_nothing() -> None:
    """Who was away for a hand's end and the next one's beginning has kept one match."""
    record = recording_of("racing-demon")
    (whole,) = summarize([record])
    broken = record.entries[: places_of(record, ev.Signalled)[0]]
    again = kept_from(record, places_of(record, ev.Signalled)[1]).entries
    (digest,) = summarize([Record(None, [*broken, *again])])
    assert (whole.promises, whole.winners) == (digest.promises, digest.winners)


def test_two_matches_at_one_table() -> None:
    """A table that plays on has a digest for each match, the second with its own commitment."""
    record = recording_of("demon-a")
    view: TableState | None = None
    for entry in record.entries:
        view = next_state(view, entry.message)
    assert view is not None
    joins = sum(isinstance(entry.message, ev.Joined | ev.Hosted | ev.Readied) for entry in record.entries)
    begin = places_of(record, ev.Committed)[0]
    assert joins < begin + 1
    again = []
    first_event = record.entries[begin].message
    assert isinstance(first_event, ev.Event)
    later = view.seq + 1 - first_event.seq
    for entry in record.entries[begin:]:
        if not isinstance(entry.message, ev.Event):
            continue
        message = entry.message.model_copy(update={"seq": entry.message.seq + later})
        if isinstance(message, ev.Committed):
            message = message.model_copy(update={"commitment": "ab" * 32})
        again.append(TimedMessage(message, entry.at_us))
    first, second = summarize([Record(Header(id="t"), [*record.entries, *again], [NOTE])])
    assert (first.hands, first.winners) == (second.hands, second.winners)
    assert (len(first.promises), second.promises) == (1, ("ab" * 32,))
    assert (first.corrections, second.corrections) == ((), (NOTE,))


def test_a_bot_that_stands_in_plays_a_hand() -> None:
    """Of a match of people, a hand in which a bot stood in for one of them is with bots, and no other is."""
    record = recording_of("racing-demon")
    messages = [entry.message for entry in record.entries if isinstance(entry.message, Snapshot | ev.Event)]
    of_people = [m.model_copy(update={"bot": ""}) if isinstance(m, ev.Joined) else m for m in messages]
    second = [place for place, message in enumerate(of_people) if isinstance(message, ev.Dealt)][1]
    stood_in = ev.StoodIn(seq=0, seat=0, bot="easy")
    for added, expected in (
        ([], {False}),
        ([ev.Connected(seq=0, seat=0, connected=False), stood_in], {False, True}),
    ):
        played = [*of_people[: second + 1], *added, *of_people[second + 1 :]]
        entries = [TimedMessage(m.model_copy(update={"seq": seq})) for seq, m in enumerate(played)]
        (match,) = summarize([Record(entries=entries)])
        assert {hand.with_bots for hand in match.hands} == expected
        assert [hand.hand for hand in match.hands if hand.with_bots] == [2] * bool(added)


def test_a_chosen_color_stays() -> None:
    """Who chose a color is shown in it on the match's page; who did not, in that of the seat."""
    record = recording_of("racing-demon")
    at = places_of(record, ev.Joined)[-1] + 1
    chosen = ev.AppearanceSet(seq=0, seat=0, name="Ann", color=5)
    messages = [entry.message for entry in record.entries if isinstance(entry.message, Snapshot | ev.Event)]
    told = [*messages[:at], chosen, *messages[at:]]
    entries = [TimedMessage(m.model_copy(update={"seq": seq})) for seq, m in enumerate(told)]
    (match,) = summarize([Record(entries=entries)])
    assert [player.color for player in match.players] == [5, *[None] * (len(match.players) - 1)]


def test_nobody_may_have_played() -> None:
    """Of a hand that was dead as it was dealt it is known that nobody made a play, which is not unknown."""
    entries = recording_of("racing-demon").entries
    signal = next(n for n, entry in enumerate(entries) if isinstance(entry.message, ev.Signalled))
    over = next(entry.message for entry in entries if isinstance(entry.message, ev.HandOver))
    begun = entries[signal].message
    assert isinstance(begun, ev.Signalled)
    end = TimedMessage(over.model_copy(update={"seq": begun.seq + 1}))
    (digest,) = summarize([Record(None, [*entries[: signal + 1], end])])
    assert dict.fromkeys(digest.hands[0].points, 0) == digest.hands[0].plays != {}
