"""A session at a solo table: undo, and deals of one's choice."""

import secrets
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from racing_demon_client.records.recorder import Recorder
from racing_demon_client.settings import PlayerSettings
from racing_demon_client.shared.message_text import duration
from racing_demon_client.sources.openers import Opened
from racing_demon_client.sources.solo.place import SoloClient
from racing_demon_client.sources.solo.results import loss_text, progress_text, win_text
from racing_demon_protocol.engine.commit_reveal import SEED_SIZE
from racing_demon_protocol.engine.sliced_search import Search
from racing_demon_protocol.formatting import counted
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev

from .activity import Cue
from .desk import Desk
from .session import TableSession

STUCK_AFTER_MS: Final = 400
"""How long nothing is played before the search for a way on begins."""
SLICE_UNITS: Final = 1_000
"""The search's work in one tick: at most ten milliseconds."""

SURE_MS: Final = 5_000
"""Within this time a second press confirms giving up."""


class SoloSession(TableSession):
    """One session at a solo table.

    Args:
        opened: the opened table.
        desk: its desk.
        settings: the player's settings.
        recorder: unused: a solo record is written after the deal, without undone plays.

    """

    alone: ClassVar[bool] = True

    def __init__(
        self, opened: Opened, desk: Desk, settings: PlayerSettings, recorder: Recorder | None
    ) -> None:
        assert isinstance(opened.client, SoloClient)
        self.solo = opened.client
        super().__init__(opened, desk, settings, recorder)
        desk.alone = True
        desk.activity.word = "WON!"
        desk.standing = self._standing
        desk.status = self._status
        self._is_stuck = False
        self._ask_at: int | None = None
        self._searches: list[Search[bool]] = []
        self._sure_until = 0
        self._handlers: dict[str, Callable[[], str]] = {
            "solo-undo": lambda: "" if self.solo.undo() else "There is nothing to undo.",
            "solo-redo": lambda: "" if self.solo.redo() else "There is nothing to redo.",
            "solo-restart": lambda: (
                "the same deal again" if self.solo.restart() else "You have not played yet."
            ),
            "solo-deal": self._deal,
            "solo-up": lambda: "" if self.solo.bring_up() else "Nothing can go up.",
        }

    async def listen(self, heard: Callable[[Message, Cue | None], None]) -> None:
        """Follow the table until the player leaves."""

        def noticed(message: Message, cue: Cue | None) -> None:
            self._is_stuck, self._ask_at = False, self.now() + STUCK_AFTER_MS
            self._searches.clear()
            self.desk.notice = self._summary() if isinstance(message, ev.HandOver) else ()
            heard(message, cue)

        await super().listen(noticed)

    async def tick(self) -> None:
        """Search a little further for a way on while nothing is played."""
        if self._ask_at is not None and self.now() >= self._ask_at:
            self._ask_at = None
            if self.client.view.in_hand and not self.solo.table.is_won:
                self._searches = self.solo.table.searches()
        if self._searches:
            leads_on = self._searches[-1].advance(SLICE_UNITS)
            if leads_on:
                self._searches.clear()
            elif leads_on is False:
                self._searches.pop()
                self._is_stuck = self.desk.hands.hints.is_fruitless = not self._searches
                self.desk.notice = self._summary() if self._is_stuck else ()
                self.desk.touch()

    def does(self, action: str) -> bool:
        """Carry out an action that only a solo table has; return whether it was one."""
        if action == "drop" and self.desk.hands.held is None:
            action = "solo-undo"
        handler = self._handlers.get(action)
        if handler is None:
            return False
        self.desk.hands.hush()
        if text := handler():
            self.desk.hands.say(text, self.now())
        return True

    def _deal(self) -> str:
        is_open = self.solo.table.plays and not self.solo.table.is_won and not self._is_stuck
        if is_open and self.now() >= self._sure_until:
            self._sure_until = self.now() + SURE_MS
            return f"This game is not over: {self.keymap.labels.get('solo-deal', '')} again gives it up."
        self._sure_until = 0
        self.solo.deal(secrets.token_bytes(SEED_SIZE))
        return "another deal"

    def _standing(self) -> str:
        table = self.solo.table
        plays = counted(table.plays, "play")
        day = f"deal of {self.solo.day.isoformat()}   " if self.solo.day is not None else ""
        return f"{day}{plays}   {progress_text(table)}"

    def _summary(self) -> Sequence[str]:
        """Return the game's result and the keys to continue with."""
        keys, table = self.keymap.labels, self.solo.table
        text = win_text(self.solo) if table.is_won else loss_text(self.solo)
        goes_on = {
            "undo": "undo the last play",
            "restart": "the same deal again",
            "deal": "another deal",
        }
        known = [(keys.get(f"solo-{name}"), does) for name, does in goes_on.items()]
        plays = f"{counted(table.plays, 'play')} in {duration(self.solo.elapsed_ms)}"
        return [text, plays, "", *(f"{key}  {does}" for key, does in known if key)]

    def _status(self) -> str:
        keys = self.keymap.labels
        caption = self.solo.table.caption
        undo, deal, again = (keys.get(f"solo-{name}", "") for name in ("undo", "deal", "restart"))
        if self.solo.table.is_won:
            return f"{win_text(self.solo)}  {deal} new deal  {again} again"
        if self._is_stuck:
            return f"{loss_text(self.solo)}  {undo} undo  {again} again  {deal} new"
        return f"Say: {caption}" if caption else self.solo.table.due
