"""An evening at the terminal table: pauses, reactions, the players and what the host may do with them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.containers import Grid
from textual.widgets import Button, Input, Label, OptionList

from racing_demon_client.net.client import Client
from racing_demon_client.plain.session import attend
from racing_demon_client.terminal.screens.dialogs import QuestionScreen, ReportScreen
from racing_demon_client.terminal.screens.handicap import HandicapScreen
from racing_demon_client.terminal.screens.players import PlayersScreen
from racing_demon_client.terminal.screens.table import TableScreen
from racing_demon_protocol.enums import Phase, Reaction
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_server.journal.sqlite.database import reports_of
from racing_demon_server.moderation.reports import read_reports
from tests.support.screens import SLOW, deal, hosting, shows, sitting, turned, wait
from tests.support.servers import end_tasks, serving
from tests.support.terminal import Player
from tests.support.whole_servers import whole_server


async def at_players(player: Player, name: str) -> None:
    """Open the list of the players, and go to one of them."""
    await player.pilot.press("f8")
    await wait(player.pilot, lambda: isinstance(player.app.screen, PlayersScreen))
    view = player.session.client.view
    names = [*(state.name for state in view.seats.values() if not state.left), *view.banned]
    options = player.app.screen.query_one(OptionList)
    options.highlighted = names.index(name)


def refused(player: Player) -> str:
    """Return why the list of the players does not do something."""
    return str(player.app.screen.query_one("#wrong", Label).content)


def listed(player: Player) -> list[str]:
    """Return the lines of the list of the players."""
    return [str(option.prompt) for option in player.app.screen.query_one(OptionList).options]


@pytest.mark.long
async def test_the_list_follows_the_table() -> None:
    """Who comes, goes, or is lost while the list is open is seen there; the cursor stays on its player."""
    async with serving() as served:
        client = await Client.create(served.url, "Ann", SLOW)
        async with sitting(client, "hosted") as player:
            await client.send(cl.AddBot(counter=client.next_counter(), level="easy"))
            ben = await Client.join(served.url, client.code, "Ben")
            await wait(player.pilot, lambda: len(client.view.seats) == 3)
            await at_players(player, "Ben")
            assert listed(player)[0] == "1 Ann  you, host"
            await client.send(cl.RemoveBot(counter=client.next_counter(), seat=1))
            await wait(player.pilot, lambda: len(listed(player)) == 2)
            assert player.app.screen.query_one(OptionList).highlighted == 1
            await ben.close()
            await wait(player.pilot, lambda: "Ben  away" in listed(player)[1])
            await player.pilot.press("k")
            await player.pilot.press("y")
            await wait(player.pilot, lambda: len(client.view.seats) == 1)


@pytest.mark.long
async def test_the_table_goes_on_behind_a_dialog() -> None:
    """What happens while a dialog is open is seen in the picture behind it."""
    async with hosting() as player:
        await deal(player)
        await player.pilot.press("f8")
        behind = player.app.screen_stack[-2]
        assert isinstance(behind, TableScreen)
        player.session.send(cl.Pause, paused=True)
        await wait(player.pilot, lambda: "The hand is paused." in behind.canvas.text)
        assert isinstance(player.app.screen, PlayersScreen)


async def test_a_handicap_is_set_seen_and_waited_for() -> None:
    """The host types it; the lobby shows it; until their own signal players see seconds, and play nothing."""
    async with hosting() as player:
        view = player.session.client.view
        await player.pilot.press("1")
        await wait(player.pilot, lambda: len(view.seats) == 2)
        await at_players(player, "Ann")
        await player.pilot.press("d")
        await wait(player.pilot, lambda: isinstance(player.app.screen, HandicapScreen))
        player.app.screen.query_one("#delay_s", Input).value = "sixty"
        await player.pilot.press("enter")
        assert "a whole number" in refused(player)
        player.app.screen.query_one("#delay_s", Input).value = "30"
        player.app.screen.query_one("#points", Input).value = "-3"
        await player.pilot.press("enter")
        await shows(player, "starts 30 s later")
        await player.pilot.press("enter")
        await wait(player.pilot, lambda: player.session.client.view.waiting == (0,))
        await shows(player, "you may play in")
        await player.pilot.press("space")
        assert not player.session.client.unanswered


@pytest.mark.long
async def test_a_table_is_put_into_the_lists_once() -> None:
    """The key is offered where no list names the table, and not any more when one does."""
    async with serving(lists_tables=True) as served:
        client = await Client.create(served.url, "Ann", SLOW, listed=False)
        async with sitting(client, "hosted") as player:
            await at_players(player, "Ann")
            assert player.app.screen.query_one("#publish", Button).display
            await player.pilot.press("p")
            await wait(player.pilot, lambda: client.is_listed)
            await at_players(player, "Ann")
            assert not player.app.screen.query_one("#publish", Button).display
            await player.pilot.press("p")
            assert "already" in refused(player)


@pytest.mark.long
async def test_what_cannot_be_done_with_bots_and_oneself() -> None:
    """The list says so, and stays; nobody is muted or ignored."""
    async with hosting() as player:
        await player.pilot.press("1")
        await wait(player.pilot, lambda: len(player.session.client.view.seats) == 2)
        for name, keys in (("Ann", "hbmik"), (player.session.client.view.seats[1].name, "hbmi")):
            await at_players(player, name)
            for key in keys:
                player.app.screen.query_one("#wrong", Label).update("")
                await player.pilot.press(key)
                assert refused(player).startswith("That is you: " if name == "Ann" else "That is a bot: ")
                await player.pilot.pause()
                label = player.app.screen.query_one("#wrong", Label)
                assert label.region.width * label.region.height >= len(refused(player))
                assert label.region in label.parent.region  # type: ignore[union-attr]
            await player.pilot.press("escape")
        assert not player.session.model.ignored
        assert not any(state.muted for state in player.session.client.view.seats.values())


async def test_the_host_pauses_and_goes_on() -> None:
    """A word fills the screen, no key plays, and the same key lets the hand go on where it stood."""
    async with hosting() as player:
        await deal(player)
        await player.pilot.press("space")
        await wait(player.pilot, lambda: turned(player) == 3)
        await player.pilot.press("f9")
        await shows(player, "The hand is paused. F9 resumes it.")
        assert "[space]" not in player.text
        await player.pilot.press("space")
        await shows(player, "The hand is paused. F9 resumes it.")
        assert turned(player) == 3
        await player.pilot.press("f9")
        await shows(player, "[space]")
        await player.pilot.press("space")
        await wait(player.pilot, lambda: turned(player) == 6)


async def test_a_key_shows_a_reaction() -> None:
    """A digit is a short word to everybody, while cards are played."""
    async with serving() as served:
        client = await Client.create(served.url, "Ann", SLOW)
        async with (
            sitting(client, "hosted") as player,
            await Client.join(served.url, client.code, "Ben") as ben,
        ):
            await wait(player.pilot, lambda: len(client.view.seats) == 2)
            await player.pilot.press("enter")
            await wait(player.pilot, lambda: isinstance(player.app.screen, TableScreen))
            await player.pilot.press("2")
            async for message in ben:
                if isinstance(message, ev.Reacted):
                    assert Reaction.THANKS is message.reaction
                    break
            await shows(player, "you: thank you!")


@pytest.mark.long
async def test_the_host_sends_somebody_away() -> None:
    """By the list of the players; who is sent away hears it."""
    async with serving() as served:
        client = await Client.create(served.url, "Ann", SLOW)
        async with sitting(client, "hosted") as player:
            guest = await Client.join(served.url, client.code, "Ben")
            async with sitting(guest, "joined") as other:
                await wait(player.pilot, lambda: len(client.view.seats) == 2)
                await at_players(player, "Ben")
                await player.pilot.press("k")
                await wait(player.pilot, lambda: isinstance(player.app.screen, QuestionScreen))
                question = str(player.app.screen.query_one(Label).content)
                assert question.startswith("Kick Ben? They stay out until the match is over")
                await player.pilot.press("y")
                await wait(player.pilot, lambda: len(client.view.seats) == 1)
                await wait(player.pilot, lambda: other.app.failure is not None)
                assert "The host kicked you." in str(other.app.failure)


@pytest.mark.long
async def test_the_host_is_asked_and_lets_who_was_sent_away_back_in() -> None:
    """No is an answer; who was sent away stands in the list, and nothing else can be done with them there."""
    async with serving() as served:
        client = await Client.create(served.url, "Ann", SLOW)
        async with sitting(client, "hosted") as player, await Client.join(served.url, client.code, "Ben"):
            await wait(player.pilot, lambda: len(client.view.seats) == 2)
            await at_players(player, "Ben")
            await player.pilot.press("l")
            assert refused(player).startswith("That player is here.")
            await player.pilot.press("k")
            await player.pilot.press("n")
            await at_players(player, "Ben")
            await player.pilot.press("k")
            await player.pilot.press("y")
            await wait(player.pilot, lambda: client.view.banned == ("Ben",))
            await at_players(player, "Ben")
            assert any("kicked" in line for line in listed(player))
            rows = [row.region for row in player.app.screen.query(Grid)]
            buttons = [button.region for button in player.app.screen.query(Button) if button.display]
            assert all(any(row.contains_region(button) for row in rows) for button in buttons)
            await player.pilot.press("m")
            assert refused(player).startswith("That player was kicked.")
            await player.pilot.press("l")
            await wait(player.pilot, lambda: client.view.banned == ())
            await shows(player, "Ben may come back")


async def test_enter_takes_back_being_ready() -> None:
    """A guest who said with Enter to be ready says with Enter not to be, after all."""
    async with serving() as served, await Client.create(served.url, "Ann", SLOW) as ann:
        guest = await Client.join(served.url, ann.code, "Ben")
        async with sitting(guest, "joined") as player:
            await player.pilot.press("enter")
            await wait(player.pilot, lambda: guest.view.seats[1].ready)
            await player.pilot.press("enter")
            await wait(player.pilot, lambda: not guest.view.seats[1].ready)


@pytest.mark.long
async def test_a_guest_may_only_ignore() -> None:
    """A guest sees no buttons of the host's; whom they ignore they do not hear, until they want to again."""
    async with serving() as served, await Client.create(served.url, "Ann", SLOW) as ann:
        guest = await Client.join(served.url, ann.code, "Ben")
        async with sitting(guest, "joined") as player:
            await at_players(player, "Ann")
            assert not player.app.screen.query_one("#kick").display
            await player.pilot.press("m")
            assert refused(player) == "Only the host can do that."
            await player.pilot.press("i")
            await ann.ask(cl.Say(counter=ann.next_counter(), text="one"))
            await wait(player.pilot, lambda: guest.view.seq >= ann.view.seq)
            await at_players(player, "Ann")
            assert "ignored here" in str(
                player.app.screen.query_one(OptionList).get_option_at_index(0).prompt
            )
            await player.pilot.press("i")
            await ann.send(cl.Say(counter=ann.next_counter(), text="two"))
            await shows(player, "Ann says: two")
            assert "one" not in player.text


