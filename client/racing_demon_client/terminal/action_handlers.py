"""Handlers for every action that is not a play, one function each."""

from collections.abc import Callable
from typing import Any, Final, Protocol

from textual.screen import Screen
from textual.worker import Worker

from racing_demon_client.shared.message_text import kick_question
from racing_demon_client.shared.rules_text import WIDTH, rules_of
from racing_demon_client.sources.solo import score_lines, scores, statistics_path
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.options import Options

from .drawing.help import help_lines
from .look import Look
from .screens.dialogs import ChatScreen, Dialog, HelpScreen, PlaceScreen, QuestionScreen, TextScreen
from .screens.options import OptionsScreen
from .screens.players import PlayerAction, PlayersScreen
from .screens.table import AnalysisScreen, LobbyScreen, PictureScreen, TallyScreen
from .sessions import REPLAY_ACTIONS, ReplaySession, SoloSession, TableSession
from .style import DENSITIES, screen_text


class Stage(Protocol):
    """The part of the application that the handlers use."""

    look: Look
    session: TableSession | None

    @property
    def screen(self) -> Screen[Any]:
        """Return the active screen."""

    def ask(self, dialog: Dialog[Any], then: Callable[[Any], None] | None = None) -> None:
        """Open a dialog and pass its answer to ``then``."""

    def show(self, screen: PictureScreen) -> None:
        """Switch to another screen."""

    def run_worker(self, work: Any, *, group: str) -> Worker[Any]:
        """Run something in the background."""

    def route(self, *, insists: bool = True) -> None:
        """Switch to the screen that fits the table's phase."""

    def dismiss_banner(self) -> bool:
        """Dismiss the banner; return whether there was one."""

    def make(self, kind: type[PictureScreen], session: TableSession) -> PictureScreen:
        """Return a screen of this kind."""

    def change_look(self, look: Look) -> None:
        """Change the look of everything."""

    def keep(self, **changes: Any) -> None:
        """Change settings and save them."""


def act(stage: Stage, session: TableSession, action: str) -> None:
    """Carry out an action; ignore one that means nothing here."""
    if action.startswith("bot-") and action != "bot-away":
        session.tell(cl.AddBot, level=action.removeprefix("bot-"))
    elif action.startswith("react-"):
        session.tell(cl.React, reaction=action.removeprefix("react-"))
    elif action in REPLAY_ACTIONS and isinstance(session, ReplaySession):
        session.do(action)
    elif isinstance(session, SoloSession) and session.does(action):
        return
    elif action in ACTS:
        ACTS[action](stage, session)


def _enter(stage: Stage, session: TableSession) -> None:
    """Start the match, or toggle being ready.

    Once the cards are dealt, show them: the key was pressed a moment too late, to play.
    """
    view, client = session.client.view, session.client
    if stage.dismiss_banner():
        return
    if view.in_hand or view.phase in {Phase.SHUFFLING, Phase.COUNTDOWN} or client.seat is None:
        stage.route()
    elif view.between_matches and client.seat == view.host:
        _start(stage, session)
    else:
        own = view.seats.get(client.seat)
        session.tell(cl.Ready, ready=own is None or not own.ready)


def _start(stage: Stage, session: TableSession) -> None:
    """Deal; ask first if nobody has come yet whom the player may be waiting for."""

    def answered(deals: bool | None) -> None:
        if deals:
            session.tell(cl.Start)

    if session.client.is_alone and session.opened.how != "practiced":
        stage.ask(
            QuestionScreen("Nobody else is here yet. Deal for yourself alone?", "Deal", "Wait"), answered
        )
    else:
        answered(deals=True)


def _bot_away(stage: Stage, session: TableSession) -> None:
    bots = [state.seat for state in session.client.view.seats.values() if state.bot]
    if bots:
        session.tell(cl.RemoveBot, seat=max(bots))


def _chat(stage: Stage, session: TableSession) -> None:
    if session.client.seat is None:
        session.desk.hands.say("Only players can chat.", session.now())
        return

    def said(text: str | None) -> None:
        if text:
            session.tell(cl.Say, text=text)

    stage.ask(ChatScreen(), said)


def _pause(stage: Stage, session: TableSession) -> None:
    session.tell(cl.Pause, paused=not session.client.view.paused)


def _players(stage: Stage, session: TableSession) -> None:
    def chosen(action: PlayerAction | None) -> None:
        if action is None:
            return
        if action.command is cl.Kick and action.seat is not None:
            _kick(stage, session, action.seat)
        elif action.command is not None:
            session.tell(action.command, **action.fields)
        elif action.seat is not None:
            session.desk.ignore(action.seat)

    client = session.client
    stage.ask(PlayersScreen(lambda: client.view, client.seat, session.desk.ignored), chosen)


def _kick(stage: Stage, session: TableSession, seat: int) -> None:
    """Kick a player after the host has confirmed it."""
    state = session.client.view.seats.get(seat)
    if state is None:
        return

    def answered(does_it: bool | None) -> None:
        now = session.client.view.seats.get(seat)
        if does_it and now is not None and now.name == state.name:  # another player may have the seat now
            session.tell(cl.Kick, seat=seat)

    text = screen_text(kick_question(state, "l in this list"))
    stage.ask(QuestionScreen(text, "Kick", "Cancel"), answered)


