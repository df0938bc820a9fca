"""Bots see the board only, play by its rules, and the better ones earn more."""

import random
from collections.abc import Iterator
from functools import partial
from itertools import islice
from statistics import mean, median

import pytest
from benchmarks.bots import RACES

from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.enums import BotLevel, Phase
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.client import Call, Command, PlayCards, Stuck
from racing_demon_protocol.wire.options import Options
from racing_demon_server.bots.bot import Bot
from racing_demon_server.bots.levels import LEVELS, STEPS
from racing_demon_server.bots.scheduler import SLICE_UNITS
from tests.support.bot_matches import play_match
from tests.support.calls import calls_of
from tests.support.cases import for_each
from tests.support.effort import amount, more_when_long, usually
from tests.support.tables import Own, Sitting
from tests.support.typical import of_games

NOTHING = Own(["9D"])
HEAVIEST = sorted(RACES, key=["racing-demon", "fifteen-in-a-row"].count, reverse=True)
"""All races, those first whose bots think longest."""
MAX_CALLS = 12_000
"""Calls of functions in one slice. Fifteen in a Row has most, in 1.1 ms; other games have a third of it."""


def _bot(level: str = "hard", seed: int = 0) -> Bot:
    return Bot(0, LEVELS[level], random.Random(seed))


def _decides(sitting: Sitting, level: str = "hard", seed: int = 0) -> Command | None:
    return _bot(level, seed).observe(sitting.table.view).finish()[0]


def _hand(own: Own, other: Own = NOTHING, *, foundation: tuple[str, ...] = (), **options: object) -> Sitting:
    sitting = Sitting.lobby(2, **options)
    sitting.start()
    sitting.lay(foundation, own, other)
    return sitting


def _play(sitting: Sitting, play: Play, counter: int = 1) -> PlayCards:
    source, count, destination, _ = play
    return PlayCards(counter=counter, source=source, count=count, destination=destination, seen=sitting.seq)


def _step(sitting: Sitting, bot: Bot) -> Command:
    """Let the bot do what it wants to."""
    command, _ = bot.observe(sitting.table.view).finish()
    assert command is not None
    sitting.give(bot.seat, command.model_copy(update={"counter": sitting.counter(bot.seat) + 1}))
    return command


def _turns_until_stuck(sitting: Sitting, bot: Bot) -> int:
    turns = 0
    while isinstance(_step(sitting, bot), PlayCards):
        turns += 1
    return turns


# When to do nothing.


def test_a_bot_waits_for_the_signal() -> None:
    """Before the signal a bot sends nothing, and looks up again after a while."""
    command, wait_ms = _bot().observe(Sitting.lobby(2).table.view).finish()
    assert command is None
    assert wait_ms > 0


def test_a_bot_without_cards_waits() -> None:
    """A bot that came late sends nothing before its first deal."""
    sitting = Sitting.playing(2)
    sitting.join("Joy")
    assert Bot(2, LEVELS["hard"], random.Random(0)).observe(sitting.table.view).finish()[0] is None


def test_a_bot_that_said_stuck_waits() -> None:
    """Having said so once, a bot waits for somebody's play."""
    sitting = _hand(Own(["9D"]))
    sitting.events(0, Stuck)
    assert _decides(sitting) is None


# What to play.


def test_a_card_to_the_foundations_comes_first() -> None:
    """Before any move on its own layout a bot plays to the middle."""
    sitting = _hand(Own(["AS", "2h 8S", "9H"]))
    assert _play(sitting, Play(sitting.column(0), 1, 0)) == _decides(sitting)


def test_the_reserve_comes_before_the_rest() -> None:
    """Of two cards for the middle a bot plays the reserve's, which has to go."""
    sitting = _hand(Own(["AS"], reserve="2h AH"), game="classic")
    play = _play(sitting, Play(sitting.reserve(0), 1, 0))
    assert all(play == _decides(sitting, seed=seed) for seed in range(20))


def test_the_deepest_column_is_dug_out_first() -> None:
    """Of two columns to uncover a bot takes the one with more cards face down."""
    sitting = _hand(Own(["2h 8S", "2d 3d 8C", "9H"]))
    assert _play(sitting, Play(sitting.column(0, 1), 1, sitting.column(0, 2))) == _decides(sitting)


