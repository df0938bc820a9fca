"""The effects of the special rules in :mod:`.engine.privileges`, one small class each.

An effect looks at the public board. It may add, refuse or automatically make plays, or change the order of
the deal.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from racing_demon_protocol.engine import privileges
from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card, rank
from racing_demon_protocol.engine.groups import Foundations, Tableau
from racing_demon_protocol.engine.specification import Special

from . import deal_rules, fill_rules
from .effects import Effect, RulesContext

HAND: Final = {privileges.When.HAND_IN: False, privileges.When.HAND_OUT: True}
"""Whether stock and waste must be empty, or must not."""


class DrawEffect(Effect):
    """Plays a buried card: see :class:`~.engine.privileges.Draw`."""

    special: privileges.Draw

    def __init__(self, table: RulesContext, special: privileges.Draw) -> None:
        super().__init__(table, special)
        self.liberties_seen = 0 if special.through else special.times

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield a play for each card that could be drawn, and each place it could go."""
        if not self._may(board, seat):
            return
        wanted = self.table.foundations.wanted(board, seat)
        for pile in (pile for group in self.special.groups for pile in self.piles(seat, group)):
            cards = board.cards[pile]
            for depth in range(0 if self.special.through else 1, len(cards)):
                card = cards[-depth - 1]
                if card != UNKNOWN and (self.special.marries or card % PACK_SIZE in wanted):
                    for destination in self._targets(board, seat, pile, card):
                        yield Play(pile, 1, destination, depth)

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Move a card that was drawn through a reserve to its foundation."""
        for heap in self.piles(seat, self.special.through) if self.special.through else ():
            if board.cards[heap]:
                to = next(self.table.open_foundations(board, seat, board.cards[heap][-1]), None)
                return None if to is None else Play(heap, 1, to)
        return None

    def _may(self, board: Board, seat: int) -> bool:
        special = self.special
        if special.through:
            used = sum(board.came.get(pile, 0) for pile in self.piles(seat, special.through))
        else:
            used = board.liberties.get(seat, 0)
        if used >= special.times:
            return False
        if special.after and not any(board.came.get(pile, 0) for pile in self.piles(seat, special.after)):
            return False
        if special.when in HAND and self.hand_out(board, seat) is not HAND[special.when]:
            return False
        return special.when is privileges.When.ALWAYS or self.stuck(board, seat)

    def _targets(self, board: Board, seat: int, source: int, card: Card) -> Iterator[int]:
        upward = self.table.open_foundations(board, seat, card)
        if self.special.through:
            yield from (self.piles(seat, self.special.through)[0] for _ in islice(upward, 1))
            return
        yield from upward
        for pile in self.table.layout.own(seat, Kind.TABLEAU) if self.special.marries else ():
            column, top = self.table.layout.groups[pile], board.top(pile)
            fits = isinstance(column, Tableau) and top is not None and top != UNKNOWN and pile != source
            if fits and isinstance(column, Tableau) and self.table.columns.continues(column, top or 0, card):
                yield pile


class LayExtraEffect(Effect):
    """Fills the extra cells: see :class:`~.engine.privileges.LayExtra`."""

    special: privileges.LayExtra

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the play that deals the first of the extra cards."""
        cells = self.piles(seat, self.special.cells)
        if board.came.get(cells[0], 0) or not self._is_full(board, seat):
            return
        upward = any(
            board.piles[play.destination].kind is Kind.FOUNDATION
            for play in self.table.plain_plays(board, seat)
        )
        source = self._source(board, seat)
        if not upward and source is not None:
            yield Play(source, 1, cells[0])

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Deal the others."""
        first, *others = self.piles(seat, self.special.cells)
        source = self._source(board, seat)
        if board.came.get(first, 0) and source is not None:
            for cell in others:
                if not board.came.get(cell, 0):
                    return Play(source, 1, cell)
        return None

    def _source(self, board: Board, seat: int) -> int | None:
        """Return the pile that the next card comes from: the card just dealt, or the stock."""
        layout = self.table.layout
        piles = layout.own(seat, Kind.WASTE) + layout.own(seat, Kind.STOCK)
        return next((pile for pile in piles if board.cards[pile]), None)

    def _is_full(self, board: Board, seat: int) -> bool:
        places = self.piles(seat, self.special.places)
        caps = [getattr(self.table.layout.groups[pile], "cap", None) or 1 for pile in places]
        return all(len(board.cards[pile]) >= cap for pile, cap in zip(places, caps, strict=True))


class GraceEffect(Effect):
    """Takes a card back from a foundation: see :class:`~.engine.privileges.Grace`."""

    special: privileges.Grace

    def __init__(self, table: RulesContext, special: privileges.Grace) -> None:
        super().__init__(table, special)
        self.liberties_seen = special.times

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays of a foundation's top card to a column's foot or head."""
        if self.passed(board, seat):
            yield from self._ways(board, seat)

    def may_help(self, board: Board, seat: int) -> bool:
        """Return whether a card could be taken back once turning has led to nothing."""
        return next(self._ways(board, seat), None) is not None

    def _ways(self, board: Board, seat: int) -> Iterator[Play]:
        if board.liberties.get(seat, 0) >= self.special.times:
            return
        layout = self.table.layout
        heads = {layout.piles[door].under: door for door in self.piles(seat, self.special.heads)}
        for foundation in self.table.foundations.goals(seat):
            cards = board.cards[foundation]
            if len(cards) < 2:
                continue
            for pile, door in heads.items():
                column, lying = layout.groups[pile or 0], board.cards[pile or 0]
                if pile is None or not isinstance(column, Tableau) or not lying:
                    continue
                if self.table.columns.continues(column, lying[-1], cards[-1]):
                    yield Play(foundation, 1, pile)
                if self.table.columns.continues(column, cards[-1], lying[0]):
                    yield Play(foundation, 1, door)


