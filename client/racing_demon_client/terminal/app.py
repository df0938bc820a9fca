"""The terminal application: it opens tables, shows their screens and ends with an exit code."""

import argparse
import asyncio
import contextlib
import functools
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from dataclasses import replace
from typing import Any, ClassVar, Final

from rich.text import Text
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.filter import LineFilter
from textual.screen import ModalScreen
from textual.worker import Worker, WorkerError

from racing_demon_client.errors import FAULT, SettingsRefused, TableEnded, crash_message
from racing_demon_client.records.recorder import Recorder
from racing_demon_client.saved_tables import RecentTable, recent_tables, recents_path, save_recent
from racing_demon_client.settings import PlayerSettings, load, login_name, save, settings_path
from racing_demon_client.shared.lesson import DUE, is_due, is_ready_due, lesson_for
from racing_demon_client.sources import PRACTICE_HANDS, tables
from racing_demon_client.sources.opened_table import LessonTable, LoneTable, OpenedTable, ReplayedTable
from racing_demon_client.sources.tables import Ask, Bots, Question
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.errors import RacingDemonError
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.presets import usual_options

from .action_handlers import ActionHandlers
from .appearance import Appearance, AsciiFilter, depth_of, glyphs_for, theme
from .keymap import equivalent_keys, known_actions
from .screens.dialogs import ChatScreen, Dialog, QuestionScreen
from .screens.table import CanvasScreen, LobbyScreen, TableScreen, TallyScreen
from .screens.welcome import OpeningRequest, WelcomeScreen
from .sessions import LessonSession, ReplaySession, SoloSession, TableSession
from .style import ASCII, screen_text
from .view_model import BANNER_MS, SoundCue, ViewModel
from .workers import deferred


def opening(request: OpeningRequest, ask: Ask) -> AbstractAsyncContextManager[OpenedTable]:
    """Return a context manager that opens the requested table and closes it again.

    Args:
        request: the request.
        ask: asks the user about a stored seat, and about a name.

    """
    options = usual_options(request.game).model_copy(update={"hints": request.what in {"practice", "alone"}})
    match request.what:
        case "practice":
            options = options.model_copy(update={"hands": PRACTICE_HANDS})
            return tables.practice(request.name, options, Bots(max(1, request.bots), request.level))
        case "learn":
            return tables.learn(request.name, request.game)
        case "host":
            bots = Bots(request.bots, request.level)
            table = request.name, request.options, bots, request.passphrase
            return tables.host(*table, is_typed=True, ask=ask)
        case "alone":
            return nullcontext(LoneTable(tables.alone(request.name, options)))
        case "join":
            return tables.join(request.table, request.name, is_typed=True, ask=ask)
        case _:
            return tables.watch(request.table)


TICK_SECONDS = 0.1

BEFORE_HANDS = frozenset({Phase.LOBBY, Phase.SHUFFLING})
AFTER_HANDS = frozenset({Phase.TALLY, Phase.OVER, Phase.SHUFFLING})
SESSIONS: Final[dict[type[OpenedTable], type[TableSession]]] = {
    LessonTable: LessonSession,
    ReplayedTable: ReplaySession,
    LoneTable: SoloSession,
}
"""The sessions of tables that have one of their own."""
URGENT = (ev.Dealt, ev.Signalled)
"""Events that show the cards at once."""
ROUTING = (*URGENT, Snapshot, ev.HandOver, ev.Joined, ev.Left, ev.Returned)
"""Messages that may require another screen."""


