"""A player's desk: the table, the hands, and what happened lately, together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from racing_demon_client.terminal.drawing.scene import CardRange, FeedLine
from racing_demon_client.terminal.style import ASCII, UNICODE, Glyphs, Role
from racing_demon_client.terminal.view_model import BANNER_MS, FeedText, RecentActivity, SoundCue, ViewModel
from racing_demon_protocol.engine.board import FOUNDATIONS, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Accepted, HandResult, Pong, Refused, Seated
from racing_demon_protocol.wire.options import Options
from tests.support.boards import Position, build, rules_of
from tests.support.cases import for_each
from tests.support.effort import examples
from tests.support.matches import MATCHES, log_of, of_matches, options_of
from tests.support.tables import SECOND, Own, Sitting, of_type
from tests.support.view_models import HOSTILE, FakeClient, Player, moments, view_of

SEED = "0" * 64
THREE_OF_SPADES = 2
BEATEN = Refused(counter=3, reason=Reason.BEATEN, text="", by=1, late_us=12_000)


def at(*tableau: str, players: int = 2, **options: object) -> Player:
    """Return the first player of a hand with these columns."""
    position: Position = build(rules_of(players=players), tableau=tableau, stock="2c 3c 4c")
    return Player.at_position(position, **options)  # type: ignore[arg-type]


def up(player: Player, seat: int = 0, pile: int = 0) -> ev.Played:
    """Return the event of a seat's first column's card, an ace, that goes up."""
    source = player.rules.layout.seat_piles(seat, Kind.TABLEAU)[0]
    return ev.Played(seq=player.view.seq + 1, seat=seat, counter=3, source=source, count=1, destination=pile)


def prompt(player: Player) -> str:
    """Return the line that is shown to the player."""
    return player.scene().prompt


# What happens.


def test_changes_flash() -> None:
    """Both piles are fresh in the picture for 400 milliseconds; without motion they are not."""
    for motion in (True, False):
        player = at("AS")
        player.model.motion = motion
        player.hear(up(player))
        assert ({0, player.column(1)} if motion else set()) == player.scene().fresh
        player.now += 400
        assert set() == player.scene().fresh


def test_without_motion_no_word_fills_the_screen() -> None:
    """Who switched flashes off keeps seeing the cards when somebody is out."""
    player = at("AS", call_out="shout")
    player.model.motion = False
    player.hear(ev.Called(seq=1, seat=1, grace_ms=1_000))
    assert player.scene().banner == ""


def test_the_word_fills_the_screen_for_a_while() -> None:
    """A call is heard and seen, and then the cards are again."""
    player = at("AS", call_out="shout")
    player.hear(ev.Called(seq=1, seat=1, grace_ms=1_000))
    assert player.cues == [SoundCue.DEMON]
    assert player.scene().banner == "DEMON!"
    player.now += BANNER_MS
    assert player.scene().banner == ""


def test_the_countdown_is_seen_until_the_signal() -> None:
    """Whole seconds, rounded up; during the hand there is none."""
    player = Player.at_match("racing-demon", 0)
    seen = []
    for event in log_of("racing-demon"):
        player.hear(event)
        if isinstance(event, ev.Dealt):
            for _ in range(4):
                seen.append(player.scene().countdown)
                player.now += 999
        if isinstance(event, ev.Signalled):
            assert player.scene().countdown == 0
            break
    assert seen == [3, 3, 2, 1]


def test_a_lost_race_is_told_with_its_card() -> None:
    """By number the desk knows what was sent; the prompt and the feed say who, by how much, and what."""
    player = at("AS")
    player.model.record_sent(3, Play(player.column(1), 1, FOUNDATIONS), player.now)
    player.hear(BEATEN)
    assert player.cues == [SoundCue.BEATEN]
    assert player.told() == ["Ben beat you to A♠ by 12 ms"]
    assert (prompt(player), player.scene().is_warning) == ("Ben beat you to A♠ by 12 ms", True)
    player.now += 4_000
    assert prompt(player) == ""


def test_what_was_sent_is_forgotten_once_it_is_answered() -> None:
    """After an answer, or a new deal, the number means nothing any more."""
    player = at("AS")
    player.model.record_sent(3, Play(player.column(1), 1, FOUNDATIONS), player.now)
    player.hear(BEATEN, BEATEN)
    assert player.told()[-1] == "Ben beat you to it by 12 ms"
    player.model.record_sent(3, Play(player.column(1), 1, FOUNDATIONS), player.now)
    player.hear(player.view.snapshot(0), BEATEN)
    assert player.told()[-1] == "Ben beat you to it by 12 ms"


def test_a_slip_of_the_hand_is_only_a_prompt() -> None:
    """What the rules never allowed is told to the player, and is no news."""
    player = at("AS")
    player.hear(Refused(counter=1, reason=Reason.ILLEGAL, text="No foundation takes that card."))
    assert player.told() == []
    assert prompt(player) == "No foundation takes that card."


def test_a_new_deal_clears_the_hands() -> None:
    """What was held or under the cursor is put back at the end of a hand, and by a snapshot."""
    over = ev.HandOver(seq=1, reason=EndReason.DEAD, out=None, elapsed_ms=1, points=(0, 0), seed=SEED)
    for number in range(2):
        player = at("AS")
        player.type("right a")
        assert player.scene().held == player.scene().cursor == CardRange(player.column(1), 1)
        player.hear(over if number else player.view.snapshot(0))
        assert player.scene().held is player.scene().cursor is None


# What is aged by time alone.


def test_the_end_of_a_hand_takes_its_warnings_back() -> None:
    """What was said about the cards is not said beside the tally."""
    player = at("AS")
    player.model.selection.show_message("There is no card there.", player.now, is_warning=True)
    over = ev.HandOver(seq=1, reason=EndReason.STUCK, out=None, elapsed_ms=9, points=(0, 0), seed=SEED)
    player.hear(over)
    assert "There is no card there." not in prompt(player)


def test_nothing_ages_without_a_reason() -> None:
    """Within a second of a quiet hand there is nothing new to draw."""
    player = at("AS")
    assert player.model.has_changed_by_time(player.now)
    assert not player.model.has_changed_by_time(player.now)
    assert not player.model.has_changed_by_time(player.now + 999)
    assert player.model.has_changed_by_time(player.now + 1_000)
    assert not player.model.has_changed_by_time(player.now + 1_999)


def test_what_fades_ages() -> None:
    """Flashes, messages, the big word and trouble are drawn anew when they go."""
    player = at("AS", call_out="shout")
    player.hear(up(player), ms=1)
    for message, ms in [("flash", 400), ("word", BANNER_MS), ("line", 4_000)]:
        if message == "word":
            player.hear(ev.Called(seq=2, seat=1, grace_ms=1_000), ms=1)
        elif message == "line":
            player.model.selection.show_message("a line", player.now)
        start = player.now
        player.model.has_changed_by_time(start + ms - 1)
        assert player.model.has_changed_by_time(start + ms), message
        player.now += ms
    player.model.trouble = "no answer for 3 s"
    assert player.model.has_changed_by_time(player.now)
    assert not player.model.has_changed_by_time(player.now)


def test_the_countdown_ages() -> None:
    """Every second before the signal is another picture."""
    player = at("AS")
    player.view.record = player.view.record._replace(phase=Phase.COUNTDOWN)
    player.model.activity.start_from(player.view, player.now, -3_000)
    aged = [
        player.model.has_changed_by_time(player.now + ms) for ms in (0, 1, 999, 1_000, 1_999, 2_000, 3_000)
    ]
    assert aged == [True, False, False, True, False, True, True]


# Whose layout.


def test_one_sees_ones_own_layout() -> None:
    """Whoever plays looks at their own cards, and nowhere else."""
    player = at("AS", players=3)
    player.model.watch_next()
    player.model.watch(2)
    assert player.model.focus == 0


@for_each("seat", [None, 7])
def test_who_does_not_play_looks_around(seat: int | None) -> None:
    """The first seat first, then one after the other, or the one that was chosen, if it plays."""
    player = at("AS", players=3)
    player.chair.seat = seat
    seen = [player.model.focus]
    for _ in range(3):
        player.model.watch_next()
        seen.append(player.model.focus)
    player.model.watch(2)
    player.model.watch(5)
    assert [*seen, player.model.focus] == [0, 1, 2, 0, 2]


def test_before_the_first_deal_there_is_nothing_to_look_at() -> None:
    """Without a hand there is no layout."""
    player = Player.at_match("racing-demon", None)
    player.model.watch_next()
    assert player.model.focus is None
    assert player.scene().board is None
    assert player.scene().slots == {}


# The picture's facts.


def test_plays_in_the_air_are_seen_at_once() -> None:
    """The board is as it will be, and the view's own as it is; what flies is marked."""
    player = at("5c AS", "2H")
    player.chair.doubt(Play(player.column(1), 1, FOUNDATIONS))
    scene = player.scene()
    assert scene.board is not None
    assert (len(scene.board.cards[0]), scene.board.cards[player.column(1)]) == (1, (UNKNOWN,))
    assert scene.unconfirmed[0] == 1
    assert (len(player.board.cards[0]), len(player.board.cards[player.column(1)])) == (0, 2)


