"""Hands of identical deals: each plays alone, and of the others only their progress is told."""

import random
from collections.abc import Iterator, Sequence

from racing_demon_protocol.engine.board import FOUNDATIONS, Play
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.engine.specification import Deals, Racing
from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import IDENTICAL_LIMIT_MS, TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_server.match.hand import SLICE_GAP_US
from tests.support.cases import for_each
from tests.support.effort import amount, more_when_long
from tests.support.invariants import status
from tests.support.tables import NAMES, SECOND, Sitting, of_type
from tests.support.typical import of_games

PRIVATE = sorted(name for name, game in GAMES.items() if game.deals is Deals.IDENTICAL)
SOME = (
    *("demon-b", "paternal", "grandfathers", "sultan", "st-helena", "flower-garden", "napoleon", "bethel"),
    *("fourteen", "picture-gallery", "little-lots", "double-jump", "push-pin"),
    *("wandering-card", "weavers", "gamblers", "beleaguered-castle"),
)
"""Building games with cells, fans and free piles, sums, ranks, rows, travelling, merging."""
SEED = bytes(range(32))


def racing(game: str, players: int = 3, **options: object) -> Sitting:
    """Return a table at the signal of a private hand."""
    return Sitting.playing(players, SEED, game=game, countdown_ms=0, **options)


def whispered(events: Sequence[ev.Event]) -> Iterator[ev.Event]:
    """Yield the plays that are told to their player alone."""
    return (event for event in events if isinstance(event, ev.Played))


def heard_by(seat: int | None, log: Sequence[ev.Event]) -> list[ev.Event]:
    """Return what a seat is told of a log; ``None`` for everybody without one."""
    return [event for event in log if not isinstance(event, ev.Played) or event.seat == seat]


