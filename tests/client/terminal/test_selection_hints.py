"""What hands show of their own accord: hints, where cards fit, and who is out."""

from racing_demon_client.sources.solo_table import SoloTable
from racing_demon_client.terminal.style import UNICODE
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.wire.options import Options
from tests.support.boards import build, rules_of
from tests.support.cases import for_each
from tests.support.solitaire import Alone
from tests.support.tables import Own, Sitting
from tests.support.view_models import Player, klondike, message

WASTE_KEY, TURN_KEY = ";", "space"


def _plays(table: SoloTable) -> list[Play]:
    return list(table.rules.legal_plays(table.board, table.seat))


def hint(player: Player | Alone) -> None:
    """Ask for a hint."""
    labels = player.keymap.labels if isinstance(player, Player) else player.session.keymap.labels
    player.model.selection.hint(player.now, labels, UNICODE.card)


def test_a_hint_names_the_card_and_the_keys() -> None:
    """A move between columns is told by both cards and both keys, one to an empty column by that.

    Where cards have no keys, as at the tally, it is told without.
    """
    player = klondike("2d 9S", "TH", hints=True)
    hint(player)
    assert message(player) == "9♠ to T♥: a s"
    player = klondike("2d KS", "", hints=True)
    hint(player)
    assert message(player) == "K♠ to an empty column: a s"
    player = klondike("9S", waste="2C 8H", hints=True)
    hint(player)
    assert message(player) == "8♥ to 9♠: ; a"


def test_hints_are_for_tables_that_allow_them() -> None:
    """Elsewhere asking is answered, and nothing is shown."""
    player = klondike("AS", "9S", "TH")
    hint(player)
    assert message(player) == "This table plays without hints."
    player.type("s")
    assert frozenset() == player.model.selection.fits()


def test_a_hint_shows_a_play_that_helps() -> None:
    """Both ends of a legal play are marked until the next key."""
    player = klondike("AS", hints=True)
    hint(player)
    assert {player.column(1), 0} == player.model.selection.fits()
    assert message(player) == "A♠ up: q"
    player.model.selection.hint(player.now, {}, UNICODE.card_text)
    assert message(player) == "A♠ up."
    player.type("x")
    assert frozenset() == player.model.selection.fits()


def test_a_hint_to_turn_or_to_give_up() -> None:
    """Without a play the stock is pointed at; without any, saying so is."""
    player = klondike("9S", stock="2c", hints=True)
    hint(player)
    assert ("Turn the stock: space", player.rules.layout.stock[0] in player.model.selection.fits()) == (
        message(player),
        True,
    )
    player = klondike("9S", hints=True)
    hint(player)
    assert message(player) == "Nothing helps: stuck."


def test_a_hint_looks_a_neutral_move_ahead() -> None:
    """A card that can go up once another has changed its place is found."""
    player = klondike("AS 8H", "9C", hints=True)
    hint(player)
    assert message(player) == "8♥ to 9♣: a s"


@for_each("turn", [1, 3])
def test_a_stock_that_was_turned_in_vain_is_not_pointed_at(turn: int) -> None:
    """After a whole pass without a play that helps, a hint says so, and no sooner."""
    sitting = Sitting.playing(2, hints=True, turn=turn)
    sitting.lay((), Own(["9S"], stock="3C 5C 7C 9C JC", waste="QC"), Own(["AS"]))
    player = Player(sitting.mirror)
    player.hear(sitting.mirror.snapshot(0))
    told = []
    for _ in range(2 * 5):
        hint(player)
        told.append(message(player).split(":")[0])
        for event in sitting.turn(0):
            player.model.observe(event, player.now)
    vain = -(-5 // turn) + 1 + -(-6 // turn)
    assert [*["Turn the stock"] * vain, *["Nothing helps"] * (10 - vain)][: len(told)] == told


def test_another_s_play_makes_turning_worth_it_again() -> None:
    """Where a foundation has grown, a card that was turned past may go up."""
    sitting = Sitting.playing(2, hints=True, turn=1)
    sitting.lay((), Own(["9S"], stock="2S 5C"), Own(["AS", "9D"]))
    player = Player(sitting.mirror)
    player.hear(sitting.mirror.snapshot(0))
    for _ in range(2):
        for event in sitting.turn(0):
            player.model.observe(event, player.now)
    hint(player)
    assert message(player) == "Nothing helps: stuck (v)"
    for event in sitting.play(1, sitting.column(1)):
        player.model.observe(event, player.now)
    hint(player)
    assert message(player) == "2♠ up: p"


def test_a_hint_where_no_play_leads_to_the_foundations() -> None:
    """In a game without a stock any play is better than none."""
    options = Options(game="beleaguered-castle", hints=True)
    tables = (SoloTable(options, bytes([number]) * 32, "Ann") for number in range(99))
    table = next(each for each in tables if not any(map(each.board.is_progress, _plays(each))))
    plays, player = _plays(table), Alone(table)
    hint(player)
    assert player.model.selection.fits() in [{play.source, play.destination} for play in plays]


def test_what_is_held_shows_where_it_fits() -> None:
    """Where hints are allowed, all piles that take something of it."""
    player = klondike("AS", "2H", "2D", "9C", hints=True)
    player.type("a")
    assert {0, player.column(2), player.column(3)} == player.model.selection.fits()


def test_who_is_out_is_told() -> None:
    """Only where it must be called, and only when nothing is left."""
    player = klondike()
    assert not player.model.selection.is_out()
    position = build(rules_of())
    assert Player.at_position(position, call_out="shout").model.selection.is_out()
    assert not klondike("AS").model.selection.is_out()
