"""The commands of seats and hosts: one method for each.

Times are microseconds on the caller's monotonic clock.
"""

from collections import deque
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Final

from racing_demon_protocol.constants import MAX_PILES, MAX_SEATS
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.enums import BotLevel, Phase, Reason
from racing_demon_protocol.errors import CommandRefused, IllegalPlay, InvalidGame
from racing_demon_protocol.formatting import join_words, pluralize
from racing_demon_protocol.games import declare
from racing_demon_protocol.table.appearance import seat_colors
from racing_demon_protocol.table.handicaps import is_harder, why_impossible
from racing_demon_protocol.table.state import IN_HAND
from racing_demon_protocol.table.suggestions import best_play
from racing_demon_protocol.wire.capabilities import (
    APPEARANCE,
    HANDICAPS,
    MODERATION,
    RETURNS,
    in_words,
    needed,
)
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options

from .contributions import Contributions
from .hand import Hand
from .lifecycle import PAUSABLE, MatchLifecycle
from .names import clean, clean_words, unique
from .seat_tokens import Actor
from .seats import Seats, most_players
from .state import JudgeState

PLAYER_COUNTS: Final = (1, 3, MAX_SEATS)
"""Counts of players that together give every number of columns that a game can have."""
MAX_CACHED_ANSWERS: Final = 8_192
"""Cached answers. There are fewer combinations of a game and its sizes."""


def verify_playable(options: Options) -> None:
    """Check that a game can be dealt with these options to any number of players.

    Raises:
        InvalidGame: it cannot be dealt.

    """
    for players in PLAYER_COUNTS:
        declare(options, players)
    reason = _why_unplayable(options.game, options.columns, options.columns_by_players, options.reserve)
    if reason:
        raise InvalidGame(reason)


# Hosts may change options often, so answers are cached, and as little as possible is built.
@lru_cache(maxsize=MAX_CACHED_ANSWERS)
def _why_unplayable(name: str, columns: int | None, columns_by_players: bool, reserve: int | None) -> str:
    """Return why a layout cannot be dealt, or an empty text.

    No other options change a layout, and all seats have the same piles, so one is enough.
    """
    sizes = Options(game=name, columns=columns, columns_by_players=columns_by_players, reserve=reserve)
    try:
        for game in {declare(sizes, players) for players in PLAYER_COUNTS}:
            if len(make_rules(game, (0,)).layout.piles) * MAX_SEATS > MAX_PILES:
                return f"{game.title} has too many piles for {MAX_SEATS} players."
    except InvalidGame as error:
        return str(error)
    return ""


RATED_DEAL: Final = "A known deal counts in no standings: the table must be casual."


def verify_casual(options: Options, known_deal: str | None) -> None:
    """Check that a known deal is played for no standings.

    Raises:
        CommandRefused: it would be rated.

    """
    if known_deal is not None and not options.casual:
        raise CommandRefused(Reason.BAD_OPTION, RATED_DEAL)


MAX_ILLEGAL_PLAYS: Final = 15
ILLEGAL_PLAYS_SPAN_US: Final = 2_000_000
ILLEGAL_PLAYS_WAIT_US: Final = 2_000_000
TOO_MANY_ILLEGAL: Final = "Too many plays that fit nowhere. Look, and wait two seconds."


class PlayLimit:
    """Refuses a seat's plays for a moment after many illegal ones, by their arrival times.

    An illegal play costs nothing, so pressing all keys as fast as possible would beat players who look. Plays
    that lost a race never count: good players lose races, too.

    Attributes:
        blocked_until: the end of the wait of each seat that made too many; nearly always empty.

    """

    def __init__(self) -> None:
        self.blocked_until: dict[int, int] = {}
        self._illegal: dict[int, deque[int]] = {}

    def verify(self, seat: int, at: int) -> None:
        """Check that a seat may play.

        Raises:
            CommandRefused: it has made too many illegal plays.

        """
        if at < self.blocked_until.get(seat, 0):
            raise CommandRefused(Reason.TOO_FAST, TOO_MANY_ILLEGAL)

    def record_illegal(self, seat: int, at: int) -> None:
        """Count an illegal play of a seat."""
        times = self._illegal.setdefault(seat, deque(maxlen=MAX_ILLEGAL_PLAYS))
        times.append(at)
        if len(times) == MAX_ILLEGAL_PLAYS and at - times[0] < ILLEGAL_PLAYS_SPAN_US:
            self.blocked_until[seat] = at + ILLEGAL_PLAYS_WAIT_US
            times.clear()