class TerminalApp(App[None]):
    """The application.

    Attributes:
        appearance: the current appearance.
        session: the current session at a table, if any.
        failure: the error that ended the table given at the start.
        is_faulty: whether a bug in this program ended it.

    Args:
        opened: the first table; ``None`` to start with the welcome screen.
        settings: the player's settings.
        appearance: the glyphs, and other values that do not come from the settings.
        recorder: records the first table.
        watched: the seat that a spectator watches first.

    """

    TITLE = "Racing Demon"
    ENABLE_COMMAND_PALETTE = False
    # The highlighted row must be visible without colors, too.
    CSS = "OptionList:focus > .option-list--option-highlighted { text-style: bold underline; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "leave", show=False, priority=True),
        Binding("ctrl+q", "leave", show=False, priority=True),
    ]

    def __init__(
        self,
        opened: OpenedTable | None,
        settings: PlayerSettings,
        appearance: Appearance,
        *,
        recorder: Recorder | None = None,
        watched: int | None = None,
    ) -> None:
        # Textual decides here, once, how to treat NO_COLOR.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.appearance = appearance
        self.session: TableSession | None = None
        self.failure: RacingDemonError | None = None
        self.is_faulty = False
        self._opened = opened
        self._settings = settings
        self._saving = asyncio.Lock()
        self._recorder = recorder
        self._watched = watched
        # Where the player waits for the next deal, and learns meanwhile.
        self._waiting: TableSession | None = None
        self._lesson: Worker[None] | None = None
        self._stack = AsyncExitStack()
        self._table_closing = asyncio.Lock()
        self._redraw_pending = False
        self._shown_until = 0

    def on_mount(self) -> None:
        """Open the first table or the welcome screen."""
        depth = depth_of(None if self.no_color else self.console.color_system)
        self.appearance = replace(
            self.appearance,
            palette_name=self._settings.palette,
            depth=depth,
            density=self._settings.density,
            mark_red=self._settings.mark_red,
            motion=self._settings.motion,
        )
        self._apply_theme()
        self.set_interval(TICK_SECONDS, self._tick)
        if self._opened is not None:
            self._start_session(self._opened)
        else:
            self._welcome()

    def _apply_theme(self) -> None:
        applied = theme(self.appearance.palette)
        self.register_theme(applied)
        self.theme = applied.name
        self.ansi_color = self.appearance.palette.colorless

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters that every drawn line passes through."""
        filters = super().get_line_filters()
        return [*filters, AsciiFilter()] if self.appearance.glyphs is ASCII else filters

    # From the welcome screen to a table and back.

    def _welcome(self, text: str = "") -> None:
        name = self._settings.name or login_name()
        screen = WelcomeScreen(name, recent_tables(recents_path()), self._open_requested)
        self.push_screen(screen)
        if text:
            self.call_after_refresh(screen.show_text, text)

    def _open_requested(self, request: OpeningRequest) -> None:
        self.run_worker(deferred(self._open, request), exclusive=True, group="opening")

    async def _open(self, request: OpeningRequest) -> None:
        screen = self.screen
        assert isinstance(screen, WelcomeScreen)
        screen.show_text("Joining the table..." if request.what == "join" else "Opening the table...")
        if request.name != self._settings.name:
            self.save_settings(name=request.name)
        try:
            opened = await self._stack.enter_async_context(opening(request, self._ask))
        except RacingDemonError as error:
            if tables.is_missing(error):
                await screen.go_otherwise(request, str(error))
            else:
                screen.show_text(str(error))
            return
        while self.screen is not screen:  # a dialog was opened meanwhile
            self.pop_screen()
        self.pop_screen()
        self._start_session(opened)

    async def _ask(self, question: Question) -> bool:
        answered: asyncio.Future[bool | None] = asyncio.get_running_loop().create_future()
        self.push_screen(QuestionScreen(*(screen_text(text) for text in question)), answered.set_result)
        return bool(await answered)

    def _start_session(self, opened: OpenedTable) -> None:
        self.session = self._session_at(opened, self._recorder)
        model = self.session.model
        if self._watched is not None:
            model.watch(self._watched)
        if opened.recent_as and opened.addresses:
            self._remember(opened)
        if opened.note:
            model.selection.show_message(opened.note, self.session.now())
        self.run_worker(deferred(self._listen, self.session), exclusive=True, group="table")
        self.push_screen(self._screen_for(self.session))

    def _session_at(self, opened: OpenedTable, recorder: Recorder | None) -> TableSession:
        model = ViewModel(
            opened.client,
            volume=self._settings.volume,
            motion=self.appearance.motion,
            glyphs=self.appearance.glyphs,
        )
        model.advises = self._settings.advice > 0
        return SESSIONS.get(type(opened), TableSession)(opened, model, self._settings, recorder)

    # Learning, while others play.

    def learn(self) -> None:
        """Learn the game at a table of this player's own, and be back here before the next deal."""
        if self.session is not None and self._waiting is None:
            self._waiting = self.session
            self._waiting.model.selection.show_message("The lesson begins...", self._waiting.now())
            self._lesson = self.run_worker(deferred(self._learn, self._waiting), group="lesson")

    async def _learn(self, waiting: TableSession) -> None:
        name, game = self._settings.name or login_name(), lesson_for(waiting.client.view.options.game)
        try:
            async with tables.learn(name, game) as opened:
                session = self.session = self._session_at(opened, None)
                self.show(self._screen_for(session))
                await session.listen(functools.partial(self._message_received, session))
                self._stop_learning(waiting)  # before its server has ended
        except RacingDemonError as error:
            self._stop_learning(waiting, str(error))

    def _stop_learning(self, waiting: TableSession, text: str = "") -> None:
        """Go back to the table where the player has a seat, unless that has happened."""
        if self._waiting is not waiting:
            return
        self._waiting = None
        self.session = waiting
        self._shown_until = 0
        if text:
            waiting.model.selection.show_message(screen_text(text), waiting.now())
        self.route()
        self._redraw()

    def _follow_while_learning(self, session: TableSession, message: Message) -> None:
        """Follow the table where the player has a seat: count as ready there, and go back in good time."""
        view, seat = session.client.view, session.client.seat
        if is_due(view, seat, message):
            self._stop_learning(session, DUE)
            self._cancel_lesson()
        elif is_ready_due(view, seat) and not session.client.unanswered:
            session.send(cl.Ready)

    def _cancel_lesson(self) -> None:
        """Let the lesson's table close."""
        if self._lesson is not None:
            self._lesson.cancel()

    def _remember(self, opened: OpenedTable) -> None:
        """Add the table to the recent ones."""
        client = opened.client
        name = "" if client.seat is None else client.view.seats[client.seat].name
        recent = RecentTable.now(opened.addresses[0], client.code, name, opened.recent_as)
        if recent is not None:
            save_recent(recents_path(), recent)

    async def _listen(self, session: TableSession) -> None:
        text = ""
        try:
            await session.listen(functools.partial(self._message_received, session))
        except RacingDemonError as error:
            text = str(error)
            if self._opened is not None:
                self.failure = error
            self._stop_learning(session)
            if isinstance(error, TableEnded) and session.end(text):
                self._shown_until = 0
                self.route()
                self._redraw()
                return
        self._stop_learning(session)
        self._cancel_lesson()
        await self._end_session(text)

    async def _end_session(self, text: str = "") -> None:
        """Leave the table: return to the welcome screen, or exit if the program started at a table."""
        self.session = None
        if self._opened is not None:
            self.exit()
            return
        while len(self.screen_stack) > 1:
            self.pop_screen()
        self._welcome(text)
        stack, self._stack = self._stack, AsyncExitStack()  # the next table may open meanwhile
        async with self._table_closing:
            await stack.aclose()

    async def on_unmount(self) -> None:
        """Close whatever the welcome screen opened."""
        self._cancel_lesson()
        if self._lesson is not None:
            with contextlib.suppress(WorkerError):
                await self._lesson.wait()
        # After a failure a host's table must keep running: the context sees an exception then.
        with contextlib.suppress(SystemExit):
            async with self._table_closing, self._stack:
                if self.is_faulty or self.return_code:
                    raise SystemExit(self.return_code)

    # Table events.

    def _message_received(self, session: TableSession, message: Message, cue: SoundCue | None) -> None:
        if session is self._waiting:
            self._follow_while_learning(session, message)
        if session is not self.session:
            return
        if cue is not None and self._settings.sound:
            self.bell()
        if isinstance(message, ev.HandOver):
            self._shown_until = session.now() + BANNER_MS if session.model.banner(session.now()) else 0
            session.debounce()
            self._count_hand(session)
            self.run_worker(deferred(self._check, session), group="checking")
        if isinstance(message, ev.MatchOver | Snapshot) and session.client.view.phase is Phase.OVER:
            self.run_worker(deferred(self._ask_titles, session), exclusive=True, group="titles")
        if isinstance(message, ROUTING):
            self.route(force=isinstance(message, URGENT))
        if not self._redraw_pending:
            self._redraw_pending = True
            self.call_later(self._redraw)

    def _count_hand(self, session: TableSession) -> None:
        """Count a hand that has been played: nobody is a newcomer for long."""
        if session.model.advises and session.client.view.plays_hand(session.client.seat):
            self.save_settings(advice=self._settings.advice - 1)
            session.model.advises = self._settings.advice > 0

    async def _check(self, session: TableSession) -> None:
        await session.verifier.verify()
        self._redraw()

    async def _ask_titles(self, session: TableSession) -> None:
        await session.ask_titles()
        self._redraw()

    def _redraw(self) -> None:
        """Redraw once for all messages received in this turn."""
        self._redraw_pending = False
        for screen in self.screen_stack:  # empty while the application exits
            if isinstance(screen, CanvasScreen):
                screen.canvas.redraw()
            elif isinstance(screen, Dialog):
                screen.renew()

    async def _tick(self) -> None:
        session = self.session
        if session is None or session.ended:
            return
        await session.tick()
        if self._waiting is not None and self._waiting is not session:
            await self._waiting.tick()
        if not self.screen_stack:  # the timer may fire while the application exits
            return
        if self._shown_until and session.now() >= self._shown_until:
            self.dismiss_banner()
        have_addresses_changed = session.have_addresses_changed()
        if (
            session.model.rotate_if_due(session.now())
            or session.model.has_changed_by_time(session.now())
            or have_addresses_changed
        ):
            self._redraw()

    def dismiss_banner(self) -> bool:
        """Switch from the banner to the tally; return whether there was a banner."""
        was_shown, self._shown_until = bool(self._shown_until), 0
        if was_shown:
            if self.session is not None:
                self.session.debounce()
            self.route(force=False)
        return was_shown

    def _screen_for(self, session: TableSession) -> CanvasScreen:
        view = session.client.view
        kind: type[CanvasScreen] = TableScreen
        if session.alone:
            pass  # a solo table stays in view
        elif view.phase in AFTER_HANDS and view.results and session.now() >= self._shown_until:
            kind = TallyScreen
        elif view.phase in BEFORE_HANDS and session.opened.awaits_others:
            kind = LobbyScreen
        if isinstance(self.screen, kind) and type(self.screen) is kind and self.screen.session is session:
            return self.screen
        return self.new_screen(kind, session)

    def new_screen(self, kind: type[CanvasScreen], session: TableSession) -> CanvasScreen:
        """Return a screen of this kind."""
        return kind(session, lambda: self.appearance, self.perform_action)

    def route(self, *, force: bool = True) -> None:
        """Switch to the screen that fits the table's phase. Only a chat dialog may stay on top of it.

        Args:
            force: whether to close other dialogs too: the cards do not wait.

        """
        session = self.session
        if session is None or not self.screen_stack:  # no screens are left while the application exits
            return
        while force and isinstance(self.screen, ModalScreen) and not isinstance(self.screen, ChatScreen):
            self.pop_screen()
        if not isinstance(self.screen, ModalScreen):
            self.show(self._screen_for(session))

    def show(self, screen: CanvasScreen) -> None:
        """Replace the current picture; a dialog on top of it stays."""
        if isinstance(self.screen, CanvasScreen) and screen is not self.screen:
            self.switch_screen(screen)

    def open_dialog(self, dialog: Dialog[Any], then: Callable[[Any], None] | None = None) -> None:
        """Open a dialog, handle its answer, then switch to the screen that fits by then.

        Args:
            dialog: the dialog.
            then: receives the answer, unless the session has changed meanwhile.

        """
        session = self.session

        def answered(answer: Any) -> None:
            if self.session is session:
                if then is not None:
                    then(answer)
                self.route(force=False)

        self.push_screen(dialog, answered)

    # Actions other than plays.

    async def perform_action(self, action: str) -> None:
        """Carry out an action that is not a play; ignore it while a dialog is open."""
        if self.session is not None and self.session.ended:
            await self._end_session(self.session.ended)
        elif self.session is not None and not isinstance(self.screen, ModalScreen):
            ActionHandlers(self, self.session).run(action)

    async def action_leave(self) -> None:
        """Leave the table after a question; exit if a question is open already."""
        if self.session is not None and self.session.ended:
            await self._end_session(self.session.ended)
        elif self.session is None or isinstance(self.screen, QuestionScreen):
            self.exit()
        else:
            ActionHandlers(self, self.session).run("leave")

    async def on_key(self, event: events.Key) -> None:
        """Let a capital, wide or foreign letter that means nothing stand for the key that types it."""
        bindings = self.active_bindings
        if event.character is None or event.key in bindings or event.character in bindings:
            return
        for key in equivalent_keys(event.character):
            if (active := bindings.get(key)) is not None:
                event.prevent_default()
                await self.run_action(active.binding.action, active.node)
                return

    def _fatal_error(self) -> None:
        """Exit with a message instead of Textual's traceback."""
        self.is_faulty = True
        if self.is_headless:
            super()._fatal_error()  # tests that drive the application need the exception
        else:
            opened = None if self.session is None else self.session.opened
            text = crash_message(opened.after_crash()) if opened else crash_message()
            self.panic(Text(text))

    # Look and settings.

    def save_settings(self, **changes: Any) -> None:
        """Change settings and save them."""
        self._settings = self._settings.model_copy(update=changes)
        self.run_worker(deferred(self._save, changes), group="settings")

    async def _save(self, changes: dict[str, Any]) -> None:
        """Save settings in a thread: a slow disk must not delay a card."""
        try:
            async with self._saving:  # each change builds on the previous one
                await asyncio.to_thread(save, settings_path(), **changes)
        except SettingsRefused as error:
            if self.session is not None:
                self.session.model.selection.show_message(
                    screen_text(str(error)), self.session.now(), is_warning=True
                )
            elif isinstance(self.screen, WelcomeScreen):
                self.screen.show_text(str(error))

    def change_appearance(self, appearance: Appearance) -> None:
        """Change the look of everything."""
        self.appearance = appearance
        if self.session is not None:
            self.session.model.motion = appearance.motion
        self._apply_theme()


