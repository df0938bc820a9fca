"""The names that others hold: clients, scripts, alerts, screens, settings files and older servers.

They are read where they leave the program, and compared with ``fixtures/public_names.json``. New ones are
added to it by ``make schema-write``, which never removes any: whoever renames one has to take the old name
out by hand, and to tell the others in CHANGELOG.md.
"""

import ast
import io
import json
import re
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from racing_demon_client.settings import save
from racing_demon_client.terminal.actions import (
    ACTIONS,
    LOBBY_ACTIONS,
    REPLAY_ACTIONS,
    SOLO_ACTIONS,
    column_actions,
    pile_actions,
)
from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_server.mqtt.payloads import demon_config, results
from racing_demon_server.mqtt.topics import Topics
from tests.support.cases import for_each
from tests.support.contributing import contribute, reveal
from tests.support.publish_queue_harness import QueueHarness
from tests.support.receivers import SECRET
from tests.support.tables import SECOND, Own, Sitting

ROOT: Final = Path(__file__).parents[1]
LIST: Final = Path(__file__).with_name("fixtures") / "public_names.json"
CLIENT, SERVER = "racing-demon", "racing-demon-server"
COMMANDS: Final = (CLIENT, SERVER, f"{SERVER} journal", f"{SERVER} cluster")
"""The programs, and the commands that no other help lists."""
LOG_METHODS: Final = {"debug", "info", "warning", "error", "exception", "critical", "log"}


def _texts(*suffixes: str) -> Iterator[str]:
    """Yield the text of every file of the product with one of the suffixes."""
    for folder in ("protocol", "server", "client", "deploy"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path.read_text(encoding="utf-8")


def messages() -> Iterator[str]:
    """Yield each message with its number and fields, and each structure and closed list of words."""
    schema = json.loads((ROOT / "protocol" / "schema.json").read_text(encoding="utf-8"))
    for part in ("client_to_server", "server_to_client", "$defs"):
        for name, what in schema[part].items():
            for field in [*what.get("enum", ()), *what.get("properties", ())]:
                yield f"{name}.{field}"
            for place, item in enumerate(what.get("prefixItems", ())):
                yield f"{name}[{place}] {item.get('const') or item['title']}"


def close_codes() -> Iterator[str]:
    """Yield the reasons to close a connection: their names are labels of a metric."""
    for code in CloseCode:
        yield f"{code.name} {code.value}"


def _output(command: str, *arguments: str) -> str:
    """Return what a program prints."""
    [program] = entry_points(group="console_scripts", name=command.split(maxsplit=1)[0])
    output = io.StringIO()
    at_interrupt = signal.getsignal(signal.SIGINT)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output), redirect_stderr(output):
        patch.setattr(sys, "argv", [*command.split(), *arguments])
        patch.setenv("COLUMNS", "80")
        with suppress(SystemExit):
            program.load()()
    signal.signal(signal.SIGINT, at_interrupt)
    return output.getvalue()


def commands() -> Iterator[str]:
    """Yield each command, and each option of each, as the help lists them."""
    waiting = [*COMMANDS]
    while waiting:
        command = waiting.pop()
        yield command
        usage, _, rest = _output(command, "--help").partition("\n\n")
        for option in {*re.findall(r"--[a-z][a-z-]*", usage)}:
            yield f"{command} {option}"
        listed = rest.partition("options:\n")[0].partition("positional arguments:\n")[2]
        waiting += [f"{command} {name}" for name in re.findall(r"^    ([a-z]+)\b", listed, re.MULTILINE)]


def limits() -> Iterator[str]:
    """Yield the names that ``--limit`` takes, as its error message lists them."""
    yield from _output(SERVER, "--limit", "none=1").rpartition("there are ")[2].strip().split(", ")


