"""The seed of a hand comes from the server and from the players, and a choice of deals has a price."""

from collections.abc import Callable
from itertools import combinations, islice

import pytest

from racing_demon_protocol.engine.commit_reveal import deal_seed, matches_commitment
from racing_demon_protocol.engine.deal import hand_seeds
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.errors import InconsistentEvent
from racing_demon_protocol.records.verify import VerificationReport, verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from racing_demon_server.match.contributions import REVEAL_MS
from racing_demon_server.match.seat_tokens import Actor, SeatToken
from racing_demon_server.match.table import SavedState, Table
from tests.support.cases import for_each
from tests.support.contributing import contribute, hash_of, reveal, secret_of, value_of
from tests.support.inside import seat_tokens_of
from tests.support.tables import MS, SECOND, Sitting, of_type, told

HAND = "TEST/1/1"


def _shuffling(players: int = 2, **options: object) -> Sitting:
    """Return a table whose players have all contributed to the hand that is committed."""
    sitting = Sitting.lobby(players, **options)
    contribute(sitting, range(players))
    sitting.events(0, cl.Start)
    assert Phase.SHUFFLING is sitting.mirror.phase
    return sitting


def _end(sitting: Sitting) -> list[ev.Event]:
    """End the hand, as nobody can go on."""
    sitting.wait(sitting.options.countdown_ms * MS)
    return [event for seat in sitting.mirror.hand_seats for event in sitting.events(seat, cl.Stuck)]


def _proves(sitting: Sitting) -> VerificationReport:
    """Check that a table's log proves itself, and return what it proves."""
    return verify([TableState("TEST", sitting.options).snapshot(0), *sitting.log])


# The usual course.


def test_the_server_commits_first() -> None:
    """Before anybody contributes the server has committed to the secret that it tells after the hand."""
    sitting = Sitting.lobby(2)
    (prepared,) = of_type(ev.Prepared, sitting.log)
    contribute(sitting, [0, 1])
    sitting.events(0, cl.Start)
    reveal(sitting, [0, 1])
    assert prepared.hand_id == HAND
    assert matches_commitment(secret_of(_end(sitting)), HAND, prepared.commitment)


def test_a_deal_waits_until_all_have_revealed() -> None:
    """The cards are dealt with the last contribution, and not before."""
    sitting = _shuffling(3)
    assert told(reveal(sitting, [2, 0])) == "revealed revealed"
    assert told(reveal(sitting, [1])) == "revealed dealt"
    _end(sitting)
    _proves(sitting)


def test_all_who_contribute_make_the_seed() -> None:
    """The cards are those of the hash over the server's secret and all contributions."""
    sitting = _shuffling(2)
    (dealt,) = of_type(ev.Dealt, reveal(sitting, [0, 1]))
    values = {seat: value_of(seat, HAND) for seat in (0, 1)}
    seed = deal_seed(secret_of(_end(sitting)), HAND, values)
    assert dealt.shown == Dealer(seed, sitting.rules).first_cards()


def test_where_nobody_contributes_cards_are_dealt_at_once() -> None:
    """Clients that know nothing of contributions play as ever: the seed is the server's secret."""
    sitting = Sitting.lobby(2)
    events = sitting.events(0, cl.Start)
    assert told(events) == "committed dealt"
    assert [event.within_ms for event in of_type(ev.Committed, events)] == [0]
    secret = secret_of(_end(sitting))
    assert events[1].shown == Dealer(secret, sitting.rules).first_cards()  # type: ignore[attr-defined]
    _proves(sitting)


def test_who_contributes_later_takes_part_in_the_next_hand() -> None:
    """Each hand has its own secret and its own contributions."""
    sitting = _shuffling(2, hands=2)
    reveal(sitting, [0, 1])
    events = _end(sitting)
    (prepared,) = of_type(ev.Prepared, events)
    assert prepared.hand_id == "TEST/1/2"
    contribute(sitting, [1])
    sitting.wait(sitting.options.tally_ms * MS)
    assert told(reveal(sitting, [1])) == "revealed dealt"
    _end(sitting)
    _proves(sitting)


def test_a_table_of_bots_prepares_nothing() -> None:
    """Where nobody could contribute, the commitment comes with the hand."""
    sitting = Sitting()
    sitting.host_watching()
    for _ in range(2):
        sitting.events(None, cl.AddBot)
    sitting.start()
    assert of_type(ev.Prepared, sitting.log) == []


