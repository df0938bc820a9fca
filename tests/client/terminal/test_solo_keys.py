"""Keys of a table of one's own: whatever is legal can be played with them."""

from collections.abc import Iterator

from racing_demon_client.shared.pile_names import addresses
from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.games import GAMES
from tests.support.solitaire import Alone, moments, table_of
from tests.support.typical import of_games

MAX_STOPS = 150


def ways(player: Alone, play: Play) -> Iterator[list[str]]:
    """Yield rows of keys that may make a play, the shortest first."""
    table, keymap = player.table, player.session.keymap
    labels = {
        pile: keymap.labels[name]
        for name, pile in addresses(table.rules, table.board, table.seat).items()
        if name in keymap.labels
    }
    source, destination = labels.get(play.source), labels.get(play.destination)
    yield ["space"]
    if (stock := walk(player, play.source, [])) is not None:
        yield [*stock, "enter"]
    if source and destination:
        yield [source, destination]
    if destination:
        yield [destination]
    if source:
        yield [source, source]
        yield [source, source.upper()]
        yield [source.upper()]
    player.model.selection.clear()
    if (there := walk(player, play.source, [])) is not None:
        held = [*there, *["up"] * (play.count + play.depth - 1), "enter"]
        if (aimed := walk(player, play.destination, held)) is not None:
            yield [*aimed, "enter"]


def walk(player: Alone, pile: int, keys: list[str]) -> list[str] | None:
    """Return keys that lead the cursor to a pile, after other keys; ``None`` where it never stops there."""
    player.model.selection.clear()
    for key in keys:
        player.press(key)
    walked = list(keys)
    for _ in range(MAX_STOPS):
        cursor = player.model.selection.cursor
        if cursor is not None and cursor.pile == pile:
            return walked
        player.press("right")
        walked.append("right")
    return None


def makes(player: Alone, keys: list[str], play: Play) -> bool:
    """Tell whether keys make a play, or its like: to a foundation that shows the same."""
    player.model.selection.clear()
    made = [player.press(key) for key in keys][-1] if all(map(player.session.keymap.action, keys)) else None
    if made is None:
        return False
    table = player.table
    try:
        resolved = table.rules.verify_play(table.board, table.seat, made)
    except IllegalPlay:
        return False
    piles = table.board.piles
    same = piles[resolved.destination].group == piles[play.destination].group
    return resolved == play or (
        resolved._replace(destination=play.destination) == play
        and same
        and table.board.cards[resolved.destination] == table.board.cards[play.destination]
    )


@of_games(GAMES)
def test_every_legal_play_has_keys(game: str) -> None:
    """At moments of random games: by letters, or else with the cursor; but from foundation to foundation."""
    for table in moments(game, 5, 24, 12):
        player = Alone(table)
        up = table.rules.layout.foundations
        legal = dict.fromkeys(table.rules.legal_plays(table.board, table.seat))
        for play in [p for p in legal if p.source not in up or p.destination not in up][:30]:
            assert any(makes(player, keys, play) for keys in ways(player, play)), play


def test_a_game_under_way_is_given_up_by_pressing_twice() -> None:
    """One press says what it would mean, and a second deals anew; before any play one is enough."""
    player = Alone(table_of("solitaire"))
    stock, waste = (player.table.rules.layout.seat_piles(0, kind)[0] for kind in (Kind.STOCK, Kind.WASTE))
    player.client.make(Play(stock, 1, waste))
    told = []
    for _ in range(3):
        player.session.run_action("solo-deal")
        told.append(player.model.selection.message(player.session.now())[0])
    assert told == ["This game is not over: F9 again gives it up.", "another deal", "another deal"]
