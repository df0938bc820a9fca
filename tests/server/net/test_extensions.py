"""Extensions over real sockets: old clients at tables that use none, and at tables that do."""

from typing import Any

import pytest

from racing_demon_client.net.client import Client
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.capabilities import EXTENSIONS, needed
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Joined, MatchOver, OptionsSet, Signalled
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Accepted, Refused, Seated, Snapshot
from racing_demon_protocol.wire.options import LATER, NEEDED_BY, Options
from racing_demon_protocol.wire.presets import PRESETS
from tests.support.cases import for_each
from tests.support.old_client import OldClient
from tests.support.restartable_server import wait_until
from tests.support.servers import Peer, relaying, serving

EXTENDED = {"win_lead": 50}
"""Options that old clients do not know."""


async def _refused(peer: Peer, request: Message) -> Refused:
    await peer.say(request)
    refused = await peer.hear()
    assert isinstance(refused, Refused)
    return refused


def test_every_later_option_belongs_to_an_extension() -> None:
    """Each option that older clients do not know, from the first on, has a word that they lack."""
    names = list(Options.model_fields)
    assert list(LATER) == names[names.index("win_lead") :]
    assert EXTENSIONS.keys() >= {*NEEDED_BY.values()}


async def test_an_old_client_plays_at_a_plain_table() -> None:
    """It understands every frame of a match, from the lobby to the last tally, and of its return."""
    async with (
        serving() as served,
        OldClient.hosting(served.url, Encoding.JSON, hands=1, time_limit_ms=1_000) as ann,
        Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben,
        OldClient.entered(served.url, cl.Watch(code=ann.code), Encoding.JSON) as eve,
    ):
        await ben.ask(cl.Say, text="Hello")
        assert isinstance(await ann.ask(cl.Start), Accepted)
        for peer in (ann, ben, eve):
            await peer.until(MatchOver)
        resume = cl.Resume(code=ann.code, token=ann.token)
        async with OldClient.entered(served.url, resume, Encoding.JSON) as again:
            assert again.view.winners == ben.view.winners


async def test_an_old_client_sees_every_preset() -> None:
    """A table of a preset that uses no extension is one that old clients have always known."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with OldClient.entered(served.url, cl.Watch(code=ann.code), Encoding.JSON) as eve:
            for preset in PRESETS.values():
                if needed(preset.options):
                    continue
                await ann.ask(cl.SetOptions, options=preset.options)
                assert (await eve.until(OptionsSet)).options == ann.view.options


@for_each(
    ("wanted", "word"),
    [
        (EXTENDED, "house rules"),
        (PRESETS["peanuts"].options.model_dump(exclude_unset=True), "house rules"),
        ({"handicap": "auto"}, "handicaps"),
        ({"teams": 2}, "teams"),
        ({"casual": True}, "casual matches"),
    ],
    ids=["a lead", "a preset", "handicaps", "teams", "casual matches"],
)
async def test_an_old_client_is_told_what_it_lacks(wanted: dict[str, Any], word: str) -> None:
    """At a table that uses an extension nobody plays, watches or comes back who does not understand it."""
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        OldClient.entered(served.url, cl.Join(code=ann.code, name="Ben"), Encoding.JSON) as ben,
    ):
        code, token = ann.code, ben.token
        await ben.socket.close()
        seats = served.registry.room(code).table.view.seats
        await wait_until(lambda: not seats[1].connected)
        extended = Options.model_validate(wanted)
        assert isinstance(await ann.ask(cl.SetOptions, options=extended), Accepted)
        requests = (
            cl.Create(name="Cyn", options=extended),
            cl.Join(code=code, name="Cyn"),
            cl.Watch(code=code),
            cl.Resume(code=code, token=token),
        )
        for request in requests:
            async with OldClient.connect(served.url, Encoding.JSON) as cyn:
                await cyn.greet()
                refused = await _refused(cyn, request)
                assert (refused.reason, word in refused.text) == (Reason.NOT_NOW, True)


async def test_the_host_is_told_who_lacks_an_extension() -> None:
    """While a connected client does not understand an extension, the host cannot use it."""
    house_rules = Options.model_validate(EXTENDED)
    async with serving() as served, Peer.hosting(served.url) as ann:
        join, watch = cl.Join(code=ann.code, name="Ben"), cl.Watch(code=ann.code)
        async with OldClient.entered(served.url, join, Encoding.JSON) as ben:
            refused = await ann.ask(cl.SetOptions, options=house_rules)
            assert isinstance(refused, Refused)
            assert (refused.reason, "Ben" in refused.text) == (Reason.BAD_OPTION, True)
            await ben.ask(cl.Leave)
            async with OldClient.entered(served.url, watch, Encoding.JSON):
                refused = await ann.ask(cl.SetOptions, options=house_rules)
                assert isinstance(refused, Refused)
                assert "a spectator" in refused.text
        await wait_until(lambda: not served.registry.room(ann.code).broadcast.spectators)
        assert isinstance(await ann.ask(cl.SetOptions, options=house_rules), Accepted)
        assert ann.view.options.win_lead == 50


async def test_a_match_with_an_old_client_has_no_last_hand_and_can_be_ended() -> None:
    """The host is told who would not understand a last hand; that a match was ended everybody understands."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        join = cl.Join(code=ann.code, name="Ben")
        async with OldClient.entered(served.url, join, Encoding.JSON) as ben:
            await ann.ask(cl.Start)
            await ann.until(Signalled)
            refused = await ann.ask(cl.SetLastHand)
            assert isinstance(refused, Refused)
            assert (refused.reason, "people who return: Ben" in refused.text) == (Reason.BAD_OPTION, True)
            assert isinstance(await ann.ask(cl.EndMatch), Accepted)
            assert (await ben.until(MatchOver)).closed


