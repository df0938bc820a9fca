"""Random legal play against every step: each can be done, or is dealt again; nobody is trapped."""

import os
import random
from typing import Final

from racing_demon_client.shared.lesson import LESSONS, OWN, TEACHER, lesson_options
from racing_demon_client.shared.lesson_progress import LessonProgress
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.deal import hand_secret
from racing_demon_protocol.table.state import hand_rules
from tests.support.dealt_hands import Dealt

TRIALS: Final = int(os.environ.get("RACING_DEMON_TRIALS", "4"))
"""Of each step."""
MAX_RANDOM: Final = 30
"""The most random plays before what is pointed at is done."""


class _Table:
    """A lesson without a server: whatever is legal is played."""

    def __init__(self, progress: LessonProgress) -> None:
        self.progress = progress
        self.dealt = 0
        self.rules = hand_rules(lesson_options(progress.lesson.game), (OWN, TEACHER), ())
        self.deal()

    def deal(self) -> None:
        """Deal, and play what the script says."""
        secret = hand_secret(bytes.fromhex(self.progress.lesson.deal), 1)
        self.hand = Dealt(self.rules.game, secret, (OWN, TEACHER), rules=self.rules)
        self.dealt += 1
        self.progress.deal(self.rules, self.hand.board)
        self._follow()

    def play(self, seat: int, play: Play) -> None:
        """Make a legal play, and whatever follows from it."""
        self._make(seat, play)
        self._follow()

    def _make(self, seat: int, play: Play) -> None:
        carried = self.rules.verify_play(self.hand.board, seat, play)
        self.hand.play(carried, seat)
        self.progress.played(self.rules, self.hand.board, seat, carried)

    def _follow(self) -> None:
        while self.progress.script:
            seat, play = self.progress.script[0]
            if self.rules.can_play(self.hand.board, seat, play):
                self._make(seat, play)
            else:
                assert seat == TEACHER, "the way back to a step is always open"
                self.progress.refused(self.rules, self.hand.board)
        if self.progress.is_gone:
            assert self.dealt < 100
            self.deal()


def test_nobody_is_trapped() -> None:
    """After any legal plays a step is done by what is pointed at, perhaps after another deal."""
    rng = random.Random(51)
    dealt_again = 0
    for lesson in LESSONS.values():
        for at, step in enumerate(lesson.steps[:-1]):
            for _ in range(TRIALS):
                table = _Table(LessonProgress(lesson, at))
                for _ in range(rng.randrange(MAX_RANDOM)):
                    plays = list(table.rules.resolved_plays(table.hand.board, OWN))
                    if table.progress.at > at or not plays:
                        break
                    table.play(OWN, rng.choice(plays))
                dealt_again += table.dealt - 1
                if table.progress.at == at:
                    target = table.progress.target
                    assert target is not None, (lesson.game, step.kind)
                    table.play(OWN, target)
                assert table.progress.at == at + 1, (lesson.game, step.kind)
    assert dealt_again
    print(f"dealt again {dealt_again} times")  # noqa: T201
