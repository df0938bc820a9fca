"""Whole matches of bots in virtual time: always the same, and always sound."""

from functools import cache

import pytest
from benchmarks.bots import main

from racing_demon_protocol.engine.deal import hand_seeds
from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import encode
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.client import AddBot, Start
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import PRESETS
from racing_demon_server.match.table import Table
from tests.support.boards import RACES
from tests.support.bot_matches import Arrived, pass_time, play_match
from tests.support.cases import for_each
from tests.support.effort import usually
from tests.support.invariants import status
from tests.support.tables import of_type

SEED = bytes(range(32))
LEVELS = ("hard", "medium", "hard", "easy", "hard", "medium", "hard", "hard")
TWO_HANDS = Options(hands=2, countdown_ms=1_000, tally_ms=5_000)
USUAL = {
    ("racing-demon", 2),
    ("racing-demon", 7),
    ("classic", 3),
    ("demon-a", 1),
    ("demon-b", 4),
    ("fooliana", 2),
}
"""Games with so many bots that stand for the others: in one of them somebody goes out."""
MATCHES = [
    pytest.param(game, bots, marks=() if (game, bots) in USUAL else pytest.mark.long)
    for game in RACES
    for bots in range(1, 9)
]


@cache
def _match(game: str, bots: int) -> tuple[Table, list[ev.Event], list[Arrived]]:
    return play_match(SEED, LEVELS[:bots], Options(game=game, hands=1, countdown_ms=0))


@cache
def _two_hands() -> tuple[Table, list[ev.Event], list[Arrived]]:
    return play_match(SEED, LEVELS[:2], TWO_HANDS)


def _bytes(log: list[ev.Event]) -> bytes:
    frames = [encode(event) for event in log]
    return b"".join(frame for frame in frames if isinstance(frame, bytes))


def _replay(seed: bytes, options: Options, arrived: list[Arrived]) -> tuple[list[ev.Event], list[Arrived]]:
    """Feed commands to a fresh table; return its log, and the commands that were carried out."""
    table = Table("SIM", options, hand_seeds(seed))
    table.seat_tokens.add(None, b"host")
    log: list[ev.Event] = []
    accepted = []
    for at, actor, command in arrived:
        log += pass_time(table, at)
        answer = table.handle_command(actor, command, at)
        log += answer.events
        if not isinstance(answer.reply, Refused):
            accepted.append((at, actor, command))
    log += pass_time(table, arrived[-1][0] + 1_000_000)
    return log, accepted


# Presets.


@for_each("name", usually(1, sorted(PRESETS, key="family".__ne__)))
def test_every_preset_is_played_to_its_end(name: str) -> None:
    """Four bots play a match of a preset; its events keep the rules, and it ends as the options say."""
    options = PRESETS[name].options.model_copy(update={"countdown_ms": 0, "tally_ms": 0})
    table, log, _ = play_match(SEED, LEVELS[:4], options)
    [over] = of_type(ev.MatchOver, log)
    assert over.winners
    assert table.view.phase is Phase.OVER
    hands = of_type(ev.HandOver, log)
    assert len(hands) == options.hands or (options.target is not None and len(hands) < options.hands)


# Always the same.


@pytest.mark.long
def test_the_same_seed_makes_the_same_match() -> None:
    """Played twice, a match has the same log, byte for byte; other cards make another one."""
    _, log, arrived = _two_hands()
    _, again, arrived_again = play_match(SEED, LEVELS[:2], TWO_HANDS)
    assert _bytes(log) == _bytes(again)
    assert arrived == arrived_again
    _, other, _ = play_match(bytes(32), LEVELS[:2], TWO_HANDS)
    assert _bytes(log) != _bytes(other)


def test_the_commands_make_the_match() -> None:
    """The commands with their times, given to a fresh table of the same cards, lead to the same log."""
    _, log, arrived = _two_hands()
    assert _bytes(log) == _bytes(_replay(SEED, TWO_HANDS, arrived)[0])
    assert _bytes(log) != _bytes(_replay(bytes(32), TWO_HANDS, arrived)[0])


