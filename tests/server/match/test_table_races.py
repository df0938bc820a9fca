"""Two cards for one place: whose arrives first stays, and the other player is told."""

from racing_demon_protocol.engine.board import FOUNDATIONS
from racing_demon_protocol.engine.cards import UNKNOWN, parse
from racing_demon_protocol.enums import EndReason, Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, RaceLost, Refused
from tests.support.cases import for_each
from tests.support.tables import MS, Own, Sitting, of_type, told

FIRST, NEXT = 0, 1


def _twins() -> Sitting:
    """Return a hand in which both players hold a two of spades for the only ace."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS"], Own(["2S", "9D"]), Own(["5c 2S", "8S"]))
    return sitting


# The race itself.


@for_each("destination", [FIRST, FOUNDATIONS], ids=["named", "open"])
@for_each(("faster", "slower"), [(0, 1), (1, 0)])
def test_one_of_two_wins_the_place(faster: int, slower: int, destination: int) -> None:
    """Of two equal cards for the same place the first to arrive stays, whoever's it is."""
    sitting = _twins()
    seen = sitting.seq
    sitting.play(faster, sitting.column(faster), destination, seen=seen)
    sitting.wait(137)
    refused = sitting.miss(slower, sitting.column(slower), destination, seen=seen)
    assert refused == Refused(
        counter=sitting.counter(slower),
        reason=Reason.BEATEN,
        text="Another player's card arrived first.",
        by=faster,
        late_us=137,
        pile=FIRST,
        top=parse("2S", faster),
    )


def test_a_lost_race_is_noted_for_spectators_once() -> None:
    """It names the card that came first, both seats and the time; a repeated command loses nothing more."""
    sitting = _twins()
    seen = sitting.seq
    sitting.play(0, sitting.column(0), FIRST, seen=seen)
    sitting.wait(137)
    play = {"source": sitting.column(1), "count": 1, "destination": FIRST, "seen": seen}
    command = cl.PlayCards(counter=sitting.counter(1) + 1, **play)
    lost = [sitting.table.handle_command(1, command, sitting.now).lost for _ in range(2)]
    assert lost == [RaceLost(pile=FIRST, card=parse("2S", 0), by=0, seat=1, late_us=137), None]


def _lost(sitting: Sitting, seat: int, seen: int) -> RaceLost | None:
    """Let a seat play its first column too late; return the race that spectators are told of."""
    play = {"source": sitting.column(seat), "count": 1, "destination": FIRST, "seen": seen}
    command = cl.PlayCards(counter=sitting.counter(seat) + 1, **play)
    return sitting.table.handle_command(seat, command, sitting.now).lost


def test_a_lost_race_for_an_empty_place_names_the_first_card_there() -> None:
    """Both at the same moment, too: then it was lost by no time."""
    sitting = Sitting.playing(2)
    sitting.lay([], Own(["AS", "KD"]), Own(["AS", "KD"]))
    seen = sitting.seq
    sitting.play(0, sitting.column(0), FIRST, seen=seen)
    assert _lost(sitting, 1, seen) == RaceLost(pile=FIRST, card=parse("AS", 0), by=0, seat=1, late_us=0)


def test_a_loser_is_told_the_time_between_what_was_read() -> None:
    """A third player's command that was judged before the winner's, and read after it, changes nothing."""
    sitting = Sitting.playing(3)
    sitting.lay(["AS"], Own(["2S", "KD"]), Own(["2S", "KD"]), Own(["KD"]))
    at, seen, number = sitting.now + 5 * MS, sitting.seq, sitting.counter(0) + 1
    plays = [
        cl.PlayCards(counter=number, source=sitting.column(seat), count=1, destination=FIRST, seen=seen)
        for seat in (0, 1)
    ]
    sitting.table.handle_command(2, cl.React(counter=1, reaction="hurry"), at + 1_500)
    assert sitting.table.handle_command(0, plays[0], at).reply is None
    for later, late_us in ((1_800, 1_800), (0, 0), (-700, 0)):
        answer = sitting.fork().table.handle_command(1, plays[1], at + later).reply
        assert isinstance(answer, Refused)
        assert (Reason.BEATEN, 0, late_us) == (answer.reason, answer.by, answer.late_us)


