"""Handlers for every action that is not a play, one method each."""

from collections.abc import Callable
from typing import Any, Protocol

from textual.screen import Screen
from textual.worker import Worker

from racing_demon_client.shared.lesson import can_learn
from racing_demon_client.shared.message_text import END_QUESTION, LISTED, kick_question
from racing_demon_client.shared.rules_text import WIDTH, rules_of
from racing_demon_client.sources.solo import load_scores, score_lines, statistics_path
from racing_demon_protocol.enums import BOTS_PLAY, BotLevel, Phase
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.table.appearance import seat_colors
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.options import Options

from .appearance import Appearance
from .drawing.canvas import Canvas
from .drawing.guide import draw_guide
from .drawing.help import help_lines
from .screens.dialogs import (
    BotsScreen,
    ChatScreen,
    Dialog,
    HelpScreen,
    QuestionScreen,
    ReportScreen,
    SeekScreen,
    TextScreen,
)
from .screens.handicap import HandicapScreen
from .screens.name_and_color import NameScreen
from .screens.options import OptionsScreen
from .screens.people import PeopleScreen
from .screens.players import PlayerAction, PlayersScreen
from .screens.table import AnalysisScreen, CanvasScreen, LobbyScreen, TallyScreen
from .sessions import ReplaySession, SoloSession, TableSession, method_of
from .style import ASCII, DENSITIES, screen_text

CLOSE_TUNNEL = "Close the tunnel? Who plays over the internet is away then, until you open it again."


class AppContext(Protocol):
    """The part of the application that the handlers use."""

    appearance: Appearance
    session: TableSession | None

    @property
    def screen(self) -> Screen[Any]:
        """Return the active screen."""

    def open_dialog(self, dialog: Dialog[Any], then: Callable[[Any], None] | None = None) -> None:
        """Open a dialog and pass its answer to ``then``."""

    def show(self, screen: CanvasScreen) -> None:
        """Switch to another screen."""

    def run_worker(self, work: Any, *, group: str) -> Worker[Any]:
        """Run something in the background."""

    def route(self, *, force: bool = True) -> None:
        """Switch to the screen that fits the table's phase."""

    def dismiss_banner(self) -> bool:
        """Dismiss the banner; return whether there was one."""

    def new_screen(self, kind: type[CanvasScreen], session: TableSession) -> CanvasScreen:
        """Return a screen of this kind."""

    def learn(self) -> None:
        """Learn the game until the next deal."""

    def change_appearance(self, appearance: Appearance) -> None:
        """Change the look of everything."""

    def save_settings(self, **changes: Any) -> None:
        """Change settings and save them."""