class ReorderEffect(Effect):
    """Lays cards off in another order: see :class:`~.engine.privileges.Reorder`."""

    special: privileges.Reorder

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the play that puts a turn's first card aside; then, those of each card aside to the waste."""
        held, stock = self._piles(seat)
        lying, begun = self._lying(board, held), board.came.get(held[0], 0)
        is_whole = 1 < len(held) <= len(board.cards[stock])
        if lying:
            yield from (Play(cell, 1, self.table.layout.waste[seat]) for cell in lying)
        elif is_whole and begun < self.special.times and (begun or self._failed(board, seat)):
            yield Play(stock, 1, held[0])

    def due(self, board: Board, seat: int) -> str:
        """Require that the cards put aside are laid off."""
        held = self._piles(seat)[0]
        return "Put the cards that lie aside on the waste, in any order." if self._lying(board, held) else ""

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Put the other cards of the turn aside; lay the last one off."""
        held, stock = self._piles(seat)
        lying = self._lying(board, held)
        for cell in held if lying else ():
            if board.came.get(cell, 0) < board.came.get(held[0], 0):
                return Play(stock, 1, cell)
        return Play(lying[0], 1, self.table.layout.waste[seat]) if len(lying) == 1 else None

    def may_help(self, board: Board, seat: int) -> bool:
        """Return whether cards could be laid off this way once turning has led to nothing."""
        held, stock = self._piles(seat)
        left = len(board.cards[stock]) + len(board.cards[self.table.layout.waste[seat]])
        return 1 < len(held) <= left and board.came.get(held[0], 0) < self.special.times

    def _failed(self, board: Board, seat: int) -> bool:
        """Return whether a full pass brought no card that makes progress."""
        plays = self.table.plain_plays(board, seat)
        return self.turned_through(board, seat) and not any(map(board.is_progress, plays))

    def _piles(self, seat: int) -> tuple[tuple[int, ...], int]:
        """Return the cells that a whole turn fills, and the stock."""
        stock = self.table.layout.stock[seat]
        turned: int = getattr(self.table.layout.groups[stock], "turn", 0)
        return self.piles(seat, self.special.held)[:turned], stock

    @staticmethod
    def _lying(board: Board, held: Sequence[int]) -> list[int]:
        return [cell for cell in held if board.cards[cell]]


class OpeningRescueEffect(Effect):
    """Finds the first bases: see :class:`~.engine.privileges.OpeningRescue`."""

    special: privileges.OpeningRescue

    def __init__(self, table: RulesContext, special: privileges.OpeningRescue) -> None:
        super().__init__(table, special)
        self._kinds = {
            seat: [
                [pile for pile in table.foundations.goals(seat) if table.layout.groups[pile] is group]
                for group in table.layout.game.groups
                if isinstance(group, Foundations)
            ]
            for seat in table.layout.seats
        }

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield bases below few cards, if there is no other way to one."""
        if self._is_open(board, seat):
            return
        for play in self.table.plain_plays(board, seat):
            up = board.piles[play.destination].kind is Kind.FOUNDATION
            if up or next(self._bases(board, seat, play.source, 1), None) is not None:
                return
        for pile in self.piles(seat, self.special.columns):
            yield from self._bases(board, seat, pile, self.special.under)

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Refuse everything but bases and marriages at first."""
        if not self.special.marriages_only or play.depth or self._is_open(board, seat):
            return ""
        if board.cards[play.destination] and board.piles[play.destination].kind is Kind.FOUNDATION:
            return "First one foundation of each kind is opened."
        if not board.cards[play.destination] and board.piles[play.destination].kind is Kind.TABLEAU:
            return "First one foundation of each kind is opened."
        return ""

    def _is_open(self, board: Board, seat: int) -> bool:
        return all(any(board.cards[pile] for pile in kind) for kind in self._kinds[seat])

    def _bases(self, board: Board, seat: int, pile: int, under: int) -> Iterator[Play]:
        """Yield the plays of cards below at most so many others that would open a foundation."""
        cards = board.cards[pile]
        for depth in range(1, min(under + 1, len(cards))):
            for foundation in self.table.open_foundations(board, seat, cards[-depth - 1]):
                if not board.cards[foundation]:
                    yield Play(pile, 1, foundation, depth)
                    break


class BottomCardsEffect(Effect):
    """Turns the waste's bottom cards again: see :class:`~.engine.privileges.BottomCards`."""

    special: privileges.BottomCards
    redeals_seen = 1

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the play as a player writes it: so many cards of the waste to the stock."""
        stock, waste = self.table.layout.stock[seat], self.table.layout.waste[seat]
        count = min(self.special.count, len(board.cards[waste]))
        if count and not board.cards[stock] and not board.redeals.get(seat, 0):
            yield Play(waste, count, stock)

    def carried_out(self, play: Play) -> Play:
        """Return the play with the cards taken from the bottom."""
        return play._replace(count=-play.count)


class ChosenBaseEffect(Effect):
    """Lets the first card choose: see :class:`~.engine.privileges.ChosenBase`."""

    special: privileges.ChosenBase

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays that open the first foundation."""
        layout, families = self.table.layout, self.piles(seat, self.special.foundations)
        if any(board.cards[pile] for pile in families):
            return
        stock, waste = layout.stock[seat], layout.waste[seat]
        undealt = layout.game.deck_size - sum(count for _, count in layout.deal_steps(seat))
        turned = undealt - len(board.cards[stock])
        if not turned:
            return
        is_first = len(board.cards[waste]) == 1 == turned
        for kind in (Kind.WASTE, Kind.RESERVE, Kind.CELL):
            for pile in layout.own(seat, kind):
                card = board.top(pile)
                if card is None or card == UNKNOWN:
                    continue
                if rank(card) == self.special.rank or (pile == waste and is_first):
                    yield Play(pile, 1, families[0])


