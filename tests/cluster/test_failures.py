"""A table whose judging fails, on a node of a cluster: it goes back to just before it, on that node."""

import pytest

from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_server.match.lifecycle import MatchLifecycle
from racing_demon_server.match.table import MISTAKE
from racing_demon_server.tables.registry import GOES_BACK, MAX_RESTORES
from tests.support.builds import pure
from tests.support.clusters import inner_node, until_back
from tests.support.postgres import Postgres
from tests.support.servers import Closing, Peer

BACK = Closing(CloseCode.TRY_AGAIN, GOES_BACK)


class PlantedError(Exception):
    """A mistake of the server, planted by a test."""


def fail(*_: object) -> None:
    """Fail after half of the work, as a mistake would."""
    raise PlantedError


@pure("replaces a method")
async def test_a_node_takes_a_failed_table_up_again(
    servers: Postgres, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing half-done is kept, the command stays refused, and after too many failures the table ends."""
    async with inner_node(servers.url(name)) as (_, address):
        async with Peer.hosting(address) as ann:
            await ann.ask(cl.AddBot)
            resume = cl.Resume(code=ann.code, token=ann.token)
        for _ in range(MAX_RESTORES):
            async with Peer.entered(address, resume) as ann:
                command = ann.next(cl.RemoveBot, seat=1)
                with monkeypatch.context() as planting:
                    planting.setattr(MatchLifecycle, "after_leave", fail)
                    await ann.say(command)
                    assert await ann.closed() == BACK
            await until_back(address, resume)
            async with Peer.entered(address, resume) as ann:
                refused = await ann.ask_again(command)
                assert isinstance(refused, Refused)
                assert refused.text == MISTAKE
                assert not ann.view.seats[1].left
                assert isinstance(await ann.ask(cl.Say, text="Here we are"), Accepted)
        async with Peer.entered(address, resume) as ann:
            monkeypatch.setattr(MatchLifecycle, "after_leave", fail)
            await ann.say(ann.next(cl.RemoveBot, seat=1))
            assert (await ann.closed()).code == CloseCode.GOING_AWAY