class ActionHandlers:
    """Carries out the actions at a table that are not plays.

    As in Textual, the method ``action_bot_away`` carries out the action ``bot-away``. Actions that only a
    replay or a solo table has are methods of its session.

    Args:
        app: the application.
        session: the session at the table.

    """

    def __init__(self, app: AppContext, session: TableSession) -> None:
        self._app = app
        self._session = session

    def run(self, action: str) -> None:
        """Carry out an action; ignore one that means nothing here."""
        if action.startswith("bot-") and action != "bot-away":
            self._session.send(cl.AddBot, level=action.removeprefix("bot-"))
        elif action.startswith("react-"):
            self._session.send(cl.React, reaction=action.removeprefix("react-"))
        elif not self._session.run_action(action) and (handler := method_of(self, action)) is not None:
            handler()

    def action_back(self) -> None:
        """Show the cards again."""
        self._app.route()

    def action_stuck(self) -> None:
        """Declare being stuck."""
        self._session.send(cl.Stuck)

    def action_shift(self) -> None:
        """Move the top card of the stock to its bottom."""
        self._session.send(cl.ShiftStock)

    def action_call(self) -> None:
        """Call "Demon!"."""
        self._session.send(cl.Call)

    def action_watch(self) -> None:
        """Watch the next player."""
        self._session.model.watch_next()

    def action_rotate(self) -> None:
        """Rotate through the players, or stop."""
        self._session.model.toggle_rotation(self._session.now())

    def action_tally(self) -> None:
        """Show the tally, or the cards again."""
        self._toggle(TallyScreen)

    def action_analysis(self) -> None:
        """Show the analysis of the last hand, or the cards again."""
        self._toggle(AnalysisScreen)

    def action_lobby(self) -> None:
        """Show the lobby, or the cards again."""
        self._toggle(LobbyScreen)

    def action_enter(self) -> None:
        """Start the match, or toggle being ready.

        Once the cards are dealt, show them: the key was pressed a moment too late, to play.
        """
        view, client = self._session.client.view, self._session.client
        if self._app.dismiss_banner():
            return
        if view.in_hand or view.phase in {Phase.SHUFFLING, Phase.COUNTDOWN} or client.seat is None:
            self._app.route()
        elif self._is_after_lesson():
            self.action_leave()
        elif view.between_matches and client.seat == view.host:
            self._start()
        else:
            own = view.seats.get(client.seat)
            self._session.send(cl.Ready, ready=own is None or not own.ready)

    def _start(self) -> None:
        """Deal; ask first if nobody has come yet whom the player may be waiting for."""

        def answered(deals: bool | None) -> None:
            if deals:
                self._session.send(cl.Start)

        if self._session.client.is_alone and self._session.opened.awaits_others:
            self._app.open_dialog(
                QuestionScreen("Nobody else is here yet. Deal for yourself alone?", "Deal", "Wait"), answered
            )
        else:
            answered(deals=True)

    def action_bots(self) -> None:
        """Ask for a level, and add a bot of it."""

        def chosen(level: BotLevel | None) -> None:
            if level is not None:
                self._session.send(cl.AddBot, level=level)

        self._app.open_dialog(BotsScreen(BOTS_PLAY), chosen)

    def action_bot_away(self) -> None:
        """Remove the last bot."""
        bots = [state.seat for state in self._session.client.view.seats.values() if state.bot]
        if bots:
            self._session.send(cl.RemoveBot, seat=max(bots))

    def action_chat(self) -> None:
        """Ask for a line of chat, and send it."""
        if self._session.client.seat is None:
            self._session.model.selection.show_message("Only players can chat.", self._session.now())
            return

        def answered(text: str | None) -> None:
            if text:
                self._session.send(cl.Say, text=text)

        self._app.open_dialog(ChatScreen(), answered)

    def action_pause(self) -> None:
        """Pause or resume the hand."""
        self._session.send(cl.Pause, paused=not self._session.client.view.paused)

    def action_players(self) -> None:
        """Ask for an action on a player."""
        asks: dict[type[cl.Command], Callable[[int | None], None]] = {
            cl.EndMatch: self._ask_end,
            cl.Kick: self._kick,
            cl.Report: self._ask_report,
            cl.SetAppearance: self._ask_appearance,
            cl.SetHandicap: self._ask_handicap,
        }

        def chosen(action: PlayerAction | None) -> None:
            if action is None:
                return
            if action.command in asks:
                asks[action.command](action.seat)
            elif action.command is not None:
                self._session.send(action.command, **action.fields)
                if action.command is cl.ListTable:
                    self._session.model.selection.show_message(LISTED, self._session.now())
            elif action.seat is not None:
                self._session.model.ignore(action.seat)

        client = self._session.client
        if client.watchers and client.seat is not None and client.seat == client.view.host:
            self._session.send(cl.ListSpectators)
        self._app.open_dialog(
            PlayersScreen(
                lambda: client.view,
                client.seat,
                self._session.model.ignored,
                lambda: client.spectators,
                lambda: client.is_listed,
            ),
            chosen,
        )

    def _kick(self, seat: int | None) -> None:
        """Kick a player after the host has confirmed it."""
        state = None if seat is None else self._session.client.view.seats.get(seat)
        if state is None:
            return

        def answered(does_it: bool | None) -> None:
            now = self._session.client.view.seats.get(state.seat)
            if does_it and now is not None and now.name == state.name:  # another player may have the seat now
                self._session.send(cl.Kick, seat=state.seat)

        text = screen_text(kick_question(state, "l in this list"))
        self._app.open_dialog(QuestionScreen(text, "Kick", "Cancel"), answered)

    def _ask_end(self, _seat: int | None) -> None:
        """End the match after the host has confirmed it."""
        seen = self._session.client.view.seq  # the answer may come when the next match is being played

        def answered(does_it: bool | None) -> None:
            if does_it:
                self._session.send(cl.EndMatch, seen=seen)

        self._app.open_dialog(QuestionScreen(END_QUESTION, "End it", "Play on"), answered)

    def _ask_report(self, seat: int | None) -> None:
        """Ask what there is to report about a player, or the table, and send it."""
        state = None if seat is None else self._session.client.view.seats.get(seat)

        def answered(text: str | None) -> None:
            now = None if seat is None else self._session.client.view.seats.get(seat)
            if text and (now and now.name) == (state and state.name):  # another may have the seat now
                self._session.send(cl.Report, text=text, seat=seat)

        whom = "this table" if state is None else screen_text(state.name)
        self._app.open_dialog(ReportScreen(whom), answered)

    def _ask_handicap(self, seat: int | None) -> None:
        """Ask for a player's handicap, and set it."""
        client = self._session.client
        state = None if seat is None else client.view.seats.get(seat)
        if state is None:
            return

        def answered(handicap: Handicap | None) -> None:
            if handicap is not None:
                self._session.send(cl.SetHandicap, seat=state.seat, handicap=handicap)

        self._app.open_dialog(HandicapScreen(state, is_own=client.seat != client.view.host), answered)

    def _ask_appearance(self, seat: int | None) -> None:
        view = self._session.client.view
        if seat is None or seat not in view.seats:
            return

        def answered(answer: tuple[str, int] | None) -> None:
            if answer is not None:
                self._session.send(cl.SetAppearance, name=answer[0], color=answer[1])

        colors = seat_colors(view.seats)
        owners = {color: view.seats[other].name for other, color in colors.items() if other != seat}
        self._app.open_dialog(NameScreen(view.seats[seat].name, colors[seat], owners), answered)

    def action_options(self) -> None:
        """Show the table's options, and change them."""

        def chosen(options: Options | None) -> None:
            if options is not None:  # of an older server's options only those that it knows can change
                changes = options.changes_from(self._session.client.view.options)
                self._session.send(cl.SetOptions, options=changes)

        view = self._session.client.view
        locked = ""
        if self._session.client.seat != view.host:
            locked = "Game and options: only the host can change them."
        elif not view.between_matches:
            locked = "Game and options: they can be changed after this match."
        server = next(iter(self._session.opened.addresses), "")
        self._app.open_dialog(OptionsScreen(view.options, locked, server), chosen)

    def action_learn(self) -> None:
        """Learn the game until the next deal."""
        if can_learn(self._session.client.view, self._session.client.seat):
            self._app.learn()

    def action_people(self) -> None:
        """Show whom this user's own server knows, and what one of them needs to come, or to return."""
        opened, appearance = self._session.opened, self._app.appearance
        if opened.people is None:
            text = "only who has opened the server with racing-demon host can confirm people"
            self._session.model.selection.show_message(text, self._session.now())
            return
        address = next(iter(opened.current_addresses()), "")
        table, ascii_only = self._session.client.view.code, appearance.glyphs is ASCII
        dialog = PeopleScreen(opened.people, opened.internet, address, table, ascii_only=ascii_only)
        self._app.open_dialog(dialog)

    def action_internet(self) -> None:
        """Open the tunnel of this user's own server, or close it; that is asked first where it is in use."""
        internet = self._session.opened.internet
        if internet is None:
            text = "only who has opened the server with racing-demon host can open it to the internet"
            self._session.model.selection.show_message(text, self._session.now())
            return

        def answered(does_it: bool | None) -> None:
            if does_it:
                internet.turn(on=False)

        self._session.show_notes()
        if internet.invitation.link is not None and not internet.is_fixed:
            self._app.open_dialog(QuestionScreen(CLOSE_TUNNEL, "Close", "Keep"), answered)
        else:
            internet.turn(on=not internet.is_open)

    def action_help(self) -> None:
        """Show all keys, and how the game is played: that first to newcomers, and before there are cards."""
        screen, session = self._app.screen, self._session
        if not isinstance(screen, CanvasScreen):
            return
        lines = help_lines(screen.keymap, session.keymap)
        view = session.client.view
        options = view.options
        is_waiting = session.client.seat is not None and not view.plays_hand(session.client.seat)
        is_table = not isinstance(session, ReplaySession | SoloSession) and options.game in GAMES

        def guide(first: int, size: tuple[int, int]) -> Canvas:
            labels = {**session.keymap.labels, **screen.keymap.labels}
            return draw_guide(options, labels, first, size, self._app.appearance.glyphs)

        dialog = HelpScreen(
            lines,
            lambda: self._app.appearance,
            guide if is_table else None,
            shows_guide=isinstance(screen, LobbyScreen) or is_waiting or session.model.advises,
        )
        self._app.open_dialog(dialog)

    def action_solo_rules(self) -> None:
        """Show the rules of the game."""
        view = self._session.client.view
        if view.hand is not None:
            game = view.hand.rules.game
            self._app.open_dialog(
                TextScreen(lambda width: rules_of(game, min(width, WIDTH)), lambda: self._app.appearance)
            )

    def action_solo_statistics(self) -> None:
        """Show the statistics of solo games."""
        lines = ["Your statistics", *score_lines(load_scores(statistics_path()))]
        self._app.open_dialog(TextScreen(lambda width: lines, lambda: self._app.appearance))

    def action_replay_seek(self) -> None:
        """Ask for a position in the record, and go there."""

        def answered(text: str | None) -> None:
            if text and isinstance(self._session, ReplaySession):
                self._session.seek(text)

        if isinstance(self._session, ReplaySession):
            self._app.open_dialog(SeekScreen(), answered)

    def action_hint(self) -> None:
        """Show a play that helps."""
        self._session.model.selection.hint(
            self._session.now(), self._session.keymap.labels, self._app.appearance.glyphs.card_text
        )

    def action_leave(self) -> None:
        """Leave the table, after a question where it matters."""
        if isinstance(self._session, ReplaySession | SoloSession) or self._is_after_lesson():
            self._app.run_worker(self._session.client.leave, group="leaving")
            return
        if self._session.opened.lesson is not None:
            text = f"Leave the lesson? {self._session.opened.cost_of_leaving()}".strip()
        elif self._session.opened.ends_with_us:
            text = "Leave the table? You host it, so it ends for everybody."
        else:
            text = f"Leave the table? {self._session.opened.cost_of_leaving()}".strip()

        def answered(leaves: bool | None) -> None:
            if leaves:
                self._app.run_worker(self._session.client.leave, group="leaving")

        self._app.open_dialog(QuestionScreen(text, "Leave", "Stay"), answered)

    def _is_after_lesson(self) -> bool:
        lesson = self._session.opened.lesson
        return lesson is not None and lesson.is_over

    def action_colors(self) -> None:
        """Switch to the next palette."""
        appearance = self._app.appearance.next_palette()
        self._app.save_settings(palette=appearance.palette_name)
        self._app.change_appearance(appearance)
        self._session.model.selection.show_message(appearance.palette.title, self._session.now())

    def action_density(self) -> None:
        """Switch to the next size of cards that fits."""
        size = self._app.screen.size
        appearance = self._app.appearance.next_density(size.width, size.height)
        if appearance == self._app.appearance:
            wide, high = DENSITIES["medium"].size
            text = f"size: small; larger cards need a terminal of {wide}x{high}"
        else:
            text = f"size: {appearance.density}"
            self._app.save_settings(density=appearance.density)
            self._app.change_appearance(appearance)
        self._session.model.selection.show_message(text, self._session.now())

    def action_motion(self) -> None:
        """Turn flashes and sounds on or off."""
        appearance = self._app.appearance.other_motion()
        self._app.save_settings(motion=appearance.motion, sound=appearance.motion)
        self._app.change_appearance(appearance)
        self._session.model.selection.show_message(
            f"flashes and sounds: {'on' if appearance.motion else 'off'}", self._session.now()
        )

    def action_volume(self) -> None:
        """Report more or fewer plays of others."""
        volume = (self._session.model.volume + 1) % 3
        self._session.model.volume = volume
        self._app.save_settings(volume=volume)
        text = ("only your own plays", "plays to the foundations", "everything")[volume]
        self._session.model.selection.show_message(f"the feed shows: {text}", self._session.now())

    def _toggle(self, kind: type[CanvasScreen]) -> None:
        """Show a screen of this kind, or the cards if it is shown already."""
        if type(self._app.screen) is kind:
            self._app.route()
        else:
            self._app.show(self._app.new_screen(kind, self._session))
