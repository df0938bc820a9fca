"""How to play a game, in four panels: the foundations, the columns, the stock, and the end.

The page shows the same panels: `protocol/generate.py` writes those of every game for it. Therefore each
sentence carries the options under which it is said, and nothing here asks what device there is.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from racing_demon_protocol.engine.cards import ACE, CLUBS, DIAMONDS, HEARTS, KING, SPADES, UNKNOWN, Card, card
from racing_demon_protocol.engine.specification import (
    Building,
    Deals,
    Foundations,
    Game,
    Goal,
    Racing,
    Reserve,
    Stock,
    SuitRule,
    Tableau,
    Waste,
)
from racing_demon_protocol.formatting import pluralize
from racing_demon_protocol.games import GAMES, seats_of
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import LENGTH, PRESETS, nearest_preset

from .option_text import called, value_text
from .rules_text import ENDS, foundations_text, mechanic_text, number, own_cards_text

Conditions = Mapping[str, Sequence[object]]
"""For some options, under which values something is said; an exclamation mark before the name: under which
it is not. No value means the game's own."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and when it is said. ``{turn}`` stands for the value of an option."""

    text: str
    when: Conditions = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PilePicture:
    """A pile of a picture.

    Attributes:
        cards: its cards, the last one on top; none: an empty place.
        fan: how they lie: "down" or "right", each beside the one before, or "" on one another; "arrow": it is
            no pile, but says that what is on its left goes to what is on its right.
        label: what is written below it.
        when: when it is drawn.

    """

    cards: tuple[Card, ...] = ()
    fan: str = ""
    label: str = ""
    when: Conditions = field(default_factory=dict)


ARROW: Final = PilePicture(fan="arrow")


@dataclass(frozen=True, slots=True)
class Panel:
    """One of the four.

    Attributes:
        name: its name, which its gestures have, too.
        title: its heading.
        picture: what is drawn.
        sentences: what is said.

    """

    name: str
    title: str
    picture: tuple[PilePicture, ...]
    sentences: tuple[Sentence, ...]


GESTURES: Final[dict[str, dict[str, str]]] = {
    "middle": {
        "touch": "Tap a card: it goes up if it fits there.",
        "mouse": "Click a card: it goes up if it fits there.",
        "keys": "The row above {columns} sends the columns' top cards up.",
        "terminal": "{ups}: a column's top card up",
    },
    "columns": {
        "touch": "Tap: the best place. Drag, or hold down and then tap, to choose the place.",
        "mouse": "Click: the best place. Drag to choose the place.",
        "keys": "{columns} play your columns.",
        "terminal": "{columns}: one picks up, one puts down",
    },
    "columns and reserve": {
        "touch": "Tap: the best place. Drag, or hold down and then tap, to choose the place.",
        "mouse": "Click: the best place. Drag to choose the place.",
        "keys": "{columns} play your columns, {reserve} the reserve, {reserve-up} sends it up.",
        "terminal": "{columns}: one picks up, one puts down   {reserve}: reserve",
    },
    "stock": {
        "touch": "Tap the stock to turn it. Tap the card beside it to play it.",
        "mouse": "Click the stock to turn it, and the card beside it to play it.",
        "keys": "Space turns the stock, {waste} plays the card beside it, {waste-up} sends it up.",
        "terminal": "{turn}: turn   {waste}: play it   {waste-up}: up",
    },
    "end": {
        "touch": "“I’m stuck” is a button below your cards.",
        "mouse": "“I’m stuck” is a button on the table.",
        "keys": "{stuck} says that you are stuck, {hint} gives a hint, ? shows this.",
        "terminal": "{stuck}: stuck   {help}: this, and all keys",
    },
}
"""What hands do, by panel and device; in braces what is printed on keys."""


def guide(game: Game) -> tuple[Panel, ...]:
    """Return the panels of a game, whatever its options are."""
    if isinstance(game.mechanic, Building):
        panels = [_middle(game), _columns(game), _stock(game), _end(game)]
    else:
        said = (*_same_deal(game), Sentence(mechanic_text(game.mechanic)))
        panels = [Panel("middle", "The game", (), said), _end(game)]
    return tuple(panel for panel in panels if panel is not None and panel.sentences)


