"""An evening in plain text: typed lines in, told lines out."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Self, TextIO

import pytest

from racing_demon_client.errors import ConnectionFailed, TableEnded
from racing_demon_client.net.client import Client
from racing_demon_client.plain.commands import HELP
from racing_demon_client.plain.session import FeedVolume, attend, take_part
from racing_demon_client.records.recorder import Recorder
from racing_demon_client.sources.opened_table import HostTable, PracticeTable
from racing_demon_protocol.constants import MAX_REPORT_LENGTH
from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.enums import CloseCode, Phase, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.records.format import read_messages
from racing_demon_protocol.records.verify import VerificationReport, verify
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from tests.support.relay import Relay
from tests.support.servers import PATIENCE, Peer, serving, timeout
from tests.support.whole_servers import whole_server


class FakeTerminal:
    """What a player types, and what the player sees.

    Attributes:
        keyboard: the lines to read.
        lines: what was written so far.

    """

    def __init__(self, keyboard: TextIO, keys: TextIO) -> None:
        self.keyboard = keyboard
        self.lines: list[str] = []
        self._keys = keys
        self._seen = 0
        self._news = asyncio.Event()

    @classmethod
    @contextmanager
    def opened(cls) -> Iterator[Self]:
        """Open a console, and hang up in the end."""
        ends = os.pipe()
        with open(ends[0], encoding="utf-8") as keyboard, open(ends[1], "w", encoding="utf-8") as keys:
            yield cls(keyboard, keys)

    def write(self, line: str) -> None:
        """Show a line."""
        self.lines.append(line)
        self._news.set()

    def type(self, *lines: str) -> None:
        """Type lines."""
        for line in lines:
            self._keys.write(f"{line}\n")
        self._keys.flush()

    def hang_up(self) -> None:
        """End the input."""
        self._keys.close()

    async def until(self, pattern: str) -> str:
        """Wait for the next line in which something is found, and return it."""

        async def look() -> str:
            while True:
                while self._seen < len(self.lines):
                    line = self.lines[self._seen]
                    self._seen += 1
                    if re.search(pattern, line):
                        return line
                self._news.clear()
                await self._news.wait()

        try:
            return await timeout(PATIENCE, look())
        except TimeoutError:
            raise AssertionError(f"{pattern!r} is not in {self.lines}") from None

    async def answer(self, line: str, pattern: str) -> str:
        """Type a line, and return the next line in which something is found."""
        self._seen = len(self.lines)
        self.type(line)
        return await self.until(pattern)


QUICK = Options(countdown_ms=0, tally_ms=0, hands=1)
SEED = bytes(32)


@asynccontextmanager
async def playing(
    client: Client, *, recorder: Recorder | None = None, ascii_only: bool = False
) -> AsyncIterator[FakeTerminal]:
    """Let a player sit at the console until the end of the test."""
    with FakeTerminal.opened() as terminal:
        seat = take_part(
            PracticeTable(client),
            terminal.write,
            terminal.keyboard,
            recorder=recorder,
            ascii_only=ascii_only,
        )
        evening = asyncio.create_task(seat)
        async with client:
            yield terminal
            terminal.hang_up()
            await timeout(PATIENCE, evening)


@asynccontextmanager
async def alone(**options: object) -> AsyncIterator[tuple[Client, FakeTerminal]]:
    """Let a player sit alone at a table of the classic game, before the first deal."""
    asked = QUICK.model_copy(update={"game": "classic", **options})
    async with serving(seed=SEED) as served:
        client = await Client.create(served.url, "Ann", asked)
        async with playing(client) as terminal:
            await terminal.until("table .*lobby; you")
            yield client, terminal


def typed(client: Client, play: Play) -> str:
    """Return the words for a play."""
    view = client.view
    assert view.board is not None
    source, destination = view.board.piles[play.source], view.board.piles[play.destination]
    names = {Kind.WASTE: "w", Kind.RESERVE: "r", Kind.TABLEAU: str(source.index + 1)}
    if destination.kind is Kind.FOUNDATION:
        return f"{names[source.kind]} f"
    if source.kind is Kind.TABLEAU:
        return f"{names[source.kind]} {destination.index + 1} {play.count}"
    return f"{names[source.kind]} {destination.index + 1}"


# A whole hand.


async def play_a_hand(client: Client, terminal: FakeTerminal) -> None:
    """Play by typed words: whatever brings the hand on, else turn, and give up after two rounds in vain."""
    fruitless = 0
    while client.view.phase is Phase.PLAYING and fruitless < 40:
        assert client.view.board is not None
        progress = (p for p in client.legal_plays() if client.view.board.is_progress(p))
        best = next(progress, None)
        fruitless = 0 if best else fruitless + 1
        # The server may have found out that nothing can be played any more, and end the hand first.
        await terminal.answer(typed(client, best) if best else "t", "^you: |^hand 1 is over")
    if client.view.phase is Phase.PLAYING:
        terminal.type("s")
    await terminal.until("^the match is over: you won$")
    await terminal.until("^Enter: another match; q: quit$")


async def test_a_whole_hand_by_typed_words() -> None:
    """From Enter to the tally, everything that a hand needs can be typed; and its record holds."""
    lines: list[str] = []
    async with serving(seed=SEED) as served:
        client = await Client.create(served.url, "Ann", QUICK.model_copy(update={"game": "classic"}))
        async with playing(client, recorder=Recorder(lines.append)) as terminal:
            await terminal.until("lobby; you")
            terminal.type("")
            await terminal.until("^play!$")
            await play_a_hand(client, terminal)
            tally = terminal.lines.index("hand             1   total")
            assert terminal.lines[tally + 1].startswith("you ")
            assert terminal.lines[tally + 1].endswith("  won")
        refused = {line for line in terminal.lines if line.startswith("refused")}
        assert refused <= {"refused: The hand is over."}
    verdict = verify(read_messages(lines))
    assert (verdict.hands, verdict.skipped, verdict.matches) == (1, 0, 1)
    assert verdict.plays > 20


async def test_the_next_hand_waits_for_enter() -> None:
    """Between hands the tally stands there, and Enter says "ready"."""
    async with alone(hands=2, tally_ms=600_000) as (client, terminal):
        terminal.type("")
        await terminal.until("^play!$")
        terminal.type("s")
        await terminal.until(r"^hand 1 is over after 0:\d\d: everybody is stuck; you -?")
        await terminal.until("^Press Enter when you are ready for the next hand[.]$")
        await terminal.answer("", "^you: ready$")
        await terminal.until("^hand 2 of 2")
        assert client.view.hand_number == 2


async def test_enter_starts_another_match() -> None:
    """After the end the host's Enter deals for a new match."""
    async with alone() as (client, terminal):
        for _ in range(2):
            await terminal.answer("", "^one hand")
            await terminal.until("^play!$")
            terminal.type("s")
            await terminal.until("^Enter: another match; q: quit$")
        assert len(client.view.results) == 1


