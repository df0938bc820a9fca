"""The command line: what is understood, and what is said to the rest."""

import asyncio
import getpass
import re
from pathlib import Path

import pytest

from racing_demon_client.cli import commands
from racing_demon_client.cli.arguments import EXAMPLES, parse
from racing_demon_protocol.wire.options import CallOut, Options, StallRule
from tests.support.cases import for_each

URL = "ws://127.0.0.1:5252"


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return what is said to arguments that will not do."""
    with pytest.raises(SystemExit) as ended:
        parse(arguments)
    assert ended.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


# Presets.


def test_a_preset_names_the_options_of_a_table() -> None:
    """The preset's length of a match is the usual one then; what is given besides deviates from it."""
    assert parse(["host", "--preset", "nerts"]).options == Options(game="classic", hands=100, target=100)
    deviating = parse(["host", "--preset", "nerts", "--target", "50", "--option", "reserve=10"]).options
    assert deviating == Options(game="classic", hands=100, target=50, reserve=10)
    assert parse(["play", "--preset", "quick"]).options == Options(hands=1, time_limit_ms=180_000, hints=True)


def test_a_preset_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The presets are listed; and a preset names the game, so that no other can be given."""
    assert "There is no preset 'luck'. There are: klondike, nerts, " in refused(
        ["host", "--preset", "luck"], capsys
    )
    assert "not allowed with argument" in refused(["host", "--preset", "nerts", "--game", "clock"], capsys)


@pytest.mark.long
def test_options_are_listed_as_they_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    """Every option is there with its default, which can be given in the same form."""
    assert asyncio.run(commands.options(parse(["options"]))) == 0
    listed = re.findall(r"^  (\w+=\S+)$", capsys.readouterr().out, re.MULTILINE)
    assert {text.partition("=")[0] for text in listed} == set(Options.model_fields)
    given = [argument for text in listed for argument in ("--option", text)]
    assert parse(["host", *given]).options == Options()


# Help.


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """``--help`` lists the commands, examples, and exit codes."""
    with pytest.raises(SystemExit) as ended:
        parse(["--help"])
    text = capsys.readouterr().out
    assert ended.value.code == 0
    for command in ("play", "host", "join", "watch", "tables", "verify", "games"):
        assert f"\n    {command} " in text
    assert "examples:\n  racing-demon  " in text
    assert "exit codes: 0 done, 1 nothing found, or not valid, 2 wrong arguments, 3 a file" in text


@for_each("command", ["play", "host", "join", "watch", "tables", "verify", "games"])
def test_each_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command explains itself."""
    with pytest.raises(SystemExit) as ended:
        parse([command, "--help"])
    assert ended.value.code == 0
    assert f"usage: racing-demon {command}" in capsys.readouterr().out


def test_the_examples_are_understood() -> None:
    """Every example of the help can be typed as it stands."""
    for line in EXAMPLES.splitlines()[1:-2]:
        command, _, _ = line.removesuffix("join it from elsewhere").partition(" > ")
        words = command.split("   ")[0].split()
        if words:
            assert [*words, "welcome"][1] == parse(words[1:]).command


# What is understood.


def test_play_by_default() -> None:
    """Without anything else, three medium bots, three hands of the base game, and hints."""
    arguments = parse(["play"])
    assert Options(hands=3, hints=True) == arguments.options
    assert (arguments.bots, arguments.level, arguments.watch, arguments.json) == (3, "medium", False, False)
    assert (arguments.speed, arguments.seed, arguments.record) == (None, None, None)


def test_play_with_everything() -> None:
    """All options of a match find their place."""
    words = (
        "play --watch --plain --json --game classic --hands 2 --target 100 --bots 8 --level hard --speed 3.5"
    )
    arguments = parse([*words.split(), "--name", "Ann", "--seed", "ff", "--record", "x.jsonl"])
    assert Options(game="classic", hands=2, target=100) == arguments.options
    assert (
        arguments.bots,
        arguments.level,
        arguments.speed,
        arguments.name,
        arguments.record,
    ) == (8, "hard", 3.5, "Ann", "x.jsonl")
    assert bytes(31) + b"\xff" == arguments.seed
    assert arguments.watch
    assert arguments.json


