"""A client's part in each shuffle, on a table that stands still."""

from racing_demon_client.net.shuffle_client import ContributionState, ShuffleClient
from racing_demon_protocol.engine.commit_reveal import contribution_hash
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.contributing import contribute, reveal
from tests.support.tables import SECOND, Sitting

SHOWN = (*range(7), *range(52, 59))
VALUES = [bytes([number]) * 32 for number in range(1, 9)]


def contributor() -> ShuffleClient:
    """Return one whose random bytes are known."""
    values = iter(VALUES)
    return ShuffleClient(lambda: next(values))


def send(sitting: Sitting, one: ShuffleClient, seat: int = 1) -> cl.Command | None:
    """Let a client send what it has to contribute, and return what that was."""
    command = one.command(sitting.mirror, seat, lambda: sitting.counter(seat) + 1)
    if command is not None:
        answer = sitting.give(seat, command)
        assert not isinstance(answer.reply, Refused), answer.reply
        for event in answer.events:
            if isinstance(event, ev.Dealt):
                one.dealt(sitting.mirror, seat)
    return command


def refusal(reason: Reason) -> Refused:
    """Return a refusal."""
    return Refused(counter=1, reason=reason, text="no")


def shuffling() -> tuple[Sitting, ShuffleClient]:
    """Return a table whose second player has contributed to the hand that is committed."""
    sitting, one = Sitting.lobby(2), contributor()
    send(sitting, one)
    sitting.events(0, cl.Start)
    return sitting, one


def test_it_commits_reveals_and_is_in_the_seed() -> None:
    """It says each once, in its time, and knows that nobody can have chosen the deal."""
    sitting, one = Sitting.lobby(2), contributor()
    assert isinstance(send(sitting, one), cl.Contribute)
    assert send(sitting, one) is None
    sitting.events(0, cl.Start)
    revealed = send(sitting, one)
    assert isinstance(revealed, cl.Reveal)
    assert revealed.value == VALUES[0].hex()
    assert send(sitting, one) is None
    assert one.contribution_state is ContributionState.COUNTED


def test_each_hand_has_bytes_of_its_own() -> None:
    """What was revealed for one hand is of no use for another."""
    sitting, one = shuffling()
    send(sitting, one)
    sitting.wait(5 * SECOND)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    again = send(sitting, one)
    assert isinstance(again, cl.Contribute)
    coming = sitting.mirror.next_shuffle
    assert coming is not None
    assert again.commitment == contribution_hash(VALUES[1], coming.commitment, coming.hand_id, 1)


@for_each("seat", [None, 7])
def test_who_has_no_seat_contributes_nothing(seat: int | None) -> None:
    """Spectators, and hosts without a seat, have no part in the deal."""
    sitting, one = Sitting.lobby(2), contributor()
    assert one.command(sitting.mirror, seat, lambda: 1) is None


def test_who_has_left_contributes_nothing() -> None:
    """A seat that was given up in mid-match is nobody's."""
    sitting, one = Sitting.playing(2), contributor()
    sitting.events(1, cl.Leave)
    sitting.wait(SECOND)
    sitting.events(0, cl.Stuck)
    assert sitting.mirror.next_shuffle is not None
    assert one.command(sitting.mirror, 1, lambda: 1) is None


@for_each("reason", [Reason.HALTED, Reason.TOO_FAST])
def test_what_the_server_did_not_judge_is_said_again(reason: Reason) -> None:
    """Where the disk was full, or too much was sent, the same bytes are offered, and revealed, later."""
    sitting, one = Sitting.lobby(2), contributor()
    first = one.command(sitting.mirror, 1, lambda: 1)
    one.refused(refusal(reason))
    assert first == one.command(sitting.mirror, 1, lambda: 1)
    sitting.give(1, first or cl.Stuck(counter=1))
    sitting.events(0, cl.Start)
    second = one.command(sitting.mirror, 1, lambda: 2)
    one.refused(refusal(reason))
    assert second == one.command(sitting.mirror, 1, lambda: 2) is not None


def test_what_came_too_late_is_not_said_again() -> None:
    """A refusal for another reason stands."""
    sitting, one = Sitting.lobby(2), contributor()
    assert one.command(sitting.mirror, 1, lambda: 1) is not None
    one.refused(refusal(Reason.NOT_NOW))
    assert one.command(sitting.mirror, 1, lambda: 1) is None


