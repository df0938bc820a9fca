"""The mouse on the screens around the cards, by the bytes that a terminal sends: each gesture once."""

import re
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.system.test_mouse import Mouse, mouse

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

HOST: Final = ("host", "--name", "Ann", "--port", "0", "--no-announce")
RECORD: Final = Path(__file__).parents[1] / "fixtures" / "records" / "version-2.jsonl"


def sit_with_bot(table: Mouse) -> None:
    """Let a bot come to the table in whose lobby one is."""
    table.click("b add a bot")
    table.click("1 easy")
    table.until("2 Ada")


# The first screen.


@pytest.mark.long
def test_one_click_chooses_on_the_first_screen(tmp_path: Path) -> None:
    """A click opens a list, the next takes an entry and closes it; nothing else has changed."""
    with mouse(tmp_path) as first:
        first.click("3 bots")
        first.until("7 bots")
        first.click("5 bots")
        first.until(r"(?s)\A(?!.*7 bots).*against +5 bots")
        assert "medium" in first.text


@pytest.mark.long
def test_one_click_plays_now(tmp_path: Path) -> None:
    """A click on the button opens one table, and the cards wait there until one deals."""
    with mouse(tmp_path) as first:
        first.click(r"Play now \(p\)")
        first.until("Enter deals")
        assert "hand 1" not in first.text


# The options.


@pytest.mark.long
def test_one_click_changes_one_option(tmp_path: Path) -> None:
    """A click opens the choices of an option, the next takes one; a click on the button lets it count."""
    with mouse(tmp_path, *HOST) as table:
        table.click("o options")
        table.click("▸ hand")
        table.click("automatic first turn")
        table.click(r"\byes\b(?= +│)")
        table.until(r"≠ automatic first turn +yes")
        table.until(r"hints +no")
        table.click("Play this")
        table.until(r"≠ automatic first turn")


@pytest.mark.long
def test_a_click_on_back_leaves_the_options_as_they_were(tmp_path: Path) -> None:
    """Nothing is changed, and what lies under the button does not feel the click."""
    with mouse(tmp_path, *HOST) as table:
        table.click("o options")
        table.click(r"(?<=   )Back")
        table.until("b add a bot")
        assert "Play this" not in table.text
        assert "7 seats free" in table.text


# The players.


@pytest.mark.long
def test_one_click_sends_one_bot_away(tmp_path: Path) -> None:
    """A click marks a player, one on a button asks, one answers: one of two bots goes."""
    with mouse(tmp_path, *HOST) as table:
        sit_with_bot(table)
        table.click("b add a bot")
        table.click("2 medium")
        table.until(r"3 \w+ .*medium")
        table.type("\x1b[19~")  # F8
        table.click(r"(?<=│ )2 Ada")
        table.click(r"Kick \(k\)")
        table.until("Remove the bot Ada")
        table.click(r"Kick \(y\)")
        table.until("6 seats free")
        assert re.search(r"3 \w+ .*medium", table.text)


# The tally.


@pytest.mark.long
def test_one_click_on_the_tally_says_ready_once(tmp_path: Path) -> None:
    """A click on the prompt is one Enter: the next hand begins, and its tally is the next one's."""
    quick = ("--option", "countdown_ms=0", "--option", "time_limit_ms=1000", "--hands", "2")
    with mouse(tmp_path, *HOST, *quick) as table:
        sit_with_bot(table)
        table.type("\r")
        table.until("Hand 1 of 2: the time was up")
        table.click("F12 analysis")
        table.until("The last hand, as you played it")
        table.click("F12 analysis")
        table.until(r"hand +1 +total")
        table.click("Press Enter when ready for the next hand")
        table.until("The match is over")
        assert re.search(r"hand +1 +2 +total", table.text)


# A replay.


@pytest.mark.long
def test_one_click_steps_a_replay_by_one_event(tmp_path: Path) -> None:
    """A click on the key of a step goes on by one event, one on that of the step back goes there again."""
    with mouse(tmp_path, "replay", str(RECORD)) as replay:
        replay.click("space pause")
        at = int(replay.until(r"event (\d+) of \d+, paused")[1])
        for text, step in ((r"\. step", 1), (r"\. step", 2), (", back", 1)):
            replay.click(text)
            replay.until(rf"event {at + step} of \d+, paused")


@pytest.mark.long
def test_one_click_shows_another_player_of_a_replay(tmp_path: Path) -> None:
    """A click on a player's line draws that layout large; the replay goes on as it went."""
    with mouse(tmp_path, "replay", str(RECORD)) as replay:
        replay.click("space pause")
        at = replay.until(r"event (\d+) of \d+, paused")[1]
        replay.until("── Ann ─")
        replay.click(r"(?<=│ )Ada ")
        replay.until("── Ada ─")
        assert f"event {at} of" in replay.text
