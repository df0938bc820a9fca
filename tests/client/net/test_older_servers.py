"""Servers from before extensions: they are asked for nothing that they do not know."""

import pytest

from racing_demon_client.net.client import Client
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.relay import WELCOME, babbling

HOUSE_RULES = Options(win_lead=50)


async def test_no_table_is_opened_that_an_older_server_does_not_know() -> None:
    """The sentence names what the server lacks; a table without it is opened."""
    async with babbling(*WELCOME) as url:
        with pytest.raises(CommandRefused, match="This server does not know house rules"):
            await Client.create(url, "Ann", HOUSE_RULES)
        async with await Client.create(url, "Ann", Options(hands=3)) as ann:
            assert ann.seat == 0


@for_each(
    ("command", "lacks"),
    [
        (cl.SetOptions(counter=1, options=HOUSE_RULES), "house rules"),
        (cl.SetOptions(counter=1, options=Options(win_lead=None)), "house rules"),
        (cl.SetHandicap(counter=1, seat=0, handicap=Handicap(points=-5)), "handicaps"),
        (cl.SetTeam(counter=1, seat=0, team=1), "teams"),
    ],
    ids=["on", "off", "handicap", "team"],
)
async def test_an_older_server_is_not_asked_for_it(command: cl.Command, lacks: str) -> None:
    """The command is refused here, as such a server would end the connection."""
    async with babbling(*WELCOME) as url, await Client.join(url, "BCDF", "Ann") as ann:
        with pytest.raises(CommandRefused, match=lacks) as refused:
            await ann.ask(command)
        assert refused.value.reason is Reason.BAD_OPTION
