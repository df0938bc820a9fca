"""A player's hands: keys and pointer become plays."""

from hypothesis import given
from hypothesis import strategies as st

from racing_demon_client.shared.pile_names import addresses
from racing_demon_client.terminal.drawing.scene import CardRange
from racing_demon_client.terminal.style import UNICODE
from racing_demon_protocol.engine.board import FOUNDATIONS, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.enums import Phase
from tests.support.boards import Position, build, rules_of
from tests.support.cases import for_each
from tests.support.effort import examples
from tests.support.view_models import Player, klondike, message, positions

WASTE_KEY, TURN_KEY = ";", "space"


# Keys.


def test_pick_up_and_put_down() -> None:
    """The key of a column, then that of another: the run that fits goes there."""
    player = klondike("KS QH JS", "QD", "KD")
    assert player.type("a") == []
    assert CardRange(player.column(1), 3) == player.model.selection.held
    assert [Play(player.column(1), 1, player.column(2))] == player.type("s")
    assert player.model.selection.held is None
    assert message(player) == ""


def test_choices_that_find_nothing_rest() -> None:
    """After three keys pressed twice in a second for nothing, such choices rest for half a second."""
    player = Player.at_position(build(rules_of(players=2), tableau=("9S", "AD")))
    up = [Play(player.column(2), 1, FOUNDATIONS)]
    player.type("a a a a a a")
    assert player.type("s s") == []
    assert up == player.type("w"), "the way up is named, and free"
    player.now += 500
    assert up == player.type("s s")
    player.type("a a a a")
    player.now += 1_000
    player.type("a a")
    assert up == player.type("s s"), "these were three in more than a second"


def test_a_whole_run_is_picked_up_and_what_fits_is_put_down() -> None:
    """The run is as long as the rules let it be; the other column decides how much of it moves."""
    player = klondike("4c 9S 8H 7C", "9C", "8D", "")
    one = player.column(1)
    assert [Play(one, 2, player.column(2))] == player.type("a s")
    assert [Play(one, 1, player.column(3))] == player.type("a d")


def test_the_same_key_twice_is_the_best_play() -> None:
    """Up if it goes up, else where it helps; if nothing moves, that is said and nothing is held."""
    player = klondike("2H AS", "9S", "TH", "5C")
    assert [Play(player.column(1), 1, FOUNDATIONS)] == player.type("a a")
    assert [Play(player.column(2), 1, player.column(3))] == player.type("s s")
    assert player.type("f f") == []
    assert message(player) == "Nothing there can be played."
    assert player.model.selection.held is None


def test_a_key_of_the_upper_row_sends_up() -> None:
    """One press; what was held is put back."""
    player = klondike("AS", "9S", waste="AH")
    assert [Play(player.column(1), 1, FOUNDATIONS)] == player.type("s q")
    assert player.model.selection.held is None
    assert [Play(player.rules.layout.waste[0], 1, FOUNDATIONS)] == player.type("p")


def test_what_goes_up_is_sent_even_if_it_does_not_fit_now() -> None:
    """The foundations may have changed before it arrives, so only an empty pile is refused here."""
    player = klondike("9S", "")
    assert [Play(player.column(1), 1, FOUNDATIONS)] == player.type("q")
    assert player.type("w") == []
    assert player.model.selection.message(player.now) == ("There is no card there.", True)


def test_shift_means_a_single_card() -> None:
    """Where a whole run could go, only its last card does, and not where it does not fit."""
    rules = rules_of("classic")
    player = Player.at_position(build(rules, tableau=("9S 8H", "", "9C")))
    one, two, three = (player.column(number) for number in (1, 2, 3))
    assert [Play(one, 2, two)] == player.type("a s")
    assert [Play(one, 1, two)] == player.type("a S")
    assert [Play(one, 1, three)] == player.type("a D")
    player = klondike("KS QH", "")
    assert player.type("a S") == []
    assert message(player) == "That card cannot fill an empty column."


def test_the_key_of_a_space_asks_for_the_card_that_the_stock_has_for_it() -> None:
    """In Fooliana that is the bottom one, whose name nobody knows; with a card in hand it is refused."""
    position = build(
        rules_of("fooliana"), foundation=("5D",), stock="7s 8s 9s", tableau=("", "KS", "QC", "JS")
    )
    player = Player.at_position(position)
    stock = player.rules.layout.stock[0]
    assert [Play(stock, 1, player.column(1))] == player.type("a")
    assert player.type("s a") == []
    assert message(player) == "That card cannot fill an empty column."


