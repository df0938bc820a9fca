"""A table is opened by a preset, from the first screen or by link."""

import json
from urllib.parse import quote

import pytest
from playwright.async_api import Browser, expect

from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import PRESETS
from racing_demon_protocol.wire.saved_presets import new_preset
from tests.support.browsers import Phone, phone
from tests.support.effort import usually
from tests.support.processes import CLIENT, Running, started
from tests.support.servers import serving


async def test_the_page_opens_a_table_by_a_preset(browser: Browser) -> None:
    """The second choice is Nerts; what the host changes then is told beside its name.

    Options of a link that cannot be played are refused in the words of the form. In the lobby's menu the
    eight colours lie in two rows of four: this is the one short test that has it at hand.
    """
    unplayable = quote(json.dumps({"game": "racing-demon", "spaces": "reserve"}))
    async with serving() as served, phone(browser, f"{served.origin}/new?preset={unplayable}") as ann:
        await ann.page.fill("#name", "Ann")
        await ann.page.tap("#sheet .preset.primary")
        await ann.page.locator("#problem", has_text="the option “What fills empty columns”").wait_for()
        await ann.page.tap("#create")
        await ann.page.locator("#sheet .preset.large", has_text="Nerts").tap()
        await ann.see("#lobby")
        room = served.registry.room(await ann.code())
        assert room.table.view.options == PRESETS["nerts"].options
        await ann.page.locator("#lobby .game", has_text="Nerts, first to 100").wait_for()
        await ann.show_rules()
        preset = ann.page.locator(".options select").first
        assert await preset.input_value() == "nerts"
        await ann.page.get_by_label("Cards in the reserve").select_option("10")
        await ann.page.locator("#lobby .rule", has_text="reserve of 10 13").wait_for()
        await preset.select_option("quick")
        await ann.page.locator(".option option:checked", has_text="3 min").wait_for(state="attached")
        assert room.table.view.options == PRESETS["quick"].options
        await ann.page.tap("#lobby-menu")
        await ann.page.get_by_role("button", name="Your name and color").tap()
        colors = ann.page.get_by_role("radio")
        await expect(colors).to_have_count(8)
        heights = await colors.evaluate_all("(all) => all.map((each) => each.getBoundingClientRect().top)")
        assert sorted(map(heights.count, heights)) == [4] * 8


@pytest.mark.long
async def test_a_device_keeps_the_options_of_a_table(browser: Browser) -> None:
    """Saved under a name, they are offered for the next table, until the device forgets them."""
    async with serving() as served, phone(browser, served.origin) as ann:
        await ann.create("Ann")
        await ann.show_rules()
        await ann.page.locator(".options select").first.select_option("nerts")
        await ann.page.locator(".option option:checked", has_text="100").first.wait_for(state="attached")
        await ann.page.tap("#lobby-menu")
        await ann.page.get_by_role("button", name="Save the options as a preset").tap()
        await ann.page.get_by_label("Name, such as").fill("Club night")
        await ann.page.get_by_role("button", name="Save", exact=True).tap()
        await ann.open(served.origin)
        await ann.page.tap("#create")
        await ann.page.locator("#sheet .saved .preset", has_text="Club night").tap()
        await ann.see("#lobby")
        room = served.registry.room(await ann.code())
        assert not PRESETS["nerts"].deviations(room.table.view.options)
        await ann.open(f"{served.origin}/new?preset=Club%20night")
        await ann.page.locator("#sheet .preset.primary", has_text="Club night").wait_for()
        await ann.page.get_by_role("button", name="Forget Club night").tap()
        await ann.page.tap("#sheet-close")
        await ann.page.tap("#create")
        await ann.page.locator("#sheet .preset").first.wait_for()
        assert await ann.page.locator("#sheet .saved").count() == 0
        assert ann.complaints == []


