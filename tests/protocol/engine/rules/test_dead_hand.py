import random

from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.engine.rules.dead_hand import turnable_cards
from racing_demon_protocol.engine.specification import Stock, StockShift, TailRule
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.wire.options import Options
from tests.support.boards import RACES, Position, build, cards, deal_seed, names, rules_of
from tests.support.cases import for_each
from tests.support.dealt_hands import Dealt
from tests.support.effort import amount, more_when_long


def distance(position: Position, seat: int) -> tuple[int, int, int, int]:
    """Return how far a seat is from the end; every play that is progress makes this smaller.

    The measure of progress: cards outside the centre, those outside centre and layout, face-down
    cards, occupied columns.
    """
    board, layout = position.board, position.rules.layout
    heaps = [
        len(board.cards[pile])
        for kind in (Kind.STOCK, Kind.WASTE, Kind.RESERVE)
        for pile in layout.seat_piles(seat, kind)
    ]
    columns = [board.cards[pile] for pile in layout.seat_piles(seat, Kind.TABLEAU)]
    on_layout = sum(len(column) for column in columns)
    face_down = sum(column.count(UNKNOWN) for column in columns)
    return sum(heaps) + on_layout, sum(heaps), face_down, sum(1 for column in columns if column)


def way_to_progress(position: Position, seat: int) -> list[Play | None] | None:
    """Return a shortest row of plays of a seat of which the last is progress; ``None`` if none exists.

    All others only turn or shift (``None``) the stock, or move cards about. Every position that they lead to
    is looked at.
    """
    start = distance(position, seat)
    seen = {_key(position, seat)}
    waiting: list[tuple[Position, list[Play | None]]] = [(position, [])]
    while waiting:
        here, way = waiting.pop(0)
        if here.rules.may_shift(here.board, seat):
            shifted = here.copy()
            shifted.shift(seat)
            if (key := _key(shifted, seat)) not in seen:
                seen.add(key)
                waiting.append((shifted, [*way, None]))
        for play in here.plays(seat):
            after = here.copy()
            after.play(seat, play)
            if distance(after, seat) < start:
                return [*way, play]
            key = _key(after, seat)
            if key not in seen and distance(after, seat)[:3] == start[:3]:
                seen.add(key)
                waiting.append((after, [*way, play]))
    return None


def _key(position: Position, seat: int) -> tuple[object, ...]:
    """Return what tells positions apart; columns that have changed places make no difference."""
    layout, cards = position.rules.layout, position.hidden.cards
    stock = layout.groups[layout.stock[seat]]
    assert isinstance(stock, Stock)
    return (
        tuple(sorted(tuple(cards[pile]) for pile in layout.seat_piles(seat, Kind.TABLEAU))),
        len(cards[layout.stock[seat]]) if stock.shift is None else tuple(cards[layout.stock[seat]]),
        position.board.shifts.get(seat, 0) if stock.shift is StockShift.ONCE else 0,
        None if stock.redeals is None else position.board.redeals.get(seat, 0),
    )


BLOCKED = ("5h 9S", "5s 9C", "5c 7S", "5d 7C", "6h QS", "6d QC", "6c JS")
"""A row of seven in which nothing moves: black cards that do not fit, and a face-down card under each."""

BLACK_ROW = ("KS", "KC", "JS", "JC")


def _blocked(*columns: str, **piles: object) -> Position:
    """Return a position of Racing Demon with these columns in the place of the last blocked ones."""
    tableau = (*BLOCKED[: 7 - len(columns)], *columns)
    return build(rules_of(), tableau=tableau, **piles)  # type: ignore[arg-type]


# What turning alone can surface.


def _surfaced(stock: Stock, hand: str, waste: str = "", redeals: int = 0) -> str:
    """Return what surfaces of a hand written in the order of its turning."""
    found = turnable_cards(stock, cards(hand)[::-1], cards(waste), redeals)
    return names([card for card in cards(f"{waste} {hand}") if card in found])


@for_each(
    ("hand", "surfaced"),
    [
        ("", ""),
        ("AS", "AS"),
        ("AS 2S", "2S"),
        ("AS 2S 3S", "3S"),
        ("AS 2S 3S 4S", "3S 4S"),
        ("AS 2S 3S 4S 5S", "3S 5S"),
        ("AS 2S 3S 4S 5S 6S", "3S 6S"),
    ],
)
def test_every_third_card_surfaces_and_the_last(hand: str, surfaced: str) -> None:
    """Of an untouched hand surface every third card and the last."""
    assert surfaced == _surfaced(Stock(), hand)


