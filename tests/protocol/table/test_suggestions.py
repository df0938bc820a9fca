"""What a player means, and what it leads to."""

import random

from hypothesis import assume, given
from hypothesis import strategies as st

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.table.suggestions import (
    best_play,
    fitting_count,
    longest_unit,
    opened_play,
    step_of,
    targets,
    with_plays,
)
from racing_demon_protocol.wire.messages.events import Played
from tests.support.boards import RACES, Position, build, rules_of
from tests.support.cases import for_each
from tests.support.effort import examples, usually
from tests.support.matches import log_of, options_of
from tests.support.tables import Own, Sitting
from tests.support.view_models import positions

FILLING = ("demon-a", "demon-b", "fooliana")
"""The games that fill spaces by themselves."""


def klondike(*tableau: str, foundation: tuple[str, ...] = (), stock: str = "", waste: str = "") -> Position:
    """Return a hand of one at Racing Demon."""
    return build(rules_of(), tableau=tableau, foundation=foundation, stock=stock, waste=waste)


def column(position: Position, number: int) -> int:
    """Return the pile of a column, from 1."""
    return position.rules.layout.seat_piles(0, Kind.TABLEAU)[number - 1]


# How many cards are meant.


def test_the_most_that_fit_are_meant() -> None:
    """Of a run the part that continues the other column moves."""
    position = klondike("KS QH JS TH", "QD", "KD", "")
    one, two, three, four = (column(position, number) for number in range(1, 5))
    counts = [fitting_count(position.rules, position.board, 0, one, pile) for pile in (two, three, four)]
    assert counts == [2, 1, 4]


def test_upwards_one_card_is_meant() -> None:
    """Cards go to the foundations one by one; from the waste there is but one."""
    position = klondike("2S AH", "3H", waste="2C 2D")
    waste = position.rules.layout.waste[0]
    assert fitting_count(position.rules, position.board, 0, column(position, 1), FOUNDATIONS) == 1
    assert fitting_count(position.rules, position.board, 0, waste, column(position, 2)) == 1


@examples(100)
@given(positions())
def test_no_more_cards_would_fit(drawn: tuple[str, Position]) -> None:
    """What is meant between two columns is the largest of the legal plays between them."""
    _, position = drawn
    for source in position.rules.layout.seat_piles(0, Kind.TABLEAU):
        for destination in position.rules.layout.seat_piles(0, Kind.TABLEAU):
            legal = [count for pile, count, to, _ in position.plays() if (pile, to) == (source, destination)]
            meant = fitting_count(position.rules, position.board, 0, source, destination)
            assert max(legal, default=1) == meant


@examples(100)
@given(positions())
def test_the_longest_unit_is_what_the_rules_let_move(drawn: tuple[str, Position]) -> None:
    """It is never more than lies face up there, and a run of the rules; nothing from an empty pile."""
    _, position = drawn
    rules, board = position.rules, position.board
    for pile in board.piles:
        longest = longest_unit(rules, board, pile.number)
        cards = board.cards[pile.number]
        assert (longest == 0) == (not cards)
        if pile.kind is not Kind.TABLEAU:
            assert longest <= 1
        elif longest > 1:
            assert UNKNOWN not in cards[-longest:]
            plays = [play.count for play in position.plays(pile.seat or 0) if play.source == pile.number]
            assert longest >= max(plays, default=0)


# The best play.


def test_up_is_best() -> None:
    """A card that fits a foundation goes there before it goes anywhere else."""
    position = klondike("2S", "3H", foundation=("AS",))
    play = best_play(position.rules, position.board, 0, column(position, 1))
    assert Play(column(position, 1), 1, 0) == play


def test_uncovering_is_better_than_shifting() -> None:
    """What turns a card up, or gains a space, comes before what only moves."""
    position = klondike("4d 9S 8H", "9C", "KS")
    one, two = column(position, 1), column(position, 2)
    assert Play(one, 1, two) == best_play(position.rules, position.board, 0, one)
    position = klondike("4d 8H", "9C", "9S")
    play = best_play(position.rules, position.board, 0, column(position, 1))
    assert play is not None
    assert position.board.is_progress(play)


def test_a_column_with_cards_is_better_than_an_empty_one() -> None:
    """Where any card may fill a space, a run still goes to a column that it continues."""
    rules = rules_of("classic")
    position = build(rules, tableau=("9S 8H", "", "9C"))
    one, three = column(position, 1), column(position, 3)
    assert Play(one, 1, three) == best_play(rules, position.board, 0, one)


