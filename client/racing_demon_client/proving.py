"""The proof of each hand: when its secret is told, a client checks what it has seen of it."""

import asyncio

from racing_demon_protocol.errors import InvalidRecord, RacingDemonError
from racing_demon_protocol.messages import Message
from racing_demon_protocol.messages import events as ev
from racing_demon_protocol.messages.server import Snapshot
from racing_demon_protocol.record import verify
from racing_demon_protocol.view import TableView

from .printing import counted

__all__ = ["Proving"]

Seen = list[Snapshot | ev.Event]


class Proving:
    """Keeps what can be checked of the hand that is played, and checks it when it is over.

    Attributes:
        seed: the secret that was told last, in hexadecimal.
        proof: what came of checking the last hand, in a sentence.

    """

    def __init__(self) -> None:
        self.seed = ""
        self.proof = ""
        self._hand: Seen = []
        self._over: Seen = []

    def keep(self, message: Message, view: TableView) -> None:
        """Keep a message that the view has followed: from the last rest before a hand on."""
        rests = view.between_matches and not isinstance(message, ev.MatchOver | ev.Committed)
        if isinstance(message, Snapshot):
            self._hand = [message]
        elif isinstance(message, ev.Event) and rests:
            self._hand = [view.snapshot(0)]
        elif isinstance(message, ev.Event) and self._hand and message.seq > self._hand[0].seq:
            self._hand.append(message)
        if isinstance(message, ev.HandOver):
            self.seed = message.seed
            self.proof = "checking the hand..."
            self._over, self._hand = self._hand, [view.snapshot(0)]

    def take_up(self, hand: Seen) -> None:
        """Take another hand's messages for those of the last one."""
        self._over = hand

    def forget(self) -> None:
        """Say nothing of the last hand any more."""
        self.seed = self.proof = ""

    async def check(self) -> None:
        """Check the hand that is over, in a thread: commitment, deal, every play, every point."""
        try:
            verdict = await asyncio.to_thread(verify, self._over)
        except InvalidRecord as error:
            self.proof = f"NOT RIGHT: {error}"
        except RacingDemonError as error:
            self.proof = f"This hand cannot be checked: {error}"
        else:
            self.proof = (
                f"Checked: the promise is kept, the deal is the secret's, "
                f"{counted(verdict.plays, 'play')} {'is' if verdict.plays == 1 else 'are'} legal."
                if verdict.hands
                else "This hand was not seen from its deal on, so it cannot be checked here."
            )