def settings() -> Iterator[str]:
    """Yield the keys of a new settings file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "settings.toml"
        save(file, volume=2)
        yield from re.findall(r"^\[?(\w+)(?: =|\]$)", file.read_text(encoding="utf-8"), re.MULTILINE)


def key_actions() -> Iterator[str]:
    """Yield the actions to which players bind keys."""
    everywhere = (*ACTIONS, *LOBBY_ACTIONS, *REPLAY_ACTIONS, *SOLO_ACTIONS)
    for action in (*everywhere, *column_actions(1), *pile_actions(1, 1, 1)):
        yield action.id


def mqtt() -> Iterator[str]:
    """Yield the topics of a match, each with the keys of its JSON."""
    topics = Topics("a1")
    payloads: dict[str, list[bytes]] = defaultdict(list)
    payloads[topics.status]
    payloads[topics.demon_config].append(demon_config(topics))
    harness = QueueHarness(homeassistant=True, hands=1, countdown_ms=0)
    harness.join()
    harness.play_out()
    harness.now += 60 * SECOND
    for message in harness.sent():
        payloads[message.topic].append(message.payload)
    won = _won_match()
    for event in won.log:
        for kind, payload in results(won.mirror, event):
            payloads[topics.demon if kind == "demon" else topics.table("bcdf", kind)].append(payload)
    for topic, found in payloads.items():
        yield topic
        for payload in found:
            with suppress(ValueError):
                yield from (f"{topic} {key}" for key in _keys(json.loads(payload)))


def _won_match() -> Sitting:
    """Return a match whose only hand ends with somebody's last card."""
    sitting = Sitting.lobby(2, hands=1, game="classic")
    contribute(sitting, [0, 1])
    sitting.events(0, cl.Start)
    reveal(sitting, [1, 0])
    sitting.wait(5 * SECOND)
    sitting.lay(["AS"], Own(["KC"], reserve="2S"), Own(["KD"], reserve="3H"))
    sitting.play(0, sitting.reserve(0))
    return sitting


def _keys(value: object, above: str = "") -> Iterator[str]:
    """Yield the keys of all objects in a JSON value, each with those above it."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield f"{above}{key}"
            yield from _keys(below, f"{above}{key}.")
    if isinstance(value, list):
        for below in value:
            yield from _keys(below, above)


def log() -> Iterator[str]:
    """Yield the events of the server's log, and the keys of their facts, as the calls spell them."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "server").rglob("*.py")]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for tree in trees:
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _logged(function, calls)


def _logged(function: ast.FunctionDef | ast.AsyncFunctionDef, calls: list[ast.Call]) -> Iterator[str]:
    """Yield what one function logs; names are looked up in it, and in the calls of it."""
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "log"
            and node.func.attr in LOG_METHODS
        ):
            yield from _strings(node.args[node.func.attr == "log"], function, calls)
            for keyword in node.keywords:
                if keyword.arg == "extra":
                    yield from (f"({key})" for key in _dict_keys(keyword.value, function))


