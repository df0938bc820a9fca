"""People whom a server remembers, as their devices see it."""

import asyncio
from typing import Any, Final

from racing_demon_protocol.wire.capabilities import FORGETS, PROVES, REMEMBERS, announced
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import MatchOver, Signalled, StuckSaid
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import CaughtUp, Challenge, Devices, Identified, Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.player_proof import ProofFacts, player_proof
from tests.support.servers import SHORT, Peer

SOFTWARE: Final = announced("test", REMEMBERS, FORGETS, PROVES)
SECRETS: Final = [f"{number:064x}" for number in range(1, 9)]


async def challenged(peer: Peer) -> Challenge:
    """Say hello as a client that remembers, and return the server's challenge."""
    await peer.greet(SOFTWARE)
    return await peer.until(Challenge)


async def enrolled(peer: Peer, name: str, secret: str, device: str = "a test") -> Identified:
    """Become a new player."""
    await challenged(peer)
    await peer.say(cl.Enroll(name=name, secret=secret, device=device))
    return await peer.until(Identified)


async def link_code(peer: Peer) -> str:
    """Return a code for another device of a connection's player."""
    await peer.say(cl.ListDevices(with_code=True))
    return (await peer.until(Devices)).code


async def linked(known: Peer, other: Peer, name: str = "Ann") -> Identified:
    """Let another connection's device be one of a player's, by a code."""
    code = await link_code(known)
    await challenged(other)
    await other.say(cl.Link(name=name, code=code, secret=SECRETS[1]))
    return await other.until(Identified)


def answer(
    challenge: Challenge, known: Identified, secret: str, host: str, scheme: str = "ws"
) -> cl.Identify:
    """Return a device's answer to a challenge."""
    facts = ProofFacts(challenge.server, challenge.nonce, f"{scheme}://{host}", known.player, known.device)
    return cl.Identify(player=known.player, device=known.device, proof=player_proof(secret, facts))


async def play_together(host: Peer, guest: Peer, *, rest: float = 0.0, **options: Any) -> None:
    """Play a match of two people who are stuck at once; rest so long where it may not begin yet."""
    place = await host.enter(cl.Create(name="host", options=Options(hands=1, countdown_ms=0, **options)))
    await guest.enter(cl.Join(code=place.code, name="guest"))
    while isinstance(answer := await host.ask(cl.Start), Refused):
        assert rest > 0, answer
        await asyncio.sleep(rest)
    for peer in (host, guest):
        await peer.until(Signalled)
        await peer.say(peer.next(cl.Stuck, seen=peer.view.seq))
    for peer in (host, guest):
        await peer.until(MatchOver)


async def play_alone(peer: Peer, name: str, says: str = "", ahead: int = 0, **options: Any) -> None:
    """Play a match against a bot until everybody is stuck; perhaps say something, or begin ahead."""
    chosen = Options(**{**SHORT, "hands": 1, "countdown_ms": 0, **options})
    await peer.enter(cl.Create(name=name, options=chosen))
    await peer.until(CaughtUp)
    await peer.ask(cl.AddBot, level="hard")
    if ahead:
        await peer.ask(cl.SetHandicap, seat=peer.place.seat, handicap=Handicap(points=ahead))
    await peer.ask(cl.Start)
    await peer.until(Signalled)
    if says:
        await peer.say(peer.next(cl.Say, text=says))
    while not isinstance(message := await peer.hear(), MatchOver):
        if isinstance(message, StuckSaid) and message.seat != peer.place.seat:  # another's card may help
            await peer.say(peer.next(cl.Stuck, seen=peer.view.seq))