@pytest.mark.long
async def test_a_server_s_own_presets_are_offered(browser: Browser) -> None:
    """They stand behind the two that most people look for."""
    ours = new_preset("Club night", Options(game="classic", reserve=11))
    async with serving(presets=(ours,)) as served, phone(browser, served.origin) as ann:
        await ann.page.fill("#name", "Ann")
        await ann.page.tap("#create")
        await ann.page.locator("#sheet .presets .preset", has_text="Club night").tap()
        await ann.see("#lobby")
        assert served.registry.room(await ann.code()).table.view.options == ours.options
        for named in ("club-night", "Club%20night"):
            await ann.open(f"{served.origin}/new?preset={named}")
            await ann.page.locator("#sheet .preset.primary", has_text="Club night").wait_for()


@pytest.mark.long
async def test_a_television_opens_a_table_for_those_around_it(browser: Browser) -> None:
    """It takes no seat, shows how to join, and leaves the table to whoever comes first."""
    television = {"viewport": {"width": 1920, "height": 1080}, "is_mobile": False}
    async with serving() as served, phone(browser, served.origin, **television) as tv:
        await tv.page.tap("#tv")
        await tv.page.locator("#sheet .preset.large", has_text="Nerts").tap()
        await tv.see("#lobby")
        code = await tv.code()
        await tv.page.locator("#lobby .game", has_text="Nerts").wait_for()
        async with phone(browser, f"{served.origin}/{code}") as ann:
            await ann.join("Ann")
            await ann.page.locator("#lobby .deal:visible").wait_for()
            assert served.registry.room(code).table.view.host == 0
        assert tv.complaints == []


@pytest.mark.long
@pytest.mark.parametrize("name", usually(1, ["nerts", "luck"]))
async def test_a_link_to_a_preset_opens_nothing(name: str, browser: Browser) -> None:
    """It fills in the form; only a press opens the table, and a preset that does not exist is the default."""
    async with serving() as served, phone(browser, f"{served.origin}/new?preset={name}") as ann:
        chosen = ann.page.locator("#sheet .preset.primary")
        await chosen.wait_for()
        preset = PRESETS.get(name, PRESETS["klondike"])
        assert (await chosen.locator("b").inner_text()) == preset.title
        assert len(served.registry) == 0


@pytest.mark.long
@pytest.mark.parametrize("name", usually(1, PRESETS))
async def test_a_preset_is_played_by_link(name: str, browser: Browser) -> None:
    """A phone opens the table by a link, a program joins it, and both see the tally of a hand."""
    async with serving() as served, phone(browser, f"{served.origin}/new?preset={name}") as ann:
        await ann.page.fill("#name", "Ann")
        await ann.page.tap("#sheet .preset.primary")
        await ann.see("#lobby")
        code = await ann.code()
        assert not PRESETS[name].deviations(served.registry.room(code).table.view.options)
        async with started(CLIENT, "join", served.origin, code, "--name", "Ben") as ben:
            await ben.line("^Press Enter when you are ready[.]")
            await ann.deal()
            await _finish(ann, ben)
        assert ann.complaints == []


@pytest.mark.parametrize("name", usually(1, PRESETS))
async def test_a_preset_is_hosted_from_a_terminal(name: str, browser: Browser) -> None:
    """A program opens the table, a phone joins it, and both see the tally of a hand."""
    async with started(CLIENT, "host", "--port", "0", "--name", "Ann", "--preset", name) as ann:
        found = await ann.line(r"^  racing-demon join http://[^:]+(:\d+/[A-Z]{4})$")
        await ann.line("^Enter deals[.]")
        async with phone(browser, f"http://127.0.0.1{found.group(1)}") as ben:
            await ben.join("Ben")
            await ann.line("^Ben took seat 2$")
            ann.type("start")
            await _finish(ben, ann)
            assert ben.complaints == []
        ann.hang_up()


async def _finish(one: Phone, other: Running) -> None:
    """Let two players give up a hand, and see its tally."""
    await other.line("^play!$")
    other.type("s")
    await one.see("#table")
    await one.finish()
    await other.line(r"^hand 1 is over")