# Single commands.


async def test_enter_shows_the_table_during_play() -> None:
    """While cards are played, Enter and b show foundations and layout."""
    async with alone() as (_, terminal):
        terminal.type("start")
        await terminal.until("^play!$")
        for line in ("", "b"):
            await terminal.answer(line, "^ ♠  ")
            await terminal.until("^ column   1 ")


async def test_the_deal_shows_the_table() -> None:
    """With the deal the table is shown once, without asking."""
    async with alone() as (_, terminal):
        terminal.type("start")
        await terminal.until("^the cards are dealt$")
        await terminal.until("^ stock [(]")
        await terminal.until("^play!$")


async def test_enter_means_ready_for_guests() -> None:
    """Whoever is not the host says "ready" with Enter."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with playing(await Client.join(served.url, ann.code, "Ben")) as terminal:
            await terminal.until("lobby; Ann, you")
            await terminal.answer("", "^you: ready$")


async def test_a_guest_takes_back_being_ready() -> None:
    """A guest who is not ready after all says "unready", and everybody is told."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with playing(await Client.join(served.url, ann.code, "Ben")) as terminal:
            await terminal.until("lobby; Ann, you")
            await terminal.answer("ready", "^you: ready$")
            await terminal.answer("unready", "^you: not ready$")


async def test_bots_are_asked_for_by_level() -> None:
    """A bot comes with its level, or a medium one; other levels there are none."""
    async with alone() as (_, terminal):
        await terminal.answer("bot hard", r"^Ada took seat 2, a bot \(hard\)$")
        await terminal.answer("bot", r"^Bob took seat 3, a bot \(medium\)$")
        await terminal.answer("bot dull", "^Bots are beginner, easy, medium, hard, expert, adaptive[.]$")