async def run(
    opened: OpenedTable | None,
    arguments: argparse.Namespace,
    recorder: Recorder | None = None,
    *,
    watched: int | None = None,
) -> int:
    """Show a table, or the welcome screen, until the user leaves.

    Args:
        opened: the table to show.
        arguments: the command line.
        recorder: records the table.
        watched: the seat that a spectator watches first.

    Raises:
        SettingsRefused: the settings are invalid; the text says where and why.
        ConnectionFailed: the connection was lost for good.
        SystemExit: a signal ended the program.

    """
    settings = load(settings_path())
    if unknown := sorted(set(settings.bindings) - known_actions()):
        known = ", ".join(sorted({re.sub(r"\d+", "N", name) for name in known_actions()}))
        raise SettingsRefused(
            f"{settings_path()}: there is nothing called {unknown[0]!r} to bind a key to. "
            f"There are, with a number for N: {known}."
        )
    glyphs = glyphs_for("ascii" if arguments.ascii else settings.glyphs, sys.stdout.encoding or "")
    app = TerminalApp(opened, settings, Appearance(glyphs=glyphs), recorder=recorder, watched=watched)
    # SIGHUP keeps its default: the terminal is gone and nothing can be drawn.
    with contextlib.suppress(NotImplementedError):  # Windows event loops have no signal handlers
        ended = functools.partial(app.exit, None, 128 + signal.SIGTERM)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended)
    await app.run_async(mouse=settings.mouse)
    if app.failure is not None:
        raise app.failure
    if app.return_code == 128 + signal.SIGTERM:
        sys.exit(app.return_code)
    return FAULT if app.is_faulty else app.return_code or 0