def play_on(sitting: Sitting, seats: Sequence[int], plays: int, rng: random.Random) -> None:
    """Let seats make random legal plays in turns, while there are any and the hand goes on."""
    for number in range(plays):
        seat = seats[number % len(seats)]
        legal = sitting.plays(seat)
        if sitting.table.view.phase is not Phase.PLAYING:
            return
        if legal:
            give(sitting, seat, rng.choice(legal))
        sitting.wait(SECOND // 10)


def give(sitting: Sitting, seat: int, play: Play) -> list[ev.Event]:
    """Make a play that is accepted."""
    fields = {"source": play.source, "count": play.count, "destination": play.destination}
    return sitting.events(seat, cl.PlayCards, seen=sitting.seq, depth=play.depth, **fields)


@of_games(PRIVATE)
def test_each_layout_is_known_to_its_player_alone(game: str) -> None:
    """Every mirror is sound; a player's has their layout as the judge has it, and the others' as dealt."""
    sitting = racing(game)
    dealt = sitting.rules.deal()
    (shown,) = of_type(ev.Dealt, sitting.log)
    dealt.reveal(dealt.all_unnamed(), shown.shown)
    play_on(sitting, [0, 1, 2], 24, random.Random(game))
    for seat in (0, 2, None):
        view = _folded(sitting, seat)
        assert view.hand is not None
        assert status(view.hand.rules, view.hand.board) == []
        for pile in view.hand.board.piles:
            known = sitting.board.cards if pile.seat == seat else dealt.cards
            assert view.hand.board.cards[pile.number] == known[pile.number]
        judged = sitting.table.view.hand
        assert judged is not None
        assert view.hand.progress == judged.progress
        assert view.snapshot(7) == sitting.table.view.snapshot_for(seat, 7)
        assert TableState.from_snapshot(view.snapshot(7)).snapshot(7) == view.snapshot(7)


def _folded(sitting: Sitting, seat: int | None) -> TableState:
    view = TableState("TEST", sitting.options)
    for event in heard_by(seat, sitting.log):
        view.apply(event)
    return view


@of_games(SOME)
def test_a_refusal_shows_no_card_of_anothers_layout(game: str) -> None:
    """Whoever aims at another's pile, with a seat in the hand or without, is told that, and no card."""
    sitting = racing(game, 2)
    late = sitting.join("Late")
    play_on(sitting, [0], 6, random.Random(game))
    own = sitting.board.piles[-1].number
    for pile in [pile.number for pile in sitting.board.piles if pile.seat == 0]:
        for seat, reason in ((1, Reason.NOT_YOUR_PILE), (late, Reason.NOT_SEATED)):
            aimed = {"source": own, "count": 1, "destination": pile, "seen": sitting.seq}
            refused = sitting.send(seat, cl.PlayCards, **aimed).reply
            assert isinstance(refused, Refused)
            assert (reason, pile, UNKNOWN) == (refused.reason, refused.pile, refused.top)


@more_when_long
@of_games(SOME)
def test_nobody_is_beaten_in_a_race_of_identical_deals(game: str) -> None:
    """A card that comes too late for another's foundation was never meant for it: no rival is named."""
    sitting = racing(game, 2)
    dealt, rng = sitting.seq, random.Random(game)
    for _ in range(amount(4, 30)):
        play_on(sitting, [0], 2, rng)
        if sitting.table.view.phase is not Phase.PLAYING:
            break
        for pile in [pile.number for pile in sitting.board.piles if pile.seat == 1]:
            if not sitting.rules.can_play(sitting.board, 1, Play(pile, 1, FOUNDATIONS)):
                sitting.wait(SECOND // 5)  # who misses faster is asked to wait
                if sitting.table.view.phase is not Phase.PLAYING:
                    return  # nobody could play any more
                refused = sitting.miss(1, pile, seen=dealt)
                assert (refused.by, refused.late_us, refused.reason) == (None, 0, Reason.ILLEGAL)


@for_each("plays", [0, 1])
def test_when_a_seat_is_found_stuck_tells_nothing_of_the_others(plays: int) -> None:
    """Half a second after its own last play, whether or not another seat has played just before."""
    sitting = racing("number-eleven", 2)
    ahead, last = sitting.fork(), list[Play]()
    while legal := ahead.plays(1):
        last.append(legal[0])
        give(ahead, 1, legal[0])
    for play in last[:-1]:
        give(sitting, 1, play)
    sitting.wait(2 * SECOND)
    for play in sitting.plays(0)[:plays]:
        give(sitting, 0, play)
    sitting.wait(SECOND // 5)
    give(sitting, 1, last[-1])
    assert not of_type(ev.StuckSaid, sitting.wait(SECOND // 2 - 1))
    assert [said.seat for said in of_type(ev.StuckSaid, sitting.wait(2 * SLICE_GAP_US))] == [1]


def test_whoever_takes_a_seat_over_sees_the_deal_alone() -> None:
    """What the one before made of the layout is not shown, though it is the same seat."""
    sitting = racing("flower-garden", 2, hands=1)
    play_on(sitting, [0, 1], 20, random.Random(1))
    sitting.wait(IDENTICAL_LIMIT_MS * SECOND // 1_000)
    sitting.events(1, cl.Leave)
    before = sitting.table.view.snapshot_for(None, 0).piles
    assert before != sitting.table.view.snapshot_for(1, 0).piles
    assert sitting.join("New") == 1
    assert before == sitting.table.view.snapshot_for(1, 0).piles


def test_who_wins_first_ends_the_hand() -> None:
    """The seat that is out wins at once, with the bonus; the others have the points of their progress."""
    sitting = Sitting.playing(2, SEED, game="solitaire", countdown_ms=0)
    for _ in range(400):
        legal = [play for play in sitting.plays(1) if play.source != play.destination]
        if not legal or sitting.table.view.phase is not Phase.PLAYING:
            break
        give(sitting, 1, legal[0])
    assert sitting.table.view.hand is not None
    reached = sitting.table.view.hand.progress
    sitting.wait(IDENTICAL_LIMIT_MS * 1_000)
    over = of_type(ev.HandOver, sitting.log)[0]
    bonus = sitting.rules.game.scoring.out_bonus
    assert over.points == tuple(reached[s].reached + bonus * (s == over.out) for s in (0, 1))


def test_a_hand_ends_when_its_time_is_up() -> None:
    """Ten minutes, without an option; whoever came further, or as far and earlier, is ahead."""
    sitting = racing("flower-garden", 2)
    sitting.wait(IDENTICAL_LIMIT_MS * 1_000 - 1)
    assert sitting.table.view.phase is Phase.PLAYING
    sitting.wait(1)
    (over,) = of_type(ev.HandOver, sitting.log)
    assert (over.reason, over.elapsed_ms, over.out) == (EndReason.TIME_UP, IDENTICAL_LIMIT_MS, None)


def test_a_time_limit_holds_for_shared_foundations_too() -> None:
    """There is none by default; with the option the hand ends by the second, and pauses do not count."""
    sitting = Sitting.playing(2, countdown_ms=0, time_limit_ms=60_000)
    sitting.wait(30 * SECOND)
    sitting.events(0, cl.Pause, paused=True)
    sitting.wait(100 * SECOND)
    sitting.events(0, cl.Pause, paused=False)
    sitting.wait(30 * SECOND - 1)
    assert sitting.table.view.phase is Phase.PLAYING
    sitting.wait(1)
    assert [over.reason for over in of_type(ev.HandOver, sitting.log)] == [EndReason.TIME_UP]
    assert Sitting.playing(2).table.view.time_limit_ms is None


def test_whoever_cannot_go_on_waits_for_the_others() -> None:
    """The server says of each seat alone that it is stuck; when all are, the hand ends."""
    sitting = racing("clock", 2, time_limit_ms=86_400_000)
    _play_to_the_end(sitting, 0)
    sitting.wait(2 * SECOND)
    assert sitting.table.view.in_hand
    assert [said.seat for said in of_type(ev.StuckSaid, sitting.log)] == [0]
    _play_to_the_end(sitting, 1)
    sitting.wait(2 * SECOND)
    assert [over.reason for over in of_type(ev.HandOver, sitting.log)] == [EndReason.STUCK]
    assert sitting.table.view.phase is Phase.TALLY
    hand = sitting.table.view.hand
    assert hand is not None
    first, second = hand.progress.values()
    assert first.reached == second.reached
    assert scoring.race_order(hand) == [0, 1]


def _play_to_the_end(sitting: Sitting, seat: int) -> None:
    while sitting.table.view.phase is Phase.PLAYING and (legal := sitting.plays(seat)):
        give(sitting, seat, legal[0])


@of_games(SOME)
def test_records_of_everybody_are_proved(game: str) -> None:
    """The judge's record proves all layouts, a player's their own, a spectator's none but all points."""
    sitting = racing(game, hands=1)
    play_on(sitting, [0, 1, 2], 60, random.Random(game))
    sitting.wait(IDENTICAL_LIMIT_MS * 1_000)
    assert sitting.table.view.phase is not Phase.PLAYING
    played = {event.seat for event in sitting.log if isinstance(event, ev.Played)}
    for seat, unseen in ((None, 3), (1, 3 - (1 in played))):
        log = heard_by(seat, sitting.log)
        verdict = verify([TableState("TEST", sitting.options).snapshot(0), *log])
        assert (verdict.hands, verdict.unseen) == (1, unseen)
    assert verify([TableState("TEST", sitting.options).snapshot(0), *sitting.log]).unseen == 3 - len(played)


def test_games_for_one_and_for_two_together() -> None:
    """A trick seats one player; Sympathy begins with two, and more cannot come."""
    assert {Racing.SOLO, Racing.TOGETHER} <= {game.racing for game in GAMES.values()}
    one = Sitting.lobby(1, game="a-spell", countdown_ms=0)
    assert one.refused(0, cl.AddBot, level="easy").reason is Reason.TABLE_FULL
    two = Sitting.lobby(1, game="sympathy", countdown_ms=0)
    assert two.refused(0, cl.Start).reason is Reason.NOT_NOW
    two.join("Ben")
    assert two.refused(0, cl.AddBot, level="easy").reason is Reason.TABLE_FULL
    two.start()
    assert not two.table.view.is_private
    three = Sitting.lobby(3)
    refused = three.refused(0, cl.SetOptions, options=three.options.model_copy(update={"game": "sympathy"}))
    assert (refused.reason, refused.text) == (
        Reason.BAD_OPTION,
        "Sympathy is for two together, and more seats than that are taken.",
    )


def test_a_match_for_two_together_ends_when_one_of_them_leaves() -> None:
    """Nobody can take the place in mid-match, so it is over after the hand; then another partner may come."""
    two = Sitting.playing(2, game="sympathy", hands=3)
    two.events(1, cl.Leave)
    two.events(0, cl.Stuck)
    assert two.table.view.phase is Phase.OVER
    assert two.join("Cat") == 1
    assert {1: NAMES[1]} == two.table.view.departed
    assert of_type(ev.Dealt, two.start())


def test_a_hand_ends_when_all_are_stuck_and_not_when_the_table_is_woken() -> None:
    """Its length does not depend on when somebody looks: the last seat is found stuck at its own time."""
    sitting = racing("clock", 2, time_limit_ms=86_400_000)
    for seat in (0, 1):
        _play_to_the_end(sitting, seat)
    late = sitting.fork()
    sitting.wait(SECOND)
    late.wait(60 * SECOND)
    (over,), (late_over,) = (of_type(ev.HandOver, each.log) for each in (sitting, late))
    assert over == late_over
