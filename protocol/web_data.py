"""Write what the page takes from Python: messages, limits, options, presets, and games with their moves."""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import asdict
from enum import StrEnum
from typing import Any, Final

from pydantic_core import PydanticUndefined

from descriptions import beside
from game_list import games
from move_list import moves
from racing_demon_client.shared.guide_text import GESTURES, Panel, goal_text, guide, own_values
from racing_demon_client.shared.lesson import (
    AGAIN,
    BACK,
    COLOURS,
    DO,
    DONE,
    DUE,
    GO_ON,
    LEAVE,
    LESSONS,
    LOST,
    NOT_STUCK,
    OPENING,
    POINTS,
    TEACHER_MS,
    TEACHER_NAME,
    WAIT,
    WON,
    lesson_options,
    score_lines,
)
from racing_demon_client.shared.match_text import COUNTS, PHRASES, SAID, usual_text
from racing_demon_client.shared.option_text import GROUPS, TEXTS, VALUES, called, usual
from racing_demon_protocol.constants import (
    MAX_CHAT_LENGTH,
    MAX_HANDS,
    MAX_NAME_LENGTH,
    MAX_PASSPHRASE_LENGTH,
    MAX_REPORT_LENGTH,
    MAX_SEATS,
    TEAM_LETTERS,
    WEBSOCKET_PATH,
)
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.mechanics.line import DoubleJump, PushPin
from racing_demon_protocol.engine.mechanics.merging import Merging
from racing_demon_protocol.engine.mechanics.pairs import Ranks, Sympathy
from racing_demon_protocol.engine.mechanics.script import Script
from racing_demon_protocol.engine.mechanics.sums import Sums
from racing_demon_protocol.engine.mechanics.travelling import Travelling
from racing_demon_protocol.engine.specification import Mechanic, Scoring
from racing_demon_protocol.enums import BotLevel, CloseCode, EndReason, Phase, Reaction, Reason
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.table.state import IDENTICAL_LIMIT_MS, MAX_BANNED
from racing_demon_protocol.wire.capabilities import EXTENSIONS
from racing_demon_protocol.wire.codec import VERSION, Encoding
from racing_demon_protocol.wire.messages import FROM_CLIENT, FROM_SERVER, Message, name_of
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.options import CHANGES_MOVES, LATER, NEUTRAL, Options
from racing_demon_protocol.wire.presets import PRESETS, usual_options
from racing_demon_server.net.assets import RESULTS_PATH

COUNTED: Final[dict[type[Mechanic], str | None]] = {
    **dict.fromkeys((Sums, Ranks, Sympathy, Merging, PushPin), Kind.OUT),
    DoubleJump: "stacked",
    Travelling: "home",
    Script: None,
}
"""What a seat's progress is, where it is not its cards on the foundations; ``None`` if no page can tell."""
NOT_DRAWN: Final = {"text", "goal", "scoring", "rounds", "limit", "counts"}
REQUEST: Final = "{tag: number, fields: string, defaults?: Record<string, any>}"
PRESET: Final = "{title: string, text: string, options: Record<string, any>, usual: Record<string, string>}"
OPTION: Final = (
    "{label: string, group: string, about: string, values: (string | boolean | number | null)[], "
    "unset?: string}"
)
OF_MENUS: Final = (
    cl.CloseEntry,
    cl.EndMatch,
    cl.Kick,
    cl.Mute,
    cl.Pause,
    cl.Relaying,
    cl.Say,
    cl.SetAppearance,
    cl.SetHandicap,
    cl.SetLastHand,
    cl.SetLateStart,
    cl.SetTeam,
    cl.StandIn,
)
FROM_MENUS: Final = {name_of(cls) for cls in (*cl.ASIDE, *OF_MENUS)}
"""The messages that nobody sends before the menus are loaded; those of relays are never sent by a page."""
FROM_PLAYERS: Final = {name_of(cls) for cls in cl.PlayerRequest.__subclasses__()}
"""The messages that nobody sends before a server has asked who uses the device."""
ANSWER: Final = "{name: string, fields: string, defaults?: Record<string, any>}"


