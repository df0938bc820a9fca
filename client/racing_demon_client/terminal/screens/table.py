"""The table's screen: keys and the pointer become plays."""

import asyncio

from textual import events

from racing_demon_client.terminal.drawing.canvas import Canvas, Hit
from racing_demon_client.terminal.drawing.table import draw_table
from racing_demon_client.terminal.input.keymap import Keymap
from racing_demon_client.terminal.style.densities import choose
from racing_demon_client.terminal.style.look import Look
from racing_demon_protocol.engine.board import Kind, Play

from .picture import PictureScreen

LEFT, RIGHT = 1, 3
HANDS = frozenset({"turn", "drop", "left", "right", "more", "fewer"})
"""The selection's actions, beside those that name a pile."""
PILES = ("column-", "waste", "reserve", "pile-", "place-", "foundation-")
"""The prefixes of actions that name a pile."""


class TableScreen(PictureScreen):
    """Shows the table. An input is carried out, sent and drawn at once, in this order."""

    _pressed: tuple[int, int] | None = None

    @property
    def keymap(self) -> Keymap:
        """The keys of the game in play."""
        return self.session.keymap

    def draw(self, look: Look, width: int, height: int) -> Canvas:
        """Return the picture of the table."""
        keymap = self.keymap
        footer = keymap.footer(hints=self.session.client.view.options.hints)
        scene = self.session.desk.scene(self.session.now(), keymap.labels, footer)
        return draw_table(scene, (width, height), choose(look.density, width, height), look.glyphs)

    # Keys.

    async def do(self, action: str) -> None:
        """Carry out an action: the selection's here, all others in the application."""
        hands, now = self.session.desk.hands, self.session.now()
        self.session.desk.notice = ()
        if action == "drop" and self.session.alone and hands.held is None:
            await self.act(action)
        elif action in HANDS or action.startswith(PILES):
            await self._send(hands.press(action, now))
        elif action == "enter" and hands.cursor is not None and self.session.client.view.in_hand:
            await self._send(hands.use_cursor(now))
        elif action.startswith("watch-"):
            self.session.desk.watch(int(action.removeprefix("watch-")) - 1)
        else:
            await self.act(action)
        self.picture.redraw()

    async def _send(self, play: Play | None) -> None:
        if play is not None:
            self.session.play(play)
            await asyncio.sleep(0)  # send the play before anything is drawn

    # The pointer.

    async def press(self, event: events.MouseDown, hit: Hit | None) -> None:
        """Pick up or put down with the left button, play to a foundation with the right one."""
        self._pressed = None
        self.session.desk.notice = ()
        if hit is None:
            self.session.desk.hands.let_go()
        elif hit.action is not None and hit.action not in {"turn", "foundations"}:
            await self.do(hit.action)
        elif self.session.client.view.in_hand and self.session.client.seat is not None:
            await self._touch(event, hit)
        self.picture.redraw()

    async def _touch(self, event: events.MouseDown, hit: Hit) -> None:
        hands, now = self.session.desk.hands, self.session.now()
        held = hands.held
        if hit.action == "turn":
            await self._send(hands.press("turn", now))
        elif hit.pile is None:  # between foundations: play the held cards to any of them
            if held is not None:
                await self._send(hands.send_up(held.pile, now))
        elif event.button == RIGHT:
            await self._send(hands.send_up(hit.pile, now))
        elif held is not None and held.pile != hit.pile:
            await self._send(hands.put_down(held, hit.pile, now))
        else:
            if held is None:
                count = None
                if hit.index is not None:
                    count = len(hands.board().cards[hit.pile]) - hit.index
                hands.choose(hit.pile, now, count=count)
            self._pressed = event.x, event.y

    async def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag the held cards while the button is down."""
        if self._pressed is not None and event.button == LEFT and self._pressed != (event.x, event.y):
            self.session.desk.hands.drag(event.x, event.y)
            self.picture.redraw()

    async def on_mouse_up(self, event: events.MouseUp) -> None:
        """Put down the dragged cards, or return them if they do not fit."""
        hands, now = self.session.desk.hands, self.session.now()
        held, pressed, self._pressed = hands.held, self._pressed, None
        if held is None or pressed is None or hands.dragged is None:
            return
        hit = self.picture.hit(event.x, event.y)
        hands.let_go()
        if hit is not None and hit.action == "foundations":
            await self._send(hands.send_up(held.pile, now))
        elif hit is not None and hit.pile is not None and hit.pile != held.pile:
            await self._send(hands.put_down(held, hit.pile, now))
        self.picture.redraw()

    async def on_click(self, event: events.Click) -> None:
        """Play a card to a foundation with a double click."""
        hit = self.picture.hit(event.x, event.y)
        hands = self.session.desk.hands
        if event.chain != 2 or event.button != LEFT or hit is None or hit.pile is None:
            return
        if self.session.client.view.in_hand and self.session.client.seat is not None:
            kind = hands.board().piles[hit.pile].kind
            if kind not in {Kind.STOCK, Kind.FOUNDATION}:
                await self._send(hands.send_up(hit.pile, self.session.now()))
                self.picture.redraw()