def test_a_table_can_do_without() -> None:
    """Where deals are to be repeated, nobody contributes to them."""
    table = Table("TEST", Options(), hand_seeds(bytes(32)), contributions=False)
    _, events = table.join("Ann", b"Ann", 0)
    assert told(events) == "joined hosted"
    refused = table.handle_command(0, cl.Contribute(counter=1, commitment="0" * 64), 0).reply
    assert refused is not None
    assert Reason.NOT_NOW is refused.reason  # type: ignore[union-attr]


# Who does not reveal.


def test_a_draw_without_a_reveal_is_void() -> None:
    """After some seconds the hand is drawn anew, from new bytes; whoever did not reveal sits it out."""
    sitting = _shuffling(3)
    reveal(sitting, [0, 2])
    assert sitting.wait(REVEAL_MS * MS - 1) == []
    (prepared,) = sitting.wait(1)
    assert isinstance(prepared, ev.Prepared)
    assert prepared.hand_id == "TEST/1/1.2"
    assert Reason.NOT_NOW is sitting.refused(1, cl.Reveal, value=value_of(1, HAND).hex()).reason
    assert Reason.NOT_NOW is sitting.refused(1, cl.Contribute, commitment="0" * 64).reason
    assert told(contribute(sitting, [0, 2])) == "contributed contributed committed"
    (dealt,) = of_type(ev.Dealt, reveal(sitting, [0, 2]))
    assert (dealt.seats, dealt.left_out) == ((0, 2), ())
    assert sitting.mirror.hand_number == 1
    values = {seat: value_of(seat, prepared.hand_id) for seat in (0, 2)}
    seed = deal_seed(secret_of(_end(sitting)), prepared.hand_id, values)
    assert dealt.shown == Dealer(seed, sitting.rules).first_cards()
    verdict = _proves(sitting)
    assert (verdict.redrawn, verdict.choosers, verdict.left_out) == (("Ben",), (), ())


def test_who_sat_out_plays_the_next_hand() -> None:
    """A phone that lost its line misses one hand, and nothing else."""
    sitting = _shuffling(2, hands=2)
    reveal(sitting, [0])
    sitting.wait(REVEAL_MS * MS)
    contribute(sitting, [0])
    reveal(sitting, [0])
    _end(sitting)
    contribute(sitting, [0, 1])
    sitting.wait(sitting.options.tally_ms * MS)
    (dealt,) = of_type(ev.Dealt, reveal(sitting, [0, 1]))
    assert dealt.seats == (0, 1)


def test_a_void_draw_waits_for_new_bytes_no_longer_than_for_old_ones() -> None:
    """Who contributes nothing anew has no part in the draw, and plays."""
    sitting = _shuffling(3)
    reveal(sitting, [0, 2])
    sitting.wait(REVEAL_MS * MS)
    contribute(sitting, [2])
    assert told(sitting.wait(REVEAL_MS * MS)) == "committed"
    (dealt,) = of_type(ev.Dealt, reveal(sitting, [2]))
    assert dealt.seats == (0, 2)


def test_who_is_away_at_the_deal_is_dealt_to() -> None:
    """A phone that is known to sleep has no part in the draw, cannot come back to choose, and plays."""
    sitting = Sitting.lobby(3, hands=1)
    contribute(sitting, [0, 1, 2])
    sitting.connect(1, connected=False)
    sitting.events(0, cl.Start)
    sitting.connect(1, connected=True)
    assert Reason.NOT_NOW is sitting.refused(1, cl.Reveal, value=value_of(1, HAND).hex()).reason
    (dealt,) = of_type(ev.Dealt, reveal(sitting, [0, 2]))
    assert (dealt.seats, dealt.left_out) == ((0, 1, 2), (1,))
    _end(sitting)
    assert _proves(sitting).choosers == ()


def test_where_nobody_reveals_the_server_deals_alone() -> None:
    """Nobody knew more than the server, so nobody has to sit out."""
    sitting = _shuffling(2)
    (dealt,) = of_type(ev.Dealt, sitting.wait(REVEAL_MS * MS))
    assert (dealt.seats, dealt.left_out) == ((0, 1), (0, 1))
    _end(sitting)
    assert ((verdict := _proves(sitting)).server_only, verdict.redrawn) == (1, ())


