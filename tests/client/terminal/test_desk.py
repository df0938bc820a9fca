"""A player's desk: the table, the hands, and what happened lately, together."""

import pytest

from racing_demon_client.terminal.activity import BANNER_MS, Cue
from racing_demon_client.terminal.drawing.scene import Grip
from racing_demon_protocol.engine.board import FOUNDATIONS, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused
from tests.support.boards import Position, build, rules_of
from tests.support.desks import Player, moments
from tests.support.matches import MATCHES, log_of, of_matches, options_of

SEED = "0" * 64
BEATEN = Refused(counter=3, reason=Reason.BEATEN, text="", by=1, late_us=12_000)


def at(*tableau: str, players: int = 2, **options: object) -> Player:
    """Return the first player of a hand with these columns."""
    position: Position = build(rules_of(players=players), tableau=tableau, stock="2c 3c 4c")
    return Player.at_position(position, **options)  # type: ignore[arg-type]


def up(player: Player, seat: int = 0, pile: int = 0) -> ev.Played:
    """Return the event of a seat's first column's card, an ace, that goes up."""
    source = player.rules.layout.own(seat, Kind.TABLEAU)[0]
    return ev.Played(seq=player.view.seq + 1, seat=seat, counter=3, source=source, count=1, destination=pile)


def prompt(player: Player) -> str:
    """Return the line that is shown to the player."""
    return player.scene().prompt


# What happens.


def test_changes_flash() -> None:
    """Both piles are fresh in the picture for 400 milliseconds; without motion they are not."""
    for motion in (True, False):
        player = at("AS")
        player.desk.motion = motion
        player.hear(up(player))
        assert ({0, player.column(1)} if motion else set()) == player.scene().fresh
        player.now += 400
        assert set() == player.scene().fresh


def test_without_motion_no_word_fills_the_screen() -> None:
    """Who switched flashes off keeps seeing the cards when somebody is out."""
    player = at("AS", call_out="shout")
    player.desk.motion = False
    player.hear(ev.Called(seq=1, seat=1, grace_ms=1_000))
    assert player.scene().banner == ""


def test_the_word_fills_the_screen_for_a_while() -> None:
    """A call is heard and seen, and then the cards are again."""
    player = at("AS", call_out="shout")
    player.hear(ev.Called(seq=1, seat=1, grace_ms=1_000))
    assert player.cues == [Cue.DEMON]
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
    player.desk.sent(3, Play(player.column(1), 1, FOUNDATIONS), player.now)
    player.hear(BEATEN)
    assert player.cues == [Cue.BEATEN]
    assert player.told() == ["Ben beat you to A♠ by 12 ms"]
    assert (prompt(player), player.scene().is_warning) == ("Ben beat you to A♠ by 12 ms", True)
    player.now += 4_000
    assert prompt(player) == ""


def test_what_was_sent_is_forgotten_once_it_is_answered() -> None:
    """After an answer, or a new deal, the number means nothing any more."""
    player = at("AS")
    player.desk.sent(3, Play(player.column(1), 1, FOUNDATIONS), player.now)
    player.hear(BEATEN, BEATEN)
    assert player.told()[-1] == "Ben beat you by 12 ms"
    player.desk.sent(3, Play(player.column(1), 1, FOUNDATIONS), player.now)
    player.hear(player.view.snapshot(0), BEATEN)
    assert player.told()[-1] == "Ben beat you by 12 ms"


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
        assert player.scene().held == player.scene().cursor == Grip(player.column(1), 1)
        player.hear(over if number else player.view.snapshot(0))
        assert player.scene().held is player.scene().cursor is None


# What is aged by time alone.


def test_the_end_of_a_hand_takes_its_warnings_back() -> None:
    """What was said about the cards is not said beside the tally."""
    player = at("AS")
    player.desk.hands.say("There is no card there.", player.now, is_warning=True)
    over = ev.HandOver(seq=1, reason=EndReason.STUCK, out=None, elapsed_ms=9, points=(0, 0), seed=SEED)
    player.hear(over)
    assert "There is no card there." not in prompt(player)


def test_nothing_ages_without_a_reason() -> None:
    """Within a second of a quiet hand there is nothing new to draw."""
    player = at("AS")
    assert player.desk.has_aged(player.now)
    assert not player.desk.has_aged(player.now)
    assert not player.desk.has_aged(player.now + 999)
    assert player.desk.has_aged(player.now + 1_000)
    assert not player.desk.has_aged(player.now + 1_999)