async def test_what_is_said_is_heard_on_both_sides() -> None:
    """A line behind a stroke is said to the table; what the others say is a line, whatever is in it."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with playing(await Client.join(served.url, ann.code, "Ben")) as terminal:
            await terminal.until("lobby; Ann, you")
            await terminal.answer("/good luck, [/] Ann", r"^you say: good luck, \[/\] Ann$")
            said = await ann.until(ev.Said)
            assert said == ev.Said(seq=said.seq, seat=1, text="good luck, [/] Ann")
            await ann.say(ann.next(cl.Say, text="you too"))
            await terminal.until("^Ann says: you too$")
            await terminal.answer("/", "^Type your message after the /")
            await terminal.answer("/" + "x" * 300, "^Type your message after the /")


async def test_the_host_keeps_order_by_words() -> None:
    """Pauses, the hostship, muting, stand-ins and sending away are one word each, with the seat's number."""
    async with alone() as (client, terminal), await Client.join(client.url, client.code, "Ben") as ben:
        await terminal.until("^Ben took seat 2$")
        await terminal.answer("mute 2", "^Ben was muted$")
        await terminal.answer("unmute 2", "^Ben is no longer muted$")
        await terminal.answer("standin 2", "^refused: That player is connected")
        await terminal.answer("react thanks", "^you: thank you!$")
        await terminal.answer("react loudly", "^Reactions are well_played, thanks, ")
        await terminal.answer("pause", "^refused: There is no hand to pause[.]$")
        await terminal.answer("start", "^play!$")
        await terminal.answer("pause", "^you paused the hand$")
        await terminal.answer("t", "^refused: The hand is paused")
        await terminal.answer("go", "^the hand resumes$")
        await terminal.answer("last", "^this hand is the last one of the match$")
        await terminal.answer("notlast", "^the match goes on after this hand$")
        await terminal.answer("endmatch", "^End the match now[?].* Type yes to do it[.]$")
        await terminal.answer("no", "^The match goes on[.]$")
        await terminal.answer("kick", "^Name a seat by its number")
        await terminal.answer("kick 9", "^Name a seat by its number")
        await terminal.answer("kick 2", "^Kick Ben[?] .*[(]unban Ben[)][.] Type yes to do it[.]$")
        await terminal.answer("yes", "^Ben was kicked by the host$")
        assert ben.seat == 1
        await terminal.answer("endmatch", "^End the match now[?]")
        await terminal.answer("yes", "^the match was ended early: ")


async def test_sending_away_is_asked_once_more() -> None:
    """Whatever is answered but yes sends nobody away; another command is obeyed as usual."""
    async with alone() as (client, terminal), await Client.join(client.url, client.code, "Ben"):
        await terminal.until("^Ben took seat 2$")
        await terminal.answer("kick 2", "Type yes to do it[.]$")
        await terminal.answer("no", "^Nobody was kicked[.]$")
        await terminal.answer("kick 2", "Type yes to do it[.]$")
        terminal.type("mute 2")
        await terminal.until("^Nobody was kicked[.]$")
        await terminal.until("^Ben was muted$")
        await terminal.answer("yes", "^You have no cards yet")
        terminal.type("bot easy")
        await terminal.until("took seat 3, a bot")
        await terminal.answer("kick 3", "^Remove the bot Ada[?] Type yes to do it[.]$")
        await terminal.answer("y", "^Ada was kicked by the host$")
        await terminal.answer("kick 7", "^refused: That seat is empty[.]$")


async def test_handicaps_are_set_by_words() -> None:
    """Parts that are not named stay as they are; whoever waits reads when their signal comes."""
    async with alone() as (client, terminal), await Client.join(client.url, client.code, "Ben"):
        await terminal.until("^Ben took seat 2$")
        await terminal.answer("handicap 1 late 1", "^your handicap: starts 1 s later$")
        await terminal.answer("handicap 2 points -3", "^handicap of Ben: -3 points a hand$")
        await terminal.answer("handicap 2 late 2", "^handicap of Ben: starts 2 s later, -3 points a hand$")
        await terminal.answer("handicap 2 none", "^handicap of Ben: none any more$")
        for wrong in ("handicap 2", "handicap 2 reserve", "handicap 2 late soon", "handicap 2 size 3"):
            await terminal.answer(wrong, "^Type a handicap like: handicap 3 reserve 2 late 10")
        await terminal.answer("handicap 5 none", "^Nobody has that seat[.]$")
        await terminal.answer("handicap 2 reserve 20", "^refused: A reserve has 1 to 30 cards")
        await terminal.answer("start", "^the others play; you may in 1 second$")
        await terminal.answer("t", "^refused: Others have a head start")
        await terminal.until("^play!$")


