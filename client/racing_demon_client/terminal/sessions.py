"""Sessions at a table of any kind: the connection, the view model, the keys and the proof of each hand."""

import secrets
import time
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import ClassVar, Final

from racing_demon_client.records.recorder import Recorder
from racing_demon_client.records.verifier import Verifier
from racing_demon_client.settings import PlayerSettings
from racing_demon_client.shared.invitation import Invitation
from racing_demon_client.shared.lesson import DONE
from racing_demon_client.shared.message_text import duration
from racing_demon_client.shared.pile_names import actions_with_keys
from racing_demon_client.shared.title_text import SeatTitle
from racing_demon_client.sources.known_people import AbsentPeople
from racing_demon_client.sources.opened_table import OpenedTable
from racing_demon_client.sources.replay import InvalidPosition, ReplayClient
from racing_demon_client.sources.solo import SoloClient, loss_text, progress_text, win_text
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.commit_reveal import SEED_SIZE
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.sliced_search import SlicedSearch
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.formatting import pluralize
from racing_demon_protocol.games import declare
from racing_demon_protocol.table.state import DEALT
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Pong, Snapshot
from racing_demon_protocol.wire.options import Options

from .actions import BOT_ACTIONS
from .drawing.pages import Page
from .keymap import (
    KEYBOARD_LAYOUTS,
    NOT_IN_LESSONS,
    Keymap,
    game_keymap,
    lobby_keymap,
    replay_keymap,
    watch_keymap,
)
from .view_model import SoundCue, ViewModel

SILENCE_MS = 3_000
"""After this long without any message the player is warned."""
PING_MS = 2_000


def method_of(handlers: object, action: str) -> Callable[[], None] | None:
    """Return the method that carries out an action, ``action_…`` with its name, if there is one."""
    method: Callable[[], None] | None = getattr(handlers, f"action_{action.replace('-', '_')}", None)
    return method