def test_a_wrong_second_key_drops() -> None:
    """What does not fit is put back, with the rules' own reason; the next key picks up anew."""
    player = klondike("9S", "9H", "TD")
    assert player.type("a s") == []
    assert player.model.selection.held is None
    assert player.model.selection.message(player.now) == ("That card does not continue the column.", True)
    assert [Play(player.column(1), 1, player.column(3))] == player.type("a d")
    assert message(player) == ""


def test_drop_puts_back() -> None:
    """Both keys for it let go of what is held."""
    for key in ("x", "backspace"):
        player = klondike("9S", "9H")
        assert player.type(f"a {key}") == []
        assert player.model.selection.held is None


def test_nothing_to_pick_up() -> None:
    """An empty pile is told to be one."""
    player = klondike("", "9H")
    player.type("a")
    assert message(player) == "There is nothing to pick up."
    player.type(WASTE_KEY)
    assert player.model.selection.held is None


def test_turning() -> None:
    """Three cards, then what is left, then the waste over; with neither, that is said."""
    player = klondike(stock="2c 3c 4c 5c", waste="6C")
    stock, waste = player.rules.layout.stock[0], player.rules.layout.waste[0]
    for expected in [Play(stock, 3, waste), Play(stock, 1, waste), Play(waste, 5, stock)]:
        assert [expected] == player.type(TURN_KEY)
        player.chair.doubt(expected)
    player = klondike("9S")
    assert player.type(TURN_KEY) == []
    assert player.model.selection.message(player.now) == ("There is nothing left to turn.", True)


def test_turning_puts_back_what_is_held() -> None:
    """One hand turns, and it has to be free."""
    player = klondike("9S", stock="2c")
    player.type(f"a {TURN_KEY}")
    assert player.model.selection.held is None


def test_messages_fade() -> None:
    """A line stays four seconds, or until the next key."""
    player = klondike("")
    player.type("a")
    player.now += 3_999
    assert message(player)
    player.now += 1
    assert not message(player)
    player.type("a")
    player.type("x")
    assert not message(player)


def test_keys_go_on_from_plays_in_the_air() -> None:
    """The next card can be played before the server has answered for the one upon it."""
    player = klondike("8D 7S", "8H", "9S")
    play = player.type("a s")[0]
    player.chair.doubt(play)
    assert [Play(player.column(1), 1, player.column(3))] == player.type("a d")
    assert [Play(player.column(2), 2, player.column(3))] == player.type("s d")


def test_a_card_that_is_not_named_yet_may_be_sent() -> None:
    """What a play in the air uncovers is picked up blind, and the server decides."""
    player = klondike("5c AS", "6H")
    player.chair.doubt(Play(player.column(1), 1, FOUNDATIONS))
    assert [Play(player.column(1), 1, player.column(2))] == player.type("a s")


# The cursor.


def test_the_cursor_goes_round() -> None:
    """It begins at the first column; stock, waste and columns come in this order, and then again."""
    player = klondike("KS", waste="AH")
    hands, layout = player.model.selection, player.rules.layout
    player.type("right")
    assert CardRange(player.column(1), 1) == hands.cursor
    cursor_piles = []
    for _ in range(9):
        player.type("right")
        assert hands.cursor is not None
        cursor_piles.append(hands.cursor.pile)
    columns = layout.seat_piles(0, Kind.TABLEAU)
    assert [*columns[1:], layout.stock[0], layout.waste[0], columns[0]] == cursor_piles
    player.type("left")
    assert CardRange(layout.waste[0], 1) == hands.cursor


def test_the_cursor_takes_more_and_fewer() -> None:
    """From one card up to the longest run, and no further."""
    player = klondike("4c 9S 8H 7C")
    player.type("right")
    sizes = []
    for key in ("down", "up", "up", "up", "down"):
        player.type(key)
        assert player.model.selection.cursor is not None
        sizes.append(player.model.selection.cursor.count)
    assert sizes == [1, 2, 3, 3, 2]


