"""How long others wait for a play while the server's MQTT broker is up, and while it is killed."""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))  # as a script, this file knows only its own folder

from tests.support.brokers import Broker
from tests.support.processes import server_process

from benchmarks.percentiles import percentiles
from racing_demon_client.net.client import Client
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.client import Ready
from racing_demon_protocol.wire.options import Options

PLAYERS: Final = 4
PAUSE: Final = 0.05
NOTES: Final = """\
Four players turn their stocks some 80 times a second together. In one run the broker is up, killed with -9,
up again, and so on; each phase counts by itself. Needs mosquitto; all stays on this machine.
"""


class Watch:
    """Notes when each play was sent, and how long each of the others waited for it, in milliseconds."""

    def __init__(self) -> None:
        self.waited: list[float] = []
        self._sent: dict[tuple[int, int], int] = {}

    def send(self, seat: int, counter: int) -> None:
        """Note that a play goes out now."""
        self._sent[seat, counter] = time.monotonic_ns()

    def seen(self, event: ev.Played) -> None:
        """Note that somebody else has seen a play now."""
        sent = self._sent.get((event.seat, event.counter))
        if sent is not None:
            self.waited.append((time.monotonic_ns() - sent) / 1e6)


async def follow(client: Client, watch: Watch) -> None:
    """Hear the table, and note the others' plays."""
    async for message in client:
        if isinstance(message, ev.Played) and message.seat != client.seat:
            watch.seen(message)


async def play(client: Client, watch: Watch) -> None:
    """Turn the stock for ever, at human-like distances."""
    chance = random.Random(client.seat)  # noqa: S311 - no secret
    assert client.seat is not None
    while True:
        await asyncio.sleep(PAUSE * chance.uniform(0.5, 1.5))
        hand = client.view.hand
        turn = None if hand is None else hand.rules.stock_play(hand.board, client.seat)
        if turn is not None and client.view.in_hand and not client.waiting:
            command = client.play_command(turn)
            watch.send(client.seat, command.counter)
            await client.send(command)


async def measure(rounds: int, seconds: float) -> tuple[list[float], list[float]]:
    """Return what was waited with the broker up, and with the broker killed."""
    up, down = list[float](), list[float]()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-broker-")))
        broker = await stack.enter_async_context(Broker.running(folder))
        _, url = await stack.enter_async_context(server_process("--mqtt", broker.url, "--node", "bench"))
        watch = Watch()
        options = Options(countdown_ms=0, hands=1)
        clients = [await stack.enter_async_context(await Client.create(url, "Player", options))]
        for _ in range(PLAYERS - 1):
            clients.append(await stack.enter_async_context(await Client.join(url, clients[0].code, "Player")))
        tasks = [asyncio.create_task(follow(client, watch)) for client in clients]
        for client in clients:
            await client.send(Ready(counter=client.next_counter()))
        tasks += [asyncio.create_task(play(client, watch)) for client in clients]
        await asyncio.sleep(1)
        for _ in range(rounds):
            up += await _phase(watch, seconds)
            await broker.kill()
            down += await _phase(watch, seconds)
            await broker.start()
            await asyncio.sleep(1)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return up, down


async def _phase(watch: Watch, seconds: float) -> list[float]:
    watch.waited.clear()
    await asyncio.sleep(seconds)
    return list(watch.waited)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="bench-broker",
        description=__doc__,
        epilog=NOTES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often it is killed (default 3)")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each phase (default 5)")
    arguments = parser.parse_args(argv)
    up, down = asyncio.run(measure(max(1, arguments.rounds), max(0.2, arguments.seconds)))
    sys.stdout.write(f"{'play to seen, ms':20}{'p50':>8}{'p95':>8}{'p99':>8}{'plays':>8}\n")
    p99 = {}
    for title, waited in (("broker up", up), ("broker killed", down)):
        shares = percentiles(waited)
        p99[title] = shares["p99"]
        row = "".join(f"{value:8.2f}" for value in shares.values())
        sys.stdout.write(f"{title:20}{row}{len(waited) // (PLAYERS - 1):8}\n")
    sys.stdout.write(f"killed / up, p99: {p99['broker killed'] / p99['broker up']:.2f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