def test_it_contributes_anew_to_the_deal_of_other_handicaps() -> None:
    """The server has discarded the contribution to the deal that it was."""
    sitting, one = Sitting.lobby(2), contributor()
    send(sitting, one)
    sitting.events(0, cl.SetHandicap, seat=0, handicap=Handicap(delay_s=5))
    assert isinstance(send(sitting, one), cl.Contribute)
    assert send(sitting, one) is None
    sitting.events(0, cl.Start)
    send(sitting, one)
    assert one.contribution_state is ContributionState.COUNTED
    assert sitting.mirror.hand is not None
    assert sitting.mirror.hand.handicaps == (Handicap(delay_s=5), Handicap())


# Servers that cheat.


def test_a_server_that_deals_by_other_handicaps_after_the_reveal() -> None:
    """The client remembers the handicaps for which it revealed its bytes."""
    sitting, one = shuffling()
    view = sitting.mirror.copy()
    assert one.command(view, 1, lambda: 2) is not None
    view.record = view.record.with_seat(0, handicap=Handicap(delay_s=5))
    handicaps = view.handicaps_for((0, 1))
    view.apply(
        ev.Dealt(
            seq=view.seq + 1, seats=(0, 1), shown=SHOWN, countdown_ms=0, left_out=(1,), handicaps=handicaps
        )
    )
    one.dealt(view, 1)
    assert one.contribution_state is ContributionState.REPEATED


def test_nothing_is_revealed_for_another_secret() -> None:
    """Whose contribution was given to one secret keeps the bytes from any other."""
    sitting, one = shuffling()
    assert sitting.mirror.shuffle is not None
    other = {"commitment": "0" * 64}
    sitting.mirror.record = sitting.mirror.record._replace(
        shuffle=sitting.mirror.shuffle.model_copy(update=other)
    )
    assert one.command(sitting.mirror, 1, lambda: 2) is None


def test_nothing_is_revealed_where_others_were_told_something_else() -> None:
    """Whose commitment was changed on its way to everybody keeps the bytes, and knows."""
    sitting, one = shuffling()
    assert sitting.mirror.shuffle is not None
    (own,) = sitting.mirror.shuffle.contributions
    changed = own.model_copy(update={"commitment": "0" * 64})
    sitting.mirror.record = sitting.mirror.record._replace(
        shuffle=sitting.mirror.shuffle.with_contribution(changed)
    )
    assert one.command(sitting.mirror, 1, lambda: 2) is None
    sitting.mirror.apply(ev.Dealt(seq=sitting.seq + 1, seats=(0, 1), shown=SHOWN, countdown_ms=0))
    one.dealt(sitting.mirror, 1)
    assert one.contribution_state is ContributionState.CHANGED


def test_other_bytes_than_its_own_are_noticed() -> None:
    """A server cannot say that somebody has revealed what they have not."""
    sitting, one = shuffling()
    sitting.mirror.apply(ev.Revealed(seq=sitting.seq + 1, seat=1, value="0" * 64))
    sitting.mirror.apply(ev.Dealt(seq=sitting.seq + 2, seats=(0, 1), shown=SHOWN, countdown_ms=0))
    one.dealt(sitting.mirror, 1)
    assert one.contribution_state is ContributionState.CHANGED


def test_who_is_left_out_knows() -> None:
    """Neither a contribution that was kept from the others, nor one that was not revealed, counts."""
    sitting, one = shuffling()
    sitting.wait(3 * SECOND)
    one.dealt(sitting.mirror, 1)
    assert one.contribution_state is ContributionState.LEFT_OUT

    sitting, one = Sitting.lobby(2), contributor()
    one.command(sitting.mirror, 1, lambda: 1)  # the server never lets it in
    sitting.events(0, cl.Start)
    one.dealt(sitting.mirror, 1)
    assert one.contribution_state is ContributionState.LEFT_OUT


def test_who_was_not_asked_while_others_were_knows() -> None:
    """A server that lets its friends alone shuffle is found out by whoever had no part."""
    sitting, one = Sitting.lobby(2), contributor()
    contribute(sitting, (0,))
    sitting.events(0, cl.Start)
    reveal(sitting, (0,))
    one.dealt(sitting.mirror, 1)
    assert one.contribution_state is ContributionState.LEFT_OUT


def test_a_hand_that_is_shuffled_again_is_noticed() -> None:
    """A server that knows somebody's bytes, and begins the same hand with another secret, is found out."""
    sitting, one = shuffling()
    send(sitting, one)
    again = Sitting(bytes([9]) * 32)
    for name in ("Ann", "Ben"):
        again.join(name)
    send(again, one)
    again.events(0, cl.Start)
    send(again, one)
    assert one.contribution_state is ContributionState.REPEATED


