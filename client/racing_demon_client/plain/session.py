"""A player's or spectator's session in plain text: lines in, lines out."""

import asyncio
import re
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Final, NamedTuple, TextIO

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.links import person_page
from racing_demon_client.net.table_client import TableClient
from racing_demon_client.records.recorder import Recorder
from racing_demon_client.records.verifier import Verifier
from racing_demon_client.saved_people import folded
from racing_demon_client.shared.analysis_text import analysis_lines, hashes, summary
from racing_demon_client.shared.lesson import BACK, DUE, can_learn, is_due, is_ready_due, lesson_for
from racing_demon_client.shared.message_text import END_QUESTION, LISTED, MessageText, Write, kick_question
from racing_demon_client.shared.table_view import TableView
from racing_demon_client.shared.title_text import title_lines
from racing_demon_client.shared.trackers import (
    BestPlayThrottle,
    HintFinder,
    Meaning,
    StuckTracker,
    TableTracker,
)
from racing_demon_client.sources import tables
from racing_demon_client.sources.opened_table import OpenedTable
from racing_demon_client.streams import read_in_background, run_until_one_ends
from racing_demon_protocol.constants import MAX_CHAT_LENGTH, MAX_REPORT_LENGTH, TEAM_LETTERS
from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.engine.cards import Card
from racing_demon_protocol.engine.cards import name as card_name
from racing_demon_protocol.enums import BotLevel, Phase, Reaction
from racing_demon_protocol.errors import RacingDemonError
from racing_demon_protocol.formatting import pluralize, printable
from racing_demon_protocol.table.scoring import match_winners
from racing_demon_protocol.table.state import DEALT
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Accepted, Pong, SeatState, Snapshot

from . import render
from .commands import (
    HELP,
    ParsedLine,
    ParseError,
    TextCommand,
    hint_line,
    line_for,
    parse_command,
    parse_play,
)
from .render import wrap_lines


def has_guests(client: TableClient) -> bool:
    """Return whether there are other players, not counting bots."""
    seats = client.view.seats.items()
    return any(seat != client.seat and not state.bot and not state.left for seat, state in seats)


COMMANDS: Final[dict[TextCommand, tuple[type[cl.Command], dict[str, bool]]]] = {
    TextCommand.STUCK: (cl.Stuck, {}),
    TextCommand.SHIFT: (cl.ShiftStock, {}),
    TextCommand.CALL: (cl.Call, {}),
    TextCommand.READY: (cl.Ready, {}),
    TextCommand.UNREADY: (cl.Ready, {"ready": False}),
    TextCommand.PAUSE: (cl.Pause, {}),
    TextCommand.GO_ON: (cl.Pause, {"paused": False}),
    TextCommand.LAST: (cl.SetLastHand, {}),
    TextCommand.NOT_LAST: (cl.SetLastHand, {"last": False}),
    TextCommand.LATE_LOWEST: (cl.SetLateStart, {}),
    TextCommand.LATE_ZERO: (cl.SetLateStart, {"lowest": False}),
    TextCommand.LOCK: (cl.CloseEntry, {}),
    TextCommand.UNLOCK: (cl.CloseEntry, {"closed": False}),
    TextCommand.LIST: (cl.ListTable, {}),
    TextCommand.SPECTATORS: (cl.ListSpectators, {}),
    TextCommand.LEAVE: (cl.Leave, {}),
}
"""The verbs that are sent without an argument."""
SEAT_COMMANDS: Final[dict[TextCommand, tuple[type[cl.Command], dict[str, bool]]]] = {
    TextCommand.MAKE_HOST: (cl.MakeHost, {}),
    TextCommand.STAND_IN: (cl.StandIn, {}),
    TextCommand.MUTE: (cl.Mute, {}),
    TextCommand.UNMUTE: (cl.Mute, {"muted": False}),
}
"""The verbs that take a seat."""
HANDICAP_PARTS: Final = {"reserve": "heap", "late": "delay_s", "points": "points"}
"""The words for the parts of a handicap."""
HANDICAP_USAGE: Final = "Type a handicap like: handicap 3 reserve 2 late 10 points -3, or: handicap 3 none"
REPORT_USAGE: Final = "Say what happened, like: report 3 insults, or: report table insults"
ENDS: Final = "You host this table, so it ends for everybody."
SEAT_NUMBERS: Final = frozenset("12345678")
"""The words for seats."""
VOLUMES: Final = ("only your own plays", "plays to the foundations", "everything")