class TableSession:
    """One session at a table.

    Attributes:
        alone: whether this is a solo table.
        opened: the opened table.
        model: the view model.
        verifier: verifies each finished hand.
        debounce_ms: for how long keys are ignored after a hand.
        debounce_until: when they work again.
        ended: why the table is gone, while its tally is still shown.

    Args:
        opened: the opened table.
        model: its view model.
        settings: the player's settings.
        recorder: writes the record, if requested.

    """

    alone: ClassVar[bool] = False
    debounce_ms: ClassVar[int] = 700

    def __init__(
        self, opened: OpenedTable, model: ViewModel, settings: PlayerSettings, recorder: Recorder | None
    ) -> None:
        self.opened = opened
        self.client = opened.client
        self.model = model
        self.verifier = Verifier()
        self._preset = KEYBOARD_LAYOUTS[settings.keys]
        self._bindings = settings.bindings
        self._recorder = recorder
        self._keymaps: dict[tuple[str, ...], Keymap] = {}
        self._last_message_at = self.now()
        self._pinged_at = 0
        self.debounce_until = 0
        self.ended = ""
        self.client.notice = self._notice
        self._joined_by = self._ways_to_join()
        self._hidden_note = ""
        self._titles: Sequence[SeatTitle] = ()
        self._titled: str | None = None

    def now(self) -> int:
        """Return milliseconds on the session's monotonic clock."""
        return time.monotonic_ns() // 1_000_000

    @property
    def keymap(self) -> Keymap:
        """The keys of the game in play."""
        view, focus = self.client.view, self.model.focus
        if self.client.seat is None:
            return self.watch_keymap
        if view.hand is None or focus is None:
            return self._keymap_of(_keyed_before_the_deal(view.options))
        if not view.plays_hand(self.client.seat):
            return self.watch_keymap
        return self._keymap_of(actions_with_keys(view.hand.rules, view.hand.board, focus))

    def _keymap_of(self, names: tuple[str, ...]) -> Keymap:
        keymap = self._keymaps.get(names)
        if keymap is None:
            keymap = game_keymap(self._preset, self._bindings, names, alone=self.alone)
            self._keymaps[names] = keymap
        return keymap

    @cached_property
    def watch_keymap(self) -> Keymap:
        """The keys of a spectator."""
        return watch_keymap(self._bindings, seated=self.client.seat is not None)

    @cached_property
    def lobby_keymap(self) -> Keymap:
        """The keys between hands."""
        return lobby_keymap(self._bindings, seated=self.client.seat is not None)

    def debounce(self) -> None:
        """Ignore keys for a moment: they were meant for the hand."""
        self.debounce_until = self.now() + self.debounce_ms

    def end(self, why: str) -> bool:
        """Stay after the table has ended if there is a tally to show; return whether there is."""
        if self.client.view.phase is not Phase.OVER:
            return False
        self.ended = why
        self.model.trouble = ""
        self.model.status = lambda: f"{why} Enter goes on."
        self.model.touch()
        self.debounce()
        return True

    # Receiving.

    async def listen(self, on_message: Callable[[Message, SoundCue | None], None]) -> None:
        """Follow the table until either side closes the connection.

        All waiting messages are applied without a pause between them.

        Raises:
            ConnectionFailed: the connection cannot be resumed, or the server closed it.
            CommandRefused: the table, or the seat at it, is gone.
            RecordFailed: the record cannot be written.

        """
        async for message in self.client:
            now = self._last_message_at = self.now()
            if self._recorder is not None:
                self._recorder.record(message, self.client.view)
            self._collect_proof(message)
            self._analyse(message)
            if isinstance(message, Pong):
                self.model.ping_ms = float((now - message.stamp) % 2**31)
            on_message(message, self.model.observe(message, now))

    def _analyse(self, message: Message) -> None:
        """Follow a message for the analysis."""
        self.model.tracker.analyze(message, self.client.view, self.client.seat, self.now() * 1_000)

    async def ask_titles(self) -> None:
        """Ask for the titles of the evening after the match that is over."""
        deal = self.client.view.commitment
        self._titles, self._titled = await self.client.titles(), deal

    def _collect_proof(self, message: Message) -> None:
        """Keep what the proof needs once the hand's secret is revealed."""
        self.verifier.observe(message, self.client.view, self.client.contribution_state)

    def record_paint(self, born: float) -> None:
        """Record that a key's effect was painted; ``born`` is when the key came, in monotonic seconds."""
        self.model.paint_ms = (time.monotonic() - born) * 1_000

    def _notice(self, text: str) -> None:
        """Store a notice about the connection for :meth:`tick` to show."""
        self._last_message_at = self.now()
        self.model.trouble = "" if self.client.online else "reconnecting..."

    async def tick(self) -> None:
        """Ping the server from time to time and record how long it has been silent."""
        now = self.now()
        if not self.client.online:
            return
        silence = now - self._last_message_at
        self.model.trouble = f"no answer for {silence // 1_000} s" if silence >= SILENCE_MS else ""
        if now - self._pinged_at >= PING_MS:
            self._pinged_at = now
            await self.client.ping(now % 2**31)

    def run_action(self, action: str) -> bool:
        """Carry out an action that only this kind of session has; return whether it was one."""
        handler = method_of(self, action)
        if handler is not None:
            handler()
        return handler is not None

    # Sending.

    def play(self, play: Play) -> None:
        """Send a play."""
        command = self.client.play_command(play)
        self.model.record_sent(command.counter, play, self.now())
        self.client.post(command)

    def send(self, command: type[cl.Command], **fields: object) -> None:
        """Send any other command."""
        self.client.post(command.model_validate({"counter": self.client.next_counter(), **fields}))

    @cached_property
    def absent_people(self) -> AbsentPeople | None:
        """The people whom this user's own server knows and who are missing; ``None`` at another's server."""
        people = self.opened.people
        return None if people is None else AbsentPeople(people, self._names_here)

    def _names_here(self) -> list[str]:
        return [state.name for state in self.client.view.seats.values() if not state.left]

    def have_addresses_changed(self) -> bool:
        """Return whether the addresses for others have changed since the last call."""
        before, self._joined_by = self._joined_by, self._ways_to_join()
        return before != self._joined_by

    def _ways_to_join(self) -> tuple[Sequence[str], Invitation | None]:
        """Return the addresses for others, and the invitation over the internet."""
        return self.opened.current_addresses(), self.opened.current_invitation()

    def hide_note(self) -> bool:
        """Hide what there is to know of the tunnel, until that changes; return whether it was shown."""
        invitation = self._shown_invitation()
        if invitation is None or not invitation.note:
            return False
        self._hidden_note = invitation.note
        return True

    def show_notes(self) -> None:
        """Show again what there is to know of the tunnel."""
        self._hidden_note = ""

    def _shown_invitation(self) -> Invitation | None:
        """Return the invitation over the internet, without a note that is hidden."""
        invitation = self.opened.current_invitation()
        if invitation is not None and invitation.note == self._hidden_note:
            return invitation.without_note()
        return invitation

    def page(self) -> Page:
        """Return the page to draw between hands."""
        keymap, view = self.lobby_keymap, self.client.view
        prompt, is_warning = self.model.prompt(self.now(), keymap.labels)
        is_host = self.client.seat == view.host and view.between_matches
        has_cards = view.phase in DEALT
        hosts_only = {*BOT_ACTIONS, "options"}
        footer = [
            (keymap.labels[action.id], action.summary or action.id, action.id)
            for action in keymap.actions
            if not self.ended  # then every key leads back
            and action.id in keymap.labels
            and (action.summary or action.id in {"chat", "leave", "players"})
            and (is_host or action.id not in hosts_only)
            and (action.id != "back" or has_cards)
            and (action.id != "analysis" or bool(self.model.tracker.analysis))
        ]
        return Page(
            view=view,
            seat=self.client.seat,
            focus=self.model.focus,
            addresses=self.opened.current_addresses(),
            invitation=self._shown_invitation(),
            is_hosted=self.opened.find_addresses is not None,
            feed=self.model.activity.feed,
            prompt=prompt,
            is_warning=is_warning,
            trouble=self.model.trouble,
            watchers=self.client.watchers,
            seed=self.verifier.seed,
            proof=self.verifier.proof,
            is_wrong=self.verifier.has_failed,
            analysis=self.model.tracker.analysis,
            titles=self._titles if view.phase is Phase.OVER and view.commitment == self._titled else (),
            ping_ms=self.model.ping_ms,
            labels=keymap.labels,
            footer=footer,
            absent=() if self.absent_people is None else self.absent_people.names(),
            away=[each.name for each in self.opened.who_can_return()],
        )