def revealed() -> tuple[ShuffleClient, TableState]:
    """Return a client that has revealed its bytes, and the table as it was before the hand was committed."""
    sitting, one = Sitting.lobby(2), contributor()
    send(sitting, one)
    before = sitting.mirror.copy()
    sitting.events(0, cl.Start)
    assert isinstance(one.command(sitting.mirror, 1, lambda: 2), cl.Reveal)
    return one, before


def tell(view: TableState, kind: type[ev.Event], **fields: object) -> None:
    """Let a table follow what a server says."""
    view.apply(kind.model_validate({"seq": view.seq + 1, **fields}))


def deal(view: TableState, one: ShuffleClient, value: bytes = VALUES[0]) -> None:
    """Let a server deal the hand that is prepared, with the client's bytes."""
    coming = view.next_shuffle
    assert coming is not None
    tell(view, ev.Committed, hand=1, hand_id=coming.hand_id, commitment=coming.commitment, within_ms=1_000)
    tell(view, ev.Revealed, seat=1, value=value.hex())
    assert view.shuffle is not None
    shown = tuple(card for seat in view.shuffle.seats for card in range(52 * seat, 52 * seat + 7))
    tell(view, ev.Dealt, seats=view.shuffle.seats, shown=shown, countdown_ms=0)
    one.dealt(view, 1)


@for_each(
    ("kind", "fields"),
    [
        (ev.Contributed, {"seat": 0, "commitment": "0" * 64}),
        (ev.Joined, {"seat": 2, "name": "Cat", "bot": ""}),
        (ev.OptionsSet, {"options": Options(redeals=2)}),
    ],
    ids=["contribution", "seats", "options"],
)
def test_all_else_is_fixed_once_it_has_revealed(kind: type[ev.Event], fields: dict[str, object]) -> None:
    """Who knows its bytes, and goes back to change anything else that the deal follows from, is found out."""
    one, table = revealed()
    tell(table, kind, **fields)
    deal(table, one)
    assert one.contribution_state is ContributionState.REPEATED


def test_going_back_to_the_very_same_is_no_harm() -> None:
    """Where nothing that the deal follows from has changed, nobody has chosen anything."""
    one, table = revealed()
    deal(table, one)
    assert one.contribution_state is ContributionState.COUNTED


def test_a_hand_that_is_dropped_for_another_is_noticed() -> None:
    """A server that knows its bytes can throw the deal away, but not without its knowing; once it is said."""
    one, table = revealed()
    for match, part in ((2, ContributionState.DROPPED), (3, ContributionState.COUNTED)):
        tell(table, ev.Prepared, hand_id=f"TEST/{match}/1", commitment=f"{match}" * 64)
        command = one.command(table, 1, lambda: 3)
        assert isinstance(command, cl.Contribute)
        tell(table, ev.Contributed, seat=1, commitment=command.commitment)
        ahead = table.copy()
        coming = table.next_shuffle
        assert coming is not None
        tell(ahead, ev.Committed, hand=1, hand_id=coming.hand_id, commitment=coming.commitment, within_ms=9)
        assert isinstance(one.command(ahead, 1, lambda: 4), cl.Reveal)
        deal(table, one, VALUES[match - 1])
        assert one.contribution_state is part
        tell(table, ev.HandOver, reason="stuck", out=None, elapsed_ms=0, points=(0, 0), seed="00" * 32)
        tell(table, ev.MatchOver, winners=(0, 1))


def test_a_hand_that_was_played_without_it_is_not_dropped() -> None:
    """Who was away from the deal to the tally finds the hand among the results."""
    sitting, one = shuffling()
    command = one.command(sitting.mirror, 1, lambda: 2)
    assert command is not None
    sitting.give(1, command)
    sitting.wait(5 * SECOND)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    send(sitting, one)
    for seat in (0, 1):
        sitting.events(seat, cl.Ready)
    send(sitting, one)
    assert one.contribution_state is ContributionState.COUNTED


def test_a_hand_of_before_says_nothing() -> None:
    """Whoever has just come has no part in the hand that is being played."""
    sitting, one = Sitting.playing(2), contributor()
    one.dealt(sitting.mirror, 1)
    assert one.contribution_state is ContributionState.NONE