def test_enter_at_the_cursor() -> None:
    """Pick up as many as the cursor means, put down, turn."""
    player = klondike("9S 8H", "9C", stock="2c")
    assert player.type("right enter") == []
    assert CardRange(player.column(1), 1) == player.model.selection.held
    assert [Play(player.column(1), 1, player.column(2))] == player.type("right enter")
    stock, waste = player.rules.layout.stock[0], player.rules.layout.waste[0]
    assert [Play(stock, 1, waste)] == player.type("left left left enter")
    assert [Play(player.column(1), 1, player.column(2))] == player.type("right right enter enter")


def test_enter_without_a_cursor_means_nothing_here() -> None:
    """The cursor has to be brought out first; and it is put away with the hand."""
    player = klondike("9S")
    assert player.type("enter") == []
    player.type("right")
    player.model.selection.clear()
    assert player.model.selection.cursor is None


# The pointer.


def test_so_many_cards_as_were_pointed_at() -> None:
    """A click into a run takes it from there; one below it takes no more than moves together."""
    player = klondike("KD 9S 8H 7C", "")
    one = player.column(1)
    for count, taken in [(1, 1), (2, 2), (4, 3)]:
        player.model.selection.choose(one, player.now, count=count)
        assert CardRange(one, taken) == player.model.selection.held
        player.model.selection.release()


def test_what_is_held_follows_the_pointer() -> None:
    """Only what is held can be dragged, and only until it is let go."""
    player = klondike("9S")
    hands = player.model.selection
    hands.drag(3, 4)
    assert hands.dragged is None
    player.type("a")
    hands.drag(3, 4)
    assert hands.dragged == (3, 4)
    hands.release()
    player.type("a")
    assert hands.dragged is None


def test_a_click_on_a_foundation_sends_up() -> None:
    """Wherever among the foundations a card is put down, the server finds its place."""
    player = klondike("AS", "AH")
    hands, one = player.model.selection, player.column(1)
    hands.choose(one, player.now)
    assert Play(one, 1, FOUNDATIONS) == hands.choose(player.rules.layout.foundations[2], player.now)
    assert Play(one, 1, FOUNDATIONS) == hands.send_up(one, player.now)


def test_other_players_piles_are_not_picked_up() -> None:
    """Nor is anything from foundations that others build on."""
    position = build(rules_of(players=2), foundation=("AS",), tableau=("9S",))
    position = build(position.rules, seat=1, tableau=("8H",), upon=position)
    player = Player.at_position(position)
    for pile in (0, player.rules.layout.seat_piles(1, Kind.TABLEAU)[0]):
        player.model.selection.choose(pile, player.now)
        assert player.model.selection.held is None
        assert message(player)


def test_a_card_is_taken_back_where_that_is_allowed() -> None:
    """Alone at a table with that option, the top of a foundation is picked up, and the cursor goes there."""
    rules = rules_of(take_back="free")
    player = Player.at_position(build(rules, foundation=("AS 2S",), tableau=("3H",)))
    player.model.selection.choose(0, player.now)
    assert Play(0, 1, player.column(1)) == player.model.selection.choose(player.column(1), player.now)
    assert [Play(0, 1, player.column(1))] == player.type("right left left left enter right right right enter")


# Who has no hands.


@for_each("phase", [Phase.COUNTDOWN, Phase.TALLY])
def test_nothing_is_played_outside_a_hand(phase: Phase) -> None:
    """Before the signal and after the end keys, Enter, the pointer's right button and hints do nothing."""
    player = klondike("AS", stock="2c")
    player.view.record = player.view.record._replace(phase=phase)
    assert player.type(f"a a q right enter {TURN_KEY}") == []
    assert player.model.selection.send_up(player.column(1), player.now) is None
    player.model.selection.hint(player.now, {}, UNICODE.card)
    assert (player.model.selection.held, player.model.selection.cursor, message(player)) == (None, None, "")


@for_each("seat", [None, 5])
def test_spectators_and_late_comers_have_no_hands(seat: int | None) -> None:
    """Who is not in the hand touches nothing."""
    player = klondike("AS", stock="2c")
    player.chair.seat = seat
    assert player.type(f"a a q right enter {TURN_KEY}") == []
    assert not player.model.selection.is_out()


# Against the rules.


