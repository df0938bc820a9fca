"""A game's special rules, mechanic and unusual piles, in words."""

from typing import Final

from racing_demon_protocol.engine.board import Shows
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
from racing_demon_protocol.engine.specification import Group, Heads, Mechanic, Special
from racing_demon_protocol.formatting import counted

from .phrases import names, number, ranks, the, times

WHEN: Final = {
    When.ALWAYS: "",
    When.HAND_IN: ", when the stock still has cards and nothing else can be played",
    When.HAND_OUT: ", when the stock is empty and nothing else can be played",
    When.STUCK: ", when nothing else can be played",
}
COURTS: Final = {
    Courts.COUNT: "Jacks count as eleven, queens as twelve and kings as thirteen.",
    Courts.TRIO: "A jack, a queen and a king are removed together if they lie in one row or share a suit.",
    Courts.STAY: (
        "Jacks, queens and kings are never paired. At first they go under the stock; at the end only they "
        "are left on the table."
    ),
}
REACH: Final = {Reach.ANYWHERE: "wherever they lie", Reach.LINE: "if they lie in the same row or column"}
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
                f"{counted(group.count, 'place')} above {the(group.of)}: a card played there goes underneath "
                "the pile below."
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