@pytest.mark.long
def test_foundations_keep_their_slots() -> None:
    """While other aces land, in any match, a foundation stays where it is drawn, until the next deal."""
    for name in MATCHES:
        before: dict[int, tuple[int, int]] = {}
        hand = None  # the cards on the screen: a hand has its number before it is dealt
        for player in moments(name, 0, 15):
            slots = dict(player.scene().slots)
            if player.view.hand is not hand or not slots:
                before, hand = {}, player.view.hand
            assert before.items() <= slots.items() or player.rules.may_take_back(0, next(iter(before)))
            assert len(slots) == len(set(slots.values()))
            before = slots


def test_what_is_held_is_told() -> None:
    """Its cards; where hints are allowed, also where they fit."""
    player = at("KS QH", "2D")
    player.type("a")
    assert prompt(player) == "holding K♠ Q♥   x puts them back"
    player = at("QH", "KS", "AC", hints=True)
    player.type("a")
    assert prompt(player) == "holding Q♥   fits: s   x puts it back"
    player.type("x d")
    assert prompt(player) == "holding A♣   fits: up   x puts it back"
    player.type("x s")
    assert prompt(player) == "holding K♠   fits: f j k l   x puts it back"


def test_what_is_dragged() -> None:
    """The cards that are held, bottom first, where the pointer is."""
    player = at("KS QH", "2D")
    assert player.scene().dragged is None
    player.type("a")
    player.model.selection.drag(7, 9)
    assert (7, 9, tuple(player.board.cards[player.column(1)])) == player.scene().dragged


