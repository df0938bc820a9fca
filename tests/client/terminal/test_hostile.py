"""Whatever a server that cleans nothing says, it does not steer the terminal."""

import asyncio

import pytest

from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.wire.messages import events as ev
from tests.support.app_harness import painted
from tests.support.cases import for_each
from tests.support.effort import amount, more_when_long, usually
from tests.support.hostile_server import HARMLESS, hostile_server, shapes_of, strays_of, stream, whole_story
from tests.support.matches import log_of


@pytest.fixture(scope="module")
def own_shapes() -> set[str]:
    """Return the escape sequences that our program writes when nobody means harm."""

    async def history() -> set[str]:
        async with hostile_server("BCDF") as server:
            await whole_story(server, HARMLESS)
        assert strays_of(server.written) <= {"\a", "\n"}
        return shapes_of(server.written)

    return asyncio.run(history())


@more_when_long
@pytest.mark.parametrize("seed", range(amount(1, 2)))
async def test_names_do_not_steer_the_terminal(seed: int, own_shapes: set[str]) -> None:
    """Names, chat and refusals of all kinds bring no escape sequence to the terminal but Textual's own."""
    names = list(stream(amount(2, 12), seed))
    async with hostile_server(names[seed]) as server:
        await whole_story(server, names, amount(3, 1))
        assert shapes_of(server.written) <= own_shapes
        assert strays_of(server.written) <= {"\a", "\n"}
        assert server.written.count("\a") <= 3 * len(names) + 10, "a bell that nothing rang for"


async def test_every_row_keeps_its_width() -> None:
    """No name, however wide it calls itself, makes a row longer or shorter than the terminal."""
    width, height = 80, 24
    async with hostile_server("BCDF", (width, height)) as server:
        for name in stream(10, 7):
            await server.spread(name)
            cells = painted(server.pilot.app).cells
            assert [width] * height == [sum(length for length, _ in row) for row in cells], repr(name)


@for_each(
    ("name", "told"),
    usually(
        4,
        [
            ("[@click=app.bell]x[/]", "[@click=app.bell]x[/]"),
            ("\x1b[31mred\x1b[0m", "?[31mred?[0m"),
            ("Ben\r\nAnn", "Ben??Ann"),
            ("\u202eneB", "?neB"),
            ("[/]", "[/]"),
            ("[bold]Ben[/bold]", "[bold]Ben[/bold]"),
            ("\x1b]0;t\x07", "?]0;t?"),
            ("\x00nul", "?nul"),
            ("a \bb", "a ?b"),
            ("$HOME {0} %s", "$HOME {0} %s"),
        ],
    ),
)
async def test_names_are_told_as_they_are(name: str, told: str) -> None:
    """Markup is plain text, and what cannot be seen is a question mark: in lobby, feed, table and tally."""
    async with hostile_server("BCDF") as server:
        await server.spread(name)
        assert f" {told} " in server.shown[-1]
        assert f"{told} says: {told}" in server.shown[-1]
        await server.tell(*log_of("racing-demon")[3:6])
        assert told[:8] in server.shown[-1]
        await server.spread(name)
        assert f"{told} says: {told}"[:20] in server.shown[-1]
        over = ev.HandOver(
            seq=0, reason=EndReason.OUT, out=1, elapsed_ms=9, points=(1, 62, -26), seed="00" * 32
        )
        await server.tell(over)
        await server.pilot.press("enter")
        assert f"{told} went out after 0:00!" in str(
            server.pilot.app.screen.query_one("CanvasWidget").text  # type: ignore[attr-defined]
        )


async def test_a_click_on_a_name_rings_nothing() -> None:
    """A name that looks like a link of Textual's is none."""
    async with hostile_server("BCDF") as server:
        await server.tell(ev.Joined(seq=0, seat=1, name="[@click=app.bell]x[/]"))
        rows = server.shown[-1].split("\n")
        y = next(y for y, row in enumerate(rows) if "[@click" in row)
        before = strays_of(server.written)
        for x in range(2, 40, 3):
            await server.pilot.click(offset=(x, y))
        assert before == strays_of(server.written) <= {"\n"}
