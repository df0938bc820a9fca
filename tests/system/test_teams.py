"""Teams at a server that is killed: they stay, their points add up, and those of the best team win."""

import sys
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import pytest

from racing_demon_client.net.client import Client
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table import scoring
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from tests.support.guests import Guest
from tests.support.journals import check
from tests.support.restartable_server import RestartableServer, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")
NAMES = ("Ann", "Ben", "Cat", "Don")
TEAMS = [0, 0, 1, 1]


def _teams(guest: Guest) -> list[int | None]:
    return [state.team for _, state in sorted(guest.client.view.seats.items())]


@pytest.mark.long
async def test_teams_survive_a_kill(tmp_path: Path) -> None:
    """Killed before the match and within a hand: all have the teams that were chosen, and their winners."""
    journal = tmp_path / "journal.sqlite"
    options = Options(game="classic", hands=1, countdown_ms=0, teams=2)
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(RestartableServer.started(journal))
        ann = await Client.create(server.url, NAMES[0], options)
        clients = [ann, *[await Client.join(server.url, ann.code, name) for name in NAMES[1:]]]
        guests = [await stack.enter_async_context(Guest.seated(client)) for client in clients]
        for seat, team in ((1, 0), (2, 1)):
            await guests[seat].send(cl.SetTeam, seat=seat, team=team)
        await wait_until(lambda: all(_teams(guest) == TEAMS for guest in guests))
        server.kill()
        await server.start()
        await wait_until(lambda: all(guest.client.online for guest in guests))
        assert all(_teams(guest) == TEAMS for guest in guests)
        await guests[0].send(cl.Start)
        await wait_until(lambda: all(guest.client.view.in_hand for guest in guests))
        server.kill()
        await server.start()
        for guest in guests:
            await wait_until(partial(_can_say, guest))
            await guest.send(cl.Stuck)
        await wait_until(lambda: all(guest.client.view.phase is Phase.OVER for guest in guests))
        for guest in guests:
            totals = scoring.team_totals(guest.client.view)
            (over,) = {each.seq: each for each in guest.messages if isinstance(each, ev.MatchOver)}.values()
            best = {team for team, total in totals.items() if total == max(totals.values())}
            assert over.winners == tuple(seat for seat, team in enumerate(TEAMS) if team in best)
    assert check(journal).faults == []


def _can_say(guest: Guest) -> bool:
    """Return whether a player is back, and the hand goes on."""
    return guest.client.online and guest.client.view.in_hand and not guest.client.view.paused