def constants() -> str:
    """Return messages, limits, codes and lists of words as a JavaScript module."""
    to_server = {name: row for name, row in _requests().items() if name not in FROM_MENUS | FROM_PLAYERS}
    to_client = {tag: {"name": name_of(cls), **_fields(cls)} for tag, cls in sorted(FROM_SERVER.items())}
    limits = {
        "name": MAX_NAME_LENGTH,
        "passphrase": MAX_PASSPHRASE_LENGTH,
        "chat": MAX_CHAT_LENGTH,
        "report": MAX_REPORT_LENGTH,
        "seats": MAX_SEATS,
        "banned": MAX_BANNED,
    }
    return "\n".join(
        (
            "// Generated from the protocol by protocol/generate.py.\n",
            *(_typedef(words) for words in (BotLevel, EndReason, Phase, Reaction, Reason)),
            "",
            f"export const VERSION = {VERSION};",
            f"export const SUBPROTOCOL = {json.dumps(Encoding.JSON)};",
            f"export const WEBSOCKET_PATH = {json.dumps(WEBSOCKET_PATH)};",
            "/** The extensions that the page understands. */",
            f"export const EXTENSIONS = {json.dumps(list(EXTENSIONS))};",
            "/** The options that servers leave out at these defaults. @type {Record<string, any>} */",
            f"export const LATER_OPTIONS = {_lines(_later())};",
            "/** The options that change which cards fit where. */",
            f"export const CHANGES_MOVES = {json.dumps(CHANGES_MOVES)};",
            "/** The time limit on identical deals without one of their own. */",
            f"export const IDENTICAL_LIMIT_MS = {IDENTICAL_LIMIT_MS};",
            "/** The most of each: characters, seats at a table, and names of kicked players. */",
            f"export const LIMITS = {_lines(limits)};",
            "/** The paths of the page's results. */",
            f"export const PAGES = /^({RESULTS_PATH.pattern.replace('/', chr(92) + '/')})$/;",
            "/** What people call the teams, by their numbers. */",
            f"export const TEAM_LETTERS = {json.dumps(TEAM_LETTERS)};",
            "/** What going out is worth where a game does not say otherwise. */",
            f"export const OUT_BONUS = {Scoring().out_bonus};",
            "/** A short match against two bots. @type {Record<string, any>} */",
            f"export const SHORT = {_lines(_short_match())};",
            "/** What sentences about a match are made of. @type {Record<string, string>} */",
            f"export const PHRASES = {_lines(PHRASES)};",
            "/** The most hands of a match: as many as a total takes. */",
            f"export const MAX_HANDS = {MAX_HANDS};",
            "/** Why a server closes a connection. */",
            f"export const CLOSE = {_lines({code.name.lower(): code.value for code in CloseCode})};",
            "/** @type {BotLevel[]} */",
            f"export const BOT_LEVELS = {json.dumps(list(BotLevel))};",
            "/** The reactions in words. @type {Record<Reaction, string>} */",
            f"export const REACTIONS = {_lines({word: beside(Reaction)[word] for word in Reaction})};",
            f"\n/** @type {{Record<string, {REQUEST}>}} */",
            f"export const FROM_CLIENT = {_lines(to_server)};",
            f"\n/** @type {{Record<number, {ANSWER}>}} */",
            f"export const FROM_SERVER = {_lines(to_client)};\n",
        )
    )