def test_a_king_does_not_wander() -> None:
    """A whole column stays, where there are only spaces to go to; upon hidden cards it goes."""
    position = klondike("KS QH", "", "5c KD")
    assert best_play(position.rules, position.board, 0, column(position, 1)) is None
    assert best_play(position.rules, position.board, 0, column(position, 3)) is not None


def test_the_only_step_may_be_named_from_either_end() -> None:
    """The card in the hand goes to its packet and the packet's top to the hand, whichever is named first."""
    sitting = Sitting.playing(1, game="clock")
    rules, board = sitting.rules, sitting.board
    (step,) = rules.legal_plays(board, 0)
    hand, packet = step.destination, step.source
    other = next(pile for pile in rules.layout.group_piles(0, "packet") if pile != packet)
    assert [step, step] == [step_of(rules, board, 0, *ends) for ends in ((hand, packet), (packet, hand))]
    assert [step, step] == [best_play(rules, board, 0, pile) for pile in (hand, packet)]
    assert [step_of(rules, board, 0, hand, other), best_play(rules, board, 0, other)] == [None, None]


def test_a_column_is_not_moved_by_the_card_that_it_would_take() -> None:
    """In a building game what is picked up first is what moves, even if nothing else can be played."""
    position = klondike("9S", "8D")
    one, two = column(position, 1), column(position, 2)
    assert [Play(two, 1, one)] == list(position.rules.legal_plays(position.board, 0))
    assert step_of(position.rules, position.board, 0, one, two) is None


def test_the_waste_is_not_turned_over_by_its_best_play() -> None:
    """Who asks for the best play of the waste's card means that card, also when the stock is empty."""
    position = klondike("KS", waste="4C 5C 9D")
    play = best_play(position.rules, position.board, 0, position.rules.layout.waste[0])
    assert play is None or play.destination != position.rules.layout.stock[0]


@examples(200)
@given(positions())
def test_best_plays_are_legal_and_as_good_as_any(drawn: tuple[str, Position]) -> None:
    """A best play is one of the rules' own; up, and what makes progress, comes first; nothing wanders."""
    _, position = drawn
    rules, board = position.rules, position.board
    for seat in rules.layout.seats:
        plays = position.plays(seat)
        for source in {play.source for play in plays}:
            own = [play for play in plays if play.source == source]
            best = best_play(rules, board, seat, source)
            if best is None:
                assert not any(map(board.is_progress, own))
                continue
            assert best in own
            ups = [play for play in own if board.piles[play.destination].kind is Kind.FOUNDATION]
            assert not ups or best in ups
            assert board.is_progress(best) == any(map(board.is_progress, ups or own))
            assert not wanders(board, best)


def wanders(board: Board, play: Play) -> bool:
    """Tell whether a whole column would go to an empty one."""
    kinds = {board.piles[play.source].kind, board.piles[play.destination].kind}
    whole = play.count == len(board.cards[play.source])
    return kinds == {Kind.TABLEAU} and whole and not board.cards[play.destination]


@examples(100)
@given(positions())
def test_targets_are_where_the_rules_let_it_go(drawn: tuple[str, Position]) -> None:
    """All piles that a legal play leads to are targets, and no others."""
    _, position = drawn
    for pile in position.board.piles:
        expected = {play.destination for play in position.plays() if play.source == pile.number}
        assert expected == targets(position.rules, position.board, 0, pile.number)


# Plays in the air.


def test_without_plays_the_board_is_as_it_is() -> None:
    """Nothing in the air is the board itself."""
    position = klondike("KS")
    ahead, air = with_plays(position.rules, position.board, 0, [])
    assert ahead is position.board
    assert air == {}


def test_a_play_in_the_air_has_landed() -> None:
    """The card lies where it goes, and what it uncovers is not known yet."""
    position = klondike("5c AH", "2S")
    one = column(position, 1)
    ahead, air = with_plays(position.rules, position.board, 0, [Play(one, 1, FOUNDATIONS)])
    assert (position.board.cards[one][-1],) == ahead.cards[0]
    assert ahead.cards[one] == (UNKNOWN,)
    assert {0: 1, one: 0} == air


def test_plays_follow_each_other() -> None:
    """A second play sees what the first one did; cards in the air may move on."""
    position = klondike("5c 2H", "3S", "AH", "4D")
    one, two, three, four = (column(position, number) for number in range(1, 5))
    plays = [Play(one, 1, two), Play(two, 2, four), Play(three, 1, FOUNDATIONS), Play(four, 1, FOUNDATIONS)]
    ahead, air = with_plays(position.rules, position.board, 0, plays)
    assert [len(ahead.cards[pile]) for pile in (0, two, four)] == [2, 0, 2]
    assert {0: 2, four: 1} == {pile: count for pile, count in air.items() if count}


