"""The chances, races and plays of a hand, its analysis, and what a look at the whole board finds."""

from collections.abc import Iterator

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.records.analysis import (
    ChanceTracker,
    HandHistory,
    HistoryTracker,
    Race,
    analyze,
)
from racing_demon_protocol.records.format import Record, TimedMessage, next_state
from racing_demon_protocol.records.waits import Chance
from racing_demon_protocol.table.state import HandView, TableState
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused
from tests.support.boards import build, cards, rules_of
from tests.support.cases import for_each
from tests.support.matches import log_of, of_matches, options_of
from tests.support.recordings import recording_of


def ready(rules: Rules, board: Board) -> set[tuple[int, int, int]]:
    """Return who could bring which card up from where, by the rules alone: play after play is asked for."""
    found = set()
    for seat in rules.layout.seats:
        for play in rules.legal_plays(board, seat):
            up = board.piles[play.destination].kind is Kind.FOUNDATION
            if up and board.piles[play.source].kind is not Kind.FOUNDATION:
                found.add((seat, play.source, board.cards[play.source][-1]))
    return found


def followed(
    name: str,
) -> Iterator[tuple[int, TableState, ChanceTracker, ev.Played, Chance | None, list[Race]]]:
    """Yield each play of a match, with what came of it; its time is its place in the log."""
    view = TableState("SIM", options_of(name))
    chances: ChanceTracker | None = None
    for at, event in enumerate(log_of(name)):
        view.apply(event)
        if isinstance(event, ev.Signalled):
            assert view.hand is not None
            chances = ChanceTracker(view.hand.rules, view.hand.board, at)
        elif isinstance(event, ev.Rotated) and chances is not None:
            chances.refresh(at)
        elif isinstance(event, ev.Played):
            assert chances is not None
            yield at, view, chances, event, *chances.apply(event, at)


@of_matches
def test_chances_are_the_legal_plays_upward(name: str) -> None:
    """After every play the chances are just the plays to the foundations that the rules allow."""
    for _at, view, chances, _, _, _ in followed(name):
        assert view.hand is not None
        found = {(chance.seat, chance.pile, chance.card) for chance in chances.open}
        assert ready(view.hand.rules, view.hand.board) == found


@of_matches
def test_a_card_that_goes_up_was_a_chance(name: str) -> None:
    """Each play to a foundation takes a chance that was there before; no other play takes any."""
    for at, view, _, event, taken, _ in followed(name):
        assert view.board is not None
        if view.board.piles[event.destination].kind is not Kind.FOUNDATION:
            assert taken is None
            continue
        assert taken is not None
        assert (event.seat, event.source) == (taken.seat, taken.pile)
        assert view.board.cards[event.destination][-1] == taken.card
        assert taken.since < at


@for_each("name", ["racing-demon", "shouted", "rotated", "eight"])
def test_races_are_chances_that_others_spoiled(name: str) -> None:
    """Whoever had the same face ready before a play, and no place for it after it, has lost a race by it."""
    before: dict[tuple[int, int], Chance] = {}
    hand: ChanceTracker | None = None
    seen = 0
    for at, _, chances, event, taken, races in followed(name):
        now = {(chance.seat, chance.pile): chance for chance in chances.open}
        expected = set()
        for place, chance in before.items() if chances is hand else ():
            if chance.seat != event.seat and place not in now:
                expected.add(Race(at, chance.card, event.seat, chance.seat, at - chance.since))
                assert taken is not None
                assert chance.card % PACK_SIZE == taken.card % PACK_SIZE
        assert chances is not hand or expected == set(races)
        before, hand, seen = now, chances, seen + len(races)
    assert seen


def test_one_place_for_two_cards() -> None:
    """Two players have the three for the only two: one goes up, and the other has lost by what it waited."""
    rules = rules_of(players=2)
    position = build(rules, foundation=("AS 2S",), tableau=("KH", "3S"))
    position = build(rules, seat=1, tableau=("QC", "3S"), upon=position)
    chances = ChanceTracker(rules, position.board, 100)
    assert len(list(chances.open)) == 2
    first, second = (rules.layout.seat_piles(seat, Kind.TABLEAU)[1] for seat in (0, 1))
    three, other = cards("3S")[0], position.board.cards[second][-1]
    play = ev.Played(seq=1, seat=0, counter=1, source=first, count=1, destination=0)
    position.board.move(Play(first, 1, 0))
    taken, races = chances.apply(play, 350)
    assert Chance(0, first, three, 100) == taken
    assert [Race(350, other, 0, 1, 250)] == races
    assert list(chances.open) == []