def options() -> str:
    """Return a table's options in words, group by group, as a JavaScript module.

    An option's values are ``null`` where the game may decide, and then ``true`` and ``false``, words, or the
    numbers that are offered.
    """
    described = Options.model_json_schema()
    rows = {
        name: {
            "label": called(name).capitalize(),
            "group": group.capitalize(),
            "about": text.meaning,
            "values": [
                *_values(schema := described["properties"][name], described["$defs"]),
                *text.offered,
            ],
            **({"unset": usual(name)} if "anyOf" in schema else {}),
        }
        for group, texts in GROUPS.items()
        for name, text in texts.items()
    }
    return (
        "// Generated from the options by protocol/generate.py.\n\n"
        f"/** @type {{Record<string, {OPTION}>}} */\n"
        f"export const OPTIONS = {_lines(rows)};\n\n"
        f"/** The values that are words. @type {{Record<string, string>}} */\n"
        f"export const VALUES = {_lines(VALUES)};\n\n"
        f"/** How house rules read. @type {{Record<string, string>}} */\n"
        f"export const CHIPS = {_lines({name: text.chip for name, text in TEXTS.items() if text.chip})};\n\n"
        "/** The options that a match's title says. */\n"
        f"export const SAID = {json.dumps(sorted(SAID))};\n\n"
        "/** Numbers of cards in words. */\n"
        f"export const COUNTS = {json.dumps(COUNTS)};\n"
    )


def presets() -> str:
    """Return the presets as a JavaScript module, each with every option that affects play or scoring.

    What the game decides is among them in words, too.
    """
    defaults = _of_preset(Options())
    rows = ""
    for preset in PRESETS.values():
        own = _of_preset(preset.options)
        usual = {name: text for name in own if (text := usual_text(name, preset.options))}
        row = _literal({preset.name: {"title": preset.title, "text": preset.text, "usual": usual}})
        changed = [_literal({name: own[name]})[1:-1] for name in own if own[name] != defaults[name]]
        options = ", ".join(["...DEFAULTS", *changed])
        rows += f"  {row[1:-2]}, options: {{{options}}}}},\n"
    return (
        "// Generated from the presets by protocol/generate.py.\n\n"
        "/** What options mean of which a message says nothing. @type {Record<string, any>} */\n"
        f"export const DEFAULTS = {_literal(defaults)};\n"
        f"/** @type {{Record<string, {PRESET}>}} */\n"
        f"export const PRESETS = {{\n{rows}}};\n"
    )


def _of_preset(options: Options) -> dict[str, Any]:
    """Return all options that affect play or scoring, also those that an encoding leaves out."""
    whole = _later() | options.model_dump(mode="json")
    return {name: whole[name] for name in Options.model_fields if name not in NEUTRAL}


def requests(names: Collection[str]) -> str:
    """Return some messages of clients, as a JavaScript module that adds them to the others."""
    rows = {name: row for name, row in _requests().items() if name in names}
    return "\n".join(
        (
            "// Generated from the protocol by protocol/generate.py.\n",
            'import { FROM_CLIENT } from "./protocol.js";\n',
            f"Object.assign(FROM_CLIENT, {_lines(rows)});\n",
        )
    )


def _requests() -> dict[str, Any]:
    return {name_of(cls): {"tag": tag, **_fields(cls)} for tag, cls in sorted(FROM_CLIENT.items())}


def _short_match() -> dict[str, Any]:
    """Return the options of a short match against two bots, for practice: else a table's usual ones."""
    usual = usual_options().model_dump(mode="json", exclude_defaults=True)
    return usual | {"hands": 3, "hints": True, "seats": 3, "casual": True}


def _later() -> dict[str, Any]:
    """Return the defaults of the options that an encoding leaves out at them."""
    return {name: Options.model_fields[name].default for name in LATER}


def usual_game() -> str:
    """Return the game of a new table with its moves, and their tables, as a JavaScript module."""
    name = Options().game
    tables = json.loads(moves())["tables"]
    return (
        "// Generated from the games by protocol/generate.py.\n\n"
        "/** A new table's game; `games_later.js` adds all others. @type {Record<string, any>} */\n"
        f"export const GAMES = {_listed([name])};\n\n"
        "/** The tables of the moves. @type {string[][]} */\n"
        f"export const TABLES = {_compact(tables[: _greatest_table(name) + 1])};\n"
    )