async def test_an_old_client_at_a_table_with_handicaps() -> None:
    """While it is there nobody gets one; while anybody has one it stays out, and then it may come back."""
    some, none = Handicap(delay_s=5), Handicap()
    async with serving() as served, Peer.hosting(served.url) as ann:
        join, watch = cl.Join(code=ann.code, name="Ben"), cl.Watch(code=ann.code)
        async with OldClient.entered(served.url, join, Encoding.JSON) as ben:
            refused = await ann.ask(cl.SetHandicap, seat=0, handicap=some)
            assert isinstance(refused, Refused)
            assert (refused.reason, "Ben" in refused.text) == (Reason.BAD_OPTION, True)
        seats = served.registry.room(ann.code).table.view.seats
        await wait_until(lambda: not seats[1].connected)
        assert isinstance(await ann.ask(cl.SetHandicap, seat=0, handicap=some), Accepted)
        async with OldClient.connect(served.url, Encoding.JSON) as eve:
            await eve.greet()
            refused = await _refused(eve, watch)
            assert (refused.reason, "handicaps" in refused.text) == (Reason.NOT_NOW, True)
        assert isinstance(await ann.ask(cl.SetHandicap, seat=0, handicap=none), Accepted)
        place = ben.place
        resume = cl.Resume(code=ann.code, token=ben.token, seq=ben.view.seq, epoch=place.epoch)
        async with OldClient.entered(served.url, resume, Encoding.JSON) as again:
            assert again.view.seats[0].handicap == none


async def test_an_old_client_that_resumes_gets_the_events_that_it_missed() -> None:
    """A snapshot replaces them only where one of them is of an extension."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with OldClient.entered(served.url, cl.Join(code=ann.code, name="Ben"), Encoding.JSON) as ben:
            pass
        await ann.ask(cl.Say, text="hello")
        epoch = ben.place.epoch
        resume = cl.Resume(code=ann.code, token=ben.token, seq=ben.view.seq, epoch=epoch)
        async with OldClient.connect(served.url, Encoding.JSON) as again:
            await again.greet()
            await again.say(resume)
            assert isinstance(await again.hear(), Seated)
            assert not isinstance(await again.hear(), Snapshot)


async def test_an_old_spectator_at_a_relay_counts() -> None:
    """The host is told of one, and one who comes later is refused by the relay."""
    house_rules = Options.model_validate(EXTENDED)
    async with (
        serving(relays=("127.0.0.0/8",)) as owner,
        relaying(owner.url) as relay,
        Peer.hosting(owner.url) as ann,
        Peer.entered(relay.url, cl.Watch(code=ann.code)) as zoe,
    ):
        lacks = owner.registry.room(ann.code).broadcast.who_lacks
        async with OldClient.entered(relay.url, cl.Watch(code=ann.code), Encoding.JSON):
            await wait_until(lambda: bool(lacks(["house-rules"])))
            refused = await ann.ask(cl.SetOptions, options=house_rules)
            assert isinstance(refused, Refused)
            assert "a spectator" in refused.text
        await wait_until(lambda: not lacks(["house-rules"]))
        assert isinstance(await ann.ask(cl.SetOptions, options=house_rules), Accepted)
        while (await zoe.until(OptionsSet)).options.win_lead is None:
            pass
        async with OldClient.connect(relay.url, Encoding.JSON) as eve:
            await eve.greet()
            assert (await _refused(eve, cl.Watch(code=ann.code))).reason is Reason.NOT_NOW


async def test_new_options_come_back_to_their_defaults() -> None:
    """An option that is left out at its default is named where the host sets it back."""
    async with (
        serving() as served,
        Peer.hosting(served.url, win_lead=20) as ann,
        Peer.entered(served.url, cl.Watch(code=ann.code)) as eve,
    ):
        assert eve.view.options.win_lead == 20
        await ann.ask(cl.SetOptions, options=Options(win_lead=None))
        assert (await eve.until(OptionsSet)).options.win_lead is None


async def test_a_program_is_shown_to_all_who_understand_that() -> None:
    """Whoever knows no programs must leave before one plays, and cannot come while it does."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with OldClient.entered(served.url, cl.Join(code=ann.code, name="Ben"), Encoding.JSON) as ben:
            with pytest.raises(CommandRefused, match="You are a program"):
                await Client.join(served.url, ann.code, "Bot", program=True)
            await ben.ask(cl.Leave)
        await wait_until(lambda: not served.registry.room(ann.code).broadcast.who_lacks(["programs"]))
        async with await Client.join(served.url, ann.code, "Bot", program=True) as bot:
            joined = await ann.until(Joined)
            while joined.name != "Bot":
                joined = await ann.until(Joined)
            assert joined.program
            assert bot.view.seats[joined.seat].program
            assert not bot.view.seats[0].program
            async with OldClient.connect(served.url, Encoding.JSON) as cyn:
                await cyn.greet()
                refused = await _refused(cyn, cl.Join(code=ann.code, name="Cyn"))
                assert "programs that play" in refused.text