@for_each(
    ("phase", "seat", "told"),
    [
        (Phase.COUNTDOWN, 0, "Look at your cards: play begins at the signal."),
        (Phase.LOBBY, 0, "Enter deals."),
        (Phase.LOBBY, 1, "Press Enter when you are ready."),
        (Phase.OVER, 0, "Enter deals a rematch. 0 of 2 ready."),
        (Phase.OVER, 1, "Press Enter for a rematch. 0 of 2 ready."),
        (Phase.TALLY, 1, "Press Enter when ready for the next hand."),
        (Phase.TALLY, None, "You watch. The next deal waits for Ann and Ben."),
        (Phase.OVER, None, "You watch. A rematch waits for Ann and Ben."),
        (Phase.PLAYING, None, ""),
        (Phase.PLAYING, 0, ""),
    ],
)
def test_what_to_do_next(phase: Phase, seat: int | None, told: str) -> None:
    """One line says what the table waits for."""
    player = at("AS")
    player.view.record = player.view.record._replace(phase=phase, host=0)
    player.chair.seat = seat
    assert told == prompt(player)


@for_each(
    ("phase", "told"),
    [
        (Phase.LOBBY, "You are ready. Enter: not yet."),
        (Phase.TALLY, "You are ready for the next hand. Enter: not yet."),
    ],
)
def test_who_is_ready_is_told_so(phase: Phase, told: str) -> None:
    """And how it is taken back; where few are missing, who they are."""
    player = at("AS")
    player.view.record = player.view.record._replace(phase=phase, host=0).with_seat(1, ready=True)
    player.chair.seat = 1
    player.view.record = player.view.record.with_seat(0, ready=True)
    assert told == prompt(player)
    player.view.record = player.view.record.with_seat(0, ready=False)
    assert prompt(player) == "Ready, waiting for Ann. Enter: not yet."


def test_nothing_is_picked_up_in_a_pause() -> None:
    """What is held is let go of, keys pick nothing up, and it is told why."""
    player = at("KS QH", "2D")
    player.type("a")
    player.hear(ev.Paused(seq=1))
    told = "The hand is paused. The host resumes it."
    assert (None, told) == (player.model.selection.held, prompt(player))
    player.type("a")
    assert (None, told) == (player.model.selection.held, prompt(player))
    player.view.record = player.view.record._replace(host=0)
    assert prompt(player) == "The hand is paused. F9 resumes it."
    player.hear(ev.Continued(seq=2, elapsed_ms=9))
    player.type("a")
    assert player.model.selection.held is not None


def test_who_is_out_is_told_to_call() -> None:
    """With the name of the key for it; and who is stuck, that it has been said."""
    player = Player.at_position(build(rules_of()), call_out="shout")
    assert prompt(player) == 'You are out: call "Demon!" with c.'
    player = at("AS")
    player.view.record = player.view.record.with_seat(0, stuck=True)
    assert prompt(player) == "You declared that you are stuck (1 of 2 has)."


@for_each(("own", "told"), [("2H", "Ben played A♥: your 2♥ can go up"), ("KS", "")])
def test_who_is_freed_reads_which_play_opened(own: str, told: str) -> None:
    """However little the feed tells of the others' plays; and a play that opens nothing is not mentioned."""
    rules = rules_of(players=2)
    position = build(rules, seat=1, tableau=("AH",), upon=build(rules, tableau=(own,)))
    player = Player.at_position(position)
    player.model.volume = 0
    player.hear(ev.StuckSaid(seq=player.view.seq + 1, seat=0))
    before = player.told()
    player.hear(up(player, 1))
    assert told == player.model.selection.message(player.now)[0]
    assert [*before, *filter(None, [told])] == player.told()