NOT_STARTED: Final = frozenset({Phase.LOBBY, Phase.SHUFFLING, Phase.COUNTDOWN})


class Commands:
    """Carries out the commands at one table, or refuses them.

    Args:
        state: the state of the table's judge.
        seating: the table's seats.
        contributions: the sources of each hand's seed.
        lifecycle: the lifecycle of its matches.

    """

    def __init__(
        self, state: JudgeState, seating: Seats, contributions: Contributions, lifecycle: MatchLifecycle
    ) -> None:
        self._state = state
        self._view = state.view
        self._seating = seating
        self._contributions = contributions
        self._lifecycle = lifecycle
        self._play_limit = PlayLimit()
        self._now = self._arrived = 0

    def obey(self, actor: Actor, command: cl.Command, now: int, arrived: int) -> Refused | None:
        """Carry out a command.

        Args:
            actor: who sent the command.
            command: the command.
            now: the table's time.
            arrived: when the command was read.

        Returns:
            Why a play was refused; ``None`` if the command was carried out.

        Raises:
            CommandRefused: it is not allowed now.

        """
        self._now, self._arrived = now, arrived
        seat_does = _SEATS.get(type(command))
        if seat_does is not None:
            return seat_does(self, self._seating.seat_of(actor), command)
        if actor != self._view.host:
            for_own_seat = _OWN.get(type(command))
            if for_own_seat is None:
                raise CommandRefused(Reason.NOT_HOST, "Only the host can do that.")
            for_own_seat(self, self._seating.seat_of(actor), command)
            return None
        _HOSTS[type(command)](self, command)
        return None

    def _play(self, seat: int, command: cl.PlayCards) -> Refused | None:
        hand, record = self._running_hand(), self._view.record
        if record.waiting:
            self._verify_signalled(seat)
        if record.sitting_out:
            self._verify_in_hand(seat)
        if self._play_limit.blocked_until:  # saves a call for nearly every play
            self._play_limit.verify(seat, self._arrived)
        stuck = self._view.stuck_seats()
        try:
            played = hand.play(seat, command, self._arrived)
        except IllegalPlay as error:
            refused = hand.refusal(seat, command, error, self._arrived)
            if refused.reason is Reason.ILLEGAL:
                self._record_illegal(seat)
            return refused
        self._state.add(played)
        self._lifecycle.after_play(hand, seat, played, stuck, self._now)
        return None

    def _play_best(self, seat: int, command: cl.PlayBest) -> Refused | None:
        hand = self._running_hand(command.seen)
        self._verify_in_hand(seat)
        self._verify_signalled(seat)
        self._play_limit.verify(seat, self._arrived)
        best = best_play(hand.rules, hand.board, seat, command.source, command.count)
        if best is None:
            self._record_illegal(seat)
            raise CommandRefused(Reason.ILLEGAL, "None of these cards can be played.")
        return self._play(seat, cl.PlayCards.of(best, counter=command.counter, seen=command.seen))

    def _record_illegal(self, seat: int) -> None:
        if len(self._view.hand_seats) > 1:  # a single player takes nothing from anybody
            self._play_limit.record_illegal(seat, self._arrived)

    def _stuck(self, seat: int, command: cl.Stuck) -> None:
        self._running_hand(command.seen)
        self._verify_in_hand(seat)
        self._verify_signalled(seat)
        if self._view.phase is Phase.GRACE:
            raise CommandRefused(Reason.NOT_NOW, "Somebody has called. The hand ends in a moment.")
        if not self._view.seats[seat].stuck:
            self._state.emit(ev.StuckSaid, seat=seat)
        self._lifecycle.check_agreed_stop(self._now)

    def _shift_stock(self, seat: int, command: cl.ShiftStock) -> None:
        hand = self._running_hand(command.seen)
        self._verify_in_hand(seat)
        self._verify_signalled(seat)
        hand.rules.verify_shift(hand.board, seat)
        hand.shift_stock(seat, self._now)
        self._state.emit(ev.StockShifted, seat=seat)
        self._lifecycle.after_play(hand, seat, (), (), self._now)

    def _call(self, seat: int, command: cl.Call) -> None:
        hand = self._running_hand(command.seen)
        if self._view.phase is Phase.GRACE:
            raise CommandRefused(
                Reason.NOT_NOW, "Somebody called before you. Plays still count for a moment."
            )
        if not self._view.plays_hand(seat) or not hand.rules.is_out(hand.board, seat):
            raise CommandRefused(Reason.ILLEGAL, "You are not out yet.")
        self._lifecycle.begin_grace(seat, self._now)

    def _ready(self, seat: int, command: cl.Ready) -> None:
        self._verify_at_rest(command.seen)
        if self._view.seats[seat].ready != command.ready:
            self._state.emit(ev.Readied, seat=seat, ready=command.ready)
        self._lifecycle.check_ready(self._now)

    def _contribute(self, seat: int, command: cl.Contribute) -> None:
        self._contributions.contribute(seat, command.commitment)
        self._lifecycle.check_revealed(self._now)

    def _reveal(self, seat: int, command: cl.Reveal) -> None:
        self._contributions.reveal(seat, command.value)
        self._lifecycle.check_revealed(self._now)

    def _leave(self, seat: int, command: cl.Leave) -> None:
        self._vacate(seat)

    def _say(self, seat: int, command: cl.Say) -> None:
        words = clean_words(command.text)
        self._seating.verify_voice(seat, self._now)
        self._state.emit(ev.Said, seat=seat, text=words)

    def _react(self, seat: int, command: cl.React) -> None:
        self._seating.verify_voice(seat, self._now)
        self._state.emit(ev.Reacted, seat=seat, reaction=command.reaction)

    def _set_appearance(self, seat: int, command: cl.SetAppearance) -> None:
        view = self._view
        if not view.between_matches:
            raise CommandRefused(Reason.NOT_NOW, "Names and colors can be changed only between matches.")
        names = {other: state.name for other, state in view.seats.items()}
        colors, was = seat_colors(view.seats), names.pop(seat)
        name = unique(clean(command.name), names.values())
        for other, owner in names.items():
            if colors[other] == command.color:
                raise CommandRefused(Reason.NOT_NOW, f"{owner} has that color.")
        if (was, colors[seat]) != (name, command.color):
            self._verify_understood({APPEARANCE} - view.extensions)
            self._state.emit(ev.AppearanceSet, seat=seat, name=name, color=command.color)

    # Commands of the host.

    def _start(self, command: cl.Start) -> None:
        self._verify_at_rest(command.seen)
        if not self._seating.active():
            raise CommandRefused(Reason.NOT_NOW, "Nobody has taken a seat yet.")
        if self._seating.lacks_opponents():
            raise CommandRefused(Reason.NOT_NOW, "All are in one team. Put somebody into another one first.")
        if self._lifecycle.lacks_players():
            raise CommandRefused(Reason.NOT_NOW, "Two play this game together. Wait for one more player.")
        self._lifecycle.deal(self._now)

    def _add_bot(self, command: cl.AddBot) -> None:
        self._seating.add_bot(command.level)

    def _remove_bot(self, command: cl.RemoveBot) -> None:
        state = self._seating.active().get(command.seat)
        if state is None or not state.bot:
            raise CommandRefused(Reason.NOT_SEATED, "There is no bot in that seat.")
        if not self._view.between_matches:
            raise CommandRefused(Reason.NOT_NOW, "Bots can be removed only between matches.")
        self._vacate(command.seat)

    def _set_options(self, command: cl.SetOptions) -> None:
        if not self._view.between_matches:
            raise CommandRefused(Reason.NOT_NOW, "Options can be changed only between matches.")
        options = self._view.options.changed_by(command.options)
        verify_options(options)
        verify_casual(options, self._view.known_deal)
        for state in self._seating.active().values():
            if why := why_impossible(options, state.handicap):
                text = f"{state.name} has a handicap that would not fit: {why[0].lower()}{why[1:]}"
                raise CommandRefused(Reason.BAD_OPTION, text)
        game = declare(options, 1)
        if len(self._seating.active()) > game.max_seats:
            text = f"{game.title} is for {most_players(game)}, and more seats than that are taken."
            raise CommandRefused(Reason.BAD_OPTION, text)
        if len(self._seating.active()) > options.seats:
            raise CommandRefused(Reason.BAD_OPTION, "More seats than that are taken.")
        self._verify_understood(needed(options) - self._view.extensions)
        had_teams = self._view.options.teams
        self._state.emit(ev.OptionsSet, options=options)
        if options.teams != had_teams:
            self._seating.assign_teams()

    def _verify_understood(self, words: Collection[str]) -> None:
        """Check that every client at the table understands some extensions.

        Raises:
            CommandRefused: one does not.

        """
        names = self._seating.who_lacks(words) if words else ()
        if names:
            text = f"{in_words(words).capitalize()}: {join_words(names)} must update first, or leave."
            raise CommandRefused(Reason.BAD_OPTION, text)

    def _choose_team(self, seat: int, command: cl.SetTeam) -> None:
        """Put a seat into the team that its player wants."""
        if command.seat != seat:
            raise CommandRefused(Reason.NOT_HOST, "Only the host changes the teams of others.")
        self._set_team(command)

    def _set_team(self, command: cl.SetTeam) -> None:
        if not self._view.between_matches:
            raise CommandRefused(Reason.NOT_NOW, "Teams can be changed only between matches.")
        state = self._seating.player(command.seat)
        if command.team >= (teams := self._view.options.teams or 0):
            text = f"This table has {pluralize(teams, 'team')}." if teams else "This table has no teams."
            raise CommandRefused(Reason.BAD_OPTION, text)
        if state.team != command.team:
            self._state.emit(ev.TeamSet, seat=command.seat, team=command.team)
            self._lifecycle.check_ready(self._now)

    def _harden(self, seat: int, command: cl.SetHandicap) -> None:
        """Give a seat the handicap that its player wants, if that makes the game harder."""
        if command.seat != seat:
            raise CommandRefused(Reason.NOT_HOST, "Only the host changes the handicaps of others.")
        if not is_harder(command.handicap, self._view.seats[seat].handicap):
            raise CommandRefused(
                Reason.NOT_HOST, "You can make your own game harder. The host can make it easier."
            )
        self._set_handicap(command)

    def _set_handicap(self, command: cl.SetHandicap) -> None:
        if not self._view.is_between_hands:
            raise CommandRefused(Reason.NOT_NOW, "Handicaps can be changed only between hands.")
        state = self._seating.player(command.seat)
        if why := why_impossible(self._view.options, command.handicap):
            raise CommandRefused(Reason.BAD_OPTION, why)
        if state.handicap != command.handicap:
            self._verify_understood({HANDICAPS} - self._view.extensions)
            self._state.emit(ev.HandicapSet, seat=command.seat, handicap=command.handicap)

    def _kick(self, command: cl.Kick) -> None:
        if command.seat == self._view.host:
            raise CommandRefused(Reason.NOT_NOW, "You cannot kick yourself. You can leave.")
        player = self._seating.player(command.seat)
        self._vacate(player.seat, kicked=True)

    def _close_entry(self, command: cl.CloseEntry) -> None:
        if self._view.entry_closed != command.closed:
            self._verify_understood({MODERATION} - self._view.extensions)
            self._state.emit(ev.EntryClosed, closed=command.closed)

    def _unban(self, command: cl.Unban) -> None:
        if command.name not in self._view.banned:
            raise CommandRefused(Reason.BAD_NAME, "Nobody of that name was kicked.")
        self._state.emit(ev.Unbanned, name=command.name)
        self._seating.bans.lift(command.name)

    def _pause_or_resume(self, command: cl.Pause) -> None:
        self._verify_hand(command.seen)
        if self._view.paused and not command.paused:
            self._lifecycle.end_pause(self._now)
        elif self._view.phase not in PAUSABLE:
            raise CommandRefused(Reason.NOT_NOW, "There is no hand to pause.")
        elif command.paused and not self._view.paused:
            self._lifecycle.pauses.pause_for_host(self._view.host, self._now)

    def _end_match(self, command: cl.EndMatch) -> None:
        self._verify_hand(command.seen)
        self._lifecycle.end_match(self._now)

    def _set_last_hand(self, command: cl.SetLastHand) -> None:
        self._verify_hand(command.seen)
        view = self._view
        if view.between_matches:
            raise CommandRefused(Reason.NOT_NOW, "No match is being played.")
        number = (view.hand_number + (view.phase is Phase.TALLY)) if command.last else 0
        if view.last_hand != number:
            self._verify_understood({RETURNS} - view.extensions)
            self._state.emit(ev.LastHandSet, hand=number)

    def _set_late_start(self, command: cl.SetLateStart) -> None:
        view = self._view
        if command.lowest and view.options.teams is not None:
            text = "Teams share one total, so whoever comes late to one starts with it."
            raise CommandRefused(Reason.NOT_NOW, text)
        if view.late_start != command.lowest:
            self._verify_understood({RETURNS} - view.extensions)
            self._state.emit(ev.LateStartSet, lowest=command.lowest)

    def _make_host(self, command: cl.MakeHost) -> None:
        self._seating.make_host(self._seating.person(command.seat), self._seating.absent)

    def _stand_in(self, command: cl.StandIn) -> None:
        state = self._seating.person(command.seat)
        if state.connected:
            raise CommandRefused(
                Reason.NOT_NOW, "That player is connected. Bots stand in only for players who are away."
            )
        if command.level is BotLevel.ADAPTIVE:
            text = "An adaptive bot plays for itself only. Choose another level to stand in."
            raise CommandRefused(Reason.NOT_NOW, text)
        if not state.stand_in:
            self._seating.verify_bots()
        self._state.emit(ev.StoodIn, seat=command.seat, bot=command.level)
        self._lifecycle.check_presence(self._now)

    def _mute(self, command: cl.Mute) -> None:
        if command.muted and command.seat == self._view.host:
            raise CommandRefused(Reason.NOT_NOW, "You cannot mute yourself.")
        if self._seating.person(command.seat).muted != command.muted:
            self._state.emit(ev.Muted, seat=command.seat, muted=command.muted)

    def _vacate(self, seat: int, *, kicked: bool = False) -> None:
        self._seating.vacate(seat, kicked=kicked)
        self._lifecycle.after_leave(self._now)

    def _verify_at_rest(self, seen: int) -> None:
        if not self._view.is_between_hands:
            raise CommandRefused(Reason.NOT_NOW, "The cards have already been dealt.")
        self._verify_hand(seen)

    def _verify_hand(self, seen: int) -> None:
        """Refuse a command that was meant for an earlier hand or deal, and was sent again after a reconnect.

        Args:
            seen: the last event that the sender had applied; 0 if not given.

        """
        hand = self._state.hand
        if hand is not None and 0 < seen < hand.dealt_seq:
            raise CommandRefused(Reason.HAND_OVER, "That was for an earlier hand.")

    def _verify_in_hand(self, seat: int) -> None:
        if not self._view.plays_hand(seat):
            raise CommandRefused(Reason.NOT_SEATED, "You are not in this hand. You play from the next deal.")

    def _verify_signalled(self, seat: int) -> None:
        if seat in self._view.waiting:
            raise CommandRefused(Reason.NOT_STARTED, "Others have a head start: wait for your signal.")

    def _running_hand(self, seen: int = 0) -> Hand:
        """Return the hand that is being played.

        Raises:
            CommandRefused: there is none, it is paused, or the command was meant for an earlier one.

        """
        if seen:  # of a play, the hand itself asks whether it was meant for another one
            self._verify_hand(seen)
        hand, record = self._state.hand, self._view.record
        if hand is None or record.phase not in IN_HAND:  # a restored table has no finished hand
            if record.phase in NOT_STARTED:
                raise CommandRefused(Reason.NOT_STARTED, "Play has not started yet.")
            raise CommandRefused(Reason.HAND_OVER, "The hand is over.")
        if record.paused:
            raise CommandRefused(Reason.PAUSED, "The hand is paused.")
        return hand