@lru_cache(maxsize=8)
def _keyed_before_the_deal(options: Options) -> tuple[str, ...]:
    """Return the actions that need a key once the cards are dealt."""
    rules = make_rules(declare(options, 1), (0,))
    return actions_with_keys(rules, rules.deal(), 0)


class ReplaySession(TableSession):
    """A session at a replayed table.

    Args:
        opened: the replay.
        model: its view model.
        settings: the player's settings.
        recorder: writes the record, if requested.

    """

    def __init__(
        self, opened: OpenedTable, model: ViewModel, settings: PlayerSettings, recorder: Recorder | None
    ) -> None:
        assert isinstance(opened.client, ReplayClient)
        self.replay = opened.client
        super().__init__(opened, model, settings, recorder)
        model.status = self._status
        model.sees_all = True
        self._motion = model.motion
        if self.replay.paused:
            model.motion = False

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

    def run_action(self, action: str) -> bool:
        """Carry out an action that only a replay has; return whether it was one."""
        was_paused = self.replay.paused
        if not super().run_action(action):
            return False
        self.model.selection.clear_message()
        if self.replay.paused and not was_paused:
            # Nothing fades while the clock stands still, so nothing may flash either.
            self._motion, self.model.motion = self.model.motion, False
        elif was_paused and not self.replay.paused:
            self.model.motion = self._motion
        return True

    def action_replay_pause(self) -> None:
        """Pause, or resume; at the end, start again."""
        self.replay.pause(paused=not self.replay.paused and not self.replay.at_end)

    def action_replay_back(self) -> None:
        """Step back by one message, and pause."""
        self.replay.step(-1)

    def action_replay_step(self) -> None:
        """Step on by one message, and pause."""
        self.replay.step(1)

    def action_replay_slower(self) -> None:
        """Switch to the next slower speed."""
        self.replay.faster(-1)

    def action_replay_faster(self) -> None:
        """Switch to the next faster speed."""
        self.replay.faster(1)

    def action_replay_hand_back(self) -> None:
        """Go to this hand's deal, or to the previous one."""
        self.replay.next_hand(-1)

    def action_replay_hand_next(self) -> None:
        """Go to the next hand's deal."""
        self.replay.next_hand(1)

    def seek(self, text: str) -> None:
        """Seek to a typed place, or show why it is not one."""
        try:
            self.replay.seek_to(text)
        except InvalidPosition as error:
            self.model.selection.show_message(str(error), self.now(), is_warning=True)

    def _analyse(self, message: Message) -> None:
        """Analyze a finished hand from the whole record, wherever the replay was moved to."""
        if isinstance(message, Snapshot | ev.HandOver):
            self.model.tracker.analysis = self.replay.timeline.analysis_at(self.replay.position)

    def _collect_proof(self, message: Message) -> None:
        """Keep a finished hand as the record has it, wherever the replay was moved to."""
        super()._collect_proof(message)
        if isinstance(message, Snapshot):
            self.verifier.clear()  # state from before the seek
            self.model.activity.feed.clear()
        elif isinstance(message, ev.HandOver):
            self.verifier.load_hand(self.replay.hand())

    def _status(self) -> str:
        replay = self.replay
        state = "at the end" if replay.at_end else "paused" if replay.paused else f"speed {replay.speed:g}"
        at = duration(max(0, replay.timeline.elapsed_ms(replay.position)))
        event = f"{replay.timeline.seq_at(replay.position)} of {replay.timeline.last_seq}"
        return f"Replay: {at}, event {event}, {state}"


