"""Histories made wrong, each in one way: what a checker of histories must catch."""

import random
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import HandOver, Played
from racing_demon_protocol.wire.messages.server import Accepted, Refused, Snapshot
from tests.lab.histories.client_log import ClientLog, Heard, Sent

Accounts = list[ClientLog]
Mutation = Callable[[Accounts, random.Random], Accounts]


class Found(NamedTuple):
    """An entry: whose account, where in it, and what."""

    client_log: int
    place: int
    entry: Any


def _heard(client_logs: Accounts, *kinds: type) -> list[Found]:
    return [
        Found(number, place, entry)
        for number, client_log in enumerate(client_logs)
        for place, entry in enumerate(client_log.entries)
        if isinstance(entry, Heard) and isinstance(entry.message, kinds)
    ]


def _sent(client_logs: Accounts, seat: int, counter: int) -> Found | None:
    for number, client_log in enumerate(client_logs):
        for place, entry in enumerate(client_log.entries):
            is_it = isinstance(entry, Sent) and client_log.seat == seat and entry.command.counter == counter
            if is_it:
                return Found(number, place, entry)
    return None


def _log(client_logs: Accounts) -> dict[int, Event]:
    return {found.entry.message.seq: found.entry.message for found in _heard(client_logs, Event)}


def _plays(client_logs: Accounts) -> list[Played]:
    """Return the plays of recorders that all of them have heard, so that a change of one is told by many."""
    return [event for event in _log(client_logs).values() if isinstance(event, Played) and event.counter]


def _with(client_logs: Accounts, found: Found, *entries: Sent | Heard) -> Accounts:
    """Return the accounts with other entries in the place of one."""
    changed = [ClientLog(client_log.seat, list(client_log.entries)) for client_log in client_logs]
    changed[found.client_log].entries[found.place : found.place + 1] = entries
    return changed


def _tell(client_logs: Accounts, found: Found, **fields: Any) -> Accounts:
    entry = found.entry._replace(message=found.entry.message.model_copy(update=fields))
    return _with(client_logs, found, entry)


def _everywhere(client_logs: Accounts, seq: int, *events: Event) -> Accounts:
    """Return the accounts with other events in the place of one, for all, and all numbers fitting."""
    by = len(events) - 1
    changed = []
    for client_log in client_logs:
        entries: list[Sent | Heard] = []
        for entry in client_log.entries:
            if isinstance(entry, Heard) and isinstance(entry.message, Event) and entry.message.seq == seq:
                entries += [Heard(entry.at, event) for event in events]
            else:
                entries.append(_renumbered(entry, seq, by))
        changed.append(ClientLog(client_log.seat, entries))
    return changed


def _renumbered(entry: Sent | Heard, seq: int, by: int) -> Sent | Heard:
    if isinstance(entry, Sent):
        command = entry.command
        if by and isinstance(command, cl.PlayCards) and command.seen >= seq:
            return Sent(entry.at, command.model_copy(update={"seen": command.seen + by}))
        return entry
    message = entry.message
    if by and isinstance(message, Event | Snapshot | Accepted) and message.seq >= seq:
        return Heard(entry.at, message.model_copy(update={"seq": message.seq + by}))
    return entry


def _shifted(client_logs: Accounts, number: int, by: int) -> Accounts:
    """Return the accounts with the clock of one of them wrong."""
    return [
        ClientLog(client_log.seat, [entry._replace(at=entry.at + by) for entry in client_log.entries])
        if place == number
        else client_log
        for place, client_log in enumerate(client_logs)
    ]


def _board_before(client_logs: Accounts, seq: int) -> TableState:
    first = min((found.entry.message for found in _heard(client_logs, Snapshot)), key=lambda shown: shown.seq)
    view, log = TableState.from_snapshot(first), _log(client_logs)
    while view.seq < seq - 1:
        view.apply(log[view.seq + 1])
    return view


def _beaten(client_logs: Accounts) -> list[Found]:
    return [f for f in _heard(client_logs, Refused) if f.entry.message.reason is Reason.BEATEN]


def with_unknown_outcome(client_logs: Accounts, rng: random.Random) -> tuple[Accounts, Played]:
    """Return the accounts with one client gone before it hears of its last play, and that play."""
    rng.shuffle(order := list(range(len(client_logs))))
    for number in order:
        client_log = client_logs[number]
        plays = [event for event in _plays(client_logs) if event.seat == client_log.seat]
        found = plays and _sent(client_logs, client_log.seat, plays[-1].counter)
        if found and not any(isinstance(entry, Sent) for entry in client_log.entries[found.place + 1 :]):
            changed = list(client_logs)
            changed[number] = ClientLog(client_log.seat, client_log.entries[: found.place + 1])
            if plays[-1].seq in _log(changed):
                return changed, plays[-1]
    raise LookupError("every client has heard of all its plays too late")


# One way each.