@pytest.mark.long
async def test_the_players_hear_of_watchers() -> None:
    """The lobby says how many look on, and that the table has a passphrase."""
    async with serving() as served:
        secret = "sesame"  # noqa: S105 - the test's own
        client = await Client.create(served.url, "Ann", SLOW, passphrase=secret)
        async with sitting(client, "hosted") as player:
            await shows(player, "with a passphrase")
            async with await Client.watch(served.url, client.code, passphrase=secret):
                await shows(player, "1 watching")
            await wait(player.pilot, lambda: "watching" not in player.text)


@pytest.mark.long
async def test_a_bot_plays_for_who_is_away() -> None:
    """The host lets a bot stand in for somebody whose connection is lost; their line says so."""
    async with serving() as served:
        client = await Client.create(served.url, "Ann", SLOW)
        async with sitting(client, "hosted") as player:
            ben = await Client.join(served.url, client.code, "Ben")
            await wait(player.pilot, lambda: len(client.view.seats) == 2)
            await ben.close()
            await shows(player, "away")
            await at_players(player, "Ben")
            await player.pilot.press("b")
            await shows(player, "away, bot medium")


@asynccontextmanager
async def followed(client: Client) -> AsyncIterator[None]:
    """Let a client read on, or it takes no part in the shuffle and sits the hand out."""

    async def read() -> None:
        async for _ in client:
            pass

    task = asyncio.create_task(read())
    try:
        yield
    finally:
        await end_tasks([task])