def _options(stage: Stage, session: TableSession) -> None:
    def chosen(options: Options | None) -> None:
        if options is not None:
            session.tell(cl.SetOptions, options=options)

    view = session.client.view
    locked = ""
    if session.client.seat != view.host:
        locked = "Game and options: only the host can change them."
    elif not view.between_matches:
        locked = "Game and options: they can be changed after this match."
    stage.ask(OptionsScreen(view.options, locked), chosen)


def _help(stage: Stage, session: TableSession) -> None:
    screen = stage.screen
    if isinstance(screen, PictureScreen):
        lines = help_lines(screen.keymap, session.keymap)
        stage.ask(HelpScreen(lines, lambda: stage.look))


def _rules(stage: Stage, session: TableSession) -> None:
    view = session.client.view
    if view.hand is not None:
        game = view.hand.rules.game
        stage.ask(TextScreen(lambda width: rules_of(game, min(width, WIDTH)), lambda: stage.look))


def _statistics(stage: Stage, session: TableSession) -> None:
    lines = ["Your statistics", *score_lines(scores(statistics_path()))]
    stage.ask(TextScreen(lambda width: lines, lambda: stage.look))


def _show(kind: type[PictureScreen]) -> Callable[[Stage, TableSession], None]:
    def show(stage: Stage, session: TableSession) -> None:
        if type(stage.screen) is kind:
            stage.route()
        else:
            stage.show(stage.make(kind, session))

    return show


def _seek(stage: Stage, session: TableSession) -> None:
    def said(text: str | None) -> None:
        if text and isinstance(session, ReplaySession):
            session.seek(text)

    if isinstance(session, ReplaySession):
        stage.ask(PlaceScreen(), said)


def _hint(stage: Stage, session: TableSession) -> None:
    session.desk.hands.hint(session.now(), session.keymap.labels, stage.look.glyphs.card)


def _leave(stage: Stage, session: TableSession) -> None:
    if isinstance(session, ReplaySession | SoloSession):
        stage.run_worker(session.client.leave(), group="leaving")
        return
    if session.opened.ends_with_us:
        text = "Leave the table? You host it, so it ends for everybody."
    else:
        meaning = {"practiced": " The match ends with it.", "watched": ""}
        counts = "" if session.client.view.between_matches else " Your points so far count."
        text = f"Leave the table?{meaning.get(session.opened.how, counts)}"

    def answered(leaves: bool | None) -> None:
        if leaves:
            stage.run_worker(session.client.leave(), group="leaving")

    stage.ask(QuestionScreen(text, "Leave", "Stay"), answered)


def _colors(stage: Stage, session: TableSession) -> None:
    look = stage.look.next_palette()
    stage.keep(palette=look.palette_name)
    stage.change_look(look)
    session.desk.hands.say(look.palette.title, session.now())


def _density(stage: Stage, session: TableSession) -> None:
    size = stage.screen.size
    look = stage.look.next_density(size.width, size.height)
    if look == stage.look:
        wide, high = DENSITIES["medium"].size
        text = f"size: small; larger cards need a terminal of {wide}x{high}"
    else:
        text = f"size: {look.density}"
        stage.keep(density=look.density)
        stage.change_look(look)
    session.desk.hands.say(text, session.now())


def _motion(stage: Stage, session: TableSession) -> None:
    look = stage.look.other_motion()
    stage.keep(motion=look.motion, sound=look.motion)
    stage.change_look(look)
    session.desk.hands.say(f"flashes and sounds: {'on' if look.motion else 'off'}", session.now())


def _volume(stage: Stage, session: TableSession) -> None:
    volume = (session.desk.volume + 1) % 3
    session.desk.volume = volume
    stage.keep(volume=volume)
    text = ("only your own plays", "plays to the foundations", "everything")[volume]
    session.desk.hands.say(f"the feed shows: {text}", session.now())


ACTS: Final[dict[str, Callable[[Stage, TableSession], None]]] = {
    "enter": _enter,
    "back": lambda stage, session: stage.route(),
    "stuck": lambda stage, session: session.tell(cl.Stuck),
    "call": lambda stage, session: session.tell(cl.Call),
    "hint": _hint,
    "watch": lambda stage, session: session.desk.watch_next(),
    "bot-away": _bot_away,
    "options": _options,
    "pause": _pause,
    "players": _players,
    "rotate": lambda stage, session: session.desk.look_around(session.now()),
    "chat": _chat,
    "help": _help,
    "leave": _leave,
    "tally": _show(TallyScreen),
    "analysis": _show(AnalysisScreen),
    "replay-seek": _seek,
    "solo-rules": _rules,
    "solo-statistics": _statistics,
    "lobby": _show(LobbyScreen),
    "colors": _colors,
    "density": _density,
    "motion": _motion,
    "volume": _volume,
}
