"""Counts of plays: a change of the rules that nobody meant shows here first."""

from racing_demon_protocol.engine.deal import deck
from tests.support.boards import Position, build, deal, rules_of
from tests.support.cases import for_each
from tests.support.effort import amount, more_when_long, usually
from tests.support.perft import first_twins, perft, positions, possible_plays

SEED = bytes(32)


def _advanced(game: str, players: int, steps: int, **options: object) -> Position:
    """Return a position some way into a hand: always the play that comes next in a fixed round."""
    rules = rules_of(game, players, **options)
    position = deal(rules, [deck(SEED, number) for number in range(players)])
    for step in range(steps):
        seat = step % players
        plays = position.plays(seat)
        if plays:
            position.play(seat, plays[step * 7 % len(plays)])
    return position


@for_each(
    ("game", "players", "steps", "counts"),
    [
        ("racing-demon", 1, 0, [2, 4, 8, 16, 33, 80, 199, 487, 1159]),
        ("racing-demon", 2, 0, [5, 23, 101, 435, 1860]),
        ("racing-demon", 1, 40, [3, 9, 28, 90, 295, 976]),
        ("racing-demon", 2, 80, [3, 9, 27, 82, 257, 851]),
        ("classic", 1, 0, [4, 17, 96, 616, 4018]),
        ("classic", 2, 0, [7, 58, 562, 5997]),
        ("classic", 2, 60, [2, 4, 8, 17, 39, 95, 241]),
        ("demon-a", 1, 0, [2, 4, 7, 12, 23, 52, 102, 225, 422]),
        ("demon-a", 2, 0, [4, 16, 63, 238, 855]),
        ("demon-a", 2, 60, [3, 9, 28, 91, 306]),
        ("demon-b", 1, 0, [2, 3, 4, 6, 13, 23, 41, 55, 72]),
        ("demon-b", 2, 0, [7, 41, 211, 996]),
        ("demon-b", 2, 60, [3, 8, 20, 51, 131, 310]),
        ("fooliana", 1, 0, [4, 10, 24, 57, 119, 204, 317, 471]),
        ("fooliana", 2, 0, [7, 42, 237, 1345]),
        ("fooliana", 2, 80, [3, 10, 35, 125]),
    ],
)
@more_when_long
def test_numbers_of_plays(game: str, players: int, steps: int, counts: list[int]) -> None:
    """From a known position there are just so many sequences of one play, of two, of three and so on."""
    position = _advanced(game, players, steps)
    known = counts[: amount(-1, len(counts))]
    assert known == [perft(position, depth) for depth in range(1, len(known) + 1)]


@for_each(
    ("game", "players", "steps", "depth", "options"),
    usually(
        7,
        [
            ("racing-demon", 1, 40, 1, {"take_back": "free", "forced_bases": True}),
            ("racing-demon", 1, 30, 1, {"turn": 1, "redeals": 0}),
            ("classic", 2, 30, 1, {}),
            ("demon-a", 1, 20, 1, {}),
            ("demon-b", 1, 20, 1, {}),
            ("demon-b", 2, 0, 1, {"take_back": "free"}),
            ("fooliana", 2, 40, 1, {}),
            ("racing-demon", 1, 0, 4, {}),
            ("racing-demon", 1, 40, 2, {}),
            ("racing-demon", 1, 40, 2, {"take_back": "free", "forced_bases": True}),
            ("racing-demon", 1, 30, 2, {"turn": 1, "redeals": 0}),
            ("racing-demon", 2, 60, 1, {}),
            ("racing-demon", 1, 60, 2, {"take_back": "free"}),
            ("racing-demon", 1, 10, 3, {"forced_bases": True}),
            ("classic", 1, 0, 2, {}),
            ("demon-a", 1, 20, 3, {}),
            ("demon-b", 1, 20, 3, {}),
            ("fooliana", 1, 20, 2, {}),
        ],
    ),
)
def test_what_is_generated_is_what_is_judged_legal(
    game: str, players: int, steps: int, depth: int, options: dict[str, object]
) -> None:
    """In each position the plays generated are those that the judge allows, but for later twin families."""
    start = _advanced(game, players, steps, **options)
    differing = [
        position
        for position in positions(start, depth)
        for seat in position.rules.layout.seats
        if set(position.plays(seat)) != first_twins(position, possible_plays(position, seat))
    ]
    assert differing == []


@for_each("game", ["racing-demon", "classic", "demon-a", "demon-b", "fooliana"])
def test_no_play_is_generated_twice(game: str) -> None:
    """The plays of a seat are all different."""
    for position in positions(_advanced(game, 1, 20), 3):
        assert len(position.plays()) == len(set(position.plays()))


def test_either_of_the_last_two_is_counted() -> None:
    """With two cards left in the stock of a demon there are two ways to turn."""
    position = build(rules_of("demon-b"), stock="2s 3s", tableau=("KS", "KC", "KH", "KD"), foundation=("5D",))
    assert perft(position, 1) == 2
