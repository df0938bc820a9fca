"""Keyboards that type capitals, wide letters or another script, by the bytes that a terminal sends."""

import sys
from pathlib import Path

import pytest

from tests.support.effort import usually
from tests.system.test_mouse import Mouse, mouse

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

TYPED = {"caps lock": "DXYP", "full width": "ｄｘｙｐ", "wide capitals": "ＤＸＹＰ", "russian": "вчнз"}
TYPED |= {
    "russian capitals": "ВЧНЗ",
    "greek": "δχυπ",
    "hebrew": "גסטפ",
    "arabic": "يءغح",
    "korean": "ㅇㅌㅛㅔ",
}
"""What keys D, X, Y and P type."""


def test_keys_work_as_they_are_engraved(solo: Mouse) -> None:
    """The third column's key picks up, and the one that lets go does; any other letter is named."""
    for keys in TYPED.values():
        solo.type(keys[0])
        solo.until("holding 5♦")
        solo.type(keys[1])
        solo.until(r"(?s)\A(?!.*holding)")
    solo.type("ß")
    solo.until("There is no key ß here")


@pytest.mark.long
@pytest.mark.parametrize("keys", usually(1, TYPED.values()))
def test_buttons_and_questions_take_them(tmp_path: Path, keys: str) -> None:
    """``p`` on the first screen plays now, and ``y`` says yes."""
    with mouse(tmp_path) as first:
        first.until(r"Play now \(p\)")
        first.type("\x1b")  # out of the field for the name
        first.type(keys[3])
        first.until("Enter deals")
        first.type("\x03")
        first.until("Leave the table")
        first.type(keys[2])
        first.until(r"Play now \(p\)")
