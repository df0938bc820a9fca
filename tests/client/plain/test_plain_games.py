"""Every game in plain text, alone and at a table: what can be played can be typed, and the table be read."""

import io
import random

import pytest

from racing_demon_client.plain import render
from racing_demon_client.plain.commands import ParseError, parse_command, parse_play
from racing_demon_client.plain.solo import play_alone
from racing_demon_client.shared.pile_names import LETTERS, pile_labels, piles_by_label
from racing_demon_client.shared.table_view import TableView
from racing_demon_client.sources.solo import SoloClient
from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import SUIT_LETTERS, suit
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Game, Racing
from racing_demon_protocol.games import GAMES
from tests.support.cases import for_each
from tests.support.dealt_hands import Dealt, random_hands
from tests.support.solitaire import NOWHERE, table_of
from tests.support.solo import chance_game
from tests.support.tables import Sitting
from tests.support.typical import of_games

every_game = of_games(GAMES.values())


def _line(rules: Rules, board: Board, seat: int, play: Play) -> str:
    """Return what a player would type for a play."""
    words, piles = pile_labels(rules, board, seat), board.piles
    if piles[play.source].kind is Kind.FOUNDATION:
        source = f"f{SUIT_LETTERS[suit(board.cards[play.source][-1])]}"
    else:
        source = words[play.source]
    up = piles[play.destination].kind is Kind.FOUNDATION
    if not up and play.destination not in words:  # where just one pile's card goes
        return f"{source} *"
    target = words.get(play.destination, "up")
    buried = f"/{play.depth}" if play.depth else ""
    moves_tails = piles[play.source].kind is Kind.TABLEAU and not play.depth and not up
    return f"{source}{buried} {target}" + (f" {play.count}" if moves_tails else "")


@every_game
def test_every_play_can_be_typed(game: Game) -> None:
    """On positions of chance games every legal play has a line that means it, or it is what ``t`` does."""
    seats = (0, 1) if game.racing is Racing.TOGETHER else (0,)
    hand, rng = next(random_hands(game, 1, seats=seats))
    seen = 0
    for step, _ in enumerate(chance_game(hand, rng, 90)):
        if step % 5:
            continue
        for seat, play in hand.plays():
            if play == hand.rules.stock_play(hand.board, seat):
                continue
            line = _line(hand.rules, hand.board, seat, play)
            assert parse_command(line) is None
            read = parse_play(line, hand.rules, hand.board, seat)
            assert (play.source, play.depth) == (read.source, read.depth), line
            meant = hand.rules.verify_play(hand.board, seat, read)
            assert hand.board.piles[meant.destination].group == hand.board.piles[play.destination].group
            seen += 1
    assert seen or game.skill < 2


@of_games(game for game in GAMES.values() if game.racing is not Racing.SOLO)
def test_the_table_can_be_read(game: Game) -> None:
    """Each pile that has a word is shown with it, and there is one line of one's own points."""
    sitting = Sitting.playing(2, game=game.name)
    lines = render.table(TableView.of(sitting.mirror, 0))
    text = "\n".join(lines)
    assert any(line.strip() for line in lines)
    if "0" in piles_by_label(sitting.rules, sitting.board, 0) and "stock (" not in text:
        for word in piles_by_label(sitting.rules, sitting.board, 0):
            assert f" {word} " in f"{text} ".replace("\n", " "), word
    assert len([line for line in lines if line.strip().startswith("you ")]) == 1
    assert render.table(TableView.of(sitting.mirror, None))


@of_games(game for game in GAMES.values() if game.racing is Racing.IDENTICAL)
def test_nobody_else_s_foundations_are_shown(game: Game) -> None:
    """On identical deals the table shows one's own foundations, whatever lies on the others'."""
    hand = Dealt(game, seats=(0, 1))
    own = render.all_piles(hand.rules, hand.board, 0), render.foundations(hand.rules, hand.board, 0)
    for pile in hand.rules.layout.piles:
        if pile.seat == 1:
            hand.board.cards[pile.number] = (52,)
    assert own == (render.all_piles(hand.rules, hand.board, 0), render.foundations(hand.rules, hand.board, 0))