def test_a_bot_turns_when_it_has_no_play() -> None:
    """With nothing to play a bot turns its stock."""
    sitting = _hand(Own(["9D"], stock="5D 7D 8D JD"))
    assert _play(sitting, Play(sitting.stock(0), 3, sitting.waste(0))) == _decides(sitting)


def test_a_bot_without_a_stock_waits_whether_others_go_on() -> None:
    """With nothing to play and nothing to turn a bot looks up a few times, and says then that it is stuck."""
    sitting, bot = _hand(Own(["9D"])), _bot()
    decisions = [bot.observe(sitting.table.view).finish()[0] for _ in range(8)]
    assert decisions[:7] == [None] * 7
    assert Stuck(counter=1, seen=sitting.seq) == decisions[7]


def test_a_bot_is_not_stuck_while_others_come_further() -> None:
    """As long as somebody's play brings the hand forward in every pass, a bot goes on looking."""
    sitting, bot = _hand(Own(["9D"], stock="5D 7D 8D"), other=Own(["3S 2S AS", "TS", "9H"])), _bot()
    for _ in range(3):
        for _ in range(6):
            assert isinstance(_step(sitting, bot), PlayCards)
        sitting.play(1, sitting.column(1))
    assert _turns_until_stuck(sitting, bot) > 8


def test_a_bot_that_has_seen_all_its_cards_is_stuck() -> None:
    """Having turned through three passes for nothing, a bot says so."""
    sitting = _hand(Own(["9D"], stock="5D 7D 8D JD QD TD"), call_out="auto")
    assert _turns_until_stuck(sitting, _bot()) == 13


def test_a_stuck_bot_looks_again_when_others_have_got_further() -> None:
    """Its word stands while others' plays open nothing, but after each it turns its stock again."""
    sitting, bot = _hand(Own(["9D"], stock="5D 7D 8D"), other=Own(["3S 2S AS", "TS", "9H"])), _bot()
    _turns_until_stuck(sitting, bot)
    assert bot.observe(sitting.table.view).finish()[0] is None
    sitting.play(1, sitting.column(1))
    assert sitting.table.view.seats[0].stuck
    for _ in range(6):
        assert isinstance(_step(sitting, bot), PlayCards)


@for_each("level", BotLevel)
def test_a_bot_looks_closely_before_it_is_stuck(level: BotLevel) -> None:
    """Before it says so, a bot of any level finds a move that bares a card for the middle."""
    sitting, bot = _hand(Own(["2D 8S", "9H"], stock="5D 7D JD"), foundation=("AD",)), _bot(level)
    _turns_until_stuck(sitting, bot)
    assert len(sitting.board.cards[0]) == 2


def test_a_bot_that_has_made_a_play_looks_through_its_cards_again() -> None:
    """After a play other cards may fit, so a bot is not stuck before it has seen all of them again."""
    sitting = _hand(Own(["9D", "9H 2S"], stock="5D 7D 8D JD QD TD"), other=Own(["AS", "9C"]))
    patient, bot = _turns_until_stuck(sitting.fork(), _bot()), _bot()
    for _ in range(patient - 1):
        _step(sitting, bot)
    sitting.play(1, sitting.column(1))
    assert _play(sitting, Play(sitting.column(0, 1), 1, 0), patient) == _step(sitting, bot)
    assert patient == _turns_until_stuck(sitting, bot)


def test_a_bot_begins_every_hand_afresh() -> None:
    """What was tried in one hand does not tire a bot in the next."""
    sitting, bot = _hand(Own(["9D"], stock="5D 7D 8D")), _bot()
    _turns_until_stuck(sitting, bot)
    sitting.events(1, Stuck)
    sitting.start()
    sitting.lay([], Own(["9D"], stock="5D 7D 8D"), NOTHING)
    assert isinstance(_step(sitting, bot), PlayCards)