def _told_apart(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Let one client hear of another play than the others."""
    found = rng.choice(_heard(client_logs, Played))
    return _tell(client_logs, found, destination=found.entry.message.destination + 1)


def _gap(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Let one client never hear of an event."""
    within = [
        found
        for found in _heard(client_logs, Event)
        if any(
            isinstance(entry, Heard) and isinstance(entry.message, Event)
            for entry in client_logs[found.client_log].entries[found.place + 1 : found.place + 4]
        )
        and not any(
            isinstance(entry, Heard) and isinstance(entry.message, Snapshot)
            for entry in client_logs[found.client_log].entries[found.place + 1 : found.place + 4]
        )
    ]
    return _with(client_logs, rng.choice(within))


def _played_twice(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Carry a play out once more, at once."""
    play = rng.choice(_plays(client_logs))
    return _everywhere(client_logs, play.seq, play, play.model_copy(update={"seq": play.seq + 1}))


def _played_late(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Carry a play out after a later one of the same seat."""
    plays = _plays(client_logs)
    late = rng.choice([p for p in plays if any(q.seat == p.seat and q.counter < p.counter for q in plays)])
    early = rng.choice([p for p in plays if p.seat == late.seat and p.counter < late.counter])
    return _everywhere(client_logs, late.seq, late, early.model_copy(update={"seq": late.seq + 1}))


def _lost(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Acknowledge a play that is not carried out."""
    play = rng.choice(_plays(client_logs))
    found = [f for f in _heard(client_logs, Played) if f.entry.message == play and _is_own(client_logs, f)]
    if not found:
        return _lost(client_logs, rng)
    told = Heard(found[0].entry.at, Accepted(counter=play.counter, seq=play.seq))
    return _everywhere(_with(client_logs, found[0], told, found[0].entry), play.seq)


def _is_own(client_logs: Accounts, found: Found) -> bool:
    return bool(found.entry.message.seat == client_logs[found.client_log].seat)


def _won_twice(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Let a card land on a place that was taken already."""
    found = rng.choice([f for f in _beaten(client_logs) if _wanted(client_logs, f).destination >= 0])
    wanted, seat = _wanted(client_logs, found), client_logs[found.client_log].seat
    earlier = client_logs[found.client_log].entries[: found.place]
    seq = max(e.message.seq for e in earlier if isinstance(e, Heard) and isinstance(e.message, Event))
    play = Played(
        seq=seq + 1,
        seat=seat,
        counter=wanted.counter,
        source=wanted.source,
        count=1,
        destination=wanted.destination,
        shown=(found.entry.message.top,),
    )
    return _everywhere(_with(client_logs, found), seq, _log(client_logs)[seq], play)


def _wanted(client_logs: Accounts, found: Found) -> cl.PlayCards:
    sent = _sent(client_logs, client_logs[found.client_log].seat, found.entry.message.counter)
    assert sent is not None
    assert isinstance(sent.entry.command, cl.PlayCards)
    return sent.entry.command


def _refused_wrongly(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Refuse a play among a player's own piles, which nobody else can spoil."""
    plays = [f for f in _heard(client_logs, Played) if f.entry.message.counter and _is_own(client_logs, f)]
    rng.shuffle(plays)
    for found in plays:
        play = found.entry.message
        view = _board_before(client_logs, play.seq)
        assert view.board is not None
        if view.board.piles[play.destination].kind is Kind.TABLEAU:
            top = view.board.top(play.destination)
            told = Refused(
                counter=play.counter,
                reason=Reason.ILLEGAL,
                text="No.",
                pile=play.destination,
                top=-1 if top is None else top,
            )
            return _everywhere(_with(client_logs, found, Heard(found.entry.at, told)), play.seq)
    raise LookupError("nobody played to a column")


def _other_reason(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Tell somebody who was beaten that the play was never legal."""
    return _tell(client_logs, rng.choice(_beaten(client_logs)), reason=Reason.ILLEGAL, by=None, late_us=0)


def _other_winner(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Tell somebody who was beaten of another winner."""
    found = rng.choice(_beaten(client_logs))
    return _tell(client_logs, found, by=rng.choice([s for s in range(8) if s != found.entry.message.by]))


def _other_lateness(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Tell somebody who was beaten that it was by more than the whole match."""
    found = rng.choice(_beaten(client_logs))
    begun = min(client_log.entries[0].at for client_log in client_logs)
    return _tell(client_logs, found, late_us=found.entry.at - begun + rng.randrange(1, 10**6))


def _other_top(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Show somebody who was beaten a card that does not lie there."""
    found = rng.choice(_beaten(client_logs))
    return _tell(client_logs, found, top=(found.entry.message.top + 26) % 52)


def _refused_and_played(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Refuse a play that was carried out, as well."""
    own = [f for f in _heard(client_logs, Played) if f.entry.message.counter and _is_own(client_logs, f)]
    found = rng.choice(own)
    reason = rng.choice([Reason.BEATEN, Reason.ILLEGAL, Reason.HAND_OVER, Reason.NOT_STARTED])
    told = Refused(counter=found.entry.message.counter, reason=reason, text="No.")
    return _with(client_logs, found, found.entry, Heard(found.entry.at, told))


def _repeated(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Refuse a command as repeated that was sent once, on a line that held."""
    plays = [
        f
        for f in _beaten(client_logs)
        if not any(
            isinstance(entry, Heard) and entry.message.TAG == 65
            for entry in client_logs[f.client_log].entries[f.place - 12 : f.place]
        )
    ]
    found = rng.choice(plays)
    told = Refused(counter=found.entry.message.counter, reason=Reason.REPEATED, text="No.")
    return _with(client_logs, found, Heard(found.entry.at, told))


def _known_too_early(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Let somebody know of a play before it was sent."""
    return _let_know(client_logs, rng, rng.choice(_plays(client_logs)))


def _let_know(client_logs: Accounts, rng: random.Random, play: Played) -> Accounts:
    sent = _sent(client_logs, play.seat, play.counter)
    others = [
        found
        for found in _heard(client_logs, Played)
        if found.entry.message == play and client_logs[found.client_log].seat != play.seat
    ]
    if sent is None or not others:
        return _known_too_early(client_logs, rng)
    found = rng.choice(others)
    return _shifted(client_logs, found.client_log, sent.entry.at - found.entry.at - rng.randrange(1, 1_000))


def _reordered(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Put a play before one that was known, to somebody, when it was sent."""
    log = _log(client_logs)
    plays = [event for event in _plays(client_logs) if isinstance(log.get(event.seq - 1), Played)]
    rng.shuffle(plays)
    for play in plays:
        earlier, sent = log[play.seq - 1], _sent(client_logs, play.seat, play.counter)
        known = [f.entry.at for f in _heard(client_logs, Played) if f.entry.message == earlier]
        if sent is not None and min(known) < sent.entry.at:
            first = play.model_copy(update={"seq": earlier.seq})
            second = earlier.model_copy(update={"seq": play.seq})
            return _everywhere(_everywhere(client_logs, earlier.seq, first), play.seq, second)
    raise LookupError("all plays were made at the same time")


def _nobody_sent(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Carry out what nobody sent."""
    play = rng.choice(_plays(client_logs))
    return _everywhere(client_logs, play.seq, play.model_copy(update={"counter": play.counter + 10_000}))


def _other_play(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Carry out another play than the one that was sent."""
    play = rng.choice(_plays(client_logs))
    other = {"source": play.source + rng.choice([-1, 1])}
    return _everywhere(client_logs, play.seq, play.model_copy(update=other))


def _other_card(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Turn up a card that does not lie there."""
    last = max((found.entry.message.seq for found in _heard(client_logs, HandOver)), default=0)
    play = rng.choice([event for event in _plays(client_logs) if event.shown and event.seq < last])
    pack, card = divmod(play.shown[-1], 52)
    shown = (*play.shown[:-1], pack * 52 + (card + rng.randrange(1, 52)) % 52)
    return _everywhere(client_logs, play.seq, play.model_copy(update={"shown": shown}))


def _other_points(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Give somebody a point more, or less."""
    over = rng.choice(_heard(client_logs, HandOver)).entry.message
    points = list(over.points)
    points[rng.randrange(len(points))] += rng.choice([-1, 1])
    return _everywhere(client_logs, over.seq, over.model_copy(update={"points": tuple(points)}))


def _other_snapshot(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Show another table to whoever comes late."""
    first = min(found.entry.message.seq for found in _heard(client_logs, Snapshot))
    found = rng.choice([f for f in _heard(client_logs, Snapshot) if f.entry.message.seq > first])
    return _tell(client_logs, found, hand=found.entry.message.hand + 1)


def _unknown_twice(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Carry out twice a play of which its sender never heard."""
    changed, play = with_unknown_outcome(client_logs, rng)
    return _everywhere(changed, play.seq, play, play.model_copy(update={"seq": play.seq + 1}))


def _unknown_other(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Carry out something else than a play of which its sender never heard."""
    changed, play = with_unknown_outcome(client_logs, rng)
    other = {"source": play.source + rng.choice([-1, 1])}
    return _everywhere(changed, play.seq, play.model_copy(update=other))


def _unknown_early(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Let a play of which its sender never heard be known before it was sent."""
    changed, play = with_unknown_outcome(client_logs, rng)
    return _let_know(changed, rng, play)


def _unknown_and_sent_by_nobody(client_logs: Accounts, rng: random.Random) -> Accounts:
    """Let a client die before it sends what is carried out all the same."""
    changed, play = with_unknown_outcome(client_logs, rng)
    found = _sent(changed, play.seat, play.counter)
    assert found is not None
    return _with(changed, found)


MUTATIONS: Final[Sequence[Mutation]] = (
    _told_apart,
    _gap,
    _played_twice,
    _played_late,
    _lost,
    _won_twice,
    _refused_wrongly,
    _other_reason,
    _other_winner,
    _other_lateness,
    _other_top,
    _refused_and_played,
    _repeated,
    _known_too_early,
    _reordered,
    _nobody_sent,
    _other_play,
    _other_card,
    _other_points,
    _other_snapshot,
    _unknown_twice,
    _unknown_other,
    _unknown_early,
    _unknown_and_sent_by_nobody,
)
"""Every way to make a history wrong."""