def by_keys(player: Player, play: Play) -> list[Play]:
    """Bring the cursor to both ends of a play with the keys, and return what comes of it."""
    hands = player.model.selection
    hands.clear()
    player.type("right")
    for _ in player.board.piles:
        assert hands.cursor is not None
        if hands.cursor.pile == play.source:
            break
        player.type("right")
    player.type("up " * (play.count - 1) + "enter")
    for _ in player.board.piles:
        assert hands.cursor is not None
        if hands.cursor.pile == play.destination:
            break
        player.type("left")
    return player.type("enter")


@examples(60)
@given(positions(), st.data())
def test_every_legal_play_can_be_made(drawn: tuple[str, Position], data: st.DataObject) -> None:
    """By the cursor and by the pointer, whatever the rules allow is what is sent."""
    _, position = drawn
    seat = data.draw(st.sampled_from(position.rules.layout.seats))
    player = Player.at_position(position, seat)
    hands, board = player.model.selection, player.board
    for play in position.plays(seat):
        kinds = {board.piles[play.source].kind, board.piles[play.destination].kind}
        if Kind.STOCK in kinds:
            continue
        upward = Kind.FOUNDATION is board.piles[play.destination].kind
        meant = play._replace(destination=FOUNDATIONS) if upward else play
        hands.release()
        assert hands.choose(play.source, player.now, count=play.count) is None
        assert hands.choose(play.destination, player.now) == meant
        if upward:
            assert hands.send_up(play.source, player.now) == meant
        else:
            assert [play] == by_keys(player, play)
    turn = position.rules.stock_play(position.board, seat)
    may_turn = turn is not None and position.rules.can_play(position.board, seat, turn)
    assert ([turn] if may_turn else []) == player.type(TURN_KEY)


@examples(60)
@given(positions(), st.data())
def test_a_columns_own_keys_move_the_longest_run_that_fits(
    drawn: tuple[str, Position], data: st.DataObject
) -> None:
    """Two home keys make the legal play of most cards between two columns, if there is one."""
    _, position = drawn
    seat = data.draw(st.sampled_from(position.rules.layout.seats))
    player = Player.at_position(position, seat)
    columns = position.rules.layout.seat_piles(seat, Kind.TABLEAU)
    named = addresses(position.rules, position.board, seat)
    labels = {pile: player.keymap.labels[name] for name, pile in named.items()}
    for source in columns:
        for destination in columns:
            legal = [play for play in position.plays(seat) if (play[0], play[2]) == (source, destination)]
            if legal and not position.rules.can_play(position.board, seat, Play(source, 1, FOUNDATIONS)):
                player.model.selection.release()
                keys = f"{labels[source]} {labels[destination]}"
                assert [max(legal, key=lambda play: play.count)] == player.type(keys)


ACTIONS = ["left", "right", "more", "fewer", "turn", "drop", "waste", "waste-up", "reserve", "reserve-up"]
noise = st.one_of(
    st.sampled_from([*ACTIONS, "enter"]),
    st.builds("column-{}{}".format, st.integers(1, 9), st.sampled_from(["", "", "-up", "-one"])),
    st.tuples(st.integers(0, 80), st.one_of(st.none(), st.integers(1, 14))),
)


@examples(150)
@given(positions(), st.lists(noise, min_size=4, max_size=40))
def test_what_is_sent_is_legal(
    drawn: tuple[str, Position], presses: list[str | tuple[int, int | None]]
) -> None:
    """Of known cards only legal plays are sent, or ones to the foundations; and all from the seat's piles."""
    _, position = drawn
    player = Player.at_position(position)
    hands = player.model.selection
    for press in presses:
        board = hands.board()
        if isinstance(press, tuple):
            pile = press[0] % len(board.piles)
            play = hands.choose(pile, player.now, count=press[1])
        else:
            play = hands.use_cursor(player.now) if press == "enter" else hands.press(press, player.now)
        if play is None:
            continue
        assert hands.held is None
        taken = board.cards[play.source][-play.count :]
        assert 0 < play.count <= len(taken)
        assert board.piles[play.source].seat in {0, None}
        if play.destination != FOUNDATIONS and UNKNOWN not in taken:
            assert player.rules.can_play(board, 0, play)
        player.chair.doubt(play)
        player.now += 10
