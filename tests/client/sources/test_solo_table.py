"""A table of one's own."""

import datetime as dt
import random

import pytest

from racing_demon_client.sources.solo_table import SoloTable, daily_seed, named_seed
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.specification import Goal
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.wire.options import Options
from tests.support.effort import amount, more_when_long
from tests.support.solitaire import moments, table_of
from tests.support.typical import of_games

of_every_game = of_games(GAMES)
PLAYS = 24


@pytest.mark.long
@of_every_game
def test_what_was_played_can_be_taken_back_and_made_again(game: str) -> None:
    """All the way to the deal and forward again, each board comes back as it was, hidden cards and all."""
    boards, shown = [], []
    for table in moments(game, 1, PLAYS, 1):
        boards.append(table.board.copy())
        shown.append(list(table.log()))
        last = table
    assert len(boards) == last.plays + 1
    for place in range(last.plays - 1, -1, -1):
        assert last.undo()
        assert boards[place] == last.board
    assert not last.undo()
    while last.redo():
        assert boards[last.plays] == last.board
        assert shown[last.plays] == list(last.log())[: len(shown[last.plays])]


@pytest.mark.long
@of_every_game
def test_the_record_of_a_deal_proves_itself(game: str) -> None:
    """Played with detours it is one line without them, and every verifier agrees: only what was won is."""
    rng = random.Random(game)
    for table in moments(game, 2, PLAYS, 7):
        for _ in range(rng.randrange(4)):
            table.undo()
    if not table.is_over:
        table.finish(1_000)
    verdict = verify(list(table.log()))
    assert (1, int(table.is_won), 0) == (verdict.hands, verdict.matches, verdict.skipped)


@pytest.mark.long
@more_when_long
@of_every_game
def test_nobody_comes_further_than_the_goal(game: str) -> None:
    """At no moment more is done than there is to do, and a game that is won is done."""
    for table in moments(game, 3, amount(3, 10) * PLAYS, 1):
        reached, goal = table.rules.progress(table.board, table.seat), table.rules.goal(table.seat)
        assert 0 <= reached <= goal
        if table.is_won and table.rules.game.goal is not Goal.RESERVE_EMPTY:
            assert reached == goal


def test_a_new_play_forgets_what_was_taken_back() -> None:
    """After a play that is made instead, there is nothing to make again."""
    *_, table = moments("fooliana", 1, 5, 1)
    table.undo()
    table.undo()
    assert table.undone == 2
    table.play(9, next(table.rules.legal_plays(table.board, table.seat)))
    assert (table.plays, table.undone) == (4, 0)
    assert not table.redo()


def test_an_illegal_play_changes_nothing() -> None:
    """It says why not."""
    table = table_of("racing-demon")
    before = table.board.copy()
    with pytest.raises(IllegalPlay):
        table.play(1, Play(0, 1, 1))
    assert before == table.board
    assert table.plays == 0


def test_daily_deals_are_everybodys_and_new_every_day() -> None:
    """The date and the game give the seed, and nothing else does; names give others."""
    first, second = dt.date(2026, 11, 1), dt.date(2026, 11, 2)
    seeds = {
        daily_seed("clock", first),
        daily_seed("clock", second),
        daily_seed("fooliana", first),
        named_seed("clock", first.isoformat()),
    }
    assert len(seeds) == 4
    assert daily_seed("clock", dt.date(2026, 11, 1)) in seeds


def test_a_trick_says_its_words() -> None:
    """Who shows one reads what is to be said with the next step; in a game there is nothing to say."""
    table = table_of("a-spell")
    said = []
    while table.caption:
        said.append(table.caption)
        table.play(len(said), next(table.rules.legal_plays(table.board, table.seat)))
    assert said[:3] == ["A-C-E", "T-W-O", "T-H-R-E-E"]
    assert table.is_won
    assert table_of("clock").caption == ""


def test_a_shift_of_the_stock_can_be_taken_back() -> None:
    """It is one step of the line: undone, made again, and proven by the record."""
    table = SoloTable(Options(stock_shift="once_a_pass"), bytes(32), "Ann")
    dealt = table.board.copy()
    table.shift()
    shifted = table.board.copy()
    with pytest.raises(IllegalPlay):
        table.shift()
    turn = table.rules.stock_play(table.board, table.seat)
    assert turn is not None
    table.play(1, turn)
    turned = table.board.copy()
    assert [table.undo() and table.board.copy() for _ in range(2)] == [shifted, dealt]
    assert [table.redo() and table.board.copy() for _ in range(2)] == [shifted, turned]
    table.finish(1_000)
    assert verify(table.log()).hands == 1