def test_a_neutral_move_that_leads_to_nothing_is_not_made() -> None:
    """A bot does not move a card to and fro between two parents."""
    sitting, bot = _hand(Own(["9D 8S", "9H"], stock="5D 7D JD")), _bot()
    piles = {sitting.stock(0), sitting.waste(0)}
    while isinstance(command := _step(sitting, bot), PlayCards):
        assert command.source in piles


@for_each(
    ("level", "sees"),
    [("expert", True), ("hard", True), ("medium", False), ("easy", False), ("beginner", False)],
)
def test_only_the_best_look_ahead(level: str, sees: bool) -> None:
    """A neutral move that bares a card for the middle is found at once by the best levels only."""
    sitting = _hand(Own(["2D 8S", "9H"], stock="5D 7D JD"), foundation=("AD",))
    command = _decides(sitting, level)
    assert sees == (command == _play(sitting, Play(sitting.column(0), 1, sitting.column(0, 1))))


def test_a_bot_that_is_out_calls() -> None:
    """Where the shout is wanted, a bot without cards gives it."""
    sitting = _hand(Own(["2S"]), foundation=("AS",), call_out="shout")
    sitting.play(0, sitting.column(0))
    assert Call(counter=1, seen=sitting.seq) == _decides(sitting)


def test_commands_are_counted() -> None:
    """Each command has the next counter."""
    sitting, bot = _hand(Own(["9D"], stock="5D 7D 8D")), _bot()
    commands = [bot.observe(sitting.table.view).finish()[0] for _ in range(3)]
    assert [command.counter for command in commands if command is not None] == [1, 2, 3]


# What a bot knows.


def test_a_bot_needs_the_view_only() -> None:
    """From what a spectator gets a bot decides the same as at the table."""
    sitting = Sitting.playing(2)
    for _ in range(4):
        sitting.turn(0)
        watched = TableState.from_snapshot(sitting.table.view.snapshot(0))
        for level in LEVELS:
            assert _bot(level).observe(sitting.table.view).finish() == _bot(level).observe(watched).finish()


def test_hidden_cards_do_not_matter() -> None:
    """Two tables that look the same lead to the same decisions, whatever lies face down."""
    one = _hand(Own(["2h 3h 8S", "5c 9H"], stock="5D 7D 8D"))
    other = _hand(Own(["as 2s 8S", "kc 9H"], stock="AD 2D 3D"))
    assert one.board == other.board
    assert one.hidden() != other.hidden()
    for level in LEVELS:
        assert [_bot(level, n).observe(one.table.view).finish() for n in range(20)] == [
            _bot(level, n).observe(other.table.view).finish() for n in range(20)
        ]


def test_the_same_chance_makes_the_same_bot() -> None:
    """A bot's decisions and times follow from its chance and what it sees."""
    sitting = Sitting.playing(2)
    one, other = (_bot("easy", seed=5) for _ in range(2))
    for _ in range(10):
        decision = one.observe(sitting.table.view).finish()
        assert decision == other.observe(sitting.table.view).finish()


# Thinking in slices.


def _tables(game: str) -> Iterator[Sitting]:
    """Yield a table on which bots play a hand of a game in all its seats."""
    seats = GAMES[game].max_seats
    sitting = Sitting.lobby(seats, game=game)
    sitting.start()
    bots = [Bot(seat, LEVELS["expert"], random.Random(seat), sitting.counter(seat)) for seat in range(seats)]
    for number in range(200):
        yield sitting
        bot = bots[number % seats]
        command, _ = bot.observe(sitting.table.view).finish()
        if command is not None:
            sitting.give(bot.seat, command)
        if sitting.table.view.phase is not Phase.PLAYING:
            return


@more_when_long
@for_each("game", usually(1, HEAVIEST))
def test_no_slice_of_a_thought_does_much(game: str) -> None:
    """In every game, with all its seats, a slice is thousands of calls of functions at the most."""
    for sitting in islice(_tables(game), 0, None, amount(25, 5)):
        for level in LEVELS.values():
            thought = Bot(0, level, random.Random(0)).observe(sitting.table.view)
            while thought.result is None:
                assert calls_of(partial(thought.advance, SLICE_UNITS)) < MAX_CALLS