def test_a_word_that_stands_is_no_news() -> None:
    """The server says it again after every play, and the feed tells it once."""
    rules = rules_of(players=2)
    player = Player.at_position(build(rules, seat=1, tableau=("AH",), upon=build(rules, tableau=("KS",))))
    player.model.volume = 0
    player.hear(ev.StuckSaid(seq=player.view.seq + 1, seat=0))
    before = player.told()
    player.hear(up(player, 1))
    player.hear(ev.StuckSaid(seq=player.view.seq + 1, seat=0))
    assert before == player.told()


def test_who_plays_on_is_told_that_others_are_stuck() -> None:
    """A hand may wait for the last one to say it: with the name of the key for that."""
    player = at("AS")
    player.view.record = player.view.record.with_seat(1, stuck=True)
    assert prompt(player) == "1 of 2 is stuck; v if you are, too."


def test_newcomers_are_told_what_helps() -> None:
    """Who hesitates reads the play and its keys; after ten seconds it is shown on the table, too."""
    player = at("AS", "9H", "TS", hints=True)
    player.model.advises = True
    player.hear(ev.Signalled(seq=player.view.seq + 1))
    assert prompt(player) == "", "nobody is told before they could look"
    player.now += 2_000
    assert (prompt(player), player.scene().fits) == ("Your A♠ up: press q", frozenset())
    player.now += 9_000
    assert prompt(player) == "Your A♠ up: press q"
    assert player.rules.layout.seat_piles(0, Kind.TABLEAU)[0] in player.scene().fits
    both = at("9H", "TS", "AC", hints=True)
    both.model.advises = True
    both.now += 2_000
    assert prompt(both) == "Your A♣ up: press e", "nothing is as useful"
    stuck = at("9H", "4C", hints=True)
    stuck.model.advises = True
    stuck.now += 2_000
    assert prompt(stuck) == "Nothing fits. Turn the stock: press space"
    strict = at("AS")
    strict.model.advises = True
    strict.hear(ev.Signalled(seq=strict.view.seq + 1))
    strict.now += 60_000
    assert prompt(strict) == "Play your cards up from the aces in the middle. ?: how to play.", "still"


def test_newcomers_are_told_that_they_said_stuck_too_soon() -> None:
    """Where a card fits, and where the table allows hints."""
    told = "You declared that you are stuck (1 of 2 has)."
    for card, hints, expected in (
        ("AS", True, "You have said Stuck too soon. Your A♠ up: press q"),
        ("AS", False, told),
        ("4C", True, told),
    ):
        player = at(card, "9H", hints=hints)
        player.model.advises = True
        player.view.record = player.view.record.with_seat(0, stuck=True)
        player.now += 2_000
        assert prompt(player) == expected


def test_newcomers_are_told_while_they_turn_past_a_card() -> None:
    """Turning the stock is no play then; nor do others who are stuck take the line away."""
    player = at("AS", "9H", "TS", hints=True)
    player.model.advises = True
    player.hear(ev.Signalled(seq=player.view.seq + 1))
    player.now += 2_000
    player.view.record = player.view.record.with_seat(1, stuck=True)
    for _ in range(3):
        assert prompt(player) == "Your A♠ up: press q"
        turn = player.rules.stock_play(player.board, 0)
        assert turn is not None
        shown = (THREE_OF_SPADES,) if player.board.piles[turn.source].kind is Kind.STOCK else ()
        seq, (source, count, destination, _) = player.view.seq + 1, turn
        fields = {"seq": seq, "source": source, "count": count, "destination": destination, "shown": shown}
        player.hear(ev.Played.model_validate({"seat": 0, "counter": 3, **fields}))
        player.now += 3_000
    assert prompt(player) == "Your A♠ up: press q"
    assert player.rules.layout.seat_piles(0, Kind.TABLEAU)[0] in player.scene().fits


def test_a_message_comes_before_everything_else() -> None:
    """For its four seconds it hides what is held."""
    player = at("KS")
    player.type("a")
    player.model.selection.show_message("a line", player.now)
    assert prompt(player) == "a line"
    player.now += 4_000
    assert prompt(player) == "holding K♠   x puts it back"


@of_matches
def test_whole_matches(name: str) -> None:
    """At any moment the picture's facts are those of the table; everybody's feed is full, and has an end."""
    for seat in (0, None):
        for player in moments(name, seat, 41):
            scene = player.scene()
            assert scene.view is player.view
            assert scene.board == player.board if player.view.board is not None else scene.board is None
            assert len(scene.feed) <= 200
        assert options_of(name).hands == player.cues.count(SoundCue.SIGNAL)