def test_the_loser_keeps_the_card() -> None:
    """Nothing of the loser's layout has moved: the card lies where it was, and can be played again."""
    sitting = _twins()
    seen, before = sitting.seq, sitting.board.cards[sitting.column(1)]
    sitting.play(0, sitting.column(0))
    sitting.miss(1, sitting.column(1), seen=seen)
    assert (UNKNOWN, parse("2S", 1)) == before == sitting.board.cards[sitting.column(1)]


def test_who_saw_it_was_not_beaten() -> None:
    """The same play from somebody who had seen the other card was never legal."""
    sitting = _twins()
    sitting.play(0, sitting.column(0))
    refused = sitting.miss(1, sitting.column(1), FIRST)
    assert (refused.reason, refused.by, refused.late_us) == (Reason.ILLEGAL, None, 0)
    assert (FIRST, parse("2S", 0)) == (refused.pile, refused.top)


def test_an_open_play_that_was_never_legal_names_no_pile() -> None:
    """When no foundation is named and none was lost, the refusal names none either."""
    sitting = _twins()
    refused = sitting.miss(0, sitting.column(0, 1))
    assert (refused.reason, refused.pile, refused.top) == (Reason.ILLEGAL, -1, UNKNOWN)


def test_a_play_that_was_illegal_anyway_was_not_beaten() -> None:
    """Somebody's card on the pile does not excuse a card that never fitted."""
    sitting = _twins()
    seen = sitting.seq
    sitting.play(0, sitting.column(0))
    assert sitting.miss(1, sitting.column(1, 1), FIRST, seen=seen).reason == Reason.ILLEGAL


def test_an_ace_can_be_beaten_to_an_empty_place() -> None:
    """Two aces aimed at the same empty foundation race, even in different suits."""
    sitting = Sitting.playing(2)
    sitting.lay([], Own(["AS", "KD"]), Own(["AH", "KD"]))
    seen = sitting.seq
    sitting.play(0, sitting.column(0), FIRST)
    refused = sitting.miss(1, sitting.column(1), FIRST, seen=seen)
    assert (refused.reason, refused.by) == (Reason.BEATEN, 0)


def test_the_winner_is_who_took_the_very_place() -> None:
    """When several cards have come since, the one in the wanted place is told, and the top of now."""
    sitting = Sitting.playing(3)
    sitting.lay(["AS"], Own(["2S", "KD"]), Own(["3S", "KD"]), Own(["2S", "KD"]))
    seen = sitting.seq
    sitting.play(0, sitting.column(0))
    sitting.wait(5 * MS)
    sitting.play(1, sitting.column(1))
    sitting.wait(2 * MS)
    refused = sitting.miss(2, sitting.column(2), FIRST, seen=seen)
    assert (0, 7 * MS, parse("3S", 1)) == (refused.by, refused.late_us, refused.top)


def test_one_s_own_card_beats_nobody() -> None:
    """A place that the player has filled before is no lost race."""
    sitting = Sitting.playing(2)
    sitting.lay([], Own(["AS", "AH"]), Own(["KD"]))
    seen = sitting.seq
    sitting.play(0, sitting.column(0), FIRST)
    assert sitting.miss(0, sitting.column(0, 1), FIRST, seen=seen).reason == Reason.ILLEGAL


def test_a_later_place_is_not_what_was_lost() -> None:
    """A three that never fitted on the ace is not beaten by the two that came upon it."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS", "AH"], Own(["2S", "KD"]), Own(["3H", "KD"]))
    seen = sitting.seq
    sitting.play(0, sitting.column(0))
    assert sitting.miss(1, sitting.column(1), FIRST, seen=seen).reason == Reason.ILLEGAL


@for_each("seen", [2**31 - 1, 1_000])
def test_who_claims_to_see_the_future_gains_nothing(seen: int) -> None:
    """A number beyond the last event is as good as the last event."""
    sitting = _twins()
    sitting.play(0, sitting.column(0))
    assert sitting.miss(1, sitting.column(1), FIRST, seen=seen).reason == Reason.ILLEGAL


def test_what_was_seen_decides_nothing() -> None:
    """A play that is legal now is accepted, however old the sender's picture."""
    sitting = _twins()
    seen = sitting.seq
    for _ in range(5):
        sitting.send(1, cl.Stuck)
    sitting.play(0, sitting.column(0), seen=seen)
    assert parse("2S", 0) == sitting.tops()[FIRST]