@for_each(
    ("text", "options"),
    [
        ("call_out=shout", Options(call_out=CallOut.SHOUT)),
        ("call-out=shout", Options(call_out=CallOut.SHOUT)),
        ("stall_rule=rotate", Options(stall_rule=StallRule.ROTATE)),
        ("out_bonus=20", Options(out_bonus=20)),
        ("auto_first_turn=true", Options(auto_first_turn=True)),
        ("hints=yes", Options(hints=True)),
        ("spectators=off", Options(spectators=False)),
        ("turn=null", Options()),
        ('call_out="shout"', Options(call_out=CallOut.SHOUT)),
    ],
)
def test_other_options_of_the_table(text: str, options: Options) -> None:
    """``--option`` takes any option by its name, with words, numbers and truths."""
    assert options == parse(["host", "--option", text]).options


def test_options_add_up() -> None:
    """``--option`` may be given several times."""
    arguments = parse(["host", "--option", "turn=1", "--option", "redeals=2", "--game", "classic"])
    assert Options(game="classic", turn=1, redeals=2) == arguments.options


def test_host_by_default() -> None:
    """A hosted table has no bots, and the usual port."""
    arguments = parse(["host"])
    assert (arguments.bots, arguments.port, arguments.server) == (0, None, None)


def test_join_and_watch() -> None:
    """Joining takes an address and a code, and may have a name; watching needs none."""
    arguments = parse(["join", URL, "BCDF", "--name", "Zoë"])
    assert (arguments.url, arguments.code, arguments.name) == (URL, "BCDF", "Zoë")
    assert parse(["watch", URL, "BCDF", "--json"]).json