async def test_the_host_locks_the_table_and_removes_spectators_by_words() -> None:
    """The list has numbers, by which one is removed; what is no number is explained."""
    async with alone() as (client, terminal):
        await terminal.answer("lock", "^the table is locked: nobody new can take a seat$")
        with pytest.raises(CommandRefused, match="locked this table"):
            await Client.join(client.url, client.code, "Ben")
        await terminal.answer("unlock", "^the table is unlocked$")
        async with await Client.watch(client.url, client.code) as eve:
            await terminal.answer("spectators", "^watching: spectator 1 since just now$")
            await terminal.answer("remove eve", "^Name a spectator by the number in the list")
            await terminal.answer("remove 1", "^nobody is watching$")
            with pytest.raises(ConnectionFailed, match="The host has removed you"):
                async for _ in eve:
                    pass


async def test_a_report_is_sent_by_words() -> None:
    """About a seat, or the table; what is missing is explained, and what the server refuses is told."""
    async with alone() as (client, terminal), await Client.join(client.url, client.code, "Ben"):
        await terminal.until("^Ben took seat 2$")
        longest = "x" * MAX_REPORT_LENGTH
        for wrong in ("report", "report 2", "report table", f"report 2 {longest}x"):
            await terminal.answer(wrong, "^Say what happened, like: report 3 insults")
        await terminal.answer(f"report 2 {longest}", "^refused: Nobody reads reports here")
        await terminal.answer("report 5 spam", "^refused: Nobody reads reports here")
        await terminal.answer("report table Spam, all the time", "^refused: Nobody reads reports here")


async def test_who_was_sent_away_is_let_back_in_by_name() -> None:
    """The name in capitals or not; without one the names are told."""
    async with alone() as (client, terminal), await Client.join(client.url, client.code, "Ben The Guest"):
        await terminal.until("^Ben The Guest took seat 2$")
        await terminal.answer("unban", "^Name a kicked player, like: unban Bob$")
        await terminal.answer("kick 2", "Type yes to do it[.]$")
        await terminal.answer("yes", "was kicked by the host$")
        await terminal.answer("unban Cat", "^Name a kicked player, like: unban Bob: Ben The Guest$")
        with pytest.raises(CommandRefused) as caught:
            await Client.join(client.url, client.code, "Ben The Guest")
        assert Reason.BANNED is caught.value.reason
        await terminal.answer("unban ben the guest", "^Ben The Guest may come back$")
        async with await Client.join(client.url, client.code, "Ben The Guest"):
            await terminal.until("^Ben The Guest took seat 2$")


async def test_the_hostship_goes_by_a_word() -> None:
    """Who was host is a guest from then on."""
    async with alone() as (client, terminal), await Client.join(client.url, client.code, "Ben"):
        await terminal.answer("makehost 2", "^host: Ben$")
        await terminal.answer("kick 2", "^refused: Only the host can do that[.]$")


async def test_the_tally_can_be_asked_for() -> None:
    """At any time the scores so far are shown."""
    async with alone() as (_, terminal):
        await terminal.answer("tally", "^hand .* total$")
        await terminal.until("^you .* 0$")


async def test_help_is_shown() -> None:
    """A question mark shows all commands."""
    async with alone() as (_, terminal):
        await terminal.answer("?", "turn the stock")
        await terminal.until("this help")
        assert set(HELP.splitlines()) <= set(terminal.lines)


async def test_what_is_not_understood_gets_a_sentence() -> None:
    """Before the deal there are no cards to play, and afterwards nonsense is called so."""
    async with alone() as (_, terminal):
        await terminal.answer("1 f", "^You have no cards yet[.] [?] lists the commands[.]$")
        await terminal.answer("t", "^There is nothing to turn[.]$")
        terminal.type("start")
        await terminal.until("^play!$")
        await terminal.answer("fly away", "^'fly' is not known here: there are columns 1 to 4")
        await terminal.answer("jump", "^'jump' is not a command[.] [?] shows them all[.]$")