def test_the_next_deal_is_counted_down() -> None:
    """Beside the tally it is told when the next hand is dealt by itself; after that moment no more."""
    player = at("AS", tally_ms=20_000)
    player.hear(ev.HandOver(seq=1, reason=EndReason.STUCK, out=None, elapsed_ms=9, points=(0, 0), seed=SEED))
    assert prompt(player) == "Press Enter when ready for the next hand. The next deal is in 20 s."
    player.now += 19_001
    assert prompt(player) == "Press Enter when ready for the next hand. The next deal is in 1 s."
    player.now += 999
    assert prompt(player) == "Press Enter when ready for the next hand."


def test_nothing_is_counted_down_for_one_person_among_bots() -> None:
    """The next hand waits for the only person at the table, so that no time is told."""
    player = at("AS", tally_ms=20_000)
    player.view.record = player.view.record.with_seat(1, bot="easy")
    player.hear(ev.HandOver(seq=1, reason=EndReason.STUCK, out=None, elapsed_ms=9, points=(0, 0), seed=SEED))
    assert prompt(player) == "Press Enter when ready for the next hand."


def test_a_late_comer_knows_when_to_play() -> None:
    """Who took a seat in the middle of a hand is told whose cards these are, and when they play."""
    player = Player.at_position(build(rules_of(players=2), tableau=("KS",)), 5)
    player.hear(ev.Joined(seq=1, seat=5, name="Late"))
    assert prompt(player).startswith("You play from the next deal")


NOW = 50_000
ACTIVITY_SEED = "0" * 64


def table(players: int = 2) -> tuple[RecentActivity, TableState]:
    """Return what happened at a table whose hand has just begun: nothing."""
    activity, view = RecentActivity(), view_of(build(rules_of(players=players), tableau=("KS",)))
    activity.start_from(view, NOW, 0)
    return activity, view


def foundation_play(seat: int, pile: int = 0) -> ev.Played:
    """Return the event of a card that went to a foundation."""
    return ev.Played(seq=1, seat=seat, counter=1, source=9, count=1, destination=pile)


def over(reason: EndReason, elapsed_ms: int = 7_000) -> ev.HandOver:
    """Return the end of a hand."""
    return ev.HandOver(
        seq=1, reason=reason, out=None, elapsed_ms=elapsed_ms, points=(0, 0), seed=ACTIVITY_SEED
    )


def test_nothing_happened_later_than_it_is() -> None:
    """A server that was away goes on from its last event: what was noted meanwhile is set back."""
    activity, view = table()
    times: list[int | None] = [90_000, None, 27_000, 28_000, 32_000, 33_000]
    activity.feed.extend(FeedLine(at_ms, str(at_ms)) for at_ms in times)
    activity.observe(ev.Continued(seq=9, elapsed_ms=28_000), view, NOW)
    assert [line.at_ms for line in activity.feed] == [90_000, None, 27_000, 28_000, 28_000, 28_000]


# Flashes.


def test_a_flash_ends_after_400_ms() -> None:
    """Both piles of a play are fresh for that long, and no others."""
    activity, view = table()
    activity.observe(foundation_play(0), view, NOW)
    assert [{0, 9}, {0, 9}, set()] == [activity.fresh(NOW + ms) for ms in (0, 399, 400)]


def test_a_new_play_flashes_anew() -> None:
    """A pile that changes again is fresh from then on; the others fade in their own time."""
    activity, view = table()
    activity.observe(foundation_play(0, pile=1), view, NOW)
    activity.observe(foundation_play(0, pile=2), view, NOW + 300)
    assert {2, 9} == activity.fresh(NOW + 400)
    assert set() == activity.fresh(NOW + 700)


def test_a_new_deal_is_not_fresh() -> None:
    """What flashed in the last hand does not in the next."""
    activity, view = table()
    activity.observe(foundation_play(0), view, NOW)
    activity.start_from(view, NOW + 1, -3_000)
    assert not activity.fresh(NOW + 1)


# The clock.


@examples(100)
@given(st.integers(0, 30_000), st.integers(0, 40_000))
def test_the_seconds_to_the_signal(countdown: int, later: int) -> None:
    """They are rounded up, so that the last one is told as 1; from the signal on there are none."""
    activity, view = table()
    activity.observe(ev.Dealt(seq=1, seats=(0, 1), shown=(), countdown_ms=countdown), view, NOW)
    left = max(0, countdown - later)
    assert (left + 999) // 1_000 == activity.seconds_to_signal(NOW + later)
    assert max(0, later - countdown) == activity.elapsed_ms(NOW + later)


