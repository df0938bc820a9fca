import pytest

from racing_demon_protocol.engine.cards import (
    ACE,
    CLUBS,
    DIAMONDS,
    HEARTS,
    KING,
    PACK_SIZE,
    SPADES,
    UNKNOWN,
    card,
    is_red,
    name,
    pack,
    parse,
    rank,
    suit,
)
from racing_demon_protocol.errors import InvalidCard
from tests.support.cases import for_each

ALL_CARDS = range(8 * PACK_SIZE)


def test_card_and_its_parts_agree() -> None:
    """The card made of a card's rank, suit and pack is the card itself, for all 416."""
    assert list(ALL_CARDS) == [card(rank(number), suit(number), pack(number)) for number in ALL_CARDS]


def test_a_pack_has_four_suits_of_thirteen() -> None:
    """One pack holds each rank of each suit once."""
    faces = {(rank(number), suit(number)) for number in range(PACK_SIZE)}
    assert {(a, b) for a in range(ACE, KING + 1) for b in (SPADES, HEARTS, CLUBS, DIAMONDS)} == faces


def test_hearts_and_diamonds_are_red() -> None:
    """Hearts and diamonds are red, spades and clubs are not."""
    assert [is_red(card(5, suit)) for suit in (SPADES, HEARTS, CLUBS, DIAMONDS)] == [False, True, False, True]


def test_the_back_does_not_change_the_face() -> None:
    """A card of any pack has the name of the same card of the first."""
    assert [name(number % PACK_SIZE) for number in ALL_CARDS] == [name(number) for number in ALL_CARDS]


@for_each("ascii_only", [False, True])
def test_a_name_is_parsed_back(ascii_only: bool) -> None:
    """Every card is read back from its name, with a suit's sign or its letter."""
    assert list(ALL_CARDS) == [
        parse(name(number, ascii_only=ascii_only), pack(number)) for number in ALL_CARDS
    ]


@for_each("text", ["10H", "TH", "th", "10♥", "T♥"])
def test_a_ten_has_several_spellings(text: str) -> None:
    """A ten may be written with one character or two, in capitals or not."""
    assert card(10, HEARTS) == parse(text)


def test_an_unknown_card_has_a_name_of_its_own() -> None:
    """A face-down card is written as two question marks."""
    assert name(UNKNOWN) == "??"


def test_names_are_two_characters_wide() -> None:
    """All names are equally wide, so columns line up."""
    assert {2} == {len(name(number)) for number in (UNKNOWN, *ALL_CARDS)}


@for_each(
    "text",
    ["", " ", "H", "1H", "0H", "11H", "AX", "A", "AAH", "10", "??", "A♥ ", "ATH", "1", "♥", "A♥♥", "TTS"],
)
def test_other_texts_name_no_card(text: str) -> None:
    """A text that is not rank and suit is refused."""
    with pytest.raises(InvalidCard):
        parse(text)


def test_the_error_repeats_what_was_typed() -> None:
    """The person who typed a card wrongly reads what it was."""
    with pytest.raises(InvalidCard, match="'17X' names no card"):
        parse("17X")
