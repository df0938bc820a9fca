"""The Chromium of the browser's tests."""

from tests.browser.conftest import browser

__all__ = ["browser"]
