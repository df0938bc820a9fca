"""Commands that cannot be: what the table answers to a mistake, its own or a client's."""

from racing_demon_protocol.engine.board import FOUNDATIONS
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Refused
from tests.support.cases import for_each
from tests.support.tables import Sitting, names_of


def test_a_command_over_which_the_server_stumbled_is_refused_for_good() -> None:
    """Sent again, it gets the same answer, and so does the next mistake over it."""
    sitting = Sitting.playing(2)
    answer = sitting.table.refuse(0, 5)
    assert isinstance(answer, Refused)
    assert (answer.counter, answer.reason, bool(answer.text)) == (5, Reason.NOT_NOW, True)
    assert answer == sitting.give(0, cl.Say(counter=5, text="Hello")).reply
    assert answer == sitting.table.refuse(0, 5)


def test_a_mistake_over_an_answered_command_does_not_change_its_answer() -> None:
    """What was carried out stays so, whatever goes wrong when it comes again."""
    sitting = Sitting.playing(2)
    first = sitting.send(0, cl.Stuck).reply
    assert first == sitting.table.refuse(0, sitting.counter(0))


@for_each("count", [1, 2])
def test_a_play_from_a_pile_that_is_none_is_refused(count: int) -> None:
    """Whoever names a pile that the table has not is told so, for one card and for a run."""
    sitting = Sitting.playing(2)
    for destination in (FOUNDATIONS, sitting.column(0)):
        refused = sitting.miss(0, len(sitting.board.piles), destination, count)
        assert Reason.UNKNOWN_PILE is refused.reason


def test_a_refused_play_to_the_foundations_shows_no_card() -> None:
    """Where no certain pile was meant none is named, and no top card."""
    sitting = Sitting.playing(2)
    refused = sitting.miss(0, sitting.stock(0), FOUNDATIONS)
    assert (refused.pile, refused.top) == (FOUNDATIONS, UNKNOWN)


def test_bots_have_names_of_their_own() -> None:
    """Each bot takes the first name that nobody at the table has."""
    sitting = Sitting.lobby(1)
    for _ in range(3):
        sitting.events(0, cl.AddBot)
    assert names_of(sitting) == ["Ann", "Ada", "Bob", "Cyn"]


def test_no_token_opens_a_bots_seat() -> None:
    """What is kept of its token is empty, and nothing else: the journal takes nothing that is missing."""
    sitting = Sitting.lobby(1)
    sitting.events(0, cl.AddBot)
    assert sitting.table.seat_tokens.origin(1) == (b"", b"")
