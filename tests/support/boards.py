"""Hands to test with: stacked decks, hand-built boards, and plays without a server.

A card in small letters lies face down: ``"5c KH"`` is a king upon a five that only the dealer knows.
"""

from collections.abc import Sequence

from racing_demon_protocol.engine.board import Board, CardRef, Kind, Pile, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card, name, parse
from racing_demon_protocol.engine.deal import decks
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.rules.dead_hand import columns_can_progress, turnable_cards
from racing_demon_protocol.engine.sliced_search import SlicedSearch
from racing_demon_protocol.engine.specification import Stock
from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.options import Options
from tests.support.moves import Move, carried

RACES = ("racing-demon", "classic", "demon-a", "demon-b", "fooliana")
"""The games that are raced with a pack each: what the server's and the clients' tests play."""


def rules_of(game: str = "racing-demon", players: int = 1, **options: object) -> Rules:
    """Return the rules of a game for the first seats of a table."""
    asked = Options.model_validate({"game": game, **options})
    return make_rules(declare(asked, players), range(players))


def cards(text: str, pack: int = 0) -> tuple[Card, ...]:
    """Return the cards of a text like ``"AH 10C 4D/1"``; a number behind a stroke names the pack."""
    return tuple(_parse(word, pack) for word in text.split())


def names(numbers: Sequence[Card]) -> str:
    """Return cards as a text that :func:`cards` reads."""
    return " ".join(name(card, ascii_only=True) for card in numbers)


def stack(text: str, pack: int = 0) -> list[Card]:
    """Return a deck that begins with these cards; all others follow in their order."""
    first = cards(text, pack)
    chosen = set(first)
    rest = [card for card in range(pack * PACK_SIZE, (pack + 1) * PACK_SIZE) if card not in chosen]
    return [*first, *rest]


class Position:
    """A hand in the middle: its rules, what everybody sees of it, and all its cards.

    Attributes:
        rules: the rules of the hand.
        board: the public board.
        hidden: the same with all cards face up.

    """

    def __init__(self, rules: Rules, board: Board, hidden: Board) -> None:
        self.rules = rules
        self.board = board
        self.hidden = hidden

    def copy(self) -> "Position":
        """Return the same position, to be played on its own."""
        return Position(self.rules, self.board.copy(), self.hidden.copy())

    def plays(self, seat: int = 0) -> list[Play]:
        """Return a seat's legal plays."""
        return list(self.rules.legal_plays(self.board, seat))

    def play(self, seat: int, play: Play) -> list[Move]:
        """Make a legal play, and those that the game makes by itself after it."""
        moves: list[Move] = []
        due: Play | None = self.rules.verify_play(self.board, seat, play)
        while due is not None:
            moves.append(carried(self.rules, self.board, due, self._name))
            due = self.rules.automatic_play(self.board, seat)
        return moves

    def shift(self, seat: int = 0) -> None:
        """Move the top card of a seat's stock to the bottom."""
        self.rules.verify_shift(self.board, seat)
        for board in (self.board, self.hidden):
            board.shift(self.rules.layout.stock[seat])

    def surfacing(self, seat: int = 0) -> set[Card]:
        """Return the cards that a seat can surface by turning alone."""
        layout = self.rules.layout
        stock = layout.groups[layout.stock[seat]]
        assert isinstance(stock, Stock)
        return turnable_cards(
            stock,
            self.hidden.cards[layout.stock[seat]],
            self.hidden.cards[layout.waste[seat]],
            self.board.redeals.get(seat, 0),
            self.board.shifts.get(seat, 0),
        )

    def can_progress(self, seat: int = 0) -> bool:
        """Answer the dead-hand test for one seat."""
        assert isinstance(self.rules, BuildingRules)
        return SlicedSearch(columns_can_progress(self.rules, self.board, seat, self.surfacing(seat))).finish()

    def _name(self, play: Play, places: Sequence[CardRef]) -> list[Card]:
        self.hidden.move(play)
        return [self.hidden.cards[pile][index] for pile, index in places]


def deal(rules: Rules, decks: Sequence[Sequence[Card]]) -> Position:
    """Return a fresh deal of known decks."""
    board, hidden = rules.deal(), rules.deal(decks)
    for pile in board.piles:
        places = board.unnamed(pile.number)
        board.reveal(places, [hidden.cards[number][index] for number, index in places])
    return Position(rules, board, hidden)


def deal_seed(rules: Rules, seed: bytes = bytes(32)) -> Position:
    """Return the deal of a seed, as the server makes it."""
    return deal(rules, decks(seed, rules.game, len(rules.layout.seats)))


def build(
    rules: Rules,
    *,
    seat: int = 0,
    foundation: Sequence[str] = (),
    tableau: Sequence[str] = (),
    stock: str = "",
    waste: str = "",
    reserve: str = "",
    upon: Position | None = None,
) -> Position:
    """Return a position with these piles of one seat, each bottom first, and all others empty.

    ``upon`` is a position to add them to, for hands of several seats.
    """
    layout = rules.layout
    position = upon or Position(rules, Board(layout.piles), Board([pile.opened() for pile in layout.piles]))
    own = {kind: layout.seat_piles(seat, kind) for kind in Kind}
    texts = [
        *zip(layout.foundations, foundation, strict=False),
        *zip(own[Kind.TABLEAU], tableau, strict=False),
        *zip(own[Kind.STOCK], [stock], strict=True),
        *zip(own[Kind.WASTE], [waste], strict=True),
        *zip(own[Kind.RESERVE], [reserve], strict=False),
    ]
    for number, text in texts:
        _lay(position, layout.piles[number], text.split(), layout.seats.index(seat))
    return position


def _lay(position: Position, pile: Pile, words: Sequence[str], pack: int) -> None:
    if not words:
        return
    known = tuple(_parse(word, pack) for word in words)
    position.hidden.cards[pile.number] = known
    shown = [UNKNOWN if word[:1].islower() or word[-1].islower() else _parse(word, pack) for word in words]
    board = position.board
    board.cards[pile.number] = (UNKNOWN,) * len(known) if pile.kind is not Kind.TABLEAU else tuple(shown)
    places = board.unnamed(pile.number)
    board.reveal(places, [known[index] for _, index in places])


def _parse(word: str, pack: int) -> Card:
    text, _, number = word.partition("/")
    return parse(text, int(number) if number else pack)