def test_a_play_that_is_not_legal_is_left_out() -> None:
    """Another player's card came first, or there is no such pile: the others are carried out all the same."""
    position = klondike("2H", "AS", foundation=("", "", "AH 2H/1"))
    one, two = column(position, 1), column(position, 2)
    plays = [Play(one, 1, 2), Play(99, 1, two), Play(-1, 1, two), Play(one, 1, 99), Play(two, 1, FOUNDATIONS)]
    ahead, air = with_plays(position.rules, position.board, 0, plays)
    assert [len(ahead.cards[pile]) for pile in (one, two)] == [1, 0]
    assert {0: 1, two: 0} == air


@for_each("destination", [FOUNDATIONS, 1, 12])
def test_a_card_of_the_waste_that_is_not_known_is_left_out(destination: int) -> None:
    """What was just turned, and not named yet, may be any card: it goes nowhere before it is told."""
    position = klondike("KS", foundation=(" ".join(f"{rank}D" for rank in "A23456789TJQ"),), stock="2c 3c 4c")
    stock, waste = position.rules.layout.stock[0], position.rules.layout.waste[0]
    assert not position.board.cards[12]
    plays = [Play(stock, 3, waste), Play(waste, 1, 0 if destination == 1 else destination)]
    ahead, _ = with_plays(position.rules, position.board, 0, plays)
    assert len(ahead.cards[waste]) == 3


def test_a_face_down_card_is_left_out() -> None:
    """What a play in the air uncovers can be sent, and is not drawn elsewhere."""
    position = klondike("5c AH", "6D")
    one, two = column(position, 1), column(position, 2)
    ahead, _ = with_plays(position.rules, position.board, 0, [Play(one, 1, FOUNDATIONS), Play(one, 1, two)])
    assert ahead.cards[one] == (UNKNOWN,)


def test_nothing_lands_on_a_card_that_is_not_known() -> None:
    """What a play in the air uncovers may be any card, and so takes none yet: not even a black queen."""
    position = klondike("5c AH", "QS")
    one, two = column(position, 1), column(position, 2)
    ahead, _ = with_plays(position.rules, position.board, 0, [Play(one, 1, FOUNDATIONS), Play(two, 1, one)])
    assert ahead.cards[one] == (UNKNOWN,)
    assert len(ahead.cards[two]) == 1


def test_the_reserve_fills_a_space_in_the_air() -> None:
    """Where the game fills a space at once, a play that makes one is foreseen with its filling."""
    position = build(rules_of("demon-b"), tableau=("9S", "TH", "4C", "4D"), reserve="2c 6D", stock="3c")
    one, two = column(position, 1), column(position, 2)
    ahead, _ = with_plays(position.rules, position.board, 0, [Play(one, 1, two)])
    assert position.board.cards[one] != ahead.cards[one]
    assert [len(ahead.cards[pile]) for pile in (one, two)] == [1, 2]


def test_turning_twice_in_the_air() -> None:
    """Stock and waste are turned, and turned over, as often as was asked for."""
    position = klondike("KS", stock="2c 3c 4c 5c", waste="6c")
    stock, waste = position.rules.layout.stock[0], position.rules.layout.waste[0]
    plays = [Play(stock, 3, waste), Play(stock, 1, waste), Play(waste, 5, stock)]
    ahead, air = with_plays(position.rules, position.board, 0, plays)
    assert (len(ahead.cards[stock]), len(ahead.cards[waste])) == (5, 0)
    assert ahead.redeals == {0: 1}
    assert {stock: 5, waste: 0} == air


games = st.sampled_from([*RACES, "racing-demon"]).flatmap(
    lambda game: st.fixed_dictionaries(
        {"game": st.just(game)},
        optional={"turn": st.integers(1, 3), "redeals": st.integers(0, 2), "waste_view": st.integers(1, 3)},
    )
)


@examples(60)
@given(
    games.filter(lambda options: options["game"] not in FILLING),
    st.integers(0, 50),
    st.randoms(use_true_random=False),
)
def test_what_is_foreseen_comes_true(options: dict[str, object], before: int, rng: random.Random) -> None:
    """After the server's events the board is the one foreseen, where that one knew the cards."""
    foresee(options, before, rng)


@examples(60)
@given(
    games.filter(lambda options: options["game"] in FILLING),
    st.integers(0, 50),
    st.randoms(use_true_random=False),
)
def test_what_is_foreseen_comes_true_where_spaces_fill_themselves(
    options: dict[str, object], before: int, rng: random.Random
) -> None:
    """The same where the reserve fills a space at once."""
    foresee(options, before, rng)


