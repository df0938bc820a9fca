"""The page without a browser: its types, its unit tests, and what it makes of what Python has played."""

import asyncio
import json
import os
import re
from pathlib import Path
from typing import Final

import segno
from rjsmin import jsmin

from racing_demon_client.shared.guide_text import panels_of
from racing_demon_client.shared.match_text import changes, hand_text, terms, title_text
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.messages import FROM_SERVER, Event, name_of
from racing_demon_protocol.wire.options import LATER, MatchScore, Options
from racing_demon_protocol.wire.presets import PRESETS
from tests.support.cases import for_each
from tests.support.effort import more_when_long
from tests.support.nodes import SCRIPTS, TOOLS, node, tool
from tests.support.vectors import MATCHES, vectors

DIALOGS: Final = ("confirm", "alert", "prompt")
NEWER: Final = (
    *("at", "checkVisibility", "findLast", "findLastIndex", "groupBy", "hasOwn", "showModal"),
    *("structuredClone", "timeout", "toReversed", "toSorted", "toSpliced", "randomUUID", "roundRect"),
)
HERE: Final = Path(__file__).parent
REPLAY: Final = "vectors.js"
FORGED: Final = 10
HANDICAPS: Final = 2
ALONE: Final = 2
"""A void draw, and a known deal."""