@pytest.mark.long
@more_when_long
@for_each("game", usually(2, HEAVIEST))
def test_slices_do_not_change_a_decision(game: str) -> None:
    """Cut anywhere, a thought comes to the same decision, and is the same work."""
    rng, longest = random.Random(game), 0
    for sitting in islice(_tables(game), 0, None, amount(25, 5)):
        whole, cut = (_bot("expert", 5).observe(sitting.table.view) for _ in range(2))
        whole.finish()
        while cut.result is None:
            cut.advance(rng.randrange(1, 10))
        assert (whole.result, whole.units) == (cut.result, cut.units)
        longest = max(longest, cut.units)
    assert longest > 0


def test_a_thought_is_about_what_was_seen_when_it_began() -> None:
    """A bot does not notice what changes while it thinks; its play says up to where it had seen."""
    sitting, bot = _hand(Own(["AS", "9D"], stock="5D 7D 8D"), Own(["3S", "9H 8C", "9C"])), _bot()
    alone, seen = _bot().observe(sitting.table.view).finish(), sitting.seq
    thought = bot.observe(sitting.table.view)
    assert thought.advance(1) is None
    sitting.turn(0)
    assert alone == thought.finish()
    assert isinstance(alone[0], PlayCards)
    assert seen == alone[0].seen < sitting.seq


# How well they play.


@more_when_long
@of_games(name for name, game in GAMES.items() if game.max_seats > 1)
def test_no_play_of_a_bot_is_refused(game: str) -> None:
    """Whatever a game allows, bots that see the newest table make legal plays only, down to covered cards."""
    sitting = Sitting.lobby(2, game=game)
    sitting.start()
    levels = LEVELS["hard"], LEVELS["expert"]
    bots = [Bot(seat, level, random.Random(seat), sitting.counter(seat)) for seat, level in enumerate(levels)]
    for _ in range(amount(10, 100)):
        for bot in bots:
            command, _ = bot.observe(sitting.table.view).finish()
            if isinstance(command, PlayCards):
                assert sitting.give(bot.seat, command).reply is None


def test_weaker_bots_overlook_plays() -> None:
    """The best level sees every play; the weaker miss some, the weakest most."""
    sitting = _hand(Own(["AS", "9D"], stock="5D 7D 8D"))
    plays = _play(sitting, Play(sitting.column(0), 1, 0))
    seen = {level: sum(_decides(sitting, level, seed) == plays for seed in range(100)) for level in LEVELS}
    assert (
        100
        == seen[BotLevel.EXPERT]
        == seen[BotLevel.HARD]
        > seen[BotLevel.MEDIUM]
        > seen[BotLevel.EASY]
        > seen[BotLevel.BEGINNER]
        > 30
    )


def test_times_are_those_of_the_level() -> None:
    """The median time for a useful play is about what the level says, and differs from play to play."""
    view = _hand(Own(["AS", "9D"])).table.view
    assert view.board is not None
    for level in STEPS.values():
        bot = Bot(0, level, random.Random(1))
        decisions = [bot.observe(view).finish() for _ in range(501)]
        waits = [
            wait
            for command, wait in decisions
            if isinstance(command, PlayCards) and view.board.piles[command.source].kind is not Kind.STOCK
        ]
        assert abs(median(waits) / level.play_ms - 1) < 0.2
        assert min(waits) >= level.least_ms
        assert len(set(waits)) > 100


@pytest.mark.long
def test_each_level_beats_the_one_below() -> None:
    """Over hands in which the levels take turns at the seats, the better clearly earn more."""
    levels = [BotLevel.EASY, BotLevel.EASY, BotLevel.MEDIUM, BotLevel.HARD]
    earned: dict[str, list[int]] = {level: [] for level in levels}
    for number in range(24):
        shift = number % len(levels)
        seated = levels[shift:] + levels[:shift]
        options = Options(hands=1, countdown_ms=0, tally_ms=0)
        table, _, _ = play_match(subseed(b"levels", f"match/{number}"), seated, options)
        for level, points in zip(seated, table.view.results[0].points, strict=True):
            earned[level].append(points)
    easy, medium, hard = (mean(earned[level]) for level in levels[1:])
    assert medium > easy + 4
    assert hard > medium + 4