def test_refused_commands_leave_no_trace() -> None:
    """Without those that were refused the commands lead to the same log."""
    _, log, arrived = play_match(SEED, LEVELS, Options(game="classic", hands=2))
    options = Options(game="classic", hands=2)
    accepted = _replay(SEED, options, arrived)[1]
    assert len(accepted) < len(arrived)
    assert _bytes(log) == _bytes(_replay(SEED, options, accepted)[0])


def test_the_log_makes_the_view() -> None:
    """A view that gets the log alone is the table's."""
    table, log, _ = _two_hands()
    mirror = TableState("SIM", TWO_HANDS)
    for event in log:
        mirror.apply(event)
    assert table.view.snapshot(0) == mirror.snapshot(0)


def test_a_seat_s_match_does_not_depend_on_when_the_table_is_woken() -> None:
    """Further ticks in between change nothing: what is due has its own time."""
    _, log, arrived = _two_hands()
    table = Table("SIM", TWO_HANDS, hand_seeds(SEED))
    table.seat_tokens.add(None, b"host")
    woken: list[ev.Event] = []
    now = 0
    for at, actor, command in arrived:
        while now + 300_000 < at:
            now += 300_000
            woken += pass_time(table, now) + table.run_until(now)
        woken += pass_time(table, at)
        woken += table.handle_command(actor, command, at).events
    assert _bytes(log) == _bytes(woken + pass_time(table, now + 10_000_000))


# Always sound.


@for_each(("game", "bots"), MATCHES)
def test_a_match_is_sound(game: str, bots: int) -> None:
    """The log has no gaps, the board keeps all invariants, and an auditor finds nothing wrong."""
    table, log, _ = _match(game, bots)
    public = [event for event in log if not (table.view.is_private and isinstance(event, ev.Played))]
    assert list(range(1, len(public) + 1)) == [event.seq for event in public]
    assert Phase.OVER is table.view.phase
    assert table.view.hand is not None
    assert status(table.view.hand.rules, table.view.hand.board) == []
    empty = TableState("SIM", table.view.options).snapshot(0)
    verdict = verify([empty, *log])
    assert (verdict.hands, verdict.skipped, verdict.matches) == (1, 0, 1)


@for_each(("game", "bots"), MATCHES)
def test_each_place_is_won_once(game: str, bots: int) -> None:
    """On a foundation the heights are filled one after the other, each by one card."""
    table, log, _ = _match(game, bots)
    assert table.view.hand is not None
    won = dict.fromkeys(table.view.hand.rules.layout.foundations, 0)
    for event in of_type(ev.Played, log):
        if event.destination in won:
            assert event.count == 1
            won[event.destination] += 1
    dealt = 0 if game in {"racing-demon", "classic"} else 1
    heights = [len(table.view.hand.board.cards[pile]) for pile in won]
    assert sum(heights) == sum(won.values()) + dealt * bots


@for_each("bots", usually(2, [2, 7, 1, 3, 4, 5, 6, 8]))
def test_racing_demon_is_worth_its_cards(bots: int) -> None:
    """Each score is 0 to 51 or exactly 62, and together they are the cards in the middle, and ten."""
    table, log, _ = _match("racing-demon", bots)
    assert table.view.hand is not None
    over = of_type(ev.HandOver, log)[0]
    for seat, points in zip(table.view.hand_seats, over.points, strict=True):
        assert points == 62 if seat == over.out else 0 <= points <= 51
    middle = sum(len(table.view.hand.board.cards[pile]) for pile in table.view.hand.rules.layout.foundations)
    assert middle + (10 if over.out is not None else 0) == sum(over.points)
    assert (over.reason is EndReason.OUT) == (over.out is not None)


def test_somebody_goes_out_sometimes() -> None:
    """The matches above are not all alike: one ends with 62, and one without."""
    outs = [of_type(ev.HandOver, _match("racing-demon", bots)[1])[0].out for bots in (2, 7)]
    assert {True, False} == {out is None for out in outs}