def test_a_game_for_two_is_dealt_to_both() -> None:
    """It cannot be played alone; that the draw could be chosen is said instead."""
    sitting = _shuffling(2, game="sympathy")
    reveal(sitting, [0])
    (dealt,) = of_type(ev.Dealt, sitting.wait(REVEAL_MS * MS))
    assert (dealt.seats, dealt.left_out) == ((0, 1), (1,))
    sitting.wait(sitting.options.countdown_ms * MS)
    _end(sitting)
    assert _proves(sitting).choosers == ("Ben",)


@for_each("accomplices", [1, 2, 3])
def test_the_deals_that_accomplices_can_see_and_refuse(accomplices: int) -> None:
    """With the server they see one deal more for each seat that they give up, where they chose among 2**k.

    Whoever of them stays silent, and in whichever draw: a draw gives one deal or none.
    """

    def deals(sitting: Sitting, seats: frozenset[int]) -> int:
        """Return how many deals they see one after the other at most, before they take the last one."""
        whole = sitting.fork()
        (dealt,) = of_type(ev.Dealt, reveal(whole, [0, *seats]))
        assert {0, *seats} == {*dealt.seats}
        further = [0]
        for count in range(1, len(seats) + 1):
            for silent in combinations(sorted(seats), count):
                fork, rest = sitting.fork(), seats - {*silent}
                reveal(fork, [0, *rest])
                assert of_type(ev.Dealt, fork.wait(REVEAL_MS * MS)) == []
                contribute(fork, [0, *rest])
                further.append(deals(fork, rest))
        return 1 + max(further)

    sitting = _shuffling(1 + accomplices, hands=1)
    assert 1 + accomplices == deals(sitting, frozenset(range(1, 1 + accomplices)))


def test_other_bytes_are_refused() -> None:
    """Who reveals what they have not committed to has revealed nothing."""
    sitting = _shuffling(2)
    assert Reason.BAD_CONTRIBUTION is sitting.refused(1, cl.Reveal, value="00" * 32).reason
    reveal(sitting, [0])
    assert len(of_type(ev.Prepared, sitting.wait(REVEAL_MS * MS))) == 1
    assert sitting.mirror.seats_to_deal == (0,)


def test_another_s_contribution_is_not_one_s_own() -> None:
    """A commitment is good for one seat: who copies that of a neighbor cannot reveal it."""
    sitting = Sitting.lobby(2)
    contribute(sitting, [0])
    sitting.events(1, cl.Contribute, commitment=hash_of(sitting, 0))
    sitting.events(0, cl.Start)
    reveal(sitting, [0])
    refused = sitting.refused(1, cl.Reveal, value=value_of(0, HAND).hex())
    assert Reason.BAD_CONTRIBUTION is refused.reason


def test_nothing_is_revealed_twice() -> None:
    """The same bytes once more are answered, and nobody is told."""
    sitting = _shuffling(2)
    reveal(sitting, [0])
    assert reveal(sitting, [0]) == []


def test_nothing_is_revealed_before_all_is_fixed() -> None:
    """Who reveals too soon, or too late, is refused."""
    sitting = Sitting.lobby(2)
    contribute(sitting, [0])
    value = value_of(0, HAND).hex()
    assert Reason.NOT_NOW is sitting.refused(0, cl.Reveal, value=value).reason
    sitting.events(0, cl.Start)
    sitting.wait(REVEAL_MS * MS)
    assert Reason.NOT_NOW is sitting.refused(0, cl.Reveal, value=value).reason


def test_who_has_not_contributed_has_nothing_to_reveal() -> None:
    """Whoever was too late to commit is too late for this hand."""
    sitting = Sitting.lobby(2)
    contribute(sitting, [0])
    sitting.events(0, cl.Start)
    assert Reason.NOT_NOW is sitting.refused(1, cl.Reveal, value=value_of(1, HAND).hex()).reason


# What is fixed.


def test_a_contribution_may_be_replaced_until_the_hand_begins() -> None:
    """Who came back with another program has forgotten the bytes, and draws others."""
    sitting = Sitting.lobby(2)
    other = hash_of(sitting, 0, bytes(32))
    assert told(sitting.events(0, cl.Contribute, commitment=other)) == "contributed"
    assert sitting.events(0, cl.Contribute, commitment=other) == []
    contribute(sitting, [0])
    sitting.events(0, cl.Start)
    assert told(reveal(sitting, [0])) == "revealed dealt"


