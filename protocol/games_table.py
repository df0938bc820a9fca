"""Write the table of all games, ``docs/games.md``, from the declarations and the tests.

python protocol/games_table.py
"""

import re
from collections.abc import Iterator
from pathlib import Path

from racing_demon_protocol.engine.specification import Building, Game, Racing
from racing_demon_protocol.games import GAMES

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "games.md"
TESTS = ROOT / "tests" / "protocol"

NAMED = ("Racing Demon", "Demon A", "Demon B", "Travellers")
"""The sources beside the entries of Mrs. Cheney's book."""
ENTRY = re.compile(r"Cheney (\d+)(, second game)?( and appendix)?")
OUTSIDE = (
    "entries",
    "figures",
    "fixtures",
    "metamorphic",
    "rules",
    "building_games",
    "special_rules",
    "switches",
)
"""The tests, beside those of the mechanics, that check games against independent results."""

HEAD = """# The games

Made by `make schema-write` from the declarations and the tests; do not edit it.

The first column names the source ([rules-sources.md](rules-sources.md)); a number is an entry of
Mrs. Cheney's book. The *solo test* plays random hands, checks every invariant after each play,
compares the legal plays with brute force, and examines won and lost positions. The *race test*
plays hands of two at a server's table and verifies their records. *Checked in* names the tests that
compare the game with something other than its declaration: the words of its source, card by card;
an independent implementation; arithmetic; other games.
"""


def rule_sets() -> dict[str, Game]:
    """Return the games of docs/rules-sources.md by source; a number is an entry of Mrs. Cheney's book."""
    first = {game.source: game for game in reversed(GAMES.values())}
    numbered = {
        f"{int(entry[1]):02}{'b' if entry[2] else ''}": game
        for source, game in first.items()
        if (entry := ENTRY.fullmatch(source))
    }
    return {name: first[name] for name in NAMED} | dict(sorted(numbered.items()))


def page() -> str:
    """Return the page."""
    sources = rule_sets()
    rows = [_row(number, game) for number, game in sources.items()]
    more = [_row("", game) for game in GAMES.values() if game not in sources.values()]
    title = (
        "| | game | title | packs | skill | race | mechanic | solo test | race test | checked in |\n|"
        + "---|" * 10
    )
    return "\n".join(
        [
            HEAD,
            f"## The {len(sources)} games of the sources\n",
            title,
            *rows,
            "\n## Variants, and games from elsewhere\n",
            title,
            *more,
            "",
        ]
    )


def _row(number: str, game: Game) -> str:
    checks = ", ".join(dict.fromkeys(_checks(game))) or "–"
    kind = "building" if isinstance(game.mechanic, Building) else type(game.mechanic).__name__.lower()
    race = "demonstration" if game.skill == 0 and game.racing is Racing.SOLO else str(game.racing)
    is_building = isinstance(game.mechanic, Building)
    tests = ("building_games", "table_building") if is_building else ("every", "table_mechanics")
    cells = (number, f"`{game.name}`", game.title, game.packs, game.skill, race, kind, *tests, checks)
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _checks(game: Game) -> Iterator[str]:
    """Yield the tests that mention a game's name or declaration."""
    spoken = re.compile(rf"[\"']{game.name}[\"']")
    for path in sorted(TESTS.rglob("test_*.py"), key=lambda path: path.name):
        test = path.stem.removeprefix("test_")
        outside = test in OUTSIDE or path.parent.name == "mechanics"
        if outside and spoken.search(path.read_text(encoding="utf-8")):
            yield test


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