EFFECTS: Final[dict[type[Special], type[Effect]]] = {
    privileges.BasesFirst: deal_rules.BasesFirstEffect,
    privileges.BottomCards: BottomCardsEffect,
    privileges.BumpKing: deal_rules.BumpKingEffect,
    privileges.ChosenBase: ChosenBaseEffect,
    privileges.Draw: DrawEffect,
    privileges.FamilyByLaying: deal_rules.FamilyByLayingEffect,
    privileges.FillFromBottom: fill_rules.FillFromBottomEffect,
    privileges.FillFromDoubles: fill_rules.FillFromDoublesEffect,
    privileges.Grace: GraceEffect,
    privileges.GridEdges: deal_rules.GridEdgesEffect,
    privileges.JointEntry: deal_rules.JointEntryEffect,
    privileges.KingOpensColumn: deal_rules.KingOpensColumnEffect,
    privileges.LayExtra: LayExtraEffect,
    privileges.OpeningRescue: OpeningRescueEffect,
    privileges.PairedColumn: deal_rules.PairedColumnEffect,
    privileges.RankPlaces: deal_rules.RankPlacesEffect,
    privileges.Reorder: ReorderEffect,
    privileges.RowEnds: deal_rules.RowEndsEffect,
}
"""The effect of each special rule."""


def effects_of(table: RulesContext) -> tuple[Effect, ...]:
    """Return the effects of a game's special rules, in the order declared."""
    return tuple(EFFECTS[type(special)](table, special) for special in table.layout.game.specials)