@pytest.mark.long
@for_each(("game", "bots"), MATCHES)
def test_bots_play_by_the_rules(game: str, bots: int) -> None:
    """A bot's command is carried out, or it was beaten to it, or the hand had ended when it came."""
    _, _, arrived = _match(game, bots)
    table = Table("SIM", Options(game=game, hands=1, countdown_ms=0), hand_seeds(SEED))
    table.seat_tokens.add(None, b"host")
    replies = []
    for at, actor, command in arrived:
        pass_time(table, at)
        replies.append(table.handle_command(actor, command, at).reply)
    reasons = {reply.reason for reply in replies if isinstance(reply, Refused)}
    assert {Reason.BEATEN, Reason.HAND_OVER, Reason.NOT_NOW} >= reasons


@for_each(
    "changes",
    usually(
        4,
        [
            {"call_out": "shout", "grace_ms": 0},
            {"stall_rule": "rotate"},
            {"auto_first_turn": True},
            {"turn": 1, "redeals": 0},
            {"stock_shift": "once_a_pass", "king_bonus": 5},
            {"game": "classic", "spaces": "reserve", "stock_shift": "any_time"},
            {"game": "classic", "columns_by_players": True, "reserve_card": -1},
            {"game": "demon-b", "take_back": "free"},
            {"call_out": "shout"},
            {"forced_bases": True},
            {"turn": 1},
            {"shuffle": True},
            {"tail_rule": "either2"},
            {"waste_view": 3},
            {"game": "classic", "call_out": "shout", "stall_rule": "rotate"},
            {"hands": 5, "target": 20},
            {"hands": 5, "target": 2, "match_score": "hands"},
            {"game": "classic", "spaces": "at_once", "reserve_up": True, "columns": 9, "reserve": 20},
            {"hands": 1, "tie_break": "hand"},
        ],
    ),
    ids=repr,
)
def test_a_match_ends_under_every_option(changes: dict[str, object]) -> None:
    """Bots bring a match to its end whatever the table's options, and an auditor finds nothing wrong."""
    options = Options.model_validate({"hands": 1, "countdown_ms": 0, "tally_ms": 0, **changes})
    table, log, _ = play_match(SEED, ["hard", "medium", "hard"], options)
    assert Phase.OVER is table.view.phase
    verdict = verify([TableState("SIM", options).snapshot(0), *log])
    assert len(table.view.results) == verdict.hands


def test_the_host_of_a_match_only_watches() -> None:
    """The commands of a match begin with the bots and the start, from a host without a seat."""
    _, _, arrived = _match("racing-demon", 2)
    expected = [
        (0, None, AddBot(counter=1, level="hard")),
        (0, None, AddBot(counter=2, level="medium")),
        (0, None, Start(counter=3)),
    ]
    assert expected == arrived[:3]


def test_the_command_line_prints_what_each_level_earns(capsys: pytest.CaptureFixture[str]) -> None:
    """The program prints a line for each seat's level."""
    assert main(["--hands", "2", "--levels", "easy,hard", "--game", "classic"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("2 hands of classic, ")
    assert [line.split()[0] for line in lines[1:]] == ["level", "easy", "hard"]


@pytest.mark.long
def test_the_command_line_prints_level_against_level(capsys: pytest.CaptureFixture[str]) -> None:
    """With --pairs there is a line for each two levels, with how often somebody goes out, and seconds."""
    assert main(["--hands", "1", "--pairs"]) == 0
    pairs = [line.split()[:2] for line in capsys.readouterr().out.splitlines()[2:]]
    assert len(pairs) == 15
    assert pairs[0] == ["beginner", "beginner"]
    assert pairs[-1] == ["expert", "expert"]


def test_wrong_arguments_have_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be played ends the program with 2, and says why."""
    for arguments, complaint in (
        (["--levels", "easy,foo"], "one to eight of beginner, easy, medium, hard, expert"),
        (["--levels", ",".join(["easy"] * 9)], "one to eight of"),
        (["--hands", "0"], "give a number from 1 to 1,000,000"),
        (["--seed", "zz"], "'zz' is not a seed"),
        (["--game", "nosuch"], "invalid choice: 'nosuch'"),
        (["--game", "sympathy"], "invalid choice: 'sympathy'"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        assert complaint in capsys.readouterr().err