def _values(name: str, function: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and name in {ast.unparse(target) for target in node.targets}:
            yield node.value


def _strings(
    node: ast.expr, function: ast.FunctionDef | ast.AsyncFunctionDef, calls: list[ast.Call]
) -> Iterator[str]:
    if not isinstance(node, ast.Name):
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value
        return
    for value in _values(node.id, function):
        yield from _strings(value, function, calls)
    parameters = [each.arg for each in function.args.args if each.arg not in {"self", "cls"}]
    if node.id in parameters:
        place = parameters.index(node.id)
        for default in function.args.defaults[place - len(parameters) :][:1]:
            yield from _strings(default, function, calls)
        for call in calls:
            if ast.unparse(call.func).rpartition(".")[2] == function.name:
                given = {keyword.arg: keyword.value for keyword in call.keywords}
                passed = given.get(node.id) or (call.args[place] if place < len(call.args) else None)
                if isinstance(passed, ast.Constant):
                    yield str(passed.value)


def _dict_keys(node: ast.expr, function: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        for value in _values(node.id, function):
            yield from _dict_keys(value, function)
    for part in ast.walk(node):
        if isinstance(part, ast.Dict):
            yield from (str(key.value) for key in part.keys if isinstance(key, ast.Constant))
            for key, value in zip(part.keys, part.values, strict=True):
                if key is None:  # another dictionary is unpacked here
                    yield from _dict_keys(value, function)


def metrics() -> Iterator[str]:
    """Yield the metrics of a server that has a broker, a webhook and a journal, each with its labels."""
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder, "secret")
        secret.write_text(SECRET)
        arguments = ("--port", "0", "--host", "127.0.0.1", "--journal", f"{folder}/journal.db")
        hook = ("--webhook", "http://127.0.0.1:9", "--webhook-secret", str(secret))
        program = [
            sys.executable,
            "-m",
            "racing_demon_server",
            *arguments,
            *hook,
            "--mqtt",
            "mqtt://127.0.0.1:9",
        ]
        with subprocess.Popen(  # noqa: S603
            program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            assert server.stdout is not None
            try:
                url = re.search(r"listening on ws(://[\d.:]+)", server.stdout.readline())
                assert url is not None
                with urlopen(f"http{url.group(1)}/metrics", timeout=30) as answer:  # noqa: S310
                    text = answer.read().decode()
            finally:
                server.terminate()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            yield " ".join([sample.name, *sorted(sample.labels)])


def page_storage() -> Iterator[str]:
    """Yield what the page keeps in the browser, and the fields of its settings."""
    for text in _texts(".js"):
        if "localStorage.setItem" in text or "/storage.js" in text:
            yield from re.findall(r"\b(?:read|write)\([\"`]([a-z.]+)", text)
            yield from re.findall(r"^const KEY = `(.*)\$\{BASE\}`", text, re.MULTILINE)
            for body in re.findall(r"^const DEFAULTS = \{(.*?)\}", text, re.MULTILINE | re.DOTALL):
                yield from (f"settings: {name}" for name in re.findall(r"(\w+):", body))


def environment() -> Iterator[str]:
    """Yield the environment variables of the programs and of the files to run them with."""
    for text in _texts(".py", ".yaml", ".service", ".sh", ""):
        yield from re.findall(r"RACING_DEMON_[A-Z_]*[A-Z]", text)


def units() -> Iterator[str]:
    """Yield the names of the units for systemd."""
    for path in (ROOT / "deploy").rglob("*"):
        if path.suffix in {".service", ".timer"}:
            yield path.name


def rules_digests() -> Iterator[str]:
    """Yield the classes and fields of which a game's declaration consists: they enter its digest."""
    waiting: list[object] = [*GAMES.values()]
    while waiting:
        match waiting.pop():
            case Enum() as word:
                yield f"={word.value}"  # a digest has no names of closed lists
            case tuple() | frozenset() | list() as several:
                waiting += several
            case dict() as table:
                waiting += table.values()
            case thing if is_dataclass(thing):
                for field in fields(thing):
                    yield f"{type(thing).__name__}.{field.name}"
                    waiting.append(getattr(thing, field.name))


SECTIONS: Final = {
    each.__name__: each
    for each in (
        messages,
        close_codes,
        commands,
        limits,
        settings,
        key_actions,
        mqtt,
        log,
        metrics,
        page_storage,
        environment,
        units,
        rules_digests,
    )
}


def _listed() -> Mapping[str, list[str]]:
    names: Mapping[str, list[str]] = json.loads(LIST.read_text(encoding="utf-8"))
    return names


@for_each("section", SECTIONS)
def test_names_that_others_hold_are_as_they_were(section: str) -> None:
    """None is gone, and each new one is on the list."""
    found, listed = set(SECTIONS[section]()), set(_listed()[section])
    assert (listed - found, found - listed) == (set(), set())


def _add() -> None:
    listed: Mapping[str, Any] = _listed() if LIST.exists() else {}
    names = {name: sorted({*listed.get(name, ()), *find()}) for name, find in SECTIONS.items()}
    LIST.write_text(json.dumps(names, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _add()