def other_games() -> str:
    """Return all other games and the tables of their moves, as a JavaScript module that adds them."""
    usual = Options().game
    tables = json.loads(moves())["tables"]
    there = _greatest_table(usual) + 1
    return (
        "// Generated from the games by protocol/generate.py.\n\n"
        'import { GAMES, TABLES } from "./games.js";\n\n'
        f"Object.assign(GAMES, {_listed([name for name in GAMES if name != usual])});\n\n"
        f"TABLES.splice({there}, TABLES.length, ...{_compact(tables[there:])});\n"
    )


def _greatest_table(name: str) -> int:
    """Return the number of the last table that a game's moves need."""
    rows = json.loads(moves())["games"][name]
    numbers: list[int | None] = [number for row in rows for number in (*row.get("takes", ()), row.get("run"))]
    return max(number for number in numbers if number is not None)


def _listed(names: Sequence[str]) -> str:
    """Return games with their moves as JavaScript, one line per game."""
    data, known = json.loads(games()), json.loads(moves())["games"]
    rows = (_compact({**_for_drawing(data[name]), **_scored(name), "moves": known[name]}) for name in names)
    return (
        "{\n" + "".join(f"{json.dumps(name)}:{row},\n" for name, row in zip(names, rows, strict=True)) + "}"
    )


def _compact(data: object) -> str:
    """Return JSON without blanks, of which every phone loads fewer bytes."""
    return json.dumps(data, separators=(",", ":"))


def texts() -> str:
    """Return each game's introduction by name, as JSON that a page loads last."""
    return json.dumps({name: game.text for name, game in GAMES.items()}, indent=0) + "\n"


def guides() -> str:
    """Return how each game is played, in panels that games share, as a JavaScript module."""
    panels: dict[str, int] = {}
    rows = {}
    for name, game in GAMES.items():
        numbers = [panels.setdefault(_literal(_panel(panel)), len(panels)) for panel in guide(game)]
        rows[name] = {"own": own_values(game), "panels": numbers}
    gestures = {
        name: {device: text for device, text in said.items() if device != "terminal"}
        for name, said in GESTURES.items()
    }
    listed = "".join(f"  {panel},\n" for panel in panels)
    return (
        "// Generated from the games by protocol/generate.py.\n\n"
        "/** Panels: see `guide.js`. @type {any[]} */\n"
        f"export const PANELS = [\n{listed}];\n\n"
        "/** What each game plays by itself, and its panels. "
        "@type {Record<string, {own: Record<string, number>, panels: number[]}>} */\n"
        f"export const GUIDES = {_lines(rows)};\n\n"
        "/** What hands do, by panel and device. @type {Record<string, Record<string, string>>} */\n"
        f"export const GESTURES = {_lines(gestures)};\n"
    )


def goals() -> str:
    """Return what a hand of each race around shared foundations is about, as a JavaScript module."""
    rows = {name: goal for name, game in GAMES.items() if (goal := goal_text(game))}
    return (
        "// Generated from the games by protocol/generate.py.\n\n"
        "/** What a hand is about, by game. @type {Record<string, string>} */\n"
        f"export const GOALS = {_lines(rows)};\n"
    )