def own_values(game: Game) -> dict[str, int]:
    """Return what a game plays for the options that may leave it to the game."""
    own = {"reserve_card": game.scoring.reserve_card, "out_bonus": game.scoring.out_bonus}
    for group in game.groups:
        if isinstance(group, Stock):
            own["turn"] = group.turn
        elif isinstance(group, Reserve):
            own["reserve"] = group.size
    return own


def panels_of(options: Options) -> Iterator[tuple[Panel, list[PilePicture], list[str]]]:
    """Yield a table's panels, each with the piles and the sentences that hold under its options."""
    game = GAMES[options.game]
    own, values = own_values(game), {name: getattr(options, name) for name in Options.model_fields}
    for panel in guide(game):
        piles = [pile for pile in panel.picture if is_said(pile.when, values)]
        yield (
            panel,
            [PilePicture(pile.cards, pile.fan, filled(pile.label, own, values)) for pile in piles],
            [filled(each.text, own, values) for each in panel.sentences if is_said(each.when, values)],
        )


def is_said(when: Conditions, options: Mapping[str, Any]) -> bool:
    """Return whether something is said under a table's options."""
    return all(
        (options.get(name.removeprefix("!")) in values) != name.startswith("!")
        for name, values in when.items()
    )


def filled(text: str, own: Mapping[str, int], options: Mapping[str, Any]) -> str:
    """Return a text with the values of options."""

    def value(found: re.Match[str]) -> str:
        given = options.get(found[1])
        return str(own[found[1]] if given is None else given)

    return re.sub(r"{(\w+)}", value, text)


def house_rules(options: Options) -> list[str]:
    """Return what a table's options have changed of the preset next to them, such as "turn: 1"."""
    preset = nearest_preset(options) or replace(PRESETS["klondike"], options=Options(game=options.game))
    changed = [name for name in preset.deviations(options) if name not in LENGTH]
    return [f"{called(name)}: {value_text(name, getattr(options, name))}" for name in changed]


def played(options: Options) -> str:
    """Return what is played at a table: a preset's title, or the game's."""
    preset = nearest_preset(options)
    return preset.title if preset else GAMES[options.game].title


def intro(options: Options) -> str:
    """Return what a game is, where the panels alone do not say it."""
    game = GAMES[options.game]
    return "" if game.racing is Racing.SHARED else game.text


# The panels.


def goal_text(game: Game) -> str:
    """Return what a race around shared foundations is about; empty for other games."""
    if game.racing is not Racing.SHARED:
        return ""
    bases = {group.base for group in game.groups if isinstance(group, Foundations)}
    up = f"up {'from the aces ' if bases == {ACE} else ''}in the middle"
    if any(isinstance(group, Reserve) for group in game.groups):
        return f"Empty your reserve: play {up}."
    return f"Play your cards {up}."


def _middle(game: Game) -> Panel:
    foundations = [group for group in game.groups if isinstance(group, Foundations)]
    if game.racing is Racing.SHARED:
        sentences = [
            Sentence(
                "The foundations belong to all. Each starts with an ace, and goes up in its suit to the king."
            ),
            Sentence("Each player has a pack: a place left empty is for the next ace."),
            Sentence("The first card to arrive has the place. A later one comes back."),
            Sentence("An ace that can go up must, before anything else.", {"forced_bases": [True]}),
        ]
        title = "The middle"
    else:
        sentences = [*_same_deal(game), *(Sentence(foundations_text(group)) for group in foundations)]
        title = "The foundations"
    return Panel("middle", title, _going_up(foundations), tuple(sentences))


def _same_deal(game: Game) -> list[Sentence]:
    same = "Everybody has the same cards in the same order, and plays alone: nobody takes a place from you."
    return [Sentence(same)] if game.deals is Deals.IDENTICAL else []


