"""The rules of a game in words: one sentence per field of its declaration, regardless of its name.

Special rules and mechanics are described in :mod:`.special_rules_text`.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
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
from racing_demon_protocol.formatting import counted, listing

from .briefing import SUITS
from .option_text import called
from .phrases import card_names, heading, names, number, one_of, rank, ranks, the, times
from .special_rules_text import mechanic_text, piles_text, special_text

KINDS: Final = {
    Racing.SHARED: "around shared foundations",
    Racing.IDENTICAL: "on identical deals",
    Racing.REFLEX: "for quick hands",
    Racing.TOGETHER: "two play together",
    Racing.SOLO: "for one player only",
}
SKILLS: Final = ("no decisions", "few decisions", "some decisions", "many decisions")
SHOWN: Final = {
    Shows.NONE: "All cards lie face down.",
    Shows.TOP: "The top card lies face up.",
    Shows.LAST: "The last card of each lies face up, the others face down.",
    Shows.ALL: "All cards lie face up.",
    Shows.KEPT: "Each card keeps the side it came with.",
}
UNITS: Final = {
    Unit.ONE: "Only single cards move between columns.",
    Unit.TAIL: "Any sequence at the end of a column can move to another column.",
    Unit.WHOLE: "A single card, or a whole column that is one sequence, can move to another column.",
    Unit.ONE_SIDE_SINGLE: (
        "A single card can move to another column. A sequence needs a card that is in no sequence."
    ),
}
BACK: Final = {
    TakeBack.NEVER: "Cards played there stay there.",
    TakeBack.FREE: "Top cards may be taken back.",
    TakeBack.TO_SPACE: "Top cards may be taken back into an empty column.",
}
WAITS: Final = {
    Waits.NEVER: "",
    Waits.OPEN: "Each can be started only after those before it.",
    Waits.ROWS: "Each accepts a card only if no other holds fewer.",
}
GOALS: Final = {
    Goal.ALL_ON_FOUNDATIONS: "You win when all your cards are on the foundations.",
    Goal.RESERVE_EMPTY: "You win when your reserve is empty.",
    Goal.FOUNDATIONS_FULL: "You win when all foundations are complete.",
    Goal.OWN_RULE: "",  # the description or the mechanic says when
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
    yield from _part("The rules in detail", [sentence for sentence in _sentences(game) if sentence], width)
    if game.racing is not Racing.SOLO:
        yield from _part("In a race", list(_race(game)), width)
    if game.doubts:
        doubts = [f"{doubt.question} {doubt.answer}{_option(doubt.field)}" for doubt in game.doubts]
        yield from _part("What the source leaves open, and the answer used here", doubts, width)


def _book(game: Game) -> str:
    """Return the book a game is from, if players can find it; otherwise an empty string."""
    found = re.match(r"Cheney (\d+)", game.source)  # only Mrs. Cheney's book has a known title
    return f" (number {found[1]} of Mrs. Cheney's Patience)" if found else ""


def _option(field: str) -> str:
    """Return how a host changes a rule, if the table has an option for it."""
    group, _, name = field.partition(".")
    return f' The option "{called(name)}" changes this.' if group == "options" else ""


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
        yield f"The pack has only {ranks(game.ranks)}."
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
        yield "In a race, all players share them."
    if group.takes == ():
        yield "You cannot put cards there, except as described below."
    elif isinstance(group, Tableau) and group.takes is not None and group.space.takes is not None:
        yield f"Only cards from {names(group.takes, 'or')} are built there."
    elif group.takes is not None:
        yield f"Cards come there only from {names(group.takes)}."
    if group.plays_to == ():
        yield "The game itself moves cards from there."
    elif group.plays_to is not None:
        yield f"Cards go from there only to {names(group.plays_to)}."
    if group.gathers:
        order = "" if group.gathers == 1 else ", starting from the top of each pile"
        yield f"A redeal takes up the cards there{order}."
    if group.under:
        yield "Cards played there go underneath."


def _foundations(group: Foundations) -> Iterator[str]:
    start = {
        Base.FIRST: "a card of the rank of the first card played there",
        Base.OWN: "the card dealt there",
    }
    base = start[group.base] if isinstance(group.base, Base) else one_of(group.base)
    step = group.step
    way = {1: "up", -1: "down", 0: "with cards of the same rank"}.get(
        step, f"{'up' if step > 0 else 'down'} by {rank(abs(step))}"
    )
    way = f"in the order {_ranks(group.order)}" if group.order else way
    wrap = "" if group.order else _corner(group.wrap, {step})
    foundations = f"{_title(group)}: {counted(group.count, 'foundation')}"
    each = "each" if group.count > 1 else "it"
    if group.length == 1:
        yield f"{foundations} for one card{' each' if group.count > 1 else ''}: {base}."
    else:
        suits, cards = SUITS[group.suit], counted(group.length, "card")
        build = f"is built {way} {suits}{wrap}, to {cards}"
        yield f"{foundations}. {_capital(each)} starts with {base} and {build}."
    if group.one_per_suit:
        yield "Only one for each suit."
    yield BACK[group.take_back]
    yield WAITS[group.waits]
    if group.forced_bases:
        yield "A card that can start one must be played before anything else."


def _tableau(group: Tableau) -> Iterator[str]:
    shape = set(group.shape)
    is_single = group.shows is Shows.LAST and shape <= {0, 1}  # cards that come later lie face up anyway
    shown = SHOWN[Shows.ALL if is_single else group.shows]
    yield f"{_title(group)}: {counted(len(group.shape), 'column')}{_sizes(group.shape)}. {shown}"
    ways = " or ".join(_build(build) for build in group.build)
    wrap = _corner(group.wrap, {build.delta for build in group.build})
    yield f"Build {ways}{wrap}." if group.build else "You cannot build on them."
    reach = [groups for groups in (group.takes, group.plays_to) if groups is not None]
    if group.build and all(group.name in groups for groups in reach):
        yield UNITS[group.unit]
    if group.cap is not None:
        yield f"Building never brings one to more than {counted(group.cap, 'card')}."
    if group.spaces_first:
        yield "Spaces must be filled before a card is played onto another."
    space = group.space
    if () in {space.takes, group.takes}:
        yield "Spaces stay empty."
    else:
        who = "Any card" if space.ranks is None else f"Only {ranks(sorted(space.ranks))}"
        source = "" if space.takes is None else f" from {names(space.takes, 'or')}"
        yield f"{who}{source} can fill a space."
    if space.fill:
        yield "As long as the reserve lasts, it fills spaces at once."


def _corner(wrap: bool, steps: set[int | None]) -> str:
    """Return how a sequence continues from its highest or lowest rank."""
    ways = {"from king to ace" if step > 0 else "from ace to king" for step in steps if step}
    return f", continuing {' or '.join(sorted(ways))}" if wrap and ways else ""


def _sizes(shape: Sequence[int]) -> str:
    """Return how many cards columns have: ``of 3 cards``, or ``16 of 3 cards and 2 of 2 cards``."""
    alike = [(size, len(list(columns))) for size, columns in groupby(shape)]
    if len(alike) == 1:
        return _each(shape[0])
    if len(alike) == len(shape):
        return f" of {listing([str(size) for size in shape])} cards"
    return ", " + listing([f"{columns} of {counted(size, 'card')}" for size, columns in alike])


def _build(build: Build) -> str:
    way = {None: "with any card", -1: "down", 1: "up", 0: "with cards of the same rank"}.get(
        build.delta, f"by {build.delta}"
    )
    upon = "" if build.ranks is None else f" on {ranks(sorted(build.ranks))}"
    suits = "" if build.delta is None and build.suit is SuitRule.ANY else f" {SUITS[build.suit]}"
    return f"{way}{suits}{upon}"


def _each(cards: int) -> str:
    return f" of {counted(cards, 'card')}" if cards else ", empty at first"


def _reserve(group: Reserve) -> Iterator[str]:
    yield f"{_title(group)}: {counted(group.count, 'heap')}{_each(group.size)}."
    yield SHOWN[group.shows]
    yield "The top card can be played." if group.playable else "Its cards only fill spaces."
    if getattr(group, "locked", False):
        yield "None of its cards can be played before the stock is empty."


def _cells(group: Cells) -> Iterator[str]:
    places = "one place for one card" if group.count == 1 else f"{group.count} places for one card each"
    yield f"{_title(group)}: {places}."
    if group.plays_to is None:
        yield "Cards there can be played."
    if group.takes is None:
        yield "An empty place stays empty, unless a rule below fills it."
    if group.must:
        yield "An empty place must be filled before anything else is played."
    if getattr(group, "in_order", False):
        yield "Empty places are filled from the first pile that still has cards."


def _stock(group: Stock, *, is_turned: bool) -> Iterator[str]:
    if group.rounds:
        yield f"{_title(group)}: dealt in rounds; you call for each round."
        done = 0
        for steps, passes in groupby(group.rounds):
            alike = len(list(passes))
            first = f"In the first {number(alike)} deals: " if not done else f"In deal {done + 1}: "
            yield (first if len(set(group.rounds)) > 1 else "") + " ".join(map(_deal, steps))
            done += alike
    elif is_turned:
        yield f"{_title(group)}: turned {number(group.turn)} {_cards(group.turn)} at a time."
    else:
        yield f"{_title(group)}: no cards are turned from it."
    often = "as often as you like" if group.redeals is None else times(group.redeals)
    how = "after a shuffle" if group.shuffle else "without shuffling"
    yield (
        "There is no redeal."
        if group.redeals == 0
        else f"When it is empty, it can be redealt {often}, {how}."
    )
    if group.relay:
        yield "Right after a redeal: " + " ".join(map(_deal, group.relay))
    if group.tail_rule is TailRule.EITHER2:
        yield "If only two cards are left at the end, they can be turned one at a time."


def _waste(group: Waste) -> Iterator[str]:
    seen = "the top card is visible" if group.view == 1 else f"the top {group.view} cards are visible"
    top = "it" if group.view == 1 else "the top one"
    yield f"{_title(group)}: {seen}" + (f", and {top} can be played." if group.plays_to != () else ".")
    if group.limit is not None:
        yield f"No card is turned while {number(group.limit)} {'lies' if group.limit == 1 else 'lie'} there."


# The deal, and the rest.


def _deal(step: Deal) -> str:
    where = the(step.to)
    if step.cards:
        cards = _capital(card_names(step.cards))
        text = f"{cards} {_is(len(step.cards))} taken from the pack and laid on {where}"
    elif step.count is not None:
        text = f"{_capital(number(step.count))} {_cards(step.count)} {_is(step.count)} dealt to {where}"
    elif step.each is not None:
        order = ", sorted by rank" if step.by_rank else ""
        cards = f"{number(step.each)} {_cards(step.each)}"
        text = f"{_capital(cards)} each {_is(step.each)} dealt to {where}{order}"
    else:
        text = f"Cards are dealt to {where}" + (", row by row" if step.rows else "")
    return text + (", from the first player's pack, for everybody." if step.once else ".")


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _cards(count: int) -> str:
    return "card" if count == 1 else "cards"


def _race(game: Game) -> Iterator[str]:
    scoring: Scoring = game.scoring
    if game.deals is Deals.IDENTICAL:
        yield "All players get the same cards in the same order."
    progress = "Each card on the foundations" if isinstance(game.mechanic, Building) else "Each step forward"
    yield f"{progress} scores {_points(scoring.foundation_card)}."
    if scoring.reserve_card:
        does = "costs" if scoring.reserve_card < 0 else "scores"
        yield f"Each card left in the reserve {does} {_points(abs(scoring.reserve_card))}."
    if scoring.out_bonus:
        yield f"Going out scores {_points(scoring.out_bonus)} more."


def _points(count: int) -> str:
    return f"{number(count)} {'point' if count == 1 else 'points'}"


# Wording.


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def _title(group: Group) -> str:
    return _capital(heading(group.name))


def _ranks(ranks: Iterable[int]) -> str:
    return " ".join(RANK_NAMES[rank - 1].replace("T", "10") for rank in ranks)
