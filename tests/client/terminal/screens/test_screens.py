"""The screens of the real application, with keys, clicks and a real server."""

from typing import Any

import pytest
from textual.widgets import Input, Label, OptionList

from racing_demon_client.net.client import Client
from racing_demon_client.saved_presets import saved_presets
from racing_demon_client.settings import PlayerSettings, load
from racing_demon_client.shared.option_text import TEXTS, called
from racing_demon_client.terminal.screens.dialogs import BotsScreen, ChatScreen, HelpScreen, QuestionScreen
from racing_demon_client.terminal.screens.name_and_color import NameScreen
from racing_demon_client.terminal.screens.options import (
    OptionsScreen,
    TitleScreen,
    ValueScreen,
    choices_of,
    found,
)
from racing_demon_client.terminal.screens.table import LobbyScreen, TableScreen, TallyScreen
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.saved_presets import new_preset
from tests.client.terminal.conftest import Folders
from tests.support.cases import for_each
from tests.support.effort import amount, more_when_long, usually
from tests.support.screens import (
    SLOW,
    click,
    deal,
    hosting,
    shows,
    sitting,
    turned,
    until_ended,
    wait,
)
from tests.support.servers import PATIENCE, serving, timeout
from tests.support.terminal import Player

# The lobby.


async def test_bots_come_and_go_by_keys() -> None:
    """Digits add bots of each level; minus sends the last one away. A ninth player is refused, and told."""
    async with hosting() as player:
        view = player.session.client.view
        for key, level in (("0", "beginner"), ("1", "easy"), ("2", "medium"), ("3", "hard"), ("4", "expert")):
            await player.pilot.press(key)
            await shows(player, f"bot, {level}")
        await player.pilot.press("-")
        await wait(player.pilot, lambda: len(player.session.client.view.seats) == 5)
        assert [state.bot for state in view.seats.values()] == ["", "beginner", "easy", "medium", "hard"]
        await player.pilot.press("1", "1", "1")
        await wait(player.pilot, lambda: len(view.seats) == 8)
        await player.pilot.press("1")
        await wait(player.pilot, lambda: player.session.model.selection.message(player.session.now())[1])
        assert len(view.seats) == 8


@pytest.mark.long
async def test_bots_come_from_a_list() -> None:
    """The list of levels says what each does; Enter, a digit or a click adds one, Escape none."""
    async with hosting() as player:
        view = player.session.client.view
        for key, level in (("up", "easy"), ("0", "beginner"), ("escape", "")):
            await click(player, "bots")
            await wait(player.pilot, lambda: isinstance(player.app.screen, BotsScreen))
            levels = player.app.screen.query_one(OptionList)
            adaptive = levels.get_option_at_index(5).prompt
            assert str(adaptive) == "5 adaptive  plays as well as the person who is behind"
            await player.pilot.press(key, *["enter"] * (key == "up"))
            await wait(player.pilot, lambda: isinstance(player.app.screen, LobbyScreen))
            await shows(player, f"bot, {level}")
        await click(player, "bots")
        await wait(player.pilot, lambda: isinstance(player.app.screen, BotsScreen))
        assert await player.pilot.click(OptionList, offset=(3, 5))
        await shows(player, "bot, adaptive")
        await click(player, "bot-away")
        await wait(
            player.pilot, lambda: [state.bot for state in view.seats.values()] == ["", "easy", "beginner"]
        )


async def save_as(player: Player, title: str) -> None:
    """Save the options of the form under a name."""
    screen = player.app.screen
    assert await player.pilot.click("#save")
    await wait(player.pilot, lambda: isinstance(player.app.screen, TitleScreen))
    player.app.screen.query_one(Input).value = title
    await player.pilot.press("enter")
    await wait(player.pilot, lambda: player.app.screen is screen)
    await player.pilot.pause()