def _going_up(foundations: Iterable[Foundations]) -> tuple[PilePicture, ...]:
    """Draw a card that starts a foundation, and one that goes upon another."""
    first = next(iter(foundations), None)
    if first is None or not isinstance(first.base, int) or first.length < 2 or abs(first.step) != 1:
        return ()
    if first.suit is not SuitRule.SAME:
        return ()
    after = (first.base - 1 + first.step) % KING + 1
    return (
        *(PilePicture((card(first.base, CLUBS),)), ARROW, PilePicture()),
        *(PilePicture((card(after, HEARTS),)), ARROW, PilePicture((card(first.base, HEARTS),))),
    )


def _columns(game: Game) -> Panel | None:
    columns = next((group for group in game.groups if isinstance(group, Tableau)), None)
    if columns is None:
        return None
    has_reserve = any(isinstance(group, Reserve) and group.playable for group in game.groups)
    name = "columns and reserve" if has_reserve else "columns"
    if game.racing is not Racing.SHARED:
        said = [Sentence(text) for text in own_cards_text(game, (Tableau, Reserve))]
        return Panel(name, "Your columns", _built(columns), tuple(said)) if said else None
    sentences = [
        Sentence("Down by one, red on black and black on red. Cards that lie so, a run, move together.")
    ]
    if columns.space.ranks == frozenset({KING}):
        sentences += [
            Sentence("Only a king, with what lies on it, goes to an empty column."),
            Sentence("A card that comes free turns face up by itself."),
        ]
    else:
        sentences += [
            Sentence("Any card goes to an empty column.", {"spaces": [None]}),
            Sentence("The reserve's top card goes to an empty column by itself.", {"spaces": ["at_once"]}),
            Sentence("Only the reserve's top card goes to an empty column.", {"spaces": ["reserve"]}),
            Sentence("Your reserve: {reserve} cards, of which the top one plays, up or to a column."),
        ]
    return Panel(name, "Your columns", _built(columns), tuple(sentences))


def _built(columns: Tableau) -> tuple[PilePicture, ...]:
    """Draw a card that goes upon a column, and one that goes to an empty column."""
    picture: list[PilePicture] = []
    build = columns.build[0] if len(columns.build) == 1 else None
    if build is not None and build.delta in {-1, 1}:
        suits = (CLUBS, CLUBS, CLUBS) if build.suit is SuitRule.SAME else (CLUBS, HEARTS, SPADES)
        *column, last = (card(9 + build.delta * step, suit) for step, suit in enumerate(suits))
        picture += [PilePicture((last,)), ARROW, PilePicture(tuple(column), "down")]
    if columns.space.ranks == frozenset({KING}):
        picture += [PilePicture((card(KING, DIAMONDS),)), ARROW, PilePicture()]
    elif (columns.space.takes, columns.takes, columns.space.ranks, columns.space.fill) == (
        None,
        None,
        None,
        False,
    ):
        picture += [PilePicture((card(5, DIAMONDS),)), ARROW, PilePicture()]
    return tuple(picture)


def _stock(game: Game) -> Panel | None:
    stock = next((group for group in game.groups if isinstance(group, Stock)), None)
    if stock is None or stock.rounds or not any(isinstance(group, Waste) for group in game.groups):
        return None
    among = partial(_among, own_values(game))
    forever = among("redeals", *([None] if stock.redeals is None else []))
    sentences = [
        Sentence("Turn one card at a time. It plays, up or to a column.", among("turn", 1)),
        Sentence("Turn {turn} cards at a time. The top one plays, then the one below.", among("!turn", 1)),
        Sentence("One or two players turn one card.", {"turn_by_players": [True], "turn": [None]}),
        Sentence("At its end turn the waste over, as often as you like.", forever),
        Sentence("You go through it once.", _redeals(stock, 0)),
        Sentence("At its end turn the waste over, once.", _redeals(stock, 1)),
        Sentence("Its top card may go to its bottom, at any time: Shift.", {"stock_shift": ["any_time"]}),
        Sentence("Its top card may go to its bottom, once a pass: Shift.", {"stock_shift": ["once_a_pass"]}),
    ]
    text = "At its end turn the waste over, {redeals} times."
    sentences.append(Sentence(text, {"!redeals": [None, 0, 1]}))
    if stock.redeals not in {None, 0, 1}:
        text = f"At its end turn the waste over, {number(stock.redeals)} times."
        sentences.append(Sentence(text, {"redeals": [None]}))
    turned = (card(4, CLUBS), card(11, DIAMONDS), card(2, SPADES))
    several, one = (
        PilePicture(turned, "right", "", among("!turn", 1)),
        PilePicture(turned[-1:], "", "", among("turn", 1)),
    )
    return Panel("stock", "The stock", (PilePicture((UNKNOWN,)), ARROW, several, one), tuple(sentences))