class _Question(NamedTuple):
    """A question to the user: what to do after a yes, which may fail, and what to say if it is not done."""

    do: Callable[[], Awaitable[bool]]
    otherwise: str


class FeedVolume:
    """How much is reported of other players' plays: 0 nothing, 1 foundation plays, 2 everything."""

    def __init__(self) -> None:
        self.level = 1

    def turn(self) -> str:
        """Switch to the next level and return its description."""
        self.level = (self.level + 1) % len(VOLUMES)
        return f"you are shown {VOLUMES[self.level]}"

    def admits(self, message: Message, client: TableClient) -> bool:
        """Return whether a message is to be printed."""
        if isinstance(message, ev.Progressed):
            return message.seat != client.seat and self.level > 0
        if (
            not isinstance(message, ev.Played)
            or message.seat == client.seat
            or self.level == len(VOLUMES) - 1
        ):
            return True
        board = client.view.board
        upward = board is not None and board.piles[message.destination].kind is Kind.FOUNDATION
        return self.level == 1 and upward


async def attend(
    client: TableClient, write: Write | None, *, recorder: Recorder | None = None, ascii_only: bool = False
) -> None:
    """Follow a table until its match is over: print events and the tally, write the record."""
    if write is not None:
        client.notice = write
    verifier, stuck_tracker = Verifier(), StuckTracker()
    async for message in client:
        if recorder is not None:
            recorder.record(message, client.view)
        verifier.observe(message, client.view, client.contribution_state)
        over = isinstance(message, ev.MatchOver)
        is_news = stuck_tracker.observe(message, client.view)
        if write is not None and is_news:
            line = MessageText(client.view, client.seat, ascii_only=ascii_only).describe(message)
            for text in [*([line] if line else []), *wrap_lines(_picture(message, client, ascii_only))]:
                write(text)
            if over:
                await _tell_titles(client, write, ascii_only=ascii_only)
            if isinstance(message, ev.HandOver):
                await verifier.verify()
                write(printable(verifier.proof))
        if over:
            return


def _picture(message: Message, client: TableClient, ascii_only: bool) -> list[str]:
    """Return the lines after a message for a spectator: the table at the start, the tally at the end."""
    if isinstance(message, Snapshot | ev.Dealt) and client.view.hand is not None:
        return render.table(TableView.of(client.view, client.seat), ascii_only=ascii_only)
    if isinstance(message, ev.MatchOver) or (
        isinstance(message, ev.HandOver) and match_winners(client.view) is None
    ):
        return render.tally(client.view, client.seat)
    return []


async def take_part(
    opened: OpenedTable,
    write: Write,
    lines: TextIO = sys.stdin,
    *,
    recorder: Recorder | None = None,
    ascii_only: bool = False,
) -> None:
    """Play at a table until the player quits or the input ends.

    Ask for confirmation first if that ends the table for others, and before a deal for nobody else if others
    are awaited.
    """
    player = _Player(opened, write, recorder, ascii_only=ascii_only)
    with player.asking_on_interrupt():
        try:
            await run_until_one_ends(player.listen(), player.execute_lines(read_in_background(lines)))
        finally:
            player.close()


async def _tell_titles(client: TableClient, write: Write, *, ascii_only: bool) -> None:
    """Print the titles of the evening after a match, as soon as they are made."""
    titles = await client.titles()
    words = MessageText(client.view, client.seat, ascii_only=ascii_only)
    for line in wrap_lines(title_lines(titles, words)):
        write(line)


