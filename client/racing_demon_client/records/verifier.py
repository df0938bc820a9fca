"""The proof of each hand: when its secret is revealed, the client verifies what it has seen."""

import asyncio
from collections.abc import Iterable
from typing import Final

from racing_demon_client.net.shuffle_client import ContributionState
from racing_demon_protocol.errors import InvalidRecord, RacingDemonError
from racing_demon_protocol.formatting import join_words, pluralize, printable
from racing_demon_protocol.records.verify import VerificationReport
from racing_demon_protocol.records.verify import verify as verify_record
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot

HandMessages = list[Snapshot | ev.Event]

NOT_RIGHT: Final = "NOT RIGHT: "
CHEATED: Final = {
    ContributionState.CHANGED: f"{NOT_RIGHT}the server has changed your part of the shuffle.",
    ContributionState.REPEATED: (
        f"{NOT_RIGHT}the server changed the deal when it knew your part of the shuffle."
    ),
}
"""Fraud that no record shows, and only the contributor can detect."""


class Verifier:
    """Keeps what is needed to verify the hand in play, and verifies it when it is over.

    Attributes:
        seed: the last revealed secret, in hexadecimal.
        proof: the result of the last verification, in a sentence.

    """

    def __init__(self) -> None:
        self.seed = ""
        self.proof = ""
        self._hand: HandMessages = []
        self._over: HandMessages = []
        self._contribution = ContributionState.NONE

    def observe(
        self, message: Message, view: TableState, contribution: ContributionState = ContributionState.NONE
    ) -> None:
        """Observe a message that the view has applied, from the last pause between hands on.

        Args:
            message: the message.
            view: the table after it.
            contribution: the state of this client's contribution to the newest hand.

        """
        rests = view.between_matches and not isinstance(message, ev.MatchOver)
        if isinstance(message, Snapshot):
            is_known = bool(self._hand) and self._hand[-1].seq == message.seq  # as after a hand's second draw
            self._hand = [*self._hand, message] if is_known else [message]
        elif isinstance(message, ev.Event) and rests:
            self._hand = [view.snapshot(0)]
        elif isinstance(message, ev.Event) and self._hand and message.seq > self._hand[0].seq:
            self._hand.append(message)
        if isinstance(message, ev.HandOver):
            self.seed = message.seed
            self.proof = "checking the hand..."
            self._over, self._hand = self._hand, [view.snapshot(0)]
            self._contribution = contribution

    @property
    def has_failed(self) -> bool:
        """Whether the last hand was dealt or played incorrectly."""
        return self.proof.startswith(NOT_RIGHT)

    def load_hand(self, hand: HandMessages) -> None:
        """Replace the last hand's messages with another hand's."""
        self._over, self._contribution = hand, ContributionState.NONE

    def clear(self) -> None:
        """Forget the last hand."""
        self.seed = self.proof = ""

    async def verify(self) -> None:
        """Verify the finished hand in a thread: commitment, deal, every play, every point."""
        try:
            verdict = await asyncio.to_thread(verify_record, self._over)
        except InvalidRecord as error:
            self.proof = f"{NOT_RIGHT}{error}"
        except RacingDemonError as error:
            self.proof = f"This hand cannot be checked: {error}"
        else:
            self.proof = _conclusion(verdict, self._contribution)


def _conclusion(verdict: VerificationReport, contribution: ContributionState) -> str:
    """Return what a correct hand proves to a contributor to its shuffle."""
    if contribution in CHEATED:
        return CHEATED[contribution]
    if not verdict.hands:
        return "You came after the deal, so this hand's shuffle can't be checked here."
    plays = f"{pluralize(verdict.plays, 'play')} {'is' if verdict.plays == 1 else 'are'} legal"
    but = f" But {choice(verdict)}." if verdict.choosers or verdict.redrawn else ""
    if contribution is ContributionState.COUNTED:
        whole = "" if but else ", and nobody withheld a part of it"
        return f"Checked: you took part in the shuffle{whole}; {plays}.{but}"
    if contribution is ContributionState.LEFT_OUT:
        return f"Checked: {plays}. But you were left out of the shuffle: others may have chosen this deal."
    if contribution is ContributionState.DROPPED:
        return (
            f"Checked: {plays}. But you had a part in the shuffle of a hand that you did not see dealt: "
            "unless you were away, others may have chosen this deal."
        )
    who = "the server alone" if verdict.server_only else "players and server"
    deal = "a known deal" if verdict.known_deals else f"{who} shuffled, as promised"
    return f"Checked: {deal}; {plays}.{but}"


def choice(verdict: VerificationReport) -> str:
    """Return between how many deals of a hand somebody could choose, as parts of its shuffle did not come."""
    what = []
    if verdict.redrawn:
        what.append(f"the hand was drawn anew without {_names(verdict.redrawn)}, whose part did not come")
    if verdict.choosers:
        what.append(f"the part of {_names(verdict.choosers)} did not come")
    who = _names((*verdict.redrawn, *verdict.choosers))
    deals = len(verdict.redrawn) + 2 ** len(verdict.choosers)
    return f"{' and '.join(what)}: whoever works with {who} and the server could choose between {deals} deals"


def _names(names: Iterable[str]) -> str:
    return join_words([printable(name) for name in dict.fromkeys(names)])
