"""A Sequel to Musical."""

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.cards import RANK_NAMES
from racing_demon_protocol.engine.mechanics.common import Packets
from racing_demon_protocol.engine.mechanics.script import Beat, Script, ScriptStep
from racing_demon_protocol.engine.specification import (
    Cells,
    Deal,
    Doubt,
    Game,
    Geometry,
    Goal,
    Racing,
    Scoring,
    Stock,
)

from .common import RANK_WORDS


def _gather() -> Beat:
    """Take up the finished piles from the right, each with its index card under it, and turn them over."""
    columns = [
        ((name, column), cards) for column in (3, 2, 1, 0) for name, cards in (("lower", 12), ("index", 1))
    ]
    under = [ScriptStep(source, ("pack", 0), cards) for source, cards in columns]
    return Beat("Take the piles up, and turn them over", (*under, ScriptStep(("pack", 0), ("stock", 0), 52)))


def _lay(every: int) -> Beat:
    """Deal thirteen cards to every ``every``-th place, round and round."""
    places = [((number + 1) * every - 1) % 13 for number in range(13)]
    texts = ("", "Lay thirteen cards in a row", "every second place", "every third", "every fourth")
    return Beat(texts[every], tuple(ScriptStep(("stock", 0), ("row", place)) for place in places))


def _take_up() -> Beat:
    """Take up the row from the left, each packet under the one before."""
    return Beat(
        "Take them up from the left",
        tuple(ScriptStep(("row", place), ("taken", 0), 4) for place in range(13)),
    )


def _name(number: int, word: str) -> Beat:
    """Deal a card face down for each letter but the last, and turn that one up."""
    letters = (ScriptStep(("taken", 0), ("spelled", 0)),) * (len(word) - 1)
    return Beat("-".join(word.upper()), (*letters, ScriptStep(("taken", 0), ("shown", number))))


def _family(step: int) -> str:
    """Return the ranks of a finished column of Musical: its index card, and what was built below it."""
    return "".join(RANK_NAMES[number * step % 13 - 1] for number in range(1, 14))


GAME = Game(
    name="musical-sequel",
    title="A Sequel to Musical",
    source="Cheney 40",
    groups=(
        Cells(name="index", count=4),
        Packets(name="lower", count=4, shows=Shows.ALL),
        Packets(name="pack", shows=Shows.ALL, under=True),
        Stock(turn=1),
        Packets(name="row", count=13, shows=Shows.NONE, geometry=Geometry.GRID, rows=(7, 6)),
        Packets(name="taken", shows=Shows.NONE, under=True),
        Packets(name="spelled", shows=Shows.NONE),
        Cells(name="shown", count=13, geometry=Geometry.GRID, rows=(7, 6)),
    ),
    deal=(Deal(to="index", each=1), Deal(to="lower", each=12)),
    goal=Goal.OWN_RULE,
    scoring=Scoring(out_bonus=0),
    mechanic=Script(
        order=(
            *(_family(step)[0] + suit for step, suit in enumerate("SHCD", 1)),
            *(rank + suit for step, suit in enumerate("SHCD", 1) for rank in _family(step)[1:]),
        ),
        beats=(
            _gather(),
            *(_lay(every) for every in (1, 2, 3, 4)),
            _take_up(),
            *(_name(number, word) for number, word in enumerate(RANK_WORDS)),
        ),
    ),
    racing=Racing.SOLO,
    skill=0,
    text=(
        "A trick that begins where Musical has been won. The piles are taken up, laid out in turn on every "
        "place, every second, every third and every fourth of a row of thirteen, and taken up again. Then the"
        " cards spell their names: for each letter one card is laid down, and the one of the last letter is "
        "turned up. It is the card that was named, from ace to king; fifty-two letters in all."
    ),
    doubts=(
        Doubt(
            "How are the first and the eleventh card spelled?",
            "Ace (the print has 0, C, E) and jack: the names then have as many letters as there are cards.",
            "mechanic.beats",
        ),
    ),
)