async def test_refusals_are_told() -> None:
    """What the server refuses is told in its words."""
    async with alone() as (_, terminal):
        await terminal.answer("d", "^refused: Play has not started yet[.]$")
        terminal.type("start")
        await terminal.until("^play!$")
        await terminal.answer("d", "^refused: You are not out yet[.]$")
        await terminal.answer("1 1", "^refused: ")


async def test_a_seat_can_be_given_up() -> None:
    """After "leave" the seat is gone, and the table can still be looked at."""
    async with alone() as (client, terminal):
        await terminal.answer("leave", "left the table; you can watch, or quit with q$")
        assert client.view.seats == {}
        await terminal.answer("ready", "^refused: You have left this table[.]$")


async def test_ascii_only() -> None:
    """Where the terminal has no suits, nothing that is told has any."""
    async with serving(seed=SEED) as served:
        async with playing(await Client.create(served.url, "Ann", QUICK), ascii_only=True) as terminal:
            terminal.type("start")
            await terminal.until("^play!$")
            await terminal.answer("t", "^you: turned 3, waste shows ..$")
            await terminal.answer("b", "^ D  -$")
        assert "".join(terminal.lines).isascii()


# How much is heard.


@pytest.mark.long
async def test_how_much_is_heard_of_others() -> None:
    """At first plays of others to the foundations are told; then everything; then nothing."""
    async with serving(seed=SEED, bot_speed=500.0) as served:
        options = QUICK.model_copy(update={"hands": 9, "tally_ms": 600_000})  # until Ann has typed
        async with playing(await Client.create(served.url, "Ann", options)) as terminal:
            heard = []
            terminal.type("bot hard", "bot hard", "start")
            for _ in range(3):
                await terminal.until("^play!$")
                begun = len(terminal.lines)
                if "stuck" in await terminal.until(r"stuck \(2 of 3\)$|^hand . is over"):
                    await terminal.answer("s", "^hand . is over")
                told = [line for line in terminal.lines[begun:] if line.startswith(("Ada: ", "Bob: "))]
                plays = [line for line in told if not line.endswith(("ready",)) and "stuck" not in line]
                up = [line for line in plays if "to the foundations" in line]
                heard.append((bool(plays), plays == up))
                await terminal.answer("v", "^you are shown ")
                terminal.type("")
            assert heard == [(True, True), (True, False), (False, True)]


def test_the_volume_goes_round() -> None:
    """Three levels, each told in words, and then from the beginning."""
    volume = FeedVolume()
    turns = [volume.turn() for _ in range(3)]
    expected = ["everything", "only your own plays", "plays to the foundations"]
    assert [f"you are shown {words}" for words in expected] == turns


# The end.


async def evening(terminal: FakeTerminal, client: Client) -> asyncio.Task[None]:
    """Begin an evening."""
    return asyncio.create_task(take_part(PracticeTable(client), terminal.write, terminal.keyboard))


async def test_quitting_ends_the_evening() -> None:
    """After "q" nothing more is read, and the seat stays."""
    async with serving() as served, await Client.create(served.url, "Ann", QUICK) as ann:
        with FakeTerminal.opened() as terminal:
            task = await evening(terminal, ann)
            terminal.type("q", "leave")
            await timeout(PATIENCE, task)
        assert list(served.registry.room(ann.code).table.view.seats) == [0]


async def test_the_end_of_the_input_ends_the_evening() -> None:
    """When there is nothing more to read, it is like quitting."""
    async with serving() as served, await Client.create(served.url, "Ann", QUICK) as ann:
        with FakeTerminal.opened() as terminal:
            task = await evening(terminal, ann)
            terminal.type("bot")
            await terminal.until("Ada took seat 2")
            terminal.hang_up()
            await timeout(PATIENCE, task)


async def test_a_seat_taken_up_elsewhere_ends_the_evening() -> None:
    """The server's last word ends the evening, although the input goes on."""
    async with serving() as served, await Client.create(served.url, "Ann", QUICK) as ann:
        with FakeTerminal.opened() as terminal:
            task = await evening(terminal, ann)
            await terminal.until("lobby")
            room = served.registry.room(ann.code)
            (listener,) = room.broadcast.listeners
            listener.close(CloseCode.TAKEN_OVER, "This seat was resumed from another connection.")
            with pytest.raises(ConnectionFailed, match="resumed from another connection"):
                await timeout(PATIENCE, task)