def test_a_card_that_is_gone_was_not_beaten() -> None:
    """The same card played twice is refused the second time for what is there now."""
    sitting = _twins()
    seen = sitting.seq
    sitting.play(0, sitting.column(0), seen=seen)
    assert sitting.miss(0, sitting.column(0), seen=seen).reason == Reason.ILLEGAL


# Twin foundations.


def test_an_open_play_takes_the_twin() -> None:
    """Nobody is refused a twin pile because another was faster on the first."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS", "AS/1"], Own(["2S", "KD"]), Own(["2S", "KD"]))
    seen = sitting.seq
    for seat in (1, 0):
        sitting.play(seat, sitting.column(seat), seen=seen)
    assert [parse("2S", 1), parse("2S", 0)] == sitting.tops()[:2]


def test_a_named_play_does_not_take_the_twin() -> None:
    """Who names the foundation gets that one or none."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS", "AS/1"], Own(["2S", "KD"]), Own(["2S", "KD"]))
    seen = sitting.seq
    sitting.play(0, sitting.column(0), FIRST)
    assert sitting.miss(1, sitting.column(1), FIRST, seen=seen).reason == Reason.BEATEN


def test_the_last_of_the_twins_is_told() -> None:
    """When both twins were taken, the refusal names the card without which there had been a place."""
    sitting = Sitting.playing(3)
    sitting.lay(["AS", "AS/1"], Own(["2S", "KD"]), Own(["2S", "KD"]), Own(["2S", "KD"]))
    seen = sitting.seq
    for seat in (0, 1):
        sitting.play(seat, sitting.column(seat), seen=seen)
        sitting.wait(100)
    refused = sitting.miss(2, sitting.column(2), seen=seen)
    assert (refused.by, refused.pile, refused.late_us) == (1, NEXT, 100)


# After a refusal.


def test_after_a_refusal_the_next_play_works() -> None:
    """A lost race costs nothing but the race: the card goes elsewhere."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS"], Own(["2S", "KD"]), Own(["5c 2S", "8S 3H"]))
    seen = sitting.seq
    sitting.play(0, sitting.column(0))
    sitting.miss(1, sitting.column(1), seen=seen)
    played = of_type(ev.Played, sitting.play(1, sitting.column(1), sitting.column(1, 1)))
    assert [(parse("5C", 1),)] == [event.shown for event in played]


# Whose piles.


def test_nobody_plays_from_another_s_pile() -> None:
    """Taking another player's card is refused."""
    sitting = _twins()
    assert sitting.miss(0, sitting.column(1)).reason == Reason.NOT_YOUR_PILE


def test_nobody_plays_to_another_s_layout() -> None:
    """Nothing is ever placed on another player's layout."""
    sitting = _twins()
    refused = sitting.miss(1, sitting.column(1, 1), sitting.column(0, 1))
    assert refused.reason == Reason.NOT_YOUR_PILE


@for_each(("source", "destination"), [(255, 0), (0, 255), (26, -1), (0, 26)])
def test_a_pile_must_exist(source: int, destination: int) -> None:
    """A number that names no pile is refused as such."""
    assert _twins().miss(0, source, destination).reason == Reason.UNKNOWN_PILE


@for_each(("early", "reason"), [(1, Reason.HAND_OVER), (0, Reason.ILLEGAL)])
def test_a_play_belongs_to_its_hand(early: int, reason: Reason) -> None:
    """A play from before the deal was meant for an earlier hand, wherever it would go."""
    sitting = Sitting.playing(2)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    sitting.start()
    dealt = of_type(ev.Dealt, sitting.log)[-1].seq
    assert reason == sitting.miss(0, sitting.column(0), sitting.column(0), seen=dealt - early).reason


# Runs to the foundations.


