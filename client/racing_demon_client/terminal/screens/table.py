"""The table's screen: keys, pointer and picture."""

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from racing_demon_protocol.board import Kind, Play

from ..drawing.canvas import Hit
from ..drawing.scene import Scene
from ..seat import Seat
from ..table_widget import TableWidget

__all__ = ["TableScreen"]

LEFT, RIGHT = 1, 3
HANDS = frozenset({"turn", "drop", "left", "right", "more", "fewer"})
"""The actions, beside those that name a pile, that only the hands carry out."""


class TableScreen(Screen[None]):
    """Shows the table, and turns keys and the pointer into plays."""

    AUTO_FOCUS = None

    def __init__(self, seat: Seat) -> None:
        super().__init__()
        self._seat = seat
        self._table = TableWidget(self._scene, lambda: seat.look)
        self._pressed: tuple[int, int] | None = None

    def compose(self) -> ComposeResult:
        """Lay the screen out: it is all table."""
        yield self._table

    def _scene(self) -> Scene:
        keymap = self._seat.keymap
        return self._seat.desk.scene(self._seat.now(), keymap.labels, keymap.footer())

    def redraw(self) -> None:
        """Draw what is to be seen now."""
        self._table.redraw()

    # Keys.

    def on_key(self, event: events.Key) -> None:
        """Do what a key means; a key that means nothing here goes on to the others."""
        key = event.character if event.is_printable and event.character != " " else event.key
        action = self._seat.keymap.action(key or "")
        if action is None:
            return
        event.stop()
        event.prevent_default()
        born = event.time
        if action in HANDS or action.startswith(("column-", "waste", "reserve")):
            self._send(self._seat.desk.hands.press(action, self._seat.now()))
        elif action == "enter":
            self._enter()
        else:
            self._seat.act(action)
        self.redraw()
        self.call_after_refresh(self._seat.note_paint, born)

    def _enter(self) -> None:
        """Do what Enter means: the cursor's, while cards are played; else what comes next at the table."""
        hands = self._seat.desk.hands
        if hands.cursor is not None and self._seat.client.view.in_hand:
            self._send(hands.use_cursor(self._seat.now()))
        else:
            self._seat.act("enter")

    def _send(self, play: Play | None) -> None:
        if play is not None:
            self._seat.play(play)

    # The pointer.

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Pick up or put down with the left button, send up with the right one."""
        hit = self._table.hit(event.x, event.y)
        self._pressed = None
        if hit is None:
            self._seat.desk.hands.let_go()
        elif hit.action is not None and hit.action not in {"turn", "foundations"}:
            self._do(hit.action)
        elif self._seat.client.view.in_hand:
            self._touch(event, hit)
        self.redraw()

    def _touch(self, event: events.MouseDown, hit: Hit) -> None:
        hands, now = self._seat.desk.hands, self._seat.now()
        if hit.action == "turn":
            self._send(hands.press("turn", now))
        elif hit.pile is None:  # between the foundations: what is held goes up
            if hands.held is not None:
                self._send(hands.send_up(hands.held.pile, now))
        elif event.button == RIGHT:
            self._send(hands.send_up(hit.pile, now))
        elif hands.held is not None and hands.held.pile == hit.pile:
            self._pressed = event.x, event.y  # the second of two clicks, or the begin of a drag
        else:
            empty_handed = hands.held is None
            count = None
            if hit.index is not None:
                count = len(hands.board().cards[hit.pile]) - hit.index
            self._send(hands.choose(hit.pile, now, count=count))
            if empty_handed:
                self._pressed = event.x, event.y

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Let the cards that are held follow the pointer, while the button is down."""
        if self._pressed is not None and event.button == LEFT and self._pressed != (event.x, event.y):
            self._seat.desk.hands.drag(event.x, event.y)
            self.redraw()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Put down what was dragged; where it does not fit, it goes back."""
        hands, now = self._seat.desk.hands, self._seat.now()
        held, pressed, self._pressed = hands.held, self._pressed, None
        if held is None or pressed is None or hands.dragged is None:
            return
        hit = self._table.hit(event.x, event.y)
        hands.let_go()
        if hit is not None and hit.action == "foundations":
            self._send(hands.send_up(held.pile, now))
        elif hit is not None and hit.pile is not None and hit.pile != held.pile:
            self._send(hands.put_down(held, hit.pile, now))
        self.redraw()

    def on_click(self, event: events.Click) -> None:
        """Send a card up with a double click."""
        hit = self._table.hit(event.x, event.y)
        if event.chain == 2 and event.button == LEFT and hit is not None and hit.pile is not None:
            hands = self._seat.desk.hands
            kind = hands.board().piles[hit.pile].kind if self._seat.client.view.in_hand else Kind.STOCK
            if kind not in {Kind.STOCK, Kind.FOUNDATION}:
                self._send(hands.send_up(hit.pile, self._seat.now()))
                self.redraw()

    def _do(self, action: str) -> None:
        if action.startswith("watch-"):
            self._seat.desk.watch(int(action.removeprefix("watch-")) - 1)
        else:
            self._seat.act(action)
