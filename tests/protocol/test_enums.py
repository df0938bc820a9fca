from enum import StrEnum

from racing_demon_protocol.enums import EndReason, Phase, Reason
from tests.support.cases import for_each


@for_each("words", [Reason, Phase, EndReason])
def test_words_on_the_wire_are_the_names_in_small_letters(words: type[StrEnum]) -> None:
    """Each word of a closed list is its name in small letters."""
    assert [word.name.lower() for word in words] == [word.value for word in words]
