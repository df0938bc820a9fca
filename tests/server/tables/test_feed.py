"""What everybody sees of a table whose judge is ahead."""

import random
from collections import deque

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.client import Pause, Stuck
from racing_demon_server.encoded_messages import EncodedEvent
from racing_demon_server.tables.feed import COPY_EVERY, Turn
from tests.support.cases import for_each
from tests.support.tables import MS, SECOND, Sitting, feed_of

SEED = bytes([3] * 32)


class Late:
    """A table, and beside it what is shown of it, some events later; ``told`` applies each as it is told."""

    def __init__(self, game: str) -> None:
        self.sitting = Sitting.playing(2, SEED, game=game, auto_first_turn=False)
        self.published = feed_of(self.sitting.table, lambda: self.sitting.now)
        self.told = self.sitting.table.view.copy()
        self._waiting: deque[Turn] = deque()

    def judge(self, events: list[ev.Event]) -> None:
        """Let the judge be some events ahead."""
        if events:
            self._waiting += self.published.judged([EncodedEvent(event, 0) for event in events])

    def tell(self, most: int) -> None:
        """Tell what was judged, but no more than so much of it."""
        for _ in range(min(most, len(self._waiting))):
            turn = self._waiting.popleft()
            self.published.append(turn)
            for each in turn.events:
                self.told.apply(each.event)

    def play_by_chance(self, rng: random.Random, plays: int) -> None:
        """Play; tell some of it late, and look at it now and then."""
        sitting = self.sitting
        for number in range(plays):
            seat = rng.randrange(2)
            legal = list(sitting.rules.legal_plays(sitting.board, seat))
            if not legal or not sitting.table.view.in_hand:
                break
            play = rng.choice(legal)
            self.judge(sitting.play(seat, play.source, play.destination, play.count))
            if number % 50 == 0:
                self.judge(sitting.events(1 - seat, Stuck))
            sitting.now += 20 * MS
            self.tell(rng.randrange(4))
            if rng.random() < 0.01:
                assert self.shown() == self.told.snapshot_for(None, 0)

    def shown(self) -> object:
        """Return all of what is shown."""
        return self.published.view.snapshot_for(None, 0)


@for_each("game", ["racing-demon", "fourteen"], ids=["one-table", "each-alone"])
def test_what_is_shown_is_what_was_told(game: str) -> None:
    """However far the judge is ahead, everybody sees the table as it is after the last event told."""
    late = Late(game)
    late.play_by_chance(random.Random(5), 600)
    assert late.shown() == late.told.snapshot_for(None, 0)
    late.tell(1_000)
    assert late.shown() == late.sitting.table.view.snapshot_for(None, 0)


def test_the_judge_s_view_is_copied_seldom_for_plays_and_at_once_for_anything_else() -> None:
    """Plays wait to be applied one by one until there are too many, also where a turn brings several."""
    published = Late("racing-demon").published
    play = EncodedEvent(ev.Played(seq=1, seat=0, counter=1, source=0, count=1, destination=1, shown=()), 0)
    turns = (
        [play] * (COPY_EVERY - 1),
        [play],
        [play],
        [EncodedEvent(ev.Signalled(seq=2), 0)],
        [play],
    )
    copied = [published.judged(events)[-1].copy is not None for events in turns]
    assert copied == [False, True, False, True, False]


def test_seats_are_known_without_looking_at_the_cards() -> None:
    """Who sits where is right although plays wait to be followed."""
    late = Late("racing-demon")
    play = late.sitting.plays(0)[0]
    late.judge(late.sitting.play(0, play.source, play.destination, play.count))
    late.judge(late.sitting.connect(1, connected=True))
    late.tell(2)
    assert late.published.settled.seats == late.told.seats
    assert late.published.settled.seats[1].connected


def test_the_time_is_that_of_what_is_shown() -> None:
    """A pause that is not told yet, and a hand that is not shown yet, leave the time as it was."""
    late = Late("racing-demon")
    sitting, shown = late.sitting, late.published
    sitting.wait(10 * SECOND)
    late.judge(sitting.events(0, Pause, paused=True))
    sitting.wait(5 * SECOND)
    late.judge(sitting.events(0, Pause, paused=False))
    assert shown.hand_clock.elapsed_ms(sitting.now) == 15_000
    late.tell(1)
    assert (shown.view.paused, shown.hand_clock.elapsed_ms(sitting.now)) == (True, 10_000)
    late.tell(1)
    assert (shown.view.paused, shown.hand_clock.elapsed_ms(sitting.now)) == (False, 10_000)
    late.judge(sitting.events(0, Stuck))
    late.judge(sitting.events(1, Stuck))
    late.judge(sitting.wait(sitting.options.tally_ms * MS))
    assert sitting.table.view.hand_number == 2
    late.tell(2)
    assert shown.view.hand_number == 1
    assert 10_000 + sitting.options.tally_ms == shown.hand_clock.elapsed_ms(sitting.now)
    late.tell(1)
    assert -sitting.options.countdown_ms == shown.hand_clock.elapsed_ms(sitting.now)


def test_the_end_of_a_hand_is_seen_before_the_next_begins() -> None:
    """Where both happen in one turn, whoever tells others of the hand finds its table."""
    late = Late("racing-demon")
    sitting, seen = late.sitting, []
    events = [*sitting.events(0, Stuck), *sitting.events(1, Stuck)]
    events += sitting.wait(sitting.options.tally_ms * MS)
    for turn in late.published.judged([EncodedEvent(event, 0) for event in events]):
        late.published.append(turn)
        settled = late.published.settled
        seen.append((settled.hand_number, settled.phase))
    assert seen == [(1, Phase.TALLY), (2, Phase.COUNTDOWN)]