def _redeals(stock: Stock, times: int) -> Conditions:
    return {"redeals": [times, *([None] if stock.redeals == times else [])]}


def _among(own: Mapping[str, int], name: str, *values: object) -> Conditions:
    """Return the condition that an option, or else the game, has one of these values."""
    plain = name.removeprefix("!")
    is_own = plain in own and own[plain] in values
    return {name: [*values, *([None] if is_own else [])]}


def _end(game: Game) -> Panel:
    among = partial(_among, own_values(game))
    sentences = []
    if game.racing is Racing.SHARED and game.goal is Goal.RESERVE_EMPTY:
        sentences.append(Sentence("Whoever has emptied the reserve is out, and the hand ends."))
    elif game.racing is Racing.SHARED:
        sentences.append(Sentence("Whoever has all cards up is out, which is rare."))
    elif game.racing is not Racing.SOLO:
        sentences.append(Sentence(f"The hand ends when {ENDS[game.goal]}."))
    if seats_of(Options(game=game.name)) > 1:
        sentences += [
            Sentence("Whoever is out has to call it.", {"call_out": ["shout"]}),
            Sentence("Nothing helps? Say that you are stuck. When all are, the hand ends."),
            Sentence("Or the time is up.", {"!time_limit_ms": [None]}),
            Sentence("Hint shows a play that helps.", {"hints": [True]}),
            *_score(game, among),
        ]
    return Panel("end", "The end", _counted(game), tuple(sentences))


def _score(game: Game, among: partial[Conditions]) -> list[Sentence]:
    points = game.scoring.foundation_card
    step = "Each card of yours up there" if isinstance(game.mechanic, Building) else "Each step"
    return [
        Sentence(f"{step}: {pluralize(points, 'point')}."),
        Sentence("Each card left in the reserve: {reserve_card}.", among("!reserve_card", 0)),
        Sentence("Going out: {out_bonus} more.", among("!out_bonus", 0)),
        Sentence("Finishing a foundation: {king_bonus} more.", {"!king_bonus": [0]}),
        Sentence("One hand, and the most points win.", {"hands": [1], "target": [None]}),
        Sentence(
            "{hands} hands, and the most points win.",
            {"!hands": [1], "target": [None], "match_score": ["points"]},
        ),
        Sentence("{hands} hands, and the most hands won win.", {"!hands": [1], "match_score": ["hands"]}),
        Sentence("Hand after hand, up to {target} points.", {"!target": [None], "match_score": ["points"]}),
    ]


def _counted(game: Game) -> tuple[PilePicture, ...]:
    """Draw what counts."""
    if not isinstance(game.mechanic, Building) or game.racing is not Racing.SHARED:
        return ()
    among = partial(_among, own_values(game))
    up = [PilePicture((face,), "", "+1") for face in (card(7, HEARTS), card(ACE, CLUBS))]
    if "reserve" in own_values(game):
        up.append(PilePicture((UNKNOWN,), "", "{reserve_card}", among("!reserve_card", 0)))
    return (*up, PilePicture((), "", "out +{out_bonus}", among("!out_bonus", 0)))
