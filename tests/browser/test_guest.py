"""A guest with a phone on the same network as the host: another machine, with nothing installed."""

import time
from typing import Final

import pytest

from racing_demon_protocol.wire.messages.events import Played
from tests.browser.test_cuts import assert_told_once
from tests.support.browsers import Phone, chromium, phone
from tests.support.namespaces import NetworkLink, can_have_namespaces
from tests.support.processes import CLIENT, SERVER
from tests.support.restartable_server import wait_until

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not can_have_namespaces(), reason="no network namespaces: not Linux, or not root"),
]
LINK: Final = r"^  racing-demon join (http://\S+)$"
LAPTOP: Final = {"width": 1280, "height": 800}


async def test_a_guest_scans_the_code_and_plays(
    wire: NetworkLink, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the code says opens the table on the guest's phone; a name and two taps later a card is played."""
    async with (
        wire.started("a", "-m", CLIENT, "host", "--name", "Ann") as host,
        chromium(machine=wire) as browser,
    ):
        scanned = (await host.line(LINK))[1].upper()
        begun = time.perf_counter()
        async with phone(browser, scanned) as guest:
            await guest.join("Ben")
            await guest.page.tap(".ready")
            host.type("")
            await guest.until_playing()
            await guest.page.touchscreen.tap(*await guest.stock())
            await wait_until(lambda: bool(_own(guest)))
            took = time.perf_counter() - begun
            assert guest.complaints == []
    with capsys.disabled():
        print(f"\n  from scanned to the first card: {took:.1f} s (aim: 10)")  # noqa: T201 - its result


async def test_a_phone_with_another_address_is_back_on_its_seat(
    wire: NetworkLink, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its old connection is dead without a word; on the new one it has its seat, and every event once."""
    host_of = ("-m", CLIENT, "host", "--name", "Ann", "--bots", "2")
    async with wire.started("a", *host_of) as host, chromium(machine=wire) as browser:
        link = (await host.line(LINK))[1]
        async with phone(browser, link) as guest:
            await guest.join("Ben")
            await guest.page.tap(".ready")
            host.type("")
            await guest.until_playing()
            await guest.page.touchscreen.tap(*await guest.stock())
            wire.leave()
            await guest.see("#offline")
            begun = time.perf_counter()
            wire.enter()
            await wait_until(lambda: len(guest.connections) > 1 and guest.seq > 0)
            took = time.perf_counter() - begun
            played = len(_own(guest))
            await guest.page.touchscreen.tap(*await guest.stock())
            await wait_until(lambda: len(_own(guest)) > played)
            assert_told_once(guest, seat=1)
    with capsys.disabled():
        print(f"\n  back with another address: {took:.2f} s (aim: 1)")  # noqa: T201 - its result


async def test_who_opens_the_page_at_localhost_invites_by_the_networks_address(wire: NetworkLink) -> None:
    """Words, link and code name where others reach the server; when its address changes, they follow."""
    served = ("-m", SERVER, "--host", "0.0.0.0", "--port", "5252", "--no-lan")  # noqa: S104
    async with wire.started("a", *served) as server, chromium(machine=wire, end="a") as browser:
        await server.line("5252")
        async with phone(browser, "http://localhost:5252/", viewport=LAPTOP) as host:
            code = await host.create("Ann")
            shown = host.page.locator("#lobby .address:visible")
            picture = host.page.locator("#lobby .side .qr")
            for address in ("10.77.0.1", "10.78.0.1"):
                if address == "10.78.0.1":
                    wire.move("a", "10.77.0.1", address)
                await shown.filter(has_text=f"{address}:5252/{code}").wait_for()
                assert f"http://{address}:5252/{code}" in (await picture.get_attribute("alt") or "")
            await host.page.tap(".share")
            await host.page.locator("#sheet .address", has_text=f"http://10.78.0.1:5252/{code}").wait_for()
            await host.page.tap("#sheet-close")
            wire.move("a", "10.78.0.1", "")
            await shown.filter(has_text="Only on this computer").wait_for()
            assert await picture.is_hidden()


async def test_who_hosts_at_a_server_named_localhost_sees_the_networks_address(wire: NetworkLink) -> None:
    """The link that a host passes on leads others to the server's machine, not to their own."""
    served = ("-m", SERVER, "--host", "0.0.0.0", "--port", "5252", "--no-lan")  # noqa: S104
    async with wire.started("a", *served) as server:
        await server.line("5252")
        hosting = ("-m", CLIENT, "host", "--server", "localhost:5252", "--name", "Ann", "--plain")
        async with wire.started("a", *hosting) as host:
            assert "http://10.77.0.1:5252/" in (await host.line(LINK))[1]


def _own(guest: Phone) -> set[int]:
    """Return the numbers of the plays that the guest has made."""
    return {each.seq for each in guest.heard if isinstance(each, Played) and each.seat == 1}
