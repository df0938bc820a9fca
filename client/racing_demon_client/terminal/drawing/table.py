"""The whole table: its zones and their contents."""

from collections.abc import Sequence
from dataclasses import replace
from textwrap import wrap
from typing import Final

from racing_demon_client.shared.match_text import PHRASES, hand_text, name_text
from racing_demon_client.shared.message_text import duration
from racing_demon_client.shared.pile_names import MAX_COLUMNS, is_racelike
from racing_demon_client.shared.rules_text import brief
from racing_demon_client.terminal.style import (
    SMALLEST,
    Density,
    Glyphs,
    Highlight,
    Role,
    cut,
    wrapped,
)
from racing_demon_protocol.engine.board import Kind, Shows
from racing_demon_protocol.table import scoring

from .canvas import Canvas, CardRect, HitArea, draw_banner, draw_face, draw_frame
from .columns import column_pitch, draw_columns
from .foundations import draw_foundations
from .generic import draw_generic
from .pile_layout import SIDE_PILES_WIDTH
from .players import draw_feed, draw_players, draw_race
from .scene import DrawContext, Scene
from .seats import seat_name
from .side_piles import (
    BESIDE_ROWS,
    draw_side_piles,
    draw_side_piles_beside,
    needed_beside,
    side_piles,
)

TITLE: Final = "Racing Demon"
MAX_GREETING: Final = 60
KEY_WIDTH: Final = 9
MAX_TITLE: Final = 24
"""The maximum length of a game's title, which shares its row with clock, standing and ping."""
SLOW_PAINT_MS: Final = 50
"""A paint time that players notice, who are told what is slow: this terminal, not the server."""


def draw_table(scene: Scene, size: tuple[int, int], density: Density, glyphs: Glyphs) -> Canvas:
    """Return the picture of a table, in a width and height of cells."""
    width, height = size
    canvas = Canvas(width, height)
    if width < SMALLEST[0] or height < SMALLEST[1]:
        _draw_too_small(canvas)
        return canvas
    _draw_header(canvas, scene, glyphs)
    bottom = height - density.footer - 1
    divider = width if scene.alone else density.divider(width)
    ctx = DrawContext(canvas, scene, density, glyphs, divider)
    if scene.board is None or scene.rules is None:
        _draw_greeting(ctx, bottom)
    else:
        _draw_layout(ctx, bottom)
    if scene.board is not None and scene.rules is not None and not scene.alone:
        for row in range(2, bottom):
            canvas.put(divider, row, glyphs.divider, Role.FRAME)
        below = draw_players(ctx, divider + 1, 2)
        canvas.rule(below, divider + 1, width, glyphs.rule)
        canvas.put(divider, below, glyphs.cross, Role.FRAME)
        draw_feed(ctx, divider + 1, below + 1, bottom)
    _draw_dragged(canvas, scene, density, glyphs)
    if scene.banner:
        _draw_banner(ctx, bottom)
    elif scene.notice:
        _draw_notice(canvas, scene.notice, bottom, glyphs)
    _draw_prompt(canvas, scene, bottom, glyphs)
    _draw_footer(canvas, scene, bottom + 1, density)
    return canvas


