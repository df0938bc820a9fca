"""What the server tells its operator, and what it never tells."""

import asyncio
import io
import json
import logging
import re
import time
from typing import Any

import pytest

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_server.ops.logs import NAME, Throttle, set_up
from tests.support.cases import for_each
from tests.support.clocks import Standing
from tests.support.effort import usually
from tests.support.processes import server_process
from tests.support.servers import Peer

pytestmark = pytest.mark.usefixtures("logs_as_before")

log = logging.getLogger(NAME)
TOKEN = "0f" * 32


def logging_to(form: str, level: str = "info") -> io.StringIO:
    """Write all logs to a text from now on."""
    stream = io.StringIO()
    set_up(level, form, stream)
    return stream


def facts_of(stream: io.StringIO) -> list[dict[str, Any]]:
    """Return what JSON lines say."""
    return [json.loads(line) for line in stream.getvalue().splitlines()]


# How it looks.


def test_a_line_of_text_has_time_level_event_and_facts() -> None:
    """People read one line for each thing that happened, without colors where there is no terminal."""
    stream = logging_to("text")
    log.warning("cut off a slow reader", extra={"connection": 7})
    line = r"\d{4}-\d\d-\d\dT[\d:.]+Z \[warning *\] cut off a slow reader connection=7\n"
    assert re.fullmatch(line, stream.getvalue())


def test_a_line_of_json_is_one_object() -> None:
    """Programs read the same facts by their names, and numbers stay numbers."""
    stream = logging_to("json")
    log.info("connection cut", extra={"connection": 7, "why": "flood"})
    (facts,) = facts_of(stream)
    assert facts.pop("timestamp").endswith("Z")
    assert facts == {"event": "connection cut", "level": "info", "connection": 7, "why": "flood"}


def test_a_logger_of_a_library_has_the_same_form() -> None:
    """Whatever logs with the standard library ends up in the same lines."""
    stream = logging_to("json")
    logging.getLogger("somebody.else").warning("%s of %d", "part", 3)
    assert [facts["event"] for facts in facts_of(stream)] == ["part of 3"]


def test_libraries_are_heard_from_warnings_on() -> None:
    """Even where our own code tells everything: libraries tell what they read and write."""
    stream = logging_to("json", "debug")
    logging.getLogger("websockets.client").debug("< TEXT 'secret'")
    logging.getLogger("asyncio").info("something")
    log.debug("ours")
    assert [facts["event"] for facts in facts_of(stream)] == ["ours"]


def test_setting_up_again_replaces_what_was_there() -> None:
    """Nothing is written twice."""
    first, second = logging_to("json"), logging_to("json")
    log.info("once")
    assert (first.getvalue(), len(facts_of(second))) == ("", 1)


# What is left out.


@for_each("form", ["text", "json"])
def test_tokens_and_passwords_are_taken_out(form: str) -> None:
    """Should one get into a line all the same, a dot-dot-dot stands for it."""
    stream = logging_to(form)
    log.info("told %s", TOKEN, extra={"url": "mqtt://server:hunter2@broker:1883", "why": f"x{TOKEN}"})
    assert "…" in stream.getvalue()
    assert "broker:1883" in stream.getvalue()
    assert not [secret for secret in (TOKEN, "hunter2", "0f0f") if secret in stream.getvalue()]


@for_each("form", ["text", "json"])
def test_nothing_in_a_line_moves_the_cursor_or_makes_another_line(form: str) -> None:
    """Control characters are written out as their codes."""
    stream = logging_to(form)
    log.info("seen", extra={"node": "a\x1b[2J\nb\x9bc\u202ed"})
    assert stream.getvalue().count("\n") == 1
    assert not [c for c in stream.getvalue().rstrip("\n") if not c.isprintable()]


@for_each("form", ["text", "json"])
def test_an_exception_tells_where_and_not_what(form: str) -> None:
    """The traceback has places and kinds, of the cause too; the texts might quote a player."""
    stream = logging_to(form)
    try:
        try:
            raise KeyError("Ann's secret")
        except KeyError as error:
            raise ZeroDivisionError("more of it") from error
    except ZeroDivisionError:
        log.exception("a frame could not be handled", extra={"connection": 3})
    assert re.search(
        r"KeyError(.|\n)*test_logs\.py:\d+ in test_an_exception(.|\n)*ZeroDivisionError", stream.getvalue()
    )
    assert not [secret for secret in ("Ann", "secret", "more of it") if secret in stream.getvalue()]


def test_the_system_may_say_what_went_wrong() -> None:
    """The text of an error of the operating system is the system's own."""
    stream = logging_to("json")
    try:
        raise ConnectionRefusedError(111, "Connection refused")
    except OSError:
        log.exception("the broker cannot be reached")
    assert facts_of(stream)[0]["exception"].endswith("ConnectionRefusedError: Connection refused")


def test_objects_are_named_by_their_kind_only() -> None:
    """A message that gets into a line by mistake does not show what is in it."""
    stream = logging_to("json")
    log.info("odd", extra={"what": cl.Join(code="BCDF", name="Ann")})
    assert facts_of(stream)[0]["what"] == "Join"


