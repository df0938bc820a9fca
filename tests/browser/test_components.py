"""The picture of the design's document shows what there is now."""

from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.browser.components import draw


@pytest.mark.long
async def test_all_components_are_drawn_in_all_themes(browser: Browser, tmp_path: Path) -> None:
    """Each of them comes from the page's own style sheets and functions, so that the picture cannot lie."""
    picture = tmp_path / "components.jpg"
    await draw(browser, picture)
    assert picture.stat().st_size > 50_000