def _draw_layout(ctx: DrawContext, bottom: int) -> None:
    """Draw the foundations, with the layout of the seat in focus below them."""
    scene, canvas = ctx.scene, ctx.canvas
    if scene.focus is None and scene.view.is_private:
        _draw_unseen(ctx)
        return
    if scene.focus is not None and not is_racelike(ctx.rules, scene.focus):
        draw_generic(ctx, 2, bottom)
        return
    if scene.alone:
        used = 1 + column_pitch(ctx) * len(scene.own(Kind.TABLEAU))
        ctx = replace(ctx, left=max(0, min((ctx.width - used) // 2, ctx.width - SIDE_PILES_WIDTH)))
    y = draw_foundations(ctx, 2)
    canvas.rule(y, 0, ctx.width, ctx.glyphs.rule)
    if scene.focus is not None and scene.focus != scene.seat:
        name = seat_name(scene.view.seats.get(scene.focus), scene.focus)
        canvas.put(2, y, f" {name} ", Role.ACCENT | Highlight.STRONG)
    if width := _width_beside(ctx, bottom - y - 1):
        draw_columns(replace(ctx, width=width), y + 1, bottom)
        draw_side_piles_beside(ctx, width, y + 1)
        return
    y = draw_side_piles(ctx, y + 1)
    if ctx.density.card[1] > 1 and canvas.height > SMALLEST[1] + ctx.density.card[1] * 4:
        y += 1
    draw_columns(ctx, y, bottom)


def _width_beside(ctx: DrawContext, height: int) -> int:
    """Return the width of the columns if stock, waste and reserve fit beside them; else 0."""
    piles = side_piles(ctx)
    width = 1 + ctx.density.pitch * len(ctx.scene.own(Kind.TABLEAU))
    fits = width + needed_beside(ctx) <= ctx.width and len(piles) * BESIDE_ROWS <= height
    is_open = any(
        ctx.board.piles[pile].kind is Kind.RESERVE and ctx.board.piles[pile].shows is Shows.ALL
        for pile in piles
    )
    is_small = ctx.density.card[1] == 1 and not ctx.scene.alone
    return width if is_small and fits and not is_open else 0


def _draw_unseen(ctx: DrawContext) -> None:
    """Say why a spectator of identical deals sees no cards, and draw everyone's progress."""
    canvas, game = ctx.canvas, ctx.rules.game
    lines = (
        game.title,
        "Everybody plays the same deal alone.",
        "Until it is over, nobody sees the others' cards.",
    )
    for row, line in enumerate(lines, start=3):
        ink = Role.TEXT if row > 3 else Role.ACCENT | Highlight.STRONG
        canvas.put(2, row, cut(line, ctx.width - 3, ctx.glyphs), ink)
    draw_race(ctx, (2, 7), ctx.width - 4)


def _draw_greeting(ctx: DrawContext, bottom: int) -> None:
    """Draw a briefing before the first deal: the rules in short, what ends a hand, and the keys.

    The feed stands beside it or, where the terminal is not wide enough, below.
    """
    canvas, scene = ctx.canvas, ctx.scene
    is_wide = ctx.width - 3 >= MAX_GREETING
    room = MAX_GREETING if is_wide else canvas.width - 4
    lines = [
        line
        for sentence in brief(scene.view.options, scene.view.time_limit_ms)
        for line in wrap(sentence, room)
    ]
    keys = _greeting_keys(scene)
    last = canvas.height - 4
    lines = [*lines[: last - 4 - len(keys)], "", *keys]
    for row, line in enumerate(lines, start=2):
        canvas.put(2, row, cut(line, room, ctx.glyphs), Role.TEXT)
    if is_wide:
        draw_feed(ctx, ctx.width + 1, 3, bottom)
    else:
        draw_feed(ctx, KEY_WIDTH - 5, 3 + len(lines), last - 1)
    ink = Role.WARNING if scene.is_warning else Role.BANNER | Highlight.STRONG
    canvas.put(2, last, cut(scene.prompt, canvas.width - 4, ctx.glyphs), ink)


def _greeting_keys(scene: Scene) -> list[str]:
    """Return the keys that a first hand needs, each with its effect."""
    labels = scene.labels
    columns = [f"column-{number}" for number in range(1, MAX_COLUMNS + 1)]
    keys = "".join(labels.get(column, "") for column in columns)
    ups = "".join(labels.get(f"{column}-up", "") for column in columns)
    known = [
        (keys, "one picks up, one puts down"),
        (ups, "the key above sends up"),
        (labels.get("turn"), "turns the stock"),
        (labels.get("waste"), f"the waste; {labels.get('waste-up')} sends it up"),
        (labels.get("reserve"), f"the reserve; {labels.get('reserve-up')} sends it up"),
        (labels.get("hint"), "a hint") if scene.view.options.hints else ("", ""),
        (labels.get("help"), "how to play, and all keys; the mouse works, too"),
    ]
    return [f"{key:{KEY_WIDTH}}{does}" for key, does in known if key]


def _draw_header(canvas: Canvas, scene: Scene, glyphs: Glyphs) -> None:
    view, width = scene.view, canvas.width
    canvas.rule(1, 0, width, glyphs.rule)
    title = TITLE if scene.rules is None else scene.rules.game.title
    if not scene.alone:
        title = name_text(view.options)  # a preset's, which is short
    x = canvas.put(1, 0, _short_title(title), Role.ACCENT | Highlight.STRONG)
    hand, between = "", f" {glyphs.between} "
    if view.hand_number and not scene.alone:
        hand = between + hand_text(view.hand_number, view.options, between, view.last_hand)
    if view.known_deal is not None:
        hand += between + PHRASES["known"]
    clock = f" {glyphs.between} {duration(scene.elapsed_ms)}" if scene.board is not None else ""
    if clock and view.time_limit_ms is not None:
        clock += f" of {duration(view.time_limit_ms)}"
    x = canvas.put(x, 0, hand + clock, Role.TEXT)
    place = scene.standing if scene.alone else _place(scene)
    middle = max(x + 2, (width - len(place)) // 2)
    place = cut(place, width - middle - len(" ? help "), glyphs)
    x = canvas.put(middle, 0, place, Role.TEXT | Highlight.STRONG)
    help_key = scene.labels.get("help", "?")
    right = f"{help_key} help "
    if scene.trouble:
        room = width - x - len(right) - 4
        text = cut(scene.trouble, room, glyphs)
        canvas.put(width - len(right) - len(text) - 2, 0, text, Role.WARNING | Highlight.STRONG)
    else:
        numbers = [f"{scene.watchers} watching"] if scene.watchers else []
        if scene.ping_ms is not None:
            numbers.append(f"ping {scene.ping_ms:.0f} ms")
        if scene.paint_ms is not None and scene.paint_ms >= SLOW_PAINT_MS:
            numbers.append("slow terminal")
        room = width - x - len(right) - 4
        while numbers and len("   ".join(numbers)) > room:
            numbers.pop(0)
        text = "   ".join(numbers)
        canvas.put(width - len(right) - len(text) - 3, 0, text, Role.DIM)
    canvas.put(width - len(right), 0, right, Role.KEY)
    canvas.touch(HitArea(width - len(right), 0, len(right), 1, action="help"))


def _short_title(title: str) -> str:
    """Return the part of a game's title that tells it from most others, in whole words."""
    words, *_ = title.split(",")
    while len(words) > MAX_TITLE:
        words = words.rpartition(" ")[0]
    return words


def _place(scene: Scene) -> str:
    """Return this player's points and rank, or that they are watching."""
    points, hand = scene.points, scene.view.hand
    if hand is None or scene.seat is None or scene.seat not in points:
        return "you are watching" if scene.board is not None else ""
    own = points[scene.seat]
    if hand.rules.is_private:  # at equal progress, whoever got there first leads
        place = 1 + scoring.race_order(hand, _out(scene)).index(scene.seat)
    elif len(set(points.values())) == 1:
        return f"you {own}"  # nobody leads
    else:
        place = 1 + sum(other > own for other in points.values())
    ordinal = {1: "1st", 2: "2nd", 3: "3rd"}.get(place, f"{place}th")
    return f"you {own}   {ordinal} of {len(points)}"


def _out(scene: Scene) -> int | None:
    """Return who went out in the finished hand."""
    view = scene.view
    return view.results[-1].out if view.results and not view.in_hand else view.called


def _draw_prompt(canvas: Canvas, scene: Scene, y: int, glyphs: Glyphs) -> None:
    canvas.rule(y, 0, canvas.width, glyphs.rule)
    if scene.prompt and scene.board is not None:
        ink = Role.WARNING if scene.is_warning else Role.ACCENT | Highlight.STRONG
        canvas.put(2, y, f" {cut(scene.prompt, canvas.width - 6, glyphs)} ", ink)


def _draw_footer(canvas: Canvas, scene: Scene, y: int, density: Density) -> None:
    x, row = 1, y
    actions = {label: action for action, label in scene.labels.items()}
    for keys, does in scene.footer:
        if x + len(keys) + len(does) + 1 > canvas.width:
            x, row = 1, row + 1
        if row >= y + density.footer:
            return
        start = x
        x = canvas.put(x, row, keys, Role.KEY | Highlight.STRONG)
        x = canvas.put(x + 1, row, does, Role.DIM)
        if keys in actions:
            canvas.touch(HitArea(start, row, x - start, 1, action=actions[keys]))
        x += 2


def _draw_dragged(canvas: Canvas, scene: Scene, density: Density, glyphs: Glyphs) -> None:
    """Draw the cards that follow the pointer on top of everything else."""
    if scene.dragged is None:
        return
    x, y, cards = scene.dragged
    width, height = density.card
    for number, card in enumerate(cards):
        from_top = len(cards) - number
        ink = scene.ink_of(card) | Highlight.HELD
        if height == 1:
            canvas.put(x + 1, y + number, glyphs.card(card, ten=True), ink)
        else:
            size = (width, height if from_top == 1 else 1)
            draw_face(canvas, CardRect((x, y + number), size), glyphs.card(card, ten=True), ink, glyphs)


def _draw_banner(ctx: DrawContext, bottom: int) -> None:
    """Draw the banner; during a pause, above the chat."""
    canvas, scene, height = ctx.canvas, ctx.scene, ctx.canvas.height - 3
    for row in range(canvas.height):
        canvas.put(0, row, " " * canvas.width, Role.BANNER)
    if scene.view.paused:
        height //= 2
        draw_feed(replace(ctx, scene=replace(scene, countdown=0)), 0, height + 1, bottom)
    draw_banner(canvas, scene.banner, (0, 0, canvas.width, height), ctx.glyphs.block)


def _draw_notice(canvas: Canvas, lines: Sequence[str], bottom: int, glyphs: Glyphs) -> None:
    """Draw a framed text over the middle of the cards."""
    width = min(canvas.width - 2, max(map(len, lines)) + 4)
    x, y = (canvas.width - width) // 2, max(2, (bottom - len(lines) - 2) // 2)
    for row in range(len(lines) + 2):
        canvas.put(x - 1, y + row, " " * (width + 2), Role.TEXT)
    draw_frame(canvas, (x, y), (width, len(lines) + 2), glyphs)
    for row, line in enumerate(lines, start=y + 1):
        ink = Role.TEXT if row > y + 1 else Role.ACCENT | Highlight.STRONG
        canvas.put(x + 2, row, cut(line, width - 4, glyphs), ink)


def _draw_too_small(canvas: Canvas) -> None:
    size = f"{SMALLEST[0]}x{SMALLEST[1]}"
    needs = f"The table needs {size} characters; this terminal has {canvas.width}x{canvas.height}."
    advice = "The game continues, and the keys still work. At any size: racing-demon --plain."
    row = 0
    for text, ink in ((needs, Role.WARNING), (advice, Role.TEXT)):
        for line in wrapped(text, canvas.width):
            canvas.put(0, row, line, ink)
            row += 1
