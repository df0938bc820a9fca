"""A player's desk: the table, what the hands hold, and what happened lately. Everything but the screen.

No clock is read: times are milliseconds on one rising clock, which is the caller's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from racing_demon_client.shared.message_text import MessageText
from racing_demon_client.shared.pile_names import addresses
from racing_demon_client.shared.rivals import Rivals
from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.reasons import Phase, Reason
from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused, Snapshot

from .activity import Activity, Cue
from .drawing.scene import Dragged, FeedLine, Grip, Scene
from .drawing.slots import Slots
from .feed import tell
from .selection import Place, Selection
from .style.glyphs import UNICODE, Glyphs, screen_text
from .style.ink import Role

__all__ = ["Desk"]

BEFORE_PLAY: Final = {
    Phase.SHUFFLING: "The cards are being shuffled.",
    Phase.COUNTDOWN: "Look at your cards: play begins at the signal.",
}
LOOK_MS: Final = 10_000


class Desk:
    """One player's, or spectator's, desk.

    Attributes:
        hands: what the player does.
        activity: what happened.
        volume: how much the feed tells of the others.
        motion: whether changes are marked for a moment, and words fill the screen.
        glyphs: the signs that the feed is written with.
        trouble: what is wrong with the connection, if anything.
        ping_ms: the last round trip.
        paint_ms: the last time from a key to its picture.
        ignored: the seats whose words are not shown here.
        alone: whether it is a table of one's own.
        sees_all: whether all layouts are known on identical deals too, as from a server's record.
        standing: how far one has come, at such a table.
        status: what is told while nothing else is to be said; may be empty.
        notice: what is told over the cards until a key is pressed, line by line.

    Args:
        place: the client.

    """

    def __init__(
        self, place: Place, *, volume: int = 1, motion: bool = True, glyphs: Glyphs = UNICODE
    ) -> None:
        self.hands = Selection(place)
        self.activity = Activity()
        self.volume = volume
        self.motion = motion
        self.glyphs = glyphs
        self.trouble = ""
        self.ping_ms: float | None = None
        self.paint_ms: float | None = None
        self._place = place
        self._slots: Slots | None = None
        self.ignored: set[int] = set()
        self.alone = False
        self.sees_all = False
        self.standing: Callable[[], str] = str
        self.status: Callable[[], str] = str
        self.notice: Sequence[str] = ()
        self._watched: int | None = None
        self._turn_at: int | None = None
        self._rivals = Rivals()
        self._was_stuck = False
        self._age: object = None

    # What happens at the table.

    def follow(self, message: Message, now: int) -> Cue | None:
        """Note a message that the view has followed; return what deserves a sound."""
        view, seat = self._place.view, self._place.seat
        refused = self._rivals.play(message.counter) if isinstance(message, Refused) else None
        lost = self._rivals.follow(message, view, seat, now)
        match message:
            case Snapshot() | ev.Dealt():
                self._slots = None
                self.hands.put_away()
            case ev.HandOver() | ev.Paused() | ev.Continued():
                self.hands.put_away()
                self.hands.hush()
        cue = self.activity.note(message, view, now)
        if isinstance(message, ev.Joined):
            self.ignored.discard(message.seat)
        if isinstance(message, ev.Said | ev.Reacted) and message.seat in self.ignored:
            return cue
        line = tell(
            message,
            view,
            seat,
            at_ms=None
            if view.between_matches or view.phase is Phase.SHUFFLING
            else self.activity.elapsed_ms(now),
            volume=self.volume,
            glyphs=self.glyphs,
            refused=refused,
        )
        if line is not None and lost is not None:
            told = MessageText(view, seat).lost(lost, self.glyphs.card(lost.card))
            line = replace(line, text=screen_text(told))
        if line is not None:
            self._show(line, message, now, is_race=lost is not None)
        self._tell_freed(message, now)
        return cue

    def _show(self, line: FeedLine, message: Message, now: int, *, is_race: bool) -> None:
        """Add a line to the feed, and show what is refused; a slip of the hand is nobody's news."""
        if isinstance(message, Refused):
            self.hands.say(line.text, now, is_warning=True)
        if is_race or not isinstance(message, Refused) or message.reason is Reason.BEATEN:
            self.activity.feed.append(line)

    def _tell_freed(self, message: Message, now: int) -> None:
        """Say why oneself is not stuck any more; the play itself may be nobody's news."""
        words = MessageText(self._place.view, self._place.seat)
        freed = words.freed(message, self._was_stuck)
        if freed is not None:
            self.activity.feed.append(FeedLine(self.activity.elapsed_ms(now), screen_text(freed), Role.DIM))
        self._was_stuck = words.is_stuck

    def sent(self, counter: int, play: Play, now: int) -> None:
        """Note under which number a play was sent, and when, so that a refusal can say what it was."""
        self._rivals.tried(counter, play, now)

    def has_aged(self, now: int) -> bool:
        """Tell whether time alone has changed what is to be seen, since this was asked last."""
        activity = self.activity
        age = (
            activity.elapsed_ms(now) // 1_000,
            activity.seconds_to_signal(now),
            activity.seconds_to_deal(now),
            self.banner(now),
            activity.fresh(now),
            self.hands.message(now),
            self.trouble,
        )
        aged, self._age = age != self._age, age
        return aged

    def touch(self) -> None:
        """Note that something is to be seen which time alone does not tell."""
        self._age = None

    def ignore(self, seat: int) -> None:
        """Show nothing any more of what a player says, or show it again."""
        self.ignored ^= {seat}

    # Whose layout.

    def watch_next(self) -> None:
        """Look at the next player's layout, as a spectator does."""
        seats = self._place.view.hand_seats
        if seats and self._place.seat not in seats:
            focus = self.focus
            place = seats.index(focus) + 1 if focus in seats else 0
            self._watched = seats[place % len(seats)]

    def look_around(self, now: int) -> None:
        """Look at one player after the other by itself, as a spectator may; or stop that."""
        self._turn_at = None if self._turn_at is not None else now + LOOK_MS
        told = "one player after the other" if self._turn_at is not None else "staying with this player"
        self.hands.say(told, now)

    def turn_round(self, now: int) -> bool:
        """Look at the next player, if it is time to; tell whether it was."""
        if self._turn_at is None or now < self._turn_at:
            return False
        self._turn_at = now + LOOK_MS
        self.watch_next()
        return True

    def watch(self, seat: int) -> None:
        """Look at a player's layout, as a spectator does."""
        if seat in self._place.view.hand_seats and self._place.seat not in self._place.view.hand_seats:
            self._watched = seat

    @property
    def focus(self) -> int | None:
        """The seat whose layout is drawn large: the own one, else the one that is watched, if any may be."""
        seats, seat = self._place.view.hand_seats, self._place.seat
        if seat in seats:
            return seat
        if self._place.view.is_private and not self.sees_all:
            return None
        return self._watched if self._watched in seats else next(iter(seats), None)

    # The picture.

    def scene(self, now: int, labels: Mapping[str, str], footer: Sequence[tuple[str, str]]) -> Scene:
        """Return what is to be drawn now."""
        view = self._place.view
        board, air = (None, {}) if view.board is None else self.hands.ahead()
        prompt, is_warning = self.prompt(now, labels)
        counting = view.phase is Phase.COUNTDOWN
        activity, hands = self.activity, self.hands
        return Scene(
            view=view,
            board=board,
            seat=self._place.seat,
            focus=self.focus,
            air=air,
            fresh=activity.fresh(now) if self.motion else frozenset(),
            slots={} if board is None else self._slot_places(board),
            held=hands.held,
            cursor=hands.cursor,
            fits=hands.fits(),
            dragged=self._dragged(),
            feed=activity.feed,
            pace=activity.pace(now),
            prompt=prompt,
            is_warning=is_warning,
            banner=self.banner(now),
            countdown=activity.seconds_to_signal(now) if counting else 0,
            elapsed_ms=activity.elapsed_ms(now),
            watchers=self._place.watchers,
            ping_ms=self.ping_ms,
            paint_ms=self.paint_ms,
            trouble=self.trouble,
            labels=labels,
            names=self._names(labels),
            alone=self.alone,
            standing=self.standing(),
            notice=self.notice,
            footer=footer,
        )

    def _names(self, labels: Mapping[str, str]) -> Mapping[int, str]:
        """Return what the keys of the piles are called."""
        rules, focus = self._place.view.rules, self.focus
        if rules is None or focus is None or self._place.view.board is None:
            return {}
        named = addresses(rules, self.hands.ahead()[0], focus)
        return {pile: labels[name] for name, pile in named.items() if name in labels}

    def banner(self, now: int) -> str:
        """Return the word that fills the screen now, for those who want to see words do so."""
        if self._place.view.paused:
            return "PAUSE"  # and nobody studies the cards meanwhile
        return self.activity.banner(now) if self.motion else ""

    def prompt(self, now: int, labels: Mapping[str, str]) -> tuple[str, bool]:
        """Return one line for the player, and whether it is a warning."""
        text, is_warning = self.hands.message(now)
        if text:
            return text, is_warning
        if self.hands.held is not None:
            return self._holding(self.hands.held, labels), False
        return self.status() or self._advice(now, labels), False

    def _advice(self, now: int, labels: Mapping[str, str]) -> str:
        """Return what the player may want to do, where nothing else is to be said."""
        view, seat = self._place.view, self._place.seat
        text = ""
        if view.paused:
            who = labels.get("pause", "F9") if seat == view.host else "The host"
            text = f"The hand pauses. {who} lets it go on."
        elif view.phase in BEFORE_PLAY:
            text = BEFORE_PLAY[view.phase]
        elif seat is None:
            text = "" if view.in_hand else "The cards are dealt when the players are ready."
        elif view.between_matches:
            text = "Enter deals." if seat == view.host else _readiness(view, seat)
        elif view.phase is Phase.TALLY:
            text = _readiness(view, seat)
            if view.deals_by_itself and (seconds := self.activity.seconds_to_deal(now)):
                text += f" It is dealt in {seconds} s."
        elif seat in view.seats and seat not in view.hand_seats:
            text = "You play from the next deal on; these are another player's cards."
        elif self.hands.is_out():
            text = f'You are out: call "Demon!" with {labels.get("call", "the key for it")}.'
        elif seat in view.seats and view.phase is Phase.PLAYING:
            text = self._stuck(seat, labels)
        return text

    def _stuck(self, seat: int, labels: Mapping[str, str]) -> str:
        """Return who is stuck by now; nothing where nobody is."""
        said, asked = self._place.view.stuck()
        if self._place.view.seats[seat].stuck:
            return f"You have said that you are stuck ({said} of {asked} {'has' if said == 1 else 'have'})."
        if not said:
            return ""
        verb = "is" if said == 1 else "are"
        return f"{said} of {asked} {verb} stuck; {labels.get('stuck', 'say so')} if you are, too."

    def _holding(self, held: Grip, labels: Mapping[str, str]) -> str:
        board = self.hands.board()
        cards = held.of(board.cards[held.pile])
        text = "holding " + " ".join(self.glyphs.card(card) for card in cards)
        if not self._place.view.options.hints:
            return text
        fits, view = self.hands.fits(), self._place.view
        assert view.rules is not None
        assert self._place.seat is not None
        piles = addresses(view.rules, board, self._place.seat)
        keys = [labels.get(name, "") for name, pile in piles.items() if pile in fits]
        up = ["up"] if any(board.piles[pile].kind is Kind.FOUNDATION for pile in fits) else []
        return f"{text}   fits: {' '.join([*keys, *up]) or 'nowhere'}"

    def _dragged(self) -> Dragged | None:
        held, at = self.hands.held, self.hands.dragged
        if held is None or at is None:
            return None
        return Dragged(*at, tuple(held.of(self.hands.board().cards[held.pile])))

    def _slot_places(self, board: Board) -> Mapping[int, tuple[int, int]]:
        rules = self._place.view.rules
        assert rules is not None
        if self._slots is None or self._slots.seat != self.focus:
            self._slots = Slots(rules, self.focus)
        return self._slots.places(board)


def _readiness(view: TableView, seat: int) -> str:
    """Return what a player may want to do about the next deal."""
    is_ready = view.seats[seat].ready if seat in view.seats else False
    if view.between_matches:
        return "You are ready; Enter takes it back." if is_ready else "Enter says that you are ready."
    if is_ready:
        return "You are ready for the next hand; Enter takes it back."
    return "Enter: ready for the next hand."