async def test_a_preset_fills_in_the_form() -> None:
    """It sets what affects play and scoring; a change after that names no preset, and the lobby says both.

    The server's own presets come into the form, too, and so do options that are saved: under a name, but
    that of another preset. What is looked at is explained; what cannot be, alone or together, is told.
    Guests that come and go meanwhile disturb nobody.
    """
    ours = new_preset("Sundays", Options(game="classic", reserve=11))
    async with serving(presets=(ours,)) as served:
        client = await Client.create(served.url, "Ann", SLOW)
        async with sitting(client, "hosted", size=(80, 24)) as player:
            await click(player, "options")
            await wait(player.pilot, lambda: isinstance(player.app.screen, OptionsScreen))
            screen = player.app.screen
            assert isinstance(screen, OptionsScreen)
            wrong = screen.query_one("#wrong", Label)
            await wait(player.pilot, lambda: "sundays" in screen.presets)
            await player.pilot.press("home")
            await choose(player, "Sundays: of this server")
            assert screen.options.reserve == 11

            for row, told in (("hands in", "At most so many"), ("grace", "land after a call.")):
                await find(player, row)
                assert told in str(screen.query_one("#meaning", Label).content)
            await find(player, "game")
            await choose(player, "Klondike race")
            await wait(player.pilot, lambda: "reserve" in str(wrong.content))
            assert await player.pilot.click("#take")
            assert isinstance(player.app.screen, OptionsScreen)
            await choose(player, GAMES["classic"].title)
            await wait(player.pilot, lambda: not str(wrong.content))
            await find(player, "hands in")
            await enter(player, "many")
            await wait(player.pilot, lambda: str(wrong.content))
            assert client.view.options == SLOW

            async with await Client.join(served.url, client.code, "Ben") as ben:
                await wait(player.pilot, lambda: len(client.view.seats) == 2)
                await ben.leave()
            await wait(player.pilot, lambda: len(client.view.seats) == 1)
            assert (player.app.screen, screen.options.reserve) == (screen, 11)

            await player.pilot.press("escape", "escape", "home")
            await choose(player, "Nerts: ")
            assert (screen.preset, screen.options.target) == ("nerts", 100)
            await find(player, "cards in the r")
            await enter(player, "9")
            await player.pilot.press("right")
            assert (screen.preset, screen.options.reserve) == ("", 10)
            for title in ("Nerts", "Club night"):
                await save_as(player, title)
                assert ("well-known" in str(wrong.content)) == (title == "Nerts")
            assert screen.preset == "club-night"
            assert saved_presets()[0]["club-night"].options.reserve == 10

            await player.pilot.resize_terminal(12, 8)
            await player.pilot.resize_terminal(80, 24)
            assert await player.pilot.click("#take")
            await shows(player, "Nerts, first to 100")
            changed = {"game": "classic", "hands": 100, "target": 100, "reserve": 10}
            assert client.view.options == SLOW.model_copy(update=changed)


async def find(player: Player, text: str) -> None:
    """Find an option by a part of its name."""
    screen = player.app.screen
    assert isinstance(screen, OptionsScreen)
    screen.seek(text)
    await player.pilot.pause()


async def choose(player: Player, text: str) -> None:
    """Open the editor of the row that is highlighted, and choose what begins with a text."""
    await player.pilot.press("enter")
    await wait(player.pilot, lambda: isinstance(player.app.screen, ValueScreen))
    choices = player.app.screen.query_one(OptionList)
    choices.highlighted = next(
        at for at, option in enumerate(choices.options) if str(option.prompt).startswith(text)
    )
    await player.pilot.press("enter")
    await wait(player.pilot, lambda: isinstance(player.app.screen, OptionsScreen))


async def enter(player: Player, text: str) -> None:
    """Open the editor of the row that is highlighted, and type a value."""
    await player.pilot.press("enter")
    await wait(player.pilot, lambda: isinstance(player.app.screen, ValueScreen))
    player.app.screen.query_one(Input).value = text
    await player.pilot.press("enter")
    await wait(player.pilot, lambda: isinstance(player.app.screen, OptionsScreen))


