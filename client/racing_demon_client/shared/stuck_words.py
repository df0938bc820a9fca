"""Who has declared being stuck, as far as it is news.

Progress clears every "stuck", and the server declares again those that stand: all for whom the play opens
nothing. A player should hear of the others only.
"""

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.table.intent import opened_play
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev


class StuckWords:
    """Follows the messages of one table.

    Attributes:
        opened: for each seat that is no longer stuck because of the last message, the play that it opened.

    """

    def __init__(self) -> None:
        self.opened: dict[int, Play] = {}
        self._stuck: set[int] = set()

    def follow(self, message: Message, view: TableState) -> bool:
        """Follow a message that the view has applied. Return False if it only says "stuck" again."""
        self.opened = {}
        if isinstance(message, ev.StuckSaid):
            is_news = message.seat not in self._stuck
            self._stuck.add(message.seat)
            return is_news
        stuck = set(view.stuck_seats())
        if isinstance(message, ev.Played) and view.rules is not None and view.board is not None:
            for seat in self._stuck - stuck - {message.seat}:
                play = opened_play(view.rules, view.board, seat, [message.destination])
                if play is None:
                    stuck.add(seat)  # it will be said again
                else:
                    self.opened[seat] = play
        self._stuck = stuck
        return True
