"""A lesson on a local server: this player's table, and the teacher, a second client of the same device."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from racing_demon_client.net.client import Client
from racing_demon_client.net.local_server import JournalConfig, local_server
from racing_demon_client.saved_lesson import lesson_path, load_step, save_step
from racing_demon_client.shared.lesson import (
    AGAIN,
    DONE,
    LESSONS,
    LOST,
    LOST_MS,
    OWN,
    POINTS,
    TEACHER,
    TEACHER_MS,
    TEACHER_NAME,
    WAIT,
    WON,
    lesson_options,
    score_lines,
    words_for,
)
from racing_demon_client.shared.lesson_progress import LessonProgress
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.cards import Card
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.table.state import HandView
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused, Snapshot

STANDS_STILL: Final = frozenset({Reason.PAUSED, Reason.HALTED})
"""Why a table refuses plays that it would carry out otherwise."""
ShowPlay = Callable[[Play], str]
"""Shows a play, and returns what to do for it."""
NameCard = Callable[[Card], str]


class LessonRunner:
    """Runs a lesson at a table: lets the teacher play, and says what there is to do.

    Attributes:
        progress: how far the lesson is.
        is_over: whether its hand has ended.

    Args:
        client: this player's client, which has opened the table.
        teacher: the teacher's.
        game: the lesson's game.

    """

    def __init__(self, client: Client, teacher: Client, game: str) -> None:
        lesson = LESSONS[game]
        self.progress = LessonProgress(lesson, min(load_step(lesson_path(), game), len(lesson.steps) - 1))
        self.is_over = False
        self._clients = (client, teacher)
        self._is_played = False
        self._is_again = False
        self._sent: tuple[int, Play] | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def _hand(self) -> HandView:
        hand = self._clients[0].view.hand
        assert hand is not None
        return hand

    async def teach(self) -> None:
        """Follow the table as the teacher: what the server refuses is not waited for."""
        async for message in self._clients[TEACHER]:
            if isinstance(message, Refused):
                self._refused(TEACHER, message)

    def observe(self, message: Message, name: NameCard) -> str:
        """Follow a message that the player's view has applied; return what is to be said to it."""
        match message:
            case ev.Signalled():
                self._is_played, self._is_again = True, False
                self.progress.deal(self._hand.rules, self._hand.board)
                self._go_on()
            case ev.Played() if self._is_again:
                self._end_hand()
            case ev.Played():
                return self._played(message)
            case ev.HandOver():
                self._is_played = False
                self.is_over = not self._is_again
                if self.is_over:
                    save_step(lesson_path(), self.progress.lesson.game, 0)
            case ev.MatchOver() if self._is_again:
                client = self._clients[0]
                client.post(cl.Start(counter=client.next_counter()))
            case Refused() if self._is_played and self._sent is not None and self._sent[0] == OWN:
                self._refused(OWN, message)
            case Refused(reason=Reason.ILLEGAL) if self._is_played:
                words = words_for(self._hand.board, self.progress.target, name)
                return f"{self.progress.why.format(**words).removesuffix('.')}."
            case Snapshot() if self._is_played:
                self._go_on()
        return ""

    def text(self, show: ShowPlay, name: NameCard, stuck: str) -> str:
        """Return what the step says; ``stuck`` is how somebody says that nothing helps."""
        progress, step = self.progress, self.progress.step
        if self.is_over:
            return f"{DONE}."
        if not self._is_played or progress.script:
            return WAIT.format(teacher=TEACHER_NAME)
        does = stuck if progress.is_stuck else "" if progress.target is None else show(progress.target)
        text = progress.asked.format(**words_for(self._hand.board, progress.target, name))
        return f"{step.number}/{progress.lesson.count} {text} {does}".strip()

    @property
    def rule(self) -> str:
        """The rule behind the step; empty while there is nothing to do."""
        is_asked = self._is_played and not self.is_over and not self.progress.script
        return self.progress.step.rule.format(teacher=TEACHER_NAME) if is_asked else ""

    def score(self) -> list[str]:
        """Return what the hand scores, at its end."""
        view = self._clients[0].view
        own = view.results[-1].points[0] if view.results else 0
        return [f"{DONE}.", *score_lines(self.progress.lesson.game), POINTS.format(points=own)]

    def outcome(self, name: NameCard) -> str:
        """Return how the last race has ended; empty where none has just been."""
        if self.progress.outcome is None:
            return ""
        how, card = self.progress.outcome
        self.progress.outcome = None
        return (WON if how == "won" else LOST).format(teacher=TEACHER_NAME, card=name(card))

    def _played(self, event: ev.Played) -> str:
        play, hand = event.play, self._hand
        if self._sent == (event.seat, play):
            self._sent = None
        before = self.progress.at
        tried = self.progress.played(hand.rules, hand.board, event.seat, play)
        if self.progress.at != before:
            save_step(lesson_path(), self.progress.lesson.game, self.progress.at)
        if tried is not None:  # too late, as the server will say
            self._clients[TEACHER].post(self._clients[TEACHER].play_command(tried))
        self._go_on()
        return AGAIN if self._is_again else ""

    def _go_on(self) -> None:
        """Let happen what happens by itself now."""
        if self._timer is not None:
            self._timer.cancel()
        progress, hand = self.progress, self._hand
        call_later = asyncio.get_running_loop().call_later
        if not self._is_played or self._sent is not None:
            return
        if progress.is_gone:
            self._is_again = True
            self._end_hand()
        elif progress.script:
            seat, play = progress.script[0]
            wait_ms = TEACHER_MS if seat == TEACHER else 0
            self._timer = call_later(wait_ms / 1_000, self._send, seat, play)
        elif (taking := progress.taking(hand.rules, hand.board)) is not None:
            self._timer = call_later(LOST_MS / 1_000, self._send, TEACHER, taking)
        elif progress.is_stuck and not self._clients[0].view.seats[TEACHER].stuck:
            teacher = self._clients[TEACHER]
            teacher.post(cl.Stuck(counter=teacher.next_counter()))

    def _refused(self, seat: int, message: Refused) -> None:
        """Go on after a play that the script has sent; while the table stands still, it is tried again."""
        if self._sent is None or self._sent[0] != seat:
            return
        self._sent = None
        if message.reason in STANDS_STILL:
            self._timer = asyncio.get_running_loop().call_later(TEACHER_MS / 1_000, self._go_on)
            return
        self.progress.refused(self._hand.rules, self._hand.board)
        self._go_on()

    def _send(self, seat: int, play: Play) -> None:
        self._sent = (seat, play)
        self._clients[seat].post(self._clients[seat].play_command(play))

    def _end_hand(self) -> None:
        """Let both say that they are stuck: then the cards are dealt again."""
        for client in self._clients:
            if client.seat is not None and not self._clients[0].view.seats[client.seat].stuck:
                client.post(cl.Stuck(counter=client.next_counter()))


@asynccontextmanager
async def lesson_table(name: str, game: str) -> AsyncIterator[tuple[Client, LessonRunner]]:
    """Open a table for a lesson on a local server, with the teacher at it, and deal.

    Raises:
        ConnectionFailed: the server does not start.

    """
    deal = bytes.fromhex(LESSONS[game].deal)
    with TemporaryDirectory(prefix="racing-demon-") as folder:
        # It goes on if its server crashes.
        journal = JournalConfig("normal", str(Path(folder, "lesson.sqlite")))
        async with local_server(journal=journal) as url:
            opened = await Client.create(url, name, lesson_options(game), listed=False, known_deal=deal)
            async with (
                opened as client,
                await Client.join(url, client.code, TEACHER_NAME, program=True) as teacher,
            ):
                runner = LessonRunner(client, teacher, game)
                teaching = asyncio.create_task(runner.teach())
                client.post(cl.Start(counter=client.next_counter()))
                try:
                    yield client, runner
                finally:
                    teaching.cancel()
                    with suppress(asyncio.CancelledError):
                        await teaching
