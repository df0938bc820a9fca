"""A session at a table: the connection, the desk, the keys and the proof of each hand."""

import time
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import ClassVar

from racing_demon_client.records.recorder import Recorder
from racing_demon_client.records.verifier import Verifier
from racing_demon_client.settings import PlayerSettings
from racing_demon_client.shared.pile_names import keyed
from racing_demon_client.sources.openers import Opened
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.games import declare
from racing_demon_protocol.records.analysis import History, SeatAnalysis, analyze
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Pong
from racing_demon_protocol.wire.options import Options

from .activity import Cue
from .desk import Desk
from .drawing.pages.frame import Page
from .input.actions import BOT_ACTIONS
from .input.keymap import Keymap, game_keymap, lobby_keymap, watch_keymap
from .input.presets import PRESETS

SILENCE_MS = 3_000
"""After this long without any message the player is warned."""
PING_MS = 2_000


class TableSession:
    """One session at a table.

    Attributes:
        alone: whether this is a solo table.
        opened: the opened table.
        desk: the desk.
        verifier: verifies each finished hand.
        analysis: the analysis of the last hand, for each player.
        settle_ms: for how long keys are ignored after a hand.
        settled_at: when they work again.
        ended: why the table is gone, while its tally is still shown.

    Args:
        opened: the opened table.
        desk: its desk.
        settings: the player's settings.
        recorder: writes the record, if requested.

    """

    alone: ClassVar[bool] = False
    settle_ms: ClassVar[int] = 700

    def __init__(
        self, opened: Opened, desk: Desk, settings: PlayerSettings, recorder: Recorder | None
    ) -> None:
        self.opened = opened
        self.client = opened.client
        self.desk = desk
        self.verifier = Verifier()
        self._preset = PRESETS[settings.keys]
        self._bindings = settings.bindings
        self._recorder = recorder
        self._keymaps: dict[tuple[str, ...], Keymap] = {}
        self.analysis: list[SeatAnalysis] = []
        self._history = History()
        self._heard_at = self.now()
        self._pinged_at = 0
        self.settled_at = 0
        self.ended = ""
        self.client.notice = self._notice
        self._addresses = self.opened.addresses_now()

    def now(self) -> int:
        """Return milliseconds on the session's monotonic clock."""
        return time.monotonic_ns() // 1_000_000

    @property
    def keymap(self) -> Keymap:
        """The keys of the game in play."""
        view, focus = self.client.view, self.desk.focus
        if self.client.seat is None:
            return self.watch_keymap
        if view.rules is None or view.board is None or focus is None:
            return self._keymap_of(_keyed_before_the_deal(view.options))
        if self.client.seat not in view.hand_seats:
            return self.watch_keymap
        return self._keymap_of(keyed(view.rules, view.board, focus))

    def _keymap_of(self, names: tuple[str, ...]) -> Keymap:
        known = self._keymaps.get(names)
        if known is None:
            known = game_keymap(self._preset, self._bindings, names, alone=self.alone)
            self._keymaps[names] = known
        return known

    @cached_property
    def watch_keymap(self) -> Keymap:
        """The keys of a spectator."""
        return watch_keymap(self._bindings, seated=self.client.seat is not None)

    @cached_property
    def lobby_keymap(self) -> Keymap:
        """The keys between hands."""
        return lobby_keymap(self._bindings, seated=self.client.seat is not None)

    def settle(self) -> None:
        """Ignore keys for a moment: they were meant for the hand."""
        self.settled_at = self.now() + self.settle_ms

    def end(self, why: str) -> bool:
        """Stay after the table has ended if there is a tally to show; return whether there is."""
        if self.client.view.phase is not Phase.OVER:
            return False
        self.ended = why
        self.desk.trouble = ""
        self.desk.status = lambda: f"{why} Enter goes on."
        self.desk.touch()
        self.settle()
        return True

    # Receiving.

    async def listen(self, heard: Callable[[Message, Cue | None], None]) -> None:
        """Follow the table until either side closes the connection.

        All waiting messages are applied without a pause between them.

        Raises:
            ConnectionFailed: the connection cannot be resumed, or the server closed it.
            CommandRefused: the table, or the seat at it, is gone.
            RecordFailed: the record cannot be written.

        """
        async for message in self.client:
            now = self._heard_at = self.now()
            if self._recorder is not None:
                self._recorder.keep(message, self.client.view)
            self._keep(message)
            self._analyse(message)
            if isinstance(message, Pong):
                self.desk.ping_ms = float((now - message.stamp) % 2**31)
            heard(message, self.desk.follow(message, now))

    def _analyse(self, message: Message) -> None:
        """Follow a message for the analysis; complete it when the hand is over."""
        view = self.client.view
        self._history.note(message, view, time.monotonic_ns() // 1_000, self.client.seat)
        if isinstance(message, ev.HandOver) and self._history.hand is not None:
            seed = view.deal_seed(bytes.fromhex(message.seed))
            self.analysis = analyze(self._history.hand, view, seed)

    def _keep(self, message: Message) -> None:
        """Keep what the proof needs once the hand's secret is revealed."""
        self.verifier.keep(message, self.client.view, self.client.part)

    def note_paint(self, born: float) -> None:
        """Record that a key's effect was painted; ``born`` is when the key came, in monotonic seconds."""
        self.desk.paint_ms = (time.monotonic() - born) * 1_000

    def _notice(self, text: str) -> None:
        """Store a notice about the connection for :meth:`tick` to show."""
        self._heard_at = self.now()
        self.desk.trouble = "" if self.client.online else "reconnecting..."

    async def tick(self) -> None:
        """Ping the server from time to time and record how long it has been silent."""
        now = self.now()
        if not self.client.online:
            return
        silence = now - self._heard_at
        self.desk.trouble = f"no answer for {silence // 1_000} s" if silence >= SILENCE_MS else ""
        if now - self._pinged_at >= PING_MS:
            self._pinged_at = now
            await self.client.ping(now % 2**31)

    # Sending.

    def play(self, play: Play) -> None:
        """Send a play."""
        command = self.client.play_command(play)
        self.desk.sent(command.counter, play, self.now())
        self.client.post(command)

    def tell(self, command: type[cl.Command], **fields: object) -> None:
        """Send any other command."""
        self.client.post(command.model_validate({"counter": self.client.next_counter(), **fields}))

    def has_moved(self) -> bool:
        """Return whether others join at other addresses than at the last call."""
        before, self._addresses = self._addresses, self.opened.addresses_now()
        return before != self._addresses

    def page(self) -> Page:
        """Return the page to draw between hands."""
        keymap, view = self.lobby_keymap, self.client.view
        prompt, is_warning = self.desk.prompt(self.now(), keymap.labels)
        is_host = self.client.seat == view.host and view.between_matches
        has_cards = view.in_hand or view.phase is Phase.COUNTDOWN
        hosts_only = {*BOT_ACTIONS, "options"}
        footer = [
            (keymap.labels[action.id], action.brief or action.id, action.id)
            for action in keymap.actions
            if not self.ended  # then every key leads back
            and action.id in keymap.labels
            and (action.brief or action.id in {"chat", "leave", "players"})
            and (is_host or action.id not in hosts_only)
            and (action.id != "back" or has_cards)
            and (action.id != "analysis" or bool(self.analysis))
        ]
        return Page(
            view=view,
            seat=self.client.seat,
            focus=self.desk.focus,
            addresses=self.opened.addresses_now(),
            is_hosted=self.opened.follow is not None,
            feed=self.desk.activity.feed,
            prompt=prompt,
            is_warning=is_warning,
            trouble=self.desk.trouble,
            watchers=self.client.watchers,
            seed=self.verifier.seed,
            proof=self.verifier.proof,
            is_wrong=self.verifier.has_found_fault,
            analysis=self.analysis,
            labels=keymap.labels,
            footer=footer,
        )


@lru_cache(maxsize=8)
def _keyed_before_the_deal(options: Options) -> tuple[str, ...]:
    """Return the actions that need a key once the cards are dealt."""
    rules = make_rules(declare(options, 1), (0,))
    return keyed(rules, rules.deal(), 0)
