import inspect

from racing_demon_protocol import errors
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.messages.server import Refused
from tests.support.cases import for_each


def test_all_errors_are_of_one_tree() -> None:
    """Whoever catches RacingDemonError catches every error of this software."""
    found = [each for each in vars(errors).values() if inspect.isclass(each) and issubclass(each, Exception)]
    assert len(found) > 5
    assert [each for each in found if not issubclass(each, errors.RacingDemonError)] == []


@for_each(
    "cls",
    [
        errors.InvalidCard,
        errors.InvalidGame,
        errors.InconsistentEvent,
        errors.InvalidFrame,
        errors.InvalidRecord,
    ],
)
def test_bad_data_is_a_value_error(cls: type[Exception]) -> None:
    """What is wrong with given data can be caught as Python's own ValueError."""
    assert issubclass(cls, ValueError)


def test_an_illegal_play_is_a_refused_command() -> None:
    """The rules' refusal of a play reaches the wire like all others, with its reason and sentence."""
    error: errors.CommandRefused = errors.IllegalPlay("No foundation takes that card.")
    assert (error.reason, error.text) == (Reason.ILLEGAL, "No foundation takes that card.")


def test_a_refusal_reads_as_its_sentence() -> None:
    """A refused command prints as what the player reads."""
    assert str(errors.CommandRefused(Reason.ILLEGAL, "You are not out yet.")) == "You are not out yet."


def test_a_long_refusal_fits_its_frame() -> None:
    """A sentence that grows with what it lists is cut: a refusal that cannot be sent would refuse nothing."""
    refused = errors.CommandRefused(Reason.BAD_OPTION, "There is no such game; " + "there is another, " * 50)
    assert refused.text.endswith("…")
    assert refused.text == Refused(counter=0, reason=refused.reason, text=refused.text).text
    assert errors.CommandRefused(Reason.BAD_OPTION, "x" * 240).text == "x" * 240