def test_a_run_goes_up_card_by_card() -> None:
    """Each card of a run to the foundations is an event of its own, with the counter of the command."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS", "AH/1 2H/1"], Own(["4S 3H 2S"]), Own(["KC"]))
    played = of_type(ev.Played, sitting.play(0, sitting.column(0), count=2))
    counter = sitting.counter(0)
    expected = [(counter, 1, FIRST), (counter, 1, NEXT)]
    assert expected == [(event.counter, event.count, event.destination) for event in played]


def test_a_run_goes_up_as_far_as_it_goes() -> None:
    """A card that no foundation takes stops the rest, and those before it stay."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS"], Own(["4S 3H 2S"]), Own(["KC"]))
    played = of_type(ev.Played, sitting.play(0, sitting.column(0), count=3))
    assert ((parse("4S"), parse("3H")), 1) == (sitting.board.cards[sitting.column(0)], len(played))


def test_a_run_may_be_sent_to_one_foundation() -> None:
    """A run of one suit goes card by card to the foundation that was named."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS"], Own(["3S 2S"]), Own(["KC"]))
    played = of_type(ev.Played, sitting.play(0, sitting.column(0), FIRST, count=2))
    assert ([FIRST, FIRST], parse("3S")) == ([e.destination for e in played], sitting.tops()[FIRST])


@for_each("count", [2, 52])
def test_a_run_ends_where_face_down_cards_begin(count: int) -> None:
    """Nobody sends up a card before it was turned up, whatever number is asked for."""
    sitting = Sitting.playing(2)
    sitting.lay([], Own(["3s 2s AS", "KD"]), Own(["KC"], stock="2H AH KH"))
    sitting.play(0, sitting.column(0), count=count)
    assert parse("AS") == sitting.tops()[FIRST]


def test_a_run_ends_before_the_card_that_fills_its_space() -> None:
    """A card that fills the space behind a run is no part of it."""
    sitting = Sitting.playing(1, game="demon-a")
    sitting.lay(["AS"], Own(["2S", "9D", "8D", "7D"], reserve="kd 3s"))
    sitting.play(0, sitting.column(0), count=2)
    assert parse("2S") == sitting.tops()[FIRST]


def test_a_run_that_does_not_begin_is_refused() -> None:
    """When even the first card is lost to another player, the whole run is."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS"], Own(["2S", "KD"]), Own(["3H 2S", "KD"]))
    seen = sitting.seq
    sitting.play(0, sitting.column(0))
    assert sitting.miss(1, sitting.column(1), count=2, seen=seen).reason == Reason.BEATEN


def test_a_run_may_end_the_hand() -> None:
    """The last card of a run that takes its player out ends the hand."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS"], Own(["3S 2S"]), Own(["KC"]))
    events = sitting.play(0, sitting.column(0), count=2)
    assert told(events) == "played played hand_over"
    assert of_type(ev.HandOver, events)[0].reason == EndReason.OUT


# Spaces that fill themselves.


def test_a_space_is_filled_at_once() -> None:
    """Where spaces must be filled from the reserve, that follows in the same step, with counter 0."""
    sitting = Sitting.playing(1, game="demon-a")
    sitting.lay(["AS"], Own(["2S", "9D", "8D", "7D"], reserve="kd 4c"))
    played = of_type(ev.Played, sitting.play(0, sitting.column(0)))
    expected = [
        (sitting.counter(0), sitting.column(0), FIRST, ()),
        (0, sitting.reserve(0), sitting.column(0), (parse("4C"),)),
    ]
    assert expected == [(event.counter, event.source, event.destination, event.shown) for event in played]


def test_a_repeated_play_tells_the_last_of_its_events() -> None:
    """Sent again, a play that led to several events is answered with the last of them."""
    sitting = Sitting.playing(1, game="demon-a")
    sitting.lay(["AS"], Own(["2S", "9D", "8D", "7D"], reserve="kd 4c"))
    command = cl.PlayCards(counter=9, source=sitting.column(0), count=1, destination=-1, seen=sitting.seq)
    sitting.give(0, command)
    assert Accepted(counter=9, seq=sitting.seq) == sitting.give(0, command).reply