def test_a_late_signal_has_its_own_countdown_and_sound() -> None:
    """The first signal sounds for those who may play; whoever waits counts on, and then hears it."""
    sitting = Sitting.lobby(2, countdown_ms=0)
    sitting.events(0, cl.SetHandicap, seat=1, handicap=Handicap(delay_s=5))
    sitting.events(0, cl.Start)
    late, now = ViewModel(FakeClient(sitting.mirror, 1)), ViewModel(FakeClient(sitting.mirror, 0))
    for model in (late, now):
        model.activity.start_from(sitting.mirror, NOW, 0)
    (signal,) = of_type(ev.Signalled, sitting.wait(0))
    assert [model.observe(signal, NOW) for model in (late, now)] == [None, SoundCue.SIGNAL]
    assert [model.scene(NOW + 1_500, {}, ()).countdown for model in (late, now)] == [4, 0]
    assert "you may play in 4 s" in late.prompt(NOW + 1_500, {})[0]
    (own,) = of_type(ev.SeatSignalled, sitting.wait(5 * SECOND))
    assert [model.observe(own, NOW + 5_000) for model in (late, now)] == [SoundCue.SIGNAL, None]
    assert late.scene(NOW + 5_000, {}, ()).countdown == 0


def test_the_clock_runs_from_the_signal_and_stops_at_the_end() -> None:
    """Before the signal it stands at nothing, after the end at the hand's whole time."""
    activity, view = table()
    assert SoundCue.SIGNAL is activity.observe(ev.Signalled(seq=1), view, NOW)
    assert activity.elapsed_ms(NOW + 1_234) == 1_234
    activity.observe(over(EndReason.DEAD), view, NOW + 9_000)
    assert activity.elapsed_ms(NOW + 60_000) == 7_000


@for_each("countdown", [0, 3_000])
def test_the_clock_runs_in_the_second_hand_too(countdown: int) -> None:
    """Whatever the last hand's time was, and however short the countdown is."""
    activity, view = table()
    result = HandResult(hand=1, seats=(0, 1), points=(1, 2), reason=EndReason.DEAD, elapsed_ms=7_000)
    view.record = view.record._replace(results=(result,), phase=Phase.TALLY)
    activity.observe(over(EndReason.DEAD), view, NOW)
    view.record = view.record._replace(phase=Phase.COUNTDOWN)
    activity.observe(ev.Dealt(seq=2, seats=(0, 1), shown=(), countdown_ms=countdown), view, NOW)
    view.record = view.record._replace(phase=Phase.PLAYING)
    activity.observe(ev.Signalled(seq=3), view, NOW + countdown)
    assert activity.elapsed_ms(NOW + countdown + 500) == 500


def test_coming_late_the_clock_is_right() -> None:
    """A snapshot tells how long the hand lasts; between the hands, how long it lasted."""
    activity, view = table()
    activity.observe(view.snapshot(5_000), view, NOW)
    assert activity.elapsed_ms(NOW + 10) == 5_010
    view.record = view.record._replace(
        results=(HandResult(hand=1, seats=(0, 1), points=(1, 2), reason=EndReason.DEAD, elapsed_ms=7_000),)
    )
    view.record = view.record._replace(phase=Phase.TALLY)
    activity.observe(view.snapshot(20_000), view, NOW)
    assert activity.elapsed_ms(NOW + 10) == 7_000


# Words that fill the screen.


def test_the_banner_comes_and_goes() -> None:
    """Somebody is out: the word stands for two and a half seconds."""
    activity, view = table()
    assert SoundCue.DEMON is activity.observe(over(EndReason.OUT), view, NOW)
    shown = [activity.banner(NOW + ms) for ms in (0, BANNER_MS - 1, BANNER_MS)]
    assert shown == ["DEMON!", "DEMON!", ""]


@for_each("reason", [EndReason.DEAD, EndReason.STUCK, EndReason.ABANDONED])
def test_other_ends_are_silent(reason: EndReason) -> None:
    """Where nobody went out there is neither word nor sound."""
    activity, view = table()
    assert activity.observe(over(reason), view, NOW) is None
    assert activity.banner(NOW) == ""


def test_a_call_is_told_once() -> None:
    """The end that follows a call does not repeat it."""
    activity, view = table()
    assert SoundCue.DEMON is activity.observe(ev.Called(seq=1, seat=1, grace_ms=1_000), view, NOW)
    assert activity.observe(over(EndReason.OUT), view, NOW + 1_000) is None
    assert activity.banner(NOW + BANNER_MS) == ""


def test_a_lost_race_has_a_sound() -> None:
    """Being beaten is heard, any other refusal is not."""
    activity, view = table()
    cues = [activity.observe(Refused(counter=1, reason=reason, text=""), view, NOW) for reason in Reason]
    assert [cue for cue in cues if cue is not None] == [SoundCue.BEATEN]


@of_matches
def test_a_whole_match(name: str) -> None:
    """Followed event by event, a match has a signal a hand, and as many calls as hands that ended so."""
    activity, view, now = RecentActivity(), TableState("TEST", options_of(name)), NOW
    cues = []
    for event in log_of(name):
        now += 3_000
        view.apply(event)
        cue = activity.observe(event, view, now)
        if cue is not None:
            cues.append(cue)
        assert activity.fresh(now) == (
            {event.source, event.destination} if isinstance(event, ev.Played) else set()
        )
    ends = [event for event in log_of(name) if isinstance(event, ev.HandOver)]
    assert len(ends) == cues.count(SoundCue.SIGNAL) == Options.model_validate(MATCHES[name][1]).hands
    assert sum(end.reason is EndReason.OUT for end in ends) <= cues.count(SoundCue.DEMON)