def test_a_second_place_is_no_race() -> None:
    """Where another foundation takes the same card, nobody has lost anything."""
    rules = rules_of(players=2)
    position = build(rules, foundation=("AS 2S", "AS/1 2S/1"), tableau=("KH", "3S"))
    position = build(rules, seat=1, tableau=("QC", "3S"), upon=position)
    chances = ChanceTracker(rules, position.board, 0)
    source = rules.layout.seat_piles(0, Kind.TABLEAU)[1]
    position.board.move(Play(source, 1, 0))
    _, races = chances.apply(ev.Played(seq=1, seat=0, counter=1, source=source, count=1, destination=0), 10)
    assert races == []
    assert [chance.seat for chance in chances.open] == [1]


def test_a_hidden_card_is_no_chance() -> None:
    """A card that lies face down is nobody's chance, whatever it is."""
    rules = rules_of()
    position = build(rules, tableau=("as", "KH"))
    position.board.cards[rules.layout.seat_piles(0, Kind.TABLEAU)[0]] = (UNKNOWN,)
    assert list(ChanceTracker(rules, position.board).open) == []


def stories(record: Record) -> list[HandHistory]:
    """Return the story of each hand of a record."""
    told: list[HandHistory] = []
    history, view = HistoryTracker(), None
    for entry in record.entries:
        view = next_state(view, entry.message)
        history.apply(entry.message, view, entry.at_us, entry.seat)
        if isinstance(entry.message, ev.HandOver):
            assert history.hand is not None
            told.append(history.hand)
    return told


def with_a_pause(record: Record, after: int, length_us: int) -> Record:
    """Return a record in which the first hand stood still after so many plays."""
    entries: list[TimedMessage] = []
    plays = shift = signal = extra = 0
    for entry in record.entries:
        at, message = entry.at_us + shift, entry.message
        if isinstance(message, ev.Event):
            message = message.model_copy(update={"seq": message.seq + extra})
        entries.append(TimedMessage(message, at, None, entry.seat))
        signal = at if isinstance(message, ev.Signalled) and not signal else signal
        plays += isinstance(message, ev.Played)
        if plays == after and not shift and isinstance(message, ev.Played):
            entries.append(TimedMessage(ev.Paused(seq=message.seq + 1), at))
            elapsed = (at - signal) // 1_000
            entries.append(
                TimedMessage(ev.Continued(seq=message.seq + 2, elapsed_ms=elapsed), at + length_us)
            )
            shift, extra = length_us, 2
    return Record(None, entries)


@of_matches
def test_it_counts_what_the_log_holds(name: str) -> None:
    """A seat's plays are its events with a counter; the cards that went up are those on the foundations."""
    record = recording_of(name)
    told = stories(record)
    hand = -1
    counted: list[dict[int, int]] = []
    for entry in record.entries:
        if isinstance(entry.message, ev.Dealt):
            hand += 1
            counted.append({})
        elif isinstance(entry.message, ev.Played) and entry.message.counter:
            seat = entry.message.seat
            counted[hand][seat] = counted[hand].get(seat, 0) + 1
    assert counted == [history.plays for history in told]
    assert all(history.is_whole for history in told)


@for_each("name", ["racing-demon", "shouted", "eight"])
def test_waits_and_races_lie_within_the_hand(name: str) -> None:
    """No card waited for longer than since the signal, and no race was over before it was open."""
    for history in stories(recording_of(name)):
        assert history.made
        assert all(0 <= made.waited_us <= made.at for made in history.made)
        assert all(0 <= race.open_us <= race.at for race in history.races)


def test_the_beaten_are_among_the_losers() -> None:
    """Whoever was told of a faster card has lost a race to its owner, and the story knows by how much."""
    record = recording_of("eight")
    told = [
        (entry.message.by, entry.seat, entry.message.late_us)
        for entry in record.entries
        if isinstance(entry.message, Refused)
    ]
    (history,) = stories(record)
    known = [(race.winner, race.loser, race.late_us) for race in history.races if race.late_us is not None]
    assert sorted(map(str, told)) == sorted(map(str, known))
    named = [race for race in history.races if race.late_us is not None and race.card != UNKNOWN]
    assert len(named) > len(known) * 3 // 4


def test_a_pause_is_no_time() -> None:
    """Times go on after a pause as if it had not been."""
    record = recording_of("racing-demon")
    (first, *_), (paused, *_) = stories(record), stories(with_a_pause(record, 40, 90_000_000))
    assert first.plays == paused.plays
    # A pause is told in milliseconds; so exactly do times go on.
    for plain, late in zip(first.made, paused.made, strict=True):
        assert (plain.seat, plain.card) == (late.seat, late.card)
        assert abs(plain.at - late.at) <= 1_000
        assert abs(plain.waited_us - late.waited_us) <= 1_000