def verify_options(options: Options) -> None:
    """Check that options can be played.

    Raises:
        CommandRefused: they cannot.

    """
    try:
        verify_playable(options)
    except InvalidGame as error:
        raise CommandRefused(Reason.BAD_OPTION, str(error)) from None


_SEATS: Final[dict[type[cl.Command], Callable[..., Refused | None]]] = {
    cl.PlayCards: Commands._play,
    cl.PlayBest: Commands._play_best,
    cl.Stuck: Commands._stuck,
    cl.Call: Commands._call,
    cl.ShiftStock: Commands._shift_stock,
    cl.Ready: Commands._ready,
    cl.Contribute: Commands._contribute,
    cl.Reveal: Commands._reveal,
    cl.Leave: Commands._leave,
    cl.Say: Commands._say,
    cl.React: Commands._react,
    cl.SetAppearance: Commands._set_appearance,
}
"""The commands that every seat may use."""
_HOSTS: Final[dict[type[cl.Command], Callable[..., None]]] = {
    cl.Start: Commands._start,
    cl.AddBot: Commands._add_bot,
    cl.RemoveBot: Commands._remove_bot,
    cl.SetOptions: Commands._set_options,
    cl.Kick: Commands._kick,
    cl.Unban: Commands._unban,
    cl.CloseEntry: Commands._close_entry,
    cl.Pause: Commands._pause_or_resume,
    cl.EndMatch: Commands._end_match,
    cl.SetLastHand: Commands._set_last_hand,
    cl.SetLateStart: Commands._set_late_start,
    cl.MakeHost: Commands._make_host,
    cl.StandIn: Commands._stand_in,
    cl.Mute: Commands._mute,
    cl.SetHandicap: Commands._set_handicap,
    cl.SetTeam: Commands._set_team,
}
"""The commands that only the host may use, or only for others."""
_OWN: Final[dict[type[cl.Command], Callable[..., None]]] = {
    cl.SetHandicap: Commands._harden,
    cl.SetTeam: Commands._choose_team,
}
"""The commands of the host that others may use for their own seat."""