@for_each(("user", "name"), [("ann", "ann"), ("", "Player"), ("x" * 65, "Player"), ("\udcff", "Player")])
def test_the_name_of_the_user_is_the_name_at_the_table(
    user: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without ``--name`` the user's own is taken, where it is one."""
    monkeypatch.setattr(getpass, "getuser", lambda: user)
    assert name == parse(["play"]).name


def test_a_user_without_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the machine knows no user, the player is called so."""

    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found: 1234")

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert parse(["join", URL, "BCDF"]).name == "Player"


@for_each("command", ["join", "watch"])
@for_each(
    ("words", "place"),
    [
        ([], (None, None)),
        (["BCDF"], (None, "BCDF")),
        ([URL, "BCDF"], (URL, "BCDF")),
        ([f"{URL}#BCDF"], (URL, "BCDF")),
        ([f"{URL}#BCDF", "GHJK"], (URL, "GHJK")),
        (["192.168.1.5#BCDF"], ("192.168.1.5", "BCDF")),
        (["http://192.168.1.5:5252/BCDF"], ("ws://192.168.1.5:5252", "BCDF")),
        (["https://cards.example.org/bcdf?tv"], ("wss://cards.example.org", "bcdf")),
        (["HTTP://192.168.1.5:5252/BCDF"], ("ws://192.168.1.5:5252", "BCDF")),
        (["http://192.168.1.5/cards/"], ("ws://192.168.1.5:80/cards/v1", None)),
        (["localhost"], ("localhost", None)),
        (["http://192.168.1.5:5252", "BCDF"], ("ws://192.168.1.5:5252", "BCDF")),
    ],
)
def test_the_ways_to_name_a_table(
    command: str, words: list[str], place: tuple[str | None, str | None]
) -> None:
    """A table is named by nothing, by its code, by address and code, or by a link; what is behind counts."""
    arguments = parse([command, *words])
    assert place == (arguments.url, arguments.code)


def test_tables_are_announced_and_listed() -> None:
    """A hosted table is announced unless that is not wanted, and lists are for people by default."""
    assert parse(["host"]).announce
    assert not parse(["host", "--no-announce"]).announce
    assert not parse(["tables"]).json


@for_each(
    "words",
    [
        ["--daily"],
        ["--daily", "2026-11-01"],
        ["--daily=2026-11-01"],
        ["--deal", "autumn"],
        ["--seed", "ff"],
        ["--daily", "--plain"],
        ["--plain", "--option", "hints=no", "--daily"],
    ],
    ids=" ".join,
)
def test_what_stands_before_or_behind_the_game(words: list[str]) -> None:
    """A game alone means the same whether its deal is named before it or behind it."""
    assert parse(["solo", "clock", *words]) == parse(["solo", *words, "clock"])


# What is not.


@for_each(
    ("arguments", "complaint"),
    [
        (["dance"], "invalid choice: 'dance'"),
        (["tables", "ftp://x"], "a table's address begins with"),
        (["tables", "a b"], "is not a server's address"),
        (["tables", URL, "--mqtt", "mqtt://x"], "name a server's address or a broker's, not both"),
        (["join", "B" * 17], "is not allowed: write 1 to 16 characters"),
        (["join", URL, ""], "'' is not allowed: write 1 to 16 characters"),
        (["join", URL, "B" * 17], "is not allowed: write 1 to 16 characters"),
        (["join", URL, "BCDF", "--name", ""], "'' is not allowed: write 1 to 24 characters"),
        (["play", "--name", "x" * 25], "is not allowed: write 1 to 24 characters"),
        (["play", "--name", "Jos\udcc3"], r"'Jos\udcc3' is not allowed"),
        (["host", "--bots", "8"], "seven is the most"),
        (["play", "--watch", "--bots", "0"], "there must be some"),
        (["play", "--bots", "9"], "'9' is not allowed: a table has 8 seats"),
        (["play", "--bots", "009"], "'009' is not allowed"),
        (["play", "--bots", "²"], "'²' is not allowed"),
        (["play", "--bots", "-1"], "--bots"),
        (["play", "--level", "easyish"], "invalid choice: 'easyish'"),
        (["play", "--speed", "0"], "'0' is not a speed"),
        (["play", "--speed", "inf"], "'inf' is not a speed"),
        (["play", "--seed", "xyz"], "'xyz' is not a seed"),
        (["play", "--hands", "many"], "invalid int value: 'many'"),
        (["play", "--hands", "0"], "hands must be 1 or more."),
        (["play", "--target", "0"], "target must be 1 or more."),
        (
            ["play", "--game", "bridge"],
            "There is no game 'bridge'; racing-demon games lists all that there are.",
        ),
        (["play", "--option", "turn"], "--option turn: write NAME=VALUE"),
        (["play", "--option", "turn=9"], "turn must be 5 or less."),
        (["play", "--option", "luck=1"], "There is no option luck. There are: game, hands, "),
        (["play", "--option", "columns=5"], "Klondike race has columns of its own shape"),
        (["play", "--option", "reserve=5"], "has nothing that the option 'reserve' could change"),
        (["play", "--option", "stall_rule=dance"], "stall_rule must be one of these: 'none' or 'rotate'."),
        (["host", "--port", "65536"], "'65536' is not a port"),
        (["solo", "clock", "--daily", "tomorrow"], "'tomorrow' is not a date: write one like 2026-11-01"),
        (["solo", "--daily", "tomorrow", "clock"], "'tomorrow' is not a date: write one like 2026-11-01"),
        (["solo", "--daily", "2026-13-01", "clock"], "'2026-13-01' is not a date: write one like 2026-11-01"),
        (["solo", "--daily"], "name a game: racing-demon solo GAME"),
        (["verify"], "the following arguments are required: file"),
        (["games", "now"], "unrecognized arguments: now"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_wrong_arguments(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not understood ends the program with 2, and the complaint says what would do."""
    assert complaint in refused(arguments, capsys)


def test_what_is_kept_nowhere_has_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    """A journal is named for a table that is kept: both together mean nothing."""
    with pytest.raises(SystemExit) as ended:
        parse(["host", "--durability", "none", "--journal", "x.sqlite"])
    assert ended.value.code == 2
    assert "--durability none keeps no journal" in capsys.readouterr().err


def test_options_that_will_not_do_lead_to_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    """After a complaint about options the way to the help is shown."""
    said = refused(["play", "--game", "bridge"], capsys).splitlines()
    assert said[0].startswith("racing-demon: There is no game")
    assert said[1] == "See racing-demon --help."


@for_each(
    ("line", "told"),
    [
        ("watch ftp://x BCDF", "begins with http://, https://, ws:// or wss://"),
        ("join nonsense://x", "begins with http://, https://, ws:// or wss://"),
        ("watch --name X BCDF", "usage: racing-demon watch "),
        ("games --jsn", "usage: racing-demon games "),
        ("host --tunnel-address name.example", "usage: racing-demon host "),
        ("host --server a.b --journal x --port 9", "a server that runs: leave out --port, --journal"),
    ],
)
def test_wrong_arguments_are_told_with_their_command(
    line: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a command does not take ends with 2, and with what that command takes."""
    with pytest.raises(SystemExit) as ended:
        parse(line.split())
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


@for_each(
    ("address", "why"),
    [
        ("ws://", "it names no host"),
        ("ws://:5252", "it names no host"),
        ("ws:///v1", "it names no host"),
        ("host:99999", "its port is no number from 1 to 65535"),
        ("host:0", "its port is no number from 1 to 65535"),
        ("wss://host:abc", "its port is no number from 1 to 65535"),
        ("fe80::1", "its port is no number from 1 to 65535"),
        ("ws://my host", "it holds a space or a control character"),
        ("host\t", "it holds a space or a control character"),
        ("ws://[::1", "its brackets do not match"),
    ],
)
@for_each("words", [["join", "{}", "BCDF"], ["watch", "{}#BCDF"], ["host", "--server", "{}"]], ids=" ".join)
def test_an_address_at_which_nothing_can_be(
    words: list[str], address: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An address that cannot be one is wrong usage: nobody tries to reach it, and an example is given."""
    said = refused([word.format(address) for word in words], capsys)
    assert why in said
    assert "write one like ws://192.168.1.5:5252" in said


@for_each(
    ("link", "servers"),
    [
        ("http://192.168.1.5:5252/", ("ws://192.168.1.5:5252",)),
        ("http://192.168.1.5:5252/scores", ("ws://192.168.1.5:5252",)),
        ("http://192.168.1.5:5252/BCDF.", ("ws://192.168.1.5:5252/BCDF/v1", "ws://192.168.1.5:5252")),
        ("http://192.168.1.5:5252/BCDF/", ("ws://192.168.1.5:5252/BCDF/v1", "ws://192.168.1.5:5252")),
    ],
)
@for_each("words", [["host", "--server"], ["scores", "--server"], ["tables"], ["presets"]], ids=" ".join)
def test_a_link_may_stand_where_a_servers_address_is_asked_for(
    words: list[str], link: str, servers: tuple[str, ...]
) -> None:
    """Browsers show it like that. The server is sought below the whole path first."""
    found = vars(parse([*words, link]))
    assert (found.get("server") or found["url"]) == servers


def test_the_link_for_another_device_brings_code_and_name() -> None:
    """What is typed besides counts more."""
    link = "https://cards.example.org/games/you#BCDFGH,Zo%C3%AB,JKLM"
    found = parse(["link", link])
    assert (found.url, found.code, found.name) == (
        ("wss://cards.example.org/games/v1",),
        "BCDFGH",
        "Zoë",
    )
    assert parse(["link", link, "KLMN", "--name", "Ann"]).name == "Ann"
    assert parse(["link", "192.168.1.5", "KLMN"]).url == ("192.168.1.5",)


@for_each("words", [["join", "BCDF."], ["join", "ws://h", "http://x/BCDF"], ["watch", "#BCDF"]])
def test_a_code_may_be_pasted_with_what_stands_around_it(words: list[str]) -> None:
    """Also a whole link, where the code goes."""
    assert parse(words).code == "BCDF"


@for_each(
    "address", ["host", "host:1", "192.168.1.5:5252", "[::1]:5252", "wss://a.example", "ws://h", "[::1]"]
)
def test_an_address_at_which_a_server_may_be(address: str) -> None:
    """Scheme, port and path may be left out of an address."""
    assert address == parse(["join", address, "BCDF"]).url


@for_each("url", ["mqtt://", "mqtt://:1883", "mqtt://h:abc", "mqtt://h:99999", "http://h", "h"])
@for_each("words", [["tables"], ["watch", "BCDF"]], ids=" ".join)
def test_an_address_at_which_no_broker_can_be(
    words: list[str], url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A broker's address that cannot be one is wrong usage, too."""
    assert "write mqtt://host:port" in refused([*words, "--mqtt", url], capsys)


@for_each("code", ["B C", "BC\x1b"])
def test_a_code_that_cannot_be_one(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No network is searched for a code that no table can have."""
    assert "is not a table's code, like BCDF" in refused(["join", code], capsys)


@for_each(
    "arguments",
    [
        ["play", "--option", "\x1b[31mX"],
        ["tables", "\x1b[31mX"],
        ["join", "\x1b[31m.example"],
        ["join", "\x1b[31m", "BCDF"],
        ["join", "x\x1b://host"],
        ["host", "--game", "\x1b[31m"],
        ["\x1b[31m"],
    ],
    ids=repr,
)
def test_what_is_repeated_steers_no_terminal(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """What was typed wrongly is told again without what could steer a terminal."""
    assert all(line.isprintable() for line in refused(arguments, capsys).splitlines())


def test_what_is_no_certificate_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An authority's file is read before anything is dialled."""
    (tmp_path / "empty").touch()
    for name, why in (("empty", "holds no certificate"), ("nothing", "cannot be read")):
        for command in ("tables", "you"):
            with pytest.raises(SystemExit):
                parse([command, "wss://cards.example.org", "--ca", str(tmp_path / name)])
            assert why in capsys.readouterr().err
