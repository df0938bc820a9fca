"""A session at a replay: the terminal table driven by a record's clock."""

from collections.abc import Callable
from functools import cached_property
from typing import Final

from racing_demon_client.records.recorder import Recorder
from racing_demon_client.settings import PlayerSettings
from racing_demon_client.shared.message_text import duration
from racing_demon_client.sources.openers import Opened
from racing_demon_client.sources.replay import BadPlace, Replay
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot

from .desk import Desk
from .input.keymap import Keymap, replay_keymap
from .session import TableSession

REPLAY_ACTIONS: Final[dict[str, Callable[[Replay], None]]] = {
    "replay-pause": lambda replay: replay.pause(paused=not replay.paused and not replay.at_end),
    "replay-back": lambda replay: replay.step(-1),
    "replay-step": lambda replay: replay.step(1),
    "replay-slower": lambda replay: replay.faster(-1),
    "replay-faster": lambda replay: replay.faster(1),
    "replay-hand-back": lambda replay: replay.next_hand(-1),
    "replay-hand-next": lambda replay: replay.next_hand(1),
}
"""What the keys do to a replay; seeking to a typed place is separate."""


class ReplaySession(TableSession):
    """A session at a replayed table.

    Args:
        opened: the replay.
        desk: its desk.
        settings: the player's settings.
        recorder: writes the record, if requested.

    """

    def __init__(
        self, opened: Opened, desk: Desk, settings: PlayerSettings, recorder: Recorder | None
    ) -> None:
        assert isinstance(opened.client, Replay)
        self.replay = opened.client
        super().__init__(opened, desk, settings, recorder)
        desk.status = self._status
        desk.sees_all = True
        self._motion = desk.motion
        if self.replay.paused:
            desk.motion = False

    def now(self) -> int:
        """Return milliseconds on the replay's own clock."""
        return self.replay.now_ms()

    @property
    def keymap(self) -> Keymap:
        """The keys of a replay."""
        return self.lobby_keymap

    @cached_property
    def lobby_keymap(self) -> Keymap:
        """The same keys, at the tally."""
        return replay_keymap(self._bindings)

    async def tick(self) -> None:
        """Do nothing: a replay needs no pings."""

    def do(self, action: str) -> None:
        """Carry out a replay action."""
        self.desk.hands.hush()
        was_paused = self.replay.paused
        REPLAY_ACTIONS[action](self.replay)
        if self.replay.paused and not was_paused:
            # Nothing fades while the clock stands still, so nothing may flash either.
            self._motion, self.desk.motion = self.desk.motion, False
        elif was_paused and not self.replay.paused:
            self.desk.motion = self._motion

    def seek(self, text: str) -> None:
        """Seek to a typed place, or show why it is not one."""
        try:
            self.replay.go_to(text)
        except BadPlace as error:
            self.desk.hands.say(str(error), self.now(), is_warning=True)

    def _analyse(self, message: Message) -> None:
        """Analyze a finished hand from the whole record, wherever the replay was moved to."""
        if isinstance(message, Snapshot | ev.HandOver):
            self.analysis = self.replay.timeline.analysis_at(self.replay.place)

    def _keep(self, message: Message) -> None:
        """Keep a finished hand as the record has it, wherever the replay was moved to."""
        super()._keep(message)
        if isinstance(message, Snapshot):
            self.verifier.forget()  # state from before the seek
            self.desk.activity.feed.clear()
        elif isinstance(message, ev.HandOver):
            self.verifier.take_up(self.replay.hand())

    def _status(self) -> str:
        replay = self.replay
        state = "at the end" if replay.at_end else "paused" if replay.paused else f"speed {replay.speed:g}"
        at = duration(max(0, replay.timeline.elapsed_ms(replay.place)))
        event = f"{replay.timeline.seq_at(replay.place)} of {replay.timeline.last_seq}"
        return f"Replay: {at}, event {event}, {state}"
