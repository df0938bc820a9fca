"""Programs that know a game by the sentences of its lesson alone, by the line of advice, or not at all.

They are no people: they do what the sentences say, and nothing else. What do they try in vain, what do they
miss, and what does their first real hand come to?
"""

import os
import random
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from statistics import mean
from typing import Final

import pytest

from racing_demon_client.shared.lesson import LESSONS, OWN, TEACHER, lesson_options
from racing_demon_client.shared.trackers import HintFinder
from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import ACE, KING, UNKNOWN, rank, suit
from racing_demon_protocol.engine.layout import Layout
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.sliced_search import SlicedSearch
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.table.state import TableState, hand_rules
from racing_demon_protocol.wire.messages.client import Command, PlayCards, Stuck
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_server.bots.bot import Decision
from racing_demon_server.match.seat_tokens import Actor
from racing_demon_server.match.table import CommandResult
from tests.support.bot_matches import play_match
from tests.support.dealt_hands import Dealt

HANDS: Final = int(os.environ.get("RACING_DEMON_TRIALS", "5"))
MAX_PLAYS: Final = 150
MAX_TURNS: Final = 40
THINKS_MS: Final = 3_000
"""The time that each of them takes for a play, or for trying one."""
TURNS_MS: Final = 1_200
"""The time for turning the stock."""
LINE_MS: Final = 1_500
"""How long the line of advice is silent after a play."""
LOOKS_MS: Final = 500
TRIES: Final = 0.5
"""How often whoever knows nothing tries something new, rather than turn the stock."""
HEAD_START: Final = Handicap(delay_s=15)
"""The bots of a first hand wait so long, as on the page."""

Try = tuple[int, int, int]
Look = tuple[object, ...]
"""What a play looks like to somebody who does not know the rules."""


def test_the_sentences_of_a_lesson_are_the_rules() -> None:
    """Nothing that they say is refused in a first hand, and they leave out no play but turning the stock."""
    for game in LESSONS:
        refused: Counter[tuple[Kind, Kind]] = Counter()
        missed: Counter[tuple[Kind, Kind]] = Counter()
        played = 0
        for seed in range(HANDS):
            rules = hand_rules(lesson_options(game), (OWN, TEACHER), ())
            hand = Dealt(rules.game, random.Random(seed).randbytes(32), (OWN, TEACHER), rules=rules)
            turns = 0
            for _ in range(MAX_PLAYS):
                kinds = [pile.kind for pile in hand.board.piles]
                allowed = {
                    (play.source, play.count, play.destination)
                    for play in rules.resolved_plays(hand.board, OWN)
                }
                known = set(_known(game, rules.layout, hand.board))
                refused.update((kinds[source], kinds[to]) for source, _, to in known - allowed)
                missed.update((kinds[source], kinds[to]) for source, _, to in allowed - known)
                useful = [
                    Play(*each) for each in sorted(known & allowed) if hand.board.is_progress(Play(*each))
                ]
                useful.sort(key=lambda play: kinds[play.destination] is not Kind.FOUNDATION)
                play = useful[0] if useful else rules.stock_play(hand.board, OWN)
                turns = 0 if useful else turns + 1
                if play is None or turns > MAX_TURNS:
                    break
                played += bool(useful)
                hand.play(rules.verify_play(hand.board, OWN, play), OWN)
        assert refused == {}, game
        assert set(missed) == {(Kind.STOCK, Kind.WASTE), (Kind.WASTE, Kind.STOCK)}, game
        print(f"{game}: {played} plays of {HANDS} hands, none refused")  # noqa: T201


def _free(layout: Layout, board: Board) -> list[int]:
    """Return the piles whose top card is free."""
    piles = [*layout.seat_piles(OWN, Kind.TABLEAU), layout.waste[OWN], *layout.seat_piles(OWN, Kind.RESERVE)]
    return [pile for pile in piles if board.cards[pile] and board.cards[pile][-1] != UNKNOWN]


