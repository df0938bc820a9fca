"""The view model of a table's screen: everything that is drawn, independent of Textual.

Reads no clock: times are milliseconds on the caller's monotonic clock.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final

from racing_demon_client.shared.guide_text import goal_text
from racing_demon_client.shared.lesson import can_learn
from racing_demon_client.shared.message_text import MessageText
from racing_demon_client.shared.pile_names import addresses
from racing_demon_client.shared.seat_text import ready_text
from racing_demon_client.shared.table_view import focus_of
from racing_demon_client.shared.trackers import Meaning, TableTracker
from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.formatting import join_words
from racing_demon_protocol.table.state import DEALT, TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import (
    Accepted,
    CaughtUp,
    Halted,
    Pong,
    Refused,
    Seated,
    ServerNotice,
    Snapshot,
    SpectatorList,
    Watchers,
)

from .drawing.foundations import FoundationSlots
from .drawing.scene import About, CardRange, DraggedCards, FeedLine, Scene
from .selection import NO_ADVICE, Advice, Selection, TableLike
from .style import UNICODE, Glyphs, Role, screen_text

FRESH_MS: Final = 400
BANNER_MS: Final = 2_500
MAX_FEED: Final = 200
MAX_AWAITED: Final = 2
"""So many players for whom others wait are named."""
QUIET_MS: Final = 1_500
"""After a play, before a newcomer is told the next one."""
OTHERS_CARDS: Final = "These are another player's cards."
IDLE_MS: Final = 10_000
"""Before it is shown on the table, too."""


class SoundCue(StrEnum):
    """An event that deserves a sound."""

    SIGNAL = "signal"
    BEATEN = "beaten"
    DEMON = "demon"


class RecentActivity:
    """What happened recently at one table.

    Attributes:
        feed: the lines of the feed, newest last.
        word: the banner shown when somebody goes out.

    """

    def __init__(self) -> None:
        self.feed: deque[FeedLine] = deque(maxlen=MAX_FEED)
        self.word = "DEMON!"
        self._fresh: dict[int, int] = {}
        self._signal_at = 0
        self._ended_ms: int | None = None
        self._banner_until = 0
        self._deal_at = 0
        self._paused_ms: int | None = None

    def start_from(self, view: TableState, now: int, elapsed_ms: int) -> None:
        """Start from a table's current state.

        Args:
            view: the table.
            now: the time.
            elapsed_ms: milliseconds since the signal; negative before it.

        """
        self._signal_at = now - elapsed_ms
        is_over = view.phase in {Phase.TALLY, Phase.OVER, Phase.SHUFFLING} and bool(view.results)
        self._ended_ms = view.results[-1].elapsed_ms if is_over else None
        self._deal_at = 0
        if view.phase is Phase.TALLY and self._ended_ms is not None and elapsed_ms >= self._ended_ms:
            self._deal_at = self._signal_at + self._ended_ms + view.options.tally_ms
        self._banner_until = 0
        self._paused_ms = elapsed_ms if view.paused else None
        self._fresh.clear()

    def observe(self, message: Message, view: TableState, now: int) -> SoundCue | None:
        """Record a message that the view has already applied; return the sound it deserves."""
        match message:
            case Snapshot():
                self.start_from(view, now, message.elapsed_ms)
            case ev.Dealt():
                self.start_from(view, now, -message.countdown_ms)
            case ev.Signalled():
                self._signal_at = now
                return SoundCue.SIGNAL
            case ev.Played():
                self._fresh |= {message.source: now + FRESH_MS, message.destination: now + FRESH_MS}
            case ev.Paused() | ev.Continued():
                self._stop_or_resume_clock(message, now)
            case ev.HandOver():
                self._ended_ms = message.elapsed_ms
                self._deal_at = now + view.options.tally_ms
                if message.reason is EndReason.OUT and now >= self._banner_until:
                    return self._call(now)
            case ev.Called():
                return self._call(now)
            case Refused() if message.reason is Reason.BEATEN:
                return SoundCue.BEATEN
        return None

    def _stop_or_resume_clock(self, event: ev.Paused | ev.Continued, now: int) -> None:
        if isinstance(event, ev.Paused):
            self._paused_ms = now - self._signal_at
        else:
            self._paused_ms = None
            self._signal_at = now - event.elapsed_ms
            self._set_back(event.elapsed_ms)

    def _set_back(self, elapsed_ms: int) -> None:
        """Move times back that lie ahead of the server's clock."""
        for number, line in reversed([*enumerate(self.feed)]):
            if line.at_ms is None or line.at_ms <= elapsed_ms:
                break
            self.feed[number] = replace(line, at_ms=elapsed_ms)

    def _call(self, now: int) -> SoundCue:
        self._banner_until = now + BANNER_MS
        return SoundCue.DEMON

    # Queries.

    def elapsed_ms(self, now: int) -> int:
        """Return the time since the signal, or the length of a finished hand; 0 before the signal."""
        if self._ended_ms is not None:
            return self._ended_ms
        return max(0, now - self._signal_at if self._paused_ms is None else self._paused_ms)

    def seconds_to_signal(self, now: int, wait_ms: int = 0) -> int:
        """Return the seconds until the signal, or one ``wait_ms`` later, rounded up; 0 after it."""
        elapsed = now - self._signal_at if self._paused_ms is None else self._paused_ms
        return max(0, -((elapsed - wait_ms) // 1_000))

    def seconds_to_deal(self, now: int) -> int:
        """Return the seconds until the next automatic deal, rounded up; 0 if unknown."""
        return max(0, -((now - self._deal_at) // 1_000))

    def banner(self, now: int) -> str:
        """Return the word that fills the screen now."""
        return self.word if now < self._banner_until else ""

    def fresh(self, now: int) -> frozenset[int]:
        """Return the piles that have just changed."""
        self._fresh = {pile: until for pile, until in self._fresh.items() if until > now}
        return frozenset(self._fresh)


OWN_ONLY, FOUNDATIONS_TOO, EVERYTHING = range(3)


class FeedText:
    """The feed beside the cards: events in a few words.

    Args:
        view: the table, which has applied a message before it is described.
        seat: this player's seat; ``None`` for a spectator.
        volume: how much to report about others: 0 nothing, 1 foundation plays, 2 everything.
        glyphs: the glyphs to use.

    """

    def __init__(self, view: TableState, seat: int | None, volume: int, glyphs: Glyphs) -> None:
        self._view = view
        self._seat = seat
        self._volume = volume
        self._glyphs = glyphs
        self._words = MessageText(view, seat, card_name=glyphs.card_text)

    def line(self, message: Message, at_ms: int | None, refused: Play | None = None) -> FeedLine | None:
        """Return the feed's line for a message, or ``None``.

        Args:
            message: the message.
            at_ms: milliseconds since the signal; ``None`` outside a hand.
            refused: this player's play that the message refuses, if any.

        """
        match message:
            case Accepted() | CaughtUp() | Pong() | Seated() | Snapshot() | SpectatorList() | Watchers():
                return None
            case ev.Played():
                text = self._played(message)
                role = Role.ACCENT if message.seat == self._seat else Role.TEXT
                return FeedLine(at_ms, text, role, About.HAND) if text else None
            case ev.Progressed() if message.seat == self._seat or self._volume < EVERYTHING:
                return None  # shown beside the player's name
            case Refused():
                return FeedLine(at_ms, self._refused(message, refused), Role.WARNING, About.HAND)
        sentence, about = self._words.describe(message), _about(message, self._view)
        return FeedLine(at_ms, screen_text(sentence), _role(message), about) if sentence else None

    def _played(self, event: ev.Played) -> str:
        board, card = self._view.board, self._glyphs.card_text
        assert board is not None
        volume = max(self._volume, FOUNDATIONS_TOO) if event.seat == self._seat else self._volume
        source, destination = board.piles[event.source], board.piles[event.destination]
        who = screen_text(self._words.player_name(event.seat))
        if destination.kind is Kind.FOUNDATION:
            return "" if volume == OWN_ONLY else f"{who}: {card(board.cards[event.destination][-1])} up"
        if volume < EVERYTHING:
            return ""
        if destination.kind is Kind.STOCK:
            return f"{who}: waste turned over"
        if source.kind is Kind.STOCK and destination.kind is Kind.WASTE:
            return f"{who}: turned {event.count}"
        moved = board.cards[event.destination][-abs(event.count) :]
        return f"{who}: {' '.join(map(card, moved))} to {self._words.pile_name(destination)}"

    def _refused(self, message: Refused, play: Play | None) -> str:
        if message.reason is not Reason.BEATEN:
            return screen_text(self._words.refusal(message))
        card = _card(self._view, play)
        return screen_text(
            self._words.lost_race(message, "it" if card is None else self._glyphs.card_text(card))
        )


def _role(message: Message) -> Role:
    loud = (ev.HandOver, ev.MatchOver, ev.Called, ev.Signalled, ev.Paused, *ev.SPOKEN)
    if isinstance(message, Halted | ServerNotice):
        return Role.WARNING
    return Role.ACCENT if isinstance(message, loud) else Role.DIM


def _about(message: Message, view: TableState) -> About:
    if isinstance(message, ev.SPOKEN):
        return About.SAID
    if isinstance(message, ev.Committed):
        return About.NEW_HAND
    is_over = isinstance(message, ev.HandOver | ev.MatchOver)
    is_news = isinstance(message, Halted | ServerNotice)
    return About.HAND if is_over or (view.phase in DEALT and not is_news) else About.TABLE


def _card(view: TableState, play: Play | None) -> Card | None:
    """Return the card of a refused play: it is still in its place."""
    if play is None or view.board is None or not 0 <= play.source < len(view.board.piles):
        return None
    top = view.board.top(play.source)
    return None if top == UNKNOWN else top


BEFORE_PLAY: Final = {
    Phase.SHUFFLING: "The cards are being shuffled.",
    Phase.COUNTDOWN: "Look at your cards: play begins at the signal.",
}
LOOK_MS: Final = 10_000


class ViewModel:
    """The view model of one player or spectator.

    Attributes:
        selection: the player's selection and plays.
        activity: what happened recently.
        volume: how much the feed reports about other players.
        motion: whether changes flash and banners fill the screen.
        glyphs: the glyphs that the feed uses.
        trouble: the connection problem to show, if any.
        ping_ms: the last round trip.
        paint_ms: the last time from a key press to its picture.
        ignored: the seats whose chat is hidden.
        alone: whether this is a solo table.
        sees_all: whether all layouts are known even on identical deals, as in a server's record.
        standing: progress at a solo table.
        status: the prompt when there is no other; may be empty.
        notice: text shown over the cards until a key is pressed, line by line.
        advises: whether newcomers are told what helps.
        tracker: follows the table's messages for the player.

    Args:
        table: the table.

    """

    def __init__(
        self, table: TableLike, *, volume: int = 1, motion: bool = True, glyphs: Glyphs = UNICODE
    ) -> None:
        self.selection = Selection(table)
        self.activity = RecentActivity()
        self.volume = volume
        self.motion = motion
        self.glyphs = glyphs
        self.trouble = ""
        self.ping_ms: float | None = None
        self.paint_ms: float | None = None
        self._table = table
        self._slots: FoundationSlots | None = None
        self.ignored: set[int] = set()
        self.alone = False
        self.sees_all = False
        self.standing: Callable[[], str] = str
        self.status: Callable[[], str] = str
        self.notice: Sequence[str] = ()
        self.advises = False
        self._played_at = 0
        self._advised: tuple[object, Advice] = (None, NO_ADVICE)
        self._watched: int | None = None
        self._turn_at: int | None = None
        self.tracker = TableTracker(self.selection.hints)
        self._age: object = None

    # Table events.

    def observe(self, message: Message, now: int) -> SoundCue | None:
        """Record a message that the view has already applied; return the sound it deserves."""
        view, seat = self._table.view, self._table.seat
        meaning = self.tracker.observe(message, view, seat, now)
        match message:
            case Snapshot() | ev.Dealt():
                self._slots = None
                self.selection.clear()
            case ev.HandOver() | ev.Paused() | ev.Continued():
                self.selection.clear()
                self.selection.clear_message()
            case ev.Joined():
                self.ignored.discard(message.seat)
        cue = self._sound_cue(message, now)
        if isinstance(message, ev.Signalled) or (
            isinstance(message, ev.Played | ev.SeatSignalled)
            and message.seat == seat
            and not self._turned_past(message)
        ):
            self._played_at, self._advised = now, (None, NO_ADVICE)
        for text in meaning.devices:
            self.activity.feed.append(FeedLine(None, screen_text(text), Role.WARNING))
            self.selection.show_message(screen_text(text), now, is_warning=True)
        if meaning.is_news and not (isinstance(message, ev.SPOKEN) and message.seat in self.ignored):
            self._report(message, meaning, now)
            self._report_opened(message, meaning, now)
        return cue

    def _turned_past(self, message: Message) -> bool:
        """Return whether a play turns the stock while a card fits: who does that has not seen it."""
        board = self._table.view.board
        if not isinstance(message, ev.Played) or board is None or not self._advised[1].fits:
            return False
        return Kind.STOCK in {board.piles[message.source].kind, board.piles[message.destination].kind}

    def _sound_cue(self, message: Message, now: int) -> SoundCue | None:
        """Record a message among the recent activity; return its sound: of the signals, only one's own."""
        cue, seat = self.activity.observe(message, self._table.view, now), self._table.seat
        match message:
            case ev.SeatSignalled():
                return SoundCue.SIGNAL if message.seat == seat else None
            case ev.Signalled() if seat in self._table.view.waiting:
                return None
        return cue

    def _report(self, message: Message, meaning: Meaning, now: int) -> None:
        """Add a message's line to the feed, and show refusals; leave a player's own slips out of it."""
        view, seat, lost = self._table.view, self._table.seat, meaning.lost
        has_clock = not view.between_matches and view.phase is not Phase.SHUFFLING
        at_ms = self.activity.elapsed_ms(now) if has_clock else None
        line = FeedText(view, seat, self.volume, self.glyphs).line(message, at_ms, meaning.refused)
        if line is None:
            return
        if lost is not None:
            text = MessageText(view, seat, card_name=self.glyphs.card_text).describe_lost_race(lost)
            line = replace(line, text=screen_text(text))
        if isinstance(message, Refused):
            self.selection.show_message(line.text, now, is_warning=True)
        if lost is not None or not isinstance(message, Refused) or message.reason is Reason.BEATEN:
            self.activity.feed.append(line)

    def _report_opened(self, message: Message, meaning: Meaning, now: int) -> None:
        """Say which play of another player has ended that this player is stuck, if the message did that."""
        words = MessageText(self._table.view, self._table.seat, card_name=self.glyphs.card_text)
        text = words.describe_opened(message, meaning.opened)
        if text is not None:
            self.tell(text, now)
            self.selection.show_message(screen_text(text), now)

    def tell(self, text: str, now: int) -> None:
        """Add to the feed what concerns this player most."""
        at_ms = self.activity.elapsed_ms(now)
        about = About.HAND if self._table.view.phase in DEALT else About.TABLE
        self.activity.feed.append(FeedLine(at_ms, screen_text(text), Role.ACCENT, about))

    def record_sent(self, counter: int, play: Play, now: int) -> None:
        """Record when a play was sent and under which counter, to explain a refusal."""
        self.tracker.record_play(counter, play, now)

    def has_changed_by_time(self, now: int) -> bool:
        """Return whether the passage of time has changed the picture since the last call."""
        activity = self.activity
        age = (
            activity.elapsed_ms(now) // 1_000,
            self._seconds_to_signal(now),
            activity.seconds_to_deal(now),
            self.banner(now),
            activity.fresh(now),
            self.selection.message(now),
            self.trouble,
        )
        aged, self._age = age != self._age, age
        return aged

    def touch(self) -> None:
        """Mark the picture as changed for a reason other than time."""
        self._age = None

    def ignore(self, seat: int) -> None:
        """Toggle whether a player's chat is hidden."""
        self.ignored ^= {seat}

    # The seat in focus.

    def watch_next(self) -> None:
        """Watch the next player."""
        seats = self._table.view.hand_seats
        if seats and self._table.seat not in seats:
            focus = self.focus
            place = seats.index(focus) + 1 if focus in seats else 0
            self._watched = seats[place % len(seats)]

    def toggle_rotation(self, now: int) -> None:
        """Toggle rotating through the players automatically."""
        self._turn_at = None if self._turn_at is not None else now + LOOK_MS
        text = "one player after the other" if self._turn_at is not None else "staying with this player"
        self.selection.show_message(text, now)

    def rotate_if_due(self, now: int) -> bool:
        """Rotate to the next player if it is time; return whether it was."""
        if self._turn_at is None or now < self._turn_at:
            return False
        self._turn_at = now + LOOK_MS
        self.watch_next()
        return True

    def watch(self, seat: int) -> None:
        """Watch a player's layout."""
        if seat in self._table.view.hand_seats and not self._table.view.plays_hand(self._table.seat):
            self._watched = seat

    @property
    def focus(self) -> int | None:
        """The seat whose layout is drawn large: this player's own, or the one being watched."""
        view, seat = self._table.view, self._table.seat
        if view.is_private and not self.sees_all and not view.plays_hand(seat):
            return None
        return focus_of(view, seat, self._watched)

    # The picture.

    def scene(self, now: int, labels: Mapping[str, str], footer: Sequence[tuple[str, str]]) -> Scene:
        """Return everything to draw now."""
        view = self._table.view
        board, unconfirmed = (None, {}) if view.hand is None else self.selection.predicted_board()
        prompt, is_warning = self.prompt(now, labels)
        counting = view.phase is Phase.COUNTDOWN or self._table.seat in view.waiting
        activity, selection = self.activity, self.selection
        return Scene(
            view=view,
            board=board,
            seat=self._table.seat,
            focus=self.focus,
            unconfirmed=unconfirmed,
            fresh=activity.fresh(now) if self.motion else frozenset(),
            slots={} if board is None else self._slot_places(board),
            held=selection.held,
            cursor=selection.cursor,
            fits=selection.fits(),
            dragged=self._dragged(),
            feed=activity.feed,
            prompt=prompt,
            is_warning=is_warning,
            banner=self.banner(now),
            countdown=self._seconds_to_signal(now) if counting else 0,
            elapsed_ms=activity.elapsed_ms(now),
            watchers=self._table.watchers,
            ping_ms=self.ping_ms,
            paint_ms=self.paint_ms,
            trouble=self.trouble,
            labels=labels,
            names={} if board is None else self._names(labels, board),
            alone=self.alone,
            standing=self.standing(),
            notice=self.notice,
            footer=footer,
        )

    def _seconds_to_signal(self, now: int) -> int:
        """Return the seconds until this player's own signal."""
        return self.activity.seconds_to_signal(now, self._table.view.wait_ms(self._table.seat))

    def _names(self, labels: Mapping[str, str], board: Board) -> Mapping[int, str]:
        """Return the label of each pile's key."""
        hand, focus = self._table.view.hand, self.focus
        if hand is None or focus is None:
            return {}
        named = addresses(hand.rules, board, focus)
        return {pile: labels[name] for name, pile in named.items() if name in labels}

    def banner(self, now: int) -> str:
        """Return the banner to show now, if the player wants banners."""
        if self._table.view.paused:
            return "PAUSE"  # also keeps anyone from studying the cards
        return self.activity.banner(now) if self.motion else ""

    def prompt(self, now: int, labels: Mapping[str, str]) -> tuple[str, bool]:
        """Return the prompt, and whether it is a warning."""
        text, is_warning = self.selection.message(now)
        if text:
            return text, is_warning
        if self.selection.held is not None:
            return self._holding(self.selection.held, labels), False
        return self.status() or self._advice(now, labels), False

    def _advice(self, now: int, labels: Mapping[str, str]) -> str:
        """Return what the player might do next, when there is nothing else to say."""
        view, seat = self._table.view, self._table.seat
        text = ""
        if view.paused:
            who = labels.get("pause", "F9") if seat == view.host else "The host"
            text = f"The hand is paused. {who} resumes it."
        elif view.phase in BEFORE_PLAY:
            text = BEFORE_PLAY[view.phase]
        elif seat is None:
            text = _watching(view)
        elif view.between_matches:
            what = f"deals a rematch. {_others_ready(view)}" if view.phase is Phase.OVER else "deals."
            text = f"Enter {what}".rstrip() if seat == view.host else _readiness(view, seat)
        elif view.phase is Phase.TALLY:
            text = _readiness(view, seat)
            if view.deals_by_itself and (seconds := self.activity.seconds_to_deal(now)):
                text += f" The next deal is in {seconds} s."
        elif seat in view.seats and not view.plays_hand(seat):
            learns = self.advises and "learn" in labels and can_learn(view, seat)
            shows = f"{labels['learn']}: learn while you wait." if learns else OTHERS_CARDS
            text = f"You play from the next deal. {shows}"
        elif self.selection.is_out():
            text = f'You are out: call "Demon!" with {labels.get("call", "the key for it")}.'
        elif seat in view.seats and view.phase is Phase.PLAYING:
            text = self._advice_in_play(seat, now, labels)
        return text

    def _advice_in_play(self, seat: int, now: int, labels: Mapping[str, str]) -> str:
        """Return when the player may begin, or who is stuck; empty if there is nothing to say."""
        if seat in self._table.view.waiting:
            return f"The others have a head start: you may play in {self._seconds_to_signal(now)} s."
        said, asked = self._table.view.stuck()
        advice = self._newcomers_advice(now, labels) if self.advises and not self.alone else NO_ADVICE
        if self._table.view.seats[seat].stuck:
            if advice.fits:
                return f"You have said Stuck too soon. {advice.text}"
            return f"You declared that you are stuck ({said} of {asked} {'has' if said == 1 else 'have'})."
        if not said or (advice.text and self._table.view.options.hints):
            return advice.text  # whoever is waited for needs it most
        verb = "is" if said == 1 else "are"
        return f"{said} of {asked} {verb} stuck; {labels.get('stuck', 'say so')} if you are, too."

    def _newcomers_advice(self, now: int, labels: Mapping[str, str]) -> Advice:
        """Return what helps, once the player has hesitated; without hints, what the hand is about."""
        idle, view = now - self._played_at, self._table.view
        if not view.options.hints:
            assert view.hand is not None
            goal = goal_text(view.hand.rules.game) or "This table plays without hints."
            return Advice(f"{goal} {labels.get('help', 'The help')}: how to play.")
        if idle < QUIET_MS:
            return NO_ADVICE
        at = (view.seq, len(self._table.unanswered), idle >= IDLE_MS)
        if self._advised[0] != at:
            advice = self.selection.advice(labels, self.glyphs.card_text, points=idle >= IDLE_MS)
            self._advised = (at, advice)
        return self._advised[1]

    def _holding(self, held: CardRange, labels: Mapping[str, str]) -> str:
        board = self.selection.board()
        cards = held.of(board.cards[held.pile])
        text = "holding " + " ".join(self.glyphs.card_text(card) for card in cards)
        key = labels.get("drop")  # told here: in the footer it would move the others as it comes and goes
        back = f"   {key} puts {'it' if len(cards) == 1 else 'them'} back" if key else ""
        if not self._table.view.options.hints:
            return text + back
        fits, view = self.selection.fits(), self._table.view
        assert view.hand is not None
        assert self._table.seat is not None
        piles = addresses(view.hand.rules, board, self._table.seat)
        keys = [labels.get(name, "") for name, pile in piles.items() if pile in fits]
        up = ["up"] if any(board.piles[pile].kind is Kind.FOUNDATION for pile in fits) else []
        return f"{text}   fits: {' '.join([*keys, *up]) or 'nowhere'}{back}"

    def _dragged(self) -> DraggedCards | None:
        held, at = self.selection.held, self.selection.dragged
        if held is None or at is None:
            return None
        return DraggedCards(*at, tuple(held.of(self.selection.board().cards[held.pile])))

    def _slot_places(self, board: Board) -> Mapping[int, tuple[int, int]]:
        hand = self._table.view.hand
        assert hand is not None
        if self._slots is None or self._slots.seat != self.focus:
            self._slots = FoundationSlots(hand.rules, self.focus)
        return self._slots.places(board)


def _awaited(view: TableState) -> str:
    """Return for whom the next deal waits; empty if for nobody, or for many."""
    names = [each.name for each in view.seats.values() if not (each.left or each.bot or each.ready)]
    return join_words(names) if 0 < len(names) <= MAX_AWAITED else ""


def _others_ready(view: TableState) -> str:
    """Return how many are ready, in a sentence, where there are several people; the lobby lists them."""
    people = [each for each in view.seats.values() if not (each.left or each.bot)]
    return f"{ready_text(view)}." if len(people) > 1 else ""


def _watching(view: TableState) -> str:
    """Return what a spectator waits for; empty during a hand."""
    waiting = "A rematch" if view.phase is Phase.OVER else "The next deal"
    return "" if view.in_hand else f"You watch. {waiting} waits for {_awaited(view) or 'all players'}."


def _readiness(view: TableState, seat: int) -> str:
    """Return what a player can do about the next deal."""
    is_ready = view.seats[seat].ready if seat in view.seats else False
    if is_ready and (awaited := _awaited(view)):
        return f"Ready, waiting for {awaited}. Enter: not yet."
    if view.between_matches and is_ready:
        return "You are ready. Enter: not yet."
    if view.phase is Phase.OVER:
        return f"Press Enter for a rematch. {_others_ready(view)}".rstrip()
    if view.between_matches:
        return "Press Enter when you are ready."
    if is_ready:
        return "You are ready for the next hand. Enter: not yet."
    return "Press Enter when ready for the next hand."