def test_this_pass_shows_other_cards_than_the_next() -> None:
    """A card played from the waste shifts the threes, so both passes count."""
    assert _surfaced(Stock(), "3S 4S 5S 6S 7S 8S", waste="AS 2S") == "2S 3S 5S 6S 8S"


def test_without_a_redeal_only_this_pass_counts() -> None:
    """What cannot be turned over any more stays buried."""
    last, another = Stock(redeals=1), Stock(redeals=2)
    hand, waste = "4S 5S 6S 7S", "AS 2S 3S"
    assert (
        _surfaced(last, hand, waste, redeals=1),
        _surfaced(another, hand, waste, redeals=1),
    ) == ("3S 6S 7S", "3S 6S 7S")
    shifted = ("4S 5S 6S 7S", "AS 2S")
    assert (
        _surfaced(last, *shifted, redeals=1),
        _surfaced(another, *shifted, redeals=1),
    ) == ("2S 6S 7S", "2S 4S 6S 7S")


def test_shuffling_surfaces_everything() -> None:
    """Any card may come up if all are shuffled before they are turned again; none else if they are not."""
    again, last = Stock(shuffle=True), Stock(shuffle=True, redeals=1)
    assert _surfaced(again, "3S 4S 5S", waste="AS 2S") == "AS 2S 3S 4S 5S"
    assert _surfaced(last, "3S 4S 5S", waste="AS 2S", redeals=1) == "2S 5S"


def test_turning_one_by_one_surfaces_everything() -> None:
    """With single turns every card comes up."""
    assert _surfaced(Stock(turn=1), "3S 4S 5S", waste="AS 2S") == "AS 2S 3S 4S 5S"


@for_each(
    ("hand", "surfaced"),
    [("AS 2S", "AS 2S"), ("AS 2S 3S 4S", "3S 4S"), ("AS 2S 3S 4S 5S", "3S 4S 5S")],
)
def test_either_of_the_last_two_surfaces(hand: str, surfaced: str) -> None:
    """Where a last turn of two may be made one by one, both of its cards come up (D6)."""
    assert surfaced == _surfaced(Stock(tail_rule=TailRule.EITHER2), hand)


def _tops(position: Position) -> set[int]:
    """Return every card that comes to the top of the waste by turning and shifting, in any order."""
    stock, waste = (own[0] for own in (position.rules.layout.stock, position.rules.layout.waste))
    tops, seen, waiting = set(position.hidden.cards[waste][-1:]), set[object](), [position]
    while waiting:
        here = waiting.pop()
        steps = [here.copy() for _ in range(2)]
        play, able = here.rules.stock_play(here.board, 0), here.rules.may_shift(here.board, 0)
        if play is not None:
            steps[0].play(0, play)
        if able:
            steps[1].shift()
        for after in steps[play is None : 2 if able else 1]:
            piles = (tuple(after.hidden.cards[pile]) for pile in (stock, waste))
            key = (*piles, after.board.redeals.get(0), bool(after.board.shifts))
            if key not in seen:
                seen.add(key)
                waiting.append(after)
                tops.update(after.hidden.cards[waste][-1:])
    return tops


@for_each("shift", ["any_time", "once_a_pass"])
@for_each("turned", [0, 1, 3])
@for_each("redeals", [0, 3])
def test_shifting_surfaces_what_it_can(shift: str, turned: int, redeals: int) -> None:
    """What turning and shifting bring up is what some row of turns and shifts brings up."""
    deck = ("2d 3d 4d 5d 6d" if shift == "any_time" else "2d 3d 4d 5d 6d 7d 8d").split()
    rules = rules_of(stock_shift=shift, redeals=redeals)
    position = build(rules, stock=" ".join(deck[turned:]), waste=" ".join(deck[:turned]))
    assert position.surfacing() == _tops(position)


# The plays that keep a hand alive, each alone.


def test_a_blocked_hand_is_dead() -> None:
    """Without any play left, there is no progress."""
    assert not _blocked(stock="2d 3d 4d 2h 3h 4h").can_progress()


def test_an_empty_hand_is_dead() -> None:
    """A player whose cards are all out has no play."""
    assert not build(rules_of()).can_progress()


def test_a_column_end_for_the_foundations() -> None:
    """(i) The last card of a column goes up."""
    assert _blocked("5s AS").can_progress()


@for_each(("stock", "progress"), [("AH 2d 3d", True), ("2d AH 3d", False), ("2d 3d AH", False)])
def test_a_surfacing_card_for_the_foundations(stock: str, progress: bool) -> None:
    """(i) A card of the stock goes up if turning brings it to the top."""
    assert progress == _blocked(stock=stock.lower()).can_progress()


