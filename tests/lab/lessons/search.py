"""Looks for deals on which every step of a lesson is possible, in order.

python -m tests.lab.lessons.search GAME [FIRST] [COUNT] prints the deals, each with its plays.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from racing_demon_client.shared.lesson import KINDS, OWN, TEACHER, ends_step, lesson_options, race
from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.deal import hand_secret, subseed
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.table.state import hand_rules
from racing_demon_protocol.table.suggestions import best_play

MAX_PREPARING: Final = 14
"""The most plays of the teacher before a race, most of which turn the stock."""
MAX_LOOKS: Final = 200
"""The most positions that are looked at before a deal is looked at closely."""
MAX_WAVE: Final = 16
"""How many ways of the teacher are looked at together."""
MAX_PATHS: Final = 4
"""The most ways through the first steps that are looked at, of one deal."""


class Line(NamedTuple):
    """A way through a lesson: the pupil's play of each step, and the teacher's plays before it."""

    own: tuple[Play, ...]
    meanwhile: tuple[tuple[Play, ...], ...]


def find(game: str, seed: bytes) -> Line | None:
    """Return a way through a lesson on a deal; ``None`` if there is none."""
    options = lesson_options(game)
    rules = hand_rules(options, (OWN, TEACHER), ())
    dealer = Dealer(hand_secret(seed, 1), rules)
    board = rules.deal()
    board.reveal(rules.layout.face_up_refs, dealer.first_cards())
    begin = _Position(board, dealer.open_board())
    return next(_lines(rules, begin), None) if _is_promising(rules, begin) else None


class _Position(NamedTuple):
    """What everybody sees, and what lies there."""

    board: Board
    cards: Board

    def after(self, play: Play) -> "_Position":
        """Return the position after a play, which is legal."""
        board, cards = self.board.copy(), self.cards.copy()

        def move(play: Play, refs: Sequence[tuple[int, int]]) -> tuple[int, ...]:
            cards.move_known(play)
            return tuple(cards.cards[pile][index] for pile, index in refs)

        Rules.carry_out(board, play, move)
        return _Position(board, cards)


def _settled(rules: Rules, position: _Position, seat: int) -> _Position:
    while (play := rules.automatic_play(position.board, seat)) is not None:
        position = position.after(play)
    return position


def _plays(rules: Rules, position: _Position, seat: int) -> Iterator[Play]:
    for play in rules.legal_plays(position.board, seat):
        yield rules.verify_play(position.board, seat, play)


def _taught(rules: Rules, position: _Position, kind: str) -> Iterator[Play]:
    """Yield the plays that end a step and are what a tap would do."""
    board = position.board
    for play in _plays(rules, position, OWN):
        if not ends_step(rules, board, kind, play):
            continue
        best = best_play(rules, board, OWN, play.source, play.count)
        if kind == "turn" or (best is not None and rules.verify_play(board, OWN, best) == play):
            yield play


def _is_promising(rules: Rules, begin: _Position) -> bool:
    """Return whether the steps are possible that nobody else can help with, which few deals allow."""
    alone = ("ace", "column", "run", "empty", "turn")
    stack = [(begin, 0)]
    for _ in range(MAX_LOOKS):
        if not stack:
            return False
        position, done = stack.pop()
        if done == len(alone):
            return True
        there = [position.after(play) for play in _taught(rules, position, alone[done])]
        stack += [(_settled(rules, each, OWN), done + 1) for each in there]
    return False


def _lines(rules: Rules, begin: _Position) -> Iterator[Line]:
    first = [kind for kind in KINDS if kind not in {"won", "lost", "stuck"}]
    found = 0
    stack: list[tuple[_Position, tuple[Play, ...], tuple[tuple[Play, ...], ...]]] = [(begin, (), ())]
    while stack and found < MAX_PATHS:
        position, own, meanwhile = stack.pop()
        if len(own) == len(first):
            found += 1
            if (races := _races(rules, position)) is not None:
                won, lost, before, between = races
                yield Line((*own, won, lost), (*meanwhile, before, between))
            continue
        kind = first[len(own)]
        most = MAX_PREPARING if kind == "build" else 0
        for ready, before in _prepared(rules, position, kind, most):
            for play in _taught(rules, ready, kind):
                there = _settled(rules, ready.after(play), OWN)
                stack.append((there, (*own, play), (*meanwhile, before)))
            break


def _races(rules: Rules, position: _Position) -> tuple[Play, Play, tuple[Play, ...], tuple[Play, ...]] | None:
    """Return two races, and what the teacher plays before each."""
    for ready, before in _prepared(rules, position, "won", MAX_PREPARING):
        for won, _ in race(rules, ready.board):
            after = _settled(rules, ready.after(won), OWN)
            for again, between in _prepared(rules, after, "lost", 8):
                for lost, _ in race(rules, again.board):
                    return won, lost, before, between
    return None


def _prepared(
    rules: Rules, position: _Position, kind: str, most: int
) -> Iterator[tuple[_Position, tuple[Play, ...]]]:
    """Yield positions in which a step is possible, with the plays of the teacher that lead there."""
    known: set[object] = set()
    wave: list[tuple[_Position, tuple[Play, ...]]] = [(position, ())]
    for _ in range(most + 1):
        following = []
        for here, plays in wave:
            if next(_taught(rules, here, kind), None) is not None:
                yield here, plays
                continue
            for play in _plays(rules, here, TEACHER) if len(plays) < most else ():
                kinds = [rules.layout.piles[pile].kind.value for pile in (play.source, play.destination)]
                if kinds[1] != "foundation" and "stock" not in kinds:
                    continue
                there = _settled(rules, here.after(play), TEACHER)
                key = tuple(there.cards.cards)
                if key not in known:
                    known.add(key)
                    following.append((there, (*plays, play)))
        wave = following[:MAX_WAVE]


def main() -> None:
    """Print deals for a game's lesson."""
    game, *numbers = sys.argv[1:]
    first, count = (int(number) for number in (*numbers, "0", "1000")[:2])
    for number in range(first, first + count):
        seed = subseed(bytes(32), f"lesson/{game}/{number}")
        if (line := find(game, seed)) is not None:
            print(number, seed.hex(), [tuple(play) for play in line.own], line.meanwhile, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