async def test_a_rule_is_found_and_changed_in_a_few_presses() -> None:
    """What is typed finds it, Enter or an arrow changes it, Escape and Enter leave, and lose nothing unasked.

    Names count before what is told, and their beginnings most. What is typed after a change finds another
    rule. Groups open and fold.
    """
    async with hosting() as player:
        await click(player, "options")
        await wait(player.pilot, lambda: isinstance(player.app.screen, OptionsScreen))
        screen = player.app.screen
        assert isinstance(screen, OptionsScreen)
        rules = screen.query_one("#rules", OptionList)
        folded = rules.option_count
        assert "turn 3" in str(rules.get_option("group:stock").prompt)
        assert " 0 for" not in str(rules.get_option("group:points").prompt), "what there is none of"
        await player.pilot.press("end", "enter")
        assert rules.option_count > folded
        await player.pilot.press("enter")
        assert rules.option_count == folded
        await player.pilot.press(*"hin", "escape")
        assert rules.option_count == folded
        await player.pilot.press(*"hi", "enter")
        assert screen.options.hints
        assert "≠ hints" in str(rules.get_option_at_index(0).prompt)
        await player.pilot.press(*"car", "down")
        assert "cards per turn                    3 (the game's own)" in str(
            rules.get_option_at_index(1).prompt
        )
        await player.pilot.press("escape", "escape")  # it asks; one more goes back to the form
        assert (player.app.screen, screen.options.hints) == (screen, True)
        assert "changed here" in "".join(str(option.prompt) for option in rules.options)
        await player.pilot.press("escape", "n")
        await wait(player.pilot, lambda: isinstance(player.app.screen, LobbyScreen))
        assert player.session.client.view.options == SLOW
        await player.pilot.press("o", *"hi", "enter", "escape", "enter")
        await wait(player.pilot, lambda: isinstance(player.app.screen, LobbyScreen))
        await wait(player.pilot, lambda: player.session.client.view.options.hints)


@pytest.mark.long
async def test_arrows_go_through_the_numbers_that_are_offered() -> None:
    """They begin with what a rule comes to, and beyond the last number there may be none."""
    walks = (
        ("cards per", "left left left", (2, 1, None)),
        ("hands in", "left left left left", (3, 2, 1, 1)),
        ("total that", "left right left", (200, None, 200)),
        ("pause without", "left left right", (5_000, None, 5_000)),
    )
    async with hosting() as player:
        await click(player, "options")
        await wait(player.pilot, lambda: isinstance(player.app.screen, OptionsScreen))
        screen = player.app.screen
        assert isinstance(screen, OptionsScreen)
        for row, keys, values in walks:
            await find(player, row)
            for key, value in zip(keys.split(), values, strict=True):
                await player.pilot.press(key)
                assert getattr(screen.options, found(row)[0]) == value, (row, key)


@pytest.mark.long
@for_each(
    ("row", "told"), [("points for going", "Here it comes to 10."), ("hints", "To choose from: yes, no.")]
)
async def test_a_large_form_tells_more_of_a_rule(row: str, told: str) -> None:
    """At 120x40 it is told beside it what can be chosen, and what the game decides."""
    async with hosting(size=(120, 40)) as player:
        await click(player, "options")
        await wait(player.pilot, lambda: isinstance(player.app.screen, OptionsScreen))
        await find(player, row)
        assert told in str(player.app.screen.query_one("#about", Label).content)


async def test_a_name_and_a_colour_are_chosen_in_the_list_of_players() -> None:
    """Enter takes both; the table and the lobby have them at once."""
    async with hosting() as player:
        await player.pilot.press("f8", "n")
        await wait(player.pilot, lambda: isinstance(player.app.screen, NameScreen))
        player.app.screen.query_one(Input).value = "Zoe"
        await player.pilot.press("tab", "down", "enter")
        await shows(player, "1 Zoe")
        (state,) = player.session.client.view.seats.values()
        assert (state.name, state.color) == ("Zoe", 1)


def test_every_option_has_a_meaning_that_fits_below_the_form() -> None:
    """Each is explained in two lines."""
    assert max(len(text.meaning) for text in TEXTS.values()) < 2 * 70


def test_what_is_yes_or_no_is_chosen() -> None:
    """Nobody has to type it, where the game decides otherwise either."""
    for name in ("hints", "shuffle", "forced_bases"):
        assert choices_of(name)[-2:] == [("yes", "true"), ("no", "false")]