async def test_spectators_go_round() -> None:
    """One key shows one player after the other by itself; the same key stays with one."""
    async with serving() as served, await Client.create(served.url, "Ann", SLOW) as ann:
        async with await Client.join(served.url, ann.code, "Ben") as ben, followed(ben):
            await ann.ask(cl.Start(counter=ann.next_counter()))
            async with sitting(await Client.watch(served.url, ann.code), "watched") as player:
                await shows(player, "─ Ann ─")
                await player.pilot.press("f10")
                await shows(player, "one player after the other")
                model, now = player.session.model, player.session.now()
                assert not model.rotate_if_due(now)
                assert model.rotate_if_due(now + 10_000)
                player.app.screen.canvas.redraw()  # type: ignore[attr-defined]
                await shows(player, "─ Ben ─")
                await player.pilot.press("f10")
                assert not model.rotate_if_due(now + 60_000)


async def test_the_host_keeps_order_and_ends_the_match() -> None:
    """A lock, spectators, the last hand and the end are keys in the list of the players."""
    async with serving() as served:
        client = await Client.create(served.url, "Ann", SLOW)
        async with sitting(client, "hosted") as player, await Client.watch(served.url, client.code):
            await wait(player.pilot, lambda: client.watchers == 1)
            await at_players(player, "Ann")
            await player.pilot.press("c")
            await wait(player.pilot, lambda: client.view.entry_closed)
            await at_players(player, "Ann")
            await wait(player.pilot, lambda: len(listed(player)) == 2)
            assert listed(player)[1] == "- spectator 1 since just now"
            assert str(player.app.screen.query_one("#title", Label).content) == "Players: the table is locked"
            player.app.screen.query_one(OptionList).highlighted = 1
            await player.pilot.press("m")
            assert refused(player) == "Spectators have no seat. Press k to remove this one for an hour."
            await player.pilot.press("k")
            await wait(player.pilot, lambda: client.watchers == 0)
            await player.pilot.press("escape")
            await deal(player)
            await at_players(player, "Ann")
            await player.pilot.press("f")
            await wait(player.pilot, lambda: client.view.last_hand == 1)
            await at_players(player, "Ann")
            await player.pilot.press("e")
            await wait(player.pilot, lambda: isinstance(player.app.screen, QuestionScreen))
            await player.pilot.press("enter")
            await wait(player.pilot, lambda: client.view.phase is Phase.OVER)


