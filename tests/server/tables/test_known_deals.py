"""Tables on a given deal: known to all, the same after a restart, and never rated."""

from pathlib import Path

import pytest

from racing_demon_client.records.verifier import Verifier
from racing_demon_protocol.engine.deal import hand_secret
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import InvalidRecord
from racing_demon_protocol.records.format import Record, TimedMessage
from racing_demon_protocol.records.standings import standings
from racing_demon_protocol.records.summary import summarize
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState, hand_rules
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused, Snapshot
from racing_demon_protocol.wire.options import Options
from tests.support.journals import check, journaled
from tests.support.old_client import OldClient
from tests.support.servers import Peer, relaying, serving
from tests.support.tables import Sitting

DEAL = bytes(range(32))
OPTIONS = Options(hands=2, casual=True, countdown_ms=0, tally_ms=0)
CREATE = cl.Create(name="Ann", options=OPTIONS, known_deal=DEAL.hex())


def _cards(hand: int) -> tuple[int, ...]:
    """Return the cards that lie face up as a hand of the deal begins, for two."""
    return tuple(Dealer(hand_secret(DEAL, hand), hand_rules(OPTIONS, (0, 1), ())).first_cards())


def _played() -> Sitting:
    """Play a match of two hands on the deal, and the first hand of the next."""
    sitting = Sitting.on_known_deal(DEAL, hands=2, countdown_ms=0)
    for _ in range(3):
        sitting.start()
        for seat in (0, 1):
            sitting.events(seat, cl.Stuck)
    return sitting


def _record(sitting: Sitting) -> list[Message]:
    begin = TableState("TEST", sitting.options)
    begin.record = begin.record._replace(known_deal=DEAL.hex())
    return [begin.snapshot(0), *sitting.log]


def test_its_hands_follow_from_the_deal_in_every_match() -> None:
    """Nobody is asked to contribute, each event says what deal it is, and a rematch has the same cards."""
    sitting = _played()
    committed = [event for event in sitting.log if isinstance(event, ev.Committed)]
    assert {event.known_deal for event in committed} == {DEAL.hex()}
    assert not any(isinstance(event, ev.Prepared) for event in sitting.log)
    dealt = [event.shown for event in sitting.log if isinstance(event, ev.Dealt)]
    assert dealt == [_cards(1), _cards(2), _cards(1)]
    assert TableState.from_snapshot(sitting.mirror.snapshot(0)).known_deal == DEAL.hex()


async def test_its_record_says_what_it_was() -> None:
    """A check says "a known deal"; standings count no match of one, whatever its options claim."""
    record = _record(_played())
    verdict = verify(record)
    assert (verdict.hands, verdict.known_deals, verdict.server_only) == (3, 3, 0)
    verifier = Verifier()
    verifier.load_hand([each for each in record if isinstance(each, Snapshot | ev.Event)])
    await verifier.verify()
    assert verifier.proof.startswith("Checked: a known deal; ")
    rated = [
        each.model_copy(update={"options": Options(hands=2)}) if isinstance(each, Snapshot) else each
        for each in record
    ]
    for told in (record, rated):
        entries = [TimedMessage(message) for message in told]
        found = list(summarize([Record(None, entries, [])]))
        assert [summary.known_deal for summary in found] == [True, True]
        counted = standings(found)
        assert (counted.matches, counted.casual) == (0, 2)
    with pytest.raises(InvalidRecord, match="played for standings"):
        verify(rated)


def test_a_forged_deal_is_found() -> None:
    """Another seed, another deal in a later hand, and a deal that nobody had named: none is right."""
    record = _record(_played())
    places = [place for place, each in enumerate(record) if isinstance(each, ev.Committed)]
    for place, deal in ((places[0], bytes(32).hex()), (places[1], bytes(32).hex()), (places[1], None)):
        forged = [*record]
        forged[place] = forged[place].model_copy(update={"known_deal": deal})
        with pytest.raises(InvalidRecord):
            verify(forged)
    fresh = Sitting.playing(2, casual=True)
    begin = TableState("TEST", fresh.options).snapshot(0)
    for seat in (0, 1):
        fresh.events(seat, cl.Stuck)
    claimed = [
        each.model_copy(update={"known_deal": DEAL.hex()}) if isinstance(each, ev.Committed) else each
        for each in fresh.log
    ]
    with pytest.raises(InvalidRecord):
        verify([begin, *claimed])


async def test_a_rated_table_has_none() -> None:
    """The server says why, at the opening and later; older clients are told what they lack."""
    async with serving() as served:
        async with Peer.connect(served.url) as ann:
            await ann.greet()
            await ann.say(CREATE.model_copy(update={"options": Options(hands=2)}))
            refused = await ann.hear()
            assert isinstance(refused, Refused)
            assert (refused.reason, "must be casual" in refused.text) == (Reason.BAD_OPTION, True)
        async with Peer.entered(served.url, CREATE) as ann:
            refused = await ann.ask(cl.SetOptions, options=Options(casual=False))
            assert isinstance(refused, Refused)
            assert (refused.reason, ann.view.known_deal) == (Reason.BAD_OPTION, DEAL.hex())
            async with OldClient.connect(served.url, Encoding.JSON) as eve:
                await eve.greet()
                await eve.say(cl.Watch(code=ann.code))
                refused = await eve.hear()
                assert isinstance(refused, Refused)
                assert "a known deal" in refused.text


async def test_a_restart_knows_it(tmp_path: Path) -> None:
    """Before the first hand and within it: it goes on with the same cards, and the journal is right."""
    path = tmp_path / "journal.db"
    async with (
        journaled(path) as served,
        Peer.entered(served.url, CREATE) as ann,
    ):
        code, token = ann.code, ann.token
        await ann.ask(cl.AddBot, level="easy")
    resume = cl.Resume(code=code, token=token)
    async with journaled(path) as served, Peer.entered(served.url, resume) as ann:
        assert ann.view.known_deal == DEAL.hex()
        await ann.say(ann.next(cl.Start))
        assert (await ann.until(ev.Dealt)).shown == _cards(1)
    async with journaled(path) as served, Peer.entered(served.url, resume) as ann:
        assert ann.view.known_deal == DEAL.hex()
        await ann.ask(cl.Leave)
    assert (check(path).tables, check(path).faults) == (1, [])


async def test_a_relay_shows_it() -> None:
    """Spectators of another server see the same cards, and that the deal is known."""
    async with (
        serving() as owner,
        relaying(owner.url) as relay,
        Peer.entered(owner.url, CREATE) as ann,
        Peer.entered(relay.url, cl.Watch(code=ann.code)) as zoe,
    ):
        await ann.ask(cl.AddBot, level="easy")
        await ann.say(ann.next(cl.Start))
        assert (await zoe.until(ev.Dealt)).shown == _cards(1)
        assert zoe.view.known_deal == DEAL.hex()