@pytest.mark.long
@for_each(
    ("name", "value"),
    [("columns", "5"), ("hands", "many"), ("grace_ms", ""), ("hands", "0"), ("hands", "-3")],
)
async def test_wrong_options_are_refused_with_a_sentence(name: str, value: str) -> None:
    """A value that cannot be is told in the form, which stays; nothing changes."""
    async with hosting() as player:
        await click(player, "options")
        await wait(player.pilot, lambda: isinstance(player.app.screen, OptionsScreen))
        await find(player, called(name))
        await enter(player, value)
        told = str(player.app.screen.query_one("#wrong", Label).content)
        assert bool(told) == bool(value)
        if name == "columns":  # so many are wrong for the game, which is another option
            assert await player.pilot.click("#take")
            assert isinstance(player.app.screen, OptionsScreen)
        await player.pilot.press("escape", "n" if name == "columns" else "escape")
        await wait(player.pilot, lambda: isinstance(player.app.screen, LobbyScreen))
        assert player.session.client.view.options == SLOW


@pytest.mark.long
async def test_guests_have_no_options() -> None:
    """Who does not host is told so by the server, and nothing changes; the deal shows the cards at once."""
    async with serving() as served:
        async with await Client.create(served.url, "Ben", SLOW) as ben:
            guest = await Client.join(served.url, ben.code, "Ann")
            async with sitting(guest, "joined") as player:
                assert "options" not in player.text.splitlines()[-1]
                await player.pilot.press("1")
                await wait(
                    player.pilot, lambda: player.session.model.selection.message(player.session.now())[1]
                )
                assert len(player.session.client.view.seats) == 2
                await player.pilot.press("o")
                await wait(player.pilot, lambda: isinstance(player.app.screen, OptionsScreen))
                assert "only the host" in str(player.app.screen.query(Label).first().content)
                assert all(editor.disabled for editor in player.app.screen.query(Input))
                assert not player.app.screen.query("#take")
                await ben.send(cl.Start(counter=ben.next_counter()))
                await wait(player.pilot, lambda: isinstance(player.app.screen, TableScreen))


async def test_spectators_have_no_keys_of_players() -> None:
    """The lobby offers those who look on no chat, and tells why there is none who asks for it."""
    async with serving() as served, await Client.create(served.url, "Ben", SLOW) as ben:
        async with sitting(await Client.watch(served.url, ben.code), "watched") as player:
            await shows(player, "leave")
            assert "chat" not in player.text.splitlines()[-1]
            await player.pilot.press("/")
            await shows(player, "Only players can chat.")


# Help, chat, leaving.


async def test_help_opens_and_closes() -> None:
    """It opens by key and by click, in a lobby with how to play; it scrolls, and goes with any other key."""
    async with hosting(size=(80, 24)) as player:
        await player.pilot.press("?")
        assert isinstance(player.app.screen, HelpScreen)
        assert "Only a king" in player.app.screen.canvas.text
        await player.pilot.press("tab")
        first = player.app.screen.canvas.text
        assert "add a bot that plays slowly" in first
        await player.pilot.press("down", "pagedown")
        assert first != player.app.screen.canvas.text
        await player.pilot.press("escape")
        assert isinstance(player.app.screen, LobbyScreen)
        await click(player, "help")
        assert isinstance(player.app.screen, HelpScreen)
        await player.pilot.click(offset=(3, 3))
        assert isinstance(player.app.screen, LobbyScreen)


@pytest.mark.long
@for_each(("advice", "first"), [(1, "How to play: Klondike race"), (0, "Racing Demon: keys")])
async def test_newcomers_read_how_to_play_before_the_keys(advice: int, first: str) -> None:
    """Their line says that the key leads there, also while they play."""
    async with hosting(size=(80, 24), advice=advice) as player:
        await deal(player)
        await player.pilot.press("?")
        assert isinstance(player.app.screen, HelpScreen)
        assert player.app.screen.canvas.text.splitlines()[0].strip() == first