async def test_a_break_is_told_and_nothing_else_changes() -> None:
    """When the connection breaks and comes back, two lines say so, and the hand goes on."""
    async with serving(seed=SEED) as served, Relay.before(served.url) as relay:
        async with playing(await Client.create(relay.url, "Ann", QUICK)) as terminal:
            terminal.type("start")
            await terminal.until("^play!$")
            relay.cut()
            await terminal.until("^connection lost; reconnecting$")
            await terminal.answer("t", "^reconnected$")
            await terminal.until("^you: turned 3")


# Watching.


async def watched(served_url: str, *, hands: int = 2) -> Client:
    """Open a table, put two bots at it, and deal."""
    client = await Client.create(served_url, "Ann", QUICK.model_copy(update={"hands": hands}), seated=False)
    for _ in range(2):
        await client.ask(cl.AddBot(counter=client.next_counter(), level="hard"))
    await client.send(cl.Start(counter=client.next_counter()))
    return client


@pytest.mark.long
async def test_a_match_is_watched_to_its_end() -> None:
    """A spectator is told everything from the seats to the tally, and is then done."""
    lines: list[str] = []
    async with serving(seed=SEED, bot_speed=1_000.0) as served, await watched(served.url) as client:
        await timeout(PATIENCE, attend(client, lines.append))
    assert lines[0].startswith("you watch table ")
    assert "Ada took seat 1, a bot (hard)" in lines
    assert lines.count("play!") == 2
    assert lines[-4 if lines[-1] == "* went out" else -3].startswith("hand             1     2   total")
    assert any(line.endswith("  won") for line in lines[-3:])


async def test_the_record_of_a_match_verifies() -> None:
    """What is recorded proves the whole match, and ends with its tally."""
    lines: list[str] = []
    async with serving(seed=SEED, bot_speed=1_000.0) as served, await watched(served.url) as client:
        await timeout(PATIENCE, attend(client, None, recorder=Recorder(lines.append)))
        room = served.registry.room(client.code)
        assert room.table.view.snapshot(0) == client.view.snapshot(0)
    plays = sum('"message": "played"' in line for line in lines)
    assert VerificationReport(hands=2, plays=plays, skipped=0, matches=1, server_only=2) == verify(
        read_messages(lines)
    )
    assert '"message": "tally"' in lines[-1]
    assert not any("token" in line for line in lines)


async def test_each_hand_is_checked_and_that_is_said() -> None:
    """In plain text, too, a program tells whether each hand was what was promised."""
    said: list[str] = []
    async with serving(seed=SEED, bot_speed=1_000.0) as served, await watched(served.url) as client:
        await timeout(PATIENCE, attend(client, said.append))
    assert sum(line.startswith("Checked: the server alone shuffled") for line in said) == 2


@pytest.mark.long
async def test_a_record_from_the_middle_says_so() -> None:
    """A spectator of the second half of a hand has a record that proves the next one only."""
    lines: list[str] = []
    async with serving(seed=SEED, bot_speed=200.0) as served, await watched(served.url) as client:
        async with Peer.entered(served.url, cl.Watch(code=client.code)) as eve:
            for _ in range(20):
                await eve.until(ev.Played)
        async with await Client.watch(served.url, client.code) as late:
            await timeout(PATIENCE, attend(late, None, recorder=Recorder(lines.append)))
    verdict = verify(read_messages(lines))
    assert (verdict.hands, verdict.skipped, verdict.matches) == (1, 1, 1)


async def test_a_record_has_what_happens_while_its_player_learns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A late guest's record of the table goes on during the lesson, which is on another table."""
    lines: list[str] = []
    async with serving() as served, Peer.hosting(served.url, countdown_ms=0) as host:
        _let_lessons_be_at(served.url, tmp_path, monkeypatch)
        await host.ask(cl.Start)
        client = await Client.join(served.url, host.code, "Ben")
        async with playing(client, recorder=Recorder(lines.append)) as terminal:
            await terminal.until("Type learn")
            terminal.type("learn")
            await terminal.until("^1/8")
            await host.ask(cl.Say, text="they are learning")
            await terminal.answer("q", "^Back")
    said = [each.text for each in read_messages(lines) if isinstance(each, ev.Said)]
    assert said == ["they are learning"]


