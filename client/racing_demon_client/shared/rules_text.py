"""The rules of a game in words: one sentence per field of its declaration, regardless of its name.

The briefing before the first deal is a short form of them.
"""

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from racing_demon_protocol.constants import MAX_SEATS
from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.cards import KING, RANK_NAMES, SUIT_SIZE
from racing_demon_protocol.engine.mechanics.common import Out, Packets
from racing_demon_protocol.engine.mechanics.line import DoubleJump, Line, PushPin
from racing_demon_protocol.engine.mechanics.merging import Merging
from racing_demon_protocol.engine.mechanics.pairs import Ranks, Sympathy
from racing_demon_protocol.engine.mechanics.script import Script
from racing_demon_protocol.engine.mechanics.sums import Courts, Reach, Sums
from racing_demon_protocol.engine.mechanics.travelling import Complete, Counting, Travelling, Weaving
from racing_demon_protocol.engine.rules.special_rules import (
    BasesFirst,
    BottomCards,
    BumpKing,
    ChosenBase,
    Draw,
    FamilyByLaying,
    FillFromBottom,
    FillFromDoubles,
    Grace,
    GridEdges,
    JointEntry,
    KingOpensColumn,
    LayExtra,
    OpeningRescue,
    PairedColumn,
    RankPlaces,
    Reorder,
    RowEnds,
    When,
)
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
    Heads,
    Mechanic,
    Owner,
    Racing,
    Reserve,
    Scoring,
    Special,
    Stock,
    StockShift,
    SuitRule,
    Tableau,
    TailRule,
    TakeBack,
    Unit,
    Waits,
    Waste,
)
from racing_demon_protocol.formatting import join_words, pluralize
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.wire.options import MatchScore, Options

from .option_text import called, value_text

