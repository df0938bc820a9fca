"""How far a lesson is: what is pointed at, what is played by itself, and when it is dealt again."""

from collections import deque

from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.rules.base import Rules

from .lesson import NOT_STUCK, OWN, TEACHER, Lesson, LessonStep, ending_plays, ends_step, race, upward


class LessonProgress:
    """Follows a lesson by the plays on its table.

    Attributes:
        lesson: the lesson.
        at: the number of the step, from 0.
        script: what is played by itself now, each with its seat.
        target: the play that is pointed at; ``None`` while the script is played, and where nothing is.
        is_gone: whether the step has become impossible, so that the cards must be dealt again.
        outcome: ``won`` or ``lost`` after a race, with its card; else ``None``.

    """

    def __init__(self, lesson: Lesson, at: int = 0) -> None:
        self.lesson = lesson
        self.at = at
        self.script: deque[tuple[int, Play]] = deque()
        self.target: Play | None = None
        self.is_gone = False
        self.outcome: tuple[str, int] | None = None
        self._is_fast = False
        self._before: Board | None = None

    @property
    def step(self) -> LessonStep:
        """The step."""
        return self.lesson.steps[self.at]

    @property
    def is_stuck(self) -> bool:
        """Whether the last step is there, and no card can go up any more."""
        return self.step.kind == "stuck" and self.target is None and not self.script

    @property
    def asked(self) -> str:
        """What the step says: first that a card can still go up, where it is about being stuck."""
        return NOT_STUCK if self._is_early else self.step.text

    @property
    def why(self) -> str:
        """The answer to any other play."""
        return NOT_STUCK if self._is_early else self.step.why

    @property
    def _is_early(self) -> bool:
        return self.step.kind == "stuck" and self.target is not None

    def deal(self, rules: Rules, board: Board) -> None:
        """Begin with the cards as they are dealt: go to the step by the plays of those before it."""
        self.is_gone, self._is_fast, self._before = False, self.at > 0, board.copy()
        self.script.clear()
        for step in self.lesson.steps[: self.at]:
            self.script.extend((TEACHER, play) for play in step.before)
            if step.play is not None:
                self.script.append((OWN, step.play))
        self.script.extend((TEACHER, play) for play in self.step.before)
        self._look(rules, board)

    def played(self, rules: Rules, board: Board, seat: int, play: Play) -> Play | None:
        """Follow a play that the board has made; return what the teacher tries, too late."""
        was, self._before = self._before, board.copy()
        tried: Play | None = None
        if self.script and self.script[0] == (seat, play):
            self.script.popleft()
        elif not self._is_fast and was is not None:
            tried = self._judge(rules, was, seat, play)
        self._look(rules, board)
        return tried

    def refused(self, rules: Rules, board: Board) -> None:
        """Go on after a play of the script that the server has refused, because others came in its way."""
        if self.script:
            self.script.popleft()
        self._look(rules, board)

    def taking(self, rules: Rules, board: Board) -> Play | None:
        """Return what the teacher plays to win the race of this step; ``None`` in any other."""
        if self.step.kind != "lost" or self.target is None:
            return None
        pairs = dict(race(rules, board))
        return pairs.get(self.target)

    def _judge(self, rules: Rules, was: Board, seat: int, play: Play) -> Play | None:
        """Go to the next step if a play ends this one; return what the teacher tries, too late."""
        kind = self.step.kind
        pairs = dict(race(rules, was)) if kind in {"won", "lost"} else {}
        is_lost = kind == "lost" and seat == TEACHER and play in pairs.values()
        if not is_lost and not (seat == OWN and ends_step(rules, was, kind, play)):
            return None
        self.outcome = (("lost" if is_lost else "won"), was.cards[play.source][-1]) if pairs else None
        self.at += 1
        self.script.extend((TEACHER, each) for each in self.step.before)
        return pairs.get(play) if kind == "won" else None

    def _look(self, rules: Rules, board: Board) -> None:
        """See what is pointed at, or that nothing ends the step any more."""
        self.target = None
        if self.script:
            return
        self._is_fast = False
        if self.step.kind == "stuck":
            self.target = next(upward(rules, board, OWN), None)
            return
        plays = list(ending_plays(rules, board, self.step.kind))
        self.is_gone = not plays
        if plays:
            self.target = self.step.play if self.step.play in plays else plays[0]
