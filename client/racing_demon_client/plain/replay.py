"""A replay in plain text: events line by line, and typed commands."""

import asyncio
from typing import Final, TextIO

from racing_demon_client.records.verifier import Verifier
from racing_demon_client.shared.analysis_text import analysis_lines
from racing_demon_client.shared.message_text import MessageText, Write, duration
from racing_demon_client.shared.table_view import TableView
from racing_demon_client.shared.trackers import StuckTracker
from racing_demon_client.sources.replay import POSITIONS, InvalidPosition, ReplayClient
from racing_demon_client.streams import read_in_background, run_until_one_ends
from racing_demon_protocol.formatting import printable
from racing_demon_protocol.table.scoring import match_winners
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot

from . import render

HELP: Final = f"""\
 Enter     pause, or play on
 n, n 20   one event on, or twenty, and pause          p, p 20   back
 x 4       four times as fast (x 0.5: half)
 g POS     go to a position, where
           {POSITIONS}
 s 2       seat 2's view (s: nobody's)   b  the table again   tally  the scores
 q         quit                          ?  this help"""

MIN_SPEED, MAX_SPEED = 0.1, 1_000.0


async def replay(
    client: ReplayClient,
    write: Write,
    lines: TextIO | None,
    *,
    seat: int | None = None,
    ascii_only: bool = False,
) -> None:
    """Print a record until its end, or until the user quits.

    Args:
        client: the replay.
        write: prints a line.
        lines: the typed lines; ``None`` without a user.
        seat: the seat whose point of view to take.
        ascii_only: whether suits are written as letters.

    """
    teller = _ReplayPrinter(client, write, seat, ascii_only=ascii_only, stays=lines is not None)
    works = (
        [teller.print_events()]
        if lines is None
        else [teller.print_events(), teller.obey(read_in_background(lines))]
    )
    await run_until_one_ends(*works)


class _ReplayPrinter:
    """Prints a replay and carries out typed commands.

    Args:
        client: the replay.
        write: prints a line.
        seat: the seat whose point of view to take.
        ascii_only: whether suits are written as letters.
        stays: whether to wait for commands at the end.

    """

    def __init__(
        self, client: ReplayClient, write: Write, seat: int | None, *, ascii_only: bool, stays: bool
    ) -> None:
        self._client = client
        self._write = write
        self._seat = seat
        self._ascii = ascii_only
        self._stays = stays
        self._stuck_tracker = StuckTracker()

    async def print_events(self) -> None:
        """Print events until the end."""
        async for message in self._client:
            is_news = self._stuck_tracker.observe(message, self._client.view)
            line = self._words().describe(message) if is_news else None
            for text in [*([line] if line else []), *self._picture(message)]:
                self._write(text)
            if isinstance(message, ev.HandOver):
                await self._prove()
            if self._client.at_end:
                if not self._stays:
                    return
                self._write("the record ends here. Enter plays it again, q quits.")

    async def _prove(self) -> None:
        """Verify the finished hand and print the result."""
        verifier = Verifier()
        verifier.load_hand(self._client.hand())
        await verifier.verify()
        self._write(printable(verifier.proof))

    def _words(self) -> MessageText:
        return MessageText(self._client.view, None, ascii_only=self._ascii)

    def _picture(self, message: Message) -> list[str]:
        """Return the lines after a message: the table after a deal, tally and analysis after a hand."""
        view = self._client.view
        if isinstance(message, Snapshot | ev.Dealt) and view.hand is not None:
            return render.table(TableView.of(view, self._seat), ascii_only=self._ascii)
        if isinstance(message, ev.HandOver):
            analysis = self._client.timeline.analysis_at(self._client.position)
            tally = render.tally(view) if match_winners(view) is None else []
            return [*tally, *analysis_lines(analysis, self._seat, self._words())]
        return render.tally(view) if isinstance(message, ev.MatchOver) else []

    async def obey(self, typed: "asyncio.Queue[str | None]") -> None:
        """Carry out typed commands until the input ends."""
        while (line := await typed.get()) is not None:
            words = line.split()
            if words[:1] in (["q"], ["quit"]):
                return
            try:
                self._do(words[0].lower() if words else "", " ".join(words[1:]))
            except (InvalidPosition, ValueError) as error:
                self._write(
                    str(error)
                    if isinstance(error, InvalidPosition)
                    else f"{line.strip()!r} is not a command. ? shows them all."
                )

    def _do(self, verb: str, rest: str) -> None:
        """Carry out one command.

        Raises:
            InvalidPosition: there is no such position.
            ValueError: the argument is not a number.

        """
        client = self._client
        match verb:
            case "":
                client.pause(paused=not client.paused and not client.at_end)
                self._write("paused" if client.paused else "on")
            case "n" | "p":
                client.step((1 if verb == "n" else -1) * min(10_000, max(1, int(rest or "1"))))
            case "x":
                client.speed = min(MAX_SPEED, max(MIN_SPEED, float(rest)))
                client.faster(0)
                self._write(f"speed {client.speed:g}")
            case "g":
                client.seek_to(rest)
            case "s":
                self._seat = int(rest) - 1 if rest else None
                self._show()
            case "b":
                self._show()
            case "tally":
                self._write_all(render.tally(client.view))
            case _:
                self._write_all(HELP.splitlines())

    def _show(self) -> None:
        client = self._client
        at = duration(client.timeline.elapsed_ms(client.position))
        self._write(f"{at}, event {client.timeline.seq_at(client.position)} of {client.timeline.last_seq}")
        self._write_all(render.table(TableView.of(client.view, self._seat), ascii_only=self._ascii))

    def _write_all(self, lines: list[str]) -> None:
        for line in lines:
            self._write(line)