@pytest.mark.long
async def test_the_signal_closes_the_help() -> None:
    """Who reads the help when play begins sees the cards at once."""
    async with hosting(Options(countdown_ms=6_000, tally_ms=600_000)) as player:
        await player.pilot.press("1")
        await wait(player.pilot, lambda: len(player.session.client.view.seats) == 2)
        await player.pilot.press("enter")
        await wait(player.pilot, lambda: player.phase is Phase.COUNTDOWN)
        await wait(player.pilot, lambda: isinstance(player.app.screen, TableScreen))
        await player.pilot.press("?")
        assert isinstance(player.app.screen, HelpScreen)
        assert player.phase is Phase.COUNTDOWN
        await wait(player.pilot, lambda: player.phase is Phase.PLAYING)
        await wait(player.pilot, lambda: not isinstance(player.app.screen, HelpScreen))


@pytest.mark.long
async def test_chat_reaches_the_others() -> None:
    """What is said is heard at the other seats, and what they say is shown; chat outlives a deal."""
    async with serving() as served:
        client = await Client.create(served.url, "Ann", SLOW)
        async with (
            sitting(client, "hosted") as player,
            await Client.join(served.url, client.code, "Ben") as ben,
        ):
            await player.pilot.press("/")
            assert isinstance(player.app.screen, ChatScreen)
            await player.pilot.press(*"hi [/]")
            player.session.send(cl.Start)
            await wait(player.pilot, lambda: player.phase is Phase.PLAYING)
            assert isinstance(player.app.screen, ChatScreen)
            await player.pilot.press("enter")

            async def heard() -> str:
                async for message in ben:
                    if isinstance(message, ev.Said):
                        return message.text
                return ""

            assert await timeout(PATIENCE, heard()) == "hi [/]"
            await wait(player.pilot, lambda: isinstance(player.app.screen, TableScreen))
            await ben.send(cl.Say(counter=ben.next_counter(), text="[bold]hello"))
            await shows(player, "Ben says: [bold]hello")
            await player.pilot.press("/", "x", "escape")
            await wait(player.pilot, lambda: isinstance(player.app.screen, TableScreen))
            assert "you say: x" not in player.text


async def test_leaving_asks() -> None:
    """Leaving asks first; no stays, yes ends the program that was started for this table."""
    async with hosting() as player:
        for key, answer in (("ctrl+c", "n"), ("ctrl+q", "escape")):
            await player.pilot.press(key)
            assert isinstance(player.app.screen, QuestionScreen)
            await player.pilot.press(answer)
            await wait(player.pilot, lambda: isinstance(player.app.screen, LobbyScreen))
        await player.pilot.press("ctrl+c")
        await player.pilot.press("y")
        await until_ended(player.app)
        assert player.app.failure is None


async def test_tally_and_lobby_can_be_looked_at_in_a_hand() -> None:
    """F6 and F7 show points and seats while cards are played; so they lead back, and Escape and Enter do."""
    async with hosting() as player:
        await deal(player)
        for key, kind in (("f6", TallyScreen), ("f7", LobbyScreen)):
            for back in (key, "escape", "enter"):
                await player.pilot.press(key)
                await wait(player.pilot, lambda kind=kind: type(player.app.screen) is kind)  # type: ignore[misc]
                await shows(player, "to the cards")
                await player.pilot.press(back)
                await wait(player.pilot, lambda: isinstance(player.app.screen, TableScreen))


# Settings.


async def test_looks_are_kept(folders: Folders) -> None:
    """F2 to F5 change size, colors, motion and volume, say so, and keep it."""
    async with hosting(how="practiced", size=(120, 40)) as player:
        for key, sentence in (
            ("f2", "size: small"),
            ("f3", "Light: warm reds"),
            ("f4", "flashes and sounds: off"),
            ("f5", "the feed shows: everything"),
        ):
            await player.pilot.press(key)
            await shows(player, sentence)
        await wait(player.pilot, lambda: load(folders.settings).volume == 2)  # it is kept beside the game
        kept = load(folders.settings)
        assert (
            kept.density,
            kept.palette,
            kept.motion,
            kept.sound,
            kept.volume,
        ) == ("small", "light", False, False, 2)