def _known(game: str, layout: Layout, board: Board) -> Iterator[Try]:
    """Yield what somebody may try by the sentences."""
    columns = layout.seat_piles(OWN, Kind.TABLEAU)
    middle = [pile.number for pile in board.piles if pile.kind is Kind.FOUNDATION]
    empty = [pile for pile in middle if not board.cards[pile]]
    for pile in _free(layout, board):
        cards = board.cards[pile]
        if rank(cards[-1]) == ACE and empty:  # aces start the middle
            yield pile, 1, empty[0]
        for place in middle:  # same suit, one higher
            if board.cards[place] and _is_next(board.cards[place][-1], cards[-1]):
                yield pile, 1, place
        shown = sum(card != UNKNOWN for card in cards) if pile in columns else 1
        for count in range(1, shown + 1):  # a run moves as a whole
            for column in columns:
                if column != pile and _fits(game, cards[-count], board.cards[column]):
                    yield pile, count, column


def _is_next(top: int, card: int) -> bool:
    return suit(top) == suit(card) and rank(card) == rank(top) + 1


def _fits(game: str, card: int, column: Sequence[int]) -> bool:
    if not column:  # an empty column takes a king, or any card
        return game == "classic" or rank(card) == KING
    is_other = suit(column[-1]) % 2 != suit(card) % 2  # red on black, one lower
    return is_other and rank(card) + 1 == rank(column[-1])


class Taught:
    """Somebody at seat 0 in their first real hand, who knows the sentences of the lesson.

    Attributes:
        tried: how many plays were tried in vain.
        idle_ms: how long a play that helps lay there, beyond the time for thinking, and was not made.
        waits_ms: how long they wait before they think.

    Args:
        game: the game.
        rng: chooses among plays that look alike.

    """

    waits_ms = 0

    def __init__(self, game: str, rng: random.Random) -> None:
        self.game = game
        self.rng = rng
        self.tried = self.idle_ms = 0
        self.finder = HintFinder()
        self._counter = self._turns = 0
        self._view: TableState | None = None

    def choose(self, rules: Rules, board: Board) -> Play | None:
        """Return what is tried now; ``None``: nothing comes to mind."""
        known = {Play(*each) for each in _known(self.game, rules.layout, board)}
        useful = sorted(play for play in known if board.is_progress(play))
        up = [play for play in useful if board.piles[play.destination].kind is Kind.FOUNDATION]
        return next(iter(up or useful), None)

    def hear(self, _at: int, actor: Actor, command: Command, answer: CommandResult) -> None:
        """Hear what the table says to a command."""
        if self._view is not None:
            for event in answer.events:
                self.finder.observe(event, self._view, OWN)
        if actor == OWN and isinstance(command, PlayCards):
            self.learn(is_refused=isinstance(answer.reply, Refused) and answer.reply.reason is Reason.ILLEGAL)

    def learn(self, *, is_refused: bool) -> None:
        """Remember how the last try ended."""
        self.tried += is_refused

    def observe(self, view: TableState) -> SlicedSearch[Decision]:
        """Look at the table."""
        self._view = view
        return SlicedSearch(self._decide(view))

    def _decide(self, view: TableState) -> Generator[int, None, Decision]:
        yield 0
        if view.phase is not Phase.PLAYING or view.hand is None:
            return None, LOOKS_MS
        rules, board = view.hand.rules, view.hand.board
        helping = [play for play in rules.resolved_plays(board, OWN) if board.is_progress(play)]
        helps, turn = bool(helping), rules.stock_play(board, OWN)
        play = self.choose(rules, board)
        if play is not None and play != turn and (play in helping or not view.seats[OWN].stuck):
            self._turns = 0 if play in helping else self._turns + 1
            self.idle_ms += helps * (self.waits_ms + (play not in helping) * THINKS_MS)
            return self._send(view, play), self.waits_ms + THINKS_MS
        if view.seats[OWN].stuck:
            self._turns = 0
            self.idle_ms += helps * LOOKS_MS
            return None, LOOKS_MS
        if turn is None or self._turns > MAX_TURNS:
            self._counter += 1
            return Stuck(counter=self._counter, seen=view.seq), THINKS_MS
        self._turns += 1
        self.idle_ms += helps * TURNS_MS
        return self._send(view, turn), TURNS_MS

    def _send(self, view: TableState, play: Play) -> PlayCards:
        self._counter += 1
        return PlayCards.of(play, counter=self._counter, seen=view.seq)


