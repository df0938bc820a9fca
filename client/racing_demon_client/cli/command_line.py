"""Parse the players' command line and check that the arguments fit together."""

import argparse
import contextlib
import json
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from racing_demon_client.arguments import parse_address, parse_code, parse_named_code
from racing_demon_protocol.constants import MOST_SEATS

from .parser import parser, today

MOST_BOTS: Final = MOST_SEATS - 1
"""All seats but the player's."""

TRUTHS: Final = {"yes": "true", "on": "true", "no": "false", "off": "false"}


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the arguments; exit for ``--help`` or after an error."""
    arguments, unknown = parser().parse_known_args(argv)
    complain = vars(arguments).pop("complain")
    if unknown:
        complain(f"unrecognized arguments: {' '.join(unknown)}")
    arguments.command = arguments.command or "welcome"
    if arguments.command in {"join", "watch"}:
        _find_place(arguments)
    if arguments.command == "tables" and arguments.url is not None:
        _find_server(arguments)
    arguments.is_named = getattr(arguments, "name", None) is not None
    if getattr(arguments, "name", "") is None:
        arguments.name = _own_name()
    if arguments.command == "solo":
        _find_game(arguments)
    corrects = arguments.command == "record" and arguments.what == "correct"
    if corrects and not (arguments.void or (arguments.seat is not None and arguments.points)):
        _fail("say what is to change: --seat N and --points N, or --void")
    if arguments.command in {"play", "host"}:
        _verify_bots(arguments)
        if arguments.durability == "none" and arguments.journal is not None:
            _fail("--durability none keeps no journal, but --journal names one: leave one of them out")
    if arguments.command in {"play", "host"} or (arguments.command == "solo" and arguments.game):
        arguments.options = _options(arguments)
    return arguments


def _find_place(arguments: argparse.Namespace) -> None:
    """Split a table's link into address and code."""
    url, code = arguments.url, arguments.code
    if getattr(arguments, "mqtt", None) is not None:
        if url is None or code is not None:
            _fail("with --mqtt URL, name the table by its code alone, or as NODE/CODE")
        arguments.url, arguments.code = None, url
        return
    if url is None:
        return
    from racing_demon_client.links import taken_apart  # noqa: PLC0415 - --help does not need it

    try:
        address, in_link = taken_apart(url)
        if code is not None:
            in_link = taken_apart(code)[1] or code
            arguments.url, arguments.code = parse_address(address or url), parse_code(in_link)
        elif address and in_link:
            arguments.url, arguments.code = parse_address(address), parse_code(in_link)
        elif any(sign in address for sign in ".:/"):
            arguments.url = parse_address(address)
        else:
            arguments.url, arguments.code = None, parse_named_code(in_link or address)
    except (argparse.ArgumentTypeError, ValueError) as error:
        _fail(str(error))


def _find_server(arguments: argparse.Namespace) -> None:
    """Take the server's address out of what may be the link to one of its tables."""
    if arguments.mqtt is not None:
        _fail("name a server's address or a broker's, not both")
    from racing_demon_client.links import taken_apart  # noqa: PLC0415 - --help does not need it

    try:
        arguments.url = parse_address(taken_apart(arguments.url)[0] or arguments.url)
    except (argparse.ArgumentTypeError, ValueError) as error:
        _fail(str(error))


def _find_game(arguments: argparse.Namespace) -> None:
    """Find the game to play solo, even where ``--daily`` without a date has taken its name."""
    if isinstance(arguments.daily, str):
        if arguments.game:
            _fail(f"{arguments.daily!r} is not a date: write one like 2026-11-01")
        arguments.game, arguments.daily = arguments.daily, today()
    if not arguments.statistics and not arguments.game:
        _fail("name a game: racing-demon solo GAME; racing-demon games lists them")


def _verify_bots(arguments: argparse.Namespace) -> None:
    """Exit with an error if there are more bots than free seats, or no players at all."""
    sits = arguments.command == "host" or not watches(arguments)
    if sits and arguments.bots > MOST_BOTS:
        _fail("--bots 8: one of the eight seats at the table is yours, so seven is the most")
    if not sits and not arguments.bots:
        _fail("--bots 0: only bots play where nobody sits down, so there must be some")


def watches(arguments: argparse.Namespace) -> bool:
    """Return whether ``play`` is for bots alone: by request, or because there is no terminal."""
    from racing_demon_client.streams import is_terminal  # noqa: PLC0415 - --help needs no streams

    return arguments.watch or arguments.json or not is_terminal()


def _options(arguments: argparse.Namespace) -> Any:
    """Return the table's options from the arguments; exit with an error if they are invalid."""
    from pydantic import ValidationError  # noqa: PLC0415 - --help needs no models

    from racing_demon_client.shared.option_errors import explained  # noqa: PLC0415
    from racing_demon_protocol.errors import InvalidGame  # noqa: PLC0415
    from racing_demon_protocol.games import declare  # noqa: PLC0415
    from racing_demon_protocol.wire.options import Options  # noqa: PLC0415

    values: dict[str, Any] = {"game": arguments.game, "hands": arguments.hands, "target": arguments.target}
    is_practice = arguments.command in {"play", "solo"} and not (arguments.watch or arguments.json)
    values["hints"] = is_practice  # alone against bots, hints disturb nobody
    for text in arguments.option:
        name, equals, value = text.partition("=")
        if not equals:
            _fail(f"--option {text}: write NAME=VALUE")
        with contextlib.suppress(ValueError):  # otherwise it is a word
            value = json.loads(TRUTHS.get(value, value))
        values[name.replace("-", "_")] = value
    try:
        options = Options.model_validate(values)
        declare(options, max(1, arguments.bots))
    except ValidationError as error:
        _fail(explained(error))
    except InvalidGame as error:
        _fail(str(error))
    return options


def _fail(text: str) -> NoReturn:
    from racing_demon_protocol.formatting import printable  # noqa: PLC0415 - --help does not need it

    for line in f"racing-demon: {text}\nSee racing-demon --help.".splitlines():
        sys.stderr.write(printable(line) + "\n")
    sys.exit(2)


def _own_name() -> str:
    """Return the name from the settings, or the login name."""
    from racing_demon_client.errors import SettingsRefused  # noqa: PLC0415 - --help needs no settings
    from racing_demon_client.settings import load, login_name, settings_path  # noqa: PLC0415

    try:
        return load(settings_path()).name or login_name()
    except SettingsRefused as error:
        _fail(str(error))
