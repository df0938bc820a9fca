"""What a player has selected, where the cursor is, and the plays that result.

Reads no clock: times are milliseconds on the caller's monotonic clock.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from racing_demon_client.shared.pile_names import addresses, cursor_piles, usable
from racing_demon_client.shared.trackers import NOTHING_HELPS, SHIFT_HELPS, BestPlayThrottle, HintFinder
from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.errors import IllegalPlay
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.table.suggestions import (
    best_play,
    fitting_count,
    longest_unit,
    only_play,
    step_of,
    targets,
    with_plays,
)
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.options import CallOut

from .drawing.scene import CardRange

MESSAGE_MS: Final = 4_000
CURSOR_KEYS: Final = frozenset({"left", "right", "more", "fewer"})


class Advice(NamedTuple):
    """What a newcomer is told.

    Attributes:
        text: the sentence.
        fits: whether it names a card that fits somewhere.

    """

    text: str
    fits: bool = False


NO_ADVICE: Final = Advice("")


class TableLike(Protocol):
    """The part of a table's source that the selection uses."""

    seat: int | None
    watchers: int

    @property
    def view(self) -> TableState:
        """The table."""

    @property
    def unanswered(self) -> Sequence[cl.Command]:
        """The unanswered commands, in order."""


class Selection:
    """A player's selection and the plays made with it.

    Attributes:
        held: the cards that are picked up.
        cursor: the cards under the cursor, while it is in use.
        hints: finds plays that help.

    Args:
        table: the table and its unconfirmed plays.

    """

    def __init__(self, table: TableLike) -> None:
        self._table = table
        self.held: CardRange | None = None
        self.cursor: CardRange | None = None
        self.hints = HintFinder()
        self._choices = BestPlayThrottle()
        self._drag: tuple[int, int] | None = None
        self._message: tuple[str, bool, int] = ("", False, 0)
        self._hinted: frozenset[int] = frozenset()

    # Actions.

    def press(self, action: str, now: int) -> Play | None:
        """Handle a key of a play; return the play to send, if it makes one."""
        if self._seat_in_hand() is None:
            return None
        self._message = ("", False, 0)
        self._hinted = frozenset()
        pile = self._addresses().get(action.removesuffix("-up").removesuffix("-one"))
        if pile is not None and action.endswith("-up"):
            return self._send(Play(pile, 1, FOUNDATIONS), now)
        if pile is not None:
            return self.choose(pile, now, single=action.endswith("-one"))
        if action == "turn":
            return self._turn(now)
        if action == "drop":
            self.release()
        elif action in CURSOR_KEYS:
            self._move_cursor(action)
        return None

    def choose(self, pile: int, now: int, *, count: int | None = None, single: bool = False) -> Play | None:
        """Pick up a pile's cards, or put the held cards on it. The same pile twice makes its best play.

        Args:
            pile: the pile.
            now: the time.
            count: how many cards the pointer or cursor selects; ``None`` for as many as fit.
            single: whether to move only the top card where a whole run could go.

        """
        held, self.held = self.held, None
        rules, board = self._rules(), self.board()
        if held is None:
            return self._pick_up(pile, count, now)
        if held.pile == pile:
            is_race = len(self._table.view.hand_seats) > 1
            if is_race and not self._choices.allows(now):
                return None
            best = best_play(rules, board, self._own_seat(), pile)
            if best is None:
                self._choices.record_miss(now)
                self.show_message("Nothing there can be played.", now)
                return None
            if board.piles[best.destination].kind is Kind.FOUNDATION:
                best = best._replace(destination=FOUNDATIONS)
            return self._send(best, now)
        return self.put_down(held, pile, now, single=single)

    def put_down(self, held: CardRange, pile: int, now: int, *, single: bool = False) -> Play | None:
        """Return the play that moves the held cards to a pile; if it is illegal, show why."""
        self.held = None
        board = self.board()
        rules, seat = self._rules(), self._own_seat()
        if board.piles[pile].kind is Kind.FOUNDATION:
            upward = Play(held.pile, 1, FOUNDATIONS, held.depth)
            return self._send(self._to_exact_foundation(upward, pile) or upward, now)
        counts = [1] if single else [held.count, fitting_count(rules, board, seat, held.pile, pile)]
        if held.depth:
            counts = [held.count]
        plays = [Play(held.pile, count, pile, held.depth) for count in counts if count > 0]
        play = next((play for play in plays if rules.can_play(board, seat, play)), None)
        return self._send(play or step_of(rules, board, seat, held.pile, pile) or plays[-1], now)

    def send_up(self, pile: int, now: int) -> Play | None:
        """Return the play of a pile's top card to the foundations, if there is one to send."""
        return None if self._seat_in_hand() is None else self._send(Play(pile, 1, FOUNDATIONS), now)

    def drag(self, x: int, y: int) -> None:
        """Move the held cards with the pointer."""
        if self.held is not None:
            self._drag = (x, y)

    def use_cursor(self, now: int) -> Play | None:
        """Handle Enter at the cursor: turn the stock, pick up or put down."""
        if self.cursor is None or self._seat_in_hand() is None:
            return None
        pile, count, _ = self.cursor
        if self.board().piles[pile].kind is Kind.STOCK:
            waste = self._rules().layout.waste.get(self._own_seat())
            single = None if waste is None else Play(pile, 1, waste)  # the last two may be turned one by one
            if single and self._rules().can_play(self.board(), self._own_seat(), single):
                return self._send(single, now)
            return self._turn(now)
        return self.choose(pile, now, count=count)

    def hint(self, now: int, labels: Mapping[str, str], name: Callable[[Card], str]) -> None:
        """Show a play that helps and its keys, if the table allows hints.

        Args:
            now: the time.
            labels: the key label of each action.
            name: returns a card's name on the screen.

        """
        if self._seat_in_hand() is None:
            return
        if not self._table.view.options.hints:
            self.show_message("This table plays without hints.", now)
            return
        rules, board, seat = self._rules(), self.board(), self._own_seat()
        play = self.hints.play(rules, board, seat)
        if self.hints.advises_shift(rules, board, seat):
            key = labels.get("shift")
            self.show_message(f"{SHIFT_HELPS}: {key}" if key else f"{SHIFT_HELPS}.", now)
        elif play is None:
            key = labels.get("stuck") if len(self._table.view.hand_seats) > 1 else None
            self.show_message(f"{NOTHING_HELPS} ({key})" if key else f"{NOTHING_HELPS}.", now)
        else:
            self._hinted = frozenset({play.source, play.destination})
            self.show_message(self._hint_of(play, labels, name), now)

    def advice(self, labels: Mapping[str, str], name: Callable[[Card], str], *, points: bool) -> Advice:
        """Return the most useful play in a sentence, with its keys; empty if none is known.

        Args:
            labels: the key label of each action.
            name: returns a card's name on the screen.
            points: whether the play is shown on the table, too.

        """
        rules, board, seat = self._rules(), self.board(), self._own_seat()
        ups = (
            p for p in rules.legal_plays(board, seat) if board.piles[p.destination].kind is Kind.FOUNDATION
        )
        play = next(ups, None) or self.hints.play(rules, board, seat)
        if play is None and self.hints.advises_shift(rules, board, seat):
            key = labels.get("shift")
            return Advice(f"Nothing fits. {SHIFT_HELPS}" + (f": press {key}" if key else "."))
        if play is None:
            stuck = labels.get("stuck")
            return Advice(f"Nothing helps: say that you are stuck with {stuck}." if stuck else "")
        if points:
            self._hinted = frozenset({play.source, play.destination})
        is_turn = play == rules.stock_play(board, seat)
        words = self._hint_of(play, labels, name, "press ")
        return Advice(f"Nothing fits. {words}") if is_turn else Advice(f"Your {words}", fits=True)

    def point_at(self, play: Play, labels: Mapping[str, str], name: Callable[[Card], str]) -> str:
        """Show a play on the table, and return it in a few words with its keys."""
        self._hinted = frozenset({play.source, play.destination})
        return self._hint_of(play, labels, name, "press ")

    def _hint_of(
        self, play: Play, labels: Mapping[str, str], name: Callable[[Card], str], press: str = ""
    ) -> str:
        """Return a play in a few words with its keys, such as ``Q♣ up: e``, and what to do with them."""
        board = self.board()
        actions = {pile: action for action, pile in self._addresses().items()}
        source, destination = actions.get(play.source, ""), actions.get(play.destination, "")
        cards, there = board.cards[play.source], board.top(play.destination)
        upward = labels.get(f"{source}-up")
        if play == self._rules().stock_play(board, self._own_seat()):
            what, keys = "Turn the stock", [labels.get("turn")]
        elif board.piles[play.destination].kind is Kind.FOUNDATION and (
            upward or not labels.get(destination)
        ):
            what, keys = f"{name(cards[-1 - play.depth])} up", [upward]
        else:
            moved = name(cards[-abs(play.count) - play.depth])
            is_column = board.piles[play.destination].kind is Kind.TABLEAU
            empty = "an empty column" if is_column else "an empty place"
            onto = empty if there is None else "there" if there == UNKNOWN else name(there)
            what, keys = f"{moved} to {onto}", [labels.get(source), labels.get(destination)]
        return f"{what}: {press}{' '.join(key for key in keys if key)}" if all(keys) else f"{what}."

    def _addresses(self) -> Mapping[str, int]:
        """Return the piles by the actions that name them."""
        return addresses(self._rules(), self.board(), self._own_seat())

    def release(self) -> None:
        """Put the held cards back."""
        self.held = None
        self._drag = None

    def clear(self) -> None:
        """Clear selection and cursor: the cards have changed."""
        self.release()
        self.cursor = None
        self._hinted = frozenset()

    def show_message(self, text: str, now: int, *, is_warning: bool = False) -> None:
        """Show a prompt for some seconds."""
        self._message = (text, is_warning, now + MESSAGE_MS)

    def clear_message(self) -> None:
        """Clear the prompt: it is about cards that are gone."""
        self._message = ("", False, 0)

    # Queries.

    @property
    def dragged(self) -> tuple[int, int] | None:
        """The pointer's position while it drags the held cards."""
        return self._drag if self.held is not None else None

    def message(self, now: int) -> tuple[str, bool]:
        """Return the prompt to show and whether it is a warning."""
        text, is_warning, until = self._message
        return (text, is_warning) if now < until else ("", False)

    def fits(self) -> frozenset[int]:
        """Return where the held cards may go or what a hint points at; empty if hints are off."""
        if self._hinted or self.held is None or not self._table.view.options.hints:
            return self._hinted
        return targets(self._rules(), self.board(), self._own_seat(), self.held.pile)

    def is_out(self) -> bool:
        """Return whether this player only needs to call."""
        seat = self._seat_in_hand()
        shouts = self._table.view.options.call_out is CallOut.SHOUT
        return seat is not None and shouts and self._rules().is_out(self.board(), seat)

    def board(self) -> Board:
        """Return the board with this player's unconfirmed plays applied."""
        return self.predicted_board()[0]

    def predicted_board(self) -> tuple[Board, dict[int, int]]:
        """Return that board, and how many unconfirmed cards top each pile."""
        view, seat = self._table.view, self._table.seat
        assert view.hand is not None
        if not view.plays_hand(seat) or seat is None or not view.in_hand:
            return view.hand.board, {}
        plays = [command.play for command in self._table.unanswered if isinstance(command, cl.PlayCards)]
        return with_plays(view.hand.rules, view.hand.board, seat, plays)

    # Steps.

    def _pick_up(self, pile: int, count: int | None, now: int) -> Play | None:
        """Pick up a pile's cards, or fill an empty pile from the stock where the rules allow it."""
        rules, board = self._rules(), self.board()
        kind, seat = board.piles[pile].kind, self._own_seat()
        if pile not in usable(rules, seat) or not board.cards[pile]:
            stock = rules.layout.stock.get(seat)
            if stock is not None and pile in targets(rules, board, seat, stock) and kind is not Kind.WASTE:
                return self._send(Play(stock, 1, pile), now)
            self.show_message("There is nothing to pick up.", now)
        elif kind is Kind.FOUNDATION and not self._may_leave(pile):
            self.show_message("Cards on the foundations stay there.", now)
        else:
            most = longest_unit(rules, board, pile)
            buried = count is not None and count > most and count - 1 in self._depths(pile)
            self.held = (
                CardRange(pile, 1, count - 1)
                if buried and count
                else CardRange(pile, min(count or most, most))
            )
        return None

    def _may_leave(self, foundation: int) -> bool:
        """Return whether a foundation's top card may move elsewhere."""
        rules, board, seat = self._rules(), self.board(), self._own_seat()
        return rules.may_take_back(seat, foundation) or bool(targets(rules, board, seat, foundation))

    def _depths(self, pile: int) -> set[int]:
        """Return the depths at which a pile's cards may be played; the top card has depth 0."""
        plays = self._rules().legal_plays(self.board(), self._own_seat())
        return {play.depth for play in plays if play.source == pile}

    def _to_exact_foundation(self, upward: Play, pile: int) -> Play | None:
        """Return the play to this very foundation, if the game lets players choose and it matters."""
        rules, board, seat = self._rules(), self.board(), self._own_seat()
        exact = upward._replace(destination=pile)
        if pile not in addresses(rules, board, seat).values() or not rules.can_play(board, seat, exact):
            return None
        card = board.top(upward.source)
        return (
            None if card is None or next(rules.open_foundations(board, seat, card), None) == pile else exact
        )

    def _by_special_rule(self, upward: Play) -> Play:
        """Return the play to the foundations that only a special rule allows, or the original play."""
        rules, board = self._rules(), self.board()
        plays = (play for play in rules.legal_plays(board, self._own_seat()) if play.source == upward.source)
        up = (play for play in plays if board.piles[play.destination].kind is Kind.FOUNDATION)
        return next((play for play in up if play.depth == upward.depth), upward)

    def _turn(self, now: int) -> Play | None:
        self.release()
        rules, board, seat = self._rules(), self.board(), self._own_seat()
        turn = rules.stock_play(board, seat) or only_play(rules, board, seat)
        if turn is None:
            self.show_message("There is nothing left to turn.", now, is_warning=True)
            return None
        return self._send(turn, now)

    def _send(self, play: Play, now: int) -> Play | None:
        """Return a play that is worth sending; for this player's own layout, show why it is not.

        A card that goes up is always sent: the foundations may change before it arrives.
        """
        self.release()
        board, rules = self.board(), self._rules()
        cards = board.cards[play.source]
        if not cards and play.source != play.destination:
            self.show_message("There is no card there.", now, is_warning=True)
            return None
        if play.destination == FOUNDATIONS and not rules.can_play(board, self._own_seat(), play):
            play = self._by_special_rule(play)
        is_sure = play.destination != FOUNDATIONS and UNKNOWN not in cards[-play.count :]
        is_sure = is_sure or board.piles[play.source].kind is Kind.STOCK
        if is_sure:
            try:
                rules.verify_play(board, self._own_seat(), play)
            except IllegalPlay as error:
                self.show_message(error.text, now, is_warning=True)
                return None
        return play

    def _move_cursor(self, action: str) -> None:
        board, rules, seat = self.board(), self._rules(), self._own_seat()
        layout = rules.layout
        back = [pile for pile in layout.foundations if rules.may_take_back(seat, pile) and board.cards[pile]]
        keyed = addresses(rules, board, seat).values() if self.held is not None else ()
        aims = [pile for pile in keyed if pile in layout.foundations and pile not in back]
        piles = [*back, *layout.seat_piles(seat, Kind.STOCK), *cursor_piles(rules, board, seat), *aims]
        if self.cursor is None or self.cursor.pile not in piles:
            first = [*layout.seat_piles(seat, Kind.TABLEAU), *cursor_piles(rules, board, seat), *piles]
            self.cursor = CardRange(first[0], 1) if first else None
            return
        pile, count, _ = self.cursor
        if action in {"left", "right"}:
            step = 1 if action == "right" else -1
            self.cursor = CardRange(piles[(piles.index(pile) + step) % len(piles)], 1)
        else:
            most = max(1, longest_unit(rules, board, pile), *(depth + 1 for depth in self._depths(pile)))
            count += 1 if action == "more" else -1
            self.cursor = CardRange(pile, min(most, max(1, count)))

    def _seat_in_hand(self) -> int | None:
        view, seat = self._table.view, self._table.seat
        may_play = view.in_hand and not view.paused and seat not in view.waiting
        return seat if may_play and view.plays_hand(seat) else None

    def _own_seat(self) -> int:
        assert self._table.seat is not None
        return self._table.seat

    def _rules(self) -> Rules:
        assert self._table.view.hand is not None
        return self._table.view.hand.rules