def test_a_newcomer_at_the_tally_knows_when_the_next_hand_is_dealt() -> None:
    """From how long the hand had lasted, and how long ago it began; if that is not known, nothing is told."""
    view = TableState("TEST", Options(tally_ms=20_000))
    view.record = view.record._replace(phase=Phase.TALLY)
    result = HandResult(hand=1, seats=(0,), points=(3,), reason=EndReason.STUCK, out=None, elapsed_ms=60_000)
    view.record = view.record._replace(results=(result,))
    activity = RecentActivity()
    for elapsed_ms, seconds in ((65_000, 15), (60_000, 20), (0, 0)):
        activity.start_from(view, NOW, elapsed_ms)
        assert seconds == activity.seconds_to_deal(NOW)


def line(
    message: Message,
    view: TableState,
    seat: int | None = 0,
    *,
    volume: int = 2,
    glyphs: Glyphs = UNICODE,
    refused: Play | None = None,
) -> FeedLine | None:
    """Return the feed's line, at a time that does not matter."""
    return FeedText(view, seat, volume, glyphs).line(message, 1_000, refused)


def words(message: Message, view: TableState, seat: int | None = 0, **kwargs: int) -> str | None:
    """Return the text of the line, if there is one."""
    told = line(message, view, seat, **kwargs)  # type: ignore[arg-type]
    return None if told is None else told.text


def sitting() -> Sitting:
    """Return a table of Ann and Ben in the middle of a hand."""
    table = Sitting.playing(2)
    table.lay(
        ["AS"],
        Own(tableau=["2S", "TS 8H", "TD 9C", "5D"], stock="2c 3c 4c 5c", waste="KC QC"),
        Own(tableau=["AH/1", "9S/1", "TD/1"], stock="2c/1 3c/1", waste=""),
    )
    return table


@for_each(
    ("volume", "told"),
    [
        (0, ["you: 2♠ up", None, None, None]),
        (1, ["you: 2♠ up", None, None, "Ben: A♥ up"]),
        (2, ["you: 2♠ up", "you: 8♥ to column 3", "you: turned 3", "Ben: A♥ up"]),
    ],
)
def test_volume(volume: int, told: list[str | None]) -> None:
    """The player's cards that go up always; the others' with volume; every move only at the loudest."""
    table = sitting()
    moves = [
        (0, table.column(0), FOUNDATIONS, 1),
        (0, table.column(0, 1), table.column(0, 2), 1),
        (0, table.stock(0), table.waste(0), 3),
        (1, table.column(1), FOUNDATIONS, 1),
    ]
    lines = [
        words(table.play(seat, source, destination, count)[0], table.mirror, volume=volume)
        for seat, source, destination, count in moves
    ]
    assert told == lines


def test_moves_at_the_loudest() -> None:
    """Runs name all their cards, the waste is turned over, and everybody is called by name."""
    table = Sitting.playing(2)
    table.lay([], Own(tableau=["9S 8H", "TD"], waste="2c 3C"), Own(tableau=["9S/1", "TD/1"]))
    event = table.play(0, table.column(0), table.column(0, 1), 2)[0]
    assert words(event, table.mirror) == "you: 9♠ 8♥ to column 2"
    assert words(event, table.mirror, 1) == "Ann: 9♠ 8♥ to column 2"
    assert getattr(line(event, table.mirror, None, glyphs=ASCII), "text", None) == "Ann: 9S 8h to column 2"
    assert words(table.turn(0)[0], table.mirror) == "you: waste turned over"
    assert words(table.turn(0)[0], table.mirror) == "you: turned 2"
    event = table.play(1, table.column(1), table.column(1, 1))[0]
    assert words(event, table.mirror) == "Ben: 9♠ to column 2"
    assert words(event, table.mirror, volume=1) is None


def test_own_lines_stand_out() -> None:
    """What one did oneself has another ink than what the others did; a spectator does nothing."""
    table = sitting()
    event = table.play(0, table.column(0))[0]
    roles = [getattr(line(event, table.mirror, seat), "role", None) for seat in (0, 1, None)]
    assert roles == [Role.ACCENT, Role.TEXT, Role.TEXT]


def test_somebody_called_you_is_not_oneself() -> None:
    """A name does not make another player's cards one's own."""
    table = sitting()
    table.mirror.record = table.mirror.record.with_seat(1, name="you")
    play = ev.Played(seq=1, seat=1, counter=1, source=table.column(1), count=1, destination=1)
    table.mirror.board.cards[1] = (52 + 13,)  # type: ignore[union-attr]
    assert words(play, table.mirror, volume=0) is None