def _let_lessons_be_at(url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a server that runs already stand in for that of a lesson, whose start takes a second."""
    program = folder / "server"
    program.write_text(f"#!/bin/sh\necho 'listening on {url}'\nexec cat\n", encoding="utf-8")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))


TABLE_END_QUICK = Options(countdown_ms=0, tally_ms=600_000)


@asynccontextmanager
async def seated(
    client: Client, *, ends_with_us: bool
) -> AsyncIterator[tuple[FakeTerminal, asyncio.Task[None]]]:
    """Let a player sit at the console."""
    with FakeTerminal.opened() as terminal:
        opened = HostTable(client, ends_with_us=ends_with_us)
        seat = take_part(opened, terminal.write, terminal.keyboard)
        evening = asyncio.create_task(seat)
        async with client:
            await terminal.until("table .*lobby; you")
            yield terminal, evening
            terminal.hang_up()


async def test_standings_are_told_when_the_table_goes() -> None:
    """When the server is stopped in a hand, player and spectator read how far everybody came."""
    async with whole_server() as (server, url):
        client = await Client.create(url, "Ann", TABLE_END_QUICK)
        async with (
            await Client.watch(url, client.code) as onlooker,
            seated(client, ends_with_us=False) as (terminal, evening),
        ):
            with FakeTerminal.opened() as aside:
                watching = asyncio.create_task(attend(onlooker, aside.write))
                terminal.type("bot easy")
                await terminal.until("Ada took seat 2")
                terminal.type("start")
                async with asyncio.timeout(PATIENCE):
                    while not (onlooker.view.in_hand and client.view.in_hand):  # noqa: ASYNC110
                        await asyncio.sleep(0.01)
                await server.stop()
                for each, name in ((terminal, "you"), (aside, "Ann")):
                    await each.until("the match was ended early: .* won")
                    await each.until(rf"{name} +\d+ +\d+")
                await timeout(PATIENCE, watching)
                with pytest.raises(TableEnded):
                    await timeout(PATIENCE, evening)
                assert "another match" not in "\n".join(terminal.lines)


async def test_nothing_is_tallied_where_nothing_was_played() -> None:
    """A table that goes before the first deal has no standings."""
    async with whole_server() as (server, url):
        async with seated(await Client.create(url, "Ann", TABLE_END_QUICK), ends_with_us=False) as (
            terminal,
            evening,
        ):
            await server.stop()
            with pytest.raises(TableEnded):
                await timeout(PATIENCE, evening)
            assert "the match ends here" not in "\n".join(terminal.lines)


async def test_a_host_is_asked_before_the_table_ends() -> None:
    """Whoever's program is the server is told that quitting ends it for guests; only a second word does."""
    async with serving() as served:
        client = await Client.create(served.url, "Ann", TABLE_END_QUICK)
        async with seated(client, ends_with_us=True) as (terminal, evening):
            async with await Client.join(served.url, client.code, "Ben"):
                await terminal.until("Ben")
                for line in ("q", "leave"):
                    await terminal.answer(line, "ends for everybody")
                    await terminal.answer("tally", "total")
                terminal.type("q", "q")
                await timeout(PATIENCE, evening)


async def test_nobody_is_asked_where_nobody_else_sits() -> None:
    """Without guests the host's first word ends the table."""
    async with serving() as served:
        client = await Client.create(served.url, "Ann", TABLE_END_QUICK)
        async with seated(client, ends_with_us=True) as (terminal, evening):
            terminal.type("q")
            await timeout(PATIENCE, evening)


async def test_teams_are_chosen_and_counted_by_words() -> None:
    """A seat and a letter put somebody into a team; the tally has the letters, and the teams' totals."""
    async with alone(teams=2) as (client, terminal), await Client.join(client.url, client.code, "Ben"):
        await terminal.until("^Ben: team B$")
        await terminal.answer("team 2", "^Type a seat and a team, like: team 3 B$")
        await terminal.answer("team 1 B", "^you: team B$")
        await terminal.answer("start", "^refused: All are in one team")
        await terminal.answer("team 2 a", "^Ben: team A$")
        await terminal.answer("team 2 C", "^refused: This table has 2 teams")
        await terminal.answer("start", "^play!$")
        await terminal.answer("tally", "^B you .* 0$")
