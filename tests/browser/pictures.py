"""Draws the README's pictures of the browser's table: ``python -m tests.browser.pictures docs``.

The deal is always the same, but the bots' pace is not: two runs differ by some plays.
"""

import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from tests.support.browsers import chromium, phone
from tests.support.servers import serving

PHONE: Final = {"viewport": {"width": 390, "height": 700}, "color_scheme": "dark"}
LAPTOP: Final = {"viewport": {"width": 1280, "height": 760}, "color_scheme": "dark"}
BIG: Final = {"viewport": {"width": 1280, "height": 720}, "color_scheme": "dark", "is_mobile": False}
ROUNDS: Final = 4
QUALITY: Final = 72


async def draw(folder: Path) -> None:
    """Play a hand for a while on a phone, and show the phone, a laptop, and a big screen."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(
            serving(
                seed=bytes(31) + b"\7", code_letters=4, bot_speed=4.0, public_urls=("ws://192.168.1.5:5252",)
            )
        )
        browser = await stack.enter_async_context(chromium())
        ann = await stack.enter_async_context(phone(browser, served.origin, **PHONE))
        code = await ann.create("Mia")
        link = f"{served.origin}/{code}"
        ben = await stack.enter_async_context(phone(browser, link, **LAPTOP))
        await ben.join("Ben")
        for _ in range(3):
            await ann.page.tap(".add-bot")
        screen = await stack.enter_async_context(phone(browser, f"{link}?tv", **BIG))
        await ann.page.tap(".deal")
        for player in (ann, ben):
            await player.until_playing()
        for _ in range(ROUNDS):
            await asyncio.gather(ann.tap_piles(), ben.tap_piles())
        await ann.page.wait_for_timeout(9_000)
        for name, page in (("phone", ann), ("laptop", ben), ("television", screen)):
            await page.page.screenshot(path=folder / f"{name}.jpg", type="jpeg", quality=QUALITY)


if __name__ == "__main__":
    asyncio.run(draw(Path(sys.argv[1])))