class LessonSession(TableSession):
    """One session at a table at which the game is taught.

    Args:
        opened: the opened table.
        model: its view model.
        settings: the player's settings.
        recorder: writes the record, if requested.

    """

    def __init__(
        self, opened: OpenedTable, model: ViewModel, settings: PlayerSettings, recorder: Recorder | None
    ) -> None:
        assert opened.lesson is not None
        self.lesson = opened.lesson
        self._told: list[str] = []
        super().__init__(opened, model, settings, recorder)
        model.advises = False
        model.status = self._status

    async def listen(self, on_message: Callable[[Message, SoundCue | None], None]) -> None:
        """Follow the table; what is wrong is answered by the reason."""

        def noticed(message: Message, cue: SoundCue | None) -> None:
            said = self.lesson.observe(message, self.model.glyphs.card_text)
            on_message(message, cue)
            outcome = self.lesson.outcome(self.model.glyphs.card_text)
            if said or outcome:
                self.model.selection.show_message(said or outcome, self.now(), is_warning=bool(said))
            self._tell()
            self.model.touch()

        await super().listen(noticed)

    @cached_property
    def lobby_keymap(self) -> Keymap:
        """The keys at the end: there is nobody to wait for, and nothing to open."""
        return lobby_keymap(self._bindings, without=NOT_IN_LESSONS)

    def _tell(self) -> None:
        """Say the rule behind a new step, and at the end what the hand scores."""
        lines = self.lesson.score() if self.lesson.is_over else [self.lesson.rule]
        if all(lines) and lines != self._told:
            self._told = lines
            for line in lines:
                self.model.tell(line, self.now())

    def _status(self) -> str:
        if self.lesson.is_over:
            return f"{DONE}. {self.lobby_keymap.labels.get('enter', 'Leave')}: back."
        key = self.keymap.labels.get("stuck")
        return self.lesson.text(self._point, self.model.glyphs.card_text, f"Press {key}." if key else "")

    def _point(self, play: Play) -> str:
        """Show a play, unless it is in the air: then the cards lie where they go."""
        if self.client.unanswered:
            return ""
        return self.model.selection.point_at(play, self.keymap.labels, self.model.glyphs.card_text)


STUCK_AFTER_MS: Final = 400
"""How long nothing is played before the search for a way on begins."""
SLICE_UNITS: Final = 1_000
"""The search's work in one tick: at most ten milliseconds."""

CONFIRM_MS: Final = 5_000
"""Within this time a second press confirms giving up."""