async def run(*arguments: str, **variables: str) -> tuple[int | None, str]:
    """Run Node.js with environment variables, and return how it has ended and what it has told."""
    process = await asyncio.create_subprocess_exec(
        node(),
        *arguments,
        env=os.environ | variables,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await process.communicate()
    return process.returncode, told.decode()


async def test_types_are_right() -> None:
    """TypeScript, as strict as it can be, finds nothing wrong with the types that the comments tell."""
    compiler = tool("typescript/bin/tsc")
    assert await run(str(compiler), "-p", str(TOOLS)) == (0, "")


FULL: Final = (17, 32, 53, 78, 106, 107)
"""The bytes that versions 1 to 5 have room for, and one more. In fuller codes nothing is left to padding."""
QR: Final = """
import { qrModules } from "./client/racing_demon_web/screens/qr.js";
console.log(JSON.stringify(JSON.parse(process.env.TEXTS).map((text) => qrModules(text))));
"""


async def test_qr_codes_are_those_of_the_standard() -> None:
    """Texts that fill a version are drawn as by another program, module for module; a longer one is not."""
    texts = [("https://cards.example.org/you#BCDFGH,Zo%C3%AB" * 3)[:length] for length in FULL]
    ended, told = await run("--input-type=module", "--eval", QR, TEXTS=json.dumps(texts))
    assert ended == 0, told
    *drawn, too_long = json.loads(told)
    assert too_long is None
    for text, rows in zip(texts, drawn, strict=False):
        code = segno.make_qr(text, error="l", mode="byte", mask=0, boost_error=False)
        assert rows == [list(row) for row in code.matrix], text


@more_when_long
async def test_scripts_play_again_what_python_has_played(tmp_path: Path) -> None:
    """In hands of all games and whole matches they deal, move, judge and count as the server does."""
    played = vectors()
    file = tmp_path / "vectors.json"
    file.write_text(json.dumps(played))
    ended, told = await run("--test", "--test-reporter=tap", str(HERE / REPLAY), VECTORS=str(file))
    assert ended == 0, "\n".join(line for line in told.splitlines() if "not ok" in line or "error" in line)
    hands = len(played["hands"]) + len(played["records"]) + 2 * len(MATCHES) + 1  # with moments and titles
    assert f"# pass {hands + FORGED + HANDICAPS + ALONE + len(played['positions'])}" in told


async def test_units() -> None:
    """The unit tests of geometry, gestures, keys, links, events and words pass under Node.js."""
    files = [str(file) for file in HERE.glob("*.test.js")]
    ended, told = await run("--test", "--test-reporter=spec", *files)
    assert ended == 0, told


async def test_minifying_removes_comments_and_blanks_alone(tmp_path: Path) -> None:
    """The wheel's scripts have the tokens of the sources: rjsmin does not know templates within templates."""
    tool("acorn/dist/acorn.mjs")
    pairs = []
    for number, script in enumerate(SCRIPTS.rglob("*.js")):
        minified = tmp_path / f"{number}.js"
        minified.write_text(jsmin(script.read_text("utf-8")), "utf-8")
        pairs += [str(script), str(minified)]
    assert await run(str(HERE / "tokens.js"), *pairs) == (0, "")


@for_each("word", [*DIALOGS, *NEWER])
def test_scripts_do_without_what_a_browser_may_lack(word: str) -> None:
    """Dialogs may be suppressed, and televisions of 2022 know nothing that came later."""
    pattern = re.compile(rf"(?<![\w.]){word}\(" if word in DIALOGS else rf"\.{word}\(")
    scripts = {script.name: script.read_text("utf-8") for script in SCRIPTS.rglob("*.js")}
    assert [name for name, text in scripts.items() if pattern.search(text)] == []


def test_the_page_knows_every_event() -> None:
    """Each event changes the page's table, except those whose words or proof alone matter."""
    source = HERE.parents[1] / "client" / "racing_demon_web" / "rules" / "state.js"  # a wheel has no lines
    _, _, reducers = source.read_text("utf-8").partition("const REDUCERS = {\n")
    known = set(re.findall(r"^  (\w+)\(", reducers, re.MULTILINE))
    events = {name_of(cls) for cls in FROM_SERVER.values() if issubclass(cls, Event)}
    assert events - known == {"said", "reacted", "prepared", "contributed", "revealed"}


GUIDE: Final = """
import { panelsOf } from "./client/racing_demon_web/screens/guide.js";
const told = JSON.parse(process.env.TABLES).map((options) =>
  panelsOf(options).map(({ title, picture, sentences }) => [title, picture.length, ...sentences]));
console.log(JSON.stringify(told));
"""


async def test_the_page_explains_games_as_python_does() -> None:
    """Each game, and a table with house rules, has the same panels on the page and in the terminal."""
    house = {"reserve": 7, "reserve_card": 0, "turn": 1, "king_bonus": 5, "spaces": "reserve", "redeals": 2}
    tables = [Options(game=game) for game in GAMES]
    tables += [
        Options.model_validate({"game": "classic", "target": 50, **house}),
        Options.model_validate({"match_score": "hands"}),
    ]
    whole = [{name: getattr(table, name) for name in Options.model_fields} for table in tables]
    ended, told = await run("--input-type=module", "--eval", GUIDE, TABLES=json.dumps(whole))
    assert ended == 0, told
    panels = [[[panel.title, len(piles), *said] for panel, piles, said in panels_of(t)] for t in tables]
    assert json.loads(told.replace("\N{MINUS SIGN}", "-")) == panels


TERMS: Final = """
import "./client/racing_demon_web/rules/games_later.js";
import { GAMES } from "./client/racing_demon_web/rules/games.js";
import { changes, terms, titleText } from "./client/racing_demon_web/screens/terms.js";
import { handText } from "./client/racing_demon_web/words.js";
const told = JSON.parse(process.env.OPTIONS).map((options) => [
  titleText(options, GAMES),
  terms(options, GAMES, 2),
  changes(options, GAMES).map(({ text, usual }) => [text, usual]),
  handText(3, options),
]);
console.log(JSON.stringify(told));
"""
HOUSE_RULES: Final = (
    Options(game="classic", target=100, hands=100, reserve=10, hints=True, casual=True),
    Options(game="classic", target=3, match_score=MatchScore.HANDS, turn=1, columns=5),
    Options(hands=1, time_limit_ms=180_000, redeals=2, reserve_up=False, king_bonus=5),
    Options(game="demon-a", hands=3, turn_by_players=True, spectators=False),
    Options(game="classic", win_lead=50, reserve_up=True, out_bonus=0, forced_bases=True),
)


async def test_a_match_is_said_as_python_says_it() -> None:
    """The sentence, the house rules and the number of the hand are the terminal's, whatever is played."""
    tables = [
        *HOUSE_RULES,
        *(Options(game=game) for game in GAMES),
        *(each.options for each in PRESETS.values()),
    ]
    added = {name: Options.model_fields[name].default for name in LATER}  # an encoding leaves them out
    written = [added | each.model_dump(mode="json") for each in tables]
    ended, told = await run("--input-type=module", "--eval", TERMS, OPTIONS=json.dumps(written))
    assert ended == 0, told
    expected = [
        [
            title_text(each),
            terms(each, 2),
            [[change.text, change.usual] for change in changes(each)],
            hand_text(3, each),
        ]
        for each in tables
    ]
    assert json.loads(told) == expected