class Advised(Taught):
    """Somebody without the lesson, who waits for the line of advice, and does what it says."""

    waits_ms = LINE_MS

    def choose(self, rules: Rules, board: Board) -> Play | None:
        """Return what the line says."""
        plays = rules.legal_plays(board, OWN)
        up = (play for play in plays if board.piles[play.destination].kind is Kind.FOUNDATION)
        return next(up, None) or self.finder.play(rules, board, OWN)


class Untold(Taught):
    """Somebody who has turned the line off, tries what looks new, and remembers what was refused."""

    def __init__(self, game: str, rng: random.Random) -> None:
        super().__init__(game, rng)
        self._is_allowed: dict[Look, bool] = {}
        self._last: Look = ()

    def choose(self, rules: Rules, board: Board) -> Play | None:
        """Return a play that looks like one that was allowed, or, often, like none before."""
        looks = {play: _look(board, play) for play in _all_tries(rules.layout, board)}
        allowed = [play for play, look in looks.items() if self._is_allowed.get(look)]
        useful = [play for play in allowed if board.is_progress(play)]
        new = [play for play, look in looks.items() if look not in self._is_allowed]
        if useful or (new and self.rng.random() < TRIES):
            play = self.rng.choice(useful or new)
            self._last = looks[play]
            return play
        return None

    def learn(self, *, is_refused: bool) -> None:
        """Remember what the last try looked like."""
        super().learn(is_refused=is_refused)
        if self._last:
            self._is_allowed[self._last] = not is_refused
        self._last = ()


@pytest.mark.long
def test_first_hands_with_and_without_the_lesson() -> None:
    """Whoever does what the lesson or the line says tries nothing in vain; a table says what else differs."""
    for game in LESSONS:
        for kind in (Taught, Advised, Untold):
            tried, idle_s, points = [], [], []
            for seed in range(HANDS):
                person = kind(game, random.Random(seed))
                options = lesson_options(game).model_copy(update={"seats": 3})
                table, _, _ = play_match(
                    random.Random(seed).randbytes(32),
                    ("", "easy", "easy"),
                    options,
                    {OWN: person},
                    person.hear,
                    handicaps={1: HEAD_START, 2: HEAD_START},
                )
                tried.append(person.tried)
                idle_s.append(person.idle_ms / 1_000)
                points.append(table.view.results[-1].points[OWN])
            assert kind is Untold or not any(tried), (game, kind.__name__)
            print(  # noqa: T201
                f"{game:13} {kind.__name__:8} {HANDS} hands: {mean(tried):5.1f} illegal plays, "
                f"{mean(idle_s):6.1f} s idle, {mean(points):6.1f} points"
            )


def _all_tries(layout: Layout, board: Board) -> Iterator[Play]:
    """Yield every way to lay a free card on a column or in the middle."""
    places = [*layout.seat_piles(OWN, Kind.TABLEAU)]
    places += [pile.number for pile in board.piles if pile.kind is Kind.FOUNDATION]
    for pile in _free(layout, board):
        yield from (Play(pile, 1, place) for place in places if place != pile)


def _look(board: Board, play: Play) -> Look:
    """Return what somebody sees of a play."""
    card, there = board.cards[play.source][-1], board.cards[play.destination]
    kind = board.piles[play.destination].kind
    if not there:
        return kind, rank(card)
    step = rank(card) - rank(there[-1])
    return kind, suit(card) == suit(there[-1]), suit(card) % 2 == suit(there[-1]) % 2, max(-2, min(2, step))
