"""The rules of a game in words: one sentence per field of its declaration, regardless of its name.

Special rules and mechanics are described in :mod:`.special_rules_text`.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.cards import RANK_NAMES, SUIT_SIZE
from racing_demon_protocol.engine.specification import (
    Base,
    Build,
    Building,
    Cells,
    Deal,
    Deals,
    Foundations,
    Game,
    Goal,
    Group,
    Owner,
    Racing,
    Reserve,
    Scoring,
    Stock,
    SuitRule,
    Tableau,
    TailRule,
    TakeBack,
    Unit,
    Waits,
    Waste,
)

from .phrases import card_names, heading, names, number, rank, ranks, the, times
from .special_rules_text import mechanic_text, piles_text, special_text
from .text import counted

__all__ = ["WIDTH", "kind_of", "rules_of"]

KINDS: Final = {
    Racing.SHARED: "around shared foundations",
    Racing.IDENTICAL: "on identical deals",
    Racing.REFLEX: "for quick hands",
    Racing.TOGETHER: "two play together",
    Racing.SOLO: "alone only",
}
SKILLS: Final = ("no choice at all", "little choice", "real choice", "much choice")
SUITS: Final = {
    SuitRule.SAME: "in suit",
    SuitRule.ALTERNATE: "in alternate colors",
    SuitRule.ANY: "in any suit",
}
SHOWN: Final = {
    Shows.NONE: "All lie face down.",
    Shows.TOP: "The top lies face up.",
    Shows.LAST: "The last of each lies face up, the others face down.",
    Shows.ALL: "All lie face up.",
    Shows.KEPT: "Each card stays as it came.",
}
UNITS: Final = {
    Unit.ONE: "Single cards move from one to another.",
    Unit.TAIL: "Any sequence at the end of one moves to another.",
    Unit.WHOLE: "A single card moves to another, or the whole column if it is a sequence.",
    Unit.ONE_SIDE_SINGLE: "A single card moves upon any, and a sequence upon a card that continues none.",
}
BACK: Final = {
    TakeBack.NEVER: "Nothing leaves them again.",
    TakeBack.FREE: "Their tops may be taken back.",
    TakeBack.TO_SPACE: "Their tops may be taken back into an empty column.",
}
WAITS: Final = {
    Waits.NEVER: "",
    Waits.OPEN: "One is begun only when those before it are.",
    Waits.ROWS: "One takes a card only when no other holds fewer.",
}
GOALS: Final = {
    Goal.ALL_ON_FOUNDATIONS: "The game is won when all own cards lie on the foundations.",
    Goal.RESERVE_EMPTY: "The game is won when the reserve is empty.",
    Goal.FOUNDATIONS_FULL: "The game is won when all foundations are complete.",
    Goal.OWN_RULE: "When it is won is told above.",
}
WIDTH: Final = 78


def kind_of(game: Game) -> str:
    """Return in a few words how several people may play a game."""
    return KINDS[game.racing]


def rules_of(game: Game, width: int = WIDTH) -> Iterator[str]:
    """Yield the rules of a game, line by line; a heading has no period and is followed by an empty line.

    Args:
        game: the game.
        width: the maximum length of all lines but the first two.

    """
    yield f"{game.title}{_book(game)}"
    packs = "one pack" if game.packs == 1 else f"{game.packs} packs"
    raced = "" if game.racing in {Racing.TOGETHER, Racing.SOLO} else "raced "
    yield f"{game.name}: {packs}, {game.deck_size} cards; {SKILLS[game.skill]}; {raced}{kind_of(game)}"
    if game.text:
        yield from _part("", [game.text], width)
    yield from _part("In particular", [sentence for sentence in _sentences(game) if sentence], width)
    if game.racing is not Racing.SOLO:
        yield from _part("In a race", list(_race(game)), width)
    if game.doubts:
        doubts = [f"{doubt.question} {doubt.answer}{_option(doubt.field)}" for doubt in game.doubts]
        yield from _part("What the source leaves open, and how it is here", doubts, width)


def _book(game: Game) -> str:
    """Return the book a game is from, if players can find it; otherwise an empty string."""
    found = re.match(r"Cheney (\d+)", game.source)  # only Mrs. Cheney's book has a known title
    return f" (number {found[1]} of Mrs. Cheney's Patience)" if found else ""


def _option(field: str) -> str:
    """Return how a host changes a rule, if the table has an option for it."""
    group, _, name = field.partition(".")
    return f' The option "{name.replace("_", " ")}" changes that.' if group == "options" else ""


def _part(heading: str, sentences: Iterable[str], width: int) -> Iterator[str]:
    yield ""
    if heading:
        yield heading
    for sentence in sentences:
        marks = ("- ", "  ") if heading else ("", "")
        yield from textwrap.wrap(sentence, width, initial_indent=marks[0], subsequent_indent=marks[1])


def _sentences(game: Game) -> Iterator[str]:
    """Yield one or more sentences for each part of a declaration."""
    if len(game.ranks) != SUIT_SIZE:
        yield f"The packs have the ranks {ranks(game.ranks)} only."
    is_turned = any(isinstance(group, Waste) for group in game.groups)
    for group in game.groups:
        yield " ".join(filter(None, _group(group, is_turned=is_turned)))
    yield from (_deal(step) for step in game.deal)
    if not isinstance(game.mechanic, Building):
        yield mechanic_text(game.mechanic)
    yield from map(special_text, game.specials)
    if game.racing is not Racing.SOLO:  # a trick is not won
        yield GOALS[game.goal]


# Groups.


def _group(group: Group, *, is_turned: bool) -> Iterator[str]:
    """Yield the sentences on one group: those of its kind, then those that apply to any group.

    Args:
        group: the group.
        is_turned: whether a stock is turned to a waste.

    """
    match group:
        case Foundations():
            yield from _foundations(group)
        case Tableau():
            yield from _tableau(group)
        case Reserve():
            yield from _reserve(group)
        case Cells():
            yield from _cells(group)
        case Stock():
            yield from _stock(group, is_turned=is_turned)
        case Waste():
            yield from _waste(group)
        case _:
            yield f"{_title(group)}: {piles_text(group)}"
    yield from _common(group)


def _common(group: Group) -> Iterator[str]:
    if group.owner is Owner.TABLE:
        yield "In a race they belong to everybody."
    if group.takes == ():
        yield "No card is put there unless told otherwise."
    elif group.takes is not None:
        yield f"Cards come there from {names(group.takes)} only."
    if group.plays_to == ():
        yield "The game itself takes cards away from there."
    elif group.plays_to is not None:
        yield f"Their cards go to {names(group.plays_to)} only."
    if group.gathers:
        order = "" if group.gathers == 1 else ", top first"
        yield f"They are taken up{order} when the stock is made up anew."
    if group.under:
        yield "What is played there goes underneath."


def _foundations(group: Foundations) -> Iterator[str]:
    start = {Base.FIRST: "the rank of the first card there", Base.OWN: "the card that the deal puts there"}
    base = start[group.base] if isinstance(group.base, Base) else rank(group.base)
    way = f"up by {number(group.step)}" if group.step > 0 else f"down by {number(-group.step)}"
    way = {1: "up", -1: "down", 0: "with equal ranks"}.get(group.step, way)
    wrap = _corner(group.wrap, {group.step})
    order = f" in the order {_ranks(group.order)}" if group.order else f" {way}{wrap}"
    foundations = f"{_title(group)}: {counted(group.count, 'foundation')}"
    if group.length == 1:
        yield f"{foundations} for one card{' each' if group.count > 1 else ''}: {base}."
    else:
        suits, cards = SUITS[group.suit], counted(group.length, "card")
        yield f"{foundations}, begun with {base} and built{order}, {suits}, to {cards}."
    if group.one_per_suit:
        yield "Each suit begins one only."
    yield BACK[group.take_back]
    yield WAITS[group.waits]
    if group.forced_bases:
        yield "A card that begins one must be played before anything else."


def _tableau(group: Tableau) -> Iterator[str]:
    shape = set(group.shape)
    cards = _each(group.shape[0]) if len(shape) == 1 else f" of {', '.join(map(str, group.shape))} cards"
    is_single = group.shows is Shows.LAST and shape <= {0, 1}  # cards that come later lie face up anyway
    shown = SHOWN[Shows.ALL if is_single else group.shows]
    yield f"{_title(group)}: {counted(len(group.shape), 'column')}{cards}. {shown}"
    ways = " or ".join(_build(build) for build in group.build)
    wrap = _corner(group.wrap, {build.delta for build in group.build})
    yield f"They are built {ways}{wrap}." if group.build else "Nothing is built on them."
    reach = [groups for groups in (group.takes, group.plays_to) if groups is not None]
    if group.build and all(group.name in groups for groups in reach):
        yield UNITS[group.unit]
    if group.cap is not None:
        yield f"No building makes more than {counted(group.cap, 'card')} of one."
    if group.spaces_first:
        yield "Spaces must be filled before anything is put upon a card."
    space = group.space
    if () in {space.takes, group.takes}:
        yield "A space stays empty."
    else:
        who = "any card" if space.ranks is None else f"{ranks(sorted(space.ranks))} only"
        source = "" if space.takes is None else f" from {names(space.takes)}"
        yield f"A space takes {who}{source}."
    if space.fill:
        yield "It is filled at once from the reserve, while that lasts."


def _corner(wrap: bool, steps: set[int | None]) -> str:
    """Return how a sequence continues from its highest or lowest rank."""
    ways = {"from king to ace" if step > 0 else "from ace to king" for step in steps if step}
    return f", round the corner {' or '.join(sorted(ways))}" if wrap and ways else ""


def _build(build: Build) -> str:
    way = {None: "with any card", -1: "down", 1: "up", 0: "with equal ranks"}.get(
        build.delta, f"by {build.delta}"
    )
    upon = "" if build.ranks is None else f" upon {ranks(sorted(build.ranks))}"
    return f"{way} {SUITS[build.suit]}{upon}"


def _each(cards: int) -> str:
    return f" of {counted(cards, 'card')}" if cards else ", empty at first"


def _reserve(group: Reserve) -> Iterator[str]:
    yield f"{_title(group)}: {counted(group.count, 'heap')}{_each(group.size)}."
    yield SHOWN[group.shows]
    yield "The top card is free." if group.playable else "It only fills spaces."
    if getattr(group, "locked", False):
        yield "Nothing of it may be played before the stock is empty."


def _cells(group: Cells) -> Iterator[str]:
    places = "one place for one card" if group.count == 1 else f"{group.count} places for one card each"
    yield f"{_title(group)}: {places}, free unless told otherwise."
    if group.takes is None:
        yield "An empty one stays empty unless told otherwise."
    if group.must:
        yield "An empty one must be filled before anything else is played."
    if getattr(group, "in_order", False):
        yield "The first of the piles that has cards fills it."


def _stock(group: Stock, *, is_turned: bool) -> Iterator[str]:
    if group.rounds:
        yield f"{_title(group)}: it is dealt in rounds, when you want the next one."
        for steps, layings in groupby(group.rounds):
            alike = len(list(layings))
            first = f"In {number(alike)} layings: " if alike > 1 else "In one laying: "
            yield (first if len(set(group.rounds)) > 1 else "") + " ".join(map(_deal, steps))
    elif is_turned:
        yield f"{_title(group)}: {counted(group.turn, 'card')} at a time."
    else:
        yield f"{_title(group)}: no card is turned from it."
    often = "as often as you like" if group.redeals is None else times(group.redeals)
    how = "shuffled" if group.shuffle else "in its order"
    yield "It is never made up anew." if group.redeals == 0 else f"Empty, it is made up anew {often}, {how}."
    if group.relay:
        yield "At once after that: " + " ".join(map(_deal, group.relay))
    if group.tail_rule is TailRule.EITHER2:
        yield "If two cards are left in the end, either may be used: they can be turned one by one."


def _waste(group: Waste) -> Iterator[str]:
    seen = "its top card is seen" if group.view == 1 else f"its top {group.view} cards are seen"
    yield f"{_title(group)}: {seen}" + (", and the top is free." if group.plays_to != () else ".")
    if group.limit is not None:
        yield f"No card is turned while {number(group.limit)} {'lies' if group.limit == 1 else 'lie'} there."


# The deal, and the rest.


def _deal(step: Deal) -> str:
    where = the(step.to)
    if step.cards:
        told = f"{_capital(card_names(step.cards))} {_is(len(step.cards))} sought out and laid on {where}"
    elif step.count is not None:
        told = f"{_capital(number(step.count))} {_cards(step.count)} {_is(step.count)} dealt to {where}"
    elif step.each is not None:
        order = ", in the order of the ranks" if step.by_rank else ""
        cards = f"{number(step.each)} {_cards(step.each)}"
        told = f"{_capital(cards)} each {_is(step.each)} dealt to {where}{order}"
    else:
        told = f"Cards are dealt to {where}" + (", in rows across" if step.rows else "")
    return told + (", by the first player for all." if step.once else ".")


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _cards(count: int) -> str:
    return "card" if count == 1 else "cards"


def _race(game: Game) -> Iterator[str]:
    scoring: Scoring = game.scoring
    if game.deals is Deals.IDENTICAL:
        yield "All get the same cards in the same order."
    progress = "A card on the foundations" if isinstance(game.mechanic, Building) else "Every step forward"
    yield f"{progress} counts {_points(scoring.foundation_card)}."
    if scoring.reserve_card:
        does = "costs" if scoring.reserve_card < 0 else "counts"
        yield f"A card left in the reserve {does} {_points(abs(scoring.reserve_card))}."
    if scoring.out_bonus:
        yield f"Who goes out has {_points(scoring.out_bonus)} more."


def _points(count: int) -> str:
    return f"{number(count)} {'point' if count == 1 else 'points'}"


# Wording.


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def _title(group: Group) -> str:
    return _capital(heading(group.name))


def _ranks(ranks: Iterable[int]) -> str:
    return " ".join(RANK_NAMES[rank - 1].replace("T", "10") for rank in ranks)
