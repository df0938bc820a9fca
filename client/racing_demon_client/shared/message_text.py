"""Messages as sentences, one line each, for people and screen readers."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import zip_longest
from typing import Final

from racing_demon_protocol.engine.board import Board, Kind, Pile, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card, name
from racing_demon_protocol.enums import EndReason, Reaction, Reason
from racing_demon_protocol.formatting import format_duration, join_words, pluralize, printable
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Message, name_of
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import (
    Halted,
    RaceLost,
    Refused,
    Seated,
    SeatState,
    ServerNotice,
    Snapshot,
    SpectatorList,
    SpectatorState,
    Watchers,
)

from .match_text import PHRASES, hand_text, name_text
from .option_text import called, in_words, options_text
from .pile_names import is_racelike, pile_labels
from .seat_text import handicap_text, team_name
from .trackers import LostRace

TOO_LONG: Final = "there were as many plays as a hand may have"
"""Why a hand ended before its time was up."""
SHORT_US: Final = 100_000
"""Below this, tenths of a second mean nothing."""
LISTED: Final = "where this server lists its tables, everybody finds this one"
"""What a host is told who has put a table into the lists."""
Write = Callable[[str], None]
"""Writes one line, given without its newline."""

REACTIONS: Final = {
    Reaction.WELL_PLAYED: "well played!",
    Reaction.THANKS: "thank you!",
    Reaction.OH_NO: "oh no!",
    Reaction.LAUGH: "ha ha!",
    Reaction.HURRY: "come on!",
    Reaction.SORRY: "sorry!",
}
"""The names of reactions; a screen may show symbols instead."""


def duration(milliseconds: int) -> str:
    """Return a time in minutes and seconds, such as ``2:05``."""
    seconds = max(0, milliseconds) // 1_000
    return f"{seconds // 60}:{seconds % 60:02}"


def spectator_text(state: SpectatorState) -> str:
    """Return what the host knows of a spectator."""
    minutes = state.seconds // 60
    since = f"for {pluralize(minutes, 'minute')}" if minutes else "since just now"
    people = f", {pluralize(state.people, 'person', 'people')} at a relay" if state.people != 1 else ""
    return f"spectator {state.spectator} {since}{people}"


END_QUESTION: Final = "End the match now? It counts as it stands, and whoever leads has won."


def kick_question(state: SeatState, unban: str) -> str:
    """Return the question that the host confirms before a kick.

    Args:
        state: the seat of the player.
        unban: how the host lets the player back in.

    """
    if state.bot:
        return f"Remove the bot {printable(state.name)}?"
    return (
        f"Kick {printable(state.name)}? They stay out until the match is over, "
        f"or until you let them back in ({unban})."
    )


class MessageText:
    """Describes the events of one table.

    Args:
        view: the table, which has applied a message before it is described.
        seat: this player's seat, which is called "you"; ``None`` for a spectator.
        ascii_only: whether suits are written as letters.
        card_name: returns a card's name where screens call it otherwise than lines of text do.

    """

    def __init__(
        self,
        view: TableState,
        seat: int | None,
        *,
        ascii_only: bool = False,
        card_name: Callable[[Card], str] | None = None,
    ) -> None:
        self._view = view
        self._seat = seat
        self._card_name = card_name or partial(name, ascii_only=ascii_only)

    def describe(self, message: Message) -> str | None:
        """Return the line for a message, or ``None`` if there is nothing to say."""
        describe: Callable[[Message], str] | None = getattr(self, f"_{name_of(message)}", None)
        return None if describe is None else describe(message) or None

    def describe_opened(self, message: Message, opened: Mapping[int, Play]) -> str | None:
        """Return the line for a play that freed this player, who had declared being stuck.

        Args:
            message: the message.
            opened: the plays that it made possible, by seat.

        """
        board = self._view.board
        play = None if self._seat is None else opened.get(self._seat)
        if not isinstance(message, ev.Played) or play is None or board is None:
            return None
        who = self.player_name(message.seat)
        top, card = board.top(message.destination), board.top(play.source)
        if board.piles[play.destination].kind is not Kind.FOUNDATION or top is None or card is None:
            return f"{who} played: you can play again"
        return f"{who} played {self.card(top)}: your {self.card(card)} can go up"

    def describe_lost_race(self, lost: LostRace) -> str:
        """Return the line for a race lost before the key was pressed: ``2♠: Bob was 0.3 s faster``."""
        late_us = lost.late_us
        by = format_duration(late_us) if late_us < SHORT_US else f"{late_us / 1_000_000:.1f} s"
        return f"{self.card(lost.card)}: {self.player_name(lost.seat)} was {by} faster"

    def player_name(self, seat: int | None) -> str:
        """Return a player's name."""
        if seat is None:
            return "nobody"
        if seat == self._seat:
            return "you"
        state = self._view.seats.get(seat)
        name = state.name if state else self._view.gone.get(seat, "")
        return printable(name or self._view.player(seat)) or f"seat {seat + 1}"

    def card(self, card: Card) -> str:
        """Return a card's name."""
        return self._card_name(card)

    def pile_name(self, pile: Pile) -> str:
        """Return a pile's name, and the letter to type for it if it has one."""
        name, label = self._plain_pile_name(pile), self._pile_label(pile)
        return f"{name} ({label})" if label else name

    def _plain_pile_name(self, pile: Pile) -> str:
        hand = self._view.hand
        match pile.kind:
            case Kind.FOUNDATION:
                return "the foundations"
            case Kind.OUT:
                return "the discards"
            case Kind.TABLEAU if hand is None or is_racelike(hand.rules, hand.seats[0]):
                return f"column {pile.index + 1}"
            case Kind.STOCK | Kind.WASTE | Kind.RESERVE as kind if not self._is_one_of_many(pile):
                return f"the {kind}"
            case _ if self._is_one_of_many(pile):
                return f"{pile.group} {pile.index + 1}"
            case _:
                return f"the {pile.group}"

    def _pile_label(self, pile: Pile) -> str:
        hand, seat = self._view.hand, self._seat
        if hand is None or seat is None or seat not in hand.seats:
            return ""
        lettered = pile.kind not in {Kind.FOUNDATION, Kind.OUT} and not is_racelike(hand.rules, seat)
        return pile_labels(hand.rules, hand.board, seat).get(pile.number, "") if lettered else ""

    def _is_one_of_many(self, pile: Pile) -> bool:
        board = self._view.board
        others = board.piles if board is not None else ()
        return any((p.group, p.seat, p.index) == (pile.group, pile.seat, 1) for p in others)

    # One method per message, by its name on the wire.

    def _played(self, event: ev.Played) -> str:
        board = self._view.board
        assert board is not None
        source, destination = board.piles[event.source], board.piles[event.destination]
        who = self.player_name(event.seat)
        if source is destination:
            return f"{who}: gathered all cards, to deal them again"
        if source.kind is Kind.WASTE and destination.kind is Kind.STOCK:
            return f"{who}: waste turned over, {pluralize(event.count, 'card')}"
        if source.kind is Kind.STOCK and destination.kind is Kind.WASTE:
            return f"{who}: turned {event.count}, waste shows {self._top(board, destination)}"
        cards, count = board.cards[event.destination], abs(event.count)
        slips_under = destination.under is not None and source.kind is not Kind.STOCK
        moved = cards[:count] if slips_under else cards[-count:]
        moves = f"from {self.pile_name(source)} to {self.pile_name(destination)}"
        line = f"{who}: {' '.join(map(self.card, moved))} {moves}"
        if board.cards[event.source] and source.kind in {Kind.TABLEAU, Kind.WASTE, Kind.RESERVE}:
            top = board.cards[event.source][-1]
            if top in event.shown:
                line += f", {self.pile_name(source)} shows {self.card(top)}"
        elif not board.cards[event.source] and source.kind is Kind.TABLEAU:
            line += f", {self.pile_name(source)} is empty"
        return line

    def _top(self, board: Board, pile: Pile) -> str:
        top = board.top(pile.number)
        return "nothing" if top is None else self.card(top)

    def lost_race(self, message: Refused, card: str = "it") -> str:
        """Return who was faster with a play, and by how much."""
        return f"{self.player_name(message.by)} beat you to {card} by {format_duration(message.late_us)}"

    def refusal(self, message: Refused) -> str:
        """Return the server's sentence, with the names of options on screens."""
        return in_words(message.text) if message.reason is Reason.BAD_OPTION else message.text

    def _refused(self, message: Refused) -> str:
        if message.reason is Reason.BEATEN:
            line = f"refused: {self.lost_race(message)}"
        else:
            line = f"refused: {printable(self.refusal(message))}"
        if message.top != UNKNOWN:
            line += f" (the pile shows {self.card(message.top)})"
        return line

    def _seated(self, message: Seated) -> str:
        if message.seat is None:
            return f"you watch table {printable(message.code)}"
        return f"you have seat {message.seat + 1} at table {printable(message.code)}"

    def _snapshot(self, message: Snapshot) -> str:
        there = (
            (state, handicap_text(state.handicap)) for state in self._view.seats.values() if not state.left
        )
        people = ", ".join(
            self.player_name(state.seat) + (f" ({handicap})" if handicap else "") for state, handicap in there
        )
        people = people or "nobody"
        hand = (
            f"{hand_text(message.hand, message.options, ', ', message.last_hand)}, " if message.hand else ""
        )
        game = printable(name_text(message.options))
        casual = f"{called('casual')}, " if message.options.casual else ""
        casual += f"{PHRASES['known']}, " if message.known_deal is not None else ""
        text = f"table {printable(message.code)}: {game}, {casual}{hand}{message.phase}; {people}"
        is_late = self._view.in_hand and self._seat is not None and not self._view.plays_hand(self._seat)
        return f"{text}; you play from the next deal" if is_late else text

    def _joined(self, event: ev.Joined) -> str:
        kind = f", a bot ({printable(event.bot)})" if event.bot else ", a program" * event.program
        start = f", and starts at {event.start}, the lowest total" if event.start else ""
        return f"{self.player_name(event.seat)} took seat {event.seat + 1}{kind}{start}"

    def _left(self, event: ev.Left) -> str:
        was = "were" if event.seat == self._seat else "was"
        how = f"{was} kicked by the host" if event.kicked else "left the table"
        if event.seat == self._seat and not event.kicked:
            how += "; you can watch, or quit with q"
            how += "" if self._view.between_matches else ". Join again to play on in this match"
        return f"{self.player_name(event.seat)} {how}"

    def _returned(self, event: ev.Returned) -> str:
        are, play = ("are", "play") if event.seat == self._seat else ("is", "plays")
        later = f", and {play} from the next deal" if event.seat in self._view.sitting_out else ""
        return f"{self.player_name(event.seat)} {are} back, with all points{later}"

    def _connected(self, event: ev.Connected) -> str:
        return f"{self.player_name(event.seat)}: connection {'back' if event.connected else 'lost'}"

    def _readied(self, event: ev.Readied) -> str:
        return f"{self.player_name(event.seat)}: {'ready' if event.ready else 'not ready'}"

    def _hosted(self, event: ev.Hosted) -> str:
        if event.seat is not None and event.seat == self._seat:
            absent = "" if event.absent_host is None else self.player_name(event.absent_host)
            absent = "whoever opened the table" if event.absent_watcher else absent
            until = f", until {absent} is back" if absent else ""
            return f"you are the host now{until}: you deal, pause the hand, and keep order"
        return f"host: {self.player_name(event.seat)}"

    def _options_set(self, event: ev.OptionsSet) -> str:
        return f"options: {printable(name_text(event.options))}, {options_text(event.options)}"

    def _committed(self, event: ev.Committed) -> str:
        people = [self.player_name(each.seat) for each in self._view.contributions]
        shuffled = f", shuffled by {join_words([*people, 'the server'])}" if people else ""
        known = f", {PHRASES['known']}" if event.known_deal is not None else ""
        hand = hand_text(event.hand, self._view.options, ", ", self._view.last_hand)
        return f"{hand}{shuffled}{known}"

    def _prepared(self, event: ev.Prepared) -> str:
        view = self._view
        if not (view.is_draw_void and view.unrevealed):
            return ""
        who = [self.player_name(seat) for seat in view.unrevealed]
        own = "s" if who != ["you"] and len(who) == 1 else ""
        parts = "that part" if len(who) == 1 else "those parts"
        return (
            f"a part of the shuffle is missing: {join_words(who)} sit{own} this hand out, and it is drawn "
            f"anew without {parts}"
        )

    def _dealt(self, event: ev.Dealt) -> str:
        seconds = f"{round(event.countdown_ms / 1_000, 1):g}"
        line = "the cards are dealt"
        if event.countdown_ms:
            line += f"; play begins in {seconds} second{'' if seconds == '1' else 's'}"
            if wait_ms := self._view.wait_ms(self._seat):
                line += f", and for you {pluralize(wait_ms // 1_000, 'second')} later"
        if not event.left_out:
            return line
        verb = "was" if len(event.left_out) == 1 and event.left_out[0] != self._seat else "were"
        names = join_words([self.player_name(seat) for seat in event.left_out])
        return f"{line}; {names} {verb} left out of the shuffle"

    def _signalled(self, event: ev.Signalled) -> str:
        wait_ms = self._view.wait_ms(self._seat)
        return f"the others play; you may in {pluralize(wait_ms // 1_000, 'second')}" if wait_ms else "play!"

    def _seat_signalled(self, event: ev.SeatSignalled) -> str:
        return "play!" if event.seat == self._seat else f"{self.player_name(event.seat)} may play now"

    def _handicap_set(self, event: ev.HandicapSet) -> str:
        text = handicap_text(event.handicap) or "none any more"
        whose = "your handicap" if event.seat == self._seat else f"handicap of {self.player_name(event.seat)}"
        return f"{whose}: {text}"

    def _stuck_said(self, event: ev.StuckSaid) -> str:
        said, asked = self._view.stuck()
        return f"{self.player_name(event.seat)}: stuck ({said} of {asked})"

    def _progressed(self, event: ev.Progressed) -> str:
        assert self._view.hand is not None
        place = scoring.race_order(self._view.hand).index(event.seat) + 1
        return f"{self.player_name(event.seat)}: progress {event.progress}, place {place}"

    def _said(self, event: ev.Said) -> str:
        says = "say" if event.seat == self._seat else "says"
        return f"{self.player_name(event.seat)} {says}: {printable(event.text)}"

    def _paused(self, event: ev.Paused) -> str:
        if event.seat is not None:
            return f"{self.player_name(event.seat)} paused the hand"
        why = "the server cannot write to its disk" if event.by_server else "too few players are connected"
        return f"the hand is paused: {why}"

    def _continued(self, event: ev.Continued) -> str:
        return "the hand resumes"

    def _stood_in(self, event: ev.StoodIn) -> str:
        return f"a bot ({printable(event.bot)}) stands in for {self.player_name(event.seat)}"

    def _muted(self, event: ev.Muted) -> str:
        was, is_ = ("were", "are") if event.seat == self._seat else ("was", "is")
        verb = f"{was} muted" if event.muted else f"{is_} no longer muted"
        return f"{self.player_name(event.seat)} {verb}"

    def _team_set(self, event: ev.TeamSet) -> str:
        return f"{self.player_name(event.seat)}: {team_name(event.team)}"

    def _appearance_set(self, event: ev.AppearanceSet) -> str:
        who = "you are" if event.seat == self._seat else f"seat {event.seat + 1} is"
        return f"{who} {printable(event.name)} now"

    def _unbanned(self, event: ev.Unbanned) -> str:
        return f"{printable(event.name)} may come back"

    def _entry_closed(self, event: ev.EntryClosed) -> str:
        return "the table is locked: nobody new can take a seat" if event.closed else "the table is unlocked"

    def _late_start_set(self, event: ev.LateStartSet) -> str:
        return f"players who come later start at {'the lowest total' if event.lowest else '0'}"

    def _last_hand_set(self, event: ev.LastHandSet) -> str:
        if not event.hand:
            return "the match goes on after this hand"
        which = "this" if event.hand == self._view.hand_number else "the next"
        return f"{which} hand is the last one of the match"

    def _spectator_list(self, message: SpectatorList) -> str:
        there = "; ".join(map(spectator_text, message.spectators))
        return f"watching: {there}" if there else "nobody is watching"

    def _reacted(self, event: ev.Reacted) -> str:
        return f"{self.player_name(event.seat)}: {REACTIONS[event.reaction]}"

    def _watchers(self, message: Watchers) -> str:
        return f"watching: {message.count}"

    def _race_lost(self, message: RaceLost) -> str:
        card = "" if message.card == UNKNOWN else f"{self.card(message.card)}: "
        winner, loser = self.player_name(message.by), self.player_name(message.seat)
        return f"{card}{winner} beat {loser} by {format_duration(message.late_us)}"

    def _server_notice(self, message: ServerNotice) -> str:
        return f"from whoever runs this server: {printable(message.text)}"

    def _halted(self, message: Halted) -> str:
        if message.halted:
            return "the server cannot write to its disk: play resumes automatically, and nothing is lost"
        return "the server can write to its disk again"

    def _rotated(self, event: ev.Rotated) -> str:
        return "nobody can play: the top card of every stock goes to its bottom"

    def _stock_shifted(self, event: ev.StockShifted) -> str:
        whose = "your" if event.seat == self._seat else "their"
        return f"{self.player_name(event.seat)} moved the top card of {whose} stock to its bottom"

    def _called(self, event: ev.Called) -> str:
        return f"DEMON! called by {self.player_name(event.seat)}; plays already on their way still count"

    def _hand_over(self, event: ev.HandOver) -> str:
        why = {
            EndReason.OUT: f"DEMON! out: {self.player_name(event.out)}",
            EndReason.DEAD: "nobody can play any more",
            EndReason.STUCK: "everybody is stuck",
            EndReason.TIME_UP: TOO_LONG if self._view.is_early(event.elapsed_ms) else "the time is up",
            EndReason.ABANDONED: "everybody has left",
            EndReason.CLOSED: "the match was ended",
        }[event.reason]
        handicaps = self._view.hand.handicaps if self._view.hand is not None else ()
        points = ", ".join(
            f"{self.player_name(seat)} {points}"
            + (f" {own.points:+}" if own is not None and own.points else "")
            for seat, points, own in zip_longest(self._view.hand_seats, event.points, handicaps)
        )
        return f"hand {self._view.hand_number} is over after {duration(event.elapsed_ms)}: {why}; {points}"

    def _match_over(self, event: ev.MatchOver) -> str:
        winners = join_words([self.player_name(seat) for seat in event.winners] or ["nobody"])
        teams = scoring.teams_of(self._view)
        won = sorted({teams[seat] for seat in event.winners if seat in teams})
        if won:
            winners = f"{join_words([team_name(team) for team in won])} ({winners})"
        why = "the match was ended early" if event.closed else "the match is over"
        return f"{why}: {winners} won"