@for_each(("stock", "progress"), [("8h 2d 3d", True), ("2d 8h 3d", False)])
def test_a_surfacing_card_for_a_column(stock: str, progress: bool) -> None:
    """(ii) A card that turning brings up continues a column."""
    assert progress == _blocked(stock=stock).can_progress()


@for_each(("stock", "progress"), [("kd 2d 3d", True), ("qd 2d 3d", False)])
def test_a_surfacing_king_for_a_space(stock: str, progress: bool) -> None:
    """(ii) A king that turning brings up fills a space; no other card does."""
    assert progress == _blocked("", stock=stock).can_progress()


def test_a_card_under_the_waste_that_never_surfaces() -> None:
    """(ii) A card that the threes always cover gives no play."""
    assert not _blocked(waste="2d 8h 3d", stock="").can_progress()


def test_a_column_move_that_uncovers() -> None:
    """(iii) A run that moves off a face-down card is a play."""
    assert _blocked("3d 8D").can_progress()


def test_a_column_move_that_frees_a_space() -> None:
    """(iii) A column that moves away whole leaves a space, and is a play."""
    assert _blocked("8D").can_progress()


def test_a_king_that_uncovers_by_going_to_a_space() -> None:
    """(iii) A king on face-down cards may go to a space, and uncovers."""
    assert _blocked("3d KS", "").can_progress()


def test_a_neutral_move_that_bares_a_card_for_the_foundations() -> None:
    """(iv) 2♠ goes from one red three to the other, and the bared 3♥ goes up."""
    assert _blocked("4h 3H 2S", "4d 3D", foundation=("AH 2H",)).can_progress()


def test_a_neutral_move_that_bares_a_card_for_the_waste() -> None:
    """(iv) 2♠ goes from one red three to the other, and the bared 3♥ takes 2♣ of the waste."""
    assert _blocked("4h 3H 2S", "4d 3D", waste="2C").can_progress()


def test_neutral_moves_alone_are_no_progress() -> None:
    """2♠ going to and fro between red threes brings nothing."""
    assert not _blocked("4h 3H 2S", "4d 3D").can_progress()


def test_a_king_going_from_space_to_space_is_no_progress() -> None:
    """A king's column that changes places with a space brings nothing."""
    assert not _blocked("KS", "").can_progress()


def test_what_lies_face_down_gives_no_play() -> None:
    """A hidden ace in a column that cannot be moved does not help."""
    assert not _blocked("ah JC").can_progress()


def test_others_may_help() -> None:
    """A dead player lives again when another's card comes to the foundations."""
    rules = rules_of("racing-demon", 2)
    before = build(rules, tableau=BLOCKED)
    after = build(rules, tableau=BLOCKED, foundation=("AC/1 2C/1 3C/1 4C/1 5C/1 6C/1",))
    assert (before.can_progress(), after.can_progress()) == (False, True)


# Other games.


def test_an_open_reserve_gives_plays() -> None:
    """The top of an open heap counts among the cards at hand."""
    rules = rules_of("demon-b")
    alive = build(rules, reserve="QH", foundation=("5D",), tableau=BLACK_ROW)
    dead = build(rules, reserve="9H", foundation=("5D",), tableau=BLACK_ROW)
    assert (alive.can_progress(), dead.can_progress()) == (True, False)


def test_a_hidden_reserve_gives_none() -> None:
    """The heap of Demon A is not available."""
    position = build(rules_of("demon-a"), reserve="QH", foundation=("5D",), tableau=BLACK_ROW)
    assert not position.can_progress()


def test_any_card_for_a_space_of_the_classic_game() -> None:
    """Where any card fills a space, a surfacing card always has a play."""
    position = build(rules_of("classic"), tableau=("", "9S", "9C", "7C"), stock="2d")
    assert position.can_progress()


def test_a_card_that_goes_to_a_space_and_back_is_no_progress() -> None:
    """Where any card fills a space, taking one apart and putting it together again brings nothing."""
    rules = rules_of("demon-b")
    assert not build(rules, foundation=("5D",), tableau=("9S 8H", "KS", "KC", "")).can_progress()


def test_freeing_a_space_after_a_neutral_move() -> None:
    """Where any card fills a space, what counts is one space more than before."""
    rules = rules_of("demon-b")
    assert build(rules, foundation=("5D",), tableau=("9S 8H", "9C", "7C", "")).can_progress()


def test_taking_back_keeps_a_hand_alive() -> None:
    """Alone, where cards may leave the foundations again, no hand is called dead."""
    assert build(rules_of(take_back="free"), tableau=BLOCKED).can_progress()


def test_taking_back_means_nothing_in_a_race() -> None:
    """Nothing leaves a shared foundation, so a race ends dead whatever the option says."""
    assert not build(rules_of(players=2, take_back="free"), tableau=BLOCKED).can_progress()