def test_a_hand_that_was_not_seen_whole_is_called_so() -> None:
    """From a snapshot in the middle on the rest is told, and that it is a rest."""
    record = recording_of("racing-demon")
    place = [n for n, entry in enumerate(record.entries) if isinstance(entry.message, ev.Played)][30]
    view: TableState | None = None
    for entry in record.entries[:place]:
        view = next_state(view, entry.message)
    assert view is not None
    began = record.entries[place].at_us
    signal = next(e.at_us for e in record.entries if isinstance(e.message, ev.Signalled))
    first = TimedMessage(view.snapshot((began - signal) // 1_000), began)
    rest, *_ = stories(Record(None, [first, *record.entries[place:]]))
    whole, *_ = stories(record)
    assert not rest.is_whole
    assert sum(rest.plays.values()) < sum(whole.plays.values())
    times = {made.card: made.at for made in whole.made}
    assert rest.made
    assert all(abs(made.at - times[made.card]) <= 1_000 for made in rest.made)


def test_an_answer_that_fits_no_race_is_one_of_its_own() -> None:
    """A card came too late where the board showed no chance: it counts, without a name."""
    history = HandHistory(1)
    refused = Refused(counter=1, reason=Reason.BEATEN, text="", by=2, late_us=7_000)
    history.record_late(0, refused)
    (race,) = history.races
    assert (race.winner, race.loser, race.late_us, race.card) == (2, 0, 7_000, UNKNOWN)


def last_hand(name: str) -> tuple[HandHistory, HandView, bytes]:
    """Return the story of a match's last hand, its cards at the end, and its seed."""
    history, view, seed = HistoryTracker(), TableState("SIM", options_of(name)), b""
    for entry in recording_of(name).entries:
        view = next_state(view, entry.message)
        history.apply(entry.message, view, entry.at_us, entry.seat)
        if isinstance(entry.message, ev.HandOver):
            seed = view.deal_seed(bytes.fromhex(entry.message.seed))
    assert history.hand is not None
    assert view.hand is not None
    return history.hand, view.hand, seed


@of_matches
def test_every_card_is_somewhere(name: str) -> None:
    """A player's cards on the foundations, face down, face up and in hand are the whole pack."""
    history, hand, seed = last_hand(name)
    ups = hand.rules.on_foundations(hand.board)
    for each in analyze(history, hand, seed):
        columns = hand.rules.layout.seat_piles(each.seat, Kind.TABLEAU)
        face_up = sum(card != UNKNOWN for pile in columns for card in hand.board.cards[pile])
        assert ups[each.seat] + face_up + each.face_down + each.in_hand == 52
        assert each.face_down == len(each.buried)


@for_each("name", ["racing-demon", "eight", "rotated"])
def test_buried_cards_were_seen_by_nobody(name: str) -> None:
    """What is named as buried is the player's own, was never turned up, and each card is named once."""
    history, hand, seed = last_hand(name)
    begin = max(n for n, event in enumerate(log_of(name)) if isinstance(event, ev.Dealt))
    shown = {
        card
        for event in log_of(name)[begin:]
        if isinstance(event, ev.Dealt | ev.Played)
        for card in event.shown
    }
    found = [(each.seat, buried.card) for each in analyze(history, hand, seed) for buried in each.buried]
    assert found
    assert len(found) == len(set(found))
    assert not shown & {card for _, card in found}
    assert all(seat == hand.rules.layout.owner(card) for seat, card in found)


@of_matches
def test_as_many_cards_lie_on_a_buried_one_as_are_said(name: str) -> None:
    """The lowest of a column lies below all others, and the last that is face down below those face up."""
    history, hand, seed = last_hand(name)
    for each in analyze(history, hand, seed):
        columns = hand.rules.layout.seat_piles(each.seat, Kind.TABLEAU)
        for number, pile in enumerate(columns):
            cards = hand.board.cards[pile]
            on_it = [buried.below for buried in each.buried if buried.column == number]
            assert sorted(on_it, reverse=True) == [
                len(cards) - 1 - depth for depth, card in enumerate(cards) if card == UNKNOWN
            ]


def test_without_the_secret_nothing_hidden_is_named() -> None:
    """As long as the seed is not told, buried cards are counted only."""
    history, hand, _ = last_hand("eight")
    told = analyze(history, hand)
    assert sum(each.face_down for each in told) > 0
    assert all(not each.buried for each in told)


def test_races_and_waits_are_everybodys_own() -> None:
    """Each race is one player's gain and another's loss; waits are sorted, the longest first."""
    history, hand, seed = last_hand("eight")
    told = analyze(history, hand, seed)
    assert sum(len(each.won) for each in told) == sum(len(each.lost) for each in told) == len(history.races)
    for each in told:
        waited = [made.waited_us for made in each.waits]
        assert waited == sorted(waited, reverse=True)
        assert {each.seat} >= {made.seat for made in each.waits}