@for_each(
    ("cls", "fields"),
    [
        (cl.Contribute, {"commitment": "0" * 64}),
        (cl.SetOptions, {"options": Options(game="classic")}),
        (cl.RemoveBot, {"seat": 2}),
        (cl.Ready, {"ready": False}),
        (cl.Start, {}),
        (cl.Pause, {}),
    ],
)
def test_what_is_fixed_stays_so(cls: type[cl.Command], fields: dict[str, object]) -> None:
    """From the moment when contributions are fixed, neither options nor company of the hand change."""
    sitting = Sitting.lobby(2)
    sitting.events(0, cl.AddBot)
    contribute(sitting, [0, 1])
    sitting.events(0, cl.Start)
    assert Reason.NOT_NOW is sitting.refused(0, cls, **fields).reason


def test_who_joins_while_all_reveal_waits_for_the_next_hand() -> None:
    """A newcomer would move the cards to other seats."""
    sitting = _shuffling(2)
    sitting.join("Cat")
    (dealt,) = of_type(ev.Dealt, reveal(sitting, [0, 1]))
    assert dealt.seats == (0, 1)


def test_who_leaves_while_all_reveal_makes_the_draw_void() -> None:
    """Nobody can choose between two deals by leaving."""
    sitting = _shuffling(3)
    reveal(sitting, [0, 2])
    assert [each.hand_id for each in of_type(ev.Prepared, sitting.events(1, cl.Leave))] == ["TEST/1/1.2"]
    contribute(sitting, [0, 2])
    (dealt,) = of_type(ev.Dealt, reveal(sitting, [0, 2]))
    assert dealt.seats == (0, 2)
    _end(sitting)
    assert _proves(sitting).redrawn == ("Ben",)


def test_who_has_revealed_and_leaves_keeps_a_layout() -> None:
    """Nobody can move the cards to other seats by leaving."""
    sitting = _shuffling(3)
    reveal(sitting, [1])
    sitting.events(1, cl.Leave)
    (dealt,) = of_type(ev.Dealt, reveal(sitting, [0, 2]))
    assert (dealt.seats, dealt.left_out) == ((0, 1, 2), ())


def test_a_hand_that_all_leave_ends() -> None:
    """The secret is told all the same."""
    sitting = _shuffling(2)
    sitting.events(1, cl.Leave)
    (over,) = of_type(ev.HandOver, sitting.events(0, cl.Leave))
    assert EndReason.ABANDONED is over.reason
    _proves(sitting)


def test_a_contribution_ends_with_its_player_s_stay() -> None:
    """Who takes the seat of somebody who has left is bound to nothing."""
    sitting = Sitting.lobby(2)
    contribute(sitting, [0, 1])
    sitting.events(1, cl.Leave)
    sitting.join("Cat")
    sitting.events(0, cl.Start)
    assert told(reveal(sitting, [0])) == "revealed dealt"
    _end(sitting)
    _proves(sitting)


def test_a_match_that_ends_early_has_another_next_hand() -> None:
    """What was contributed to the next hand of a match is void when there is none."""
    sitting = Sitting.playing(2, hands=3, game="sympathy")
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    contribute(sitting, [0])
    events = sitting.events(1, cl.Leave)
    (prepared,) = of_type(ev.Prepared, events)
    assert (told(events), prepared.hand_id) == ("left match_over", "TEST/2/1")
    assert sitting.mirror.next_shuffle is not None
    assert sitting.mirror.next_shuffle.contributions == ()


# Full disks and restarts.