def test_a_chance_that_is_left_keeps_a_hand_alive() -> None:
    """Where Fooliana is lost, threes dealt in another order may help, and then that hand is not dead yet."""
    helped = 0
    for number in (5, 7, 29, 34):
        seed = subseed(bytes(32), str(number))
        plain, other = (Dealt(GAMES[name], seed) for name in ("fooliana", "fooliana-reorder"))
        while not plain.dealer.is_dead(plain.board, (0,)):
            play = _onward(plain)
            plain.play(play)
            other.play(play)
        assert not other.dealer.is_dead(other.board, (0,))
        for _ in range(60):
            play = _onward(other)
            if other.rules.is_irreversible(other.board, 0, play):
                helped += 1
                break
            other.play(play)
    assert helped == 4


def _onward(hand: Dealt) -> Play:
    """Return a play that leads on; where there is none, a card in another order, or else the next turn."""
    legal = list(hand.rules.legal_plays(hand.board, 0))
    led = [play for play in legal if hand.rules.is_irreversible(hand.board, 0, play)]
    held = [play for play in legal if hand.board.piles[play.destination].group == "held"]
    return (led or held or legal[-1:])[0]


@for_each("name", ["fooliana", "puzzle-all-piles", "gamblers"])
def test_nobody_knows_what_a_shuffle_brings(name: str) -> None:
    """Where a hand ends dead, it does not while its cards can be shuffled and dealt again."""
    options = Options(game=name, shuffle=True)
    plain, shuffled = (Dealt(game, bytes([2]) * 32) for game in (GAMES[name], declare(options, 1)))
    while not plain.dealer.is_dead(plain.board, (0,)):
        for _ in range(20):
            plain.play(_onward(plain))
            shuffled.play(_onward(shuffled))
    for _ in range(20):
        assert not shuffled.rules.is_out(shuffled.board, 0)
        assert not shuffled.dealer.is_dead(shuffled.board, (0,))
        shuffled.play(_onward(shuffled))


# The test against a search that makes real plays.


@for_each(
    ("options", "players"),
    [
        *(({"game": game}, 1) for game in RACES),
        *(({"game": game}, 2) for game in ("racing-demon", "classic", "demon-b")),
        ({"turn": 1}, 1),
        ({"redeals": 1}, 1),
        ({"tail_rule": "either2"}, 1),
        ({"turn": 2, "tail_rule": "either2"}, 1),
        ({"game": "fooliana", "redeals": 0}, 1),
        ({"game": "classic", "spaces": "reserve"}, 1),
        ({"game": "classic", "spaces": "at_once"}, 1),
        ({"redeals": 0, "stock_shift": "once_a_pass"}, 1),
    ],
    ids=str,
)
@more_when_long
def test_the_dead_hand_test_agrees_with_real_plays(options: dict[str, str], players: int) -> None:
    """At every step of a hand, progress is possible just if some row of real plays brings it."""
    rules = rules_of(**{"game": "racing-demon", "players": players, **options})  # type: ignore[arg-type]
    for seed in range(amount(1, 4)):
        rng = random.Random(seed)
        position = deal_seed(rules, bytes([seed]) * 32)
        dead: set[int] = set()
        while len(dead) < players:
            seat = rng.choice(rules.layout.seats)
            way = way_to_progress(position, seat)
            assert (way is not None) == position.can_progress(seat)
            dead = dead | {seat} if way is None else set()
            _follow(position, seat, [] if way is None else way, rng)


@for_each("game", RACES)
def test_progress_is_what_brings_the_end_nearer(game: str) -> None:
    """A move is called progress just if it lowers the measure of progress."""
    rules = rules_of(game)
    for seed in range(4):
        rng = random.Random(seed)
        position = deal_seed(rules, bytes([seed]) * 32)
        for _ in range(60):
            plays = position.plays()
            if not plays:
                break
            play = rng.choice(plays)
            expected, before = position.board.is_progress(play), distance(position, 0)
            if len(position.play(0, play)) == 1:
                assert expected == (distance(position, 0) < before)


def _follow(position: Position, seat: int, way: list[Play | None], rng: random.Random) -> None:
    """Make the plays of a way to progress; but any play that is progress at once, if there is one."""
    start = distance(position, seat)
    at_once = []
    for play in position.plays(seat):
        after = position.copy()
        after.play(seat, play)
        if distance(after, seat) < start:
            at_once.append(play)
    if at_once:
        way = [rng.choice(at_once)]
    for step in way:
        if step is None:
            position.shift(seat)
        else:
            position.play(seat, step)