async def test_a_task_that_dies_unheard_shows_no_secret() -> None:
    """The loop's own complaint describes objects at length; only its first line is written."""
    stream = logging_to("json")
    error = ValueError("Ann's secret")
    asyncio.get_running_loop().call_exception_handler(
        {"message": "it broke", "exception": error, "x": [error]}
    )
    assert "ValueError" in stream.getvalue()
    assert "secret" not in stream.getvalue()


# How much it is.


def line_of(line: int = 1, seconds: float = 100.0) -> logging.LogRecord:
    """Return a line of one place in the code, at a time of day."""
    record = logging.LogRecord(NAME, logging.INFO, __file__, line, "again", (), None)
    record.created = seconds
    return record


def test_a_place_that_logs_too_often_is_not_written() -> None:
    """Of a thousand lines in one moment fifty are; other places are heard all the same."""
    throttle = Throttle(Standing())
    assert sum(throttle.filter(line_of()) for _ in range(1_000)) == 50
    assert throttle.filter(line_of(2))


def test_the_next_line_says_how_many_were_left_out() -> None:
    """Once only."""
    time = Standing()
    throttle = Throttle(time)
    for _ in range(60):
        throttle.filter(line_of())
    after, later = line_of(), line_of()
    time.move(1)
    assert throttle.filter(after)
    time.move(9)
    assert throttle.filter(later)
    assert (vars(after)["left_out"], "left_out" in vars(later)) == (10, False)


def test_a_clock_that_is_set_back_silences_nothing() -> None:
    """Lines are written on, whatever the time of day is set to."""
    standing = Standing()
    throttle = Throttle(standing)
    for _ in range(60):
        throttle.filter(line_of(seconds=1_000_000.0))
    standing.move(1)
    assert throttle.filter(line_of(seconds=0.0))


def test_the_log_has_a_clock_that_nobody_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's time of day may go back by an hour: a second later lines are written again."""
    hour, second, begun = 3_600 * 10**9, 10**9, time.time_ns()
    stream = logging_to("json")
    for passed in (0, 1):
        monkeypatch.setattr(time, "time_ns", lambda passed=passed: begun - passed * hour)
        monkeypatch.setattr(time, "monotonic_ns", lambda passed=passed: begun + passed * second)
        for _ in range(60):
            log.info("the same line")
    assert len(facts_of(stream)) == 52


# What the program tells.


@pytest.mark.long
async def test_it_tells_of_its_start_its_tables_and_its_end() -> None:
    """From the first to the last line, with codes and numbers."""
    async with server_process("--log-level", "info", "--log-format", "json") as (server, url):
        async with Peer.hosting(url) as ann:
            server.stop()
            await ann.closed()
        told = [json.loads(line) for line in (await server.end()).err.splitlines()]
    for facts in told:
        del facts["timestamp"], facts["level"]
    start, opened, stopping, closed, stopped = told
    assert ("server started", url, "uvloop") == (start["event"], start["url"], start["loop"])
    assert {"event": "table opened", "table": ann.code} == opened
    assert stopping == {"event": "server stopping", "tables": 1, "kept": False}
    assert {"event": "table closed", "table": ann.code} == closed
    assert stopped == {"event": "server stopped"}


@for_each("form", usually(1, ["json", "text"]))
async def test_a_noisy_match_leaves_no_token_in_the_log(form: str) -> None:
    """Seats come, go, come back, chat, flood and send nonsense; no token, name or word is in any line."""
    tokens = []
    arguments = ["--log-level", "debug", "--log-format", form, "--bot-speed", "100"]
    async with server_process(*arguments) as (server, url):
        async with Peer.hosting(url) as ann:
            tokens.append(ann.token)
            await ann.ask(cl.AddBot)
            await ann.ask(cl.Say, text="swordfish")
            for number in range(5):
                async with Peer.entered(url, cl.Join(code=ann.code, name=f"Zed{number}")) as guest:
                    tokens.append(guest.token)
                    await guest.send(
                        json.dumps({"message": "resume", "code": ann.code, "token": guest.token})
                    )
                    await guest.closed()
            again = cl.Resume(code=ann.code, token=ann.token)
            await ann.ask(cl.Start)
            async with Peer.entered(url, again) as second, Peer.connect(url) as eve:
                await second.until(ev.Played)
                await eve.greet()
                await eve.say(cl.Resume(code=ann.code, token=TOKEN))
                eve.burst([cl.Ping(stamp=number) for number in range(2_000)])
                await eve.closed()
        server.stop()
        ended = await server.end()
    written = ended.err + ended.out
    assert len({*tokens}) == 6
    assert not [word for word in (*tokens, TOKEN, "swordfish", "Zed", "Ann") if word in written]
    assert not re.search(r"[0-9a-f]{32}", written)
    assert {"bad_frame", "taken_over", "flood"} <= set(re.findall(r"bad_frame|taken_over|flood", written))