@pytest.mark.long
async def test_a_player_is_reported_to_the_operator(tmp_path: Path) -> None:
    """A key in the list of the players asks what happened; the report names the player under the cursor."""
    journal = tmp_path / "journal"
    async with whole_server(journal) as (_, url):
        client = await Client.create(url, "Ann", SLOW)
        async with sitting(client, "hosted") as player, await Client.join(url, client.code, "Ben"):
            await wait(player.pilot, lambda: len(client.view.seats) == 2)
            await at_players(player, "Ben")
            await player.pilot.press("r")
            await wait(player.pilot, lambda: isinstance(player.app.screen, ReportScreen))
            player.app.screen.query_one(Input).value = "insults"
            await player.pilot.press("enter")
            folder = reports_of(journal)
            await wait(player.pilot, lambda: bool(list(read_reports(folder))))
            ((_, _, report),) = read_reports(folder)
            assert report is not None
            assert report.about is not None
            assert (report.by.who, report.about.who, report.text) == ("Ann", "Ben", "insults")


async def test_both_terminals_tell_the_titles_after_a_match(tmp_path: Path) -> None:
    """On the screen and in plain text everybody reads the same titles of the evening, in the page's words."""
    async with whole_server(tmp_path / "journal") as (_, url):
        client = await Client.create(url, "Ann", SLOW)
        async with sitting(client, "hosted") as player, await Client.join(url, client.code, "Ben") as ben:
            told: list[str] = []
            plain = asyncio.create_task(attend(ben, told.append))
            await wait(player.pilot, lambda: len(client.view.seats) == 2)
            await client.send(cl.Start(counter=client.next_counter()))
            await wait(player.pilot, lambda: client.view.in_hand)
            await client.send(cl.EndMatch(counter=client.next_counter(), seen=client.view.seq))
            await shows(player, "Titles of the evening:")
            await plain
            own = next(line for line in told if line.startswith("you: "))
            assert own.replace("you", "Ben", 1) in player.text
            assert next(line for line in told if line.startswith("Ann: ")).removeprefix("Ann") in player.text
