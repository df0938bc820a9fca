"""Write the table of all games, ``docs/games.md``, from the declarations and the tests.

python protocol/games_table.py [--check]
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from racing_demon_protocol.engine.specification import Building, Game, Racing
from racing_demon_protocol.games import GAMES

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "games.md"
TESTS = ROOT / "tests" / "protocol"

RULE_SETS = {
    "Racing Demon": "racing-demon",
    "Demon A": "demon-a",
    "Demon B": "demon-b",
    "Travellers": "travellers",
    "01": "solitaire",
    "02": "grandfathers",
    "03": "sultan",
    "04": "paternal",
    "05": "trios",
    "06": "musical",
    "07": "legitimist",
    "08": "fourteen",
    "09": "windmill",
    "10": "salique-law",
    "11": "push-pin",
    "12": "little-lots",
    "13": "wandering-card",
    "14": "st-helena",
    "15": "blockade",
    "16": "number-eleven",
    "17": "egyptian",
    "18": "clock",
    "19": "double-jump",
    "20": "nivernaise",
    "21": "duchess-of-luynes",
    "22": "picture",
    "23": "lady-of-the-manor",
    "24": "honors",
    "25": "puzzle",
    "26": "knaves-dial",
    "27": "brunette-and-blonde",
    "28": "square",
    "29": "queens-party",
    "30": "fifteen-in-a-row",
    "31": "napoleon",
    "31b": "pet",
    "32": "old-stager",
    "33": "corners",
    "34": "judges",
    "35": "toad",
    "36": "fooliana",
    "37": "triangle",
    "38": "staircase",
    "39": "seven",
    "40": "musical-sequel",
    "41": "a-spell",
    "42": "louise",
    "43": "bethel",
    "44": "weavers",
    "45": "gamblers",
    "46": "fours",
    "47": "bridal-wreath",
    "48": "picture-gallery",
    "49": "flower-garden",
    "50": "reversible-sequences",
    "51": "intervale",
    "52": "queens-cotillon",
    "53": "sympathy",
}
"""The games of docs/rules-sources.md by source; a number is an entry of Mrs. Cheney's book."""

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

Made by `make games-table` from the declarations and the tests; do not edit it.

The first column names the source ([rules-sources.md](rules-sources.md)); a number is an entry of
Mrs. Cheney's book. The *solo test* plays random hands, checks every invariant after each play,
compares the legal plays with brute force, and examines won and lost positions. The *race test*
plays hands of two at a server's table and verifies their records. *Checked in* names the tests that
compare the game with something other than its declaration: the words of its source, card by card;
an independent implementation; arithmetic; other games.
"""


def page() -> str:
    """Return the page."""
    others = [name for name in GAMES if name not in RULE_SETS.values()]
    rows = [_row(number, GAMES[name]) for number, name in RULE_SETS.items()]
    more = [_row("", GAMES[name]) for name in others]
    title = (
        "| | game | title | packs | skill | race | mechanic | solo test | race test | checked in |\n|"
        + "---|" * 10
    )
    return "\n".join(
        [
            HEAD,
            f"## The {len(RULE_SETS)} games of the sources\n",
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


def main(arguments: list[str]) -> int:
    """Write the page, or check that it is up to date."""
    text = page()
    if "--check" in arguments:
        return 0 if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