def test_what_fades_ages() -> None:
    """Flashes, messages, the big word and trouble are drawn anew when they go."""
    player = at("AS", call_out="shout")
    player.hear(up(player), ms=1)
    for message, ms in [("flash", 400), ("word", BANNER_MS), ("line", 4_000)]:
        if message == "word":
            player.hear(ev.Called(seq=2, seat=1, grace_ms=1_000), ms=1)
        elif message == "line":
            player.desk.hands.say("a line", player.now)
        start = player.now
        player.desk.has_aged(start + ms - 1)
        assert player.desk.has_aged(start + ms), message
        player.now += ms
    player.desk.trouble = "no answer for 3 s"
    assert player.desk.has_aged(player.now)
    assert not player.desk.has_aged(player.now)


def test_the_countdown_ages() -> None:
    """Every second before the signal is another picture."""
    player = at("AS")
    player.view.phase = Phase.COUNTDOWN
    player.desk.activity.take_up(player.view, player.now, -3_000)
    aged = [player.desk.has_aged(player.now + ms) for ms in (0, 1, 999, 1_000, 1_999, 2_000, 3_000)]
    assert aged == [True, False, False, True, False, True, True]


# Whose layout.


def test_one_sees_ones_own_layout() -> None:
    """Whoever plays looks at the own cards, and nowhere else."""
    player = at("AS", players=3)
    player.desk.watch_next()
    player.desk.watch(2)
    assert player.desk.focus == 0


@pytest.mark.parametrize("seat", [None, 7])
def test_who_does_not_play_looks_around(seat: int | None) -> None:
    """The first seat first, then one after the other, or the one that was chosen, if it plays."""
    player = at("AS", players=3)
    player.chair.seat = seat
    seen = [player.desk.focus]
    for _ in range(3):
        player.desk.watch_next()
        seen.append(player.desk.focus)
    player.desk.watch(2)
    player.desk.watch(5)
    assert [*seen, player.desk.focus] == [0, 1, 2, 0, 2]


def test_before_the_first_deal_there_is_nothing_to_look_at() -> None:
    """Without a hand there is no layout."""
    player = Player.at_match("racing-demon", None)
    player.desk.watch_next()
    assert player.desk.focus is None
    assert player.scene().board is None
    assert player.scene().slots == {}


# The picture's facts.


def test_plays_in_the_air_are_seen_at_once() -> None:
    """The board is as it will be, and the view's own as it is; what flies is marked."""
    player = at("5c AS", "2H")
    player.chair.doubt(Play(player.column(1), 1, FOUNDATIONS))
    scene = player.scene()
    assert scene.board is not None
    assert (len(scene.board.cards[0]), scene.board.cards[player.column(1)]) == (1, [UNKNOWN])
    assert scene.air[0] == 1
    assert (len(player.board.cards[0]), len(player.board.cards[player.column(1)])) == (0, 2)


def test_foundations_keep_their_slots() -> None:
    """While other aces land, in any match, a foundation stays where it is drawn, until the next deal."""
    for name in MATCHES:
        before: dict[int, tuple[int, int]] = {}
        hand = 0
        for player in moments(name, 0, 5):
            slots = dict(player.scene().slots)
            if player.view.hand != hand or not slots:
                before, hand = {}, player.view.hand
            assert before.items() <= slots.items() or player.rules.may_take_back(0, next(iter(before)))
            assert len(slots) == len(set(slots.values()))
            before = slots


def test_what_is_held_is_told() -> None:
    """Its cards; where hints are allowed, also where they fit."""
    player = at("KS QH", "2D")
    player.type("a")
    assert prompt(player) == "holding K♠ Q♥"
    player = at("QH", "KS", "AC", hints=True)
    player.type("a")
    assert prompt(player) == "holding Q♥   fits: s"
    player.type("x d")
    assert prompt(player) == "holding A♣   fits: up"
    player.type("x s")
    assert prompt(player) == "holding K♠   fits: f j k l"


def test_what_is_dragged() -> None:
    """The cards that are held, bottom first, where the pointer is."""
    player = at("KS QH", "2D")
    assert player.scene().dragged is None
    player.type("a")
    player.desk.hands.drag(7, 9)
    assert (7, 9, tuple(player.board.cards[player.column(1)])) == player.scene().dragged


@pytest.mark.parametrize(
    ("phase", "seat", "told"),
    [
        (Phase.COUNTDOWN, 0, "Look at your cards: play begins at the signal."),
        (Phase.LOBBY, 0, "Enter deals."),
        (Phase.OVER, 1, "Press Enter when you are ready."),
        (Phase.TALLY, 1, "Press Enter when ready for the next hand."),
        (Phase.TALLY, None, "The cards are dealt when all players are ready."),
        (Phase.PLAYING, None, ""),
        (Phase.PLAYING, 0, ""),
    ],
)
def test_what_to_do_next(phase: Phase, seat: int | None, told: str) -> None:
    """One line says what the table waits for."""
    player = at("AS")
    player.view.phase, player.view.host, player.chair.seat = phase, 0, seat
    assert told == prompt(player)