class _Player:
    """A player at the keyboard."""

    def __init__(
        self, opened: OpenedTable, write: Write, recorder: Recorder | None, *, ascii_only: bool
    ) -> None:
        self._opened = opened
        self._client = opened.client
        self._client.notice = write
        self._write = write
        self._recorder = recorder
        self._volume = FeedVolume()
        self._ascii = ascii_only
        self._tracker = TableTracker(HintFinder())
        self._choices = BestPlayThrottle()
        self._question: _Question | None = None
        self._ends_with_us = opened.ends_with_us
        self._internet = opened.internet
        self._was_warned = False
        self._awaits_others = opened.awaits_others
        self._was_asked = False
        self._verifier = Verifier()
        self._step = ""
        self._telling: asyncio.Task[None] | None = None
        self._typed: asyncio.Queue[str | None] = asyncio.Queue()
        self._due: asyncio.Event | None = None

    def close(self) -> None:
        """Stop what is still done beside the table."""
        if self._telling is not None:
            self._telling.cancel()

    async def listen(self) -> None:
        """Print events; while the player learns at another table, only follow them."""
        async for message in self._client:
            if self._due is not None:
                await self._follow_while_learning(message, self._due)
                continue
            await self._tell(message)
            self._write_all(self._taught(message))
            if isinstance(message, Snapshot) and can_learn(self._client.view, self._client.seat):
                self._write("Type learn to learn the game until then.")

    def _observe(self, message: Message) -> Meaning:
        """Record and verify what happens at the table, and return what it means."""
        if self._recorder is not None:
            self._recorder.record(message, self._client.view)
        view, seat, now_us = self._client.view, self._client.seat, time.monotonic_ns() // 1_000
        self._tracker.analyze(message, view, seat, now_us)
        self._verifier.observe(message, view, self._client.contribution_state)
        return self._tracker.observe(message, view, seat, now_us // 1_000)

    async def _tell(self, message: Message) -> None:
        """Print what a message says."""
        view, seat, meaning = self._client.view, self._client.seat, self._observe(message)
        self._write_all(meaning.devices)
        words = MessageText(view, seat, ascii_only=self._ascii)
        if (opened := words.describe_opened(message, meaning.opened)) is not None:
            self._write(opened)
        is_news = meaning.is_news and not isinstance(message, Accepted | Pong)
        if not is_news or not self._volume.admits(message, self._client):
            return
        lost = meaning.lost
        line = words.describe(message) if lost is None else f"refused: {words.describe_lost_race(lost)}"
        if line is not None:
            self._write(line)
        self._add_picture(message)
        if isinstance(message, ev.HandOver):
            await self._verifier.verify()
            self._write(printable(self._verifier.proof))

    def _taught(self, message: Message) -> list[str]:
        """Return what a lesson says to a message: what happened, and each step once."""
        lesson, view = self._opened.lesson, self._client.view
        if lesson is None:
            return []
        said = [lesson.observe(message, self._name), lesson.outcome(self._name)]
        text = lesson.text(self._line_for, self._name, "Type: stuck") if view.in_hand else ""
        if lesson.is_over and isinstance(message, ev.HandOver):
            said += lesson.score()
        elif text != self._step:
            self._step = text
            said += [text, lesson.rule]
        return [line for line in said if line]

    def _name(self, card: Card) -> str:
        return card_name(card, ascii_only=self._ascii)

    def _line_for(self, play: Play) -> str:
        """Return the line to type for a play."""
        hand, seat = self._client.view.hand, self._client.seat
        assert hand is not None
        assert seat is not None
        is_turn = play == hand.rules.stock_play(hand.board, seat)
        line = None if is_turn else line_for(hand.rules, hand.board, seat, play)
        return f"Type: {line or 't'}"

    def _add_picture(self, message: Message) -> None:
        view, seat = self._client.view, self._client.seat
        if isinstance(message, ev.Dealt):
            self._write_all(render.table(TableView.of(view, seat), ascii_only=self._ascii))
        elif isinstance(message, ev.HandOver):
            words = MessageText(view, seat, ascii_only=self._ascii)
            self._write_all(analysis_lines(self._tracker.analysis, seat, words))
            if match_winners(view) is None:
                self._write_all(render.tally(view, seat))
                self._write("Press Enter when you are ready for the next hand.")
        elif isinstance(message, ev.MatchOver):
            self._write_all(render.tally(view, seat))
            if self._opened.lesson is not None:
                self._write("q: leave the lesson")
                return
            if not message.closed:
                self._write("Enter: another match; q: quit")
            self.close()
            self._telling = asyncio.create_task(
                _tell_titles(self._client, self._write, ascii_only=self._ascii)
            )

    async def execute_lines(self, typed: asyncio.Queue[str | None]) -> None:
        """Carry out typed lines."""
        self._typed = typed
        while (line := await typed.get()) is not None:
            if self._opened.people is not None:
                self._opened.people.end_code()  # the host is at something else
            if await self._answers(line):
                continue
            spoken = parse_command(line)
            if self._stays(spoken):
                continue
            if spoken is not None and spoken.verb is TextCommand.QUIT:
                return
            try:
                if spoken is not None:
                    await self._obey(spoken)
                else:
                    await self._play(line.strip())
            except ParseError as error:
                self._write(str(error))
        typed.put_nowait(None)  # it is the end of the input for whoever reads on, too

    def _stays(self, spoken: ParsedLine | None) -> bool:
        """Return whether to stay: the first request to quit is declined if it ends the table for others."""
        goes = spoken is not None and spoken.verb in {TextCommand.QUIT, TextCommand.LEAVE}
        was_warned, self._was_warned = self._was_warned, goes
        if not goes or was_warned or not (self._ends_with_us and has_guests(self._client)):
            return False
        self._write(f"{ENDS} Type it again to leave.")
        return True

    @contextmanager
    def asking_on_interrupt(self) -> Iterator[None]:
        """Let the first Ctrl-C ask, if leaving ends the table for others."""
        usual, loop = signal.getsignal(signal.SIGINT), asyncio.get_running_loop()

        def ask(number: int, frame: FrameType | None) -> None:
            signal.signal(signal.SIGINT, usual)
            if has_guests(self._client):
                loop.call_soon_threadsafe(self._write, f"{ENDS} Press Ctrl-C again to leave.")
            elif callable(usual):
                usual(number, frame)

        if not self._ends_with_us or not callable(usual):
            yield
            return
        signal.signal(signal.SIGINT, ask)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, usual)

    async def _play(self, line: str) -> None:
        view, seat = self._client.view, self._client.seat
        if view.hand is None or not view.plays_hand(seat) or seat is None:
            raise ParseError("You have no cards yet. ? lists the commands.")
        is_choice, now = line.endswith("*"), time.monotonic_ns() // 1_000_000
        if is_choice and not self._choices.allows(now):
            return
        try:
            play = parse_play(line, view.hand.rules, view.hand.board, seat)
        except ParseError:
            if is_choice:
                self._choices.record_miss(now)
            raise
        await self._make(play)

    async def _make(self, play: Play) -> None:
        command = self._client.play_command(play)
        self._tracker.record_play(command.counter, play, time.monotonic_ns() // 1_000_000)
        await self._client.send(command)

    async def _obey(self, spoken: ParsedLine) -> None:
        client = self._client
        match spoken.verb:
            case TextCommand.START:
                await self._start()
            case verb if verb in COMMANDS:
                await self._send(*COMMANDS[verb])
                if verb is TextCommand.LIST:
                    self._write(LISTED)
            case verb if verb in SEAT_COMMANDS:
                command, more = SEAT_COMMANDS[verb]
                await self._send(command, {**more, "seat": _seat_of(spoken.argument)})
            case verb if verb in self._handlers:
                await self._handlers[verb](spoken.argument)
            case TextCommand.VOLUME:
                self._write(self._volume.turn())
            case TextCommand.TALLY:
                self._write_all(render.tally(client.view, client.seat))
            case _:
                self._write_all(HELP.splitlines())

    @property
    def _handlers(self) -> Mapping[TextCommand, Callable[[str], Awaitable[None]]]:
        """The verbs that need more than one command; each gets its argument."""
        return {
            TextCommand.BOARD: lambda _: self._enter(),
            TextCommand.TURN: lambda _: self._turn(),
            TextCommand.HINT: lambda _: self._hint(),
            TextCommand.LEARN: lambda _: self._learn(),
            TextCommand.ANALYSIS: lambda _: self._sum_up(),
            TextCommand.PROOF: lambda _: self._compare(),
            TextCommand.INTERNET: lambda _: self._turn_tunnel(),
            TextCommand.KICK: self._ask_before_kick,
            TextCommand.END_MATCH: lambda _: self._ask_before_the_end(),
            TextCommand.UNBAN: self._unban,
            TextCommand.REMOVE: self._remove_spectator,
            TextCommand.REPORT: self._report,
            TextCommand.PEOPLE: self._show_people,
            TextCommand.HANDICAP: self._set_handicap,
            TextCommand.TEAM: self._set_team,
            TextCommand.BOT: self._add_bot,
            TextCommand.SAY: self._say,
            TextCommand.REACT: self._react,
        }

    async def _learn(self) -> None:
        """Learn the game at a table of the player's own, and come back before the next deal."""
        view, seat = self._client.view, self._client.seat
        if not can_learn(view, seat) or seat is None:
            raise ParseError("You learn while you wait for your first hand, or with racing-demon learn.")
        self._due = asyncio.Event()
        try:
            async with tables.learn(view.seats[seat].name, lesson_for(view.options.game)) as opened:
                learner = _Player(opened, self._write, None, ascii_only=self._ascii)
                try:
                    await run_until_one_ends(
                        learner.listen(), learner.execute_lines(self._typed), _set(self._due)
                    )
                finally:
                    learner.close()
        except RacingDemonError as error:
            self._write(str(error))
        self._write(DUE if self._due.is_set() else f"{BACK}.")
        self._due = None

    async def _follow_while_learning(self, message: Message, due: asyncio.Event) -> None:
        """Follow the table where the player has a seat: count as ready there, and go back in good time."""
        view, seat = self._client.view, self._client.seat
        self._observe(message)
        if is_due(view, seat, message):
            due.set()
        elif is_ready_due(view, seat) and not self._client.unanswered:
            await self._send(cl.Ready, {})

    async def _sum_up(self) -> None:
        words = MessageText(self._client.view, self._client.seat, ascii_only=self._ascii)
        self._write_all([summary(each, words) for each in self._tracker.analysis] or ["no hand is over yet"])

    async def _compare(self) -> None:
        """Print everything that determined the last deal, and the result of verifying it."""
        words = MessageText(self._client.view, self._client.seat, ascii_only=self._ascii)
        lines = hashes(self._client.view, self._verifier.seed, words)
        self._write_all([*lines, printable(self._verifier.proof)] if lines else ["no hand is dealt yet"])

    async def _turn_tunnel(self) -> None:
        """Open the tunnel of this user's own server, or close it."""
        if self._internet is None:
            self._write("only who has opened the server with racing-demon host can open it to the internet")
        else:
            self._internet.turn(on=not self._internet.is_open)

    async def _ask_before_kick(self, word: str) -> None:
        """Ask the host for confirmation; the server refuses what is not allowed."""
        seat, view = _seat_of(word), self._client.view
        state = view.seats.get(seat)
        if state is None or self._client.seat in {None, seat} or self._client.seat != view.host:
            await self._send(cl.Kick, {"seat": seat})
            return

        async def kick() -> bool:
            now = self._client.view.seats.get(seat)
            if now is None or now.name != state.name:  # another player may have the seat now
                return False
            await self._send(cl.Kick, {"seat": seat})
            return True

        self._ask(kick_question(state, f"unban {printable(state.name)}"), kick, "Nobody was kicked.")

    async def _ask_before_the_end(self) -> None:
        """Ask the host for confirmation; the server refuses what is not allowed."""
        client = self._client
        seen = client.view.seq  # the answer may come when the next match is being played

        async def end() -> bool:
            await self._send(cl.EndMatch, {"seen": seen})
            return True

        if client.seat is None or client.seat != client.view.host:
            await end()
        else:
            self._ask(END_QUESTION, end, "The match goes on.")

    def _ask(self, text: str, do: Callable[[], Awaitable[bool]], otherwise: str) -> None:
        """Ask a question, whose answer is the next line."""
        self._question = _Question(do, otherwise)
        self._write(f"{text} Type yes to do it.")

    async def _answers(self, line: str) -> bool:
        """Return whether a line answers the question that was asked, and carry the answer out."""
        question, self._question = self._question, None
        if question is None:
            return False
        answer = line.strip().lower()
        if answer in {"y", "yes"} and await question.do():
            return True
        self._write(question.otherwise)
        return answer in {"", "n", "no", "y", "yes"}

    async def _unban(self, wanted: str) -> None:
        banned = self._client.view.banned
        names = [name for name in banned if printable(name).casefold() == wanted.casefold()]
        if not names:
            known = f": {', '.join(map(printable, banned))}" if banned else ""
            raise ParseError(f"Name a kicked player, like: unban Bob{known}")
        await self._send(cl.Unban, {"name": names[0]})

    async def _report(self, line: str) -> None:
        whom, _, text = line.partition(" ")
        if not text.strip() or len(text) > MAX_REPORT_LENGTH:
            raise ParseError(f"{REPORT_USAGE}, with at most {MAX_REPORT_LENGTH} characters")
        seat = None if whom.lower() == "table" else _seat_of(whom)
        await self._send(cl.Report, {"text": text.strip(), "seat": seat})

    async def _show_people(self, name: str) -> None:
        """List whom this user's own server knows, or tell how somebody's new device becomes theirs."""
        people = self._opened.people
        if people is None:
            raise ParseError("Only who has opened the server with racing-demon host can confirm people.")
        try:
            if await self._shows_way_back(name):
                return
            players = await people.all()
            if not name:
                away = map(way_back, self._opened.who_can_return())
                lines = [*away, *(f"{each.line()}  {each.id}" for each in players)]
                self._write_all(lines or ["the server knows nobody yet"])
                return
            found = [each for each in players if each.id == name or folded(each.name) == folded(name)]
            if len(found) != 1:
                text = "several people have that name; say which, by the letters in the list"
                raise ParseError(f"{text if found else 'nobody has that name'}: type people")
            confirmed = await people.confirm(found[0])
        except ConnectionFailed as error:
            raise ParseError(str(error)) from error
        address = next(iter(self._opened.current_addresses()), "")
        page = person_page(address) if address else "the server's page /you"
        self._write_all(
            [
                f"{found[0].line()}. On the new phone, open {printable(page)}, and enter the name "
                f"{printable(confirmed.name)} and the code {confirmed.code}. It is valid for "
                f"{pluralize(confirmed.seconds, 'second')}, once, and ends when you type anything."
            ]
        )

    async def _shows_way_back(self, word: str) -> bool:
        """Print the link back to a seat, if a word asks for that; return whether it does."""
        state = self._client.view.seats.get(int(word) - 1) if word in SEAT_NUMBERS else None
        if state is None or self._internet is None:
            return False
        for each in await self._internet.seat_links():
            if each.name == state.name:
                name = printable(each.name)
                self._write(f"{name} returns to their seat by this link. Give it to nobody else:")
                self._write(f"  {printable(each.link)}")
                return True
        raise ParseError("That seat needs no link: nobody is away there, or the tunnel is closed.")

    async def _remove_spectator(self, number: str) -> None:
        if not re.fullmatch(r"[1-9][0-9]{0,8}", number):
            raise ParseError("Name a spectator by the number in the list: type spectators, then remove 3")
        await self._send(cl.RemoveSpectator, {"spectator": int(number)})

    async def _set_handicap(self, text: str) -> None:
        seat, *words = text.lower().split() or [""]
        state = self._client.view.seats.get(_seat_of(seat))
        if state is None:
            raise ParseError("Nobody has that seat.")
        named = dict(zip(words[::2], words[1::2], strict=False))
        if words == ["none"]:
            handicap = Handicap()
        elif named and len(words) % 2 == 0 and named.keys() <= HANDICAP_PARTS.keys():
            try:
                parts = {HANDICAP_PARTS[word]: int(value) for word, value in named.items()}
                handicap = Handicap.model_validate({**dict(state.handicap), **parts})
            except ValueError:
                raise ParseError(HANDICAP_USAGE) from None
        else:
            raise ParseError(HANDICAP_USAGE)
        await self._send(cl.SetHandicap, {"seat": state.seat, "handicap": handicap})

    async def _set_team(self, text: str) -> None:
        words = text.upper().split()
        if len(words) != 2 or words[1] not in TEAM_LETTERS:
            raise ParseError("Type a seat and a team, like: team 3 B")
        await self._send(cl.SetTeam, {"seat": _seat_of(words[0]), "team": TEAM_LETTERS.index(words[1])})

    async def _add_bot(self, word: str) -> None:
        level = word or BotLevel.MEDIUM
        if level not in set(BotLevel):
            raise ParseError(f"Bots are {', '.join(BotLevel)}.")
        await self._send(cl.AddBot, {"level": level})

    async def _react(self, word: str) -> None:
        if word not in set(Reaction):
            raise ParseError(f"Reactions are {', '.join(Reaction)}.")
        await self._send(cl.React, {"reaction": word})

    async def _send(self, command: type[cl.Command], fields: Mapping[str, object]) -> None:
        counter = self._client.next_counter()
        await self._client.send(command.model_validate({"counter": counter, **fields}))

    async def _say(self, text: str) -> None:
        if not 0 < len(text) <= MAX_CHAT_LENGTH:
            raise ParseError(f"Type your message after the /: 1 to {MAX_CHAT_LENGTH} characters.")
        await self._send(cl.Say, {"text": text})

    async def _enter(self) -> None:
        """Handle an empty line: deal, get ready, or show the table."""
        client, view = self._client, self._client.view
        if view.phase in DEALT:
            self._write_all(render.table(TableView.of(view, client.seat), ascii_only=self._ascii))
        elif view.phase is Phase.SHUFFLING:
            self._write("The cards are being shuffled.")
        elif view.between_matches and client.seat == view.host:
            await self._start()
        else:
            await self._send(cl.Ready, {})

    async def _hint(self) -> None:
        view, seat = self._client.view, self._client.seat
        if not view.options.hints:
            raise ParseError("This table plays without hints.")
        if not view.in_hand or seat is None or not view.plays_hand(seat):
            raise ParseError("You have no cards now.")
        assert view.hand is not None
        self._write(hint_line(self._tracker.hints, view.hand.rules, view.hand.board, seat))

    async def _start(self) -> None:
        """Deal; ask for confirmation first if other players are expected and none has come."""
        was_asked, self._was_asked = self._was_asked, True
        if self._awaits_others and not was_asked and self._client.is_alone:
            self._write("Nobody else is here yet. Type it again to deal for yourself alone.")
        else:
            self._was_asked = False
            await self._send(cl.Start, {})

    async def _turn(self) -> None:
        view, seat = self._client.view, self._client.seat
        turn = None
        if view.hand is not None and view.plays_hand(seat) and seat is not None:
            turn = view.hand.rules.stock_play(view.hand.board, seat)
        if turn is None:
            raise ParseError("There is nothing to turn.")
        await self._make(turn)

    def _write_all(self, lines: Iterable[str]) -> None:
        for line in wrap_lines(lines):
            self._write(line)


async def _set(event: asyncio.Event) -> None:
    """Wait for an event."""
    await event.wait()


def way_back(state: SeatState) -> str:
    """Return how the host gets the link by which somebody who is away returns over the internet."""
    number = state.seat + 1
    return f"{printable(state.name)} is away: people {number} shows the link back to seat {number}"


def _seat_of(word: str) -> int:
    """Return the seat that a word names.

    Raises:
        ParseError: it names none.

    """
    if word not in SEAT_NUMBERS:
        raise ParseError("Name a seat by its number, like: kick 3")
    return int(word) - 1
