import random

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import UNKNOWN, parse
from tests.support.boards import RACES, Position, cards, deal_seed, rules_of
from tests.support.cases import for_each
from tests.support.effort import covering
from tests.support.invariants import status
from tests.support.playouts import play_on

STOCK, SEVENTH = 4, 12
"""Piles of Racing Demon with one player; the first four are foundations."""


@for_each(("game", "players"), covering(RACES, [1, 2, 3, 8]))
def test_every_reachable_board_is_sound(game: str, players: int) -> None:
    """After each step of a random hand, the public board and the dealer's keep all invariants."""
    position = deal_seed(rules_of(game, players), bytes([players]) * 32)
    assert _broken(position) == []
    for _ in play_on(position, random.Random(game), 120):
        assert _broken(position) == []


@for_each(
    ("options", "players"),
    covering(
        [
            {"turn": 1, "redeals": 1},
            {"waste_view": 3},
            {"take_back": "free"},
            {"forced_bases": True, "tail_rule": "either2"},
            {"game": "classic", "columns": 9, "reserve": 30},
            {"game": "fooliana", "take_back": "free", "forced_bases": True},
        ],
        [1, 2],
    ),
)
def test_options_keep_boards_sound(options: dict[str, str | int | bool], players: int) -> None:
    """The invariants hold under every option that changes the plays."""
    position = deal_seed(rules_of(players=players, **{"game": "racing-demon", **options}))  # type: ignore[arg-type]
    for _ in play_on(position, random.Random(1), 200):
        assert _broken(position) == []


@for_each("game", RACES)
def test_rotating_keeps_boards_sound(game: str) -> None:
    """The stall rule loses no card and shows none."""
    position = deal_seed(rules_of(game, 3))
    for _ in play_on(position, random.Random(2), 40):
        position.board.rotate()
        position.hidden.rotate()
        assert _broken(position) == []


def _broken(position: Position) -> list[str]:
    """Return what is wrong with a position: with one of its boards, or between the two."""
    public, known = position.board, position.hidden
    differing = [
        f"pile {number} is not the dealer's"
        for number, (seen, all_of_it) in enumerate(zip(public.cards, known.cards, strict=True))
        if len(seen) != len(all_of_it)
        or any(card not in {UNKNOWN, other} for card, other in zip(seen, all_of_it, strict=True))
    ]
    return [*status(position.rules, public), *status(position.rules, known), *differing]


# Each kind of damage is noticed, and nothing else is said.


def _damaged(piles: dict[int, str], players: int = 1) -> list[str]:
    """Return what is said of a fresh deal when these piles hold other cards, "--" for unknown ones."""
    position = deal_seed(rules_of(players=players))
    for pile, text in piles.items():
        position.board.cards[pile] = tuple(
            UNKNOWN if word == "--" else int(word) if word.isdigit() else cards(word)[0]
            for word in text.split()
        )
    return status(position.rules, position.board)


def _number(word: str) -> int:
    if word == "--":
        return UNKNOWN
    return int(word) if word.isdigit() else cards(word)[0]


def _stock_of(count: int) -> str:
    return "-- " * count


def test_a_sound_board_has_no_status() -> None:
    """Of a fresh deal there is nothing to say."""
    assert _damaged({}) == []


def test_a_lost_card_is_noticed() -> None:
    """A card that is nowhere is missed."""
    expected = ["seat 0 has 51 cards and 0 on the foundations, not 52 in all"]
    assert expected == _damaged({STOCK: _stock_of(23)})


def test_a_surplus_card_is_noticed() -> None:
    """A card too many is noticed, though nobody knows which it is."""
    expected = ["seat 0 has 53 cards and 0 on the foundations, not 52 in all"]
    assert expected == _damaged({STOCK: _stock_of(25)})


def test_a_card_in_two_places_is_noticed() -> None:
    """The same card of the same pack lies in one place only."""
    assert _damaged({SEVENTH: "-- -- -- -- -- -- JH"}) == ["J♥ of pack 0 lies in 2 places"]


def test_the_same_face_of_two_packs_is_no_double() -> None:
    """Two players may each have their own knave of hearts on the table."""
    own = "-- -- -- -- -- -- JH"
    twins = deal_seed(rules_of(players=2))
    last = twins.rules.layout.seat_piles(1, Kind.TABLEAU)[6]
    twins.board.cards[last] = tuple(UNKNOWN if word == "--" else parse(word, 1) for word in own.split())
    assert status(twins.rules, twins.board) == []


@for_each("number", [52, 400, 1000])
def test_a_card_of_no_pack_is_noticed(number: int) -> None:
    """A number beyond the hand's packs is no card."""
    expected = [f"pile {SEVENTH} holds {number}, which is no card of this hand"]
    assert expected == _damaged({SEVENTH: f"-- -- -- -- -- -- {number}"})


def test_a_negative_card_is_noticed() -> None:
    """A number below the unknown card is no card."""
    position = deal_seed(rules_of())
    position.board.cards[SEVENTH] = (*position.board.cards[SEVENTH][:-1], -2)
    assert [f"pile {SEVENTH} holds -2, which is no card of this hand"] == status(
        position.rules, position.board
    )


@for_each("number", [52, 415, 1000])
def test_a_card_of_no_pack_is_noticed_on_a_foundation(number: int) -> None:
    """A number beyond the hand's packs counts for nobody, and is named."""
    expected = [f"pile 0 holds {number}, which is no card of this hand"]
    assert expected == _damaged({0: str(number), STOCK: _stock_of(23)})


def test_a_card_before_the_wrong_player_is_noticed() -> None:
    """A player's card lies before nobody else."""
    position = deal_seed(rules_of(players=2))
    last = position.rules.layout.seat_piles(1, Kind.TABLEAU)[6]
    position.board.cards[last] = (*position.board.cards[last][:-1], parse("KS", 0))
    assert [f"pile {last} holds K♠ of another player's pack"] == status(position.rules, position.board)


def test_a_card_that_nobody_named_is_noticed() -> None:
    """The last card of a column lies face up, so it is known."""
    assert [f"pile {SEVENTH} shows a card that nobody has named"] == _damaged({SEVENTH: _stock_of(7)})


def test_an_unknown_card_on_a_foundation_is_noticed() -> None:
    """All cards of a foundation are known."""
    found = _damaged({0: "AC --", STOCK: _stock_of(22)})
    assert "pile 0 shows a card that nobody has named" in found


def test_a_wrong_base_is_noticed() -> None:
    """A foundation of Racing Demon starts with an ace."""
    assert _damaged({0: "2C", STOCK: _stock_of(23)}) == ["foundation 0 starts with 2♣"]


@for_each(
    ("family", "sentence"),
    [
        ("AC 3C", "on foundation 0, 3♣ lies on A♣"),
        ("AC 2D", "on foundation 0, 2♦ lies on A♣"),
        ("AC AD", "on foundation 0, A♦ lies on A♣"),
    ],
)
def test_a_gap_on_a_foundation_is_noticed(family: str, sentence: str) -> None:
    """The ranks of a foundation follow one upon the other, in one suit."""
    assert [sentence] == _damaged({0: family, STOCK: _stock_of(22)})


def test_a_foundation_that_is_too_long_is_noticed() -> None:
    """A family ends with the king."""
    family = "AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AD"
    found = _damaged({0: family, STOCK: _stock_of(10)})
    assert "foundation 0 holds 14 cards, more than 13" in found
    assert "on foundation 0, A♦ lies on K♣" in found