NUMBER_WORDS: Final = (
    *("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen"),
)
RANK_WORDS: Final = (
    *("aces", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens"),
    *("jacks", "queens", "kings"),
)
SUIT_WORDS: Final = {"S": "spades", "H": "hearts", "C": "clubs", "D": "diamonds"}
PILE_WORDS: Final = {
    "ace of hearts": "family of the ace of hearts",
    "aces": "ace piles",
    "aside": "cards set aside",
    "dealt": "card just dealt",
    "deuces": "deuce piles",
    "drawn": "drawn cards",
    "extra": "extra places",
    "first king": "family of the first king",
    "foundation": "foundations",
    "grace": "grace card",
    "heads": "heads of the columns",
    "held": "cards held back",
    "imperial": "imperial piles",
    "index": "index cards",
    "kings": "king piles",
    "left": "left-hand piles",
    "lifted": "lifted cards",
    "lot": "lots",
    "lower": "lower row",
    "out": "removed cards",
    "packet": "packets",
    "pile": "piles",
    "place": "places",
    "queens": "queen piles",
    "right": "right-hand places",
    "royal": "royal piles",
    "shown": "cards shown",
    "spare": "spare packet",
    "spelled": "cards spelled",
    "sultan": "Sultan's place",
    "tableau": "columns",
    "taken": "cards taken up",
    "upper": "upper row",
    "waiting": "waiting cards",
}
"""Plain words for the names of groups that need them."""
PATTERNS: Final[tuple[tuple[str, Callable[[re.Match[str]], str]], ...]] = (
    (r"by (\d+)", lambda found: f"family by {RANK_WORDS[int(found[1]) - 1] if found[1] != '1' else 'ones'}"),
    (r"from (.)", lambda found: f"family from the {_one(RANK_NAMES.index(found[1]) + 1)}"),
    (r"rank (\d+)", lambda found: f"place of the {RANK_WORDS[int(found[1]) - 1]}"),
    (r"index (\d+)", lambda found: f"index card {found[1]}"),
)


def heading(group: str) -> str:
    """Return the name of a group of piles."""
    for pattern, spoken in PATTERNS:
        if found := re.fullmatch(pattern, group):
            return spoken(found)
    name, dash, side = group.partition("-")
    spoken_name = PILE_WORDS.get(name, name)
    return f"{side}-hand {spoken_name}" if dash else spoken_name


def the(group: str) -> str:
    """Return a group of piles as part of a sentence."""
    return f"the {heading(group)}"


def names(groups: Sequence[str], joint: str = "and") -> str:
    """Return several groups of piles as part of a sentence."""
    return join_words([the(group) for group in groups], joint)


def number(value: int) -> str:
    """Return a number, a small one as a word."""
    return NUMBER_WORDS[value] if value < len(NUMBER_WORDS) else str(value)


def times(value: int) -> str:
    """Return a frequency, such as "twice"."""
    return {1: "once", 2: "twice"}.get(value, f"{number(value)} times")


def rank(value: int) -> str:
    """Return the plural of a rank."""
    return RANK_WORDS[value - 1]


def one_of(value: int) -> str:
    """Return one card of a rank, such as "an ace"."""
    return f"{'an' if value in {1, 8} else 'a'} {_one(value)}"


def ranks(values: Iterable[int]) -> str:
    """Return the plurals of several ranks."""
    return join_words([rank(value) for value in values])


def card_names(faces: Sequence[str]) -> str:
    """Return cards as one asks for them; ``K*`` is a king of any suit.

    >>> card_names(["AS", "AH", "AC", "AD"])
    'the aces of spades, hearts, clubs and diamonds'
    """
    if len(faces) == 1 and faces[0][1] == "*":
        return one_of(_rank_of(faces[0]))
    spoken: dict[int, list[str]] = {}
    is_double = len(set(faces)) * 2 == len(faces)
    for face in dict.fromkeys(faces) if is_double else faces:
        spoken.setdefault(_rank_of(face), []).append(SUIT_WORDS[face[1]])
    first = "both" if is_double else "the"
    return join_words(
        [
            f"{first} {_one(value) if len(suits) == 1 and not is_double else rank(value)}"
            f" of {join_words(suits)}"
            for value, suits in spoken.items()
        ]
    )


def _rank_of(face: str) -> int:
    return RANK_NAMES.index(face[0]) + 1


def _one(value: int) -> str:
    word = rank(value)
    return word.removesuffix("es") if word == "sixes" else word.removesuffix("s")


def title_of(game: str) -> str:
    """Return a game's title; its name if it is unknown."""
    return GAMES[game].title if game in GAMES else game


WHEN: Final = {
    When.ALWAYS: "",
    When.HAND_IN: ", when the stock still has cards and nothing else can be played",
    When.HAND_OUT: ", when the stock is empty and nothing else can be played",
    When.STUCK: ", when nothing else can be played",
}
COURTS: Final = {
    Courts.COUNT: "Jacks count as eleven, queens as twelve and kings as thirteen.",
    Courts.TRIO: ("A jack, a queen and a king are removed together if they lie in one row or share a suit."),
    Courts.STAY: (
        "Jacks, queens and kings are never paired. At first they go under the stock; at the end only they "
        "are left on the table."
    ),
}
REACH: Final = {
    Reach.ANYWHERE: "wherever they lie",
    Reach.LINE: "if they lie in the same row or column",
}
COUNTING: Final = {
    Counting.NONE: "",
    Counting.AFTER_FIRST: (
        "The packets are dealt one card at a time. From the second layer on, a card that falls on the packet "
        "of its own number is set aside."
    ),
    Counting.ALL: (
        "The packets are dealt one card at a time. A card that falls on the packet of its own number is set "
        "aside."
    ),
}
LYING: Final = {
    Shows.NONE: ("Its cards lie face down.", "Their cards lie face down."),
    Shows.TOP: ("Its top card lies face up.", "Their top cards lie face up."),
    Shows.LAST: ("Its last card lies face up.", "The last card of each lies face up."),
    Shows.ALL: ("Its cards lie face up.", "Their cards lie face up."),
    Shows.KEPT: (
        "It is dealt face down; cards added later lie face up.",
        "They are dealt face down; cards added later lie face up.",
    ),
}
"""How the cards of one pile lie, and those of several."""


def piles_text(group: Group) -> str:
    """Return what piles of an unusual kind are."""
    match group:
        case Heads():
            return (
                f"{pluralize(group.count, 'place')} above {the(group.of)}: a card played there goes "
                "underneath the pile below."
            )
        case Packets():
            ranked = ", one for each rank, starting with the ace" if group.numbered else ""
            one, several = LYING[group.shows]
            return (
                f"one pile{ranked}. {one}" if group.count == 1 else f"{group.count} piles{ranked}. {several}"
            )
        case Line():
            return f"piles in one line, as many as needed, {group.count} at most."
        case Out():
            return "they take no further part in the game."
    raise NotImplementedError(f"there are no words for {type(group).__name__}")


def special_text(rule: Special) -> str:  # noqa: C901, PLR0911, PLR0912 - one sentence per rule of a closed list
    """Return a special rule in words."""
    match rule:
        case Draw():
            return _drawing(rule)
        case LayExtra():
            return (
                f"Once, when {the(rule.places)} are full and nothing fits, cards from the stock "
                f"fill {the(rule.cells)}."
            )
        case Grace():
            return (
                f"After a full pass through the stock without a play, the top card of a foundation may go "
                f"back to the foot or the head of a column, {times(rule.times)} in a hand."
            )
        case Reorder():
            return (
                "After a full pass through the stock without a play, the cards of a turn may be dealt in any "
                f"order, {times(rule.times)} in a hand."
            )
        case KingOpensColumn():
            return (
                "While the stock is dealt, each king starts the next column, and all other cards go onto the "
                "last column. Afterwards, a king with no card on it may take the last card of another column."
            )
        case GridEdges():
            first = " Gaps must be filled before anything else is played." if rule.fill_first else ""
            return (
                f"The cards lie in rows of {rule.width}. A card can be played if no card lies right above it "
                "or none right below it. Gaps are filled from the stock, in order; when there are none, the "
                f"next row is dealt.{first}"
            )
        case FamilyByLaying():
            deals = "deal" if rule.most_deals == 1 else f"{number(rule.most_deals)} deals"
            return f"In the first {deals}, {the(rule.foundations)} take cards only from {names(rule.groups)}."
        case BasesFirst():
            return f"A card that can start one of {the(rule.bases)} cannot go to {the(rule.foundation)}."
        case PairedColumn():
            return (
                f"The stock is dealt in turn to {the(rule.piles)}. {ranks([rule.base]).capitalize()} go up "
                "at once, and the foundation above a pile accepts cards only from that pile."
                + (
                    " A pile still gets cards after its foundation is complete."
                    if rule.finished
                    else " When its foundation is complete, a pile gets no more cards."
                )
            )
        case RankPlaces():
            return "Until every place has its first card, only cards of the first card's suit can be played."
        case JointEntry():
            return (
                f"Two cards of the same suit start {names(rule.foundations)} together, both played from "
                f"{the(rule.group)}."
            )
        case FillFromBottom():
            return (
                f"When {the(rule.heap)} is empty, the bottom card of the stock may fill a space in "
                f"{the(rule.columns)}. The top card of the waste may do so only when the stock is empty."
            )
        case FillFromDoubles():
            return "When the stock is empty, the upper card of a place with two may fill an empty place."
        case OpeningRescue():
            return _opening(rule)
        case BumpKing():
            return (
                f"The first of {number(rule.rows)} rows is dealt, and you deal the others. A king that falls "
                "on a lower card of its suit may move on by one place. The next card then fills the place "
                "that it left, and the deal continues after the king."
            )
        case BottomCards():
            return (
                f"Once, when the stock is empty, {number(rule.count)} cards from the bottom of the waste can "
                "be turned again."
            )
        case RowEnds():
            left = f" and {number(rule.left)} at its left-hand end" if rule.left else ""
            return (
                f"From the second row on, while rows are dealt, only {number(rule.ends)} cards at the "
                f"right-hand end of the newest row{left} can be played."
            )
        case ChosenBase():
            return (
                f"The first card turned may start {the(rule.foundations)}; its rank then starts all of them. "
                f"If it is not played there, only {ranks([rule.rank])} can start them."
            )
    raise NotImplementedError(f"there are no words for {type(rule).__name__}")


def _drawing(rule: Draw) -> str:
    often = times(rule.times)
    marries = ", or be built on a column" if rule.marries else ""
    after = f" and {the(rule.after)} have been filled" if rule.after else ""
    through = (
        f" It goes to {the(rule.through)} first, where an uncovered card may go as well."
        if rule.through
        else ""
    )
    return (
        f"{often.capitalize()} in a hand{WHEN[rule.when]}{after}, a buried or blocked card of "
        f"{names(rule.groups)} may be played to a foundation{marries}.{through}"
    )


def _opening(rule: OpeningRescue) -> str:
    only = "Until every foundation has its first card, you can play only such cards and build on columns. "
    others = f"at most {number(rule.under)} other {'card' if rule.under == 1 else 'cards'}"
    return (only if rule.marriages_only else "") + (
        f"When no first card can be reached otherwise, one that lies under {others} may be taken out."
    )


def mechanic_text(mechanic: Mechanic) -> str:  # noqa: C901, PLR0911 - one sentence per mechanic
    """Return how to play a game that is not played by building."""
    match mechanic:
        case Sums():
            return _sums(mechanic)
        case Merging():
            text = "Top cards of equal rank are put together. When all in a row are equal, they are removed."
            if mechanic.close_up:
                text += " When a pile becomes empty, those after it move to the left."
            if mechanic.gathered:
                text += " Four equal cards that have come together on one pile are removed, too."
            return text
        case Weaving():
            text = (
                "Top cards go to the foundations. When none fits, a card that was set aside goes from packet "
                "to packet until one does."
            )
            own = " It can go to a foundation itself as soon as it fits."
            return " ".join(filter(None, [text + own * mechanic.from_hand, COUNTING[mechanic.counting]]))
        case Travelling():
            return _travelling(mechanic)
        case Script():
            return "The cards lie in a fixed order, and each step follows from the one before."
        case PushPin():
            dealing = "also while cards are dealt" if mechanic.while_laying else "when all cards are dealt"
            end = "After the last card, the first one may move to the end, once. " * mechanic.end_shift
            return (
                "A card between two of the same suit or rank can be removed. So can a block of cards of one "
                f"suit between two of the same rank. They can be removed {dealing}. {end}You win when "
                f"{_left(mechanic.left, 'card')} left."
            )
        case DoubleJump():
            final = (
                "When all cards are dealt, the first of three piles may jump over one, and the first of two "
                "onto the other. "
            )
            return (
                "A pile jumps to the right over exactly two others, onto one of the same suit or rank. "
                f"{final * mechanic.final_jumps}You win when {_left(mechanic.left, 'pile')} left."
            )
        case Ranks():
            last = (
                " When there are none, a pile of exactly two cards may be turned up. If they match, they are "
                "removed."
            )
            return "Two top cards of equal rank are removed." + last * mechanic.last_pairs
        case Sympathy():
            grace = " A side with no card face up may use its grace card as a match."
            who = "You play both sides" if len(mechanic.hands) > 1 else "Two partners play one side each"
            return (
                "Two sides take turns to turn cards up. A card of one side and an equal card of the other "
                f"are removed together. {who}.{grace * mechanic.grace}"
            )
    raise NotImplementedError(f"there are no words for {type(mechanic).__name__}")


def _left(left: int, what: str) -> str:
    return f"one {what} is" if left == 1 else f"{number(left)} {what}s are"


def _sums(sums: Sums) -> str:
    sentences = [
        f"Two cards that add up to {number(sums.total)} are removed together, {REACH[sums.reach]}.",
        COURTS[sums.courts],
    ]
    if sums.exchanges:
        often = times(sums.exchanges).capitalize()
        sentences.append(f"{often}, while the stock lasts, two cards may change places if there is no pair.")
    if sums.regather:
        sentences.append(
            "When the stock is empty, the cards of the lower rows are shuffled and fill the gaps in the "
            "upper ones."
        )
    return " ".join(sentences)


def _travelling(travelling: Travelling) -> str:
    size = number(travelling.size)
    complete = {
        Complete.TRAVELLED: f"all {size} cards of its rank have moved to it",
        Complete.RIGHT: f"it holds the {size} cards of its rank, even if some were dealt there",
    }[travelling.complete]
    source = "the last packet" if travelling.rounds_from == "packet" else the(travelling.rounds_from)
    sentences = [
        "The card in your hand goes to the packet of its rank, and that packet's top card moves on.",
        f"When your hand is empty, the next card comes from {source}.",
        f"A packet is complete when {complete}.",
        COUNTING[travelling.counting],
    ]
    return " ".join(filter(None, sentences))


BUILD_SUITS = {
    SuitRule.SAME: "in suit",
    SuitRule.ALTERNATE: "in alternate colors",
    SuitRule.ANY: "in any suit",
}
ENDS = {
    Goal.ALL_ON_FOUNDATIONS: "somebody is out of cards",
    Goal.RESERVE_EMPTY: "somebody's reserve is empty",
    Goal.FOUNDATIONS_FULL: "somebody's foundations are full",
    Goal.OWN_RULE: "somebody has reached the goal",
}


def brief(options: Options, limit_ms: int | None = None) -> Iterator[str]:
    """Yield three short paragraphs on a table's game: the goal, the player's cards, the end.

    Args:
        options: the table's options.
        limit_ms: the time limit of a hand in milliseconds, if there is one.

    """
    game = declare(options, MAX_SEATS)
    if game.racing is Racing.SHARED:
        yield "Build on the shared foundations, ace to king. The first card to arrive stays."
    else:
        yield game.text.partition(". ")[0].rstrip(".") + "."
    few = ["If one or two play, it turns one."] if options.turn_by_players and options.turn is None else []
    sentences = [sentence for group in game.groups for sentence in _own_cards(game, group, few)]
    yield " ".join(sentences)
    late = "" if limit_ms is None else ", or after " + value_text("time_limit_ms", limit_ms)
    end = f"The hand ends when {ENDS[game.goal]}, or nobody can play on{late}."
    counts = (
        " Most points win the hand, whoever goes out; most hands won win the match."
        if options.match_score is MatchScore.HANDS
        else ""
    )
    yield end if game.racing is Racing.SOLO else f"{end} {_scoring(game)}{counts}"


def _own_cards(game: Game, group: object, few: Iterable[str]) -> Iterator[str]:
    if isinstance(group, Tableau):
        if len(group.build) == 1 and group.build[0].delta in {-1, 1}:
            way = "down" if group.build[0].delta == -1 else "up"
            yield f"Columns build {way} {BUILD_SUITS[group.build[0].suit]}."
        yield from _spaces(game, group)
    elif isinstance(group, Reserve) and group.shows is Shows.ALL and group.playable:
        yield "The reserve lies face up; its top card can be played."
    elif isinstance(group, Stock) and any(isinstance(other, Waste) for other in game.groups):
        cards = "one card" if group.turn == 1 else f"{group.turn} cards"
        yield f"The stock turns {cards} at a time."
        yield from few
        if group.shift is not None:
            yield f"You may move its top card to its bottom{SHIFTS[group.shift]}."


def own_cards_text(game: Game, kinds: tuple[type[Group], ...]) -> list[str]:
    """Return what to know of a player's own piles, of some kinds, in short sentences."""
    groups = [group for group in game.groups if isinstance(group, kinds)]
    return [sentence for group in groups for sentence in _own_cards(game, group, ())]


def _spaces(game: Game, columns: Tableau) -> Iterator[str]:
    space = columns.space
    reserves = {group.name for group in game.groups if isinstance(group, Reserve)}
    if () in {space.takes, columns.takes}:
        yield "Empty columns stay empty."
    elif space.ranks == frozenset({KING}):
        yield "Only kings fill empty columns."
    elif space.fill:
        yield "The reserve fills empty columns by itself."
    elif space.takes is not None and reserves.issuperset(space.takes):
        yield "Only the reserve's top card fills empty columns."
    elif (space.takes, space.ranks) == (None, None):
        yield "Any card fills an empty column."


def _scoring(game: Game) -> str:
    scoring = game.scoring
    counts = [f"Your own cards up count {scoring.foundation_card}"]
    if scoring.reserve_card:
        counts.append(f"one left in the reserve {scoring.reserve_card}")
    if scoring.king_bonus:
        counts.append(f"finishing a foundation {scoring.king_bonus} more")
    if scoring.out_bonus:
        counts.append(f"going out {scoring.out_bonus} more")
    return ", ".join(counts) + "."


SHIFTS: Final = {
    StockShift.ANY_TIME: ", as often as you like",
    StockShift.ONCE: ", once before the waste is turned over again",
}
"""How often a stock's top card may go to its bottom."""
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
    match = re.match(r"Cheney (\d+)", game.source)  # only Mrs. Cheney's book has a known title
    return f" (number {match[1]} of Mrs. Cheney's Patience)" if match else ""


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
    foundations = f"{_title(group)}: {pluralize(group.count, 'foundation')}"
    each = "each" if group.count > 1 else "it"
    if group.length == 1:
        yield f"{foundations} for one card{' each' if group.count > 1 else ''}: {base}."
    else:
        suits, cards = BUILD_SUITS[group.suit], pluralize(group.length, "card")
        build = f"is built {way} {suits}{wrap}, to {cards}"
        yield f"{foundations}. {_capital(each)} starts with {base} and {build}."
    if group.one_per_suit:
        yield "Only one for each suit."
    yield BACK[group.take_back]
    yield WAITS[group.waits]
    if group.forced_bases:
        yield "A card that can start one must be played before anything else."


def foundations_text(group: Foundations) -> str:
    """Return how foundations are built, in a sentence or two."""
    return _capital(next(_foundations(group)).partition(": ")[2])


def _tableau(group: Tableau) -> Iterator[str]:
    shape = set(group.shape)
    is_single = group.shows is Shows.LAST and shape <= {0, 1}  # cards that come later lie face up anyway
    shown = SHOWN[Shows.ALL if is_single else group.shows]
    yield f"{_title(group)}: {pluralize(len(group.shape), 'column')}{_sizes(group.shape)}. {shown}"
    ways = " or ".join(_build(build) for build in group.build)
    wrap = _corner(group.wrap, {build.delta for build in group.build})
    yield f"Build {ways}{wrap}." if group.build else "You cannot build on them."
    reach = [groups for groups in (group.takes, group.plays_to) if groups is not None]
    if group.build and all(group.name in groups for groups in reach):
        yield UNITS[group.unit]
    if group.cap is not None:
        yield f"Building never brings one to more than {pluralize(group.cap, 'card')}."
    if group.spaces_first:
        yield "Spaces must be filled before a card is played onto another."
    space = group.space
    if () in {space.takes, group.takes}:
        yield "Empty columns stay empty."
    else:
        who = "Any card" if space.ranks is None else f"Only {ranks(sorted(space.ranks))}"
        source = "" if space.takes is None else f" from {names(space.takes, 'or')}"
        yield f"{who}{source} can fill a space, which is an empty column."
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
        return f" of {join_words([str(size) for size in shape])} cards"
    return ", " + join_words([f"{columns} of {pluralize(size, 'card')}" for size, columns in alike])


def _build(build: Build) -> str:
    way = {None: "with any card", -1: "down", 1: "up", 0: "with cards of the same rank"}.get(
        build.delta, f"by {build.delta}"
    )
    upon = "" if build.ranks is None else f" on {ranks(sorted(build.ranks))}"
    suits = "" if build.delta is None and build.suit is SuitRule.ANY else f" {BUILD_SUITS[build.suit]}"
    return f"{way}{suits}{upon}"


def _each(cards: int) -> str:
    return f" of {pluralize(cards, 'card')}" if cards else ", empty at first"


def _reserve(group: Reserve) -> Iterator[str]:
    yield f"{_title(group)}: {pluralize(group.count, 'pile')}{_each(group.size)}."
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
    if group.shift is not None:
        yield f"You may move its top card to its bottom{SHIFTS[group.shift]}, so that other cards turn up."
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
    progress = (
        "Each of your own cards on the foundations"
        if isinstance(game.mechanic, Building)
        else "Each step forward"
    )
    yield f"{progress} scores {_points(scoring.foundation_card)}."
    if scoring.reserve_card:
        does = "costs" if scoring.reserve_card < 0 else "scores"
        yield f"Each card left in the reserve {does} {_points(abs(scoring.reserve_card))}."
    if scoring.king_bonus:
        points = _points(scoring.king_bonus)
        yield f"Finishing a foundation scores {points} more, for the player of its last card."
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