class SoloSession(TableSession):
    """One session at a solo table.

    Args:
        opened: the opened table.
        model: its view model.
        settings: the player's settings.
        recorder: unused: a solo record is written after the deal, without undone plays.

    """

    alone: ClassVar[bool] = True

    def __init__(
        self, opened: OpenedTable, model: ViewModel, settings: PlayerSettings, recorder: Recorder | None
    ) -> None:
        assert isinstance(opened.client, SoloClient)
        self.solo = opened.client
        super().__init__(opened, model, settings, recorder)
        model.alone = True
        model.activity.word = "WON!"
        model.standing = self._standing
        model.status = self._status
        self._is_stuck = False
        self._ask_at: int | None = None
        self._searches: list[SlicedSearch[bool]] = []
        self._confirm_until = 0

    async def listen(self, on_message: Callable[[Message, SoundCue | None], None]) -> None:
        """Follow the table until the player leaves."""

        def noticed(message: Message, cue: SoundCue | None) -> None:
            self._is_stuck, self._ask_at = False, self.now() + STUCK_AFTER_MS
            self._searches.clear()
            self.model.notice = self._summary() if isinstance(message, ev.HandOver) else ()
            on_message(message, cue)

        await super().listen(noticed)

    async def tick(self) -> None:
        """Search a little further for a way on while nothing is played."""
        if self._ask_at is not None and self.now() >= self._ask_at:
            self._ask_at = None
            if self.client.view.in_hand and not self.solo.table.is_won:
                self._searches = self.solo.table.searches()
        if self._searches:
            can_progress = self._searches[-1].advance(SLICE_UNITS)
            if can_progress:
                self._searches.clear()
            elif can_progress is False:
                self._searches.pop()
                self._is_stuck = self.model.selection.hints.is_fruitless = not self._searches
                self.model.notice = self._summary() if self._is_stuck else ()
                self.model.touch()

    def run_action(self, action: str) -> bool:
        """Carry out an action that only a solo table has; return whether it was one."""
        if action == "drop" and self.model.selection.held is None:
            action = "solo-undo"
        if method_of(self, action) is None:
            return False
        self.model.selection.clear_message()
        return super().run_action(action)

    def action_solo_undo(self) -> None:
        """Undo the last play."""
        if not self.solo.undo():
            self._show("There is nothing to undo.")

    def action_solo_redo(self) -> None:
        """Redo the last undone play."""
        if not self.solo.redo():
            self._show("There is nothing to redo.")

    def action_solo_up(self) -> None:
        """Play every card to the foundations that can go there."""
        if not self.solo.play_all_up():
            self._show("Nothing can go up.")

    def action_solo_restart(self) -> None:
        """Start the same deal again."""
        self._show("the same deal again" if self.solo.restart() else "You have not played yet.")

    def action_solo_deal(self) -> None:
        """Start another deal; ask for a second press if that gives up a game."""
        is_open = self.solo.table.plays and not self.solo.table.is_won and not self._is_stuck
        if is_open and self.now() >= self._confirm_until:
            self._confirm_until = self.now() + CONFIRM_MS
            key = self.keymap.labels.get("solo-deal", "")
            self._show(f"This game is not over: {key} again gives it up.")
            return
        self._confirm_until = 0
        self.solo.deal(secrets.token_bytes(SEED_SIZE))
        self._show("another deal")

    def _show(self, text: str) -> None:
        self.model.selection.show_message(text, self.now())

    def _standing(self) -> str:
        table = self.solo.table
        plays = pluralize(table.plays, "play")
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
        plays = f"{pluralize(table.plays, 'play')} in {duration(self.solo.elapsed_ms)}"
        return [text, plays, "", *(f"{key}  {does}" for key, does in known if key)]

    def _status(self) -> str:
        keys = self.keymap.labels
        caption = self.solo.table.caption
        undo, deal, again = (keys.get(f"solo-{name}", "") for name in ("undo", "deal", "restart"))
        if self.solo.table.is_won:
            return f"{win_text(self.solo)}  {deal} new deal  {again} again"
        if self._is_stuck:
            return f"{loss_text(self.solo)}  {undo} undo  {again} again  {deal} new"
        return f"Say: {caption}" if caption else self.solo.table.required_first