def test_while_nothing_can_be_kept_nobody_is_left_out() -> None:
    """A server whose disk takes nothing deals when it works again, and its players have had their second."""
    sitting = _shuffling(2)
    sitting.wait(REVEAL_MS * MS // 2)
    sitting.halt()
    assert sitting.wait(60 * SECOND) == []
    sitting.resume()
    assert told(reveal(sitting, [0])) == "revealed"
    assert sitting.wait(REVEAL_MS * MS // 2 - 1) == []
    assert len(of_type(ev.Prepared, sitting.wait(1))) == 1
    assert sitting.mirror.seats_to_deal == (0,)


def _past(sitting: Sitting, secrets: int, *, folded: bool) -> SavedState:
    """Return what a journal gives back of a table whose every secret was written before it was told."""
    ids = [event.hand_id for event in of_type(ev.Prepared, sitting.log)][:secrets]
    snapshot = sitting.table.view.snapshot(0) if folded else None
    log = [(event, sitting.now) for event in sitting.log]
    seat_tokens: dict[Actor, SeatToken] = {
        seat: seat_tokens_of(sitting.table)[seat] for seat in sitting.table.view.seats
    }
    return SavedState(snapshot, log, dict(zip(ids, hand_seeds(bytes(32)), strict=False)), seat_tokens)


@for_each("folded", [False, True], ids=["from its log", "from a snapshot"])
@for_each("done", range(5))
def test_a_server_that_dies_deals_the_same_cards(done: int, folded: bool) -> None:
    """Wherever it was between commitment and deal: the next one goes on with secret and contributions."""
    steps: list[Callable[[Sitting], object]] = [
        lambda each: contribute(each, [0]),
        lambda each: contribute(each, [1]),
        lambda each: each.events(0, cl.Start),
        lambda each: reveal(each, [1]),
        lambda each: reveal(each, [0]),
    ]
    whole, cut = Sitting.lobby(2), Sitting.lobby(2)
    for step in steps:
        step(whole)
    for step in steps[:done]:
        step(cut)
    again = Table("TEST", cut.options, islice(hand_seeds(bytes(32)), 1, None))
    again.restore(_past(cut, 1, folded=folded))
    cut.table = again
    cut.record(again.continue_after_restart(cut.now))
    for seat in (0, 1):
        cut.connect(seat, connected=True)
    for step in steps[done:]:
        step(cut)
    assert of_type(ev.Dealt, whole.log)[0].shown == of_type(ev.Dealt, cut.log)[0].shown
    _end(cut)
    _proves(cut)


@for_each("folded", [False, True], ids=["from its log", "from a snapshot"])
def test_a_server_that_dies_after_a_void_draw_draws_anew(folded: bool) -> None:
    """Whoever did not reveal sits out, whatever happens to the server meanwhile."""
    sitting = _shuffling(3, hands=1)
    reveal(sitting, [0, 2])
    sitting.wait(REVEAL_MS * MS)
    again = Table("TEST", sitting.options, islice(hand_seeds(bytes(32)), 2, None))
    again.restore(_past(sitting, 2, folded=folded))
    sitting.table = again
    sitting.record(again.continue_after_restart(sitting.now))
    for seat in range(3):
        sitting.connect(seat, connected=True)
    contribute(sitting, [0, 2])
    (dealt,) = of_type(ev.Dealt, reveal(sitting, [0, 2]))
    assert dealt.seats == (0, 2)
    _end(sitting)
    assert _proves(sitting).redrawn == ("Ben",)


def test_a_server_that_comes_back_gives_time_to_reveal() -> None:
    """Players are on their way back as well: they are left out after ten seconds."""
    sitting = _shuffling(2)
    again = Table("TEST", sitting.options, islice(hand_seeds(bytes(32)), 1, None))
    again.restore(_past(sitting, 1, folded=False))
    again.continue_after_restart(sitting.now)
    assert again.next_timer_at == sitting.now + 10 * SECOND
    assert "dealt" in told(again.run_until(sitting.now + 10 * SECOND))


def test_a_secret_that_is_lost_is_not_drawn_again() -> None:
    """A table whose journal lacks the secret of a hand that is prepared does not go on."""
    sitting = Sitting.lobby(2)
    again = Table("TEST", sitting.options, hand_seeds(bytes(32)))
    with pytest.raises(InconsistentEvent, match="the secret of hand TEST/1/1 is missing"):
        again.restore(_past(sitting, 0, folded=False))


def test_a_lobby_from_before_contributions_is_prepared() -> None:
    """A table that an older server has kept lets its players contribute from now on."""
    options = Options()
    log = [(ev.Joined(seq=1, seat=0, name="Ann"), 0), (ev.Hosted(seq=2, seat=0), 0)]
    seat_tokens: dict[Actor, SeatToken] = {0: seat_tokens_of(Sitting.lobby(1).table)[0]}
    table = Table("TEST", options, hand_seeds(bytes(32)))
    table.restore(SavedState(None, log, {}, seat_tokens))
    assert told(table.continue_after_restart(0)) == "connected"
    assert table.view.next_shuffle is not None


# Secrecy.


def test_nothing_tells_the_secret_before_the_hand_is_over() -> None:
    """Neither events nor snapshots hold the secret, nor the seed that follows from it."""
    sitting = _shuffling(2)
    reveal(sitting, [0, 1])
    seen = repr([sitting.log, sitting.table.view.snapshot(0)])
    secret = secret_of(_end(sitting))
    values = {seat: value_of(seat, HAND) for seat in (0, 1)}
    assert secret.hex() not in seen
    assert deal_seed(secret, HAND, values).hex() not in seen