def test_there_are_words_for_all_piles() -> None:
    """No game has more piles than there are words, and no two piles have the same."""
    assert len(set(LETTERS)) == len(LETTERS)
    for game in GAMES.values():
        hand = Dealt(game, seats=(0, 1) if game.racing is Racing.TOGETHER else (0,))
        words = piles_by_label(hand.rules, hand.board, 0)
        assert len(set(words.values())) == len(words)
    weavers = Dealt(GAMES["weavers"])
    words = piles_by_label(weavers.rules, weavers.board, 0)
    assert [words[rank] for rank in "a23456789tjq"] == list(weavers.rules.layout.group_piles(0, "packet"))
    blockade = Dealt(GAMES["blockade"])
    assert "bf" in piles_by_label(blockade.rules, blockade.board, 0)


@for_each(
    ("game", "line", "complaint"),
    [
        ("sultan", "zz 1", "'zz' is not known here: there are piles a to i, and foundations 1 to 9."),
        ("flower-garden", "w a", "'w' will not do|This game has no waste"),
        ("beleaguered-castle", "w 1", "This game has no waste"),
        ("sultan", "w 2", "The waste is called a here."),
        ("weavers", "z up", "'z' is not known here: there are piles a 2 3 4 5 6 7 8 9 t j q b c."),
        ("solitaire", "a/x up", "'x' is not known here"),
    ],
)
def test_what_names_no_pile(game: str, line: str, complaint: str) -> None:
    """A word for what a game does not have gets a sentence, never a traceback."""
    hand = Dealt(GAMES[game])
    with pytest.raises(ParseError, match=complaint):
        parse_play(line, hand.rules, hand.board, 0)


def test_a_letter_that_is_a_verb_too() -> None:
    """``b`` alone shows the table; with a pile behind it, it is a pile."""
    assert parse_command("b c") is None
    assert parse_command("b") is not None
    assert parse_command("bot hard") is not None


def test_any_words_are_a_play_or_unclear() -> None:
    """Whatever is typed at whatever game, it is a play or gets a sentence."""
    rng = random.Random(5)
    words = [
        "a",
        "b",
        "Z",
        "aa",
        "0",
        "1",
        "9",
        "w",
        "r",
        "f",
        "fs",
        "f1",
        "up",
        "out",
        "*",
        "a/1",
        "/",
        "-",
        "¿",
    ]
    for game in GAMES.values():
        hand = Dealt(game, seats=(0, 1) if game.racing is Racing.TOGETHER else (0,))
        for _ in range(40):
            line = " ".join(rng.choice(words) for _ in range(rng.randint(1, 4)))
            try:
                play = parse_play(line, hand.rules, hand.board, 0)
            except ParseError:
                continue
            hand.rules.can_play(hand.board, 0, play)


class HintTaker(io.StringIO):
    """Somebody who plays alone by chance, asks for a hint now and then, and types it as it is told.

    Attributes:
        taken: the hints that were carried out.

    """

    def __init__(self, client: SoloClient) -> None:
        super().__init__()
        self._client = client
        self._rng = random.Random(client.table.rules.game.name)
        self._asked: int | None = None
        self._told: list[str] = []
        self.taken: list[str] = []

    def hear(self, line: str) -> None:
        """Take a line that the game says."""
        self._told.append(line)

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]  # of bytes, says one base
        """Type a line: ``hint``, what that said, or the end."""
        table = self._client.table
        if self._asked is None:
            for _ in range(3 if self.taken else 0):
                plays = list(table.rules.legal_plays(table.board, table.seat))
                if plays and not table.is_over:
                    self._client.make(self._rng.choice(plays))
            if table.is_over or len(self.taken) == 8:
                return "q\n"
            self._asked = table.plays
            self._told.clear()
            return "hint\n"
        if len(self._told) == 1:
            (hint,) = self._told
            if hint == "Nothing helps: stuck.":
                return "q\n"
            self._told.append(hint)
            return f"{hint}\n"
        assert table.plays > self._asked, self._told
        self.taken.append(self._told[0])
        self._asked = None
        return "\n"


@pytest.mark.long
@every_game
async def test_every_hint_can_be_typed(game: Game) -> None:
    """On positions of chance games a hint that is typed as it was told is carried out."""
    ticks = iter(range(10**9))
    client = SoloClient(table_of(game.name), lambda: next(ticks), NOWHERE)
    typist = HintTaker(client)
    await play_alone(client, typist.hear, typist)
    assert typist.taken or game.skill < 2
