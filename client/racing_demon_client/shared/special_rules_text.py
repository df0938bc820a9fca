"""A game's special rules, mechanic and unusual piles, in words."""

from typing import Final

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.mechanics.common import Out, Packets
from racing_demon_protocol.engine.mechanics.merging import Merging
from racing_demon_protocol.engine.mechanics.ranks import Ranks, Sympathy
from racing_demon_protocol.engine.mechanics.rows import DoubleJump, Line, PushPin
from racing_demon_protocol.engine.mechanics.sums import Courts, Reach, Sums
from racing_demon_protocol.engine.mechanics.travelling import Complete, Counting, Travelling
from racing_demon_protocol.engine.mechanics.tricks import Script
from racing_demon_protocol.engine.mechanics.weaving import Weaving
from racing_demon_protocol.engine.privileges import (
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
from racing_demon_protocol.engine.specification import Group, Heads, Mechanic, Special

from .phrases import names, number, ranks, the, times
from .text import counted

__all__ = ["mechanic_text", "piles_text", "special_text"]

WHEN: Final = {
    When.ALWAYS: "",
    When.HAND_IN: ", when cards are left in the hand and nothing else can be played",
    When.HAND_OUT: ", when the hand is out and nothing else can be played",
    When.STUCK: ", when nothing else can be played",
}
COURTS: Final = {
    Courts.COUNT: "Knaves count eleven, queens twelve, and kings thirteen.",
    Courts.TRIO: "A knave, a queen and a king leave together if they lie in one row or are of one suit.",
    Courts.STAY: (
        "Knaves, queens and kings stay: at first they go under the stock, and in the end nothing else "
        "lies on the table."
    ),
}
REACH: Final = {Reach.ANYWHERE: "wherever they lie", Reach.LINE: "if they lie in one row or in one column"}
COUNTING: Final = {
    Counting.NONE: "",
    Counting.AFTER_FIRST: (
        "The packets are laid card by card. From the second layer on, a card that falls on its own number "
        "is laid aside."
    ),
    Counting.ALL: "The packets are laid card by card. A card that falls on its own number is laid aside.",
}
LYING: Final = {
    Shows.NONE: "Their cards lie face down.",
    Shows.TOP: "Their tops lie face up.",
    Shows.LAST: "The last card of each lies face up.",
    Shows.ALL: "Their cards lie face up.",
    Shows.KEPT: "They are dealt face down, and what comes to them stays face up.",
}

LYING_ALONE: Final = {
    Shows.NONE: "Its cards lie face down.",
    Shows.TOP: "Its top lies face up.",
    Shows.LAST: "Its last card lies face up.",
    Shows.ALL: "Its cards lie face up.",
    Shows.KEPT: "It is dealt face down, and what comes to it stays face up.",
}


def piles_text(group: Group) -> str:
    """Return what piles of an unusual kind are."""
    match group:
        case Heads():
            return (
                f"{counted(group.count, 'door')} above {the(group.of)}: what is put there goes underneath "
                "the pile behind."
            )
        case Packets():
            ranked = ", one for each rank from the ace on" if group.numbered else ""
            if group.count == 1:
                return f"one pile{ranked}. {LYING_ALONE[group.shows]}"
            return f"{group.count} piles{ranked}. {LYING[group.shows]}"
        case Line():
            return f"piles in one line, as many as are needed: {group.count} at most."
        case Out():
            return "where the cards go that have left the game."
    raise NotImplementedError(f"there are no words for {type(group).__name__}")


def special_text(rule: Special) -> str:  # noqa: C901, PLR0911, PLR0912 - one sentence per rule of a closed list
    """Return a special rule in words."""
    match rule:
        case Draw():
            return _drawing(rule)
        case LayExtra():
            return (
                f"Once, when {the(rule.places)} are full and nothing fits, cards from the hand "
                f"fill {the(rule.cells)}."
            )
        case Grace():
            return (
                f"When a whole pass has led to nothing, the top card of a foundation may go back to the foot "
                f"or the head of a column, {times(rule.times)} in a hand."
            )
        case Reorder():
            return (
                "When a whole pass has led to nothing, the cards of a turn may be laid off in any order, "
                f"{times(rule.times)} in a hand."
            )
        case KingOpensColumn():
            return (
                "While the hand is dealt, each king begins the next column, and other cards go upon the last "
                "one. Afterwards a king that lies bare may take the last card of any other column."
            )
        case GridEdges():
            first = " Gaps must be filled before anything else is played." if rule.fill_first else ""
            return (
                f"The cards lie in rows of {rule.width}. One is free if it has no neighbor above, or none "
                "below. Gaps are filled from the hand in their order; when there is none, the next row is "
                f"laid.{first}"
            )
        case FamilyByLaying():
            layings = "laying" if rule.layings == 1 else f"{number(rule.layings)} layings"
            return f"In the first {layings}, {the(rule.foundations)} take cards of {names(rule.groups)} only."
        case BasesFirst():
            return f"A card that can still open {the(rule.bases)} is not taken by {the(rule.foundation)}."
        case PairedColumn():
            return (
                f"The hand is dealt round and round on {the(rule.piles)}. {ranks([rule.base]).capitalize()} "
                "go up at once, and the foundation above a pile takes the cards of that pile only."
                + (
                    " A pile is dealt to also after its family is complete."
                    if rule.finished
                    else " When a family is complete, its pile is dealt no more cards."
                )
            )
        case RankPlaces():
            return (
                "First all places are opened by one suit, that of the first card; then cards follow in turn."
            )
        case JointEntry():
            return (
                f"Two cards of a suit enter {names(rule.foundations)} together, both from {the(rule.group)}."
            )
        case FillFromBottom():
            return (
                f"When {the(rule.heap)} is gone, the bottom card of the stock may fill a space of "
                f"{the(rule.columns)}; the top of the waste may only when there is no stock."
            )
        case FillFromDoubles():
            return "When the hand is out, the upper card of a double place may fill an empty one."
        case OpeningRescue():
            return _opening(rule)
        case BumpKing():
            return (
                f"The first of {number(rule.rows)} rows is dealt; you lay the others. A king that comes upon "
                "a lower card of its suit may go one place on: the next card fills his place, and the laying "
                "goes on behind him."
            )
        case BottomCards():
            return (
                f"Once, when the stock is empty, {number(rule.count)} cards from the bottom of the waste "
                "come back to be turned."
            )
        case RowEnds():
            left = f", and {number(rule.left)} at the left" if rule.left else ""
            return (
                f"While rows are laid, of the newest row only {number(rule.ends)} cards at the right-hand "
                f"end are free{left}. That holds from the second row on."
            )
        case ChosenBase():
            return (
                f"The first card turned may open {the(rule.foundations)} with its rank. If it does not, only "
                f"{ranks([rule.rank])} open them from then on."
            )
    raise NotImplementedError(f"there are no words for {type(rule).__name__}")


def _drawing(rule: Draw) -> str:
    often = times(rule.times)
    marries = ", or be built on a column" if rule.marries else ""
    after = f" and {the(rule.after)} have been filled" if rule.after else ""
    through = (
        f" It is laid on {the(rule.through)} first, and so may a card be that nothing covers."
        if rule.through
        else ""
    )
    return (
        f"{often.capitalize()} in a hand{WHEN[rule.when]}{after}, a card of {names(rule.groups)} that is "
        f"buried or blocked may be played to a foundation{marries}.{through}"
    )


def _opening(rule: OpeningRescue) -> str:
    only = "Until every foundation has its first card, nothing is played but such cards and marriages. "
    return (only if rule.marriages_only else "") + (
        f"A first card that lies under no more than {counted(rule.under, 'other')} may be drawn out, when "
        "there is no other way to one."
    )


def mechanic_text(mechanic: Mechanic) -> str:  # noqa: C901, PLR0911 - one sentence per mechanic
    """Return how to play a game that is not played by building."""
    match mechanic:
        case Sums():
            return _sums(mechanic)
        case Merging():
            told = "Equal tops are put together, and thrown out when all of a row are equal."
            if mechanic.close_up:
                told += " Piles move to the left when one before them has become empty."
            if mechanic.gathered:
                told += " Four equal cards that have come together upon one pile leave, too."
            return told
        case Weaving():
            told = "Tops go to the foundations. When none does, a card laid aside travels until one does."
            own = " So may the card that travels, once it has come to fit."
            return " ".join(filter(None, [told + own * mechanic.from_hand, COUNTING[mechanic.counting]]))
        case Travelling():
            return _travelling(mechanic)
        case Script():
            return "The cards lie in a fixed order, and each step follows from the one before."
        case PushPin():
            laying = "while the cards are laid, too" if mechanic.while_laying else "when all cards are laid"
            end = "After the last card, the first one may be moved to the end, once. " * mechanic.end_shift
            return (
                f"A card leaves from between two of one suit or rank, and a block of one suit from between "
                f"two of a rank, {laying}. {end}The game is won when {_left(mechanic.left, 'card')} left."
            )
        case DoubleJump():
            final = "When all are laid, three piles may jump over one, and two upon each other. "
            return (
                "A pile jumps to the right over just two others, upon one of the same suit or rank. "
                f"{final * mechanic.final_jumps}The game is won when {_left(mechanic.left, 'pile')} left."
            )
        case Ranks():
            last = (
                " When there are none, a pile of just two cards may be turned up, and leaves if they match."
            )
            return "Two tops of equal rank leave the table." + last * mechanic.last_pairs
        case Sympathy():
            grace = " A hand without a card that lies face up may use the grace card as a match."
            who = "You play both" if len(mechanic.hands) > 1 else "Two partners have one each"
            return (
                "Two hands turn cards up by turns; a card of one and an equal card of the other leave "
                f"together. {who}.{grace * mechanic.grace}"
            )
    raise NotImplementedError(f"there are no words for {type(mechanic).__name__}")


def _left(left: int, what: str) -> str:
    return f"one {what} is" if left == 1 else f"{number(left)} {what}s are"


def _sums(sums: Sums) -> str:
    told = [
        f"Two cards that make {number(sums.total)} leave together, {REACH[sums.reach]}.",
        COURTS[sums.courts],
    ]
    if sums.exchanges:
        often = times(sums.exchanges).capitalize()
        told.append(f"{often}, while the stock lasts, two cards may change places when there is no pair.")
    if sums.regather:
        told.append(
            "After the stock, the cards of the lower rows are shuffled and fill the gaps of the upper ones."
        )
    return " ".join(told)


def _travelling(travelling: Travelling) -> str:
    complete = {
        Complete.TRAVELLED: f"all its {number(travelling.size)} cards have travelled",
        Complete.RIGHT: f"it holds its own {number(travelling.size)} cards, also if some were dealt there",
    }[travelling.complete]
    source = the(travelling.rounds_from)
    last = "" if source == "the spare packet" else "the last of "
    told = [
        "The card in the hand goes to the packet of its rank, and that packet's top travels on.",
        f"When the hand is empty, the next card is the top of {last}{source}.",
        f"A packet is complete when {complete}.",
        COUNTING[travelling.counting],
    ]
    return " ".join(filter(None, told))