@pytest.mark.parametrize(
    ("phase", "told"),
    [
        (Phase.LOBBY, "You are ready. Enter: not yet."),
        (Phase.TALLY, "You are ready for the next hand. Enter: not yet."),
    ],
)
def test_who_is_ready_is_told_so(phase: Phase, told: str) -> None:
    """And how it is taken back."""
    player = at("AS")
    player.view.phase, player.view.host, player.chair.seat = phase, 0, 1
    player.view.seats[1] = player.view.seats[1].model_copy(update={"ready": True})
    assert told == prompt(player)


def test_nothing_is_picked_up_in_a_pause() -> None:
    """What is held is let go of, keys pick nothing up, and it is told why."""
    player = at("KS QH", "2D")
    player.type("a")
    player.hear(ev.Paused(seq=1))
    told = "The hand is paused. The host resumes it."
    assert (None, told) == (player.desk.hands.held, prompt(player))
    player.type("a")
    assert (None, told) == (player.desk.hands.held, prompt(player))
    player.view.host = 0
    assert prompt(player) == "The hand is paused. F9 resumes it."
    player.hear(ev.Continued(seq=2, elapsed_ms=9))
    player.type("a")
    assert player.desk.hands.held is not None


def test_who_is_out_is_told_to_call() -> None:
    """With the name of the key for it; and who is stuck, that it has been said."""
    player = Player.at_position(build(rules_of()), call_out="shout")
    assert prompt(player) == 'You are out: call "Demon!" with c.'
    player = at("AS")
    player.view.seats[0] = player.view.seats[0].model_copy(update={"stuck": True})
    assert prompt(player) == "You declared that you are stuck (1 of 2 has)."


@pytest.mark.parametrize(("own", "told"), [("2H", "Ben played A♥: your 2♥ can go up"), ("KS", "")])
def test_who_is_freed_reads_which_play_opened(own: str, told: str) -> None:
    """However little the feed tells of the others' plays; and a play that opens nothing is not mentioned."""
    rules = rules_of(players=2)
    position = build(rules, seat=1, tableau=("AH",), upon=build(rules, tableau=(own,)))
    player = Player.at_position(position)
    player.desk.volume = 0
    player.hear(ev.StuckSaid(seq=player.view.seq + 1, seat=0))
    before = player.told()
    player.hear(up(player, 1))
    assert told == player.desk.hands.message(player.now)[0]
    assert [*before, *filter(None, [told])] == player.told()


def test_a_word_that_stands_is_no_news() -> None:
    """The server says it again after every play, and the feed tells it once."""
    rules = rules_of(players=2)
    player = Player.at_position(build(rules, seat=1, tableau=("AH",), upon=build(rules, tableau=("KS",))))
    player.desk.volume = 0
    player.hear(ev.StuckSaid(seq=player.view.seq + 1, seat=0))
    before = player.told()
    player.hear(up(player, 1))
    player.hear(ev.StuckSaid(seq=player.view.seq + 1, seat=0))
    assert before == player.told()


def test_who_plays_on_is_told_that_others_are_stuck() -> None:
    """A hand may wait for the last one to say it: with the name of the key for that."""
    player = at("AS")
    player.view.seats[1] = player.view.seats[1].model_copy(update={"stuck": True})
    assert prompt(player) == "1 of 2 is stuck; v if you are, too."


def test_a_message_comes_before_everything_else() -> None:
    """For its four seconds it hides what is held."""
    player = at("KS")
    player.type("a")
    player.desk.hands.say("a line", player.now)
    assert prompt(player) == "a line"
    player.now += 4_000
    assert prompt(player) == "holding K♠"


@of_matches
def test_whole_matches(name: str) -> None:
    """At any moment the picture's facts are those of the table; everybody's feed is full, and has an end."""
    for seat in (0, None):
        for player in moments(name, seat, 41):
            scene = player.scene()
            assert scene.view is player.view
            assert scene.board == player.board if player.view.board is not None else scene.board is None
            assert scene.pace.keys() == set(player.view.hand_seats)
            assert len(scene.feed) <= 200
        assert options_of(name).hands == player.cues.count(Cue.SIGNAL)


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
    player.view.seats[1] = player.view.seats[1].model_copy(update={"bot": "easy"})
    player.hear(ev.HandOver(seq=1, reason=EndReason.STUCK, out=None, elapsed_ms=9, points=(0, 0), seed=SEED))
    assert prompt(player) == "Press Enter when ready for the next hand."


def test_a_late_comer_knows_when_to_play() -> None:
    """Who took a seat in the middle of a hand is told whose cards these are, and when they play."""
    player = Player.at_position(build(rules_of(players=2), tableau=("KS",)), 5)
    player.hear(ev.Joined(seq=1, seat=5, name="Late"))
    assert prompt(player).startswith("You play from the next deal")