def lessons() -> str:
    """Return the lessons, as a JavaScript module."""
    rows = {
        name: {
            "deal": each.deal,
            "options": lesson_options(name).model_dump(mode="json", exclude_defaults=True),
            "score": score_lines(name),
            "steps": [
                {
                    "kind": step.kind,
                    "number": step.number,
                    "does": step.does,
                    "text": step.text,
                    "rule": step.rule,
                    "why": step.why,
                    "play": step.play and list(step.play[:3]),
                    "before": [play[:3] for play in step.before],
                }
                for step in each.steps
            ],
        }
        for name, each in LESSONS.items()
    }
    words = {
        "again": AGAIN,
        "not_stuck": NOT_STUCK,
        "won": WON,
        "lost": LOST,
        "goOn": GO_ON,
        "done": DONE,
        "points": POINTS,
        "due": DUE,
        "wait": WAIT,
        "opening": OPENING,
        "leave": LEAVE,
        "back": BACK,
    }
    return (
        "// Generated from the lessons by protocol/generate.py.\n\n"
        f"export const TEACHER = {_literal(TEACHER_NAME)};\n"
        "/** How many milliseconds pass between two plays of the teacher. */\n"
        f"export const TEACHER_MS = {TEACHER_MS};\n"
        "/** How a card lies in a column, by whether it is red. */\n"
        f"export const COLOURS = {_literal(list(COLOURS))};\n"
        "/** What to do, by what a hand does and device. @type {Record<string, Record<string, string>>} */\n"
        f"export const DO = {_lines(dict(DO))};\n"
        f"export const WORDS_OF_LESSONS = {_lines(words)};\n"
        "/** The lessons by their games: see `lesson.py`. @type {Record<string, any>} */\n"
        f"export const LESSONS = {_lines(rows)};\n"
    )


def _panel(panel: Panel) -> dict[str, Any]:
    """Return a panel without what is empty."""
    said = [[each.text, each.when] if each.when else each.text for each in panel.sentences]
    return {
        "name": panel.name,
        "title": panel.title,
        "picture": [{key: value for key, value in asdict(pile).items() if value} for pile in panel.picture],
        "sentences": said,
    }


def _for_drawing(game: dict[str, Any]) -> dict[str, Any]:
    """Return a game without what only a dealer or judge needs, so that browsers load less."""
    groups = [{key: group[key] for key in group if key not in NOT_DRAWN} for group in game["groups"]]
    return {key: game[key] for key in game if key not in NOT_DRAWN} | {"groups": groups}


def _scored(name: str) -> dict[str, Any]:
    """Return what the points of a hand as it stands depend on, where that is not one for each card up."""
    game = GAMES[name]
    scoring, mechanic = game.scoring, type(game.mechanic)
    data: dict[str, Any] = {"reserve_card": scoring.reserve_card} if scoring.reserve_card else {}
    if scoring.out_bonus != Scoring().out_bonus:
        data["out_bonus"] = scoring.out_bonus
    return data | ({"counted": COUNTED[mechanic]} if mechanic in COUNTED else {})


def _values(schema: dict[str, Any], definitions: dict[str, Any]) -> list[object]:
    """Return an option's values but numbers, with that of none first."""
    values: list[object] = []
    for kind in schema.get("anyOf", [schema]):
        if "$ref" in kind:
            values += definitions[kind["$ref"].rpartition("/")[2]]["enum"]
        elif kind["type"] in {"null", "boolean"}:
            values += [None] if kind["type"] == "null" else [False, True]
    return sorted(values, key=lambda value: value is not None)


def _typedef(words: type[StrEnum]) -> str:
    """Return the type of a closed list of words."""
    return f"/** @typedef {{{' | '.join(json.dumps(word) for word in words)}}} {words.__name__} */"


def _fields(cls: type[Message]) -> dict[str, Any]:
    defaults = {
        name: _plain(field.default)
        for name, field in cls.model_fields.items()
        if field.default is not PydanticUndefined
    }
    fields = {"fields": " ".join(cls.model_fields)}  # every phone loads them before its first card
    return {**fields, "defaults": defaults} if defaults else fields


def _plain(default: Any) -> Any:
    """Return a default as JSON; default options are an empty object."""
    if isinstance(default, Options):
        return {}
    return list(default) if isinstance(default, tuple) else default


def _lines(data: dict[Any, Any]) -> str:
    rows = "".join(f"  {_literal({str(name): row})[1:-1]},\n" for name, row in data.items())
    return "{\n" + rows + "}"


def _literal(row: Any) -> str:
    """Return a value as JavaScript; names without the quotes that every phone would load."""
    return re.sub(r'"(\w+)":', r"\1:", json.dumps(row))