async def test_changes_in_quick_succession_are_all_kept(folders: Folders) -> None:
    """However fast changes come, each is kept beside the others."""
    changes: dict[str, Any] = {"density": "small", "palette": "light", "motion": False, "volume": 2}
    async with hosting(how="practiced") as player:
        for name, value in changes.items():
            player.app.save_settings(**{name: value})
        await wait(player.pilot, lambda: load(folders.settings) == PlayerSettings(**changes))


async def test_a_file_that_cannot_be_kept_is_told(folders: Folders) -> None:
    """When the settings cannot be written the game goes on, with a sentence."""
    folders.settings.parent.parent.mkdir(parents=True)
    folders.settings.parent.write_text("a file where the folder should be")
    async with hosting(how="practiced") as player:
        await player.pilot.press("f3")
        await player.pilot.pause()
        assert player.app.appearance.palette.name == "light"
        assert player.app.is_running


async def test_own_keys_work() -> None:
    """A key from the settings does what it is bound to, instead of the usual one, and the table names it."""
    async with hosting(bindings={"turn": "t", "bot-easy": "e f8"}) as player:
        await player.pilot.press("f8")
        await shows(player, "bot, easy")
        await player.pilot.press("enter")
        await wait(player.pilot, lambda: player.phase is Phase.PLAYING)
        await shows(player, "t turn")
        await player.pilot.press("t")
        await wait(player.pilot, lambda: turned(player) == 3)
        await player.pilot.press("space")
        assert not player.session.client.waiting
        assert turned(player) == 3


async def test_no_hints_where_the_table_wants_none() -> None:
    """Without the option neither the hint's key nor a card that is held shows what fits."""
    async with hosting(SLOW) as player:
        await deal(player)
        await player.pilot.press("b")
        await shows(player, "This table plays without hints.")
        await player.pilot.press("f")
        await shows(player, "holding ")
        assert "fits:" not in player.text
        assert frozenset() == player.session.model.selection.fits()


async def test_hints_where_the_table_has_them() -> None:
    """With the option a card that is held says where it fits, and a key shows a play."""
    async with hosting(SLOW.model_copy(update={"hints": True})) as player:
        await deal(player)
        await player.pilot.press("f")
        await shows(player, "fits: ")
        await player.pilot.press("x", "b")
        assert player.session.model.selection.fits()


# Small terminals.

SIZES = ((1, 1), (3, 30), (200, 2), (12, 8), (500, 200), (100, 34))


async def test_a_small_terminal_says_so_and_plays_on() -> None:
    """Below 80x23 the table says what it needs; keys work on, and the picture comes back with the room."""
    async with hosting() as player:
        await deal(player)
        for width, height in ((79, 24), (80, 22), (20, 5), (1, 1)):
            await player.pilot.resize_terminal(width, height)
            await wait(player.pilot, lambda width=width: player.app.screen.size.width == width)  # type: ignore[misc]
            await player.pilot.pause()
            assert "The table needs 80x23"[:width] in " ".join(player.text.split())
            before = turned(player)
            await player.pilot.press("space")
            await wait(player.pilot, lambda before=before: turned(player) == before + 3)  # type: ignore[misc]
        await player.pilot.resize_terminal(80, 23)
        await shows(player, "[space]")


@pytest.mark.long
@more_when_long
@for_each("key", usually(1, ["?", "", "o", "/", "ctrl+c"]))
async def test_no_size_ends_the_program(key: str) -> None:
    """Lobby, tally and all dialogs live through any size of the terminal."""
    async with hosting() as player:
        await player.pilot.press(*([key] if key else []))
        for width, height in SIZES[:: amount(2, 1)]:
            await player.pilot.resize_terminal(width, height)
            await player.pilot.pause()
        await player.pilot.press("escape")
        assert player.app.is_running


async def test_leaving_gives_the_seat_up() -> None:
    """Who leaves by key is gone from the table, and not only away."""
    async with serving() as served:
        async with await Client.create(served.url, "Ben", SLOW) as ben:
            guest = await Client.join(served.url, ben.code, "Ann")
            async with sitting(guest, "joined") as player:
                await player.pilot.press("ctrl+c")
                await player.pilot.press("y")
                await until_ended(player.app)
            async for _ in ben:
                if 1 not in ben.view.seats:
                    break