def foresee(options: dict[str, object], before: int, rng: random.Random) -> None:
    """Play on, put some plays into the air, let the server judge them, and compare."""
    sitting = Sitting.playing(2, bytes([rng.randrange(256)]) * 32, **options)
    for _ in range(before):
        seat = rng.choice((0, 1))
        plays = sitting.plays(seat)
        assume(plays and sitting.mirror.in_hand)
        source, count, destination, _ = rng.choice(plays)
        sitting.play(seat, source, destination, count)
    assert sitting.mirror.board is not None
    rules, board = sitting.rules, sitting.mirror.board
    was, flying = board.copy(), air_plays(rules, board, rng)
    ahead, air = with_plays(rules, board, 0, flying)
    assert was == board
    assert all(0 <= count <= len(ahead.cards[pile]) for pile, count in air.items())
    for source, count, destination, _ in flying:
        assume(sitting.mirror.in_hand)
        sitting.play(0, source, destination, count)
    assume(sitting.mirror.in_hand)
    assert ahead.redeals == board.redeals
    for pile in board.piles:
        foreseen, real = ahead.cards[pile.number], board.cards[pile.number]
        assert len(foreseen) == len(real), pile
        assert all(one in {UNKNOWN, other} for one, other in zip(foreseen, real, strict=True)), pile


def air_plays(rules: Rules, board: Board, rng: random.Random) -> list[Play]:
    """Return some plays, each legal after those before it as far as one can know."""
    flying: list[Play] = []
    for _ in range(rng.randint(1, 5)):
        ahead, _ = with_plays(rules, board, 0, flying)
        plays = [play for play in rules.legal_plays(ahead, 0) if is_told(ahead, play)]
        if not plays:
            break
        play = rng.choice(plays)
        if board.piles[play.destination].kind is Kind.FOUNDATION and rng.random() < 0.5:
            play = play._replace(destination=FOUNDATIONS)
        flying.append(play)
    return flying


def is_told(board: Board, play: Play) -> bool:
    """Tell whether the card is known that a play lays its cards upon; on stock and waste it may be any."""
    piled = board.piles[play.destination].kind in {Kind.STOCK, Kind.WASTE}
    return piled or board.top(play.destination) != UNKNOWN


def test_a_race_that_is_lost_is_not_foreseen_any_more() -> None:
    """As soon as the other's card lies there, the player's own is drawn where it was."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS"], Own(tableau=["2S"]), Own(tableau=["2S/1"]))
    own = Play(sitting.column(0), 1, FOUNDATIONS)
    assert sitting.mirror.board is not None
    ahead, _ = with_plays(sitting.rules, sitting.mirror.board, 0, [own])
    assert not ahead.cards[own.source]
    sitting.play(1, sitting.column(1))
    ahead, air = with_plays(sitting.rules, sitting.mirror.board, 0, [own])
    assert ahead is sitting.mirror.board
    assert air == {}


def test_a_run_that_is_meant_goes_before_its_top_card() -> None:
    """Where a player points at a run, all of it goes, though its top card alone would fit a foundation."""
    position = klondike("8S 7H", "9D", foundation=("AH 2H 3H 4H 5H 6H",))
    one, two = column(position, 1), column(position, 2)
    rules, board = position.rules, position.board
    assert Play(one, 2, two) == best_play(rules, board, 0, one, 2)
    assert Play(one, 1, 0) == best_play(rules, board, 0, one)


@for_each("name", usually(1, ["shouted", "racing-demon", "eight"]))
def test_what_others_open_is_what_could_not_go_up_before(name: str) -> None:
    """After every play of a match, for every other seat, as all legal plays before and after say."""
    view = TableState("SIM", options_of(name))
    opened = 0
    for event in log_of(name):
        before = view.board and view.board.copy()
        view.apply(event)
        if not isinstance(event, Played) or before is None or view.hand is None:
            continue
        rules, board = view.hand.rules, view.hand.board
        for seat in set(view.hand_seats) - {event.seat}:
            new = _up(rules, board, seat) - _up(rules, before, seat)
            play = opened_play(rules, board, seat, [event.destination])
            assert (play.source in new) if play else not new
            opened += play is not None
    assert opened > 0


def _up(rules: Rules, board: Board, seat: int) -> set[int]:
    """Return the piles whose top card can go to the foundations."""
    plays = rules.legal_plays(board, seat)
    return {play.source for play in plays if board.piles[play.destination].kind is Kind.FOUNDATION}