# Refusals.


def test_who_was_first_by_how_much_and_with_which_card() -> None:
    """A lost race is told with the card that was meant, which lies where it lay."""
    table = Sitting.playing(2)
    table.lay(["AS"], Own(tableau=["2S", "KH"], stock="2c"), Own(tableau=["2S/1", "KH/1"], stock="2c/1"))
    seen = table.seq
    table.play(1, table.column(1))
    table.wait(12_300)
    refused = table.miss(0, table.column(0), seen=seen)
    play = Play(table.column(0), 1, FOUNDATIONS)
    told = line(refused, table.mirror, refused=play)
    assert told is not None
    assert (told.text, told.role) == ("Ben beat you to 2♠ by 12 ms", Role.WARNING)
    told = line(refused, table.mirror, refused=play, glyphs=ASCII)
    assert told is not None
    assert told.text == "Ben beat you to 2S by 12 ms"


def test_a_race_for_a_card_that_is_not_known() -> None:
    """Where it is not known what was meant, the rest is told all the same."""
    table = sitting()
    refused = Refused(counter=1, reason=Reason.BEATEN, text="", by=1, late_us=2_040)
    assert words(refused, table.mirror) == "Ben beat you to it by 2.0 ms"
    for pile in (table.stock(0), 99, -1, 3):
        told = line(refused, table.mirror, refused=Play(pile, 1, FOUNDATIONS))
        assert told is not None
        assert told.text == "Ben beat you to it by 2.0 ms"


def test_other_refusals_are_told_in_the_servers_words() -> None:
    """The reason as the server put it, without anything that could steer a terminal."""
    table = sitting()
    refused = Refused(counter=1, reason=Reason.ILLEGAL, text="No\x1b[2J way\u202e.")
    assert words(refused, table.mirror) == "No?[2J way?."


# All the rest.


def test_answers_are_not_told() -> None:
    """What only keeps the connection going is nobody's news."""
    table = sitting()
    silent = [Accepted(counter=1, seq=1), Pong(stamp=1), Seated(code="A"), table.mirror.snapshot(0)]
    assert [line(message, table.mirror) for message in silent] == [None] * 4


@for_each("volume", [0, 1, 2])
def test_what_concerns_all_is_told_at_any_volume(volume: int) -> None:
    """Signal, calls, ends and what people say are loud; comings and goings are told quietly."""
    table = sitting()
    loud = [
        ev.Signalled(seq=1),
        ev.Called(seq=1, seat=1, grace_ms=0),
        ev.Said(seq=1, seat=1, text="hello"),
        ev.MatchOver(seq=1, winners=(1,)),
    ]
    roles = [getattr(line(message, table.mirror, volume=volume), "role", None) for message in loud]
    assert roles == [Role.ACCENT] * 4
    told = line(ev.Joined(seq=1, seat=1, name="Ben"), table.mirror, volume=volume)
    assert told is not None
    assert Role.DIM is told.role


@for_each("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_harmless(name: str) -> None:
    """Whatever a player is called or says, the feed's line is printable."""
    table = sitting()
    table.mirror.record = table.mirror.record.with_seat(1, name=name)
    table.mirror.board.cards[1] = (13,)  # type: ignore[union-attr]
    messages = [
        ev.Played(seq=1, seat=1, counter=1, source=table.column(1), count=1, destination=1),
        ev.Said(seq=1, seat=1, text=name),
        Refused(counter=1, reason=Reason.BEATEN, text=name, by=1),
        Refused(counter=1, reason=Reason.ILLEGAL, text=name),
        ev.Joined(seq=1, seat=1, name=name, bot=name[:16]),
    ]
    for message in messages:
        told = words(message, table.mirror)
        assert told is not None
        assert told.isprintable()


@of_matches
@for_each("glyphs", [UNICODE, ASCII], ids=["signs", "letters"])
def test_whole_matches_are_told(name: str, glyphs: Glyphs) -> None:
    """The louder, the more lines; every card that goes up has one; in letters all is ASCII."""
    view = TableState("TEST", Sitting.lobby(1, **MATCHES[name][1]).options)
    told: dict[int, int] = {0: 0, 1: 0, 2: 0}
    ups = 0
    for event in log_of(name):
        view.apply(event)
        lines = [line(event, view, volume=volume, glyphs=glyphs) for volume in (0, 1, 2)]
        for volume, shown in enumerate(lines):
            if shown is not None:
                told[volume] += 1
                assert shown.text.isprintable()
                assert glyphs is UNICODE or shown.text.isascii()
        if isinstance(event, ev.Played):
            assert view.board is not None
            upward = view.board.piles[event.destination].kind is Kind.FOUNDATION
            ups += upward
            shown_at = [shown is not None for shown in lines]
            assert shown_at == [upward and event.seat == 0, upward, True]
    assert ups > 0
    assert told[0] < told[1] < told[2]
